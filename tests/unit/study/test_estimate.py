from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.study.studies import SMALL, study_of

from stablebn.study import plan
from stablebn.study.estimate import SECONDS_TO_START, Estimate, Remaining, duration_in_words, rule_of_thumb
from stablebn.study.jobs import TimingGroup, jobs_of

TABU, ELSEWHERE, OTHER = (
    TimingGroup("asia", 8, 100, "tabu"),
    TimingGroup("alarm", 37, 1000, "tabu"),
    TimingGroup("alarm", 37, 1000, "pc"),
)


def test_before_anything_is_known_the_rule_of_thumb_counts() -> None:
    assert Estimate().seconds(TABU) == rule_of_thumb(TABU)


def test_a_cell_takes_what_it_took() -> None:
    assert Estimate([(TABU, 3.0), (TABU, 5.0), (ELSEWHERE, 100.0)]).seconds(TABU) == 4.0


def test_a_learner_that_was_slower_than_the_rule_everywhere_is_slower_elsewhere() -> None:
    groups = [TimingGroup("", nodes, rows, "tabu") for nodes in (5, 20, 80) for rows in (100, 1000)]
    estimate = Estimate(
        [*((group, 7 * rule_of_thumb(group)) for group in groups), (TimingGroup("", 8, 100, "pc"), 1e-9)]
    )
    assert estimate.seconds(ELSEWHERE) == pytest.approx(7 * rule_of_thumb(ELSEWHERE))


def test_a_learner_grows_with_variables_and_rows_as_it_did() -> None:
    groups = [TimingGroup("", nodes, rows, "tabu") for nodes in (5, 20, 80) for rows in (100, 1000, 10000)]
    estimate = Estimate((group, rule_of_thumb(group) * group.nodes**1.5 * group.rows**0.2) for group in groups)
    beyond = TimingGroup("", 160, 100_000, "tabu")
    right = rule_of_thumb(beyond) * 160**1.5 * 100_000**0.2
    assert right / 2 < estimate.seconds(beyond) < right * 2


def test_two_networks_of_about_one_size_do_not_tell_how_a_learner_grows() -> None:
    twins = [(TimingGroup("a", 54, 1000, "tabu"), 1.0), (TimingGroup("b", 56, 1000, "tabu"), 3.0)]
    assert Estimate(twins).seconds(TimingGroup("c", 109, 1000, "tabu")) < 20


def test_an_unknown_learner_is_as_slow_as_the_others() -> None:
    groups = [TimingGroup("", nodes, rows, "tabu") for nodes in (5, 20, 80) for rows in (100, 1000)]
    estimate = Estimate((group, 7 * rule_of_thumb(group)) for group in groups)
    assert estimate.seconds(OTHER) == pytest.approx(7 * rule_of_thumb(OTHER))


def test_one_measurement_is_enough_to_go_by() -> None:
    middling = TimingGroup("", 20, 1000, "tabu")
    estimate = Estimate([(middling, 7 * rule_of_thumb(middling))])
    assert estimate.seconds(ELSEWHERE) == pytest.approx(7 * rule_of_thumb(ELSEWHERE))


def test_the_time_left_shrinks_to_nothing(tmp_path: Path) -> None:
    jobs = jobs_of(study_of(tmp_path, SMALL))
    remaining = Remaining(jobs, Estimate((job.timing_group, 10.0) for job in jobs), workers=2)
    assert remaining.seconds() == pytest.approx(10.0 * len(jobs) / 2, rel=0.01)
    for job in jobs:
        remaining.ended(job, 10.0)
    assert remaining.seconds() == 0


def test_durations_are_written_in_hours_minutes_or_seconds() -> None:
    assert [duration_in_words(seconds) for seconds in (0.4, 61, 150, 3600, 90_000)] == [
        "0 s",
        "61 s",
        "2 min",
        "1 h 0 min",
        "25 h 0 min",
    ]


def test_jobs_take_more_than_learning_and_none_begins_at_once(tmp_path: Path) -> None:
    study = study_of(tmp_path, SMALL)
    jobs = jobs_of(study)
    learning = sum(rule_of_thumb(job.timing_group) for job in jobs)
    planned = plan(study, store=tmp_path / "none.sqlite", jobs=1)
    assert planned.seconds > SECONDS_TO_START + learning + 0.01 * len(jobs)
    assert f"About {planned.seconds:.0f} s" in planned.time_needed()
