from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.unit.study.studies import SMALL, Here, run_here, study_of

import stablebn as sb
from stablebn.ci_tests import registry as tests
from stablebn.learners import LEARNERS, revision_of
from stablebn.networks import CPT
from stablebn.scores import registry as scores
from stablebn.scores.registry import SCORES
from stablebn.study.jobs import jobs_of
from stablebn.study.study_networks import fingerprint

ONE = 'networks = ["asia"]\nsizes = [100]\nrandomisations = 1\n[[learners]]\nalgorithm = "tabu"\n'


def _key(folder: Path, text: str) -> str:
    (job,) = jobs_of(study_of(folder, text))
    return job.key


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[[learners]]", 'title = "Another"\n[[learners]]'),
        ('"tabu"', '"tabu"\nlabel = "mine"'),
        ("[[learners]]", 'metrics = ["f1"]\n[[learners]]'),
        ("[[learners]]", 'vary = ["names", "rows", "columns"]\n[[learners]]'),
    ],
)
def test_what_cannot_change_the_outcome_keeps_the_key(tmp_path: Path, old: str, new: str) -> None:
    assert _key(tmp_path, ONE) == _key(tmp_path, ONE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("100", "101"),
        ('"tabu"', '"hc"'),
        ('"tabu"', '"tabu"\ntabu = 9'),
        ("[[learners]]", "seed = 2\n[[learners]]"),
        ("[[learners]]", 'vary = ["rows"]\n[[learners]]'),
        ("[[learners]]", "time_limit = 9\n[[learners]]"),
    ],
)
def test_what_can_change_the_outcome_changes_the_key(tmp_path: Path, old: str, new: str) -> None:
    assert _key(tmp_path, ONE) != _key(tmp_path, ONE.replace(old, new))


def test_another_version_has_other_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _key(tmp_path, ONE)
    monkeypatch.setattr("stablebn.study.jobs.__version__", "999")
    assert _key(tmp_path, ONE) != before


def test_a_changed_learner_never_reuses_what_it_found_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = study_of(tmp_path, SMALL)
    before = run_here(study, tmp_path / "s.sqlite")
    changed = replace(LEARNERS["tabu"], revision=LEARNERS["tabu"].revision + 1)
    monkeypatch.setattr("stablebn.learners.registry.LEARNERS", {**LEARNERS, "tabu": changed})
    workers = Here()
    after = run_here(study_of(tmp_path, SMALL), tmp_path / "s.sqlite", workers)
    assert len(workers.begun) == sum(record.learner == "tabu" for record in before)
    assert [record for record in after if record.learner != "tabu"] == [r for r in before if r.learner != "tabu"]


@pytest.mark.parametrize(
    ("algorithm", "options", "named"),
    [
        ("tabu", {}, "bic"),
        ("pc-stable", {}, "bic"),
        ("tabu", {"score": "BDeu"}, "bde"),
        ("tabu", {"score": "dg"}, "dg"),
        ("mmhc", {}, "mi"),
        ("mmhc", {}, "cor"),
        ("gs", {"test": "x2"}, "x2"),
    ],
)
def test_a_changed_score_or_test_changes_the_keys_of_those_that_use_it(
    algorithm: str, options: dict[str, str], named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "".join(f"{name} = {value!r}\n" for name, value in options.items())
    own = ONE.replace('"tabu"\n', f'"{algorithm}"\n{said}')
    others = [
        ONE.replace('"tabu"\n', '"hc"\nscore = "aic"\n'),
        ONE.replace('"tabu"\n', '"gs"\nscore = "k2"\ntest = "mi-adf"\n'),
    ]
    before = _key(tmp_path, own), [_key(tmp_path, other) for other in others]
    registry = scores if named in SCORES else tests
    monkeypatch.setattr(registry, "REVISIONS", {**registry.REVISIONS, named: 9})
    after = _key(tmp_path, own), [_key(tmp_path, other) for other in others]
    assert after[0] != before[0]
    assert after[1] == before[1]


def test_what_was_never_changed_keeps_its_key() -> None:
    assert revision_of("tabu", {}) == revision_of("tabu", {"score": "k2"}) == LEARNERS["tabu"].revision
    assert revision_of("tabu", {"score": "dg"}) == {"tabu": LEARNERS["tabu"].revision, "dg": 2}


def test_every_job_has_a_key_of_its_own(tmp_path: Path) -> None:
    jobs = jobs_of(study_of(tmp_path, SMALL))
    assert len({job.key for job in jobs}) == len(jobs)
    assert len({job.sample_key for job in jobs}) == 2


def test_the_sample_does_not_depend_on_what_else_is_studied(tmp_path: Path) -> None:
    sb.random_network(3, seed=1).write(tmp_path / "three.bif")
    more = SMALL.replace('"asia"', '"three.bif", "asia"').replace("50, 200", "50, 100, 200")
    seeds = [
        {job.rows: job.sample_seed for job in jobs_of(study_of(tmp_path, text)) if job.network.name == "asia"}
        for text in (SMALL, more)
    ]
    assert seeds[0] == {rows: seed for rows, seed in seeds[1].items() if rows != 100}


def test_a_network_is_known_by_its_last_digit() -> None:
    asia = sb.read_network("asia")
    own = asia["smoke"]
    assert isinstance(own, CPT)
    nudged = CPT(own.levels, own.parents, np.nextafter(own.probabilities, 1.0))
    assert fingerprint(asia) == fingerprint(sb.read_network("asia"))
    assert fingerprint(asia) != fingerprint(sb.Network({**asia, "smoke": nudged}))
    numbers = sb.random_network(3, continuous=True, seed=1)
    assert fingerprint(numbers) != fingerprint(sb.random_network(3, continuous=True, seed=2))
