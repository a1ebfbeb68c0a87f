"""Format the help of commands for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from textwrap import TextWrapper

import click

from stablebn.cli.reference import CommandReference, HelpEntry

# The column at which explanations start; after a longer name they start on the next line.
_EXPLANATIONS = 28
_LEAST_WIDTH = 30


def help_of_command(command: CommandReference, width: int) -> str:
    """Return the help of a command."""
    parts = [
        _usage(command.usage, width),
        _paragraphs(f"{command.summary}\n\n{command.text}", width),
        _section("Example", [f"  {line}" for line in command.example]),
        _entries("Arguments", command.arguments, width),
        *(_entries(group.title, group.entries, width) for group in command.groups),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def help_of_all(
    summary: str, sections: Mapping[str, Mapping[str, str]], options: Iterable[HelpEntry], epilogue: str, width: int
) -> str:
    """Return the help that lists all commands."""
    parts = [
        _usage("stablebn COMMAND [ARGUMENTS] [OPTIONS]", width),
        _paragraphs(summary, width),
        *(
            _entries(title, [HelpEntry((name,), "", text) for name, text in commands.items()], width)
            for title, commands in sections.items()
        ),
        _entries("Options", options, width),
        _paragraphs(epilogue, width),
    ]
    return "\n\n".join(parts) + "\n"


def _usage(usage: str, width: int) -> str:
    return f"{_heading('Usage')} {_wrapper(width, after='    ').fill(f'       {usage}').lstrip()}"


def _paragraphs(text: str, width: int) -> str:
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
    return "\n\n".join(_wrapper(width).fill(paragraph) for paragraph in paragraphs if paragraph)


def _entries(title: str, entries: Iterable[HelpEntry], width: int) -> str:
    listed = list(entries)
    longest = max((len(entry.term) for entry in listed), default=0)
    column = min(_EXPLANATIONS, longest + 4)
    wrapper = _wrapper(max(width, column + _LEAST_WIDTH), before=" " * column, after=" " * column)
    lines: list[str] = []
    for entry in listed:
        explained = wrapper.wrap(entry.help) or [""]
        term = f"  {entry.term}"
        if len(term) + 2 <= column:
            lines += [f"{term:<{column}}{explained[0][column:]}".rstrip(), *explained[1:]]
        else:
            lines += [term, *explained]
    return _section(title, lines)


def _section(title: str, lines: list[str]) -> str:
    return "\n".join([_heading(title), *lines]) if lines else ""


def _heading(title: str) -> str:
    # Click removes the style if there are no colours.
    return click.style(f"{title}:", bold=True)


def _wrapper(width: int, *, before: str = "", after: str = "") -> TextWrapper:
    # Do not break names with hyphens.
    return TextWrapper(width, initial_indent=before, subsequent_indent=after, break_on_hyphens=False)
