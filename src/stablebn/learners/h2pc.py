"""Hybrid HPC."""

from __future__ import annotations

from stablebn.learners.constraint_based.ci_test_runner import Evidence, all_but
from stablebn.learners.constraint_based.restricted import climb_among_candidates
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.problem import Problem
from stablebn.search import Climb
from stablebn.stats.variable_sets import bit


def h2pc(problem: Problem, config: SearchConfig) -> Climb:
    """Hill climbing among the parents and children that HPC finds.

    References
    ----------
    Gasse, Aussem and Elghazel (2014), "A hybrid algorithm for Bayesian network structure learning with application to
    multi-label learning", algorithms 1 to 4.
    """
    return climb_among_candidates(problem, config, hybrid_parents_and_children)


def hybrid_parents_and_children(evidence: Evidence, x: int, joinable: int) -> int:
    """HPC: an incremental search for neighbours among few likely ones, from both sides.

    What no allowed arc can join to x may be a parent of one of its children, and is tested; a neighbour it is not.
    """
    neighbours, separated_by = neighbour_superset(evidence, x)
    spouses = spouse_superset(evidence, x, neighbours, separated_by)
    among = neighbours | spouses
    found = incremental_neighbours(evidence, x, among)
    for y in evidence.ordered(neighbours & ~found & joinable):
        if incremental_neighbours(evidence, y, (among | bit(x)) & ~bit(y)) >> x & 1:
            found |= bit(y)
    return found & joinable


def neighbour_superset(evidence: Evidence, x: int) -> tuple[int, dict[int, int]]:
    """DE-PCS: what no other single variable separates from x, and what separates the rest.

    The weakest associations are looked at first, and the strongest are tried first to explain them.
    """
    others = evidence.ordered(all_but(evidence.test.n, x))
    p_value = dict(zip(others, evidence.p_values(x, others, 0), strict=True))
    separated_by = {y: 0 for y in others if p_value[y] > evidence.alpha}
    inside = sorted((y for y in others if y not in separated_by), key=p_value.__getitem__)
    for y in reversed(list(inside)) if evidence.most else ():
        found = evidence.first_separator(x, y, [z for z in inside if z != y], 0)
        if found is not None:
            separated_by[y] = bit(found)
            inside.remove(y)
    return sum(map(bit, inside)), separated_by


def spouse_superset(evidence: Evidence, x: int, neighbours: int, separated_by: dict[int, int]) -> int:
    """DE-SPS: what depends on x given a neighbour besides what separates it, and no other such one explains."""
    by_separator: dict[int, list[int]] = {}
    for y, given in separated_by.items():
        by_separator.setdefault(given, []).append(y)
    spouses = 0
    for through in evidence.ordered(neighbours):
        dependent = 0
        for given, candidates in by_separator.items():
            p_values = evidence.p_values(x, candidates, given | bit(through))
            dependent |= sum(bit(y) for y, p in zip(candidates, p_values, strict=True) if p <= evidence.alpha)
        own = evidence.ordered(dependent)
        for y in list(own):
            if evidence.first_separator(x, y, [z for z in own if z != y], bit(through)) is not None:
                own.remove(y)
        spouses |= sum(map(bit, own))
    return spouses


def incremental_neighbours(evidence: Evidence, x: int, among: int) -> int:
    """FDR-IAPC: the Markov blanket with a controlled rate of false discoveries, without what a part of it separates."""
    return evidence.inseparable(x, controlled_blanket(evidence, x, among))


def controlled_blanket(evidence: Evidence, x: int, among: int) -> int:
    """IAMB with control of the false discovery rate (Benjamini and Yekutieli) at every step (Pena 2008)."""
    place = {v: p for p, v in enumerate(evidence.order)}
    blanket = 0
    seen = {blanket}
    while True:
        outside = evidence.ordered(among & ~blanket)
        ranked = list(zip(evidence.p_values(x, outside, blanket), outside, strict=True))
        inside = evidence.ordered(blanket)
        ranked += zip(evidence.p_values_given_rest(x, inside, blanket), inside, strict=True)
        ranked.sort(key=lambda entry: (entry[0], place[entry[1]]))
        harmonic = sum(1 / i for i in range(1, len(ranked) + 1))
        adjusted = [(p * len(ranked) / i * harmonic, y) for i, (p, y) in enumerate(ranked, start=1)]
        leaving = [y for p, y in reversed(adjusted) if p > evidence.alpha and blanket >> y & 1]
        entering = [y for p, y in adjusted if p <= evidence.alpha and not blanket >> y & 1]
        if leaving:
            blanket &= ~bit(leaving[0])
        elif entering and blanket.bit_count() < evidence.most:
            blanket |= bit(entering[0])
        else:
            return blanket
        # A blanket that comes again would come for ever.
        if blanket in seen:
            return blanket
        seen.add(blanket)
