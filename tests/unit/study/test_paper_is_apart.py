"""A general study does not import the code of the paper's study."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

STUDY = """
networks = ["asia"]
sizes = [50]
randomisations = 2
[[learners]]
algorithm = "hc"
"""

PROGRAM = """
import sys
import stablebn as sb
from stablebn.study.run_job import work
from stablebn.study.jobs import jobs_of

study = sb.study.read_study({definition!r})
samples, records = zip(*(work(job) for job in jobs_of(study)))
found = sb.study.Outcomes(study.title, study.report, study.metrics, samples[:1], records)
assert found.tables and found.write_tables({folder!r})
{figures}
print(*(name for name in sys.modules if name.startswith("stablebn.study.paper")))
"""


def _imported(tmp_path: Path, report: str, *, figures: bool) -> list[str]:
    definition = tmp_path / "study.toml"
    definition.write_text(f'report = "{report}"\n{STUDY}')
    draw = f"found.write_figures({str(tmp_path / 'out')!r})" if figures else ""
    program = PROGRAM.format(definition=str(definition), folder=str(tmp_path / "out"), figures=draw)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_general_study_does_not_import_the_paper(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert _imported(tmp_path, "general", figures=True) == []


def test_study_of_the_paper_does(tmp_path: Path) -> None:
    assert "stablebn.study.paper.paper_tables" in _imported(tmp_path, "paper", figures=False)
