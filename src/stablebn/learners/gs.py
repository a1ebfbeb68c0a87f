"""GS: Markov blankets by growing and shrinking."""

from __future__ import annotations

from stablebn.learners.constraint_based.ci_test_runner import CITestRunner, all_but
from stablebn.learners.constraint_based.markov_blankets import learn_by_blankets, shrunk
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.pattern import Pattern
from stablebn.learners.shared.problem import Problem
from stablebn.stats.variable_sets import bit


def gs(problem: Problem, config: SearchConfig) -> Pattern:
    """Grow a Markov blanket by every variable that depends, in the processing order, then shrink it.

    References
    ----------
    Margaritis, "Learning Bayesian network model structure from data", 2003, figure 2.2.
    """
    return learn_by_blankets(problem, config, grow_shrink)


def grow_shrink(runner: CITestRunner, x: int) -> int:
    """Return the Markov blanket of x."""
    blanket = 0
    entered = []
    while blanket.bit_count() < runner.most:
        outside = runner.ordered(all_but(runner.test.n, x) & ~blanket)
        y = runner.first_dependent(x, outside, blanket)
        if y is None:
            break
        blanket |= bit(y)
        entered.append(y)
    return shrunk(runner, x, blanket, entered)
