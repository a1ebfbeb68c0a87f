"""H2PC: hill climbing among hybrid parents and children."""

from __future__ import annotations

from stablebn.learners.constraint_based.ci_test_runner import CITestRunner, all_but
from stablebn.learners.constraint_based.restricted import climb_among_candidates
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.problem import Problem
from stablebn.search import Climb
from stablebn.stats.variable_sets import bit


def h2pc(problem: Problem, config: SearchConfig) -> Climb:
    """Run hill climbing among the parents and children that HPC finds.

    References
    ----------
    Gasse, Aussem and Elghazel, "A hybrid algorithm for Bayesian network structure learning with application to
    multi-label learning", 2014, algorithms 1 to 4.
    """
    return climb_among_candidates(problem, config, hybrid_parents_and_children)


def hybrid_parents_and_children(runner: CITestRunner, x: int, joinable: int) -> int:
    """HPC: find the neighbours of x among few likely variables, tested from both sides.

    A variable that no allowed arc can join to x may be a spouse, and is tested; it cannot be a neighbour.
    """
    neighbours, separated_by = neighbour_superset(runner, x)
    spouses = spouse_superset(runner, x, neighbours, separated_by)
    candidates = neighbours | spouses
    found = incremental_neighbours(runner, x, candidates)
    for y in runner.ordered(neighbours & ~found & joinable):
        if incremental_neighbours(runner, y, (candidates | bit(x)) & ~bit(y)) >> x & 1:
            found |= bit(y)
    return found & joinable


def neighbour_superset(runner: CITestRunner, x: int) -> tuple[int, dict[int, int]]:
    """DE-PCS: return the variables that no single other variable separates from x, and the separators.

    The weakest associations are tested first, and the strongest candidates are tried first as separators.
    """
    others = runner.ordered(all_but(runner.test.n, x))
    p_value = dict(zip(others, runner.p_values(x, others, 0), strict=True))
    separated_by = {y: 0 for y in others if p_value[y] > runner.alpha}
    inside = sorted((y for y in others if y not in separated_by), key=p_value.__getitem__)
    for y in reversed(list(inside)) if runner.most else ():
        separator = runner.first_separator(x, y, [z for z in inside if z != y], 0)
        if separator is not None:
            separated_by[y] = bit(separator)
            inside.remove(y)
    return sum(map(bit, inside)), separated_by


def spouse_superset(runner: CITestRunner, x: int, neighbours: int, separated_by: dict[int, int]) -> int:
    """DE-SPS: return the variables that depend on x given a neighbour and their separator.

    A variable is dropped if another such variable separates it from x.
    """
    by_separator: dict[int, list[int]] = {}
    for y, given in separated_by.items():
        by_separator.setdefault(given, []).append(y)
    spouses = 0
    for through in runner.ordered(neighbours):
        dependent = 0
        for given, candidates in by_separator.items():
            p_values = runner.p_values(x, candidates, given | bit(through))
            dependent |= sum(bit(y) for y, p in zip(candidates, p_values, strict=True) if p <= runner.alpha)
        remaining = runner.ordered(dependent)
        for y in list(remaining):
            if runner.first_separator(x, y, [z for z in remaining if z != y], bit(through)) is not None:
                remaining.remove(y)
        spouses |= sum(map(bit, remaining))
    return spouses


def incremental_neighbours(runner: CITestRunner, x: int, among: int) -> int:
    """FDR-IAPC: return the Markov blanket without members that a subset of it separates from x."""
    return runner.inseparable(x, controlled_blanket(runner, x, among))


def controlled_blanket(runner: CITestRunner, x: int, among: int) -> int:
    """Return the Markov blanket of x by IAMB with false discovery rate control at every step.

    References
    ----------
    Pena, "Learning Gaussian graphical models of gene networks with false discovery rate control", 2008.
    Benjamini and Yekutieli, "The control of the false discovery rate in multiple testing under dependency", 2001.
    """
    position = {v: p for p, v in enumerate(runner.order)}
    blanket = 0
    seen = {blanket}
    while True:
        outside = runner.ordered(among & ~blanket)
        ranked = list(zip(runner.p_values(x, outside, blanket), outside, strict=True))
        inside = runner.ordered(blanket)
        ranked += zip(runner.p_values_given_rest(x, inside, blanket), inside, strict=True)
        ranked.sort(key=lambda entry: (entry[0], position[entry[1]]))
        harmonic = sum(1 / i for i in range(1, len(ranked) + 1))
        adjusted = [(p * len(ranked) / i * harmonic, y) for i, (p, y) in enumerate(ranked, start=1)]
        leaving = [y for p, y in reversed(adjusted) if p > runner.alpha and blanket >> y & 1]
        entering = [y for p, y in adjusted if p <= runner.alpha and not blanket >> y & 1]
        if leaving:
            blanket &= ~bit(leaving[0])
        elif entering and blanket.bit_count() < runner.most:
            blanket |= bit(entering[0])
        else:
            return blanket
        # A blanket that was seen before would return forever.
        if blanket in seen:
            return blanket
        seen.add(blanket)
