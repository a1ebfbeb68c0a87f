"""A study's folder has all its tables and figures, and a page that lists them."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.unit.study.tables.studies import runs, sample, timed_out

import stablebn as sb
from stablebn.errors import MissingExtraError, OptionError
from stablebn.study.paper.paper import ALGORITHMS, ORDERINGS
from stablebn.study.record import Record
from stablebn.study.tables import write_figures, write_tables
from stablebn.study.tables.curves import f1_by_size
from stablebn.study.tables.side_by_side import learners_side_by_side
from stablebn.study.tables.summary import Experiments

LEARNERS = tuple(dict.fromkeys([*ORDERINGS, *ALGORITHMS]))
SAMPLES = [sample("asia"), sample("asia", 1000), sample("sachs_c")]
RECORDS: list[Record] = [
    record
    for place in SAMPLES
    for learner in LEARNERS
    for record in runs(place.network, place.rows, learner, 0.4, 0.6 if learner == "tabu" else 0.4)
]
PICTURES = ["algorithms-categorical", "algorithms-continuous", "asia-arcs", "bic", "f1-categorical", "f1-continuous"]
PICTURES.append("more-score")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drawn")
    write_figures("paper", SAMPLES, RECORDS, folder, report="paper")
    return folder


def test_every_table_is_written_in_three_forms(tmp_path: Path) -> None:
    networks = {"asia": sb.read_network("asia")}
    written = write_tables("paper", SAMPLES, RECORDS, tmp_path / "out", report="paper", networks=networks)
    names = {path.stem for path in written if path.suffix == ".csv"}
    assert {"claims", "networks-categorical", "orderings-categorical", "algorithms-continuous", "degrees"} <= names
    assert {path.name for path in written} == {f"{name}{end}" for name in names for end in (".md", ".csv", ".tex")} | {
        "README.md"
    }
    assert all(path.stat().st_size > 0 for path in written)


def test_tables_are_replaced_by_later_ones(tmp_path: Path) -> None:
    write_tables("paper", SAMPLES, RECORDS, tmp_path, report="paper")
    write_tables("paper", SAMPLES, [record for record in RECORDS if record.learner != "hc"], tmp_path, report="paper")
    assert "| hc |" not in (tmp_path / "orderings-categorical.md").read_text()


def test_other_studies_have_a_row_a_learner_and_every_metric_by_network(tmp_path: Path) -> None:
    records = [*runs("asia", 100, "mine", 0.25, 0.75), *runs("asia", 100, "yours", 0.5, 0.5)]
    write_tables("own", [sample("asia")], [*records, timed_out("asia", 100, "mine", 3)], tmp_path)
    with (tmp_path / "learners-categorical.csv").open() as file:
        mine, yours = csv.DictReader(file)
    assert (mine["learner"], float(mine["F1"]), float(mine["F1 SD"])) == ("mine", 0.5, 0.125**0.5)
    assert (yours["learner"], float(yours["F1"]), float(yours["F1 SD"])) == ("yours", 0.5, 0.0)
    assert "1 of 5 runs, of which 1 timed out." in (tmp_path / "learners-categorical.md").read_text()
    with (tmp_path / "normalised-bic-by-network-categorical.csv").open() as file:
        (asia,) = csv.DictReader(file)
    assert asia == {"network": "asia", "mine": "-3.5", "yours": "-3.5"}


def test_metric_that_no_run_has_is_not_shown(tmp_path: Path) -> None:
    write_tables("own", [sample("asia")], runs("asia", 100, "mine", 0.5, 0.5, shd=None), tmp_path)
    assert "SHD" not in (tmp_path / "learners-categorical.md").read_text()


def test_only_the_metrics_of_the_study_are_shown(tmp_path: Path) -> None:
    write_tables("own", [sample("asia")], runs("asia", 100, "mine", 0.5, 0.5), tmp_path, metrics=("recall", "score"))
    head = (tmp_path / "learners-categorical.csv").read_text().partition("\n")[0]
    assert head.strip() == "learner,recall,recall SD,normalised BIC,normalised BIC SD"


def test_index_lists_tables_and_figures(drawn: Path) -> None:
    write_tables("paper", SAMPLES, RECORDS, drawn, report="paper")
    index = (drawn / "README.md").read_text()
    assert index.index("[The paper's claims](claims.md)") < index.index("(orderings-categorical.md)")
    assert [name for name in PICTURES if f"]({name}.png)" not in index] == []
    assert "The number on an arc is the step of the search at which it was added" in index


def test_every_figure_is_written_as_png_and_svg(drawn: Path) -> None:
    pictures = sorted(path.name for path in drawn.iterdir() if path.suffix in (".png", ".svg"))
    assert pictures == [f"{name}{ending}" for name in PICTURES for ending in (".png", ".svg")]
    assert all((drawn / f"{name}.png").read_bytes().startswith(b"\x89PNG") for name in PICTURES)
    assert all("</svg>" in (drawn / f"{name}.svg").read_text() for name in PICTURES)


def test_figures_drawn_twice_have_the_same_bytes(drawn: Path, tmp_path: Path) -> None:
    written = write_figures("paper", SAMPLES, RECORDS, tmp_path, report="paper")
    pictures = [path for path in written if path.suffix in (".png", ".svg")]
    assert [path.name for path in pictures if path.read_bytes() != (drawn / path.name).read_bytes()] == []


OWN = (SAMPLES[:1], [*runs("asia", 100, "mine", 0.25, 0.75), *runs("asia", 100, "yours", 0.5, 0.5)])


@pytest.mark.parametrize("name", ["README.md", "learners-categorical.csv", "f1-categorical.png"])
def test_files_of_others_are_replaced_only_with_force(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"precious \xff")
    write = (write_tables, write_figures) if not name.endswith("csv") else (write_tables,)
    for one in write:
        with pytest.raises(OptionError, match=f"has not made: '{name}'.*--force"):
            one("own", *OWN, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_bytes() == b"precious \xff"
    write_tables("own", *OWN, tmp_path, force=True)
    write_figures("own", *OWN, tmp_path, force=True)
    assert not (tmp_path / name).read_bytes().startswith(b"precious")


def test_files_of_a_study_are_written_again(tmp_path: Path) -> None:
    write_tables("own", *OWN, tmp_path)
    first = (tmp_path / "learners-categorical.csv").read_text()
    (tmp_path / "learners-categorical.csv").write_text("old")
    (tmp_path / "notes.txt").write_text("precious")
    write_tables("own", *OWN, tmp_path)
    write_figures("own", *OWN, tmp_path)
    assert (tmp_path / "learners-categorical.csv").read_text() == first
    assert (tmp_path / "notes.txt").read_text() == "precious"


def test_tables_are_written_again_after_an_interruption(tmp_path: Path) -> None:
    # The last table cannot be written.
    (tmp_path / "learners-categorical.tex").mkdir()
    with pytest.raises(OptionError):
        write_tables("own", *OWN, tmp_path, force=True)
    (tmp_path / "learners-categorical.tex").rmdir()
    assert write_tables("own", *OWN, tmp_path)


def test_a_file_in_place_of_the_folder_is_a_message(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("precious")
    for write in (write_tables, write_figures):
        with pytest.raises(OptionError, match="cannot write"):
            write("own", *OWN, tmp_path / "out")
    assert (tmp_path / "out").read_text() == "precious"


def test_other_studies_have_figures_too(tmp_path: Path) -> None:
    records = [*runs("asia", 100, "mine", 0.25, 0.75), *runs("asia", 100, "yours", 0.5, 0.5)]
    written = write_figures("own", [sample("asia")], records, tmp_path)
    assert {path.stem for path in written} == {"f1-categorical", "learners-categorical", "README"}


def test_without_matplotlib_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "stablebn.plotting.notebook_figure", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"stablebn\[plot\]"):
        write_figures("paper", SAMPLES, RECORDS, tmp_path, report="paper")


def test_learners_are_called_by_their_titles_and_panels_have_letters() -> None:
    figure = learners_side_by_side(Experiments.of(SAMPLES, RECORDS).of_networks(["asia"]), {})
    first = figure.axes[0]
    labels = [label.get_text() for label in first.get_yticklabels()]
    assert {"Tabu-Stable", "PC-Stable (stable order)", "Best"} <= set(labels)
    assert [axes.get_title(loc="left")[:1] for axes in figure.axes] == list("abcdefgh")


def test_seconds_are_dots_where_the_axis_is_logarithmic() -> None:
    figure = learners_side_by_side(Experiments.of(SAMPLES, RECORDS).of_networks(["asia"]), {})
    assert [axes.get_title(loc="left") for axes in figure.axes if axes.get_xscale() == "log"] == [
        "g  Norm. BIC below the best",
        "h  Seconds",
    ]
    # A bar needs an origin, which a logarithmic axis does not have.
    assert [patch for axes in figure.axes for patch in axes.patches] == []


def test_shading_stays_where_there_can_be_an_f1() -> None:
    records = [record for rows in (100, 1000) for record in runs("asia", rows, "hc", 0.0, 1.0, 1.0)]
    figure = f1_by_size(Experiments.of(SAMPLES[:2], records), ("hc",), {"asia": "Asia"})
    (shading,) = figure.axes[0].collections
    heights = np.asarray(shading.get_paths()[0].vertices)[:, 1]
    assert (heights.min(), heights.max()) == (pytest.approx(2 / 3 - 3**-0.5), 1.0)
