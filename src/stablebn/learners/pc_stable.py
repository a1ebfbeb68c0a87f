"""PC-Stable: PC with an order-independent skeleton."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations

from stablebn.learners.constraint_based.ci_test_runner import CITestRunner, gather, pair
from stablebn.learners.constraint_based.orientation import by_direction, known_children, oriented, v_structures
from stablebn.learners.constraint_based.separating_sets import Separation
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.pattern import Pattern, test_trace
from stablebn.learners.shared.problem import Problem
from stablebn.search import Constraints
from stablebn.stats.variable_sets import bit


def pc_stable(problem: Problem, config: SearchConfig) -> Pattern:
    """Learn with PC; the skeleton does not depend on the order, which decides only which separating set is found first.

    Variables that no allowed arc can join are never adjacent, and those that a required arc joins always are: neither
    pair is tested.

    References
    ----------
    Colombo and Maathuis, "Order-independent constraint-based causal structure learning", 2014, algorithm 4.1.
    """
    runner = gather(problem, config)
    constraints = problem.constraints or Constraints.of(runner.test.n)
    adjacent = list(constraints.joinable)
    separations: dict[tuple[int, int], Separation] = {}
    thin_skeleton(runner, adjacent, separations, constraints.joined)
    if problem.constraints is not None:
        separate_those_apart(runner, adjacent, separations, constraints)
    finished = runner.limit.kept
    # An unfinished skeleton has too many edges: directions would mean nothing and take long to find.
    if finished:
        colliders = v_structures(adjacent, separations, runner.order)
        directed, undirected, conflicts = oriented(adjacent, colliders, constraints)
    else:
        directed, undirected = by_direction(adjacent, known_children(adjacent, constraints))
        conflicts = ()
    return Pattern(
        directed=directed,
        undirected=undirected,
        order=runner.order,
        trace=test_trace(runner.test.performed, {}, {xy: separation.given for xy, separation in separations.items()}),
        finished=finished,
        conflicts=conflicts,
        has_directions=finished,
    )


def thin_skeleton(
    runner: CITestRunner, adjacent: list[int], separations: dict[tuple[int, int], Separation], joined: Sequence[int]
) -> None:
    """Remove every edge whose end nodes are independent given some set of neighbours; test smaller sets first.

    The neighbours are those at the start of each size, so the skeleton does not depend on the order. Pairs in `joined`
    (required arcs) are not tested. A pair that was never tested, because the time was up, is not an edge.
    """
    size = 0
    while size <= runner.most and runner.limit.kept and any(around.bit_count() > size for around in adjacent):
        pairs = [(x, y) for x, y in combinations(runner.order, 2) if (adjacent[x] & ~joined[x]) >> y & 1]
        query = partial(separation_among_neighbours, tuple(adjacent), size)
        answers = runner.answers(f"sets of {size}", query, pairs)
        for (x, y), answer in zip(pairs, answers, strict=True):
            if answer:
                separations[pair(x, y)] = answer[0]
            if answer or (answer is None and size == 0):
                adjacent[x] &= ~bit(y)
                adjacent[y] &= ~bit(x)
        size += 1


def separate_those_apart(
    runner: CITestRunner, adjacent: list[int], separations: dict[tuple[int, int], Separation], constraints: Constraints
) -> None:
    """Find separating sets of pairs that no arc may join and that have a common neighbour.

    Such pairs are not tested as edges, but their separating set decides whether the common neighbour is a collider.
    """
    pairs = [
        (x, y)
        for x, y in combinations(runner.order, 2)
        if not constraints.joinable[x] >> y & 1 and adjacent[x] & adjacent[y]
    ]

    def query(runner: CITestRunner, ends: tuple[int, int]) -> list[Separation]:
        most = min(runner.most, max(adjacent[v].bit_count() for v in ends))
        separations_of = (separation_among_neighbours(tuple(adjacent), size, runner, ends) for size in range(most + 1))
        return next(filter(None, separations_of), [])

    for ends, answer in zip(pairs, runner.answers("pairs apart", query, pairs), strict=True):
        if answer:
            separations[pair(*ends)] = answer[0]


def separation_among_neighbours(
    adjacent: tuple[int, ...], size: int, runner: CITestRunner, ends: tuple[int, int]
) -> list[Separation]:
    """Return the first separation of two variables by `size` neighbours of one of them, if there is one."""
    x, y = ends
    tried = 0
    for pool in (adjacent[x] & ~bit(y), adjacent[y] & ~bit(x)) if size else (0,):
        separator = runner.separating_set(x, y, pool, range(size, size + 1), tried)
        if separator is not None:
            return [Separation(*separator)]
        tried = pool
    return []
