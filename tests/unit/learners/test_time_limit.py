"""`max_time` holds in every phase: without time for an order no pairs are scored, and without time no step is made."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

import pyarrow as pa
import pytest
from tests.drawn import LEARNERS
from tests.preparing import prepare

import stablebn as sb
from stablebn import _core
from stablebn.canonical import rows
from stablebn.ci_tests.mixed import ConditionalGaussianTest
from stablebn.learners import Problem, registry
from stablebn.learners.shared import problem as problem_module
from stablebn.learners.shared import resampled
from stablebn.learners.shared.graph_scores import GraphScores
from stablebn.learners.tabu_stable import tabu_stable
from stablebn.scores.base import CompiledScores
from stablebn.scores.registry import ScoreConfig
from stablebn.search import Climb, climb
from stablebn.threads import run_interruptibly

ASIA = sb.read_network("asia").sample(200, seed=1)
NUMBERS = sb.random_network(4, kinds="continuous", seed=1).sample(200, seed=1)
MIXED = sb.random_network(6, kinds="mixed", seed=1).sample(200, seed=1)


def _refuse(*arguments: object, **options: object) -> None:
    raise AssertionError("all pairs of variables are scored, though the time is up")


@pytest.mark.parametrize("algorithm", [*LEARNERS, "auto"])
@pytest.mark.parametrize("data", [ASIA, MIXED], ids=["categorical", "mixed"])
def test_without_time_for_an_order_there_is_no_search(
    algorithm: str, data: object, time_is_up: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if algorithm == "fges" and data is MIXED:
        pytest.skip("refused: the default score has other arcs")
    monkeypatch.setattr(CompiledScores, "sums_with_one_parent", _refuse)
    monkeypatch.setattr(CompiledScores, "without_parents", property(_refuse))
    result = sb.learn(data, algorithm, threads=1, **time_is_up)
    assert not result.finished
    assert not result.arcs
    assert "max-time" in [caution.code for caution in result.warnings]
    assert "names-decide" in [caution.code for caution in result.warnings]


@pytest.mark.parametrize("stage", ["reading", "counting"])
@pytest.mark.parametrize("algorithm", ["tabu-stable", "auto"])
@pytest.mark.parametrize("data", [ASIA, MIXED], ids=["categorical", "mixed"])
def test_a_table_that_cannot_be_read_and_counted_in_time_is_an_error(
    data: object, algorithm: str, stage: str, set_time: Callable[[float], None]
) -> None:
    def told(at: str, steps: int) -> None:
        if at == stage:
            set_time(66.1)

    with pytest.raises(sb.OptionError, match=r"max_time=60\.0 seconds were over while the table was read"):
        sb.learn(data, algorithm, max_time=60.0, threads=1, progress=told)


def test_a_read_that_does_not_return_is_no_longer_waited_for() -> None:
    may_return = threading.Event()
    looks = count()
    with pytest.raises(_core.TimeIsUp):
        _core.within_time(lambda: next(looks) == 2, lambda: run_interruptibly(may_return.wait))
    may_return.set()


def test_scores_are_not_compared_once_the_time_is_up(set_time: Callable[[float], None]) -> None:
    def told(at: str, steps: int) -> None:
        if at == "ordering":
            set_time(60.1)

    result = sb.learn(MIXED, max_time=60.0, threads=1, progress=told)
    assert result.config["score"] == "bic"
    assert result.chosen["score"] == "there was no time to compare scores"
    assert not result.finished


@pytest.mark.parametrize("kinds", ["continuous", "mixed"])
def test_rows_are_counted_once_though_scores_are_compared(kinds: str) -> None:
    stages = Counter[str]()
    table = sb.random_network(6, kinds=kinds, seed=1).sample(200, seed=1)
    sb.learn(table, progress=lambda stage, steps: stages.update([stage]))
    assert stages["counting"] == 1
    assert stages["ordering"] == 3


@pytest.mark.parametrize("data", [ASIA, NUMBERS], ids=["categorical", "continuous"])
def test_the_time_ends_the_order_of_rows_after_a_column(
    data: object, set_time: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`averaged` draws from rows in canonical order: of many rows that takes seconds."""
    made = []
    of_table = {name: getattr(rows, name) for name in ("_categories", "_numbers")}

    def slow(name: str, *arguments: Any) -> object:
        made.append(name)
        set_time(60.1)
        return of_table[name](*arguments)

    for name in of_table:
        monkeypatch.setattr(rows, name, partial(slow, name))
    result = sb.learn(data, "averaged", max_time=60.0, threads=1)
    assert len(made) == 1
    assert not result.finished
    assert not result.arcs


def test_the_time_ends_the_drawing_of_a_sample(
    set_time: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []

    def slow(*arguments: Any) -> None:
        drawn.append(1)
        set_time(60.1)
        _core.check_time()
        raise AssertionError("the drawing goes on, though the time is up")

    monkeypatch.setattr(resampled, "with_rows", slow)
    result = sb.learn(ASIA, "averaged", max_time=60.0, threads=1)
    assert len(drawn) == 1
    assert not result.finished


def test_without_time_a_climb_makes_no_step() -> None:
    problem = sb.learners.define_problem(prepare(ASIA).table, ScoreConfig())
    order = list(problem.decreasing)
    [found] = climb(problem.scores, [order], time_is_up=lambda: True)
    assert len(found.steps) == 0
    assert not found.finished
    assert found.score == problem.scores.dag(found.parents)


@pytest.mark.parametrize("algorithm", ["pc-stable", "gs", "inter-iamb", "mmhc", "h2pc"])
def test_the_time_ends_a_test_in_its_midst(
    algorithm: str, set_time: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One call of the core for a categorical variable given continuous ones, in many rows, took 13 seconds."""

    def work_for_long(*arguments: object) -> None:
        set_time(70.0)
        _core.check_time()
        raise AssertionError("the work goes on, though the time is up")

    monkeypatch.setattr(ConditionalGaussianTest, "outcomes", work_for_long)
    result = sb.learn(MIXED, algorithm, max_time=60.0, threads=1)
    assert not result.finished
    assert "max-time" in [caution.code for caution in result.warnings]


def test_of_limits_within_limits_all_hold() -> None:
    def inner() -> None:
        _core.within_time(lambda: False, _core.check_time)

    with pytest.raises(_core.TimeIsUp):
        _core.within_time(lambda: True, inner)
    _core.check_time()


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
    """Scores only the final graph, as at the end of a unit-free search."""
    monkeypatch.setattr(CompiledScores, "without_parents", property(_refuse))
    scores = sb.scores.registry.family_scores(prepare(ASIA).table, ScoreConfig())
    assert scores.dag([0, 1, 3, 0, 0, 0, 0, 64]) < 0
    assert not scores.compiled.knows_first


def _without_time_for_the_score(set_time: Callable[[float], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the time be up, by far, when the graph that was found is to be scored."""
    of_problem = GraphScores.of_problem

    def late(problem: Problem) -> GraphScores:
        set_time(70.0)
        _core.check_time()
        return of_problem(problem)

    monkeypatch.setattr(GraphScores, "of_problem", late)


@pytest.mark.parametrize("kinds", ["continuous", "mixed"])
@pytest.mark.parametrize("missing", ["error", "available"])
def test_without_time_for_all_digits_the_score_differs_in_the_last_ones_alone(
    kinds: str, missing: str, set_time: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = sb.random_network(6, kinds=kinds, seed=1).sample(200, seed=1)
    if missing == "available":
        few = [None, *table.column(0).to_pylist()[1:]]
        table = table.set_column(0, table.column_names[0], pa.array(few))
    options: dict[str, Any] = {"missing": missing, "threads": 1}
    for algorithm in ("tabu-stable", "pc-stable"):
        whole = sb.learn(table, algorithm, **options)
        with monkeypatch.context() as patched:
            _without_time_for_the_score(set_time, patched)
            late = sb.learn(table, algorithm, max_time=60.0, **options)
        set_time(0.0)
        assert late.pdag == whole.pdag
        assert not late.finished
        assert late.score == pytest.approx(whole.score, rel=1e-12)
        assert late.strengths == pytest.approx(whole.strengths, rel=1e-9)
        [told] = [caution.message for caution in late.warnings if caution.code == "max-time"]
        assert "last digits" in told


def test_part_of_the_time_is_kept_for_the_score_of_the_graph(
    set_time: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbering the variables again, by all digits, takes as long as the order did, and more."""
    table = sb.random_network(6, kinds="continuous", seed=1).sample(200, seed=1)
    deadlines = []

    def look(problem: Problem, config: sb.learners.SearchConfig) -> Climb:
        deadlines.append(problem.deadline)
        return tabu_stable(problem, config)

    number = problem_module._numbered

    def slow(*arguments: Any) -> Problem:
        found = number(*arguments)
        set_time(4.0)
        return found

    monkeypatch.setattr(problem_module, "_numbered", slow)
    learner = replace(registry.LEARNERS["tabu-stable"], learn=look)
    monkeypatch.setitem(registry.LEARNERS, "tabu-stable", learner)
    sb.learn(table, "tabu-stable", max_time=60.0, threads=1)
    set_time(0.0)
    sb.learn(ASIA, "tabu-stable", max_time=60.0, threads=1)
    assert deadlines == [60.0 - 3 * 4.0, 60.0]
