"""Mixed data, slowly: log-likelihoods of sets, in exact fractions and to 60 digits, of which all else is made."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from tests.naive.scores import DIGITS, PI, cross_products, determinant, joint_counts, ln

from stablebn.table.table import CategoricalTable, ContinuousTable, MixedTable

_SMALLEST = Fraction(1, 2**40)
_ROUNDING = Fraction(1, 2**60)


def _is_categorical(table: MixedTable, v: int) -> bool:
    return table.names[v] in table.categorical.names


def _codes(table: MixedTable, v: int) -> list[int]:
    return [int(code) for code in table.categorical.codes[table.categorical.names.index(table.names[v])]]


def _numbers(table: MixedTable, v: int) -> list[Fraction]:
    return [Fraction(float(x)) for x in table.continuous.values[table.continuous.names.index(table.names[v])]]


def _weights(table: MixedTable) -> list[int]:
    rows = table.categorical.codes.shape[1]
    return [1] * rows if table.weights is None else [int(w) for w in table.weights]


def _levels(table: MixedTable, v: int) -> int:
    name = table.names[v]
    return len(table.categorical.levels[table.categorical.names.index(name)])


def _mean(values: Sequence[Fraction], weights: Sequence[int]) -> Fraction:
    return sum((w * x for x, w in zip(values, weights, strict=True)), Fraction(0)) / sum(weights)


def _covariance(x: Sequence[Fraction], y: Sequence[Fraction], weights: Sequence[int]) -> Fraction:
    a, b = _mean(x, weights), _mean(y, weights)
    return _mean([(p - a) * (q - b) for p, q in zip(x, y, strict=True)], weights)


def least_variance(values: Sequence[Fraction], weights: Sequence[int]) -> Fraction:
    """delta**2 / 12 of the smallest gap that is no rounding, but at least 2**-40 of the variance."""
    variance = _covariance(values, values, weights)
    gaps = [b - a for a, b in pairwise(sorted(set(values))) if (b - a) ** 2 >= _ROUNDING * variance]
    return max(_SMALLEST * variance, min(gaps) ** 2 / 12)


def log_likelihood(table: MixedTable, variables: Sequence[int]) -> Decimal | None:
    """L(D, X): of the configurations of D and, in each, of a Gaussian for X; None where rows are too few.

    Elimination follows the order of the variables.
    """
    weights = _weights(table)
    codes = [_codes(table, v) for v in variables if _is_categorical(table, v)]
    numbers = [_numbers(table, v) for v in variables if not _is_categorical(table, v)]
    floors = [least_variance(own, weights) for own in numbers]
    totals = [_covariance(own, own, weights) for own in numbers]
    strata = defaultdict(list)
    for row in range(len(weights)):
        strata[tuple(own[row] for own in codes)].append(row)
    total = sum(weights)
    with localcontext() as context:
        context.prec = DIGITS
        found = Decimal(0)
        for rows in strata.values():
            own = [weights[row] for row in rows]
            n = sum(own)
            found += n * ln(Fraction(n, total))
            if not numbers:
                continue
            if n < len(numbers) + 2:
                return None
            inside = [[column[row] for row in rows] for column in numbers]
            matrix = [[_covariance(x, y, own) for y in inside] for x in inside]
            for v, variance in enumerate(totals):
                if matrix[v][v] < _SMALLEST * variance:
                    for u in range(len(numbers)):
                        matrix[u][v] = matrix[v][u] = Fraction(0)
            found -= Decimal(n) / 2 * (len(numbers) * (ln(2 * PI) + 1) + ln(_floored_determinant(matrix, floors)))
        return found


def _floored_determinant(matrix: list[list[Fraction]], floors: Sequence[Fraction]) -> Fraction:
    """The product of the pivots, each at least its floor and 2**-40 of the variance."""
    least = [max(floor, _SMALLEST * matrix[v][v]) for v, floor in enumerate(floors)]
    if len(floors) == 2:
        a, b = (max(matrix[v][v], floors[v]) for v in (0, 1))
        return max(a * b - matrix[0][1] ** 2, a * least[1], b * least[0])
    rows = [list(row) for row in matrix]
    product = Fraction(1)
    for j in range(len(rows)):
        pivot = max(rows[j][j], least[j])
        product *= pivot
        for i in range(j + 1, len(rows)):
            ratio = rows[i][j] / pivot
            rows[i] = [x - ratio * y if k > j else x for k, (x, y) in enumerate(zip(rows[i], rows[j], strict=True))]
    return product


def parameters(table: MixedTable, variables: Sequence[int]) -> int:
    """q - 1 + q (x + x (x + 1) / 2)."""
    q = math.prod(_levels(table, v) for v in variables if _is_categorical(table, v))
    x = sum(not _is_categorical(table, v) for v in variables)
    return q - 1 + q * (x + x * (x + 1) // 2)


def mixed_family(table: MixedTable, score: str, child: int, parents: Sequence[int], k: float = 1) -> Decimal | None:
    """Score of a family: L(P + v) - L(P) less the penalty of the parameters in between."""
    both, given = log_likelihood(table, sorted([*parents, child])), log_likelihood(table, sorted(parents))
    if both is None or given is None:
        return None
    free = parameters(table, [*parents, child]) - parameters(table, parents)
    with localcontext() as context:
        context.prec = DIGITS
        unit = {"bic": ln(table.total) / 2, "aic": Decimal(1), "loglik": Decimal(0)}[score]
        return both - given - Decimal(k) * unit * free


def information_test(table: MixedTable, x: int, y: int, given: Sequence[int]) -> tuple[float, int] | None:
    """The statistic and the degrees of freedom of `mi-cg`."""
    sets = [sorted({*given, *more}) for more in ((x, y), (), (x,), (y,))]
    values = [log_likelihood(table, own) for own in sets]
    df = [parameters(table, own) for own in sets]
    if any(value is None for value in values):
        return None
    joint, base, left, right = (Decimal(value or 0) for value in values)
    statistic = float(2 * (joint + base - left - right))
    if _is_categorical(table, x) and _is_categorical(table, y) and not all(_is_categorical(table, v) for v in given):
        statistic = 2 * _logistic_gain(table, x, y, given)
    return statistic, df[0] + df[1] - df[2] - df[3]


def _logistic_gain(table: MixedTable, x: int, y: int, given: Sequence[int]) -> float:
    """Log-likelihood of the pairs (x, y) less those of x and of y, stratum by stratum."""
    repeated = np.repeat(np.arange(table.rows), _weights(table)).tolist()
    own_x, own_y = _codes(table, x), _codes(table, y)
    categorical = [_codes(table, v) for v in given if _is_categorical(table, v)]
    numbers = np.array([[float(z) for z in _numbers(table, v)] for v in given if not _is_categorical(table, v)])
    strata = defaultdict(list)
    for row in repeated:
        strata[tuple(own[row] for own in categorical)].append(row)
    gain = 0.0
    for rows in strata.values():
        z = numbers[:, rows].T
        z = (z - z.mean(axis=0)) / z.std(axis=0)
        products = [z[:, i] * z[:, j] for i in range(z.shape[1]) for j in range(i + 1)]
        features = np.column_stack([np.ones(len(rows)), z, *products])
        gain += _logistic_likelihood(features, [(own_x[row], own_y[row]) for row in rows])
        gain -= _logistic_likelihood(features, [(own_x[row],) for row in rows])
        gain -= _logistic_likelihood(features, [(own_y[row],) for row in rows])
    return gain


def _logistic_likelihood(features: NDArray[np.float64], classes: list[tuple[int, ...]]) -> float:
    """The log-likelihood of a multinomial logistic regression whose slopes have a small penalty, by Newton's method.

    Every class has coefficients, of which the mean over classes is of no account.
    """
    names = sorted(set(classes))
    own = np.array([[name == other for other in names] for name in classes], dtype=float)
    size, width = len(names), features.shape[1]
    penalty = 2**-8 * np.array([0.0] + [1.0] * (width - 1))

    def evaluate(at: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        logits = features @ at.T
        top = logits.max(axis=1, keepdims=True)
        totals = top + np.log(np.exp(logits - top).sum(axis=1, keepdims=True))
        return float((own * (logits - totals)).sum()), np.exp(logits - totals)

    at = np.zeros((size, width))
    for _ in range(300):
        value, shares = evaluate(at)
        gradient = (own - shares).T @ features - penalty * at
        spreads = shares[:, :, None] * (np.eye(size) - shares[:, None, :])
        information = np.einsum("iab,ij,il->ajbl", spreads, features, features)
        information += np.einsum("ab,jl->ajbl", np.eye(size), np.diag(penalty))
        change = np.linalg.lstsq(information.reshape(at.size, at.size), gradient.ravel(), rcond=1e-13)[0]
        change = change.reshape(at.shape)
        if abs((gradient * change).sum()) < 1e-12:
            break
        objective = value - (penalty * at**2).sum() / 2
        while evaluate(at + change)[0] - (penalty * (at + change) ** 2).sum() / 2 < objective:
            change = change / 2
        at = at + change
    return value


def indicator_columns(table: CategoricalTable, v: int) -> list[list[float]]:
    """Indicators of all levels but the first: which one is left out cannot matter."""
    return [[float(code == level) for code in table.codes[v]] for level in range(1, len(table.levels[v]))]


def _steps(values: Sequence[Fraction], weights: Sequence[int]) -> list[float]:
    """Numbers in whole steps of 2**-24 standard deviations from the mean; beyond 2**36 rows in fewer, larger ones."""
    mean = _mean(values, weights)
    bits = 24
    while sum(weights) > 4 ** (42 - bits):
        bits -= 1
    variance = _mean([(x - mean) ** 2 for x in values], weights)
    steps = []
    for x in values:
        square = (x - mean) ** 2 / variance * 4 ** (bits + 1)
        size = (math.isqrt(square.numerator // square.denominator) + 1) // 2
        steps.append(float(size if x > mean else -size))
    return steps


def degenerate_determinant(table: MixedTable | CategoricalTable, variables: Sequence[int]) -> Fraction:
    """Determinant of the covariance of all columns, those between variables shrunk by 2**-40; of one alone it is 1.

    A variable that another one determines counts 2**-40 for each column instead.
    """

    def columns(v: int) -> list[list[float]]:
        if isinstance(table, CategoricalTable):
            return indicator_columns(table, v)
        name = table.names[v]
        if name in table.categorical.names:
            return indicator_columns(table.categorical, table.categorical.names.index(name))
        return [_steps(_numbers(table, v), _weights(table))]

    def covariances(variables: Sequence[int], between: Fraction) -> list[list[Fraction]]:
        own = [(v, column) for v in variables for column in columns(v)]
        products = cross_products(ContinuousTable(tuple(range(len(own))), np.array([x for _, x in own]), table.weights))
        return [
            [x * (1 if u == v else between) for x, (v, _) in zip(row, own, strict=True)]
            for row, (u, _) in zip(products, own, strict=True)
        ]

    def determines(u: int, v: int) -> bool:
        return u != v and not any(map(any, rest_of(covariances([u, v], Fraction(1)), len(columns(u)))))

    kept = list(variables)
    for v in variables:
        if any(determines(u, v) for u in kept):
            kept.remove(v)
    if not kept:
        return Fraction(1)
    lost = sum(len(columns(v)) for v in variables if v not in kept)
    return _SMALLEST**lost * determinant(covariances(kept, 1 - _SMALLEST)) / determinant(covariances(kept, Fraction(0)))


def rest_of(matrix: list[list[Fraction]], first: int) -> list[list[Fraction]]:
    """What is left of covariances once the first columns are known."""
    rows = [list(row) for row in matrix]
    for j in range(first):
        for i in range(j + 1, len(rows)):
            ratio = rows[i][j] / rows[j][j]
            rows[i] = [x - ratio * y for x, y in zip(rows[i], rows[j], strict=True)]
    return [row[first:] for row in rows[first:]]


def degenerate_family(
    table: MixedTable | CategoricalTable, child: int, parents: Sequence[int], k: float = 1
) -> Decimal:
    """dg: Gaussian blocks, -(N / 2) ln det of the covariance, e (e + 1) / 2 parameters of e columns.

    The indicators of a variable have the product of the shares of its levels as determinant; a standardised number 1.
    """

    def part(variables: Sequence[int]) -> Decimal:
        levels = [_shares(table, v) for v in variables]
        e = sum(max(len(own) - 1, 1) for own in levels)
        alone = math.prod(share for own in levels for share in own)
        with localcontext() as context:
            context.prec = DIGITS
            fit = -Decimal(table.total) / 2 * ln(degenerate_determinant(table, variables) * alone)
            return fit - Decimal(k) * ln(table.total) / 2 * (e * (e + 1) // 2)

    return part([*parents, child]) - part(list(parents))


def _shares(table: MixedTable | CategoricalTable, v: int) -> list[Fraction]:
    """The share of each level in the rows; of a number none."""
    own = table if isinstance(table, CategoricalTable) else table.categorical
    if table.names[v] not in own.names:
        return []
    counts = joint_counts(own, [own.names.index(table.names[v])])
    return [Fraction(int(rows), table.total) for rows in counts.values()]
