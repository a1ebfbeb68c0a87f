"""The basis scores, slowly: least squares on polynomials of normal scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.polynomial.hermite_e import hermeval
from numpy.typing import NDArray

from stablebn.table.table import ContinuousTable, MixedTable

# Columns are rounded to these steps, and left out if less than this share of their variance is left.
_STEP = 2.0**-18
_LEAST_OF_OWN = 1 / 64


def normal_scores(values: Sequence[float]) -> list[float]:
    """The normal quantile of every value's mean rank."""
    n = len(values)
    middle = [sum(y < x for y in values) + sum(y == x for y in values) / 2 for x in values]
    return [NormalDist().inv_cdf(rank / n) for rank in middle]


def bounded(values: Sequence[float]) -> list[float]:
    """Standardised values x as x / sqrt(1 + x**2 / 4)."""
    x = (np.array(values) - np.mean(values)) / np.std(values)
    return [float(own) for own in x / np.sqrt(1 + x * x / 4)]


def polynomials(scores: Sequence[float], degree: int) -> NDArray[np.float64]:
    """Normalised Hermite polynomials of degree 1, 2, ... that add enough to those before; [columns, rows]."""
    kept: list[NDArray[np.float64]] = []
    for n in range(1, degree + 1):
        own = hermeval(np.array(scores), [0] * n + [1]) / math.sqrt(math.factorial(n))
        own = np.rint(own / _STEP) * _STEP
        if not kept or residual(own[np.newaxis], kept)[0, 0] >= _LEAST_OF_OWN * own.var():
            kept.append(own)
    return np.array(kept)


def residual(columns: NDArray[np.float64], given: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The covariance that some columns have given others, by least squares with an intercept."""
    rows = columns.shape[1]
    design = np.array([np.ones(rows), *given]).T
    fitted = design @ np.linalg.lstsq(design, columns.T, rcond=None)[0]
    rest = columns.T - fitted
    return np.atleast_2d(rest.T @ rest / rows)


def columns_of(table: ContinuousTable | MixedTable, v: int, degree: int, transform: str) -> NDArray[np.float64]:
    """All columns of a variable, every row as often as its weight."""
    name = table.names[v]
    weights = np.ones(table.rows, dtype=int) if table.weights is None else table.weights
    if isinstance(table, MixedTable) and name in table.categorical.names:
        codes = np.repeat(table.categorical.codes[table.categorical.names.index(name)], weights)
        return np.array([codes == level for level in np.unique(codes)[1:]], dtype=float)
    part = table.continuous if isinstance(table, MixedTable) else table
    values = np.repeat(part.values[part.names.index(name)], weights).tolist()
    return polynomials((normal_scores if transform == "rank" else bounded)(values), degree)


def additive(table: ContinuousTable | MixedTable, child: int, parents: Sequence[int], **options: object) -> float:
    """The additive score of a family."""
    degree, transform, k = options["degree"], options["transform"], options["k"]
    assert isinstance(degree, int)
    assert isinstance(transform, str)
    assert isinstance(k, float)
    parts = [columns_of(table, v, degree, transform) for v in (child, *parents)]
    is_number = [not _is_categorical(table, v) for v in (child, *parents)]
    own = parts[0][:1] if is_number[0] else parts[0]
    every = [column for part in parts[1:] for column in part]
    first = [
        column
        for part, number in zip(parts[1:], is_number[1:], strict=True)
        for column in part[: 1 if number else None]
    ]
    rows, count = own.shape[1], len(own)

    def value(given: Sequence[NDArray[np.float64]]) -> float:
        variance = residual(own, given)
        likelihood = np.linalg.slogdet(variance)[1]
        if is_number[0]:
            # A continuous variable has variance 1.
            likelihood -= math.log(own.var())
        parameters = count * len(given) + count * (count + 1) / 2
        return float(-rows / 2 * likelihood - k * math.log(rows) / 2 * parameters)

    return max(value(first), value(every)) if is_number[0] and len(every) + 2 < rows else value(first)


def _is_categorical(table: ContinuousTable | MixedTable, v: int) -> bool:
    return isinstance(table, MixedTable) and table.names[v] in table.categorical.names
