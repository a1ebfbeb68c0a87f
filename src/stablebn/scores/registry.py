"""The scores by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stablebn.errors import OptionError, one_of
from stablebn.scores import categorical, continuous
from stablebn.scores.families import CompiledScores
from stablebn.stats import Counts, Moments


@dataclass(frozen=True)
class ScoreConfig:
    """Which score, and its parameters.

    Attributes
    ----------
    score : str
        `bic`, `aic`, `loglik`, `bde`, `bds`, `k2` (categorical); `bic`, `aic`, `loglik`, `bge` (continuous).
    k : float
        Multiplier of the penalty of `bic` and `aic`.
    iss : float
        Imaginary sample size of `bde` and `bds`.
    iss_mu, iss_w : float, int or None
        Imaginary sample sizes of `bge` for the mean and the precision matrix; `iss_w` is n + 2 when None.
    """

    score: str = "bic"
    k: float = 1.0
    iss: float = 1.0
    iss_mu: float = 1.0
    iss_w: int | None = None

    def __post_init__(self) -> None:
        one_of("score", self.score, SCORES)
        for option, value in (("k", self.k), ("iss", self.iss), ("iss_mu", self.iss_mu)):
            if not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
                raise OptionError(f"{option}={value!r} must be a number above 0.")


_CATEGORICAL: Mapping[str, Callable[[Counts, ScoreConfig], CompiledScores]] = {
    "bic": lambda counts, config: categorical.bic(counts, config.k),
    "aic": lambda counts, config: categorical.aic(counts, config.k),
    "loglik": lambda counts, config: categorical.loglik(counts),
    "bde": lambda counts, config: categorical.bdeu(counts, config.iss),
    "bds": lambda counts, config: categorical.bds(counts, config.iss),
    "k2": lambda counts, config: categorical.k2(counts),
}

_CONTINUOUS: Mapping[str, Callable[[Moments, ScoreConfig], CompiledScores]] = {
    "bic": lambda moments, config: continuous.bic(moments, config.k),
    "aic": lambda moments, config: continuous.aic(moments, config.k),
    "loglik": lambda moments, config: continuous.loglik(moments),
    "bge": lambda moments, config: continuous.bge(moments, config.iss_mu, _iss_w(moments, config)),
}

SCORES = tuple(dict.fromkeys([*_CATEGORICAL, *_CONTINUOUS]))
"""Names of all scores."""


def scores_from(statistics: Counts | Moments, config: ScoreConfig) -> CompiledScores:
    """The score of families from the statistics of a table."""
    if isinstance(statistics, Counts):
        _must_fit(config.score, "categorical", tuple(_CATEGORICAL))
        return _CATEGORICAL[config.score](statistics, config)
    _must_fit(config.score, "continuous", tuple(_CONTINUOUS))
    return _CONTINUOUS[config.score](statistics, config)


def _must_fit(score: str, kind: str, names: tuple[str, ...]) -> None:
    if score not in names:
        raise OptionError(f"score={score!r} is not defined for {kind} data. Choose one of: {', '.join(names)}.")


def _iss_w(moments: Moments, config: ScoreConfig) -> int:
    least = moments.n + 2
    if config.iss_w is None:
        return least
    if not isinstance(config.iss_w, int) or config.iss_w < least:
        raise OptionError(f"iss_w={config.iss_w!r} must be an integer of at least {least} (variables + 2).")
    return config.iss_w
