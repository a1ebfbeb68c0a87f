from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.study.studies import SMALL, study_of

import stablebn as sb
from stablebn.study.definition import METRICS, read_study
from stablebn.study.jobs import jobs_of

SIX = ("fges", "mmhc", "h2pc", "pc-stable", "gs", "inter-iamb")
RESIDUAL = ("hailfinder", "win95pts", "formed", "pathfinder", "hailfinder2", "win95pts2")


@pytest.fixture
def toys(tmp_path: Path) -> Path:
    """Write a small network under the name of each network of the paper."""
    folder = tmp_path / "toys"
    folder.mkdir()
    categorical = (
        "asia sports sachs covid child insurance property diarrhoea water mildew alarm barley hailfinder hepar2 "
    )
    categorical += "win95pts formed pathfinder hailfinder2 win95pts2"
    continuous = "sachs_c covid_c building_c magic-niab_c ecoli70_c magic-irri_c arth150_c"
    for name in categorical.split():
        sb.random_network(3, seed=1).write(folder / f"{name}.bif")
    for name in continuous.split():
        sb.random_network(3, continuous=True, seed=1).write(folder / f"{name}.xdsl")
    return folder


def test_a_study_is_what_its_file_says(tmp_path: Path) -> None:
    study = study_of(tmp_path, SMALL)
    assert (study.name, study.title, study.networks, study.sizes) == ("mine", "mine", ("asia",), (50, 200))
    assert (study.seed, study.metrics) == (1, METRICS)
    tabu, _, pc = study.learners
    assert tabu.time_limit == 10800.0
    assert (tabu.label, tabu.options, tabu.randomisations, tabu.vary) == ("tabu", {}, 3, ("columns", "rows", "names"))
    assert (pc.label, pc.algorithm, pc.options, pc.randomisations) == ("pc", "pc-stable", {"alpha": 0.01}, 2)
    assert len(jobs_of(study)) == 2 * (3 + 3 + 2)


def test_an_option_above_the_learners_is_that_of_all_that_have_it(tmp_path: Path) -> None:
    text = "tabu = 5\nunit_free = false\n" + SMALL.replace(
        'algorithm = "pc-stable"', 'algorithm = "pc-stable"\nunit_free = true'
    )
    tabu, _, pc = study_of(tmp_path, text).learners
    assert tabu.options == {"tabu": 5, "unit_free": False}
    assert pc.options == {"unit_free": True, "alpha": 0.01}


def test_a_learner_may_have_a_time_limit_of_its_own(tmp_path: Path) -> None:
    text = "time_limit = 60\n" + SMALL.replace('algorithm = "pc-stable"', 'algorithm = "pc-stable"\ntime_limit = 5')
    assert [learner.time_limit for learner in study_of(tmp_path, text).learners] == [60.0, 60.0, 5.0]


def test_an_option_above_the_learners_is_checked(tmp_path: Path) -> None:
    with pytest.raises(sb.OptionError, match="study 'mine': unit_free"):
        study_of(tmp_path, 'unit_free = "no"\n' + SMALL)


def test_jobs_that_share_a_sample_and_a_layout_are_neighbours(tmp_path: Path) -> None:
    jobs = jobs_of(study_of(tmp_path, SMALL))
    assert [(job.rows, job.randomisation, job.learner.label) for job in jobs[:6]] == [
        (50, 1, "tabu"),
        (50, 1, "tabu-stable"),
        (50, 1, "pc"),
        (50, 2, "tabu"),
        (50, 2, "tabu-stable"),
        (50, 2, "pc"),
    ]
    assert [job.rows for job in jobs] == [50] * 8 + [200] * 8


def test_the_quick_part_is_a_part(tmp_path: Path) -> None:
    quick, whole = (jobs_of(study_of(tmp_path, SMALL, quick=quick)) for quick in (True, False))
    assert {job.key for job in quick} < {job.key for job in whole}
    assert len(quick) == 1 * (2 + 2 + 2)


def test_the_paper_is_as_its_tables_expect(toys: Path) -> None:
    study = read_study("paper", directories=[toys])
    orders = ["hc", "tabu", "hc-stable", "tabu-stable", "tabu-dec", "tabu-inc"]
    residual = ["tabu-stable, names kept", "tabu-stable, merged"]
    labels = [*orders, *residual, *SIX, *(f"{name} (stable order)" for name in SIX), "best", "exact"]
    assert [learner.label for learner in study.learners] == labels
    assert (len(study.networks), study.sizes) == (26, (100, 1000, 10000, 100000))
    by_label = {learner.label: learner for learner in study.learners}
    assert {by_label[name].options["order"] for name in SIX} == {"given"}
    assert all(by_label[label].networks == tuple(n for n in study.networks if n in RESIDUAL) for label in residual)
    assert by_label["tabu-stable, names kept"].vary == ("columns", "rows")
    assert len(jobs_of(study)) == 26 * 4 * (6 * 25 + 6 * 5 + 6 * 2 + 2) + 6 * 4 * 2 * 25 + 15 * 3 * 2
    assert {learner.time_limit for learner in study.learners if learner.label != "exact"} == {10800.0}


def test_the_file_of_a_study_chooses_its_report(tmp_path: Path, toys: Path) -> None:
    assert read_study("paper", directories=[toys]).report == "paper"
    assert study_of(tmp_path, SMALL).report == "general"
    assert study_of(tmp_path, 'report = "paper"\n' + SMALL).report == "paper"
    (tmp_path / "paper.toml").write_text(SMALL)
    assert read_study(tmp_path / "paper.toml").report == "general"


def test_the_quick_paper_has_every_learner(toys: Path) -> None:
    quick, whole = read_study("paper", quick=True, directories=[toys]), read_study("paper", directories=[toys])
    assert [learner.label for learner in quick.learners] == [learner.label for learner in whole.learners]
    assert {job.key for job in jobs_of(quick)} < {job.key for job in jobs_of(whole)}


def test_networks_can_be_files_beside_the_study(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    network = sb.random_network(4, seed=1)
    network.write(tmp_path / "models" / "four.bif")
    study = study_of(tmp_path, SMALL.replace('"asia"', '"asia", "models/four.bif"'))
    assert study.networks == ("asia", "four")
    assert study.named_networks["four"].model.nodes == network.nodes


def test_all_missing_networks_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(sb.OptionError, match=r"'atlantis', 'lemuria'.*--networks"):
        study_of(tmp_path, SMALL.replace('"asia"', '"atlantis", "asia", "lemuria.bif"'))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("randomisations = 3", "repeats = 3", "unknown keys 'repeats'. Keys are .*'randomisations'"),
        ("alpha = 0.01", "colour = 1", r"\[\[learners\]\] number 3: unknown keys 'colour'"),
        ("alpha = 0.01", "threads = 2", "unknown keys 'threads'"),
        ("alpha = 0.01", "alpha = 2.0", "number 3: alpha=2.0 must be"),
        ("alpha = 0.01", "tabu = 5", "number 3: algorithm='pc-stable' has no option 'tabu'"),
        ("alpha = 0.01", 'score = "bits"', "score='bits' is not known"),
        ("alpha = 0.01", 'test = "bits"', "test='bits' is not known"),
        ("alpha = 0.01", 'duplicates = "burn"', "duplicates='burn' is not known"),
        ("alpha = 0.01", 'networks = ["alarm"]', "networks has 'alarm', not among those of the study"),
        ("alpha = 0.01", "sizes = []", r"sizes = \[\] must be a list of at least one"),
        ("alpha = 0.01", "sizes = [51]", "sizes has 51, not among those of the study"),
        ('algorithm = "tabu"', 'algorithm = "taboo"', "algorithm='taboo' is not known"),
        ('algorithm = "tabu"', "sizes = [50]", "algorithm is missing"),
        ('label = "pc"', 'label = "tabu"', "more than one learner is called 'tabu'"),
        ('label = "pc"', "label = 3", "label = 3 must be text"),
        ("sizes = [50, 200]", "sizes = [1, 200]", "numbers of rows of at least 2"),
        ("sizes = [50, 200]", "sizes = 50", r"sizes = 50 must be a list of numbers, such as \[100"),
        ("sizes = [50, 200]", "sizes = [50, 50]", "sizes has 50 more than once"),
        ("sizes = [50, 200]", "", "sizes = None must be a list"),
        ('["asia"]', "[]", "networks = .* must be a list of texts"),
        ('["asia"]', '["asia", "x/asia.bif"]', "two networks are called 'asia'"),
        ("randomisations = 3", "randomisations = 0", "randomisations=0 must be an integer of at least 1"),
        ("randomisations = 3", "seed = -1", "seed=-1 must be"),
        ("randomisations = 3", "time_limit = 0", "time_limit = 0 must be a number of seconds above 0"),
        ("randomisations = 3", 'vary = ["colours"]', "vary='colours' is not known"),
        ("randomisations = 3", 'metrics = ["beauty"]', "metrics='beauty' is not known"),
        ("randomisations = 3", 'report = "book"', "report='book' is not known. Choose one of: 'general', 'paper'"),
        ("sizes = [50]", "sizes = [51]", r"\[quick\]: sizes has 51"),
        ("sizes = [50]", "learners = 3", r"\[quick\]: unknown keys 'learners'"),
    ],
)
def test_wrong_values_are_named_with_their_key(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in SMALL
    with pytest.raises(sb.OptionError, match=said):
        study_of(tmp_path, SMALL.replace(old, new, 1))


def test_error_for_a_study_without_learners_says_how_to_write_them(tmp_path: Path) -> None:
    with pytest.raises(sb.OptionError, match=r"write \[\[learners\]\]"):
        study_of(tmp_path, 'networks = ["asia"]\nsizes = [100]')


def test_a_study_without_a_quick_part_says_so(tmp_path: Path) -> None:
    with pytest.raises(sb.OptionError, match=r"has no table \[quick\]"):
        study_of(tmp_path, SMALL.partition("[quick]")[0], quick=True)


def test_error_for_a_file_that_is_not_toml_names_the_line(tmp_path: Path) -> None:
    with pytest.raises(sb.FormatError, match=r"mine\.toml.*line 1"):
        study_of(tmp_path, "networks = [asia]")


def test_a_study_that_is_not_there_is_a_message(tmp_path: Path) -> None:
    with pytest.raises(sb.OptionError, match=r"nowhere\.toml.*use paper"):
        read_study(tmp_path / "nowhere.toml")


def test_the_paper_has_units_in_its_order(toys: Path) -> None:
    assert all(learner.options["unit_free"] is False for learner in read_study("paper", directories=[toys]).learners)
