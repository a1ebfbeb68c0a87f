"""Scores of graphs, node by node, against R bnlearn 5.2.1."""

import math
from typing import Any

import pytest
from tests.shared import SHARED, golden, needs_shared, sample

import stablebn as sb

pytestmark = needs_shared

VALIDATION: dict[str, Any] = golden("bnlearn_validation.json")["scores"] if SHARED.is_dir() else {}
OURS = {"loglik", "aic", "bic", "bde", "bds", "k2", "loglik-g", "aic-g", "bic-g", "bge"}
CASES = [(data, graph) for data, graphs in VALIDATION.items() for graph in graphs]


def _gaussian_difference(rows: int, parents: int) -> float:
    """Return what to add to our log-likelihood: bnlearn divides RSS by n - p - 1, the specification by n - 1."""
    ratio = (rows - 1) / (rows - parents - 1)
    return -rows / 2 * math.log(ratio) + ((rows - 1) - (rows - parents - 1)) / 2


@pytest.mark.parametrize(("data", "graph"), CASES)
def test_scores_are_those_of_bnlearn(data: str, graph: str) -> None:
    name, rows = data.rsplit("_", 1)
    table = sample(name, int(rows))
    entry = VALIDATION[data][graph]
    parents = {node: sum(arc[1] == node for arc in entry["arcs"]) for node in table.column_names}
    compared = 0
    for right in entry["scores"]:
        if right["type"] not in OURS:
            continue
        options = {option.replace(".", "_"): value for option, value in (right["args"] or {}).items()}
        found = sb.score(entry["arcs"], table, right["type"].removesuffix("-g"), **options)
        for node, value in right["by_node"].items():
            ours = found.by_node[node]
            if right["type"].endswith("-g"):
                ours += _gaussian_difference(int(rows), parents[node])
            assert ours == pytest.approx(value, rel=1e-9), (right["type"], node)
            compared += 1
        if right["type"] not in ("loglik-g", "aic-g", "bic-g"):
            assert found.total == pytest.approx(right["total"], rel=1e-9)
    assert compared >= 7 * len(table.column_names) or name.endswith("_c")
    assert compared >= 4 * len(table.column_names)
