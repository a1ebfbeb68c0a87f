"""Grow-Shrink."""

from __future__ import annotations

from stablebn.learners.constraint_based.ci_test_runner import Evidence, all_but
from stablebn.learners.constraint_based.markov_blankets import learn_by_blankets, shrunk
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.pattern import Pattern
from stablebn.learners.shared.problem import Problem
from stablebn.stats.variable_sets import bit


def gs(problem: Problem, config: SearchConfig) -> Pattern:
    """Blankets grown by every variable that depends, in the processing order, then shrunk.

    References
    ----------
    Margaritis (2003), "Learning Bayesian network model structure from data", figure 2.2.
    """
    return learn_by_blankets(problem, config, grow_shrink)


def grow_shrink(evidence: Evidence, x: int) -> int:
    """The Markov blanket of x."""
    blanket = 0
    entered = []
    while blanket.bit_count() < evidence.most:
        outside = evidence.ordered(all_but(evidence.test.n, x) & ~blanket)
        y = evidence.first_dependent(x, outside, blanket)
        if y is None:
            break
        blanket |= bit(y)
        entered.append(y)
    return shrunk(evidence, x, blanket, entered)
