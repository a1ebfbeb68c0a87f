from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.study.studies import SMALL, study_of

from stablebn.study.estimate import Estimate, Remaining, in_words, rule_of_thumb
from stablebn.study.jobs import Cell, jobs_of

TABU, ELSEWHERE, OTHER = (
    Cell("asia", 8, 100, "tabu"),
    Cell("alarm", 37, 1000, "tabu"),
    Cell("alarm", 37, 1000, "pc"),
)


def test_before_anything_is_known_the_rule_of_thumb_counts() -> None:
    assert Estimate().seconds(TABU) == rule_of_thumb(TABU)


def test_a_cell_takes_what_it_took() -> None:
    assert Estimate([(TABU, 3.0), (TABU, 5.0), (ELSEWHERE, 100.0)]).seconds(TABU) == 4.0


def test_a_learner_is_as_much_slower_than_the_rule_as_elsewhere() -> None:
    estimate = Estimate([(TABU, 7 * rule_of_thumb(TABU)), (Cell("asia", 8, 100, "pc"), 1e-9)])
    assert estimate.seconds(ELSEWHERE) == pytest.approx(7 * rule_of_thumb(ELSEWHERE))


def test_an_unknown_learner_is_as_slow_as_the_others() -> None:
    estimate = Estimate([(TABU, 7 * rule_of_thumb(TABU))])
    assert estimate.seconds(OTHER) == pytest.approx(7 * rule_of_thumb(OTHER))


def test_the_time_left_shrinks_to_nothing(tmp_path: Path) -> None:
    jobs = jobs_of(study_of(tmp_path, SMALL))
    remaining = Remaining(jobs, Estimate((job.cell, 10.0) for job in jobs), workers=2)
    assert remaining.seconds() == pytest.approx(10.0 * len(jobs) / 2, rel=0.01)
    for job in jobs:
        remaining.ended(job, 10.0)
    assert remaining.seconds() == 0


def test_times_are_said_as_people_say_them() -> None:
    assert [in_words(seconds) for seconds in (0.4, 61, 150, 3600, 90_000)] == [
        "0 s",
        "61 s",
        "2 min",
        "1 h 0 min",
        "25 h 0 min",
    ]
