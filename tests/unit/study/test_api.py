from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.study.studies import SMALL, Here, study_of

import stablebn as sb
from stablebn.study import Progress


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the file of a small study, which is run in this process."""
    monkeypatch.setattr("stablebn.study.plan_and_run.start_workers", lambda jobs, dask: Here())
    monkeypatch.chdir(tmp_path)
    study_of(tmp_path, SMALL)
    return tmp_path / "mine.toml"


def test_a_study_runs_once_and_gives_its_tables(mine: Path) -> None:
    told: list[Progress] = []
    found = sb.study.run(mine, progress=told.append)
    assert (found.store, len(found.records)) == (Path("mine.sqlite"), 16)
    assert [(now.done, now.total) for now in told] == [(done, 16) for done in range(17)]
    assert told[-1].seconds_left == 0
    assert found.run is not None
    assert (found.run.jobs, found.run.workers) == (16, 1)
    assert {table.name for table in found.tables} >= {"learners-categorical", "f1-by-network-categorical"}
    assert str(found.tables[0]).startswith("# Learners, categorical networks")
    assert repr(found) == "16 of 16 jobs are in mine.sqlite: 16 done."
    again = sb.study.run(mine)
    assert again == found == sb.study.results(mine)
    assert again.run is None


def test_a_part_of_a_study_in_another_store(mine: Path, tmp_path: Path) -> None:
    found = sb.study.run(str(mine), quick=True, store=tmp_path / "other.sqlite")
    assert len(found.records) == 6
    assert not Path("mine.sqlite").exists()
    plan = sb.study.plan(mine, store=tmp_path / "other.sqlite", jobs=2)
    assert (plan.jobs, plan.done, plan.workers, plan.measured) == (16, 6, 2, True)
    assert plan.seconds > 0


def test_a_study_that_was_read_can_be_run(mine: Path) -> None:
    study = sb.study.read_study(mine, quick=True)
    assert len(sb.study.run(study).records) == 6
    with pytest.raises(sb.OptionError, match="give them to read_study"):
        sb.study.run(study, quick=True)


def test_results_need_a_store(mine: Path) -> None:
    with pytest.raises(sb.OptionError, match="Run the study first"):
        sb.study.results(mine)


def test_tables_and_figures_are_those_of_the_report(mine: Path, tmp_path: Path) -> None:
    mine.write_text('report = "paper"\n' + SMALL)
    found = sb.study.run(mine)
    assert "claims" in {table.name for table in found.tables}
    assert tmp_path / "shown" / "claims.csv" in found.write_tables(tmp_path / "shown")


def test_f1_by_sample_size_is_drawn(mine: Path, tmp_path: Path) -> None:
    found = sb.study.run(mine)
    figure = found.plot(tmp_path / "f1.svg")
    panels = [panel for panel in figure.axes if panel.get_visible()]
    assert len(panels) == len({record.network for record in found.records})
    lines = panels[0].get_lines()
    assert len(lines) == len({record.learner for record in found.records})
    sizes = sorted({record.rows for record in found.records})
    assert all([int(size) for size in line.get_xdata()] == sizes for line in lines)  # type: ignore[arg-type,union-attr]
    with pytest.raises(sb.OptionError, match="exists"):
        found.plot(tmp_path / "f1.svg")
