"""Candidate parent sets and best DAGs by looking at all there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stablebn.knowledge.constraints import Constraints
from stablebn.scores.base import FamilyScores
from stablebn.stats.variable_sets import bit


def subsets(variables: int) -> Iterator[int]:
    """All subsets of a set, the empty one first."""
    found = 0
    while True:
        yield found
        found = (found - variables) & variables
        if not found:
            return


def all_families(
    scores: FamilyScores, child: int, *, max_parents: int | None = None, constraints: Constraints | None = None
) -> dict[int, int]:
    """The score of every family of a child that may be."""
    limits = constraints or Constraints.of(scores.n)
    others = limits.allowed[child] & ~bit(child)
    required, most = limits.required[child], limits.limits(max_parents)[child]
    is_candidate = getattr(scores, "is_candidate", lambda child, parents: True)
    return {
        parents: scores.family(child, parents)
        for parents in subsets(others)
        if not required & ~parents and parents.bit_count() <= most and is_candidate(child, parents)
    }


def naive_candidates(families: Mapping[int, int]) -> list[tuple[int, int]]:
    """Scores and sets that score more than all their subsets; by decreasing score, then by size, then by bits."""
    found = [
        (score, parents)
        for parents, score in families.items()
        if all(families.get(own, score - 1) < score for own in subsets(parents) if own != parents)
    ]
    return sorted(found, key=lambda own: (-own[0], own[1].bit_count(), own[1]))


def all_dags(families: list[dict[int, int]]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Score and parent sets of every DAG made of some families."""

    def extend(chosen: tuple[int, ...], score: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        child = len(chosen)
        if child == len(families):
            if is_acyclic(chosen):
                yield score, chosen
            return
        for parents, own in families[child].items():
            yield from extend((*chosen, parents), score + own)

    return extend((), 0)


def is_acyclic(parents: tuple[int, ...]) -> bool:
    """Whether parent sets make a DAG."""
    waiting, placed = set(range(len(parents))), 0
    while waiting:
        free = {v for v in waiting if not parents[v] & ~placed}
        if not free:
            return False
        placed |= sum(map(bit, free))
        waiting -= free
    return True
