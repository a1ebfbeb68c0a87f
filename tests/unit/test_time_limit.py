"""`max_time` holds in every phase: without time for an order no pairs are scored, and without time no step is made."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from tests.drawn import LEARNERS

import stablebn as sb
from stablebn import _core
from stablebn.data import prepare
from stablebn.scores.families import CompiledScores
from stablebn.scores.registry import ScoreConfig
from stablebn.search import climb

ASIA = sb.read_network("asia").sample(200, seed=1)
MIXED = sb.random_network(6, kinds="mixed", seed=1).sample(200, seed=1)


@pytest.fixture
def end_the_time(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """What a test calls when the time is to be up."""
    ends = [False]
    monkeypatch.setattr(time, "monotonic", lambda: 1e9 if ends[0] else 0.0)

    def end() -> None:
        ends[0] = True

    return end


def _refuse(*arguments: object, **options: object) -> None:
    raise AssertionError("all pairs of variables are scored, though the time is up")


@pytest.mark.parametrize("algorithm", [*LEARNERS, "auto"])
@pytest.mark.parametrize("data", [ASIA, MIXED], ids=["categorical", "mixed"])
def test_without_time_for_an_order_there_is_no_search(
    algorithm: str, data: object, end_the_time: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    if algorithm == "fges" and data is MIXED:
        pytest.skip("refused: the default score has other arcs")
    monkeypatch.setattr(CompiledScores, "sums_with_one_parent", _refuse)
    monkeypatch.setattr(CompiledScores, "without_parents", property(_refuse))

    def told(stage: str, steps: int) -> None:
        if stage == "counting":
            end_the_time()

    result = sb.learn(data, algorithm, max_time=60.0, threads=1, progress=told)
    assert not result.finished
    assert not result.arcs
    assert "max-time" in [caution.code for caution in result.warnings]
    assert "names-decide" not in [caution.code for caution in result.warnings]


def test_without_time_a_climb_makes_no_step() -> None:
    problem = sb.learners.define_problem(prepare(ASIA).table, ScoreConfig())
    order = list(problem.decreasing)
    [found] = climb(problem.scores, [order], time_is_up=lambda: True)
    assert len(found.steps) == 0
    assert not found.finished
    assert found.score == problem.scores.dag(found.parents)


def test_a_limit_of_time_ends_with_the_work_that_it_is_for() -> None:
    asked = []

    def time_is_up() -> bool:
        asked.append(True)
        return False

    assert _core.within_time(time_is_up, lambda: 3) == 3
    with pytest.raises(_core.TimeIsUp):
        _core.within_time(time_is_up, _raise_time_is_up)
    asked.clear()
    problem = sb.learners.define_problem(prepare(ASIA).table, ScoreConfig())
    problem.scores.changes(0, 6)
    assert not asked


def _raise_time_is_up() -> None:
    raise _core.TimeIsUp


def test_scoring_a_few_families_does_not_score_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the end of a search by other units, for instance, of which only the graph is scored."""
    monkeypatch.setattr(CompiledScores, "without_parents", property(_refuse))
    scores = sb.scores.registry.family_scores(prepare(ASIA).table, ScoreConfig())
    assert scores.dag([0, 1, 3, 0, 0, 0, 0, 64]) < 0
    assert not scores.compiled.knows_first
