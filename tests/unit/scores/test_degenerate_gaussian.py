"""The degenerate Gaussian score is a function of sets of variables: no order, and no label, changes a bit of it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from tests.naive.mixed import degenerate_determinant
from tests.naive.scores import ln
from tests.preparing import prepare
from tests.tables import categorical_table, mixed_table, random_categorical_table, random_mixed_table

import stablebn as sb
from stablebn import _core
from stablebn.fixed_point import UNIT
from stablebn.scores.mixed import halves
from stablebn.stats import statistics_of
from stablebn.stats.variable_sets import bit
from stablebn.table.table import CategoricalTable, ContinuousTable, MixedTable

ARCS = [("x", "y"), ("y", "z"), ("x", "z")]
DOUBLES, DOUBLE_DOUBLES, INTEGERS = range(3)


def _compiled(table: Any, first: int = DOUBLES) -> _core.DegenerateGaussianScores:
    """Without a penalty."""
    statistics = statistics_of(table, unit_free=True)
    blocks = statistics.column_products()
    return _core.DegenerateGaussianScores(
        *halves(blocks.products),
        blocks.columns,
        blocks.frequencies,
        [[v] for v in range(statistics.n)],
        statistics.total,
        0,
        0,
        1,
        first,
    )


def _values(table: Any, first: int = DOUBLES, order: Sequence[int] = ()) -> dict[frozenset[int], int]:
    """L of every set, less what each variable has alone; `order` has what each variable is called."""
    scores, n = _compiled(table, first), len(table.names)
    called = list(order) or list(range(n))
    found = {frozenset[int](): 0}
    for size in range(1, n + 1):
        for own in combinations(range(n), size):
            child, parents = own[-1], own[:-1]
            before = found[frozenset(called[v] for v in parents)]
            found[frozenset(called[v] for v in own)] = before + scores.term(child, sum(map(bit, parents)))
    return found


def _squares(side: int) -> list[list[int]]:
    """Row, column and the symbols of two Latin squares."""
    cells = list(product(range(side), repeat=2))
    return [[(a * row + b * column) % side for row, column in cells] for a, b in ((1, 0), (0, 1), (1, 1), (1, 2))]


def _singular(seed: int) -> CategoricalTable | MixedTable:
    """Columns with levels that are equally frequent, some of which determine others."""
    rng = np.random.default_rng(seed)
    levels = 3 + seed % 2
    base = rng.permutation(np.arange(4 * levels) % levels)
    codes = [
        rng.permutation(levels)[base],
        rng.permutation(levels)[base],
        rng.permutation(base),
        (base < 2).astype(int),
    ]
    own = [column.tolist() for column in codes]
    if seed % 3:
        return categorical_table(own)
    numbers = [rng.permutation(levels)[base] * 0.3, rng.normal(size=base.size)]
    return mixed_table(own[:3], [*numbers, numbers[0] - 2 * numbers[1]])


def _reordered(table: CategoricalTable | MixedTable, order: Sequence[int], rng: np.random.Generator) -> Any:
    """Variables in another order, and levels under other codes."""
    own = table if isinstance(table, CategoricalTable) else table.categorical
    codes = np.array(
        [rng.permutation(len(levels))[column] for column, levels in zip(own.codes, own.levels, strict=True)]
    )
    other = CategoricalTable(own.names, codes.astype(np.uint8), own.levels, own.weights)
    if isinstance(table, CategoricalTable):
        return other.select(order)
    return MixedTable(tuple(table.names[v] for v in order), other, table.continuous)


@pytest.mark.parametrize("seed", range(9))
def test_orders_of_variables_and_levels_change_no_bit_where_columns_determine_others(seed: int) -> None:
    table, rng = _singular(seed), np.random.default_rng(seed)
    values = _values(table)
    for _ in range(6):
        order = rng.permutation(len(table.names)).tolist()
        assert _values(_reordered(table, order, rng), order=order) == values


@pytest.mark.parametrize("side", [3, 5])
def test_columns_that_differ_in_labels_alone_have_the_same_values(side: int) -> None:
    # Two rows of a Latin square: which levels of two columns meet is a cycle, whichever two of the last three they are.
    table = categorical_table([column[: 2 * side] for column in _squares(side)])
    values, order = _values(table), [3, 1, 0, 2]
    assert len({values[frozenset(own)] for own in combinations((1, 2, 3), 2)}) == 1
    assert len({values[frozenset({0, *own})] for own in combinations((1, 2, 3), 2)}) == 1
    assert _values(_reordered(table, order, np.random.default_rng(side)), order=order) == values


@pytest.mark.parametrize("seed", range(9))
def test_doubles_two_doubles_and_integers_round_to_the_same_bits(seed: int) -> None:
    tables: list[Any] = [_singular(seed), random_categorical_table(np.random.default_rng(seed), 4, 30)]
    tables.append(random_mixed_table(np.random.default_rng(seed), 25))
    tables.append(ContinuousTable(("x", "y"), np.random.default_rng(seed).normal(size=(2, 9))))
    for table in tables:
        values = _values(table)
        assert _values(table, DOUBLE_DOUBLES) == values
        assert _values(table, INTEGERS) == values


@pytest.mark.parametrize("first", [DOUBLES, INTEGERS])
def test_values_are_those_of_the_exact_determinant(first: int) -> None:
    for seed in (1, 2, 4):
        table = _singular(seed)
        for own, value in _values(table, first).items():
            exact = -Decimal(table.total) / 2 * ln(degenerate_determinant(table, sorted(own)))
            assert abs(Decimal(value) / UNIT - exact) < Decimal(table.total) * Decimal(2) ** -34


def test_a_copy_counts_40_bits_a_column_and_independent_columns_nothing() -> None:
    copy, other = [0, 1, 2] * 6, [0] * 9 + [1] * 9
    values = _values(categorical_table([copy, [(2 * code + 1) % 3 for code in copy], other]))
    once = Decimal(values[frozenset({0, 1})]) / UNIT
    assert once == pytest.approx(9 * 2 * 40 * ln(2), abs=Decimal("1e-9"))
    assert values[frozenset({0, 1, 2})] == values[frozenset({0, 1})]
    assert values[frozenset({0, 2})] == values[frozenset({0})] == 0


@pytest.mark.parametrize("algorithm", ["tabu-stable", "exact", "fges"])
def test_what_another_variable_determines_adds_nothing_to_it(algorithm: str) -> None:
    rng = np.random.default_rng(3)
    code = rng.integers(0, 6, 300)
    # The same in other labels twice, in fewer levels, and as a number.
    columns: dict[Any, Any] = {
        "a": ["uvwxyz"[own] for own in code],
        "b": ["zwvyxu"[own] for own in code],
        "c": ["xyzuvw"[own] for own in code],
        "coarse": ["pqr"[own // 2] for own in code],
        "number": [[0.5, 0.1, 0.7, 2.5, 0.3, 1.1][own] for own in code],
    }
    table = prepare(columns).table
    values = _values(table)
    gain = values[frozenset({0, 1, 2})] + values[frozenset({0})] - values[frozenset({0, 1})] - values[frozenset({0, 2})]
    assert gain == 0
    assert values[frozenset(range(5))] == values[frozenset({0, 1, 2})] + (
        values[frozenset({0, 3})] + values[frozenset({0, 4})]
    )
    # A tree: whatever is known of one, no second tells more.
    assert len(sb.learn(columns, algorithm, "dg", arcs="any").pdag.skeleton()) == 4


def test_more_columns_than_rows_have_a_value() -> None:
    rng = np.random.default_rng(5)
    table = mixed_table([rng.permutation(np.arange(8) % 4).tolist() for _ in range(3)], rng.normal(size=(4, 8)))
    values, order = _values(table), [6, 2, 4, 0, 1, 5, 3]
    assert values[frozenset(range(7))] > values[frozenset(range(6))] > 0
    assert _values(_reordered(table, order, rng), order=order) == values


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
def test_labels_change_no_bit_of_what_is_learned(seed: int) -> None:
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


@pytest.mark.parametrize("algorithm", ["tabu-stable", "best", "fges"])
def test_names_decide_nothing_between_relabelled_columns(algorithm: str) -> None:
    # Part of a Latin square: no symmetry exchanges the last two columns, as their labels are what they are.
    rows = ["y01", "z20", "w01", "x20", "z32", "w13", "x32", "y13"]
    columns = [list(column) for column in zip(*rows, strict=True)]
    learned = []
    for names in permutations("abc"):
        result = sb.learn(dict(zip(names, columns, strict=True)), algorithm, "dg", k=2.0)
        place: dict[Any, int] = {name: v for v, name in enumerate(names)}
        assert "interchangeable" not in {caution.code for caution in result.warnings}
        edges = frozenset((place[u], place[v]) for u, v in result.pdag.directed)
        learned.append((tuple(place[name] for name in result.order), edges, result.score, result.fingerprint))
    assert len(set(learned)) == 1
