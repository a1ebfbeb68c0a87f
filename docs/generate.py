"""Generate parts of the pages from the package when the site is built (a hook of MkDocs).

A function of `PARTS` replaces each line `<!-- generated: NAME -->` of a page. It reads the tables from which
`help(sb.learn)` and `--help` are made, so that the pages always describe what is registered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from stablebn.api.arguments import KNOWLEDGE, check_options, learn_options, options_for
from stablebn.ci_tests import registry as tests
from stablebn.cli.main import app
from stablebn.cli.reference import CommandReference, command_reference
from stablebn.learners import registry as learners
from stablebn.learners.shared.config import SearchConfig
from stablebn.options import Option, options_of
from stablebn.scores import registry as scores
from stablebn.scores.registry import ScoreConfig

MARK = re.compile(r"^<!-- generated: (.+?) -->$", flags=re.M)
FOR_TESTS = re.compile(r"^<!-- (?:run|not run|needs|exit code|file):.*?-->\n", flags=re.M | re.S)


# Pages with more about options, relative to the page of options.
MORE: Mapping[str, Sequence[str]] = {
    "scores.md": ("score", "k", "iss", "iss_mu", "iss_w"),
    "../mixed.md#which-arcs": ("arcs",),
    "../knowledge.md": KNOWLEDGE,
    "learners.md#climbing": ("tabu", "noinc", "max_iter", "order_search", "start"),
    "tests.md": ("test", "alpha", "max_condition"),
    "../learners.md": ("order",),
    "learners.md#fges": ("phases", "faithfulness"),
    "../best.md": ("effort",),
    "learners.md#averaged": ("resamples", "resample_seed"),
    "../exact.md": ("max_sets",),
    "../long-runs.md": ("max_time", "checkpoint", "resume", "progress"),
    "../weights.md": ("weights",),
    "../columns.md": ("kinds", "columns", "drop", "keep"),
    "../levels.md": ("levels",),
    "../missing.md": ("missing",),
    "../discretising.md": ("discretise", "bins"),
    "../files.md": ("names", "sep", "decimal", "encoding"),
    "../stability.md#units": ("unit_free",),
    "../large-tables.md#threads": ("threads",),
    "../promise.md#where-it-ends": ("duplicates",),
}


def on_page_markdown(markdown: str, *, page: Any, **_: object) -> str:
    """Fill in the generated parts of a page and remove the comments for tests; MkDocs calls this for every page."""
    if page.file.src_uri.startswith("study/") or page.file.src_uri.endswith("-table.md"):
        # Search results should start with pages that explain a word.
        page.meta.setdefault("search", {"boost": 0.2})
    return FOR_TESTS.sub("", filled(markdown))


def filled(markdown: str) -> str:
    """Return a page with its generated parts."""

    def made(mark: re.Match[str]) -> str:
        part, _, argument = mark[1].partition(" of ")
        return PARTS[part](argument) if argument else PARTS[part]()

    return MARK.sub(made, markdown)


def learner_table() -> str:
    """Return a table of the algorithms and whether the promise holds for them."""
    return _table(
        ("learner", "what it does", "one table, one graph"),
        [
            (
                f"[`{name}`](#{name})",
                learner.summary,
                ('yes; with `order="given"` no' if "order" in _names(options_for(name)) else "yes")
                if learner.stable
                else "no: this is what the paper measures",
            )
            for name, learner in learners.LEARNERS.items()
        ],
    )


def options_of_learner(name: str) -> str:
    """Return the options of an algorithm that not all algorithms have."""
    special = [option for option in options_for(name) if option.of]
    links = [f"[`{option.name}`](options.md#{option.name})" + _default(option) for option in special]
    return f"Options: {', '.join(links)}." if links else "It has no special options."


def other_names(kind: str) -> str:
    """Return the names of algorithms or scores in other packages."""
    names = {"learners": learners.OTHER_NAMES, "scores": scores.OTHER_NAMES}[kind]
    return _table(("other packages", "here"), [(f"`{other}`", f"`{name}`") for other, name in names.items()])


def score_table() -> str:
    """Return a table of the scores by kind of data."""
    return _by_kind("score", scores.SCORES, scores.SCORES_BY_KIND)


def test_table() -> str:
    """Return a table of the tests by kind of data."""
    return _by_kind("test", tests.TESTS, tests.TESTS_BY_KIND)


def options() -> str:
    """Return the descriptions of all options of `sb.learn`."""
    search, score = _names(options_of(SearchConfig)), _names(options_of(ScoreConfig))
    table = {*_names(check_options()), "duplicates"}
    groups: dict[str, Callable[[str], bool]] = {
        "The score": lambda name: name in score,
        "What is known": lambda name: name in KNOWLEDGE,
        "The search": lambda name: name in {*search, "start"} and name not in KNOWLEDGE,
        "The table": lambda name: name in table,
        "The run": lambda name: name not in {*search, "start", *score, *table, *KNOWLEDGE},
    }
    return "\n\n".join(
        "\n\n".join([f"## {title}", *(_option(option) for option in learn_options() if belongs(option.name))])
        for title, belongs in groups.items()
    )


def _option(option: Option) -> str:
    facts = [f"`{option.type}`", f"by default `{option.default!r}`"]
    if option.command_type is not None:
        facts.append(f"on the command line `--{option.flag or option.name.replace('_', '-')}`")
    more = [page for page, names in MORE.items() if option.name in names]
    lines = [f"### {option.name}", f"{', '.join(facts)}{''.join(f'; [more]({page})' for page in more)}", option.help]
    if option.of:
        lines.append(f"Only of {', '.join(f'`{name}`' for name in learners.learners_with(option))}.")
    return "\n\n".join(lines)


def commands() -> str:
    """Return the help of all commands."""
    return "\n\n".join(map(_command, command_reference(app)))


def _command(command: CommandReference) -> str:
    example = "\n".join(f"    {line}" for line in command.example)
    lines = [f"## {command.name}", command.summary, f"    {command.usage}", command.text, "For example:", example]
    for title, entries in (
        ("Arguments", command.arguments),
        *((group.title, group.entries) for group in command.groups),
    ):
        # Algorithms have their own page.
        if entries and title != "Learners":
            lines += [f"**{title}**", _table(("", ""), [(f"`{entry.term}`", entry.help) for entry in entries])]
    return "\n\n".join(line for line in lines if line)


def _by_kind(title: str, names: Iterable[str], by_kind: Mapping[str, Sequence[str]]) -> str:
    rows = []
    for name in names:
        fits = ["" if name not in fit else "the default" if fit[0] == name else "yes" for fit in by_kind.values()]
        rows.append((f"[`{name}`](#{name})", *fits))
    return _table((title, *by_kind), rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |" for line in lines)


def _default(option: Option) -> str:
    return "" if option.default is None else f" ({option.default})"


def _names(some: Iterable[Option]) -> list[str]:
    return [option.name for option in some]


PARTS: Mapping[str, Callable[..., str]] = {
    "learners": learner_table,
    "options": options,
    "own options": options_of_learner,
    "other names": other_names,
    "scores": score_table,
    "tests": test_table,
    "commands": commands,
}
