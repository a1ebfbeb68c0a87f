"""Inter-IAMB."""

from __future__ import annotations

from stablebn.learners.constraint_based.ci_test_runner import Evidence, all_but
from stablebn.learners.constraint_based.markov_blankets import learn_by_blankets, shrunk
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.pattern import Pattern
from stablebn.learners.shared.problem import Problem
from stablebn.stats.variable_sets import bit


def inter_iamb(problem: Problem, config: SearchConfig) -> Pattern:
    """Blankets grown by the strongest association, and shrunk after every step.

    References
    ----------
    Tsamardinos, Aliferis and Statnikov (2003), "Algorithms for large scale Markov blanket discovery".
    """
    return learn_by_blankets(problem, config, interleaved_blanket)


def interleaved_blanket(evidence: Evidence, x: int) -> int:
    """The Markov blanket of x."""
    blanket = 0
    entered: list[int] = []
    seen = {blanket}
    while blanket.bit_count() < evidence.most:
        outside = evidence.ordered(all_but(evidence.test.n, x) & ~blanket)
        if not outside:
            break
        p_values = evidence.p_values(x, outside, blanket)
        smallest = min(p_values)
        if smallest > evidence.alpha:
            break
        # Of equals the first in the processing order.
        strongest = outside[p_values.index(smallest)]
        blanket = shrunk(evidence, x, blanket | bit(strongest), entered)
        entered = [y for y in (*entered, strongest) if blanket >> y & 1]
        # A blanket that comes again would come for ever.
        if blanket in seen:
            break
        seen.add(blanket)
    return blanket
