"""What a release has beside the code: how to cite it, what changed, how to work on it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_the_citation_names_the_paper_and_its_authors() -> None:
    yaml = pytest.importorskip("yaml")
    told: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    # What version 1.2.0 of the format asks for.
    assert {"cff-version", "message", "title", "authors"} <= told.keys()
    assert told["cff-version"] == "1.2.0"
    for work in (told["preferred-citation"], *told["references"]):
        assert {"type", "title", "authors", "year"} <= work.keys()
        assert [author["family-names"] for author in work["authors"]] == ["Kitson", "Constantinou"]
    paper = " ".join((ROOT / "README.md").read_text(encoding="utf-8").replace("*", "").split())
    assert told["preferred-citation"]["title"] in paper


def test_the_citation_is_valid() -> None:
    program = shutil.which("cffconvert")
    if program is None:
        pytest.skip("there is no cffconvert")
    subprocess.run([program, "--validate", "-i", str(ROOT / "CITATION.cff")], check=True)


def test_the_list_of_changes_has_the_sections_of_its_form() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (.*)$", text, flags=re.M)
    assert versions[0] == "Unreleased"
    assert [title for title in versions[1:] if not re.fullmatch(r"\d+\.\d+\.\d+( - \d{4}-\d{2}-\d{2})?", title)] == []
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Graphs that changed"}
    assert set(re.findall(r"^### (.*)$", text, flags=re.M)) <= kinds


@pytest.mark.parametrize("page", ["CHANGELOG.md", "CONTRIBUTING.md", "examples/README.md", "docs/command-line.md"])
def test_links_lead_to_files_that_there_are(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = [link.partition("#")[0] for link in re.findall(r"\]\((?!https?:)([^)]+)\)", text)]
    assert [link for link in links if not ((ROOT / page).parent / link).exists()] == []


def test_contributing_names_commands_that_there_are() -> None:
    made = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M))
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = {word for line in re.findall(r"^(?:\| `)?make ([a-z -]+)", page, flags=re.M) for word in line.split()}
    assert named <= made
    assert {"demo", "test", "dist", "man"} <= named
    # One page.
    assert len(page.splitlines()) <= 60
