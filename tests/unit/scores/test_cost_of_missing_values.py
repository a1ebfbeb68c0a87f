"""A few missing values do not make the other families expensive."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.tables import continuous_table, continuous_values, random_categorical_table, with_holes

from stablebn import _core
from stablebn.scores.registry import ScoreConfig, family_scores, scores_from
from stablebn.stats import AvailableMixedStatistics
from stablebn.stats.variable_sets import bit
from stablebn.table.table import CategoricalTable, ContinuousTable, MixedTable

ROWS = 300
AnyTable = CategoricalTable | ContinuousTable | MixedTable


def _categorical(n: int) -> AnyTable:
    rng = np.random.default_rng(n)
    table = with_holes(random_categorical_table(rng, n, ROWS, levels=2), rng, 0.1, columns=[0])
    assert isinstance(table, CategoricalTable)
    return table


def _continuous(n: int) -> AnyTable:
    rng = np.random.default_rng(n)
    table = with_holes(continuous_table(continuous_values(rng, n, ROWS)), rng, 0.1, columns=[0])
    assert isinstance(table, ContinuousTable)
    return table


def _mixed(n: int) -> MixedTable:
    """Only the first column, a continuous one, has missing values."""
    rng = np.random.default_rng(n)
    numbers = with_holes(continuous_table(continuous_values(rng, n // 2, ROWS)), rng, 0.1, columns=[0])
    categories = random_categorical_table(rng, n - n // 2, ROWS, levels=2)
    names = tuple(f"m{v}" for v in range(n))
    return MixedTable(
        names,
        CategoricalTable(names[n // 2 :], categories.codes, categories.levels),
        ContinuousTable(names[: n // 2], numbers.values, holes=numbers.holes),
    )


@pytest.mark.parametrize("make", [_categorical, _continuous, _mixed])
def test_the_work_for_a_family_without_missing_values_does_not_grow_with_the_table(
    make: Callable[[int], AnyTable],
) -> None:
    """Only parents with missing values are weighed one after another; other changes are those of a complete table."""
    gains = []
    for n in (8, 24):
        compiled = family_scores(make(n), ScoreConfig()).compiled
        assert isinstance(compiled, _core.NodeAverageScores)
        compiled.changes(n - 1, bit(n - 2) | bit(n - 3))
        gains.append(compiled.gains_made)
    assert gains[0] == gains[1] <= 10


def test_families_without_missing_values_copy_no_column_of_a_mixed_table() -> None:
    statistics = AvailableMixedStatistics(_mixed(20))
    scores = scores_from(statistics, ScoreConfig())
    scores.family(19, bit(1) | bit(18))
    assert statistics.compiled.columns_copied == 0


def test_rows_of_a_mixed_table_are_copied_once_for_all_families_with_the_same_missing_values() -> None:
    statistics = AvailableMixedStatistics(_mixed(20))
    scores = scores_from(statistics, ScoreConfig())
    for child in range(1, 20):
        scores.changes(child, bit(0))
        for parent in range(1, 20):
            if parent != child:
                scores.changes(child, bit(0) | bit(parent))
    # Once column by column, and once all of them.
    assert statistics.compiled.columns_copied <= 2 * 20


@pytest.mark.parametrize("make", [_categorical, _continuous, _mixed])
def test_changes_are_still_differences_of_families(make: Callable[[int], AnyTable]) -> None:
    """The twin weighs every parent, one after another; here all but one variable have no missing values."""
    scores = family_scores(make(6), ScoreConfig())
    for child in range(6):
        for parents in range(64):
            if parents >> child & 1 or not scores.is_candidate(child, parents):
                continue
            changes = scores.changes(child, parents)
            for u in range(6):
                after = parents ^ bit(u)
                if u != child and scores.is_candidate(child, after):
                    change = (int(changes[u, 0]) << 46) + int(changes[u, 1])
                    assert change == scores.family(child, after) - scores.family(child, parents)
