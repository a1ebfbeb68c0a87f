"""The adaptive score has the best model of each family, and no layout of the table changes a bit of it."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from tests.naive.adaptive import AdaptiveScore
from tests.preparing import prepare
from tests.tables import random_mixed_table

import stablebn as sb
from stablebn.errors import OptionError
from stablebn.fixed_point import UNIT
from stablebn.scores.registry import ScoreConfig, family_scores
from stablebn.stats.variable_sets import bit
from stablebn.table.table import MixedTable

# Newton's method ends when it can gain no more than this.
NATS = 0.15


def _columns(seed: int, rows: int = 400) -> dict[str, Any]:
    """A number on which a category depends, on which another number depends by means and slopes."""
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=rows), rng.normal(size=rows)
    code = np.argmax(np.column_stack([2 * x, -1.5 * x, 0.5 * z]) + rng.gumbel(size=(rows, 3)), axis=1)
    other = (rng.random(rows) < np.array([0.2, 0.5, 0.8])[code]).astype(int)
    y = np.array([0.5, -1.0, 2.0])[code] * z + np.array([-1.0, 0.0, 1.0])[code] + rng.normal(size=rows)
    return {
        "x": x.tolist(),
        "z": z.tolist(),
        "y": y.tolist(),
        "code": ["abc"[own] for own in code],
        "other": ["no" if own else "yes" for own in other],
    }


def _table(seed: int) -> MixedTable:
    table = prepare(_columns(seed)).table
    assert isinstance(table, MixedTable)
    return table


@pytest.mark.parametrize("table", [_table(1), _table(2), random_mixed_table(np.random.default_rng(3), 90, 3, 3)])
@pytest.mark.parametrize("k", [1.0, 0.3])
def test_families_are_scored_as_by_the_naive_twin(table: MixedTable, k: float) -> None:
    scores, naive, n = family_scores(table, ScoreConfig("adaptive", k=k)), AdaptiveScore(table, k), len(table.names)
    for child in range(n):
        for size in range(4):
            for parents in combinations([u for u in range(n) if u != child], size):
                gain = (scores.family(child, sum(map(bit, parents))) - scores.family(child, 0)) / UNIT
                assert gain == pytest.approx(naive.gain(child, parents), abs=NATS)


def test_rows_that_count_twice_are_scored_as_rows_that_stand_twice() -> None:
    rng = np.random.default_rng(4)
    weights = rng.integers(1, 4, 300).tolist()
    weighted = random_mixed_table(np.random.default_rng(5), 300, weights=weights)
    places = np.repeat(np.arange(300), weights)
    plain = MixedTable(
        weighted.names,
        type(weighted.categorical)(
            weighted.categorical.names, weighted.categorical.codes[:, places], weighted.categorical.levels, None
        ),
        type(weighted.continuous)(weighted.continuous.names, weighted.continuous.values[:, places].copy(), None),
    )
    one, other = (family_scores(table, ScoreConfig("adaptive", k=0.2)) for table in (weighted, plain))
    for child in range(5):
        for parents in combinations([u for u in range(5) if u != child], 2):
            both = sum(map(bit, parents))
            assert one.family(child, both) == other.family(child, both)


@pytest.mark.parametrize("algorithm", ["tabu-stable", "best", "exact"])
def test_rows_columns_labels_units_and_threads_change_nothing(algorithm: str) -> None:
    columns, rng = _columns(6, 200), np.random.default_rng(6)
    first = sb.learn(columns, algorithm, "adaptive", unit_free=True)
    for threads in (1, 2):
        rows = rng.permutation(200)
        names = rng.permutation(list(columns)).tolist()
        other: dict[str, Any] = {name: [columns[name][row] for row in rows] for name in names}
        other["code"] = [{"a": "z", "b": "y", "c": "x"}[own] for own in other["code"]]
        other["other"] = [{"no": "1", "yes": "0"}[own] for own in other["other"]]
        other["x"] = [-1.8 * own + 32 for own in other["x"]]
        again = sb.learn(other, algorithm, "adaptive", unit_free=True, threads=threads)
        assert set(again.arcs) == set(first.arcs)
        # All but the unit of x.
        assert again.score == pytest.approx(first.score - 200 * np.log(1.8), rel=1e-12)


def test_the_direction_between_a_number_and_a_category_is_that_of_the_better_model() -> None:
    rng = np.random.default_rng(7)
    x = rng.normal(size=2000)
    caused = np.where(rng.random(2000) < 1 / (1 + np.exp(-3 * x)), "a", "b")
    assert sb.learn({"x": x, "c": caused}, "exact", "adaptive").arcs == (("x", "c"),)
    causing = rng.integers(0, 2, 2000)
    y = 3.0 * causing + rng.normal(size=2000)
    assert sb.learn({"x": y, "c": np.where(causing, "a", "b")}, "exact", "adaptive").arcs == (("c", "x"),)


@pytest.mark.parametrize("given", [[], ["code"]])
def test_graphs_that_no_data_can_tell_apart_have_the_same_bits(given: list[str]) -> None:
    """One variance for all, of one category alone, and one regression on it are the same model: as sums, not bits."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        code = rng.integers(0, 3, 300)
        a = code + rng.normal(size=300)
        b = a - code + rng.normal(size=300)
        table = {"a": a, "b": b, "c": a + b + rng.normal(size=300), "code": [f"level {own}" for own in code]}
        fixed = [(u, v) for u in given for v in "abc"]
        scores = {
            sb.score([*fixed, *combinations(order, 2)], table, score="adaptive").total for order in permutations("abc")
        }
        assert len(scores) == 1


def test_directions_that_no_data_can_tell_are_arbitrary() -> None:
    rng = np.random.default_rng(1)
    code = rng.integers(0, 2, 400)
    noise = rng.normal(size=(3, 400))
    a = -2 * code + noise[0]
    b = 3 * code + 3 * a + noise[1]
    c = -2 * code - 3 * a + 2 * b + noise[2]
    table = {"a": a, "b": b, "c": c, "code": ["no" if x else "yes" for x in code]}
    forbidden = [(u, "code") for u in "abc"]
    result = sb.learn(table, "tabu-stable", score="adaptive", forbidden=forbidden)
    assert len(result.arcs) == 6
    assert result.undirected == (("a", "b"), ("a", "c"), ("b", "c"))


def test_a_category_that_numbers_determine_has_a_finite_score() -> None:
    x = np.arange(60.0) ** 1.5
    columns = {"x": x, "c": np.where(x < 100, "a", "b"), "y": np.cos(x)}
    total = sb.score([("x", "c"), ("y", "c")], columns, score="adaptive").total
    assert np.isfinite(total)
    # It cannot gain more than the category has to tell.
    alone = sb.score(sb.DAG(["x", "c", "y"], []), columns, score="adaptive").total
    assert total - alone < 60 * np.log(2)


def test_tables_of_one_kind_have_bic() -> None:
    columns = _columns(8)
    for names in (("x", "y", "z"), ("code", "other")):
        own = {name: columns[name] for name in names}
        assert sb.learn(own, score="adaptive", k=1.5).score == sb.learn(own, score="bic", k=1.5).score


def test_missing_values_and_fges_are_refused() -> None:
    columns = _columns(8, 50)
    columns["x"][3] = None
    with pytest.raises(OptionError, match="score='adaptive' is not defined for missing=\"available\""):
        sb.learn(columns, score="adaptive", missing="available")
    with pytest.raises(OptionError, match="fges"):
        sb.learn(_columns(8, 50), "fges", score="adaptive")


def test_all_arcs_are_allowed_unless_others_are_asked_for() -> None:
    columns = _columns(9)
    assert ("x", "code") in sb.learn(columns, score="adaptive").arcs
    assert ("x", "code") not in sb.learn(columns, score="adaptive", arcs="clg").arcs
