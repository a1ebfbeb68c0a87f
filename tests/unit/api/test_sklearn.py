from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import stablebn as sb
from stablebn.api.estimators import StructureLearner
from stablebn.learners import LEARNERS

ASIA = pd.DataFrame(sb.read_network("asia").sample(300, seed=1).to_pydict())
ESTIMATORS = (
    *(sb.HC, sb.HCDec, sb.HCInc, sb.HCStable, sb.Tabu, sb.TabuDec, sb.TabuInc, sb.TabuStable),
    *(sb.PCStable, sb.GS, sb.InterIAMB, sb.MMHC, sb.H2PC, sb.FGES, sb.Best, sb.Averaged, sb.Exact),
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


# Where we say no as scikit-learn's checks expect, but in other words.
OTHER_WORDS = {
    "check_complex_data": "complex columns are refused as columns that cannot be read",
    "check_estimators_empty_data_messages": "a table without columns is refused as one with too few of them",
    "check_estimators_nan_inf": "missing and infinite values are refused by the names of their columns",
    "check_fit2d_1feature": "one column is refused as too few of them",
}


@pytest.mark.parametrize("estimator", [sb.HCStable, sb.PCStable])
def test_the_checks_of_scikit_learn_pass(estimator: type[StructureLearner]) -> None:
    # It warns of an estimator that is not made from its own base class.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcomes = check_estimator(estimator(), on_fail=None, on_skip=None)
    failed = {own["check_name"]: own["exception"] for own in outcomes if own["status"] == "failed"}
    assert failed.keys() <= OTHER_WORDS.keys(), failed
    assert sum(own["status"] == "passed" for own in outcomes) >= 30


def test_score_is_the_mean_log_likelihood_of_other_rows() -> None:
    learned, other = ASIA[:200], ASIA[200:]
    fitted = sb.TabuStable(score="aic").fit(learned)
    network = sb.fit(fitted.result_, learned, method="bde")
    assert fitted.score(other) == network.log_likelihood(other) / 100
    weights = np.arange(1, 101)
    assert fitted.score(other, weights=weights) == network.log_likelihood(other, weights=weights) / 5050
    assert fitted.score == "aic"


def test_score_passes_over_columns_that_took_no_part() -> None:
    table = ASIA.assign(id=range(len(ASIA)), twin=ASIA["asia"])
    fitted = sb.TabuStable(duplicates="merge").fit(table)
    # Of identical columns one, by name, stands for both.
    assert fitted.score(table) == sb.TabuStable().fit(ASIA).score(ASIA)


def test_score_says_what_it_wants() -> None:
    with pytest.raises(sb.OptionError, match="Call fit first"):
        sb.HCStable().score(ASIA)
    numbers = np.random.default_rng(1).normal(size=(50, 3))
    fitted = sb.HCStable().fit(numbers, names=["a", "b", "c"])
    assert fitted.score(numbers) == fitted.score(pd.DataFrame(numbers, columns=["a", "b", "c"]))
    with pytest.raises(sb.DataError, match="X has 2 features, but HCStable is expecting 3"):
        fitted.score(numbers[:, :2])


def test_pipelines_and_searches_of_scikit_learn_work() -> None:
    numbers = sb.random_network(5, kinds="continuous", density=1.5, seed=1).sample(240, seed=1).to_pandas()
    pipeline = make_pipeline(StandardScaler(), sb.TabuStable())
    grid = {"tabustable__k": [1.0, 100.0], "tabustable__score": ["bic", "AIC"]}
    # Folds in the order of the rows.
    search = GridSearchCV(pipeline, grid, cv=3).fit(numbers)
    assert search.best_params_["tabustable__k"] == 1.0
    expected = []
    for fold in range(3):
        held = np.arange(240) // 80 == fold
        scaler = StandardScaler().fit(numbers[~held])
        fitted = sb.TabuStable(k=100.0).fit(scaler.transform(numbers[~held]))
        expected.append(fitted.score(scaler.transform(numbers[held])))
    at = search.cv_results_["params"].index({"tabustable__k": 100.0, "tabustable__score": "bic"})
    assert search.cv_results_["mean_test_score"][at] == pytest.approx(np.mean(expected), rel=1e-12)
    assert len(cross_val_score(sb.HCStable(score="BDeu"), ASIA, cv=3)) == 3


def test_weights_reach_the_search() -> None:
    weights = np.random.default_rng(1).integers(1, 4, len(ASIA))
    fitted = sb.TabuStable().fit(ASIA, weights=weights)
    assert fitted.score_ == sb.learn(ASIA, "tabu-stable", weights=weights).score
