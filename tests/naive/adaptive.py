"""The adaptive score of mixed tables, slowly: every model by least squares, or by Newton's method on all rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stablebn.table.table import MixedTable

Matrix = NDArray[np.float64]


class AdaptiveScore:
    """What a family gains over having no parents, in nats.

    Parameters
    ----------
    table : MixedTable
    k : float
        Multiplier of the penalty.
    """

    def __init__(self, table: MixedTable, k: float = 1.0) -> None:
        weights = np.ones(table.categorical.codes.shape[1]) if table.weights is None else table.weights
        rows = np.repeat(np.arange(len(weights)), np.asarray(weights, dtype=int))
        self.rows = len(rows)
        self.unit = k * np.log(self.rows) / 2
        self.codes: dict[int, NDArray[np.int64]] = {}
        self.levels: dict[int, int] = {}
        self.columns: dict[int, Matrix] = {}
        for v, name in enumerate(table.names):
            if name in table.categorical.names:
                place = table.categorical.names.index(name)
                self.codes[v] = table.categorical.codes[place].astype(np.int64)[rows]
                self.levels[v] = len(table.categorical.levels[place])
                self.columns[v] = np.eye(self.levels[v])[self.codes[v]][:, 1:]
            else:
                values = table.continuous.values[table.continuous.names.index(name)][rows]
                self.columns[v] = ((values - values.mean()) / values.std())[:, None]

    def gain(self, child: int, parents: Sequence[int]) -> float:
        """Return the best model's gain in log-likelihood less the penalty of its parameters."""
        if not parents:
            return 0.0
        models = self._of_categorical(child, parents) if child in self.codes else self._of_continuous(child, parents)
        return float(max(gain - self.unit * parameters for gain, parameters in models))

    def _of_continuous(self, child: int, parents: Sequence[int]) -> list[tuple[float, int]]:
        y = self.columns[child][:, 0]
        own = [self.columns[u] for u in parents]
        models = [(-self.rows / 2 * np.log(_residual(np.hstack(own), y)), sum(x.shape[1] for x in own))]
        configurations, q = self._configurations(parents)
        numbers = [self.columns[u] for u in parents if u not in self.codes]
        x = np.hstack([*numbers, np.empty((self.rows, 0))])
        groups = [configurations == d for d in np.unique(configurations)]
        if min(group.sum() for group in groups) >= 3:
            left = sum(group.sum() * _residual(x[group], y[group]) for group in groups)
            models.append((-self.rows / 2 * np.log(left / self.rows), q * (x.shape[1] + 1) - 1))
        if min(group.sum() for group in groups) >= x.shape[1] + 3:
            gain = sum(-group.sum() / 2 * np.log(_residual(x[group], y[group])) for group in groups)
            models.append((gain, q * (x.shape[1] + 2) - 2))
        return models

    def _of_categorical(self, child: int, parents: Sequence[int]) -> list[tuple[float, int]]:
        models = []
        free = self.levels[child] - 1
        own = [self.columns[u] for u in parents]
        widths = [x.shape[1] for x in own]
        of_categorical = all(u in self.codes for u in parents)
        if of_categorical:
            configurations, q = self._configurations(parents)
            joint = np.bincount(configurations * self.levels[child] + self.codes[child])
            gain = _m_ln_m(joint) - _m_ln_m(np.bincount(configurations)) - self._alone(child)
            models.append((gain, free * (q - 1)))
        if len(parents) > 1 or not of_categorical:
            # Each parent must be worth its parameters if all columns were Gaussian.
            all_gain = self._gaussian(child, parents)
            is_fitted = all(
                all_gain - self._gaussian(child, [w for w in parents if w != u]) >= self.unit * free * width
                for u, width in zip(parents, widths, strict=True)
            )
            if is_fitted:
                gain = _logistic(np.hstack(own), self.codes[child], self.levels[child]) - self._alone(child)
                models.append((gain, free * sum(widths)))
            elif not of_categorical:
                models.append((0.0, free * sum(widths)))
        return models

    def _alone(self, child: int) -> float:
        return float(_m_ln_m(np.bincount(self.codes[child])) - self.rows * np.log(self.rows))

    def _configurations(self, parents: Sequence[int]) -> tuple[NDArray[np.int64], int]:
        configurations, q = np.zeros(self.rows, dtype=np.int64), 1
        for u in parents:
            if u in self.codes:
                configurations, q = configurations * self.levels[u] + self.codes[u], q * self.levels[u]
        return configurations, q

    def _gaussian(self, child: int, parents: Sequence[int]) -> float:
        """The degenerate Gaussian log-likelihood that a child gains."""
        if not parents:
            return 0.0
        y, x = self.columns[child], np.hstack([self.columns[u] for u in parents])
        return float(-self.rows / 2 * (_ln_det(np.hstack([x, y])) - _ln_det(x) - _ln_det(y)))


def _ln_det(columns: Matrix) -> float:
    return float(np.linalg.slogdet(np.cov(columns, rowvar=False, ddof=0).reshape(columns.shape[1], -1))[1])


def _m_ln_m(counts: NDArray[np.int64]) -> float:
    positive = counts[counts > 0]
    return float((positive * np.log(positive)).sum())


def _residual(x: Matrix, y: Matrix) -> float:
    """The residual variance of a regression with an intercept."""
    design = np.hstack([np.ones((len(y), 1)), x])
    return float(((y - design @ np.linalg.lstsq(design, y, rcond=None)[0]) ** 2).mean())


def _logistic(x: Matrix, y: NDArray[np.int64], levels: int) -> float:
    """The greatest log-likelihood of a multinomial logistic regression: Newton's method with halved steps."""
    design = np.hstack([np.ones((len(y), 1)), x])
    d, hits = design.shape[1], np.eye(levels)[y][:, 1:]

    def value(coefficients: Matrix) -> tuple[float, Matrix]:
        etas = np.hstack([np.zeros((len(y), 1)), design @ coefficients])
        shares = np.exp(etas - etas.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        return float(np.log(shares[np.arange(len(y)), y]).sum()), shares[:, 1:]

    at = np.zeros((d, levels - 1))
    best, shares = value(at)
    for _ in range(200):
        gradient = (design.T @ (hits - shares)).T.ravel()
        information = np.zeros((gradient.size, gradient.size))
        for a in range(levels - 1):
            for b in range(levels - 1):
                weights = shares[:, a] * ((a == b) - shares[:, b])
                information[a * d : a * d + d, b * d : b * d + d] = (design * weights[:, None]).T @ design
        step = np.linalg.lstsq(information, gradient, rcond=None)[0].reshape(levels - 1, d).T
        for share in 0.5 ** np.arange(30):
            found, own = value(at + share * step)
            if found > best:
                break
        if not found > best + 1e-9:
            return best
        at, best, shares = at + share * step, found, own
    return best
