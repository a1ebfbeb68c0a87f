"""Names decide between columns that a true symmetry of the table exchanges, and between no others."""

import itertools
import random
import time
from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
import pytest
from tests.preparing import prepare
from tests.tables import Columns

import stablebn as sb
from stablebn.canonical import canonical_order
from stablebn.canonical.refinement import refine_order
from stablebn.learners import define_problem
from stablebn.scores.registry import ScoreConfig, scores_from
from stablebn.stats import StandardisedMoments, statistics_of
from stablebn.stats.symmetries.symmetry import Relation, TableRows

# The graph of the issue: cubic, on eight vertices, and not every vertex is like every other.
CUBIC = "01 06 07 13 17 24 25 27 34 36 45 56"


def _incidence(edges: str, times: int = 3) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    """One column a vertex, and `times` rows an edge."""
    vertices = sorted(set(edges) - {" "})
    rows = [[int(v in edge) for v in vertices] for edge in edges.split() for _ in range(times)]
    return np.array(rows, dtype=np.uint8).T.copy()


def _symmetries(codes: np.ndarray[tuple[int, int], np.dtype[np.uint8]]) -> list[tuple[int, ...]]:
    """All permutations of the columns that leave the multiset of rows as it is."""
    rows = Counter(map(tuple, codes.T.tolist()))
    orders = itertools.permutations(range(len(codes)))
    return [order for order in orders if Counter(map(tuple, codes[list(order)].T.tolist())) == rows]


def _orbits(symmetries: Sequence[tuple[int, ...]]) -> set[frozenset[int]]:
    orbits = {frozenset(order[v] for order in symmetries) for v in range(len(symmetries[0]))}
    return {orbit for orbit in orbits if len(orbit) > 1}


def _random_regular_tables() -> list[np.ndarray[tuple[int, int], np.dtype[np.uint8]]]:
    """Small tables with few values, so that many columns look alike."""
    tables = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 7))
        # Every column is a rearrangement of the same values: sort keys tell little.
        base = rng.integers(0, 2, int(rng.integers(3, 7)))
        tables.append(np.array([rng.permutation(base) for _ in range(n)], dtype=np.uint8))
    return tables


@pytest.mark.parametrize("codes", [_incidence(CUBIC), *_random_regular_tables()])
def test_one_order_but_for_symmetries_and_exactly_those_are_told(
    codes: np.ndarray[tuple[int, int], np.dtype[np.uint8]],
) -> None:
    n = len(codes)
    tiers = [0] * n
    orbits = _orbits(_symmetries(codes))
    tables = set()
    rng = random.Random(n)
    for _ in range(12):
        columns, names = rng.sample(range(n), n), rng.sample(range(n), n)
        shuffled = codes[columns]
        told = refine_order([TableRows(shuffled, None)], tiers, names)
        tables.add(tuple(sorted(map(tuple, shuffled[told.order].T.tolist()))))
        assert {frozenset(columns[v] for v in group) for group in told.interchangeable} == orbits
        assert not told.undecided
    assert len(tables) == 1


def test_the_cubic_graph_has_one_score() -> None:
    codes = _incidence(CUBIC)
    learned = set()
    for seed in range(30):
        rng = random.Random(seed)
        columns, names = rng.sample(range(8), 8), rng.sample("abcdefgh", 8)
        result = sb.learn({name: codes[c].tolist() for name, c in zip(names, columns, strict=True)})
        learned.add((result.score, result.fingerprint))
    assert len(learned) == 1
    assert [caution.code for caution in result.warnings] == ["interchangeable"]


def test_a_relation_tells_apart_what_the_table_cannot() -> None:
    codes = np.eye(4, dtype=np.uint8)
    arcs = np.zeros((4, 4), dtype=np.int64)
    arcs[2, 0] = 1
    orders = set()
    for names in itertools.permutations(range(4)):
        told = refine_order([TableRows(codes, None), Relation(arcs)], [0] * 4, names)
        orders.add((told.order.index(2), told.order.index(0)))
        assert sorted(map(sorted, told.interchangeable)) == [[1, 3]]
    assert len(orders) == 1


@pytest.mark.parametrize("seed", range(20))
def test_symmetries_of_relations_are_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 2, (5, 5))
    numbers = numbers | numbers.T if seed % 2 else numbers
    np.fill_diagonal(numbers, 0)
    symmetries = [o for o in itertools.permutations(range(5)) if (numbers[np.ix_(o, o)] == numbers).all()]
    forms = set()
    for _ in range(6):
        columns, names = rng.permutation(5), rng.permutation(5).tolist()
        shuffled = numbers[np.ix_(columns, columns)]
        told = refine_order([Relation(shuffled)], [0] * 5, names)
        forms.add(shuffled[np.ix_(told.order, told.order)].tobytes())
        assert {frozenset(columns[v] for v in g) for g in told.interchangeable} == _orbits(symmetries)
    assert len(forms) == 1


def test_too_much_work_is_said_and_names_decide() -> None:
    told = refine_order([TableRows(_incidence(CUBIC), None)], [0] * 8, range(8), most_work=20_000)
    assert sorted(told.order) == list(range(8))
    assert sorted(told.undecided) == list(range(8))


def test_time_that_is_up_is_no_harm() -> None:
    told = refine_order([TableRows(_incidence(CUBIC), None)], [0] * 8, range(8)[::-1], deadline=time.monotonic() - 1)
    assert told.order == list(range(8))[::-1]
    assert sorted(told.undecided) == list(range(8))


def test_work_grows_with_the_table_where_all_columns_are_alike() -> None:
    # One column a level of a balanced variable: every two can change places.
    for n in (50, 100, 200):
        rows = TableRows(np.eye(n, dtype=np.uint8), np.full(n, 3))
        told = refine_order([rows], [0] * n, range(n), most_work=2 * (rows.cells + 1000 * n))
        assert not told.undecided
        assert [sorted(group) for group in told.interchangeable] == [list(range(n))]


def _numbers(columns: Columns) -> dict[Hashable, int]:
    problem = define_problem(prepare(columns).table, ScoreConfig())
    return {name: v for v, name in enumerate(problem.names)}


def test_equal_values_of_continuous_columns_are_told_from_equal_ranks() -> None:
    # Cyclic shifts of one column: a symmetry goes round, but no two columns can change places.
    base = [0.5, 1.25, -3.0, 7.0, 2.0, 0.0]
    columns: Columns = {name: base[i:] + base[:i] for i, name in enumerate("abcdef")}
    result = sb.learn(columns)
    assert ("interchangeable", tuple("abcdef")) in [(c.code, c.columns) for c in result.warnings]
    assert sorted(_numbers(columns).values()) == list(range(6))


# Up to signs.


def _tables_of_few_values() -> list[np.ndarray[tuple[int, int], np.dtype[np.float64]]]:
    """Small tables: many columns are symmetric, mirror images of each other, or can be exchanged with others."""
    tables = [np.array(list(itertools.product((-1.0, 1.0), repeat=3))).T]
    tables.append(np.vstack([tables[0], tables[0][0] * tables[0][1]]))
    tables.append(np.hstack([np.eye(4), -np.eye(4)]))
    for seed in range(60):
        rng = np.random.default_rng(seed)
        base = rng.choice([-2.0, -1.0, 0.0, 1.0, 2.0], int(rng.integers(4, 7)))
        base[:2] = (-1, 1)
        turned = [rng.permutation(base) * rng.choice([-1, 1]) for _ in range(int(rng.integers(2, 5)))]
        tables.append(np.array(turned))
    return tables


def _multiset(rows: object) -> tuple[object, ...]:
    return tuple(sorted(map(tuple, np.array(rows).T.tolist())))


@pytest.mark.parametrize("values", _tables_of_few_values())
def test_one_order_but_for_symmetries_up_to_signs(values: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> None:
    n = len(values)
    signs = list(itertools.product((-1.0, 1.0), repeat=n))
    # Without units: else a column could not be exchanged for one that is wider.
    standard = ((values - values.mean(axis=1)[:, None]) / values.std(axis=1)[:, None]).round(9) + 0.0
    symmetries = [
        order
        for order in itertools.permutations(range(n))
        if any(_multiset(standard[list(order)] * np.array(sign)[:, None]) == _multiset(standard) for sign in signs)
    ]
    rng = random.Random(n)
    forms, by_names = set(), set()
    for _ in range(8):
        columns, names = rng.sample(range(n), n), rng.sample("abcdefgh", n)
        units = np.array([rng.choice((-3.0, -1.0, 1.0, 0.5)) for _ in range(n)])
        table: Columns = {name: (values[c] * units[c]).tolist() for name, c in zip(names, columns, strict=True)}
        statistics = statistics_of(prepare(table, kinds="continuous").table, unit_free=True)
        told = canonical_order(statistics, scores_from(statistics, ScoreConfig()), unit_free=True)
        ordered = standard[[columns[v] for v in told.order]]
        forms.add(min(_multiset(ordered * np.array(sign)[:, None] + 0.0) for sign in signs))
        assert {frozenset(columns[v] for v in group) for group in told.interchangeable} == _orbits(symmetries)
        assert not told.undecided
        # The same names with other signs.
        flipped: Columns = {name: (-np.array(own)).tolist() for name, own in list(table.items())[:2]}
        other = statistics_of(prepare({**table, **flipped}, kinds="continuous").table, unit_free=True)
        again = canonical_order(other, scores_from(other, ScoreConfig()), unit_free=True)
        by_names.add(again.order == told.order)
    assert len(forms) == 1
    assert by_names == {True}


def test_a_column_that_is_not_symmetric_has_a_sign_of_its_own() -> None:
    columns: Columns = {"skew": [0.0, 0.0, 0.0, 1.0], "even": [-1.0, 1.0, 3.0, 5.0], "other": [1.0, 0.0, 1.0, 0.0]}
    moments = statistics_of(prepare(columns, kinds="continuous").table, unit_free=True)
    assert isinstance(moments, StandardisedMoments)
    assert moments.points() == [0, 1, 2, 1, 2]


@pytest.mark.parametrize("unit_free", [False, True])
def test_symmetric_columns_stand_twice_whatever_their_middle(unit_free: bool) -> None:
    columns: Columns = {
        "skew": [0.0, 0.0, 0.0, 1.0],
        "even": [-1.0, 1.0, 3.0, 5.0],
        "coin": [-1.0, 1.0, -1.0, 1.0],
        "heavy": [0.0, 3.0, 3.0, 4.0],
    }
    moments = statistics_of(prepare(columns, kinds="continuous").table, unit_free=unit_free)
    assert moments.points() == [0, 1, 2, 3, 1, 2]


def test_a_column_that_is_symmetric_but_for_rounding_stands_once_where_units_count() -> None:
    columns: Columns = {"tenths": [0.3, 0.4, 0.5, 0.4], "other": [1.0, 0.0, 1.0, 1.0]}
    table = prepare(columns, kinds="continuous").table
    assert statistics_of(table).points() == [0, 1]
    assert statistics_of(table, unit_free=True).points() == [0, 1, 0]
