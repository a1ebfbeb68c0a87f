"""The limits of `exact`: they bound all its work, and the warning names those that were reached."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.tables import random_categorical_table

import stablebn as sb
from stablebn import _core
from stablebn.exact import lp as linear
from stablebn.exact import proof as proofs
from stablebn.exact import solver as optimum
from stablebn.exact.lp import ClusterSearch
from stablebn.exact.proof_tree import Multipliers
from stablebn.learners import exact as exact_module
from stablebn.scores.registry import ScoreConfig, family_scores
from stablebn.search import parent_sets as candidates
from stablebn.search.parent_sets import candidate_sets, listed

pytest.importorskip("highspy")


def _noise(columns: int, rows: int) -> pa.Table:
    """Few rows of noise, in which `loglik` finds very many parent sets."""
    rng = np.random.default_rng(0)
    return pa.table({f"c{v}": np.array(["a", "b"])[rng.integers(0, 2, rows)] for v in range(columns)})


def _message(result: sb.Result, code: str) -> str:
    [message] = [caution.message for caution in result.warnings if caution.code == code]
    return message


def test_max_sets_bounds_the_work_of_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[ClusterSearch] = []

    class Counted(ClusterSearch):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            searches.append(self)

    monkeypatch.setattr(optimum, "ClusterSearch", Counted)
    for module in (optimum, linear):
        monkeypatch.setattr(module, "MOST_IN_PART", 4)
    monkeypatch.setattr(optimum, "WORK_PER_SET", 0)
    result = sb.learn(_noise(12, 16), "exact", score="loglik", max_sets=1500)
    assert not result.finished
    [search] = searches
    assert search.is_out_of_work
    assert search._solved == 1
    assert "the work that max_sets=1,500 allows for the proof" in _message(result, "not-proven")


def test_the_limit_on_sets_is_named_alone() -> None:
    result = sb.learn(_noise(8, 16), "exact", score="loglik", max_sets=30)
    assert "a limit was met, max_sets=30." in _message(result, "not-proven")


def test_the_limit_on_candidates_is_named_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "_FEW_VARIABLES", 2)
    for module in (candidates, exact_module):
        monkeypatch.setattr(module, "MOST_FOUND", 20)
    message = _message(sb.learn(_noise(8, 16), "exact", score="loglik"), "not-proven")
    assert "a limit was met, 20 candidate parent sets." in message
    assert "max_sets" not in message


def test_the_limit_on_choices_is_named_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimum, "MOST_CHOICES", 20)
    for module in (optimum, proofs):
        monkeypatch.setattr(module, "MOST_IN_PART", 2)
        monkeypatch.setattr(module, "MOST_AT_ONCE", 2)
    # A bound that proves nothing.
    monkeypatch.setattr(optimum, "sifted", lambda *arguments: Multipliers())
    message = _message(sb.learn(_noise(8, 16), "exact", score="loglik"), "not-proven")
    assert "a limit was met, more than 20 candidate parent sets of variables that depend on each other." in message


class _Clock:
    """A clock that stands still until the table has been counted, and shows the end after some more looks at it."""

    def __init__(self, looks: int) -> None:
        self._looks_left = looks
        self._is_counted = False

    def __call__(self) -> float:
        self._looks_left -= self._is_counted
        return 0.0 if self._looks_left > 0 else 1e9

    def watch(self, stage: str, _: int) -> None:
        self._is_counted = self._is_counted or stage == "counting"


@pytest.mark.parametrize("looks", [5, 20, 80])
def test_whenever_the_time_ends_there_is_a_graph_with_a_valid_bound(
    looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = _noise(9, 30)
    whole = sb.learn(table, "exact", score="aic", threads=1)
    assert whole.proof is not None
    clock = _Clock(looks)
    monkeypatch.setattr(time, "monotonic", clock)
    result = sb.learn(table, "exact", score="aic", max_time=100.0, threads=1, progress=clock.watch)
    assert result.score is not None
    assert whole.score is not None
    assert result.score <= whole.score
    if not result.finished and result.proof is not None and result.proof.bound is not None:
        assert result.proof.bound >= whole.score


def test_without_time_no_set_is_scored() -> None:
    scores = family_scores(random_categorical_table(np.random.default_rng(1), 6, 50), ScoreConfig())
    search = listed(scores, time_is_up=lambda: True)
    assert (search.scored, search.level, search.complete) == (0, 0, False)
    # The sets without parents are there.
    assert len(candidate_sets(scores, time_is_up=lambda: True)) == 6


def test_dynamic_programming_that_is_stopped_leaves_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the time had ended in its midst."""
    stopped: list[Sequence[int]] = []

    def stop(component: Any, *arguments: Any, **options: Any) -> None:
        stopped.append(component.variables)
        raise _core.TimeIsUp

    monkeypatch.setattr(optimum, "MOST_CHOICES", 5)
    monkeypatch.setattr(optimum, "MOST_IN_PART", 2)
    monkeypatch.setattr(optimum, "best_of_part", stop)
    scores = family_scores(random_categorical_table(np.random.default_rng(61), 8, 30), ScoreConfig("aic"))
    start = [0] * 8
    find = partial(optimum.find_best, time_is_up=lambda: False)
    parents, proof = find(candidate_sets(scores), [start])
    assert stopped
    assert proof.score == scores.dag(parents)
    assert proof.bound is None or proof.bound >= proof.score
