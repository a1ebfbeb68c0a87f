"""Greedy equivalence search by the definition of neighbouring classes: every DAG of the class, every single arc."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import Any, NamedTuple

from stablebn.errors import GraphError
from stablebn.graph import DAG, PDAG
from stablebn.scores.base import FamilyScores


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


def turned(dag: DAG) -> Iterator[tuple[int, int, DAG]]:
    """Every DAG with one arc turned, as x -> y, that is not in the same class."""
    arcs: Any = dag.arcs
    for y, x in arcs:
        try:
            changed = DAG(dag.nodes, [*(arc for arc in arcs if arc != (y, x)), (x, y)])
        except GraphError:
            continue
        if changed.cpdag() != dag.cpdag():
            yield x, y, changed


_CHANGES = {"forward": added, "backward": removed, "turning": turned}


def operators(cpdag: PDAG, phase: str, most_parents: int) -> dict[tuple[int, int, tuple[int, ...]], tuple[DAG, DAG]]:
    """(x, y, T), (x, y, H) or (x, y, C) of every operator, with a DAG that it changes and what that becomes."""
    found = {}
    for dag in dags_of(cpdag):
        for x, y, changed in _CHANGES[phase](dag):
            neighbours: Any = cpdag.neighbours(y)
            near = {v for v in neighbours if cpdag.adjacent(v, x)}
            above = {v for v in neighbours if v in dag.parents(y)} - {x}
            if len(changed.parents(y)) > most_parents or (phase == "forward" and not near <= above):
                continue
            others = {"forward": above - near, "backward": near - above, "turning": above}[phase]
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


class NaiveSearch:
    """A search from the graph of the required arcs, through classes of which some DAG obeys."""

    def __init__(
        self,
        scores: FamilyScores,
        order: Sequence[int],
        most_parents: int | None = None,
        forbidden: Collection[tuple[int, int]] = (),
        required: Collection[tuple[int, int]] = (),
        own_limits: Mapping[int, int] | None = None,
    ) -> None:
        usual = scores.n if most_parents is None else most_parents
        limits = {v: (own_limits or {}).get(v, usual) for v in range(scores.n)}
        self.scores, self.known = scores, (forbidden, required, limits)
        self.most = min(scores.most_parents, max(limits.values()))
        self.place = {v: p for p, v in enumerate(order)}
        self.cpdag = DAG(range(scores.n), required).cpdag()
        self.steps: list[Step] = []

    def ranked(self, phase: str, cpdag: PDAG) -> list[tuple[Any, Step, PDAG]]:
        """All operators of a kind that lead to a class of which some DAG obeys, the one to prefer first."""
        found: list[tuple[Any, Step, PDAG]] = []
        for (x, y, others), (before, after) in operators(cpdag, phase, self.most).items():
            delta = score_of(self.scores, after) - score_of(self.scores, before)
            in_order = tuple(sorted(others, key=self.place.__getitem__))
            key = (-delta, self.place[x], self.place[y], tuple(self.place[v] for v in in_order))
            if obeying(after.cpdag(), *self.known):
                found.append((key, Step(phase, x, y, in_order, delta), after.cpdag()))
        return sorted(found, key=lambda entry: entry[0])

    def climb(
        self, phases: Sequence[str], cpdag: PDAG, barred: tuple[int, int] | None = None
    ) -> tuple[list[Step], PDAG]:
        """The best operator of the first phase that has one, again and again."""
        steps = []
        while True:
            for phase in phases:
                better = [
                    entry
                    for entry in self.ranked(phase, cpdag)
                    if entry[1].delta > 0 and not (phase == "forward" and (entry[1].x, entry[1].y) == barred)
                ]
                if better:
                    _, step, cpdag = better[0]
                    steps.append(step)
                    break
            else:
                return steps, cpdag

    def two_phases(self) -> NaiveSearch:
        """FGES: insertions, then deletions."""
        for phase in ("forward", "backward"):
            steps, self.cpdag = self.climb([phase], self.cpdag)
            self.steps += steps
        return self

    def extended(self) -> NaiveSearch:
        """XGES: deletions before turns before insertions, and a second look at every edge."""
        phases = ("backward", "turning", "forward")
        self.steps, self.cpdag = self.climb(phases, self.cpdag)
        made = -1
        while len(self.steps) > made:
            made = len(self.steps)
            for _, listed, _ in self.ranked("backward", self.cpdag):
                key = (listed.x, listed.y, listed.others)
                for _, step, after in self.ranked("backward", self.cpdag):
                    if (step.x, step.y, step.others) == key:
                        steps, cpdag = self.climb(phases, after, (step.x, step.y))
                        if step.delta + sum(own.delta for own in steps) > 0:
                            more, self.cpdag = self.climb(phases, cpdag)
                            self.steps += [step, *steps, *more]
                        break
        return self
