"""One table, one report: the same bytes in every order of rows and columns."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.drawn import LEARNERS, UNSTABLE, Combination, combinations
from tests.invariance.test_layouts import Drawn
from tests.tables import shuffled

import stablebn as sb
from stablebn.report import report_text

STABLE = tuple(name for name in LEARNERS if name not in UNSTABLE)
_CASES = random.Random("reports").sample(list(combinations(STABLE)), 40)


@pytest.mark.parametrize("combination", _CASES, ids=map(" ".join, _CASES))
def test_reports_do_not_depend_on_the_layout(combination: Combination) -> None:
    drawn = Drawn(combination, f"reports {combination}", stable=True)
    columns = drawn.table((2, 8), (10, 80))
    learn = drawn.learner(columns)
    assert report_text(learn(columns)) == report_text(learn(shuffled(columns, drawn.shuffle)))


def _messy() -> dict[Any, list[Any]]:
    """Everything that there can be something to say of."""
    asia = sb.read_network("asia").sample(300, seed=1).to_pydict()
    rows = random.Random(1)
    return {
        **asia,
        "code": [{"yes": 1, "no": 2}[value] for value in asia["smoke"]],
        "copy": asia["lung"],
        "site": ["x"] * 300,
        "centre": ["y"] * 300,
        "id": [f"p{i}" for i in range(300)],
        "name": [f"q{i}" for i in range(300)],
        "age": [rows.gauss(50, 10) for _ in range(300)],
        "years": [rows.gauss(20, 3) for _ in range(300)],
        "rare": ["a"] * 298 + ["b", "c"],
        "scarce": ["c"] * 297 + ["b", "a", "a"],
    }


@pytest.mark.parametrize("seed", range(3))
def test_the_report_of_a_messy_table_does_not_depend_on_the_layout(seed: int) -> None:
    columns = _messy()
    truth = sb.DAG(columns, [("smoke", "lung"), ("age", "years"), ("site", "id"), ("dysp", "bronc")])

    def told(table: dict[Any, list[Any]]) -> str:
        bootstrap = sb.bootstrap(table, replicates=3)
        return report_text(sb.learn(table), true=truth, bootstrap=bootstrap)

    assert told(shuffled(columns, seed)) == told(columns)
