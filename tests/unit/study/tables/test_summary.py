"""Means and deviations are exact, and runs without a number are counted."""

from __future__ import annotations

import statistics

import pytest
from tests.unit.study.tables.studies import failed, run, runs, sample, timed_out, without_dag

from stablebn.study.tables.summary import Experiments, mean_and_sd


@pytest.mark.parametrize("value", [0.1, 1 / 3, -25.463000000000001, 1e-300])
@pytest.mark.parametrize("count", [2, 3, 5, 25])
def test_deviation_of_equal_values_is_exactly_zero(value: float, count: int) -> None:
    assert mean_and_sd([value] * count) == (value, 0.0)


def test_deviation_is_that_of_a_sample() -> None:
    assert mean_and_sd([1.0, 2.0, 3.0]) == (2.0, 1.0)


def test_one_value_has_no_deviation() -> None:
    assert mean_and_sd([0.5]) == (0.5, None)


def test_no_values_have_no_mean() -> None:
    assert mean_and_sd([]) is None


def test_means_are_over_cells_not_over_runs() -> None:
    records = [*runs("asia", 100, "tabu", 1.0), *runs("child", 100, "tabu", 0.0, 0.0, 0.0)]
    experiments = Experiments.of([sample("asia"), sample("child")], records)
    assert experiments.mean("tabu", "f1") == 0.5


def test_mean_deviation_leaves_out_cells_with_one_value() -> None:
    records = [*runs("asia", 100, "tabu", 1.0), *runs("child", 100, "tabu", 0.0, 1.0, 2.0)]
    experiments = Experiments.of([sample("asia"), sample("child")], records)
    assert experiments.mean("tabu", "f1", "sd") == 1.0


def test_score_is_normalised_by_rows() -> None:
    experiments = Experiments.of([sample("asia", 1000)], [run("asia", 1000, "hc", 1, 0.5, score=-2500.0)])
    assert experiments.mean("hc", "normalised_bic") == -2.5


def test_runs_without_a_figure_are_left_out_of_means_and_counted() -> None:
    records = [
        *runs("asia", 100, "gs", 0.25, 0.75),
        timed_out("asia", 100, "gs", 3),
        failed("asia", 100, "gs", 4),
        without_dag("asia", 100, "gs", 5),
        without_dag("asia", 100, "gs", 6),
    ]
    experiments = Experiments.of([sample("asia")], records)
    assert experiments.mean("gs", "f1") == 0.5
    assert experiments.left_out() == (
        "Left out: 4 of 6 runs, of which 1 timed out, 1 failed, 2 learned a graph that no DAG extends."
    )


def test_seconds_are_of_runs_that_ended() -> None:
    records = [run("asia", 100, "gs", 1, 0.5, seconds=3.0), timed_out("asia", 100, "gs", 2)]
    assert Experiments.of([sample("asia")], records).mean("gs", "seconds") == 3.0


def test_note_says_also_that_no_run_is_left_out() -> None:
    experiments = Experiments.of([sample("asia")], runs("asia", 100, "hc", 0.5, 0.5))
    assert experiments.left_out() == "No run of 2 is left out."


def test_learners_are_compared_over_the_experiments_that_all_have_run_on() -> None:
    records = [*runs("asia", 100, "hc", 0.5), *runs("child", 100, "hc", 0.9), *runs("asia", 100, "tabu", 0.7)]
    shared = Experiments.of([sample("asia"), sample("child")], records).shared_by(["hc", "tabu", "never run"])
    assert (shared.mean("hc", "f1"), shared.mean("tabu", "f1")) == (0.5, 0.7)
    assert "Left out: 1 experiment that not all of them have run on." in shared.extent()


def test_different_graphs_are_counted_among_runs_that_learned_one() -> None:
    records = [*runs("asia", 100, "hc", 0.5, 0.5, 0.6), timed_out("asia", 100, "hc", 4)]
    (trial,) = Experiments.of([sample("asia")], records).trials("hc")
    assert trial.graphs == 2


def test_order_of_records_plays_no_part() -> None:
    values = [0.1, 0.7, 0.2, 0.9, 1e-17]
    records = runs("asia", 100, "hc", *values)
    means = {Experiments.of([sample("asia")], way).mean("hc", "f1", "sd") for way in (records, records[::-1])}
    assert means == {statistics.stdev(values)}
