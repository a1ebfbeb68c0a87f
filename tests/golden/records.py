"""What is kept of a run, so that another run can be compared with it bit for bit. Only the public interface is used."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from tests.golden.recipes import weights_of

import stablebn as sb

Record = dict[str, Any]


def learned(table: pa.Table, case: Mapping[str, Any]) -> Record:
    """Graph and score of a case, and the way that led to them.

    Parameters
    ----------
    table : pyarrow.Table
    case : mapping
        `algorithm`, `score`, `options` of `sb.learn`; perhaps `weights`, the greatest weight of a row.
    """
    return record_of(learn(table, case))


def learn(table: pa.Table, case: Mapping[str, Any], **limits: Any) -> sb.Result:
    """Learn as a case says, by the defaults of then: units took part in the order, and FGES had two phases."""
    options = {"unit_free": False, **case["options"]}
    if case["algorithm"] == "fges":
        options = {"phases": "fges", **options}
    if "weights" in case:
        options["weights"] = weights_of(table.num_rows, case["weights"])
    return sb.learn(table, case["algorithm"], case["score"], **options, **limits)


def record_of(result: sb.Result) -> Record:
    """What is kept of a result: numbers as they are or in hexadecimal, everything long as a hash."""
    return {
        "fingerprint": result.fingerprint,
        "score": bits(result.score),
        "arcs": len(result.arcs),
        # Besides the arcs: those of `pdag` that no DAG directs.
        "undirected": 0 if result.extendable else len(result.pdag.undirected),
        "edges": digits([result.pdag.directed, result.pdag.undirected, result.arcs, result.conflicts]),
        "order": digits(result.order),
        **_way(result.trace),
    }


def _way(trace: Any) -> Record:
    if isinstance(trace, sb.TestTrace):
        # Which sets separate is part of the answer; how many tests it took is kept apart.
        return {"separating": digits(trace.to_dict()["separating"] + trace.to_dict()["blankets"]), "tests": len(trace)}
    columns = trace.to_dict()
    runner_up = {column: values for column, values in columns.items() if column.startswith("next_")}
    return {
        "steps": len(trace),
        "moves": digits([columns[column] for column in columns if column not in runner_up]),
        **({"runners_up": digits(list(runner_up.values()))} if runner_up else {}),
    }


def scored(table: pa.Table, case: Mapping[str, Any]) -> Record:
    """Score of a given graph, in all and node by node."""
    options = {"unit_free": False, **case["options"]}
    if "weights" in case:
        options["weights"] = weights_of(table.num_rows, case["weights"])
    found = sb.score([tuple(arc) for arc in case["graph"]], table, case["score"], **options)
    return {"total": bits(found.total), "by_node": [bits(found.by_node[name]) for name in table.column_names]}


def judged(table: pa.Table, case: Mapping[str, Any]) -> sb.CITest:
    """A test of independence."""
    return sb.ci_test(table, case["x"], case["y"], case["given"], case["test"], unit_free=False)


def bits(number: float | None) -> str | None:
    """All bits of a number, readably."""
    return None if number is None else float(number).hex()


def digits(value: Sequence[Any] | Mapping[str, Any]) -> str:
    """Twelve hexadecimal digits of a hash of a value; floats count with all their bits."""
    return hashlib.sha256(repr(_plain(value)).encode()).hexdigest()[:12]


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value.hex() if isinstance(value, float) else value
