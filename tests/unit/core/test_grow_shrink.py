"""The search with grown parents against its naive twin."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from tests.drawn import KINDS, SCORES
from tests.naive.grow_shrink import LEAST, Naive
from tests.preparing import prepare
from tests.tables import categorical_columns, continuous_columns, mixed_columns

from stablebn import _core
from stablebn.learners import Problem, define_problem
from stablebn.scores.registry import ScoreConfig
from stablebn.search import Constraints
from stablebn.stats.variable_sets import bit

MAKERS = {"categorical": categorical_columns, "continuous": continuous_columns, "mixed": mixed_columns}
N = 7
# Nothing but the climb: no perturbations.
CLIMB_ONLY = _core.GrowShrinkEffort(orders=2, attempts=0, rounds_in_vain=0)
CASES = [pytest.param(kind, score, id=f"{kind} {score}") for kind in KINDS for score in SCORES[kind]]


def _problem(kind: str, seed: int, score: str = "bic", **options: object) -> Problem:
    columns = MAKERS[kind](np.random.default_rng(seed), N, 300)
    config = ScoreConfig(score=score, **options)  # type: ignore[arg-type]
    return define_problem(prepare(columns).table, config, unit_free=kind != "categorical" and score != "bge")


def _constraints(seed: int) -> Constraints:
    """A few constraints, or for even numbers none."""
    if seed % 2 == 0:
        return Constraints.of(N)
    a, b, c, d = np.random.default_rng(seed).permutation(N)[:4].tolist()
    return Constraints.of(N, required=[(a, b), (b, c)], forbidden=[(d, b)], most_parents={d: 2})


def _search(problem: Problem, constraints: Constraints, effort: _core.GrowShrinkEffort) -> _core.GrowShrinkSearch:
    limits = list(constraints.required), list(constraints.allowed), constraints.limits(None)
    return _core.GrowShrinkSearch(problem.scores.compiled, *limits, effort)


def _order(constraints: Constraints, seed: int) -> list[int]:
    """Draw an order in which required parents stand first."""
    order: list[int] = []
    for v in Random(seed).sample(range(N), N):
        order += [u for u in _with_required_ancestors(constraints, v) if u not in order]
    return order


def _with_required_ancestors(constraints: Constraints, v: int) -> list[int]:
    above = [u for u in range(N) if constraints.required[v] >> u & 1]
    return [*(w for u in above for w in _with_required_ancestors(constraints, u)), v]


def _ended(search: _core.GrowShrinkSearch) -> _core.GrowShrinkSearch:
    while not search.advance(1.0, lambda: False):
        pass
    return search


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("kind", "score"), CASES)
def test_it_climbs_as_its_naive_twin(kind: str, score: str, seed: int) -> None:
    problem, constraints = _problem(kind, seed, score, prior="size" if seed > 1 else "uniform"), _constraints(seed)
    order = _order(constraints, seed)
    search = _search(problem, constraints, CLIMB_ONLY)
    search.add(order, [0] * N)
    _ended(search)
    naive = Naive(problem, constraints)
    expected = [naive.climb(state) for state in (naive.begin(order), naive.begin_greedily())]
    found = [frozenset(own) for own in search.parents()]
    assert abs(naive.value(found) - max(naive.value(state.parents) for state in expected)) <= LEAST
    assert found in [state.parents for state in expected]


@pytest.mark.parametrize("kind", KINDS)
def test_parents_to_begin_with_are_kept_as_far_as_they_pay(kind: str) -> None:
    problem, constraints = _problem(kind, 8), Constraints.of(N)
    best = _ended(_search_from(problem, constraints, [0] * N))
    again = _ended(_search_from(problem, constraints, [sum(map(bit, own)) for own in best.parents()], best.order))
    assert (again.order, again.parents()) == (best.order, best.parents())


def _search_from(
    problem: Problem, constraints: Constraints, dag: list[int], order: list[int] | None = None
) -> _core.GrowShrinkSearch:
    search = _search(problem, constraints, CLIMB_ONLY)
    search.add(order or list(range(N)), dag)
    return search


@pytest.mark.parametrize("kind", KINDS)
def test_perturbed_orders_end_no_lower_and_obey(kind: str) -> None:
    problem, constraints = _problem(kind, 3), _constraints(3)
    values = []
    for effort in (CLIMB_ONLY, _core.GrowShrinkEffort(2, 10, 2)):
        search = _search(problem, constraints, effort)
        search.add(_order(constraints, 3), [0] * N)
        parents = [sum(map(bit, own)) for own in _ended(search).parents()]
        for v, own in enumerate(parents):
            assert constraints.required[v] & ~own == own & ~constraints.allowed[v] == 0
            assert own.bit_count() <= constraints.limits(None)[v]
        values.append(problem.scores.dag(parents))
    assert values[1] >= values[0]


@pytest.mark.parametrize("kind", KINDS)
def test_it_goes_on_from_a_state_as_if_it_had_never_stopped(kind: str) -> None:
    problem, constraints = _problem(kind, 5), Constraints.of(N)
    effort = _core.GrowShrinkEffort(2, 5, 2)
    first = _search(problem, constraints, effort)
    first.add(list(range(N)), [0] * N)
    first.advance(0.0, lambda: False)
    other = _search(problem, constraints, effort)
    other.add(list(range(N)), [0] * N)
    other.go_on_from(*first.state())
    assert _ended(other).state() == _ended(first).state()
