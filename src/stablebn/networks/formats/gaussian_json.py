"""Read linear Gaussian networks from pgmpy's JSON: the coefficients and the variance of each node."""

from __future__ import annotations

import math
from typing import Any

from stablebn.errors import FormatError
from stablebn.networks.formats.parsing.json_text import KeyLines, is_name, is_pairs
from stablebn.networks.formats.parsing.network_draft import check_parents, checked_network
from stablebn.networks.model import LinearGaussian, Network

_INTERCEPT = "(Intercept)"


def network_of(content: dict[str, Any], text: str, file: str) -> Network:
    """Read a network from the parsed content of a JSON file; its text is used to find line numbers."""
    lines = KeyLines(text, "{")
    nodes, arcs, cpds = (content.get(key, ()) for key in ("nodes", "arcs", "cpds"))
    if not isinstance(nodes, list) or not is_pairs(arcs) or not isinstance(cpds, dict):
        raise FormatError(file, 1, "expected the keys 'nodes', 'arcs' and 'cpds' of a network with parameters.")
    if not all(map(is_name, nodes)) or len(nodes) != len(cpds) or set(nodes) != cpds.keys():
        raise FormatError(file, lines["cpds"], "expected one entry of 'cpds' for each of the 'nodes'.")
    gaussians = {node: _gaussian(node, cpds[node], lines, file) for node in nodes}
    check_parents({node: own.parents for node, own in gaussians.items()}, lines, file)
    expected = {(parent, node) for node, gaussian in gaussians.items() for parent in gaussian.parents}
    if len(arcs) != len(expected) or {(a, b) for a, b in arcs} != expected:
        raise FormatError(
            file, KeyLines(text, "[")["arcs"], "expected the 'arcs' to be those from the 'parents' in 'cpds'."
        )
    return checked_network(gaussians, lines, file, "")


def _gaussian(node: str, cpd: Any, lines: KeyLines, file: str) -> LinearGaussian:
    try:
        parents = tuple(cpd["parents"])
        coefficients = {parent: _number(value) for parent, value in cpd["coefficients"].items()}
        intercept = coefficients.pop(_INTERCEPT)
        if coefficients.keys() != set(parents):
            raise ValueError
        sd = math.sqrt(_number(cpd["variance"]))
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        raise FormatError(
            file,
            lines[node],
            f"node {node!r}: expected its 'parents', 'coefficients' of them and of {_INTERCEPT!r}, "
            "and a 'variance' of at least 0.",
        ) from None
    return LinearGaussian(parents, tuple(coefficients[parent] for parent in parents), intercept, sd)


def _number(value: Any) -> float:
    """Return a finite number, given as such or as a list with one number."""
    (number,) = value if isinstance(value, list) else (value,)
    if not isinstance(number, int | float) or not math.isfinite(number):
        raise ValueError
    return float(number)
