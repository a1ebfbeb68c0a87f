from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import stablebn as sb
from stablebn.learners import LEARNERS
from stablebn.sklearn import StructureLearner

ASIA = pd.DataFrame(sb.read_network("asia").sample(300, seed=1).to_pydict())
ESTIMATORS = (
    *(sb.HC, sb.HCDec, sb.HCInc, sb.HCStable, sb.Tabu, sb.TabuDec, sb.TabuInc, sb.TabuStable),
    *(sb.PCStable, sb.GS, sb.InterIAMB, sb.MMHC, sb.H2PC, sb.FGES, sb.Exact),
)


def test_every_learner_has_an_estimator() -> None:
    assert {estimator.algorithm for estimator in ESTIMATORS} == set(LEARNERS)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_estimator_learns_what_learn_learns(estimator: type[StructureLearner]) -> None:
    fitted = estimator(score="bde", iss=5).fit(ASIA)
    result = sb.learn(ASIA, estimator.algorithm, "bde", iss=5)
    assert fitted.causal_graph_ == result.dag
    assert fitted.score_ == result.score
    assert fitted.trace_ == result.trace
    assert fitted.feature_names_in_.tolist() == list(ASIA.columns)
    assert fitted.n_features_in_ == 8
    arcs = {(ASIA.columns[u], ASIA.columns[v]) for u, v in zip(*np.nonzero(fitted.adjacency_matrix_), strict=True)}
    assert arcs == set(result.arcs)


def test_clone_copies_parameters_and_nothing_learned() -> None:
    fitted = sb.TabuStable(score="aic", tabu=5, kinds={"a": "categorical"}).fit(ASIA.rename(columns={"asia": "a"}))
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert not hasattr(copy, "causal_graph_")


def test_parameters_can_be_set_and_unknown_ones_are_refused() -> None:
    learner = sb.TabuStable().set_params(score="aic", tabu=3)
    assert (learner.score, learner.tabu) == ("aic", 3)
    assert repr(learner) == "TabuStable(score='aic', tabu=3)"
    with pytest.raises(sb.OptionError, match="magic"):
        learner.set_params(magic=1)


def test_array_without_names_gets_some() -> None:
    fitted = sb.HCStable().fit(np.random.default_rng(1).normal(size=(50, 3)))
    assert fitted.feature_names_in_.tolist() == ["x0", "x1", "x2"]


def test_weights_reach_the_search() -> None:
    weights = np.random.default_rng(1).integers(1, 4, len(ASIA))
    fitted = sb.TabuStable().fit(ASIA, weights=weights)
    assert fitted.score_ == sb.learn(ASIA, weights=weights).score
