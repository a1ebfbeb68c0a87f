from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.drawn import SCORES
from tests.known import drawn_knowledge, random_forbidden
from tests.naive.climbing import Arcs, naive_climb
from tests.tables import continuous_table, random_categorical_table

from stablebn.fixed_point import UNIT
from stablebn.scores.base import CompiledScores
from stablebn.scores.registry import ScoreConfig, family_scores
from stablebn.search import Climb, ClimbSettings, Constraints, watch_stages
from stablebn.search import climb as climb_in_orders
from stablebn.stats.variable_sets import members


def climb(scores: CompiledScores, order: Sequence[int], **options: Any) -> Climb:
    """Climb in one order."""
    settings = ClimbSettings(
        **{name: options.pop(name) for name in ("tabu", "noinc", "max_parents", "max_iter") if name in options}
    )
    [found] = climb_in_orders(scores, [order], settings, **options)
    return found


def _arcs(found: Climb) -> Arcs:
    return frozenset((u, v) for v, family in enumerate(found.parents) for u in members(family))


def _scores(seed: int, n: int, rows: int, score: str, *, continuous: bool, levels: int = 3) -> CompiledScores:
    rng = np.random.default_rng(seed)
    if not continuous:
        return family_scores(random_categorical_table(rng, n, rows, levels=levels), ScoreConfig(score))
    values = rng.normal(size=(n, rows))
    for v in range(1, n):
        values[v] += values[rng.integers(0, v)] * rng.normal()
    return family_scores(continuous_table(values), ScoreConfig(score))


def _assert_twins(
    scores: CompiledScores,
    order: list[int],
    *,
    tabu: int,
    noinc: int,
    max_parents: int | None,
    forbidden: Sequence[tuple[int, int]] = (),
    required: Sequence[tuple[int, int]] = (),
    most_parents: Mapping[int, int] | None = None,
) -> None:
    known: dict[str, Any] = {"forbidden": forbidden, "required": required, "most_parents": most_parents}
    constraints = Constraints.of(scores.n, **known) if any(known.values()) else None
    fast = climb(scores, order, tabu=tabu, noinc=noinc, max_parents=max_parents, constraints=constraints)
    slow = naive_climb(scores, order, tabu=tabu, noinc=noinc, max_parents=max_parents, **known)
    trace = fast.trace
    steps = zip(trace.move, trace.source, trace.target, trace.delta, trace.next_delta, trace.arbitrary, strict=True)
    assert list(steps) == [tuple(step) for step in slow.steps]
    assert _arcs(fast) == slow.arcs
    assert fast.score == slow.score * UNIT


# Every score on tables of two, three and four levels: each of these is drawn many times, whatever the others are.
CATEGORICAL = [(score, levels) for score in SCORES["categorical"] for levels in (2, 3, 4)]


@pytest.mark.parametrize(("score", "levels"), CATEGORICAL)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 5),
    rows=st.integers(4, 40),
    tabu=st.sampled_from([0, 1, 3, 10]),
    patience=st.sampled_from([0, 1, 2, 10]),
    max_parents=st.sampled_from([None, 1, 2]),
)
@settings(max_examples=8)
def test_climb_is_the_naive_climb_step_for_step(
    score: str, levels: int, seed: int, n: int, rows: int, tabu: int, patience: int, max_parents: int | None
) -> None:
    scores = _scores(seed, n, rows, score, continuous=False, levels=levels)
    order = np.random.default_rng(seed).permutation(n).tolist()
    _assert_twins(scores, order, tabu=tabu, noinc=min(patience, tabu), max_parents=max_parents)


@pytest.mark.parametrize("score", SCORES["continuous"])
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 5),
    rows=st.integers(4, 30),
    tabu=st.sampled_from([0, 1, 3, 10]),
    patience=st.sampled_from([0, 1, 2, 10]),
    max_parents=st.sampled_from([None, 1, 2]),
)
@settings(max_examples=12)
def test_continuous_climb_is_the_naive_climb_step_for_step(
    score: str, seed: int, n: int, rows: int, tabu: int, patience: int, max_parents: int | None
) -> None:
    scores = _scores(seed, n, rows, score, continuous=True)
    order = np.random.default_rng(seed).permutation(n).tolist()
    _assert_twins(scores, order, tabu=tabu, noinc=min(patience, tabu), max_parents=max_parents)


def test_start_is_where_the_climb_starts() -> None:
    scores = _scores(3, 5, 30, "bic", continuous=False)
    start = (0, 0b1, 0b10, 0, 0)
    fast = climb(scores, range(5), start=start, tabu=3, noinc=3)
    slow = naive_climb(scores, range(5), start=frozenset({(0, 1), (1, 2)}), tabu=3, noinc=3)
    assert _arcs(fast) == slow.arcs
    assert fast.score == slow.score * UNIT


@pytest.mark.parametrize("tabu", [0, 4])
def test_additions_that_close_cycles_hide_no_others(tabu: int) -> None:
    # A path in which later variables are more correlated with all others. So the best parents of the first variables
    # are their descendants, more of them than the core keeps as candidates. The other parents must still be found.
    n = 22
    rng = np.random.default_rng(2)
    values = np.linspace(0.2, 2, n)[:, None] * rng.normal(size=60) + rng.normal(size=(n, 60))
    scores = family_scores(continuous_table(values), ScoreConfig("loglik"))
    start = [0, *(1 << v for v in range(n - 1))]
    path = frozenset((v, v + 1) for v in range(n - 1))
    # Their children are no candidates for parents: they get no more of them.
    barred = [(u, v) for u in range(5) for v in range(5, n)]
    constraints = Constraints.of(n, forbidden=barred)
    fast = climb(scores, range(n), start=start, tabu=tabu, noinc=tabu, max_parents=2, constraints=constraints)
    slow = naive_climb(scores, range(n), start=path, tabu=tabu, noinc=tabu, max_parents=2, forbidden=barred)
    trace = fast.trace
    steps = list(zip(trace.move, trace.source, trace.target, trace.delta, trace.next_delta, strict=True))
    assert steps == [step[:5] for step in slow.steps]
    assert {target for move, _, target, _, _ in steps if move == "add"} >= {2, 3, 4}


def test_best_of_equals_is_the_earliest() -> None:
    # Tabu search continues to the reverse arc, which scores the same: the first one must be returned.
    scores = _scores(11, 2, 40, "loglik", continuous=True)
    found = climb(scores, [1, 0], tabu=5, noinc=5)
    assert found.trace.move[:2] == ["add", "reverse"]
    assert _arcs(found) == {(1, 0)}


def test_max_iter_stops_and_says_so() -> None:
    scores = _scores(1, 5, 40, "loglik", continuous=False)
    whole = climb(scores, range(5))
    stopped = climb(scores, range(5), max_iter=2)
    assert whole.finished
    assert not stopped.finished
    assert len(stopped.trace) == 2
    assert climb(scores, range(5), max_iter=len(whole.trace)).finished


@pytest.mark.parametrize(("score", "levels"), CATEGORICAL)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 5),
    rows=st.integers(4, 40),
    tabu=st.sampled_from([0, 3]),
    share=st.sampled_from([0.2, 0.5, 0.8]),
)
@settings(max_examples=8)
def test_climb_with_forbidden_arcs_is_the_naive_climb_step_for_step(
    score: str, levels: int, seed: int, n: int, rows: int, tabu: int, share: float
) -> None:
    scores = _scores(seed, n, rows, score, continuous=False, levels=levels)
    order = np.random.default_rng(seed).permutation(n).tolist()
    forbidden = random_forbidden(seed, n, share)
    _assert_twins(scores, order, tabu=tabu, noinc=tabu, max_parents=None, forbidden=forbidden)


@pytest.mark.parametrize("score", SCORES["continuous"])
@given(seed=st.integers(0, 10_000), n=st.integers(18, 21), tabu=st.sampled_from([0, 2]))
@settings(max_examples=3)
def test_forbidden_arcs_are_no_moves_if_there_are_more_candidates_than_are_kept(
    score: str, seed: int, n: int, tabu: int
) -> None:
    scores = _scores(seed, n, 40, score, continuous=True)
    forbidden = random_forbidden(seed, n, 0.3)
    _assert_twins(scores, list(range(n)), tabu=tabu, noinc=tabu, max_parents=1, forbidden=forbidden)


@pytest.mark.parametrize(("score", "levels"), CATEGORICAL)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 6),
    rows=st.integers(4, 40),
    tabu=st.sampled_from([0, 1, 3, 10]),
    max_parents=st.sampled_from([None, 3, 4]),
)
@settings(max_examples=8)
def test_climb_that_obeys_is_the_naive_climb_step_for_step(
    score: str, levels: int, seed: int, n: int, rows: int, tabu: int, max_parents: int | None
) -> None:
    scores = _scores(seed, n, rows, score, continuous=False, levels=levels)
    order = np.random.default_rng(seed).permutation(n).tolist()
    forbidden, required, most_parents = drawn_knowledge(seed, n)
    _assert_twins(
        scores,
        order,
        tabu=tabu,
        noinc=tabu,
        max_parents=max_parents,
        forbidden=forbidden,
        required=required,
        most_parents=most_parents,
    )


@pytest.mark.parametrize("score", SCORES["continuous"])
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 6),
    rows=st.integers(8, 30),
    tabu=st.sampled_from([0, 1, 3, 10]),
    max_parents=st.sampled_from([None, 3, 4]),
)
@settings(max_examples=12)
def test_continuous_climb_that_obeys_is_the_naive_climb_step_for_step(
    score: str, seed: int, n: int, rows: int, tabu: int, max_parents: int | None
) -> None:
    scores = _scores(seed, n, rows, score, continuous=True)
    order = np.random.default_rng(seed).permutation(n).tolist()
    forbidden, required, most_parents = drawn_knowledge(seed, n)
    _assert_twins(
        scores,
        order,
        tabu=tabu,
        noinc=tabu,
        max_parents=max_parents,
        forbidden=forbidden,
        required=required,
        most_parents=most_parents,
    )


def test_required_arc_that_costs_much_is_kept() -> None:
    scores = _scores(5, 2, 40, "bic", continuous=False)
    assert _arcs(climb(scores, [0, 1])) == set()
    for tabu in (0, 4):
        found = climb(scores, [0, 1], tabu=tabu, noinc=tabu, constraints=Constraints.of(2, required=[(1, 0)]))
        # No move is left: neither may the arc be lost, nor turned.
        assert (set(_arcs(found)), len(found.trace)) == ({(1, 0)}, 0)


def test_no_direction_is_arbitrary_if_the_other_one_is_forbidden() -> None:
    scores = _scores(11, 2, 40, "loglik", continuous=True)
    assert climb(scores, [0, 1]).trace.arbitrary == [True]
    found = climb(scores, [0, 1], tabu=5, noinc=5, constraints=Constraints.of(2, forbidden=[(0, 1)]))
    assert _arcs(found) == {(1, 0)}
    assert found.trace.move[0] == "add"
    assert found.trace.arbitrary[0] is False


def test_it_stops_when_time_is_up_and_says_so() -> None:
    scores = _scores(1, 5, 40, "loglik", continuous=False)
    stopped = climb(scores, range(5), time_is_up=lambda: True)
    assert not stopped.finished
    assert stopped.parents == (0,) * 5


def test_it_looks_at_the_clock_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    # No time between two checks: only work before the first check of the clock is done.
    monkeypatch.setattr(import_module("stablebn.search.hill_climbing"), "_SECONDS_AT_ONCE", 0.0)
    scores = _scores(1, 6, 40, "loglik", continuous=False)
    asked = iter([False, False, True])
    stopped = climb(scores, range(6), time_is_up=lambda: next(asked))
    assert next(asked, None) is None
    assert not stopped.finished


def test_watch_sees_the_steps_grow_to_the_last() -> None:
    seen: list[tuple[str, int]] = []
    scores = _scores(1, 5, 40, "loglik", continuous=False)
    watch = watch_stages(lambda stage, steps: seen.append((stage, steps)), ["one", "other"])
    found = climb_in_orders(scores, [range(5), [4, 3, 2, 1, 0]], watch=watch)
    assert dict(seen) == {"one": len(found[0].trace), "other": len(found[1].trace)}
    assert [steps for stage, steps in seen if stage == "one"] == sorted(
        {steps for stage, steps in seen if stage == "one"}
    )


def test_climbs_at_once_are_those_one_by_one() -> None:
    scores = _scores(2, 6, 60, "bic", continuous=False)
    orders = [list(range(6)), [5, 4, 3, 2, 1, 0], [2, 0, 5, 1, 3, 4]]
    for found, order in zip(climb_in_orders(scores, orders, ClimbSettings(tabu=3, noinc=3)), orders, strict=True):
        alone = climb(_scores(2, 6, 60, "bic", continuous=False), order, tabu=3, noinc=3)
        assert (found.parents, found.score, found.trace) == (alone.parents, alone.score, alone.trace)


@pytest.mark.parametrize("n", [0, 1])
def test_nothing_to_climb_is_no_error(n: int) -> None:
    table = random_categorical_table(np.random.default_rng(1), 2, 10).select(range(n))
    found = climb(family_scores(table, ScoreConfig("bic")), range(n), tabu=10, noinc=10)
    assert found.parents == (0,) * n
