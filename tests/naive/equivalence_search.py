"""Greedy equivalence search by the definition of neighbouring classes: every DAG of the class, every single arc."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import Any, NamedTuple

from stablebn.errors import GraphError
from stablebn.graph import DAG, PDAG
from stablebn.scores.families import FamilyScores


class Step(NamedTuple):
    """An operator that was made."""

    phase: str
    x: int
    y: int
    others: tuple[int, ...]
    delta: int


def dags_of(cpdag: PDAG) -> Iterator[DAG]:
    """All DAGs of a class: every way to direct the undirected edges that leads back to the class."""
    for flips in product((False, True), repeat=len(cpdag.undirected)):
        turned = [(b, a) if flip else (a, b) for flip, (a, b) in zip(flips, cpdag.undirected, strict=True)]
        try:
            dag = DAG(cpdag.nodes, [*cpdag.directed, *turned])
        except GraphError:
            continue
        if dag.cpdag() == cpdag:
            yield dag


def families_of(dag: DAG) -> list[int]:
    """Parent set of each variable of a DAG over 0 .. n - 1."""
    arcs: Any = dag.arcs
    return [sum(1 << u for u, v in arcs if v == child) for child in range(len(dag.nodes))]


def score_of(scores: FamilyScores, dag: DAG) -> int:
    """Total score of a DAG, family by family."""
    return sum(scores.family(v, family) for v, family in enumerate(families_of(dag)))


def added(dag: DAG) -> Iterator[tuple[int, int, DAG]]:
    """Every DAG with one arc more."""
    for x, y in permutations(range(len(dag.nodes)), 2):
        if x not in dag.parents(y) and y not in dag.parents(x):
            try:
                yield x, y, DAG(dag.nodes, [*dag.arcs, (x, y)])
            except GraphError:
                continue


def removed(dag: DAG) -> Iterator[tuple[int, int, DAG]]:
    """Every DAG with one arc less."""
    arcs: Any = dag.arcs
    for x, y in arcs:
        yield x, y, DAG(dag.nodes, [arc for arc in arcs if arc != (x, y)])


def operators(cpdag: PDAG, phase: str, most_parents: int) -> dict[tuple[int, int, tuple[int, ...]], tuple[DAG, DAG]]:
    """(x, y, T) or (x, y, H) of every operator, with a DAG that it changes and what that becomes."""
    found = {}
    for dag in dags_of(cpdag):
        for x, y, changed in (added if phase == "forward" else removed)(dag):
            neighbours: Any = cpdag.neighbours(y)
            near = {v for v in neighbours if cpdag.adjacent(v, x)}
            above = {v for v in neighbours if v in dag.parents(y)} - {x}
            if len(changed.parents(y)) > most_parents or (phase == "forward" and not near <= above):
                continue
            others = above - near if phase == "forward" else near - above
            found[x, y, tuple(sorted(others))] = (dag, changed)
    return found


def obeying(
    cpdag: PDAG,
    forbidden: Collection[tuple[Any, Any]] = (),
    required: Collection[tuple[Any, Any]] = (),
    most_parents: Mapping[Any, int] | None = None,
) -> list[DAG]:
    """The DAGs of a class without a forbidden arc, with all required ones, and nowhere with too many parents."""
    return [
        dag
        for dag in dags_of(cpdag)
        if not any(arc in forbidden for arc in dag.arcs)
        and all(arc in dag.arcs for arc in required)
        and all(len(dag.parents(node)) <= most for node, most in (most_parents or {}).items())
    ]


def common(dags: Sequence[DAG]) -> PDAG:
    """The edges that all of some DAGs of one class have, directed where these agree."""
    first = dags[0]
    agreed = [arc for arc in first.arcs if all(arc in dag.arcs for dag in dags)]
    return PDAG(first.nodes, agreed, [arc for arc in first.arcs if arc not in agreed])


def naive_search(
    scores: FamilyScores,
    order: Sequence[int],
    most_parents: int | None = None,
    forbidden: Collection[tuple[int, int]] = (),
    required: Collection[tuple[int, int]] = (),
    own_limits: Mapping[int, int] | None = None,
) -> tuple[PDAG, list[Step]]:
    """Forward and backward phase from the graph of the required arcs, through classes of which some DAG obeys."""
    usual = scores.n if most_parents is None else most_parents
    limits = {v: (own_limits or {}).get(v, usual) for v in range(scores.n)}
    most = min(scores.most_parents, max(limits.values()))
    place = {v: p for p, v in enumerate(order)}
    cpdag = DAG(range(scores.n), required).cpdag()
    steps = []
    for phase in ("forward", "backward"):
        while True:
            ranked = []
            for (x, y, others), (before, after) in operators(cpdag, phase, most).items():
                delta = score_of(scores, after) - score_of(scores, before)
                in_order = tuple(sorted(others, key=place.__getitem__))
                key = (-delta, place[x], place[y], tuple(place[v] for v in in_order))
                ranked.append((key, Step(phase, x, y, in_order, delta), after))
            ranked = sorted(entry for entry in ranked if entry[1].delta > 0)
            best = next((entry for entry in ranked if obeying(entry[2].cpdag(), forbidden, required, limits)), None)
            if best is None:
                break
            _, step, after = best
            steps.append(step)
            cpdag = after.cpdag()
    return cpdag, steps
