"""The climbing loop as section 3 of the specification describes it: every candidate graph is built and scored whole."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from stablebn.fixed_point import UNIT
from stablebn.scores.base import FamilyScores

Arcs = frozenset[tuple[int, int]]


class Step(NamedTuple):
    """A move and what was known of it."""

    move: str
    source: int
    target: int
    delta: float
    next_delta: float | None
    arbitrary: bool


@dataclass
class NaiveClimb:
    """What the naive climb found."""

    arcs: Arcs
    score: Fraction
    steps: list[Step]


def score_of(scores: FamilyScores, arcs: Arcs) -> Fraction:
    """Total score of a graph, family by family."""
    total = 0
    for child in range(scores.n):
        parents = sum(1 << u for u, v in arcs if v == child)
        total += scores.family(child, parents)
    return Fraction(total, UNIT)


def is_acyclic(arcs: Arcs, n: int) -> bool:
    """Whether repeatedly removing roots empties the graph."""
    left = set(range(n))
    while True:
        roots = {v for v in left if not any(u in left for u, w in arcs if w == v)}
        if not roots:
            return not left
        left -= roots


def candidates(
    arcs: Arcs,
    n: int,
    most_parents: Sequence[int],
    forbidden: Collection[tuple[int, int]] = (),
    required: Collection[tuple[int, int]] = (),
) -> Iterator[tuple[str, int, int, Arcs]]:
    """All single-arc changes after which the graph is acyclic, no family too large, and what is known obeyed.

    A forbidden arc may be there from the start; no required one may be lost.
    """
    for u in range(n):
        for v in range(n):
            if u == v:
                continue
            if (u, v) in arcs:
                changes = [("delete", arcs - {(u, v)}), ("reverse", arcs - {(u, v)} | {(v, u)})]
            elif (v, u) in arcs:
                changes = []
            else:
                changes = [("add", arcs | {(u, v)})]
            for move, changed in changes:
                fits = all(sum(w == child for _, w in changed) <= most for child, most in enumerate(most_parents))
                may = not any(arc in forbidden for arc in changed - arcs) and changed >= set(required)
                if fits and may and is_acyclic(changed, n):
                    yield move, u, v, changed


def naive_climb(
    scores: FamilyScores,
    order: Sequence[int],
    *,
    start: Arcs = frozenset(),
    tabu: int = 0,
    noinc: int = 0,
    max_parents: int | None = None,
    forbidden: Collection[tuple[int, int]] = (),
    required: Collection[tuple[int, int]] = (),
    most_parents: Mapping[int, int] | None = None,
) -> NaiveClimb:
    """Climb, HC being the case tabu = noinc = 0."""
    usual = scores.most_parents if max_parents is None else max_parents
    most = [min((most_parents or {}).get(v, usual), scores.most_parents) for v in range(scores.n)]
    place = {v: p for p, v in enumerate(order)}
    kinds = ("add", "delete", "reverse")
    arcs = best = start | frozenset(required)
    score = best_score = score_of(scores, arcs)
    visited = [arcs][-tabu:] if tabu else []
    steps: list[Step] = []
    bad = 0
    while True:
        ranked = []
        for move, u, v, changed in candidates(arcs, scores.n, most, forbidden, required):
            if changed not in visited:
                delta = float(score_of(scores, changed) - score)
                ranked.append(((-delta, kinds.index(move), place[u], place[v]), move, u, v, delta, changed))
        ranked.sort(key=lambda entry: entry[0])
        if not ranked:
            break
        _, move, u, v, delta, changed = ranked[0]
        if delta <= 0 and bad + 1 > noinc:
            break
        other_way = any((entry[1], entry[2], entry[3], entry[4]) == ("add", v, u, delta) for entry in ranked)
        steps.append(Step(move, u, v, delta, ranked[1][4] if len(ranked) > 1 else None, move == "add" and other_way))
        arcs = changed
        score = score_of(scores, arcs)
        bad += delta <= 0
        if score > best_score:
            best, best_score, bad = arcs, score, 0
        visited = [*visited, arcs][-tabu:] if tabu else []
    return NaiveClimb(best, best_score, steps)
