import itertools
from collections.abc import Hashable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from tests.naive.scores import categorical_family, gaussian_family
from tests.preparing import prepare
from tests.tables import Columns, categorical_columns, continuous_columns, renamed, shuffled

import stablebn as sb
from stablebn.canonical import canonical_order
from stablebn.learners import define_problem
from stablebn.scores.registry import ScoreConfig, scores_from
from stablebn.stats import statistics_of
from stablebn.table.table import CategoricalTable, MixedTable


def _order(columns: Columns, *, unit_free: bool = False) -> list[Hashable]:
    statistics = statistics_of(prepare(columns).table, unit_free=unit_free)
    scores = scores_from(statistics, ScoreConfig("bic"))
    return [statistics.names[v] for v in canonical_order(statistics, scores, unit_free=unit_free).order]


@pytest.mark.parametrize("kind", ["categorical", "continuous"])
def test_order_is_by_score_alone_then_mean_score_with_one_parent(kind: str) -> None:
    rng = np.random.default_rng(1)
    columns = categorical_columns(rng, 6, 60) if kind == "categorical" else continuous_columns(rng, 6, 20)
    table = prepare(columns).table
    assert not isinstance(table, MixedTable)

    def family(child: int, parents: list[int]) -> Decimal:
        if isinstance(table, CategoricalTable):
            return categorical_family(table, "bic", child, parents)
        return gaussian_family(table, "bic", child, parents)

    keys = {}
    for v, name in enumerate(table.names):
        others = [u for u in range(len(table.names)) if u != v]
        keys[name] = (family(v, []), sum((family(v, [u]) for u in others), Decimal(0)) / len(others))
    assert _order(columns) == sorted(keys, key=lambda name: keys[name], reverse=True)


def test_text_of_value_counts_decides_between_isomorphic_columns() -> None:
    # The paper's example: the same pattern with other values.
    columns: Columns = {
        "first": ["a", "a", "a", "c", "c", "a"],
        "second": ["c", "c", "c", "b", "b", "c"],
        "third": ["x", "y", "x", "y", "x", "y"],
    }
    order = _order(columns)
    # {'b': 2, 'c': 4} is the greater text, so it comes first.
    assert order.index("second") < order.index("first")


def test_name_decides_only_between_identical_columns_and_ascending() -> None:
    base = categorical_columns(np.random.default_rng(2), 4, 50)
    columns = {**base, "zz": base["c1"], "aa": base["c1"]}
    order = _order(columns)
    place = order.index("aa")
    assert order[place : place + 3] == ["aa", "c1", "zz"]
    assert _order(shuffled(columns, 3)) == order


@pytest.mark.parametrize("seed", range(20))
def test_order_does_not_depend_on_layout_or_names(seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = categorical_columns(rng, 6, 80) if seed % 2 else continuous_columns(rng, 6, 30)
    order = _order(columns)
    other, old = renamed(shuffled(columns, seed), seed)
    assert [old[name] for name in _order(other)] == order


def test_data_decide_where_all_pairs_look_alike() -> None:
    # c = a xor b, and d, e, f are free: every pair of the six is independent and uniform.
    rows = [(a, b, a ^ b, d, e, f) for a in (0, 1) for b in (0, 1) for d in (0, 1) for e in (0, 1) for f in (0, 1)]
    columns: Columns = {name: [row[i] for row in rows] for i, name in enumerate("abcdef")}
    for seed in range(10):
        other, old = renamed(shuffled(columns, seed), seed)
        kinds = ["xor" if old[name] in "abc" else "free" for name in _order(other)]  # type: ignore[operator]
        assert kinds in (["xor"] * 3 + ["free"] * 3, ["free"] * 3 + ["xor"] * 3)
        if seed == 0:
            first = kinds
        assert kinds == first


def test_name_that_decides_once_does_not_decide_again() -> None:
    # Two interchangeable pairs, a1 ~ b1 and a2 ~ b2: names may swap the pairs, but not mix them.
    a1 = [0, 0, 0, 0, 1, 1, 1, 1] * 2
    a2 = [0, 0, 1, 1, 0, 0, 1, 1] * 2
    b1, b2 = a1[:], a2[:]
    b1[0] = 1 - b1[0]
    b2[0] = 1 - b2[0]
    patterns = set()
    for names in itertools.permutations(["p", "q", "r", "s"]):
        order = _order(dict(zip(names, [a1, a2, b1, b2], strict=True)))
        role = dict(zip(names, ["a1", "a2", "b1", "b2"], strict=True))
        first = role[order[0]][1]  # type: ignore[index]
        patterns.add(tuple((role[name][0], role[name][1] == first) for name in order))  # type: ignore[index]
    assert len(patterns) == 1


def test_unit_free_order_ignores_units_and_the_plain_one_does_not() -> None:
    columns = continuous_columns(np.random.default_rng(7), 6, 40)
    in_feet = {name: [3.28084 * x * 10**v for x in own] for v, (name, own) in enumerate(columns.items())}
    assert _order(columns, unit_free=True) == _order(in_feet, unit_free=True)
    assert _order(columns) != _order(in_feet)


@pytest.mark.parametrize("seed", range(10))
def test_unit_free_order_is_by_what_all_others_tell(seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = continuous_columns(rng, 6, 50)
    correlations = np.corrcoef(np.array(list(columns.values())))
    # The gain of a single parent is -N/2 ln(1 - r**2), less the same penalty for all.
    np.fill_diagonal(correlations, 0)
    told = -np.log(1 - correlations**2).sum(axis=1)
    names = list(columns)
    assert _order(columns, unit_free=True) == [names[v] for v in np.argsort(-told)]
    assert sb.learn(columns, "tabu-dec").order == tuple(_order(columns, unit_free=True))


@pytest.mark.parametrize("seed", [29, 61, 66, 67])
def test_labels_do_not_number_variables_that_scores_with_units_tell_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns: dict[Any, Any] = {name: rng.choice(list("pqr"), 12).tolist() for name in "ab"}
    columns["x"] = np.round(rng.normal(size=12), 1).tolist()
    other = {**columns, "a": [{"p": "z", "q": "y", "r": "x"}[value] for value in columns["a"]]}
    one, two = (
        define_problem(prepare(own, kinds={"x": "continuous"}).table, ScoreConfig(), unit_free=False)
        for own in (columns, other)
    )
    assert one.names == two.names
    assert one.decreasing == two.decreasing
