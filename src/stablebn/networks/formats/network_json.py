"""Read and write networks of all kinds as JSON, without loss.

"nodes" has an object for each node, in the network's order. A categorical node has its "levels", its "parents" and its
"probabilities": nested lists by the levels of the first parent, ..., the last parent, and the node. A continuous node
has its "categorical_parents" and "continuous_parents", and its "intercepts", "coefficients" and "sds": nested lists by
the levels of the categorical parents; without these, a number, a list of numbers and a number. "cuts" has the cut
points of the nodes whose levels are bins of numbers.

Names and levels are texts. If some stand for numbers, booleans, dates or tuples (`graph/json_names.py`), "names" has
the original names of all nodes, in order, and "values" of a categorical node its original levels.

pgmpy's JSON of linear Gaussians is read too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stablebn.errors import FormatError, listed
from stablebn.graph.json_names import comes_back, infinite_form, is_infinite, json_text, name_from
from stablebn.graph.names import Node
from stablebn.networks.formats import gaussian_json
from stablebn.networks.formats.parsing.json_text import is_name, object_lines, parse_object
from stablebn.networks.formats.parsing.network_draft import Draft
from stablebn.networks.formats.parsing.probability_tables import Cells, Family
from stablebn.networks.formats.parsing.writers import texts
from stablebn.networks.model import CPT, ConditionalGaussian, Distribution, LinearGaussian, Network, renamed

FORMAT = "stablebn network"
VERSION = 1


class NestedTable(NamedTuple):
    """Probabilities as nested lists."""

    content: Any

    def cells(self, family: Family) -> Cells:
        """Put the probabilities in the order of a CPT."""
        shape = tuple(map(len, family.levels))
        try:
            probabilities = _array(self.content, shape)
        except ValueError as error:
            raise family.error(f"has unfit 'probabilities': {error}.") from None
        return Cells(probabilities.reshape(-1, shape[-1]), {}, family.line)


class NestedGaussian(NamedTuple):
    """Intercepts, coefficients and standard deviations as nested lists."""

    content: Mapping[str, Any]
    node: str
    file: str
    line: int | None

    def gaussian(
        self, levels: Mapping[str, tuple[str, ...]], continuous: Sequence[str]
    ) -> LinearGaussian | ConditionalGaussian:
        """Convert the lists to a distribution."""
        if list(levels) != self.content["categorical_parents"]:
            raise self._error("expected the 'categorical_parents' to be categorical, and the others continuous")
        shape = tuple(map(len, levels.values()))
        intercepts, sds = self._numbers("intercepts", shape), self._numbers("sds", shape)
        coefficients = self._numbers("coefficients", (*shape, len(continuous)))
        if (sds < 0).any():
            raise self._error("expected 'sds' of at least 0")
        if levels:
            return ConditionalGaussian(tuple(levels), tuple(continuous), intercepts, coefficients, sds)
        return LinearGaussian(tuple(continuous), tuple(coefficients.tolist()), float(intercepts), float(sds))

    def _numbers(self, key: str, shape: Sequence[int]) -> NDArray[np.float64]:
        try:
            return _array(self.content[key], shape)
        except ValueError as error:
            raise self._error(f"unfit {key!r}: {error}") from None

    def _error(self, problem: str) -> FormatError:
        return FormatError(self.file, self.line, f"node {self.node!r}: {problem}.")


def read(text: str, file: str, *, normalise: bool = False) -> Network:
    """Read a network from the text of a JSON file."""
    content = parse_object(text, file)
    if "cpds" in content:
        return gaussian_json.network_of(content, text, file)
    if not is_network(content):
        raise FormatError(file, 1, "expected the keys 'nodes', 'arcs' and 'cpds' of a network with parameters.")
    if content.get("version") != VERSION:
        raise FormatError(
            file,
            1,
            f"expected version {VERSION}, got {str(content.get('version'))[:20]}: read it with a newer stablebn.",
        )
    name, nodes, cuts = content.get("name", ""), content.get("nodes"), content.get("cuts", {})
    if not isinstance(name, str) or not isinstance(nodes, dict) or not isinstance(cuts, dict):
        raise FormatError(file, 1, "expected a 'name', objects as 'nodes', and 'cuts' of nodes.")
    lines = object_lines(text)
    draft = Draft(file, text, normalise=normalise)
    for node, own in nodes.items():
        _note(node, own, draft, file, lines.get(node))
    network = draft.network(name, {node: _points(node, points, file) for node, points in cuts.items()})
    names = _values(content.get("names", [*nodes]), [*nodes], "expected 'names'", file, None)
    levels = {
        node: _values(own["values"], own["levels"], f"node {node!r}: expected 'values'", file, lines.get(node))
        for node, own in nodes.items()
        if "levels" in own and "values" in own
    }
    return renamed(network, dict(zip(nodes, names, strict=True)), levels) if levels or "names" in content else network


def _values(values: Any, texts: Sequence[str], expected: str, file: str, line: int | None) -> list[Node]:
    """Return the values that texts stand for; raise `FormatError` if the text of a value is another one."""
    try:
        found = [name_from(value) for value in values] if isinstance(values, list) else []
    except ValueError:
        found = []
    if not all(is_name(value) or is_infinite(value) for value in found) or list(map(str, found)) != list(texts):
        raise FormatError(file, line, f"{expected} whose texts are {listed(texts)}, in this order.")
    return found


def is_network(content: Mapping[str, Any]) -> bool:
    """Return whether the content of a JSON file is a network with parameters, not only a graph."""
    return content.get("format") == FORMAT or "cpds" in content


def text(network: Network) -> str:
    """Write a network as JSON, one line per node."""
    plain = network.as_text()
    names = texts(plain, "a name", "JSON", ".*")
    nodes = [
        f"  {_written(name)}: {_written(_content(own) | _kept('values', _levels(before)))}"
        for name, own, before in zip(names, plain.values(), network.values(), strict=True)
    ]
    entries = {"format": FORMAT, "version": VERSION, "name": network.name, **_kept("names", [*network])}
    lines = [f" {_written(key)}: {_written(value)}" for key, value in entries.items()]
    lines.append(' "nodes": {\n' + ",\n".join(nodes) + "\n }")
    lines.append(f' "cuts": {_written(plain.cuts)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _note(node: str, own: Any, draft: Draft, file: str, line: int | None) -> None:
    if not is_name(node) or not isinstance(own, dict):
        raise FormatError(file, line, f"node {node!r}: expected an object.")
    if "levels" in own:
        _check_keys(node, own, ("levels", "parents"), ("probabilities",), file, line)
        draft.declare(node, own["levels"], line)
        draft.define(node, own["parents"], NestedTable(own["probabilities"]), line)
        return
    _check_keys(
        node, own, ("categorical_parents", "continuous_parents"), ("intercepts", "coefficients", "sds"), file, line
    )
    parents = [*own["categorical_parents"], *own["continuous_parents"]]
    draft.define_continuous(node, parents, NestedGaussian(own, node, file, line), line)


def _check_keys(
    node: str, own: Mapping[str, Any], lists: Sequence[str], others: Sequence[str], file: str, line: int | None
) -> None:
    """Raise `FormatError` if a node lacks a key, or has something else than texts in a list of texts."""
    absent = [key for key in (*lists, *others) if key not in own]
    if absent:
        raise FormatError(file, line, f"node {node!r}: expected the key {absent[0]!r}.")
    for key in lists:
        if not isinstance(own[key], list) or not all(isinstance(text, str) and is_name(text) for text in own[key]):
            raise FormatError(file, line, f"node {node!r}: expected {key!r} to be a list of texts.")


def _points(node: str, points: Any, file: str) -> list[float]:
    try:
        numbers: list[float] = _array(points, (len(points),)).tolist()
    except (TypeError, ValueError):
        raise FormatError(file, None, f"expected the 'cuts' of node {node!r} to be a list of numbers.") from None
    return numbers


def _array(content: Any, shape: Sequence[int]) -> NDArray[np.float64]:
    """Convert nested lists of finite numbers to an array of this shape; otherwise raise `ValueError`."""
    flat: list[Any] = [content]
    for size in shape:
        if not all(isinstance(part, list) and len(part) == size for part in flat):
            raise ValueError(f"expected lists in lists of lengths {' x '.join(map(str, shape))}")
        flat = [number for part in flat for number in part]
    if not all(isinstance(number, int | float) and not isinstance(number, bool) for number in flat):
        raise ValueError("expected only numbers")
    try:
        array = np.array(flat, dtype=np.float64).reshape(shape)
    except OverflowError:
        raise ValueError("expected finite numbers") from None
    if not np.isfinite(array).all():
        raise ValueError("expected finite numbers")
    return array


def _levels(own: Distribution) -> Sequence[Node]:
    return own.levels if isinstance(own, CPT) else ()


def _kept(key: str, values: Sequence[Node]) -> dict[str, Any]:
    """Return a JSON entry for the values unless all are text."""
    if all(isinstance(value, str) for value in values):
        return {}
    return {key: [_value(value) for value in values]}


def _value(value: Any) -> Any:
    if is_infinite(value):
        return infinite_form(value)
    return value if comes_back(value) else str(value)


def _content(own: Distribution) -> dict[str, Any]:
    if isinstance(own, CPT):
        return {
            "levels": texts(own.levels, "a level", "JSON", ".*"),
            "parents": own.parents,
            "probabilities": own.probabilities.tolist(),
        }
    gaussian = own.conditional()
    return {
        "categorical_parents": gaussian.categorical_parents,
        "continuous_parents": gaussian.continuous_parents,
        "intercepts": gaussian.intercepts.tolist(),
        "coefficients": gaussian.coefficients.tolist(),
        "sds": gaussian.sds.tolist(),
    }


def _written(value: Any) -> str:
    return json_text(value)
