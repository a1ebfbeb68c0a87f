"""The engine that counts cannot matter: every one, forced, gives the same bits."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from tests.forced import FORCED, limits_of
from tests.golden.recipes import small, table_of
from tests.shared import golden, needs_shared, oracle_cases, sample
from tests.tables import categorical_columns, continuous_columns, mixed_columns

import stablebn as sb
from stablebn import _core
from stablebn.stats import counts

MAKERS = {"categorical": categorical_columns, "continuous": continuous_columns, "mixed": mixed_columns}


@pytest.fixture(autouse=True)
def _threads_as_before() -> Iterator[None]:
    before = _core.worth_a_thread()
    yield
    _core.set_worth_a_thread(before)


def _force(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "LIMITS", limits_of(way))


@pytest.mark.parametrize("way", FORCED)
@pytest.mark.parametrize("score", ["bic", "bde", "bds", "k2"])
@pytest.mark.parametrize("threads", [1, 2, 9])
def test_learning_is_the_same_however_it_is_counted(
    way: str, score: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = categorical_columns(np.random.default_rng(5), 8, 400, levels=4)
    right = sb.learn(columns, score=score, threads=1)
    _force(way, monkeypatch)
    _core.set_worth_a_thread(0)
    again = sb.learn(columns, score=score, threads=threads)
    assert (again.arcs, again.score, again.trace) == (right.arcs, right.score, right.trace)


@pytest.mark.parametrize("way", FORCED)
@pytest.mark.parametrize("threads", [1, 2, 9])
@pytest.mark.parametrize("algorithm", ["tabu-stable", "fges", "inter-iamb"])
def test_learning_from_mixed_data_is_the_same_however_it_is_counted_and_kept(
    way: str, threads: int, algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = mixed_columns(np.random.default_rng(11), 9, 700)
    right = sb.learn(columns, algorithm, threads=1)
    # With no memory to keep strata in, too: each is made again whenever it is wanted.
    limits = limits_of(way)
    limits.most_bytes = 1
    monkeypatch.setattr(counts, "LIMITS", limits)
    _core.set_worth_a_thread(0)
    again = sb.learn(columns, algorithm, threads=threads)
    assert (again.to_dict(), again.trace) == (right.to_dict(), right.trace)


@pytest.mark.parametrize("engine", _core.engines())
@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("algorithm", ["tabu-stable", "fges", "pc-stable", "mmhc"])
def test_learning_is_the_same_with_every_set_of_instructions(
    engine: str, kind: str, algorithm: str, forced_engine: str
) -> None:
    rng = np.random.default_rng(7)
    # Rows that fill no whole word, and no whole block.
    columns = MAKERS[kind](rng, 9, 1337)
    found = sb.learn(columns, algorithm)
    _core.use_engine("portable")
    right = sb.learn(columns, algorithm)
    assert (found.pdag, found.score, found.fingerprint) == (right.pdag, right.score, right.fingerprint)


def test_the_environment_forces_an_engine() -> None:
    program = "from stablebn import _core; print(_core.engine())"
    for engine in _core.engines():
        environment = {**os.environ, "STABLEBN_ENGINE": engine}
        told = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        assert told.stdout.strip() == engine


def test_an_engine_that_is_none_is_an_error() -> None:
    environment = {**os.environ, "STABLEBN_ENGINE": "steam"}
    told = subprocess.run(
        [sys.executable, "-c", "import stablebn._core"], env=environment, capture_output=True, text=True
    )
    assert told.returncode != 0
    assert "STABLEBN_ENGINE=steam is no engine of this machine. Choose one of: portable" in told.stderr


@pytest.mark.parametrize("score", ["bic", "bge"])
@pytest.mark.parametrize("nanoseconds", [0, 1e15])
def test_searches_at_once_learn_what_searches_in_turn_do(nanoseconds: float, score: str) -> None:
    columns = continuous_columns(np.random.default_rng(5), 12, 300)
    right = sb.learn(columns, score=score, threads=1)
    _core.set_worth_a_thread(nanoseconds)
    again = sb.learn(columns, score=score, threads=2)
    assert (again.arcs, again.score, again.trace) == (right.arcs, right.score, right.trace)


@pytest.mark.parametrize("way", FORCED)
def test_weights_are_repeated_rows_however_they_are_counted(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    columns = categorical_columns(rng, 7, 60, levels=3)
    weights = rng.integers(1, 9, size=60)
    _force(way, monkeypatch)
    weighted = sb.learn(columns, weights=weights.tolist())
    repeated = sb.learn({name: np.repeat(np.array(values), weights).tolist() for name, values in columns.items()})
    assert (weighted.arcs, weighted.score, weighted.trace) == (repeated.arcs, repeated.score, repeated.trace)


@needs_shared
@pytest.mark.parametrize("way", FORCED)
@pytest.mark.parametrize(("name", "rows"), [case for case in oracle_cases(0, 1000) if not case[0].endswith("_c")])
def test_oracle_is_reproduced_however_it_is_counted(
    way: str, name: str, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _force(way, monkeypatch)
    right = golden(f"oracle/{name}_{rows}.json")["algorithms"]["tabu-stable"]
    result = sb.learn(sample(name, rows), "tabu-stable")
    assert sorted(map(list, result.arcs)) == sorted(right["arcs"])
    assert result.score == pytest.approx(right["score"], rel=1e-9)


@pytest.mark.parametrize("way", FORCED)
@pytest.mark.parametrize("name", ["asia 1000", "twelve", "many levels", "sixteen"])
def test_naive_answers_are_reproduced_however_they_are_counted(
    way: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answers of the repository: see `tests/golden/test_small.py`."""
    entry = next(entry for entry in small("climbing") if entry["name"] == name)
    table = table_of(entry["recipe"])
    _force(way, monkeypatch)
    for what, right in entry["answers"].items():
        algorithm, score = what.split()
        result = sb.learn(table, algorithm, score)
        assert sorted(map(list, result.arcs)) == right["arcs"], what
        assert result.score == pytest.approx(right["score"], rel=1e-12), what
