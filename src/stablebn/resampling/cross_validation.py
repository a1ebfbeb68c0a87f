"""Cross-validation: learn without some rows, and compute the likelihood of these rows."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from stablebn.api.arguments import LearnArguments
from stablebn.canonical.resampled_rows import chosen_rows, with_rows
from stablebn.errors import KnowledgeError, OptionError, is_among, listed
from stablebn.graph import DAG
from stablebn.learners import AUTOMATIC
from stablebn.messages import Caution
from stablebn.networks.align_table import parts_of
from stablebn.networks.fit import fit
from stablebn.networks.likelihood import log_likelihood_of_codes
from stablebn.networks.model import CPT, ConditionalGaussian, Distribution, LinearGaussian, Network
from stablebn.options import at_least, callback, checked_arguments, instance_of, positive
from stablebn.prepare.prepared import Prepared
from stablebn.resampling.builtin_learner import BuiltinLearner, class_of
from stablebn.resampling.folds import held_out_counts
from stablebn.resampling.resampling_result import ResamplingResult
from stablebn.resampling.runner import run_jobs
from stablebn.result.result import Result
from stablebn.stats.moments import Moments
from stablebn.table.table import ContinuousTable, MixedTable, Table

SomeTable = TypeVar("SomeTable", bound=Table)

NOT_HERE = ("max_time", "checkpoint", "resume")
"""Options of `learn` that cross-validation does not have."""

# The smallest relative standard deviation of a continuous node, as in the scores (specification, section 2).
_LEAST_DEVIATION = 2.0**-20


@dataclass(frozen=True)
class Fold:
    """The held-out rows of a fold, and what was learned from all other rows.

    Attributes
    ----------
    rows : int
        The number of held-out rows, with their weights.
    log_likelihood : float or None
        The log-likelihood of the held-out rows under the network learned from the others; None if no DAG was learned.
    fingerprint : str
        The fingerprint of `result`.
    result : Result
        The result of learning from the other rows.
    """

    rows: int
    log_likelihood: float | None
    fingerprint: str
    result: Result = field(compare=False, repr=False)

    @property
    def mean(self) -> float | None:
        """The mean log-likelihood per row."""
        return None if self.log_likelihood is None else self.log_likelihood / self.rows


@dataclass(frozen=True)
class Difference:
    """How much higher the held-out log-likelihood of one learner is than that of another.

    Attributes
    ----------
    mean : float
        The mean difference per row.
    standard_error : float
        The standard error of the mean, from the differences of the folds.
    """

    mean: float
    standard_error: float


@dataclass(frozen=True, repr=False)
class CrossValidation(ResamplingResult):
    """How likely rows are under networks that were learned without them.

    Attributes
    ----------
    algorithm : str
    config : dict
        The algorithm, the score and all options, as they were used.
    smoothing : float
        The imaginary sample size of the parameters.
    seed : int
    rows : int
        N, the sum of the weights.
    folds : tuple of Fold
    result : Result
        The result of learning from all rows.
    warnings : tuple of Caution
    """

    algorithm: str
    config: Mapping[str, Any]
    smoothing: float
    seed: int
    rows: int
    folds: tuple[Fold, ...]
    result: Result = field(compare=False)
    warnings: tuple[Caution, ...] = field(compare=False)

    @property
    def means(self) -> tuple[float | None, ...]:
        """The mean log-likelihood per row of every fold."""
        return tuple(fold.mean for fold in self.folds)

    @property
    def mean(self) -> float:
        """The mean log-likelihood per held-out row, over all rows; NaN if no fold has one."""
        done = [fold for fold in self.folds if fold.log_likelihood is not None]
        total = math.fsum(fold.log_likelihood or 0.0 for fold in done)
        return total / sum(fold.rows for fold in done) if done else math.nan

    @property
    def standard_error(self) -> float:
        """The standard error of the mean, from the means of the folds. It is rough: the folds share training rows."""
        return _standard_error([mean for mean in self.means if mean is not None])

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """The fingerprint of the result learned without each fold."""
        return tuple(fold.fingerprint for fold in self.folds)

    def difference(self, other: CrossValidation) -> Difference:
        """Return how much better this result predicts than another one, fold by fold on the same rows.

        Raises
        ------
        OptionError
            The folds are not the same, or a fold of one result has no log-likelihood.
        """
        instance_of(CrossValidation, "the result of stablebn.cross_validate")("other", other)
        sizes = [[fold.rows for fold in result.folds] for result in (self, other)]
        if sizes[0] != sizes[1] or self.seed != other.seed:
            raise OptionError("the folds are not the same: use one table, one seed and one number of folds for both.")
        pairs = [(a, b) for a, b in zip(self.means, other.means, strict=True) if a is not None and b is not None]
        if len(pairs) < len(self.folds):
            raise OptionError("some folds have no log-likelihood, because no DAG was learned: they cannot be compared.")
        return Difference(self.mean - other.mean, _standard_error([a - b for a, b in pairs]))

    def summary(self) -> str:
        """Return a few readable lines: the mean log-likelihood, the folds, and the warnings."""
        answer = (
            f"Held-out log-likelihood of a row {self.mean:,.4f}, standard error {self.standard_error:.2g} "
            f"({self.algorithm}, {len(self.folds)} folds of {self.rows:,} rows, seed {self.seed})."
        )
        means = ", ".join("none" if mean is None else f"{mean:,.4f}" for mean in self.means)
        graphs = len({class_of(fold.result) for fold in self.folds})
        learned = "One graph was" if graphs == 1 else f"{graphs} different graphs were"
        lines = [f"  Folds: {means}.", f"  {learned} learned, up to directions that the data do not determine."]
        return "\n".join([answer, *lines, *(f"  {caution}" for caution in self.warnings)])

    def to_dict(self) -> dict[str, Any]:
        """Return everything in types that JSON has: equal cross-validations give equal texts."""
        return {
            "algorithm": self.algorithm,
            "rows": self.rows,
            "seed": self.seed,
            "smoothing": self.smoothing,
            "mean": None if math.isnan(self.mean) else self.mean,
            "standard_error": None if math.isnan(self.standard_error) else self.standard_error,
            "folds": [
                {"rows": fold.rows, "log_likelihood": fold.log_likelihood, "fingerprint": fold.fingerprint}
                for fold in self.folds
            ],
            "warnings": [str(caution) for caution in self.warnings],
            "result": self.result.to_dict(),
        }


@checked_arguments(
    folds=at_least(2),
    seed=at_least(0, most=2**63 - 1),
    smoothing=positive(least=1e-20, most=1e9),
    progress=callback,
)
def cross_validate(
    data: object,
    algorithm: str = AUTOMATIC,
    *,
    folds: int = 10,
    seed: int = 0,
    smoothing: float = 1.0,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> CrossValidation:
    """Estimate how well a learned network predicts: learn without some rows, and compute how likely these rows are.

    The folds are a function of the table and the seed: the same in every layout, under all names, labels and units, for
    every algorithm and score. So results of several algorithms can be compared fold by fold.

    Parameters
    ----------
    data
        As in `learn`.
    algorithm : str
        The name of an algorithm.
    folds : int
        The number of parts into which the rows are split; their sizes differ by at most one.
    seed : int
        The same seed makes the same folds, on every machine.
    smoothing : float
        The imaginary sample size with which probabilities are estimated, as in ``fit(method="bde", iss=smoothing)``:
        no held-out row is impossible. The levels of a column are those of the complete table, or those declared.
    progress : callable
        Called with how many folds are done and how many there are, not always from the same thread.
    **options
        Those of `learn` except `max_time`. `threads` is how many folds are learned at once. `discretise` cuts the
        complete table once: the likelihood is that of the bins.

    Returns
    -------
    CrossValidation

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(500, seed=1)
    >>> tabu, empty = sb.cross_validate(table, "tabu"), sb.cross_validate(table, "tabu", max_iter=0)
    >>> found = tabu.difference(empty)
    >>> found.mean > 10 * found.standard_error
    True
    """
    barred = [name for name in NOT_HERE if options.get(name) is not None]
    if barred:
        raise OptionError(
            f"cross_validate has no option {listed(barred)}: it learns every fold completely, as the graph of a search "
            "that is stopped by the clock depends on the machine. Leave it out; max_iter makes searches short."
        )
    if is_among(options.get("missing"), ("available",)):
        raise OptionError(
            'missing="available" is for learning: a network gives the likelihood of complete rows. Use missing="drop".'
        )
    if is_among(algorithm, (AUTOMATIC,)):
        # The fitted network of a fold has no distribution for arcs from continuous to categorical variables.
        options = {"arcs": "clg", **options}
    learner = BuiltinLearner(LearnArguments.of_learn((data, algorithm), options))
    if folds > learner.rows:
        raise OptionError(f"folds={folds} are more than the {learner.rows} rows. Use at most as many.")
    # A level that does not occur in a fold is still a level.
    prepared = learner.prepared
    categorical, _ = parts_of(prepared.table)
    levels = {**dict(zip(categorical.names, categorical.levels, strict=True)), **prepared.levels}
    prepared = replace(prepared, levels=levels)
    held_out = held_out_counts(learner.distinct.counts, folds, seed)

    def learn_fold(number: int) -> Fold:
        try:
            return _fold(learner, prepared, held_out[number], smoothing)
        except KnowledgeError as error:
            # The knowledge fits the complete table: otherwise learning from it has raised the error before.
            raise KnowledgeError(
                f"without the rows of fold {number + 1} nothing can be learned: {error} Use fewer folds or another "
                "seed, or do not require that arc.",
                error.conflicts,
            ) from None

    done = tuple(run_jobs(range(folds), learn_fold, threads=learner.threads, progress=progress))
    return CrossValidation(
        algorithm=str(learner.result.config["algorithm"]),
        config=learner.result.config,
        smoothing=smoothing,
        seed=seed,
        rows=learner.rows,
        folds=done,
        result=learner.result,
        warnings=(*learner.result.warnings, *_without_dag(done)),
    )


def _fold(learner: BuiltinLearner, prepared: Prepared, held_out: NDArray[np.int64], smoothing: float) -> Fold:
    distinct = learner.distinct
    training = with_rows(prepared, chosen_rows(distinct, distinct.counts - held_out))
    result = learner.result_of(training)
    rows = int(held_out.sum())
    if result.dag is None:
        return Fold(rows, None, result.fingerprint, result)
    # Canonical numbers instead of names, so that names cannot influence the order of sums.
    number: dict[Hashable, Hashable] = {name: rank for rank, name in enumerate(learner.canonical)}
    dag = DAG(list(number.values()), [(number[u], number[v]) for u, v in result.dag.arcs])
    network = _with_floors(fit(dag, _numbered(training, number), method="bde", iss=smoothing), prepared, number)
    out = chosen_rows(distinct, held_out)
    categorical, continuous = parts_of(prepared.table)
    codes = {
        number[name]: categorical.codes[v, out.places].astype(np.int64) for v, name in enumerate(categorical.names)
    }
    numbers = {number[name]: continuous.values[v, out.places] for v, name in enumerate(continuous.names)}
    likelihood = log_likelihood_of_codes(network, codes, numbers, out.weights)
    return Fold(rows, likelihood, result.fingerprint, result)


def _numbered(prepared: Prepared, number: Mapping[Hashable, Hashable]) -> Prepared:
    """Replace names by canonical numbers, and drop the columns that are not among the canonical variables."""

    def renamed(table: SomeTable) -> SomeTable:
        return replace(table, names=tuple(number[name] for name in table.names))

    table = renamed(prepared.table)
    if isinstance(table, MixedTable):
        table = replace(table, categorical=renamed(table.categorical), continuous=renamed(table.continuous))
    return replace(
        prepared,
        names=tuple(number[name] for name in prepared.names if name in number),
        table=table,
        kinds={number[name]: kind for name, kind in prepared.kinds.items() if name in number},
        decisions={number[name]: decision for name, decision in prepared.decisions.items() if name in number},
        constants={number[name]: value for name, value in prepared.constants.items() if name in number},
        levels={number[name]: levels for name, levels in prepared.levels.items() if name in number},
        cuts={},
    )


def _with_floors(network: Network, prepared: Prepared, number: Mapping[Hashable, Hashable]) -> Network:
    """Raise the standard deviations of continuous nodes to a minimum: without it a density could be infinite."""
    _, continuous = parts_of(prepared.table)
    floors = {number[name]: _LEAST_DEVIATION * _deviation(continuous, v) for v, name in enumerate(continuous.names)}

    def floored(node: Hashable, distribution: Distribution) -> Distribution:
        if isinstance(distribution, CPT):
            return distribution
        if isinstance(distribution, LinearGaussian):
            return replace(distribution, sd=max(distribution.sd, floors[node]))
        assert isinstance(distribution, ConditionalGaussian)
        return replace(distribution, sds=np.maximum(distribution.sds, floors[node]))

    return Network({node: floored(node, distribution) for node, distribution in network.items()})


def _deviation(table: ContinuousTable, v: int) -> float:
    moments = Moments(table.select([v]))
    return math.sqrt(moments.cross_product(0, 0) / moments.total)


def _standard_error(values: list[float]) -> float:
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def _without_dag(folds: tuple[Fold, ...]) -> tuple[Caution, ...]:
    failed = [number for number, fold in enumerate(folds, 1) if fold.log_likelihood is None]
    if not failed:
        return ()
    return (
        Caution(
            "not-extendable",
            (),
            f"In folds {listed(failed)} no DAG extends the learned graph, so it has no parameters: the mean is that of "
            "the other folds. A smaller alpha or a score-based algorithm may help.",
        ),
    )
