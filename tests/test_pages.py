"""Every block of code of README.md and docs/ is run and gives what it shows; what is not run says why."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pages import CODE, PAGES, RUN, TEXT, Block, blocks_of, run

BLOCKS = [block for page in PAGES for block in blocks_of(page)]

# Not run, each with its reason on the page. One more is one that nobody tries: think twice.
NOT_RUN = {
    "README.md": 1,
    "docs/building.md": 3,
    "docs/core.md": 1,
    "docs/fuzzing.md": 1,
    "docs/migrating.md": 1,
    "docs/options.md": 2,
    "docs/performance.md": 2,
    "docs/start.md": 1,
}


@pytest.fixture
def _quiet() -> Iterator[None]:
    """Other packages log what nobody asked for."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


# What other packages warn of is their affair.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("_quiet")
@pytest.mark.parametrize("page", sorted({block.page for block in BLOCKS if block.language in CODE}))
def test_a_page_gives_what_it_shows(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    missing = []
    for block in blocks_of(page):
        if block.missing is not None:
            missing.append(block.missing)
        elif block.word == "file" or (block.language in RUN and block.word != "not run"):
            run(block, names)
    if missing:
        pytest.skip(f"all of {page} is right but for what needs {', '.join(missing)}, which was passed over")


def test_what_is_not_run_says_why_and_does_not_grow() -> None:
    marked = [block for block in BLOCKS if block.word == "not run"]
    assert all(block.value for block in marked)
    assert [block.place for block in BLOCKS if block.language in CODE[len(RUN) :] and block not in marked] == []
    assert Counter(block.page for block in marked) == NOT_RUN


def test_every_block_says_what_it_is() -> None:
    assert [block.place for block in BLOCKS if block.language not in (*CODE, *TEXT)] == []


def test_values_are_shown_in_the_form_that_is_compared() -> None:
    """A comment that is a value and not marked as one would not be noticed when it becomes false."""
    like_a_value = re.compile(r"^[^#>]*\S +# (-?\d[\d.,]*$|True|False|None|\(|\[|\{|')", flags=re.M)
    python = [block for block in BLOCKS if block.language == "python" and ">>> " not in block.code]
    assert [block.place for block in python if like_a_value.search(block.code)] == []


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("1 + 1  # -> 3\n", "python"),
        ("print('a', 'b')  # -> a c\n", "python"),
        ("if True:\n    'abc'  # -> b...\n", "python"),
        (">>> 1 + 1\n3\n", "pycon"),
        ("$ stablebn --version\nstablebn 12\n", "console"),
        ("$ stablebn nothing\n", "console"),
    ],
)
def test_what_a_page_shows_wrongly_is_noticed(code: str, language: str) -> None:
    with pytest.raises(AssertionError):
        run(Block("page.md", 1, language, code), {})


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("x = 1 + 1\nx, 1  # -> (2, 1)\nprint('a', x)  # -> a 2\nprint(x)  # a word\n1 / 3  # -> 0.333...\n", "python"),
        (">>> 'abc'\n'a...'\n", "pycon"),
        ("$ stablebn --version\nstablebn ...\n", "console"),
    ],
)
def test_what_a_page_shows_rightly_passes(code: str, language: str) -> None:
    run(Block("page.md", 1, language, code), {})
