"""Inter-IAMB: Markov blankets grown by the strongest association."""

from __future__ import annotations

from stablebn.learners.constraint_based.ci_test_runner import CITestRunner, all_but
from stablebn.learners.constraint_based.markov_blankets import learn_by_blankets, shrunk
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.pattern import Pattern
from stablebn.learners.shared.problem import Problem
from stablebn.stats.variable_sets import bit


def inter_iamb(problem: Problem, config: SearchConfig) -> Pattern:
    """Grow each Markov blanket by the strongest association, and shrink it after every step.

    References
    ----------
    Tsamardinos, Aliferis and Statnikov, "Algorithms for large scale Markov blanket discovery", 2003.
    """
    return learn_by_blankets(problem, config, interleaved_blanket)


def interleaved_blanket(runner: CITestRunner, x: int) -> int:
    """Return the Markov blanket of x."""
    blanket = 0
    entered: list[int] = []
    seen = {blanket}
    while blanket.bit_count() < runner.most:
        outside = runner.ordered(all_but(runner.test.n, x) & ~blanket)
        if not outside:
            break
        p_values = runner.p_values(x, outside, blanket)
        smallest = min(p_values)
        if smallest > runner.alpha:
            break
        # Ties go to the first in the processing order.
        strongest = outside[p_values.index(smallest)]
        blanket = shrunk(runner, x, blanket | bit(strongest), entered)
        entered = [y for y in (*entered, strongest) if blanket >> y & 1]
        # A blanket that was seen before would return forever.
        if blanket in seen:
            break
        seen.add(blanket)
    return blanket
