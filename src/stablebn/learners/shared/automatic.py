"""Choose the algorithm, the score and the prior for a table if the user named neither algorithm nor score.

The rule was fixed on the development tables of `bench/accuracy.py` and confirmed once on other tables
(docs/defaults.md). It depends only on the table: its kind, its size, and how much two scores gain over the empty graph.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from stablebn import _core
from stablebn.learners.registry import MOST_ACCURATE
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.problem import WorkOnTable, within_time
from stablebn.scores.registry import ScoreConfig
from stablebn.table.blocks import AnyTable

USUAL_SCORE = "bic"
"""The score if an algorithm is named and no score, as in the paper and in other packages."""

USUAL_PRIOR = "uniform"
"""The prior over graphs if an algorithm or a score is named and no prior."""

USUAL_EFFORT = "normal"
"""The effort if an algorithm is named and no effort."""

CHOSEN_EFFORT = "low"
"""The effort if no algorithm is named. On the development tables its graphs are as accurate as those of more effort,
and for categorical tables with few rows more accurate, in a fraction of the time.
"""

LEAST_GAIN = Fraction(6, 5)
"""The basis score is chosen if it gains more than this factor times the gain of BIC: among the development tables, the
linear ones were below and the nonlinear ones above.
"""

UNCERTAIN = (Fraction(11, 10), Fraction(13, 10))
"""The choice is reported as uncertain if the ratio of gains is between these."""

MOST_NUMBERS = 20_000_000
"""Rows times variables of a continuous table above which relations are taken to be linear, to save time and memory."""

MOST_VARIABLES = 400
"""Continuous variables above which relations are taken to be linear, for the same reason."""


LEAST_ADAPTIVE_GAIN = Fraction(51, 50)
"""The adaptive score is chosen for mixed data if it gains more than this factor times the gain of BIC."""

UNCERTAIN_IF_MIXED = (Fraction(203, 200), Fraction(21, 20))
"""Like `UNCERTAIN`, for `LEAST_ADAPTIVE_GAIN`: development tables with and without arcs from continuous to categorical
variables have such ratios.
"""

LEAST_BLOCK_GAIN = Fraction(7, 6)
"""The basis score is chosen for large mixed tables if it gains more than this factor times the gain of BIC."""

UNCERTAIN_IF_LARGE = (Fraction(11, 10), Fraction(5, 4))
"""Like `UNCERTAIN`, for `LEAST_BLOCK_GAIN`."""

MOST_MIXED_NUMBERS = 100_000
"""Rows times variables of a mixed table above which faster scores and algorithms are used."""

MOST_PARENTS = 6
"""Most parents of a variable when scores are compared. On dense tables polynomials of all parents take half a minute;
the ratio of gains hardly depends on this limit.
"""


def is_large(table: AnyTable) -> bool:
    """Return whether a mixed table is so large that faster scores and algorithms are used."""
    return len(table.names) * table.total > MOST_MIXED_NUMBERS


def looks_for_curves(table: AnyTable) -> bool:
    """Return whether a continuous table is small enough to look for nonlinear relations."""
    variables = len(table.names)
    return variables <= MOST_VARIABLES and variables * table.total <= MOST_NUMBERS


SHARE_OF_TIME = 1 / 3
"""Share of the remaining time that comparing scores may take."""


@dataclass(frozen=True)
class ScoreChoice:
    """A score, a prior over graphs and an algorithm, with the reasons.

    `uncertain` says why another score may be as good, if the choice is uncertain.
    """

    score: str
    why: str
    prior: str = "size"
    why_prior: str = "a guard against chance edges"
    uncertain: str | None = None
    algorithm: str = MOST_ACCURATE


def score_for(
    table: AnyTable,
    work: WorkOnTable,
    *,
    k: float,
    arcs: str | None = None,
) -> ScoreChoice:
    """Choose the score, the prior and the algorithm for a table.

    Parameters
    ----------
    table : Table or BlockTable
    work : WorkOnTable
        Work on this table. After its deadline no scores are compared.
    k : float
        Multiplier of the penalty. A value other than 1 was set by the user and restricts the choice to BIC.
    arcs : {"clg", "any"}, optional
        For mixed data: "clg" excludes arcs from continuous to categorical variables, and the scores that need them.
    """
    if k != 1:
        return ScoreChoice("bic", "k multiplies its penalty", "uniform", "k is the penalty")
    is_large_and_mixed = table.kind == "mixed" and is_large(table)
    if table.holes:
        algorithm = "tabu-stable" if is_large_and_mixed else MOST_ACCURATE
        return ScoreChoice("bic", "it is defined for incomplete rows", algorithm=algorithm)
    if table.kind == "categorical":
        return ScoreChoice("qnml", "categorical data")

    if table.kind == "mixed" and arcs == "clg":
        return ScoreChoice("bic", "mixed data, arcs='clg'")
    if table.kind == "continuous" and not looks_for_curves(table):
        return ScoreChoice("bic", "continuous data; the table is too large to look for nonlinear relations")
    # The statistics are needed in any case, so they may take more than the share of the time.
    work.statistics(unit_free=True)
    compare = partial(_compared, table, work)
    if work.deadline is None:
        return compare()
    now = time.monotonic()
    try:
        return within_time(now + SHARE_OF_TIME * (work.deadline - now), compare)
    except _core.TimeIsUp:
        algorithm = "tabu-stable" if is_large_and_mixed else MOST_ACCURATE
        return ScoreChoice("bic", "there was no time to compare scores", algorithm=algorithm)


def _compared(table: AnyTable, work: WorkOnTable) -> ScoreChoice:
    """Choose the score by comparing how much each gains over the empty graph."""
    if table.kind == "mixed" and is_large(table):
        is_chosen, uncertain = _compare("basis", work, LEAST_BLOCK_GAIN, UNCERTAIN_IF_LARGE, _ABOUT_MIXED)
        if is_chosen:
            why = "a large mixed table with arcs from numbers to categories"
            return ScoreChoice("basis", why, uncertain=uncertain, algorithm="fges")
        why = "a large mixed table, conditional linear Gaussian"
        return ScoreChoice("bic", why, uncertain=uncertain, algorithm="tabu-stable")
    if table.kind == "mixed":
        is_chosen, uncertain = _compare("adaptive", work, LEAST_ADAPTIVE_GAIN, UNCERTAIN_IF_MIXED, _ABOUT_MIXED)
        if is_chosen:
            return ScoreChoice("adaptive", "mixed data with arcs from numbers to categories", uncertain=uncertain)
        return ScoreChoice("bic", "mixed data, conditional linear Gaussian", uncertain=uncertain)
    is_chosen, uncertain = _compare("basis", work, LEAST_GAIN, UNCERTAIN, "relations are linear")
    if is_chosen:
        return ScoreChoice("basis", "continuous data with nonlinear relations", uncertain=uncertain)
    return ScoreChoice("bic", "continuous data with linear relations", uncertain=uncertain)


_ABOUT_MIXED = "numbers influence categories"


def _compare(
    score: str, work: WorkOnTable, least: Fraction, uncertain: tuple[Fraction, Fraction], about: str
) -> tuple[bool, str | None]:
    """Return whether a score gains more than `least` times the gain of BIC, and why that is uncertain, if it is."""
    usual, gain = _gain("bic", work), _gain(score, work)
    is_chosen = gain > least * usual
    if usual <= 0 or not uncertain[0] <= Fraction(gain, usual) <= uncertain[1]:
        return is_chosen, None
    other = "bic" if is_chosen else score
    return is_chosen, (
        f"the data hardly tell whether {about} ({score} gains {gain / usual:.2f} times as much as bic; "
        f"the rule asks for {float(least):.3g}). Compare the graph with that of score={other!r}, prior='size'."
    )


def _gain(score: str, work: WorkOnTable) -> int:
    """Return how much more Tabu-Stable's graph scores than the empty graph, in units of 2**-62 nats.

    The time that this takes counts towards the time limit (`_core.within_time`).
    """
    # The constants of this module are imported by every call; only this function needs the algorithm.
    from stablebn.learners.tabu_stable import tabu_stable

    problem = work.problem(ScoreConfig(score, prior="size"), unit_free=True)
    climbed = tabu_stable(problem, SearchConfig(max_parents=MOST_PARENTS))
    # If the time was up meanwhile, the graph is unfinished.
    _core.check_time()
    return climbed.score - problem.scores.dag([0] * problem.scores.n)
