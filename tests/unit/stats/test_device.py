"""What a device adds up, at the edges: against integers of Python, which have no limits, and against the core."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.tables import continuous_columns, mixed_columns, random_mixed_table

import stablebn as sb
from stablebn.learners import LEARNERS, define_problem
from stablebn.learners.shared.config import SearchConfig
from stablebn.scores.registry import ScoreConfig, scores_from
from stablebn.stats import statistics_of
from stablebn.stats.engines import device_counts, matrix_products
from stablebn.stats.engines.device import Device
from stablebn.stats.engines.device_sums import standardised
from stablebn.stats.engines.gpu import GpuSource
from stablebn.stats.engines.matrix_products import LIMB_BITS, ROWS_OF_TILE, rows_of_tile
from stablebn.stats.engines.memory import TableSource
from stablebn.stats.exact_sums import ExactSums, Indicators, Number, Part, Values
from stablebn.stats.moments import Moments
from stablebn.stats.standard_units import Standard, standard_of, standardised_by
from stablebn.table.table import CategoricalTable, ContinuousTable, MixedTable, Table

# No limb is larger.
LARGEST = 1 << LIMB_BITS - 1


def on_twin(table: Table) -> GpuSource:
    return GpuSource(TableSource(table), Device.twin())


def continuous(values: Any, weights: Any = None) -> ContinuousTable:
    return ContinuousTable(tuple(range(len(values))), np.asarray(values, dtype=np.float64), weights)


def as_fractions(sums: ExactSums) -> tuple[int, list[Fraction], list[list[Fraction]]]:
    units = [Fraction(2) ** exponent for exponent in sums.exponents]
    plain = [int(own) * unit for own, unit in zip(sums.plain, units, strict=True)]
    return (
        sums.total,
        plain,
        [
            [int(own) * unit * other for own, other in zip(row, units, strict=True)]
            for row, unit in zip(sums.numerators, units, strict=True)
        ],
    )


def by_python(values: NDArray[np.float64], weights: Any = None) -> tuple[int, list[Fraction], list[list[Fraction]]]:
    """The same by the integers of Python."""
    columns = [[Fraction(own) for own in column.tolist()] for column in values]
    times = [1] * values.shape[1] if weights is None else weights.tolist()

    def total_of(x: list[Fraction], y: list[Fraction]) -> Fraction:
        return sum((w * a * b for w, a, b in zip(times, x, y, strict=True)), Fraction(0))

    ones = [Fraction(1)] * values.shape[1]
    total, plain = sum(times), [total_of(column, ones) for column in columns]
    return (
        total,
        plain,
        [
            [total * total_of(x, y) - one * other for y, other in zip(columns, plain, strict=True)]
            for x, one in zip(columns, plain, strict=True)
        ],
    )


def large_values(rows: int) -> NDArray[np.float64]:
    """Two columns of limbs that are nearly as large as they may be, whose sum of squares is odd."""
    values = LARGEST - 1 - 2 * np.random.default_rng(rows).integers(0, 4, (2, rows))
    values[:, 0] -= 1 - rows % 2
    values[1] = -values[0]
    return values.astype(np.float64)


@pytest.mark.parametrize("rows", [1, ROWS_OF_TILE - 1, ROWS_OF_TILE, ROWS_OF_TILE + 1, 3 * ROWS_OF_TILE + 5])
def test_the_largest_limbs_in_tiles_of_any_fill_are_added_exactly(rows: int) -> None:
    values = large_values(rows)
    found = on_twin(continuous(values)).sums([Values(0), Values(1)])
    assert found.exponents == [0, 0]
    assert as_fractions(found) == by_python(values)


def test_a_tile_of_more_rows_would_lose_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_products, "ROWS_OF_TILE", 4 * ROWS_OF_TILE)
    values = large_values(4 * ROWS_OF_TILE)
    found = on_twin(continuous(values)).sums([Values(0), Values(1)])
    # An odd number beyond 2**53 is no double.
    assert as_fractions(found) != by_python(values)


@pytest.mark.parametrize("extra", [-1, 0, 1, 700])
def test_the_largest_digits_of_weights_are_added_exactly(extra: int) -> None:
    rows = rows_of_tile(weighted=True) + extra
    values = large_values(rows)
    # All digits 15, and a few odd ones.
    weights = np.full(rows, (1 << 40) - 1, dtype=np.int64)
    weights[::7] = np.arange(1, len(weights[::7]) + 1)
    found = on_twin(continuous(values, weights)).sums([Values(0), Values(1)])
    assert as_fractions(found) == by_python(values, weights)


@pytest.mark.parametrize("weighted", [False, True])
def test_columns_of_any_range_are_added_as_in_memory(weighted: bool) -> None:
    rng = np.random.default_rng(8)
    rows = 600
    values = np.stack(
        [
            rng.normal(size=rows),
            # More bits than are kept, numbers near both ends of the range of doubles, and none but zeros.
            rng.normal(size=rows) * 2.0 ** rng.integers(-200, 200, rows),
            rng.normal(size=rows) * 2.0**1000,
            rng.integers(-5, 5, rows) * 5e-324,
            np.zeros(rows),
            rng.integers(0, 2, rows),
        ]
    )
    table = continuous(values, rng.integers(1, 1 << 20, rows) if weighted else None)
    parts = [Values(column) for column in range(len(values))]
    found, right = on_twin(table).sums(parts), TableSource(table).sums(parts)
    assert as_fractions(found) == as_fractions(right)
    assert found.powers == right.powers


def test_standard_units_are_those_of_the_core() -> None:
    rng = np.random.default_rng(4)
    columns = (rng.normal(size=999), rng.normal(1e9, 1e-3, 999), rng.exponential(1e-300, 999))
    for column, rows in itertools.product(columns, (999, 2**40)):
        standard = standard_of(Moments(continuous([column])), 0, rows)
        right = standardised_by([standard], column[np.newaxis], 1)[0]
        assert (standardised(np, column, standard) == right).all()


def mixed(rows: int, *, weighted: bool) -> tuple[MixedTable, list[Standard]]:
    rng = np.random.default_rng(rows)
    codes = rng.integers(0, 3, (3, rows)).astype(np.uint8)
    values = rng.standard_t(2, (3, rows))
    weights = rng.integers(1, 1 << 16, rows) if weighted else None
    levels = (("a", "b", "c"),) * 3
    table = MixedTable(
        tuple("uvwxyz"), CategoricalTable(("u", "v", "w"), codes, levels, weights), continuous(values, weights)
    )
    moments = Moments(table.continuous)
    return table, [standard_of(moments, v, table.total) for v in range(3)]


def wide(words: NDArray[np.int64]) -> list[Any]:
    return [[sum(int(word) << 40 * at for at, word in enumerate(own)) for own in both] for both in words]


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_in_strata_are_those_of_the_core(weighted: bool) -> None:
    table, standards = mixed(5000, weighted=weighted)
    sum_queries = [([], 0, 0), ([0], 0, 1), ([0], 2, 2), ([2, 0], 1, 2), ([0, 1, 2], 2, 0), ([0], 0, 0)]
    found = on_twin(table).count([], [], sum_queries, standards)[2]
    right = TableSource(table).count([], [], sum_queries, standards)[2]
    for (keys, words), (right_keys, right_words) in zip(found, right, strict=True):
        sums = dict(zip(map(tuple, keys.tolist()), wide(words), strict=True))
        assert sums == dict(zip(map(tuple, right_keys.tolist()), wide(right_words), strict=True))


@pytest.mark.parametrize("weighted", [False, True])
def test_indicators_and_numbers_are_added_as_in_memory(weighted: bool) -> None:
    table, standards = mixed(3000, weighted=weighted)
    parts: list[Part] = [
        Number(1, standards[1]),
        Indicators(2, (1, 2)),
        Values(0),
        Indicators(0, (1,)),
        Number(0, standards[0]),
    ]
    found, right = on_twin(table).sums(parts), TableSource(table).sums(parts)
    assert as_fractions(found) == as_fractions(right)


@pytest.mark.parametrize(
    ("kind", "score"), [("continuous", "bic"), ("continuous", "dg"), ("mixed", "bic"), ("mixed", "dg")]
)
def test_nothing_is_added_up_here(kind: str, score: str, monkeypatch: pytest.MonkeyPatch) -> None:
    makers = {"continuous": continuous_columns, "mixed": mixed_columns}
    prepared = sb.learn(makers[kind](np.random.default_rng(2), 6, 200), "hc", max_iter=0).prepared
    assert prepared is not None
    source = on_twin(prepared.table)
    asked = []

    def map_blocks(function: Any, *arguments: Any) -> Iterator[Any]:
        asked.append([own.__name__ for own in (function, *arguments) if callable(own)][-1])
        return TableSource(prepared.table).map_blocks(function, *arguments)

    monkeypatch.setattr(source, "map_blocks", map_blocks)
    problem = define_problem(source, ScoreConfig(score=score), unit_free=True)
    LEARNERS["tabu-stable"].learn(problem, SearchConfig())
    # Of a mixed table a look at a few values of each column, and no more.
    assert set(asked) <= {"_few_values"}


def test_basis_scores_are_those_of_the_table() -> None:
    rng = np.random.default_rng(3)
    table = random_mixed_table(rng, 200, weights=rng.integers(1, 9, 200).tolist())
    here, there = (scores_from(statistics_of(own), ScoreConfig("basis")) for own in (table, on_twin(table)))
    families = [(v, parents) for v in range(here.n) for parents in (0, 1 << (v + 1) % here.n)]
    assert [here.family(*own) for own in families] == [there.family(*own) for own in families]


def test_bits_are_packed_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    table, _ = mixed(999, weighted=False)
    levels = np.arange(9, dtype=np.int32)
    count_queries = [(levels[:, np.newaxis], levels), (np.array([[0, 3], [1, 8]], dtype=np.int32), levels)]
    right = TableSource(table).count(count_queries, [])[0]
    # All levels at once; two at a time; less than one.
    for bits in (1 << 20, 2048, 128):
        monkeypatch.setattr(device_counts, "_BITS_AT_ONCE", bits)
        found = on_twin(table).count(count_queries, [])[0]
        assert all((own == other).all() for own, other in zip(found, right, strict=True))


def test_variables_of_a_single_level_have_no_columns() -> None:
    table, _ = mixed(50, weighted=False)
    found = on_twin(table).sums([Indicators(0, ()), Indicators(1, ())])
    assert (found.total, found.plain.shape, found.numerators.shape) == (50, (0,), (0, 0))
