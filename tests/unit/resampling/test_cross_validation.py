"""Cross-validation: folds depend on the content of rows, and likelihoods equal those of fitting by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.tables import categorical_columns, continuous_columns, mixed_columns

import stablebn as sb
from stablebn.api.arguments import LearnArguments
from stablebn.resampling.builtin_learner import BuiltinLearner
from stablebn.resampling.folds import held_out_counts

ASIA = sb.read_network("asia").sample(400, seed=2)


@pytest.mark.parametrize("folds", [2, 3, 7])
def test_every_row_is_held_out_once_and_folds_are_equally_large(folds: int) -> None:
    counts = np.array([5, 1, 1, 9, 3, 1])
    held_out = held_out_counts(counts, folds, seed=4)
    assert held_out.sum(axis=0).tolist() == counts.tolist()
    assert set(held_out.sum(axis=1).tolist()) <= {20 // folds, 20 // folds + 1}


def test_other_seeds_make_other_folds_that_never_change() -> None:
    counts = np.ones(12, dtype=np.int64)
    assert held_out_counts(counts, 3, seed=0).argmax(axis=0).tolist() == [0, 2, 0, 2, 1, 1, 0, 1, 1, 2, 0, 2]
    assert held_out_counts(counts, 3, seed=1).tolist() != held_out_counts(counts, 3, seed=0).tolist()


@pytest.mark.parametrize("kind", ["categorical", "continuous", "mixed"])
def test_folds_have_the_likelihood_that_is_seen_by_hand(kind: str) -> None:
    make = {"categorical": categorical_columns, "continuous": continuous_columns, "mixed": mixed_columns}[kind]
    columns = make(np.random.default_rng(3), 4, 120)
    kinds: dict[Any, Any] = {
        name: "continuous" if isinstance(own[0], float) else "categorical" for name, own in columns.items()
    }
    levels = {name: sorted(set(own)) for name, own in columns.items() if kinds[name] == "categorical"}
    found = sb.cross_validate(columns, "tabu-stable", folds=4, seed=1, smoothing=2.5, kinds=kinds)
    distinct = BuiltinLearner(LearnArguments(columns, kinds=kinds)).distinct
    for fold, held_out in zip(found.folds, held_out_counts(distinct.counts, 4, seed=1), strict=True):
        training, out = (
            {name: [own[place] for place in np.repeat(distinct.places, times)] for name, own in columns.items()}
            for times in (distinct.counts - held_out, held_out)
        )
        learned = sb.learn(training, "tabu-stable", kinds=kinds, levels=levels)
        network = sb.fit(learned, training, kinds=kinds, levels=levels, method="bde", iss=2.5)
        assert (learned.arcs, learned.score) == (fold.result.arcs, fold.result.score)
        assert fold.rows == len(out[next(iter(out))])
        assert fold.log_likelihood == pytest.approx(network.log_likelihood(out), rel=1e-12)


def test_mean_and_standard_error_are_those_of_the_folds() -> None:
    found = sb.cross_validate(ASIA, folds=3)
    sums = [fold.log_likelihood or math.nan for fold in found.folds]
    means = [total / fold.rows for total, fold in zip(sums, found.folds, strict=True)]
    assert found.means == tuple(means)
    assert found.mean == math.fsum(sums) / 400
    assert found.standard_error == pytest.approx(np.std(means, ddof=1) / math.sqrt(3))
    assert found.fingerprints == tuple(fold.result.fingerprint for fold in found.folds)
    assert f"{found.mean:,.4f}" in repr(found)


def test_learners_are_compared_on_the_same_rows() -> None:
    tabu, empty = (sb.cross_validate(ASIA, "tabu", folds=5, max_iter=most) for most in (None, 0))
    found = tabu.difference(empty)
    assert found.mean == tabu.mean - empty.mean > 0
    assert found.standard_error < math.hypot(tabu.standard_error, empty.standard_error)
    back = empty.difference(tabu)
    assert (back.mean, back.standard_error) == (-found.mean, found.standard_error)
    for other in (sb.cross_validate(ASIA, folds=5, seed=1), sb.cross_validate(ASIA, folds=4)):
        with pytest.raises(sb.OptionError, match="the folds are not the same"):
            tabu.difference(other)


def test_no_held_out_row_is_impossible() -> None:
    # Every level of `id` but one is in a single row: whatever is held out, its level was never seen.
    columns = {"id": [f"n{row}" for row in range(12)], "b": ["x", "y"] * 6}
    found = sb.cross_validate(columns, folds=12, kinds="categorical")
    assert all(mean is not None and math.isfinite(mean) for mean in found.means)


def test_columns_that_are_constant_without_a_fold_have_a_density() -> None:
    spike = [0.0] * 39 + [5.0]
    columns: dict[Any, Any] = {"spike": spike, "x": np.random.default_rng(1).normal(size=40).tolist()}
    found = sb.cross_validate(columns, folds=4, kinds="continuous")
    assert all(mean is not None and math.isfinite(mean) for mean in found.means)
    assert any(fold.result.constants == ("spike",) for fold in found.folds)


def test_weights_say_the_same_as_copies() -> None:
    rng = np.random.default_rng(5)
    columns = categorical_columns(rng, 4, 30)
    weights = rng.integers(0, 5, 30)
    copied = {name: np.repeat(own, weights).tolist() for name, own in columns.items()}
    kinds: Any = "categorical"
    assert sb.cross_validate(columns, weights=weights, folds=3, kinds=kinds) == sb.cross_validate(
        copied, folds=3, kinds=kinds
    )


def test_declared_levels_count_in_every_fold() -> None:
    names = {name: [*sb.read_network("asia")[name].levels, "unknown"] for name in ("smoke", "lung")}  # type: ignore[union-attr]
    plain, declared = sb.cross_validate(ASIA, folds=3), sb.cross_validate(ASIA, folds=3, levels=names)
    assert declared.mean < plain.mean
    assert declared.folds[0].result.levels["smoke"] == ("no", "unknown", "yes")


def test_graphs_that_no_dag_extends_give_a_warning() -> None:
    # With few rows of a dense network the tests contradict each other.
    table = sb.random_network(10, density=2.0, continuous=True, seed=30).sample(120, seed=1)
    found = sb.cross_validate(table, "gs", folds=3)
    likelihoods = [fold.log_likelihood for fold in found.folds]
    assert likelihoods[1] is None
    assert found.means[1] is None
    assert found.mean == ((likelihoods[0] or 0) + (likelihoods[2] or 0)) / 80
    assert "In folds 2 no DAG extends the learned graph" in repr(found)
    with pytest.raises(sb.OptionError, match="some folds have no log-likelihood"):
        found.difference(found)


def test_a_learner_by_another_name_is_the_same_learner() -> None:
    assert sb.cross_validate(ASIA, "pc", folds=2) == sb.cross_validate(ASIA, "pc-stable", folds=2)


def test_a_fold_without_which_a_required_arc_cannot_be_is_named() -> None:
    table = {"a": ["x", "y"] * 20, "rare": ["no"] * 39 + ["yes"]}
    with pytest.raises(sb.KnowledgeError, match=r"without the rows of fold [1-4] nothing can be learned: a -> rare"):
        sb.cross_validate(table, folds=4, required=[("a", "rare")])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"folds": 1}, "folds=1 must be an integer of at least 2"),
        ({"folds": 401}, "folds=401 are more than the 400 rows"),
        ({"seed": -1}, "seed=-1"),
        ({"smoothing": 0}, "smoothing=0"),
        ({"max_time": 3}, "no option 'max_time'"),
        ({"checkpoint": "c"}, "no option 'checkpoint': it learns every fold completely"),
        ({"missing": "available"}, 'missing="available" is for learning'),
        ({"fold": 3}, "learn has no option 'fold'"),
        ({"algorithm": "hcc"}, "hcc"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(sb.OptionError, match=words):
        sb.cross_validate(ASIA, **options)
