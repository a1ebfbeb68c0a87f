"""Write a result as JSON, and read it back.

`stablebn.graph.json_names` defines how names are written. Entries that follow from others (`arcs`, `undirected`,
`extendable`, `cpdag`) are for readers of the file, and ignored when it is read back.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from typing import Any

from stablebn.columns.kinds import Decision
from stablebn.errors import FormatError, GraphError
from stablebn.exact.certificate import Certificate, GraphProof
from stablebn.exact.proof_tree import Ties
from stablebn.graph import DAG, PDAG
from stablebn.graph.json_names import json_text, name_from
from stablebn.learners.shared.hybrid_trace import HybridTrace
from stablebn.learners.shared.pattern import TestTrace
from stablebn.messages import Caution
from stablebn.options import file_path
from stablebn.search.operator_trace import OperatorTrace
from stablebn.search.trace import Trace

FORMAT = "stablebn result"
VERSION = 1

# Fields of a result that are written unchanged.
_PLAIN = ("score", "rows", "fewest_rows", "config", "fingerprint", "finished")


def is_result(path: str | os.PathLike[str]) -> bool:
    """Return whether a file holds a result, as `Result.to_json` writes it."""
    from stablebn.networks.formats.parsing.text_files import read_text

    return os.path.isfile(path) and read_text(os.fspath(path)).lstrip().startswith(f'{{\n "format": "{FORMAT}"')


def text_of(content: Mapping[str, Any]) -> str:
    """Return the content of a result as JSON text, one entry per line."""
    lines = [f' "{key}": {json_text(value)}' for key, value in content.items()]
    return "{\n" + ",\n".join(lines) + "\n}"


def content_of_trace(trace: Any) -> dict[str, Any]:
    """Return a trace in types that JSON has."""
    if isinstance(trace, TestTrace):
        return trace.to_dict()
    content = {own.name: getattr(trace, own.name) for own in dataclasses.fields(trace)}
    return {**content, "restriction": trace.restriction.to_dict()} if isinstance(trace, HybridTrace) else content


def content_of_proof(proof: GraphProof) -> dict[str, Any]:
    """Return a proof in types that JSON has."""
    return {
        "optimal": proof.optimal,
        "bound": proof.bound,
        "gap": proof.gap,
        "ties": {"count": proof.ties.count, "are_all": proof.ties.are_all},
        "most_parents": proof.most_parents,
        "certificate": proof.certificate.to_dict(),
    }


def fields_from(text_or_path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the fields of a result; the timings and the table are not in the file.

    Parameters
    ----------
    text_or_path : str or path
        The text, which begins with "{", or the path of a file, which may be compressed (".gz").

    Raises
    ------
    FormatError
        The text is not a result, or a result of a later version.
    """
    # Imported here because it takes time, and few results are read.
    from stablebn.networks.formats.parsing.json_text import parse_object
    from stablebn.networks.formats.parsing.text_files import read_text

    file, text = "the text", text_or_path
    if not isinstance(text_or_path, str) or not text_or_path.lstrip().startswith("{"):
        file_path("text_or_path", text_or_path)
        file = os.fspath(text_or_path)
        text = read_text(file)
    content = parse_object(str(text), file)
    if content.get("format") != FORMAT:
        raise FormatError(
            file,
            1,
            f'expected a result, with the entry "format": "{FORMAT}", as `Result.to_json` and `stablebn learn -o '
            "result.json` write it. stablebn.read_graph reads other graphs.",
        )
    if content.get("version") != VERSION:
        raise FormatError(
            file,
            1,
            f"expected version {VERSION}, got {str(content.get('version'))[:20]}: read it with a newer stablebn.",
        )
    try:
        return _fields(content)
    except (KeyError, TypeError, ValueError, AttributeError, GraphError) as error:
        reason = f"the entry {error} is missing" if isinstance(error, KeyError) else str(error)[:200]
        raise FormatError(file, None, f"expected a result as `Result.to_json` writes it: {reason}.") from None


def _fields(content: Mapping[str, Any]) -> dict[str, Any]:
    nodes = _names(content["nodes"])
    pdag, dag = content["pdag"], content["dag"]
    return {
        **{key: content[key] for key in _PLAIN},
        "pdag": PDAG(nodes, _tuples(pdag["directed"]), _tuples(pdag["undirected"])),
        "dag": None if dag is None else DAG(nodes, _tuples(dag)),
        "order": _names(content["order"]),
        "trace": _trace(content["trace"]),
        "conflicts": _tuples(content["conflicts"]),
        "known": _tuples(content["known"]),
        "strengths_at_hand": {_names(arc): strength for *arc, strength in content["strengths"]},
        "tied_arcs": None if content["tied_arcs"] is None else _tuples(content["tied_arcs"]),
        "warnings": tuple(Caution(own["code"], _names(own["columns"]), own["message"]) for own in content["warnings"]),
        "kinds": _by_name(content["kinds"], lambda kind: kind),
        "decisions": {name_from(name): Decision(*rest) for name, *rest in content["decisions"]},
        "constants": _names(content["constants"]),
        "merged": _by_name(content["merged"], _names),
        "cuts": _by_name(content["cuts"], tuple),
        "levels": _by_name(content["levels"], _names),
        "proof": _proof(content),
        # Files of version 0.1 do not have these.
        "chosen": dict(content.get("chosen", {})),
        "undetermined_arcs": _tuples(content.get("undetermined_arcs", [])),
    }


def _proof(content: Mapping[str, Any]) -> GraphProof | None:
    """Read the proof; `None` if there is none."""
    if "optimal" not in content:
        return None
    return GraphProof(
        **{key: content[key] for key in ("optimal", "bound", "gap", "most_parents")},
        ties=Ties(**content["ties"]),
        certificate=Certificate.from_dict(content["certificate"]),
    )


def _names(values: Any) -> tuple[Any, ...]:
    if not isinstance(values, list):
        raise ValueError(f"{str(values)[:80]} is no list of names")
    return tuple(map(name_from, values))


def _tuples(values: Any) -> tuple[tuple[Any, ...], ...]:
    """Read tuples of names, such as edges."""
    return tuple(map(_names, values))


def _by_name(pairs: Any, read: Callable[[Any], Any]) -> dict[Any, Any]:
    return {name_from(name): read(value) for name, value in pairs}


def _trace(content: Mapping[str, Any]) -> Any:
    """Read a trace, whose type follows from its columns."""
    if "tests" in content:
        return _test_trace(content)
    fields: dict[str, Any] = {key: list(_names(own)) if isinstance(own, list) else own for key, own in content.items()}
    if "restriction" in content:
        return HybridTrace(**{**fields, "restriction": _test_trace(content["restriction"])})
    return OperatorTrace(**fields) if "phase" in fields else Trace(**fields)


def _test_trace(content: Mapping[str, Any]) -> TestTrace:
    return TestTrace(
        content["tests"],
        _by_name(content["blankets"], _names),
        {(name_from(x), name_from(y)): _names(given) for x, y, given in content["separating"]},
    )
