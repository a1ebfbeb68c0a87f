"""The engine that counts cannot matter: every one, forced, gives the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from tests.golden.recipes import small, table_of
from tests.shared import golden, needs_shared, oracle_cases, sample
from tests.tables import categorical_columns, continuous_columns

import stablebn as sb
from stablebn.scores import categorical, continuous, set_terms
from stablebn.stats import counts, crew, joint

FORCED: dict[str, dict[str, float]] = {
    "bits": {"HISTOGRAM_COST": 1e9},
    "histogram": {"BITS_COST": 1e9},
    "bits of narrow variables only": {"WIDEST": 2},
    "no tables": {"MOST_CONFIGURATIONS": 0},
    "no memory": {"MOST_BYTES": 0},
    "small tables, soon forgotten": {"MOST_BYTES": 1 << 10, "_SMALL_COST": 1e15},
    "no small tables": {"_SMALL_COST": 0},
}


def _force(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for constant, value in FORCED[engine].items():
        monkeypatch.setattr(counts if constant == "WIDEST" else joint, constant, value)


@pytest.mark.parametrize("engine", FORCED)
@pytest.mark.parametrize("score", ["bic", "bde", "bds", "k2"])
@pytest.mark.parametrize("threads", [1, 2])
def test_learning_is_the_same_with_every_engine(
    engine: str, score: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = categorical_columns(np.random.default_rng(5), 8, 400, levels=4)
    right = sb.learn(columns, score=score)
    _force(engine, monkeypatch)
    monkeypatch.setattr(crew, "_WORTH_A_THREAD", 0)
    monkeypatch.setattr(categorical, "_DEAR", 0)
    again = sb.learn(columns, score=score, threads=threads)
    assert (again.arcs, again.score, again.trace) == (right.arcs, right.score, right.trace)


@pytest.mark.parametrize("score", ["bic", "bge"])
@pytest.mark.parametrize("many", [0, 100])
def test_searches_at_once_learn_what_searches_in_turn_do(
    many: int, score: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = continuous_columns(np.random.default_rng(5), 12, 300)
    right = sb.learn(columns, score=score, threads=1)
    monkeypatch.setattr(continuous, "_MANY", many)
    again = sb.learn(columns, score=score, threads=2)
    assert (again.arcs, again.score, again.trace) == (right.arcs, right.score, right.trace)


@pytest.mark.parametrize("engine", FORCED)
def test_weights_are_repeated_rows_with_every_engine(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    columns = categorical_columns(rng, 7, 60, levels=3)
    weights = rng.integers(1, 9, size=60)
    _force(engine, monkeypatch)
    weighted = sb.learn(columns, weights=weights.tolist())
    repeated = sb.learn({name: np.repeat(np.array(values), weights).tolist() for name, values in columns.items()})
    assert (weighted.arcs, weighted.score, weighted.trace) == (repeated.arcs, repeated.score, repeated.trace)


@pytest.mark.parametrize("dear_rows", [0, 10**9])
def test_looking_up_other_sets_changes_nothing(dear_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = categorical_columns(np.random.default_rng(5), 8, 400, levels=4)
    right = sb.learn(columns)
    _force("no tables", monkeypatch)
    monkeypatch.setattr(set_terms, "_DEAR_ROWS", dear_rows)
    again = sb.learn(columns)
    assert (again.arcs, again.score, again.trace) == (right.arcs, right.score, right.trace)


@needs_shared
@pytest.mark.parametrize("engine", FORCED)
@pytest.mark.parametrize(("name", "rows"), [case for case in oracle_cases(0, 1000) if not case[0].endswith("_c")])
def test_oracle_is_reproduced_with_every_engine(
    engine: str, name: str, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _force(engine, monkeypatch)
    right = golden(f"oracle/{name}_{rows}.json")["algorithms"]["tabu-stable"]
    result = sb.learn(sample(name, rows))
    assert sorted(map(list, result.arcs)) == sorted(right["arcs"])
    assert result.score == pytest.approx(right["score"], rel=1e-9)


@pytest.mark.parametrize("engine", FORCED)
@pytest.mark.parametrize("name", ["asia 1000", "twelve", "many levels", "sixteen"])
def test_naive_answers_are_reproduced_with_every_engine(
    engine: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answers of the repository: see `tests/golden/test_small.py`."""
    entry = next(entry for entry in small("climbing") if entry["name"] == name)
    table = table_of(entry["recipe"])
    _force(engine, monkeypatch)
    for what, right in entry["answers"].items():
        algorithm, score = what.split()
        result = sb.learn(table, algorithm, score)
        assert sorted(map(list, result.arcs)) == right["arcs"], what
        assert result.score == pytest.approx(right["score"], rel=1e-12), what
