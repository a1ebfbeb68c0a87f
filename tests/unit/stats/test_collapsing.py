from collections import Counter

import numpy as np
import pytest
from tests.tables import categorical_columns, categorical_table, random_categorical_table

import stablebn as sb
from stablebn.stats.symmetries import unique_rows as collapsing
from stablebn.stats.symmetries.unique_rows import collapsed


@pytest.mark.parametrize("weighted", [False, True])
def test_collapsed_rows_are_the_distinct_rows_with_their_weights(weighted: bool) -> None:
    rng = np.random.default_rng(1)
    table = random_categorical_table(rng, 3, 5000, levels=3)
    if weighted:
        table = categorical_table(table.codes.tolist(), rng.integers(1, 5, 5000).tolist())
    right: Counter[tuple[int, ...]] = Counter()
    weights = [1] * 5000 if table.weights is None else table.weights.tolist()
    for row, weight in zip(table.codes.T.tolist(), weights, strict=True):
        right[tuple(row)] += weight
    found = collapsed(table)
    assert found.weights is not None
    assert dict(zip(map(tuple, found.codes.T.tolist()), found.weights.tolist(), strict=True)) == right
    assert found.codes.dtype == table.codes.dtype
    assert found.total == table.total


def test_table_with_many_configurations_is_left_as_it_is() -> None:
    table = random_categorical_table(np.random.default_rng(1), 12, 5000, levels=3)
    assert collapsed(table) is table


@pytest.mark.parametrize("score", ["bic", "bde", "bds", "k2"])
def test_collapsing_changes_nothing_learned(score: str, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = categorical_columns(np.random.default_rng(8), 5, 3000, levels=2)
    results = []
    for rows in (1, 10**9):
        monkeypatch.setattr(collapsing, "ROWS_TO_COLLAPSE", rows)
        results.append(sb.learn(columns, score=score))
    assert results[0].score == results[1].score
    assert results[0].trace == results[1].trace
