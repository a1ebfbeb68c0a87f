"""Columns that are set aside go with the table through every door: in the graph, alone, and nowhere else."""

import random
from typing import Any

import numpy as np
import pandas as pd
import pytest

import stablebn as sb


def _frame(rows: int = 120, seed: int = 1) -> pd.DataFrame:
    chance = np.random.default_rng(seed)
    a = chance.integers(3, size=rows)
    b = np.where(chance.random(rows) < 0.8, a, chance.integers(3, size=rows))
    return pd.DataFrame(
        {
            "id": range(rows),
            "a": a.astype(float),
            "day": pd.date_range("2020", periods=rows),
            "b": b,
            "note": [f"row number {row} of them" for row in range(rows)],
            "empty": [None] * rows,
        }
    )


ASIDE = ("id", "day", "note", "empty")


def test_they_are_in_the_graph_alone_and_told() -> None:
    result = sb.learn(_frame())
    assert result.nodes == tuple(_frame().columns)
    assert result.dag is not None
    assert result.dag.nodes == result.nodes
    assert result.arcs in ((("a", "b"),), (("b", "a"),))
    assert result.kinds == {"a": "categorical", "b": "categorical"}
    assert tuple(name for name, own in result.decisions.items() if own.kind is None) == ASIDE
    assert [caution.code for caution in result.warnings] == ["set-aside", "kinds"]
    assert "Columns: 2 categorical, 4 set aside (see decisions)." in result.summary()
    assert result.to_dict()["decisions"][0] == ["id", None, "120 integers, each once: they number the rows", False]
    without = sb.learn(_frame(), drop=ASIDE)
    assert (without.score, without.fingerprint, without.nodes) == (result.score, result.fingerprint, ("a", "b"))


@pytest.mark.parametrize("algorithm", ["tabu-stable", "pc-stable", "fges", "h2pc"])
def test_no_layout_changes_the_graph(algorithm: str) -> None:
    frame = _frame()
    expected = sb.learn(frame, algorithm)
    for seed in range(3):
        chance = random.Random(seed)
        alias = dict(zip(frame, chance.sample([f"v{c}" for c in range(6)], 6), strict=True))
        shuffled = frame[chance.sample(list(frame), 6)].sample(frac=1, random_state=seed).rename(columns=alias)
        found = sb.learn(shuffled, algorithm)
        assert (found.score, found.fingerprint) == (expected.score, expected.fingerprint)
        assert {alias[name]: own for name, own in expected.decisions.items()} == dict(found.decisions)
        assert found.pdag.directed == tuple(sorted((alias[u], alias[v]) for u, v in expected.pdag.directed))


def test_a_result_scores_and_fits_other_rows_as_it_was_learned() -> None:
    result = sb.learn(_frame())
    assert sb.score(result, _frame()).total == result.score
    # Of so few rows other things would be decided.
    few = _frame(12, seed=2)
    few["a"] = [0.0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]
    assert sb.check(few).decisions["a"].kind == "continuous"
    assert np.isfinite(sb.score(result, few).total)
    fitted = sb.fit(result, few)
    assert set(fitted.nodes) == {"a", "b"}
    assert fitted["a"].levels == (0, 1, 2, 3, 4, 5)  # type: ignore[union-attr]


def test_a_fitted_network_does_not_have_them_and_says_so() -> None:
    fitted = sb.learn(_frame()).fit()
    assert set(fitted.nodes) == {"a", "b"}
    (caution,) = fitted.warnings
    assert (caution.code, caution.columns) == ("set-aside", ASIDE)
    assert fitted.log_likelihood(_frame()[["a", "b"]]) < 0


def test_arcs_at_them_are_refused() -> None:
    for use in (sb.score, sb.fit):
        with pytest.raises(sb.GraphError, match=r"arcs at columns that were set aside: 'id'\. Leave"):
            use([("id", "a")], _frame())
    with pytest.raises(sb.GraphError, match="set aside"):
        sb.learn(_frame(), "tabu-stable", start=[("a", "note")])
    with pytest.raises(sb.OptionError, match=r"set aside: 'day' \(dates or times\)"):
        sb.ci_test(_frame(), "a", "day")


def test_the_audit_keeps_to_what_was_decided() -> None:
    audit = sb.stability(_frame(), "tabu-stable", repeats=4, vary=["columns", "rows", "names", "levels"])
    assert audit.graphs == 1
    chance = np.random.default_rng(1)
    ages = pd.DataFrame({"id": range(200), "age": chance.integers(20, 60, size=200)})
    ages["income"] = ages["age"] * 100 + chance.integers(0, 900, size=200)
    audit = sb.stability(ages, "tabu-stable", repeats=4, vary=["rows", "units"], keep="id", unit_free=True)
    assert audit.graphs == 1


def test_estimators_take_the_options_of_columns() -> None:
    learned: Any = sb.TabuStable(keep=["id"], kinds={"id": "categorical"}, drop=["day"]).fit(_frame())
    assert learned.result_.kinds["id"] == "categorical"
    assert "day" not in learned.result_.nodes
