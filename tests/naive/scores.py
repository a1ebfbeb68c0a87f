"""Scores as section 2 of the specification defines them: slowly, to 60 digits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stablebn.table.table import CategoricalTable, ContinuousTable

DIGITS = 60
# So many factors are multiplied out.
_MANY = 200
# From here on Stirling's series has 40 digits.
_FAR = 60
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803")


def joint_counts(table: CategoricalTable, variables: Sequence[int]) -> Counter[tuple[int, ...]]:
    """Rows, by weight, of each joint configuration."""
    counts: Counter[tuple[int, ...]] = Counter()
    for row in range(table.codes.shape[1]):
        weight = 1 if table.weights is None else int(table.weights[row])
        counts[tuple(int(table.codes[v, row]) for v in variables)] += weight
    return counts


def ln(x: Fraction | int | Decimal) -> Decimal:
    """Natural logarithm."""
    with localcontext() as context:
        context.prec = DIGITS
        value = Decimal(x.numerator) / Decimal(x.denominator) if isinstance(x, Fraction) else Decimal(x)
        return value.ln()


def ln_rising(a: Fraction, m: int) -> Decimal:
    """ln(a (a + 1) ... (a + m - 1)) = ln Gamma(a + m) - ln Gamma(a)."""
    with localcontext() as context:
        context.prec = DIGITS
        if m > _MANY:
            return ln_gamma(a + m) - ln_gamma(a)
        return sum((ln(a + i) for i in range(m)), Decimal(0))


def ln_gamma(x: Fraction) -> Decimal:
    """Stirling's series, far enough out; to 40 digits."""
    with localcontext() as context:
        context.prec = DIGITS
        steps = max(0, math.ceil(_FAR - x))
        far = x + steps
        z = Decimal(far.numerator) / Decimal(far.denominator)
        series = sum(
            (
                Decimal(b.numerator) / b.denominator / (2 * k * (2 * k - 1)) / z ** (2 * k - 1)
                for k, b in enumerate(_even_bernoulli(), start=1)
            ),
            Decimal(0),
        )
        found = (z - Decimal("0.5")) * z.ln() - z + (2 * PI).ln() / 2 + series
        return found - sum((ln(x + i) for i in range(steps)), Decimal(0))


@cache
def _even_bernoulli() -> list[Fraction]:
    """The Bernoulli numbers B(2), B(4), ..., B(30)."""
    numbers = [Fraction(1)]
    for m in range(1, 31):
        numbers.append(-sum((math.comb(m + 1, k) * b for k, b in enumerate(numbers)), Fraction(0)) / (m + 1))
    return numbers[2::2]


def entropy_sum(table: CategoricalTable, variables: Sequence[int]) -> Decimal:
    """H: the sum of m ln m."""
    with localcontext() as context:
        context.prec = DIGITS
        return sum((m * ln(m) for m in joint_counts(table, variables).values()), Decimal(0))


def categorical_family(
    table: CategoricalTable, score: str, child: int, parents: Sequence[int], iss: float = 1, k: float = 1
) -> Decimal:
    """Score of a family."""
    r = len(table.levels[child])
    q = math.prod(len(table.levels[p]) for p in parents)
    cells = joint_counts(table, [*parents, child])
    rows = joint_counts(table, list(parents))
    with localcontext() as context:
        context.prec = DIGITS
        if score in ("bic", "aic", "loglik"):
            fit = sum((m * ln(Fraction(m, rows[cell[:-1]])) for cell, m in cells.items()), Decimal(0))
            unit = {"bic": ln(table.total) / 2, "aic": Decimal(1), "loglik": Decimal(0)}[score]
            return fit - Decimal(k) * unit * (r - 1) * q
        if score == "qnml":
            fit = sum((m * ln(Fraction(m, rows[cell[:-1]])) for cell, m in cells.items()), Decimal(0))
            return fit - (regret(table.total, q * r) - regret(table.total, q))
        share = {"bde": Fraction(iss) / q, "bds": Fraction(iss) / len(rows), "k2": Fraction(r)}[score]
        joint = sum((ln_rising(share / r, m) for m in cells.values()), Decimal(0))
        return joint - sum((ln_rising(share, m) for m in rows.values()), Decimal(0))


def regret(rows: int, outcomes: int) -> Decimal:
    """The regret of a categorical distribution, by the formula of Szpankowski and Weinberger as it stands."""
    if outcomes == 1:
        return Decimal(0)
    with localcontext() as context:
        context.prec = 2 * DIGITS
        a = Decimal(outcomes) / rows
        c = (1 + (1 + 4 / a).sqrt()) / 2
        return rows * (a.ln() + (a + 2) * c.ln() - 1 / c) - (c + 2 / a).ln() / 2


def cross_products(table: ContinuousTable) -> list[list[Fraction]]:
    """Exact sums of centred cross-products."""
    n, rows = table.values.shape
    weights = [1] * rows if table.weights is None else [int(w) for w in table.weights]
    columns = [[Fraction(float(x)) for x in column] for column in table.values]
    means = [
        sum((w * x for w, x in zip(weights, column, strict=True)), Fraction(0)) / sum(weights) for column in columns
    ]
    centred = [[x - mean for x in column] for column, mean in zip(columns, means, strict=True)]
    return [
        [
            sum((w * x * y for w, x, y in zip(weights, centred[u], centred[v], strict=True)), Fraction(0))
            for v in range(n)
        ]
        for u in range(n)
    ]


def determinant(matrix: list[list[Fraction]]) -> Fraction:
    """By elimination in exact fractions."""
    rows = [list(row) for row in matrix]
    product = Fraction(1)
    for j in range(len(rows)):
        product *= rows[j][j]
        for i in range(j + 1, len(rows)):
            ratio = rows[i][j] / rows[j][j]
            rows[i] = [x - ratio * y for x, y in zip(rows[i], rows[j], strict=True)]
    return product


def gaussian_family(table: ContinuousTable, score: str, child: int, parents: Sequence[int], k: float = 1) -> Decimal:
    """Score of a family, by the residual sum of squares in exact fractions."""
    products = cross_products(table)

    def minor(variables: Sequence[int]) -> Fraction:
        return determinant([[products[u][v] for v in variables] for u in variables])

    rss = minor([*parents, child]) / minor(list(parents))
    total = table.total
    with localcontext() as context:
        context.prec = DIGITS
        fit = -Decimal(total) / 2 * (ln(rss / (total - 1)) + ln(2 * PI)) - Decimal(total - 1) / 2
        unit = {"bic": ln(total) / 2, "aic": Decimal(1), "loglik": Decimal(0)}[score]
        return fit - Decimal(k) * unit * (len(parents) + 2)


def known_rows(table: CategoricalTable | ContinuousTable, variables: Sequence[int]) -> NDArray[np.bool_]:
    """The rows in which all of some variables are known."""
    if isinstance(table, ContinuousTable):
        holes = [[math.isnan(value) for value in table.values[v]] for v in variables]
    else:
        holes = [[code == len(table.levels[v]) for code in table.codes[v]] for v in variables]
    return np.array([not any(row) for row in zip(*holes, strict=True)])


def only_rows(table: Any, rows: NDArray[np.bool_]) -> Any:
    """A table of some rows; its levels are those of all."""
    weights = None if table.weights is None else table.weights[rows]
    if isinstance(table, ContinuousTable):
        return ContinuousTable(table.names, table.values[:, rows], weights)
    return CategoricalTable(table.names, table.codes[:, rows], table.levels, weights)


def node_average(
    table: CategoricalTable | ContinuousTable, score: str, child: int, parents: Sequence[int], k: float = 1
) -> Decimal:
    """N times means over rows: of the child alone, and of what each parent gains, the one with the largest first."""

    def mean(rows_of: Sequence[int], given: Sequence[int]) -> Decimal:
        """The mean log-likelihood of the child given some parents, over the rows in which all of a family are known."""
        family = [child, *given]
        known: CategoricalTable | ContinuousTable = only_rows(table, known_rows(table, rows_of)).select(family)
        likelihood = gaussian_family if isinstance(known, ContinuousTable) else categorical_family
        return likelihood(known, "loglik", 0, range(1, len(family))) / known.total  # type: ignore[arg-type]

    def rows(family: Sequence[int]) -> int:
        return only_rows(table, known_rows(table, family)).total  # type: ignore[no-any-return]

    def free(given: Sequence[int]) -> int:
        if isinstance(table, ContinuousTable):
            return len(given) + 2
        return (len(table.levels[child]) - 1) * math.prod(len(table.levels[u]) for u in given)

    with localcontext() as context:
        context.prec = DIGITS
        unit = Decimal(k) * {"bic": ln(table.total) / 2, "aic": Decimal(1), "loglik": Decimal(0)}[score]
        found = mean([child], []) * table.total - unit * free([])
        given: list[int] = []
        while len(given) < len(parents):
            gains = {
                u: mean([child, *given, u], [*given, u]) - mean([child, *given, u], given)
                for u in parents
                if u not in given
            }
            # Equal gains differ in the last digits here: the first of them, as in the core.
            best = max(gains, key=lambda u: round(gains[u], DIGITS // 2))
            penalty = unit * (free([*given, best]) - free(given))
            found += table.total * (gains[best] - penalty / rows([child, *given, best]))
            given.append(best)
        return found


def exact_bge_family(
    table: ContinuousTable, child: int, parents: Sequence[int], iss_mu: float = 1, iss_w: int | None = None
) -> Decimal:
    """BGe from Kuipers, Moffa and Heckerman (2014): determinants in exact fractions, the rest to 60 digits."""
    n, total = table.values.shape[0], table.total
    a_mu, a_w = Fraction(iss_mu), n + 2 if iss_w is None else iss_w
    t = a_mu * (a_w - n - 1) / (a_mu + 1)
    products = cross_products(table)

    def part(variables: Sequence[int]) -> Decimal:
        size = len(variables)
        prior, posterior = Fraction(a_w - n + size, 2), Fraction(total + a_w - n + size, 2)
        matrix = [[products[u][v] + (t if u == v else 0) for v in variables] for u in variables]
        gammas = sum(
            (ln_gamma(posterior - Fraction(j, 2)) - ln_gamma(prior - Fraction(j, 2)) for j in range(size)), Decimal(0)
        )
        scale = size * (ln(a_mu / (total + a_mu)) - total * ln(PI)) / 2
        by_prior = Decimal(prior.numerator) / prior.denominator * size * ln(t)
        by_data = Decimal(posterior.numerator) / posterior.denominator * ln(determinant(matrix))
        return scale + gammas + by_prior - by_data

    with localcontext() as context:
        context.prec = DIGITS
        return part([*parents, child]) - part(list(parents))


def bge_family(table: ContinuousTable, child: int, parents: Sequence[int]) -> float:
    """BGe with the default prior, from Kuipers, Moffa and Heckerman (2014), in plain doubles."""
    n, total = table.values.shape[0], table.total
    weights = np.ones(table.values.shape[1]) if table.weights is None else table.weights
    centred = table.values - (table.values * weights).sum(axis=1, keepdims=True) / total
    a_mu, a_w = 1, n + 2
    t = a_mu * (a_w - n - 1) / (a_mu + 1)
    matrix = (centred * weights) @ centred.T + t * np.eye(n)

    def part(variables: Sequence[int]) -> float:
        size = len(variables)
        if not size:
            return 0.0
        prior, posterior = (a_w - n + size) / 2, (total + a_w - n + size) / 2
        gammas = sum(math.lgamma(posterior - j / 2) - math.lgamma(prior - j / 2) for j in range(size))
        _, ln_det = np.linalg.slogdet(matrix[np.ix_(variables, variables)])
        scale = size / 2 * math.log(a_mu / (total + a_mu)) - size * total / 2 * math.log(math.pi)
        return float(scale + gammas + prior * size * math.log(t) - posterior * ln_det)

    return part([*parents, child]) - part(list(parents))
