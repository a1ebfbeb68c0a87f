"""Scores by name and kind of data, and the options of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass

from stablebn._core import ln_of_integer
from stablebn.columns.kinds import Kind
from stablebn.errors import OptionError, shown
from stablebn.options import Options, at_least, choice, names_of, option, positive
from stablebn.scores.base import CompiledScores
from stablebn.scores.basis import FORMS
from stablebn.stats import AnyStatistics, statistics_of
from stablebn.stats.basis_columns import TRANSFORMS
from stablebn.table.data_kinds import KINDS, kind_of
from stablebn.table.table import Table

WITH_MISSING = ("bic", "aic", "loglik")
"""Names of the scores for tables with missing values."""

# Scores that do not depend on the order of the variables, not even in their last bits.
_ORDER_FREE = ("dg", "basis")
# Scores that allow all arcs in mixed data by default.
_WITH_ALL_ARCS = (*_ORDER_FREE, "adaptive")

SCORES_BY_KIND: Mapping[str, Sequence[str]] = {name: tuple(kind.scores) for name, kind in KINDS.items()}
"""Names of the scores for each kind of data; the first is the default."""

SCORES = tuple(dict.fromkeys(name for names in SCORES_BY_KIND.values() for name in names))
"""Names of all scores."""

REVISIONS: Mapping[str, int] = {"adaptive": 2, "bge": 2, "dg": 2}
"""Revisions of the scores with which algorithms may give another answer than in an earlier version; of others 1."""


OTHER_NAMES: Mapping[str, str] = {
    **{f"{score}-{kind}": score for score in ("bic", "aic", "loglik") for kind in ("d", "g", "cg")},
    **dict.fromkeys(("ll", "ll-d", "ll-g", "ll-cg", "log-likelihood"), "loglik"),
    "bdeu": "bde",
    "quotient-nml": "qnml",
    "degenerate-gaussian": "dg",
    "bf-bic": "basis",
    "basis-function-bic": "basis",
}
"""Names of scores in other packages. The suffixes d, g and cg are ignored, because the table determines the kind."""

PRIORS = ("uniform", "size")
"""Names of the priors over graphs."""

score_name = names_of(SCORES, OTHER_NAMES)
"""Return the name of a score in this package."""


@dataclass(frozen=True)
class ScoreConfig(Options):
    """The score and its parameters."""

    score: str = option(
        "bic",
        "The score (for constraint-based algorithms, the score of the learned graph): bic, aic or loglik; dg "
        "(degenerate Gaussian) and adaptive (the best of several models per family), for mixed data; bde, bds, k2 or "
        "qnml for categorical data; bge for continuous data; basis, for data with nonlinear relations.",
        check=choice(SCORES),
        own_name=score_name,
        group="Options",
        command_help="The score: bic, aic, loglik; for categorical data bde, bds, k2, qnml; for continuous data bge; "
        "for mixed data dg, basis, adaptive.",
    )
    _: KW_ONLY
    k: float = option(
        1.0, "Multiplier of the penalty of bic, aic, dg, basis and adaptive.", check=positive(most=1e6), group="Score"
    )
    iss: float = option(
        1.0, "Imaginary sample size of bde and bds.", check=positive(least=1e-20, most=1e9), group="Score"
    )
    iss_mu: float = option(
        1.0, "Imaginary sample size of bge for the mean.", check=positive(least=1e-20, most=1e20), group="Score"
    )
    iss_w: int | None = option(
        None,
        "Imaginary sample size of bge for the precision matrix, by default the number of variables + 2.",
        check=at_least(1, most=2**28),
        group="Score",
    )
    prior: str = option(
        "uniform",
        "The prior over graphs: uniform, or size: every arc costs ln p nats, where p is the number of variables that "
        "are not constant, because p variables compete to be a parent.",
        check=choice(PRIORS),
        group="Score",
        command_help="The prior over graphs: uniform, or size: every arc costs ln p nats for p variables.",
    )
    arcs: str | None = option(
        None,
        "Mixed data: clg, no arc from a continuous to a categorical variable (conditional linear Gaussian networks), "
        "or any; by default clg, with the scores dg, basis and adaptive any. It has no effect on other data, which "
        "have no such arcs.",
        check=choice(("clg", "any")),
        group="Score",
        command_help="Mixed data: clg, no arc from a continuous to a categorical variable; or any. By default clg, "
        "with dg, basis and adaptive any.",
    )
    basis_form: str | None = option(
        None,
        "The score basis: additive, a continuous variable is regressed on functions of each of its parents (not score "
        "equivalent); or block, variables with all their functions are jointly Gaussian (score equivalent). By default "
        "additive for continuous data, block for mixed data.",
        check=choice(FORMS),
        group="Score",
    )
    basis_degree: int | None = option(
        None,
        "Degree of the polynomials of the score basis, by default 5 for the additive form and 3 for the block form.",
        check=at_least(1, most=9),
        group="Score",
    )
    basis_transform: str = option(
        "rank",
        "The transformation before the polynomials of the score basis: rank, normal scores of the ranks, which no "
        "monotone function of a column changes; or bounded, x / sqrt(1 + x**2 / 4) of standardised values x.",
        check=choice(TRANSFORMS),
        group="Score",
    )

    def allows(self, parent: Kind, child: Kind) -> bool:
        """Return whether a variable of one kind may be a parent of a variable of another kind."""
        return self.arcs_as_used == "any" or child == "continuous" or parent == "categorical"

    @property
    def arcs_as_used(self) -> str:
        """Return `arcs`, or its default for the score."""
        return self.arcs or ("any" if self.score in _WITH_ALL_ARCS else "clg")


def family_scores(table: Table, config: ScoreConfig, *, threads: int = 1) -> CompiledScores:
    """Return the score of the families of a table."""
    return scores_from(statistics_of(table, threads=threads), config)


def numbers_matter(table: Table, config: ScoreConfig) -> bool:
    """Return whether the last bits of a score depend on the numbers of the variables; complete counts do not."""
    return config.score not in _ORDER_FREE and (kind_of(table).has_units or bool(table.holes))


def scores_from(statistics: AnyStatistics, config: ScoreConfig) -> CompiledScores:
    """Return the score of families from the statistics of a table, the prior over graphs included."""
    scores = _scores_of_data(statistics, config)
    if config.prior == "size":
        scores.charge_arcs(ln_of_integer(max(1, statistics.n)))
    return scores


def _scores_of_data(statistics: AnyStatistics, config: ScoreConfig) -> CompiledScores:
    if statistics.has_missing and config.score not in WITH_MISSING:
        raise OptionError(
            f'score={config.score!r} is not defined for missing="available". Choose one of: {", ".join(WITH_MISSING)}; '
            'or use missing="drop".'
        )
    names = SCORES_BY_KIND[statistics.kind]
    if config.score not in names:
        raise OptionError(
            f"score={shown(config.score)} is not defined for {statistics.kind} data. Choose one of: {', '.join(names)}."
        )
    scores: CompiledScores = KINDS[statistics.kind].scores[config.score](statistics, config)
    return scores
