"""The search among orders against its naive twin."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from tests.drawn import KINDS
from tests.naive import ordering as naive
from tests.preparing import prepare
from tests.tables import categorical_columns, continuous_columns, mixed_columns

from stablebn import _core
from stablebn.learners import Problem, define_problem
from stablebn.scores.registry import ScoreConfig
from stablebn.search import Constraints
from stablebn.search.parent_sets import candidate_sets
from stablebn.stats.variable_sets import bit

MAKERS = {"categorical": categorical_columns, "continuous": continuous_columns, "mixed": mixed_columns}
N = 8
# Nothing but the climb: no kicks, and no families that are taken in on the way.
CLIMB_ONLY = _core.OrderEffort(orders=1, attempts=0, rounds_in_vain=0, width=0)


def _problem(kind: str, seed: int) -> Problem:
    columns = MAKERS[kind](np.random.default_rng(seed), N, 300)
    return define_problem(prepare(columns).table, ScoreConfig(k=0.3), unit_free=kind != "categorical")


def _constraints(seed: int) -> Constraints:
    """A few constraints, or for even numbers none."""
    if seed % 2 == 0:
        return Constraints.of(N)
    a, b, c, d = np.random.default_rng(seed).permutation(N)[:4].tolist()
    return Constraints.of(N, required=[(a, b), (b, c)], forbidden=[(d, b)], most_parents={d: 2})


def _bank(problem: Problem, constraints: Constraints, width: int) -> _core.FamilyBank:
    limits = list(constraints.required), list(constraints.allowed), constraints.limits(None)
    bank = _core.FamilyBank(problem.scores.compiled, *limits)
    bank.grow(list(range(N)), width)
    return bank


def _orders(seed: int) -> list[list[int]]:
    """Orders in which the required arcs may or may not point the right way."""
    draw = Random(seed)
    return [draw.sample(range(N), N) for _ in range(3)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_families_are_worth_what_the_scores_say_and_obey(kind: str, seed: int) -> None:
    problem, constraints = _problem(kind, seed), _constraints(seed)
    bank = _bank(problem, constraints, 6)
    for v in range(N):
        required, allowed, most = constraints.required[v], constraints.allowed[v], constraints.limits(None)[v]
        smallest = problem.scores.family(v, required)
        choices = bank.choices(v)
        assert choices == sorted(choices, key=lambda own: (-own[0], len(own[1]), own[1]))
        assert (0, [u for u in range(N) if required >> u & 1]) in choices
        for score, parents in choices:
            own = sum(map(bit, parents))
            assert score == problem.scores.family(v, own) - smallest
            assert required & ~own == own & ~allowed == 0
            assert len(parents) <= most


@pytest.mark.parametrize("seed", range(4))
def test_of_all_candidates_it_needs_no_others(seed: int) -> None:
    problem, constraints = _problem("categorical", seed), _constraints(seed)
    limits = constraints.limits(None)
    listed = _core.CandidateSearch(
        problem.scores.compiled, list(constraints.allowed), constraints.required, limits, 10**6, 10**6
    )
    assert listed.go_on(60.0)
    bank = _core.FamilyBank(problem.scores.compiled, list(constraints.required), list(constraints.allowed), limits)
    bank.take_in(listed)
    assert bank.complete
    found = candidate_sets(problem.scores, constraints=constraints)
    for v in range(N):
        smallest = problem.scores.family(v, constraints.required[v])
        expected = dict(zip(found.sets[v], found.scores[v], strict=True))
        assert {sum(map(bit, own)): score + smallest for score, own in bank.choices(v)} == expected


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", KINDS)
def test_it_climbs_as_its_naive_twin_to_where_no_move_is_left(kind: str, seed: int) -> None:
    problem, constraints = _problem(kind, seed), _constraints(seed)
    bank = _bank(problem, constraints, 6)
    families = [bank.choices(v) for v in range(N)]
    for order in _orders(seed):
        search = _core.OrderSearch(bank, CLIMB_ONLY)
        search.add(order)
        assert search.advance(1.0, lambda: False)
        found = search.order
        highest = naive.value(families, found)
        assert highest > naive.NOTHING
        assert found == naive.climb(families, order)
        moves = [naive.with_move(found, v, place) for v in range(N) for place in range(N)]
        assert max(naive.value(families, move) for move in moves) == highest
        expected = [naive.best_family(families, v, found[: found.index(v)]) for v in range(N)]
        assert search.parents() == [family[1] for family in expected if family is not None]


@pytest.mark.parametrize("forces_families", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_with_kicks_it_ends_no_lower_and_at_a_summit(seed: int, forces_families: bool) -> None:
    problem, constraints = _problem("categorical", seed), _constraints(seed)
    ends = []
    for effort in (CLIMB_ONLY, _core.OrderEffort(3, 10, 2, 0, forces_families)):
        bank = _bank(problem, constraints, 6)
        families = [bank.choices(v) for v in range(N)]
        search = _core.OrderSearch(bank, effort)
        for order in _orders(seed):
            search.add(order)
        while not search.advance(1.0, lambda: False):
            pass
        ends.append(naive.value(families, search.order))
        moves = [naive.with_move(search.order, v, place) for v in range(N) for place in range(N)]
        assert max(naive.value(families, move) for move in moves) == ends[-1]
    assert ends[1] >= ends[0]


def _highest(families: naive.Families) -> int:
    """What the best of all orders is worth, by dynamic programming over the variables that stand first."""
    best = {frozenset[int](): 0}
    for size in range(N):
        for first in [first for first in best if len(first) == size]:
            for v in set(range(N)) - first:
                found = naive.best_family(families, v, sorted(first))
                worth = best[first] + (naive.NOTHING if found is None else found[0])
                best[first | {v}] = max(best.get(first | {v}, worth), worth)
    return best[frozenset(range(N))]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", KINDS)
def test_its_last_look_finds_the_best_order_of_few_variables(kind: str, seed: int) -> None:
    # Without attempts nothing is done but the climb and, at the end, a look at what some variables might rather have.
    problem, constraints = _problem(kind, seed), _constraints(seed)
    bank = _bank(problem, constraints, 6)
    families = [bank.choices(v) for v in range(N)]
    search = _core.OrderSearch(bank, _core.OrderEffort(orders=1, attempts=0, rounds_in_vain=1, width=0))
    search.add(_orders(seed)[0])
    while not search.advance(1.0, lambda: False):
        pass
    assert naive.value(families, search.order) == _highest(families)
