"""Basis scores: Gaussian scores of functions of the variables."""

from __future__ import annotations

from collections.abc import Sequence

from stablebn import _core
from stablebn.fixed_point import limbs
from stablebn.scores.base import CompiledScores
from stablebn.scores.mixed import DegenerateGaussianScores, bic_unit, halves, scale_of_levels
from stablebn.stats.base import Statistics
from stablebn.stats.basis_columns import BasisColumns
from stablebn.stats.counts import Counts
from stablebn.stats.mixed import MixedStatistics
from stablebn.stats.moments import Moments
from stablebn.stats.variable_sets import members

FORMS = ("additive", "block")
"""The forms of the score."""

_DEGREES = {"additive": 5, "block": 3}


class AdditiveBasisScores(CompiledScores):
    """Log-likelihood of a variable regressed on columns of its parents, less a penalty per parameter.

    A child with c columns and parents with e columns has -(N / 2) ln(det R / det V) less c e + c (c + 1) / 2 penalties,
    R being the covariance of the residuals and V that of the child's columns. The columns of the parents are the first
    column of each parent, or all columns of all parents, whichever has the higher score. For a categorical child they
    are always the first columns.

    References
    ----------
    Ramsey, Andrews and Spirtes, "Efficient nonlinear causal discovery with basis functions", 2025.

    Parameters
    ----------
    compiled : _core.AdditiveBasisScores
    columns : sequence of int
        Number of first columns of each variable: 1 if continuous, its indicators if categorical.
    scales : sequence of int
        Term of each variable's score from the variances of its columns.
    rows : int
        Number of rows; a family with parents needs more rows than columns of parents + 2.
    """

    score_equivalent = False

    def __init__(self, compiled: _core.FamilyScores, columns: Sequence[int], scales: Sequence[int], rows: int) -> None:
        super().__init__(compiled)
        self._columns = columns
        self._scales = scales
        self._rows = rows

    def reordered(self, order: Sequence[int]) -> AdditiveBasisScores:
        """Return the score with the variables renumbered: new variable i is old variable order[i]."""
        columns, scales = ([values[v] for v in order] for values in (self._columns, self._scales))
        return AdditiveBasisScores(self.compiled.reordered(list(order)), columns, scales, self._rows)

    def is_candidate(self, child: int, parents: int) -> bool:
        """Return whether there are enough rows."""
        return not parents or sum(self._columns[u] for u in members(parents)) + 2 < self._rows

    def full_score(self, child: int, parents: int, term: int) -> int:
        """Return the score of a family."""
        return term + self._scales[child]


def basis(
    statistics: Counts | Moments | MixedStatistics, k: float, *, form: str | None, degree: int | None, transform: str
) -> CompiledScores:
    """Return the basis score, with a penalty of k * ln(N) / 2 per parameter.

    Parameters
    ----------
    statistics : Counts, Moments or MixedStatistics
    k : float
    form : {"additive", "block"}, optional
        By default additive for continuous data, block for other data.
    degree : int, optional
        Degree of the polynomials of a variable, by default 5 for the additive form and 3 for the block form.
    transform : {"rank", "bounded"}
    """
    form = form or ("additive" if isinstance(statistics, Moments) else "block")
    if isinstance(statistics, Counts):
        columns = BasisColumns(statistics.column_products(), [[v] for v in range(statistics.n)])
    else:
        columns = statistics.basis(degree=degree or _DEGREES[form], transform=transform)
    return _additive(statistics, columns, k) if form == "additive" else _block(statistics, columns, k)


def _additive(statistics: Statistics, columns: BasisColumns, k: float) -> AdditiveBasisScores:
    blocks, total = columns.blocks, statistics.total
    compiled = _compiled(_core.AdditiveBasisScores, statistics, columns, bic_unit(statistics, k))
    firsts = [variable_blocks[0] for variable_blocks in columns.variables]
    scales = [scale_of_levels(blocks.frequencies[block], total) for block in firsts]
    return AdditiveBasisScores(compiled, [len(blocks.columns[block]) for block in firsts], scales, total)


def _block(statistics: Statistics, columns: BasisColumns, k: float) -> DegenerateGaussianScores:
    blocks, unit = columns.blocks, bic_unit(statistics, k)
    compiled = _compiled(_core.DegenerateGaussianScores, statistics, columns, unit)
    widths = [sum(len(blocks.columns[block]) for block in variable_blocks) for variable_blocks in columns.variables]
    scales = [
        scale_of_levels(blocks.frequencies[variable_blocks[0]], statistics.total)
        for variable_blocks in columns.variables
    ]
    return DegenerateGaussianScores(compiled, widths, scales, unit)


def _compiled(
    scores: type[_core.AdditiveBasisScores | _core.DegenerateGaussianScores],
    statistics: Statistics,
    columns: BasisColumns,
    unit: int,
) -> _core.FamilyScores:
    blocks = columns.blocks
    return scores(
        *halves(blocks.products),
        blocks.columns,
        blocks.frequencies,
        columns.variables,
        statistics.total,
        *limbs(unit),
        statistics.threads,
    )
