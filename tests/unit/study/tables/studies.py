"""Small studies with numbers that are easy to check."""

from __future__ import annotations

from typing import Any

from stablebn.study.record import Record, Sample


def sample(network: str, rows: int = 100, **changed: Any) -> Sample:
    """Return a sample without identical columns: empty graph -4 per row, true graph -3, four nodes, three arcs."""
    facts: dict[str, Any] = {
        "kind": "continuous" if network.endswith("_c") else "categorical",
        "nodes": 4,
        "arcs": 3,
        "identical": 0,
        "constants": 0,
        "empty_score": -4.0 * rows,
        "true_score": -3.0 * rows,
    }
    return Sample(network=network, rows=rows, **(facts | changed))


def run(network: str, rows: int, learner: str, number: int, f1: float, **changed: Any) -> Record:
    """Return a run that learned a DAG: all metrics are f1, the score is f1 - 4 per row, and f1 names the graph."""
    facts: dict[str, Any] = {
        "status": "done",
        "reason": "",
        "seconds": 1.0,
        "score": (f1 - 4) * rows,
        "extendable": True,
        "graph": f"[{f1}]",
        "degree": 2.0,
        "precision": f1,
        "recall": f1,
        "f1": f1,
        "bsf": f1,
        "shd": 1.0,
    }
    return Record(network=network, rows=rows, learner=learner, randomisation=number, **(facts | changed))


def runs(network: str, rows: int, learner: str, *f1: float, **changed: Any) -> list[Record]:
    """Return one run per value of F1."""
    return [run(network, rows, learner, number, value, **changed) for number, value in enumerate(f1, start=1)]


def timed_out(network: str, rows: int, learner: str, number: int) -> Record:
    return Record(network, rows, learner, number, "timed out", "longer than 3 h", 10800.0)


def failed(network: str, rows: int, learner: str, number: int) -> Record:
    return Record(network, rows, learner, number, "failed", "DataError: no", 0.1)


def without_dag(network: str, rows: int, learner: str, number: int) -> Record:
    """Return a run whose graph no DAG extends."""
    return Record(network, rows, learner, number, "done", "", 1.0, extendable=False, graph="[]", degree=1.0)
