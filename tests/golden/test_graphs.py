"""Graphs and scores are those of the last version: they never change silently.

`graphs.json` was written by `record_graphs.py`, which says what is in it.
"""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from tests.drawn import KINDS, LEARNERS
from tests.golden import record_graphs
from tests.golden.record_graphs import Case, cases, learned, recorded

import stablebn as sb

ROOT = Path(__file__).resolve().parents[2]
RECORDED = recorded()
CASES = list(cases())


def _checked(case: Case, then: dict[str, Any]) -> None:
    then = {what: value for what, value in then.items() if what != "changed"}
    assert learned(case) == then, (
        f"{case}: another answer than that of version {RECORDED['version']}. If that was not meant, it is a bug. "
        "If it was, raise the learner's revision (learners/registry.py), say `python -m tests.golden.record_graphs`, "
        'and tell in CHANGELOG.md, under "Graphs that changed", which and why.'
    )


@pytest.mark.parametrize("algorithm", LEARNERS)
@pytest.mark.parametrize("kind", KINDS)
def test_graphs_and_scores_are_those_of_the_last_version(kind: str, algorithm: str) -> None:
    for case in CASES:
        if (case.kind, case.algorithm) == (kind, algorithm):
            _checked(case, RECORDED["graphs"][str(case)])


def test_every_learner_with_every_score_is_recorded() -> None:
    assert list(RECORDED["graphs"]) == [str(case) for case in CASES]


def test_the_version_is_written_in_one_place() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version\b.*$", project, flags=re.M) + re.findall(r"^version:.*$", citation, flags=re.M) == []
    assert 'input = "src/stablebn/__init__.py"' in project
    assert metadata.version("stablebn") == sb.__version__
    assert RECORDED["version"] == sb.__version__, "a new version: say `python -m tests.golden.record_graphs`"
    assert sb.__version__ in _changes()


def _changes() -> dict[str, str]:
    """The sections of the list of changes, by version."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    return {
        title.split(" ")[0].strip("[]"): body for title, body in re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", text, re.M)
    }


def _untold(graphs: dict[str, dict[str, str]], changes: dict[str, str]) -> set[str]:
    """The versions in which graphs changed and nothing is said of it."""
    marks = {told["changed"] for told in graphs.values() if "changed" in told}
    titles = {mark: "Unreleased" if mark == "next" else mark for mark in marks}
    return {mark for mark, title in titles.items() if "### Graphs that changed" not in changes.get(title, "")}


def test_a_change_of_graphs_is_in_the_list_of_changes() -> None:
    assert _untold(RECORDED["graphs"], _changes()) == set()


def test_a_change_that_is_not_told_is_noticed() -> None:
    assert _untold({"a": {"graph": "x", "changed": "next"}}, {"Unreleased": "### Added\n"}) == {"next"}
    assert _untold({"a": {"graph": "x", "changed": "9.9"}}, {"9.9": "### Graphs that changed\n"}) == set()
    case = CASES[0]
    with pytest.raises(AssertionError, match="CHANGELOG"):
        _checked(case, {**RECORDED["graphs"][str(case)], "graph": "0000-0000"})


def test_recording_marks_what_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_graphs, "FILE", tmp_path / "graphs.json")
    monkeypatch.setattr(record_graphs, "cases", lambda: iter(CASES[:2]))
    assert record_graphs.record() == []
    assert "changed" not in recorded()["graphs"][str(CASES[0])]
    file = tmp_path / "graphs.json"
    now = recorded()["graphs"][str(CASES[0])]["graph"]
    file.write_text(file.read_text().replace(now, "0000-0000"))
    assert str(CASES[0]) in record_graphs.record()
    assert recorded()["graphs"][str(CASES[0])]["changed"] == "next"
    # Nothing more has changed, and the mark stays until there is a version.
    assert record_graphs.record() == []
    assert recorded()["graphs"][str(CASES[0])]["changed"] == "next"
    monkeypatch.setattr(sb, "__version__", "9.9.9")
    record_graphs.record()
    assert recorded()["graphs"][str(CASES[0])]["changed"] == "9.9.9"
