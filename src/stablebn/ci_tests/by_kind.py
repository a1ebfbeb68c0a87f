"""The tests of independence of each kind of data, by name; `stablebn.table.data_kinds` names them.

The first test of a kind is the default. `mi-cg` is conditional Gaussian mutual information for every kind: for
categorical variables that is mutual information, for continuous ones Gaussian mutual information.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from stablebn.ci_tests.base import IndependenceTest
from stablebn.ci_tests.discrete import CategoricalTest
from stablebn.ci_tests.gaussian import AvailableCorrelationTest, CorrelationTest, Statistic
from stablebn.ci_tests.mixed import ConditionalGaussianTest
from stablebn.stats import AvailableMixedStatistics, AvailableMoments, Counts, MixedStatistics, Moments

CATEGORICAL: Mapping[str, Callable[[Counts], IndependenceTest]] = {
    "mi": CategoricalTest,
    "mi-adf": partial(CategoricalTest, adjust=True),
    "x2": partial(CategoricalTest, pearson=True),
    "mi-cg": CategoricalTest,
}


def _correlation(moments: Moments | AvailableMoments, statistic: Statistic) -> IndependenceTest:
    if isinstance(moments, AvailableMoments):
        return AvailableCorrelationTest(moments, statistic)
    return CorrelationTest(moments, statistic)


CONTINUOUS: Mapping[str, Callable[[Moments | AvailableMoments], IndependenceTest]] = {
    "cor": partial(_correlation, statistic="student"),
    "zf": partial(_correlation, statistic="fisher"),
    "mi-g": partial(_correlation, statistic="information"),
    "mi-cg": partial(_correlation, statistic="information"),
}

MIXED: Mapping[str, Callable[[MixedStatistics | AvailableMixedStatistics], IndependenceTest]] = {
    "mi-cg": ConditionalGaussianTest
}
