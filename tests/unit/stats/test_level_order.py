"""The order of levels: labels have no part in it, and so none in any bit of the degenerate Gaussian score."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

import stablebn as sb
from stablebn.data import CategoricalTable, prepare
from stablebn.stats.level_order import level_orders

ARCS = [("x", "y"), ("y", "z"), ("x", "z")]


def _relabelled(columns: dict[Any, Any], name: str, labels: dict[str, str]) -> dict[Any, Any]:
    return {**columns, name: [labels[value] for value in columns[name]]}


def _with_ties(seed: int) -> dict[Any, Any]:
    """Levels that are equally frequent, in a table that tells them apart."""
    rng = np.random.default_rng(seed)
    x = rng.permutation(np.repeat(list("abc"), 14))
    y = np.where(rng.random(42) < 0.5, x, rng.permutation(x))
    columns: dict[Any, Any] = {"x": x.tolist(), "y": y.tolist(), "z": rng.choice(list("ab"), 42).tolist()}
    if seed % 2:
        columns["w"] = (rng.normal(size=42) + (x == "a")).tolist()
    return columns


@pytest.mark.parametrize("seed", range(8))
def test_labels_change_no_bit_of_a_degenerate_gaussian_score(seed: int) -> None:
    columns = _with_ties(seed)
    first, total = sb.learn(columns, score="dg"), sb.score(ARCS, columns, score="dg").total
    for labels in permutations("abc"):
        other = _relabelled(columns, "x", dict(zip("abc", labels, strict=True)))
        again = sb.learn(other, score="dg")
        assert (again.arcs, again.score, again.trace) == (first.arcs, first.score, first.trace)
        assert sb.score(ARCS, other, score="dg").total == total


def test_labels_change_no_bit_where_only_symmetries_tie() -> None:
    # All triples with x + y + z a multiple of 3, and one column more: each level can be exchanged for each other.
    rows = [row for row in product(range(3), repeat=3) if sum(row) % 3 == 0] * 2
    columns: dict[Any, Any] = {name: ["abc"[row[v]] for row in rows] for v, name in enumerate("xyz")}
    columns["u"] = ["pq"[place % 2] for place in range(len(rows))]
    total = sb.score(ARCS, columns, score="dg").total
    for name in "xyz":
        for labels in permutations("abc"):
            other = _relabelled(columns, name, dict(zip("abc", labels, strict=True)))
            assert sb.score(ARCS, other, score="dg").total == total


def test_the_most_frequent_level_is_first_and_what_does_not_occur_is_left_out() -> None:
    table = prepare({"x": list("abbbcc"), "y": list("pqpqpq")}, levels={"x": list("abcd")}).table
    assert isinstance(table, CategoricalTable)
    assert level_orders(table, None)[0] == [1, 2, 0]


def test_equally_frequent_levels_are_ordered_by_what_they_meet() -> None:
    # a meets p twice, b never, c once.
    columns = {"x": list("aabbcc"), "y": list("ppqqpr")}
    orders = {}
    for labels in permutations("abc"):
        table = prepare(_relabelled(columns, "x", dict(zip("abc", labels, strict=True)))).table
        assert isinstance(table, CategoricalTable)
        old = dict(zip(labels, "abc", strict=True))
        orders["".join(old[str(table.levels[0][code])] for code in level_orders(table, None)[0])] = labels
    assert len(orders) == 1
