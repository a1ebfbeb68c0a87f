"""The scores of each kind of data, by name; `stablebn.table.data_kinds` names them. The first one is the default."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from stablebn.errors import OptionError
from stablebn.scores import discrete as categorical
from stablebn.scores import gaussian as continuous
from stablebn.scores import mixed
from stablebn.scores.base import CompiledScores
from stablebn.scores.basis import basis
from stablebn.stats import AvailableMixedStatistics, Counts, MixedStatistics, Moments

if TYPE_CHECKING:
    from stablebn.scores.registry import ScoreConfig

CATEGORICAL: Mapping[str, Callable[[Counts, ScoreConfig], CompiledScores]] = {
    "bic": lambda counts, config: categorical.bic(counts, config.k),
    "aic": lambda counts, config: categorical.aic(counts, config.k),
    "loglik": lambda counts, config: categorical.loglik(counts),
    "bde": lambda counts, config: categorical.bdeu(counts, config.iss),
    "bds": lambda counts, config: categorical.bds(counts, config.iss),
    "k2": lambda counts, config: categorical.k2(counts),
    "qnml": lambda counts, config: categorical.qnml(counts),
    "dg": lambda counts, config: mixed.dg(counts, config.k),
    "basis": lambda counts, config: _basis(counts, config),
    "adaptive": lambda counts, config: categorical.bic(counts, config.k),
}

CONTINUOUS: Mapping[str, Callable[[Any, ScoreConfig], CompiledScores]] = {
    "bic": lambda moments, config: continuous.bic(moments, config.k),
    "aic": lambda moments, config: continuous.aic(moments, config.k),
    "loglik": lambda moments, config: continuous.loglik(moments),
    "bge": lambda moments, config: continuous.bge(moments, config.iss_mu, _iss_w(moments, config)),
    "dg": lambda moments, config: mixed.dg(moments, config.k),
    "basis": lambda moments, config: _basis(moments, config),
    "adaptive": lambda moments, config: continuous.bic(moments, config.k),
}

MIXED: Mapping[str, Callable[[MixedStatistics | AvailableMixedStatistics, ScoreConfig], CompiledScores]] = {
    "bic": lambda statistics, config: mixed.bic(statistics, config.k),
    "aic": lambda statistics, config: mixed.aic(statistics, config.k),
    "loglik": lambda statistics, config: mixed.loglik(statistics),
    "dg": lambda statistics, config: mixed.dg(statistics, config.k),
    "basis": lambda statistics, config: _basis(statistics, config),
    "adaptive": lambda statistics, config: mixed.adaptive(statistics, config.k),
}


def _basis(statistics: Any, config: ScoreConfig) -> CompiledScores:
    return basis(
        statistics, config.k, form=config.basis_form, degree=config.basis_degree, transform=config.basis_transform
    )


def _iss_w(moments: Moments, config: ScoreConfig) -> int:
    """Return `iss_w`, by default its least value; `OptionError` if it is smaller."""
    least = moments.n + 2
    if config.iss_w is None:
        return least
    if config.iss_w < least:
        raise OptionError(f"iss_w={config.iss_w} must be an integer of at least {least} (variables + 2).")
    return config.iss_w
