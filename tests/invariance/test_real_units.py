"""Real tables in other units: the graphs are equal, whatever the factors, signs and zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import datasets
from tests.drawn import LEARNERS

import stablebn as sb

TABLES = ("iris", "wine", "breast_cancer", "diabetes")


def _values(name: str) -> NDArray[np.float64]:
    values: NDArray[np.float64] = getattr(datasets, f"load_{name}")().data
    return values


def _columns(values: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    return {f"v{place}": own for place, own in enumerate(values.T)}


def _answer(result: sb.Result) -> tuple[object, ...]:
    return result.arcs, result.undirected, result.order, result.conflicts


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("algorithm", LEARNERS)
def test_real_tables_know_no_units(name: str, algorithm: str) -> None:
    values = _values(name)
    # Of thirty columns that hang together there are too many subsets.
    few: dict[str, Any] = {"max_condition": 2} if algorithm in ("pc-stable", "gs", "inter-iamb", "mmhc", "h2pc") else {}
    if algorithm in ("best", "exact"):
        few = {"effort": "low"} if algorithm == "best" else {"max_sets": 1000, "max_parents": 2}
    first = sb.learn(_columns(values), algorithm, **few)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        n = values.shape[1]
        factors = rng.choice([-1, 1], n) * 10.0 ** rng.uniform(-4, 4, n)
        zeros = rng.normal(size=n) * np.abs(values * factors).max(axis=0)
        assert _answer(sb.learn(_columns(values * factors + zeros), algorithm, **few)) == _answer(first)


@pytest.mark.parametrize("name", ["wine", "breast_cancer"])
def test_one_column_times_ten_changes_the_graph_only_in_the_order_of_the_paper(name: str) -> None:
    values = _values(name)
    changed = 0
    for place in range(values.shape[1]):
        other = values.copy()
        other[:, place] *= 10
        assert sb.learn(_columns(other), "tabu-stable").arcs == sb.learn(_columns(values), "tabu-stable").arcs
        paper = [sb.learn(_columns(table), "tabu-stable", unit_free=False).arcs for table in (values, other)]
        changed += paper[0] != paper[1]
    assert changed
