"""The site: links lead somewhere, everything registered is in it, and it builds without a warning or the network."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import click
import pytest
from docs.generate import MARK, MORE, filled

import stablebn
from stablebn import graph, study
from stablebn.api.arguments import learn_options
from stablebn.ci_tests import TESTS
from stablebn.cli.main import app
from stablebn.learners import LEARNERS
from stablebn.scores.registry import SCORES
from tests.pages import DOCS, PAGES, ROOT

_FENCED = re.compile(r"^```.*?^```$", flags=re.M | re.S)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", flags=re.M)


def _text(page: str) -> str:
    """A page as a reader sees it, without its blocks of code."""
    return _FENCED.sub("", filled(PAGES[page].read_text(encoding="utf-8")))


def _anchors(page: str) -> set[str]:
    """What can follow the # of a link to a page, by the rule of MkDocs."""
    slugs = []
    for heading in _HEADING.findall(_text(page)):
        plain = re.sub(r"[`*]|\]\([^)]*\)", "", heading)
        ascii_ = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
        slugs.append(re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_).strip().lower()))
    named = re.findall(r"^::: (\S+)$", _text(page), flags=re.M)
    return {*slugs, *named}


def _section(page: str, heading: str) -> str:
    """What stands below a heading of the second level."""
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", _text(page), flags=re.M | re.S)
    assert found, f"{page} has no section {heading}"
    return found[1]


def _lost(page: str, text: str) -> list[str]:
    """The links of a text that lead nowhere, were it on that page; those to the world are not followed."""
    own = PAGES[page]
    # The site has nothing that is elsewhere.
    within = DOCS if DOCS in own.parents else ROOT
    lost = []
    for link in _LINK.findall(text):
        name, _, anchor = link.partition("#")
        target = (own.parent / name).resolve() if name else own
        there = link.startswith(("http://", "https://")) or (target.is_file() and target.is_relative_to(within))
        if not there or (anchor and anchor not in _anchors(target.relative_to(ROOT).as_posix())):
            lost.append(link)
    return lost


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    assert _lost(page, _text(page)) == []


@pytest.mark.parametrize("link", ["nothing.md", "promise.md#nothing", "#nothing", "../README.md"])
def test_a_link_that_leads_nowhere_is_noticed(link: str) -> None:
    good = "[a](https://a.b/c.html), [b](why.md), [c](#where-it-ends), [d](mixed.md#what-is-the-score)"
    assert _lost("docs/promise.md", f"{good}, [x]({link})") == [link]


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_has_its_method_options_and_literature(name: str) -> None:
    section = _section("docs/reference/learners.md", name)
    assert re.search(r"^\*.+\*$", section, flags=re.M | re.S)
    for option in learn_options():
        if option.of:
            assert (f"[`{option.name}`](options.md#{option.name})" in section) == LEARNERS[name].has(option)


@pytest.mark.parametrize(
    ("page", "name"),
    [
        *(("docs/reference/scores.md", score) for score in SCORES),
        *(("docs/reference/tests.md", test) for test in TESTS),
    ],
)
def test_every_score_and_test_has_its_literature(page: str, name: str) -> None:
    """Their formulas are worked out by what the pages run, for all of them, and compared."""
    assert name == "loglik" or re.search(r"^\*.+\*$", _section(page, name), flags=re.M | re.S)


def test_every_option_is_described_with_its_default() -> None:
    text = _text("docs/reference/options.md")
    for option in learn_options():
        entry = re.search(rf"^### {option.name}\n\n(.+)\n\n(.+)", text, flags=re.M)
        assert entry, option.name
        assert f"by default `{option.default!r}`" in entry[1]
        assert entry[2] == option.help


def test_only_options_have_pages_that_say_more() -> None:
    said = [name for names in MORE.values() for name in names]
    assert sorted(said) == sorted({*said} & {option.name for option in learn_options()})


def test_every_command_is_described_with_its_options() -> None:
    for name in app.list_commands(click.Context(app)):
        assert f"stablebn {name} " in _section("docs/reference/commands.md", name) + " "
    learn = _section("docs/reference/commands.md", "learn")
    flags = [f"--{option.flag or option.name.replace('_', '-')}" for option in learn_options() if option.command_type]
    either = [flag.replace("--", r"--(\[no-\])?") for flag in flags]
    assert [flag for flag in either if not re.search(rf"`[^`]*{flag}\b[^`]*` \| \w", learn)] == []
    # What is hidden there is hidden here.
    assert "--whitelist" not in _text("docs/reference/commands.md")


def test_every_public_name_is_in_the_reference() -> None:
    api, graphs = _text("docs/reference/api.md"), _text("docs/reference/graph.md")
    assert [name for name in stablebn.__all__ if f"stablebn.{name}\n" not in api and f"`sb.{name}`" not in api] == []
    # Some functions have the name of a module beside them.
    assert [
        name for name in study.__all__ if not re.search(rf"^::: stablebn\.study\.(plan_and_run\.)?{name}$", api, re.M)
    ] == []
    both = ("::: stablebn.graph.{}\n", "::: stablebn.{}\n")
    assert [name for name in graph.__all__ if not any(form.format(name) in api + graphs for form in both)] == []


def test_every_generated_part_is_on_a_page() -> None:
    asked = {mark for path in PAGES.values() for mark in MARK.findall(path.read_text(encoding="utf-8"))}
    assert {"commands", "learners", "options", "scores", "tests"} <= asked
    assert [page for page in PAGES if MARK.search(_text(page))] == []


@pytest.mark.skipif(importlib.util.find_spec("mkdocs") is None, reason="the extra docs is not installed")
def test_the_site_builds_without_a_warning_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    pages = list(tmp_path.glob("**/*.html"))
    assert len(pages) > len(PAGES) / 2
    loads = re.compile(
        r'<(?:script|img|iframe)[^>]+src="(?:https?:)?//|<link[^>]+href="(?:https?:)?//|url\((?:https?:)?//'
    )
    assert [page.name for page in pages if loads.search(page.read_text(encoding="utf-8"))] == []
    # What only tests read, and a module that took the place of a function of its name.
    for not_there in ("<!-- run:", "doc-symbol-heading doc-symbol-module"):
        assert [page.name for page in pages if not_there in page.read_text(encoding="utf-8")] == []
    for name in ("learn", "graph.to_dot"):
        assert any(f'id="stablebn.{name}"' in page.read_text(encoding="utf-8") for page in pages)
