"""Write the man page, man/stablebn.1, from the commands themselves.

``make man`` runs it after a command or an option has changed; tests/unit/cli/test_man_page.py fails if the page is out
of date. The page is in the repository because a build has no installed stablebn to generate it from.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import stablebn
from stablebn.cli.exit_codes import EVERYWHERE
from stablebn.cli.main import COMMANDS, SUMMARY, app
from stablebn.cli.reference import CommandReference, HelpEntry, HelpGroup, command_reference

PAGE = Path(__file__).resolve().parents[1] / "man" / "stablebn.1"

DESCRIPTION = (
    "Learns the structure of Bayesian networks from a table. The graph depends on the data and on nothing else: not on "
    "the order of rows or columns, names, units, threads or machine."
)

VARIABLES = {
    "STABLEBN_NETWORKS": "Folders with networks, separated as in PATH; their networks are available by name.",
    "NO_COLOR": "If it is not empty, output has no colours.",
    "FORCE_COLOR": "If it is not empty, output has colours even if it is not to a terminal.",
}


def man_page() -> str:
    """Return the page in the language of man."""
    return "\n".join(_lines(command_reference(app))) + "\n"


def _lines(commands: tuple[CommandReference, ...]) -> Iterator[str]:
    yield f'.TH STABLEBN 1 "" "stablebn {stablebn.__version__}" "User Commands"'
    yield from (".SH NAME", rf"stablebn \- {_text(SUMMARY[0].lower() + SUMMARY[1:].removesuffix('.'))}")
    yield from (".SH SYNOPSIS", ".B stablebn", r".I COMMAND \fR[\fIARGUMENTS\fR] [\fIOPTIONS\fR]")
    yield from (".SH DESCRIPTION", _text(DESCRIPTION))
    for section, summaries in COMMANDS.items():
        yield from (".PP", rf"\fB{_text(section)}\fR")
        yield from _definitions((HelpEntry((name,), "", summary) for name, summary in summaries.items()))
    known: set[HelpEntry] = set()
    for command in commands:
        yield f".SH STABLEBN {_text(command.name.upper())}"
        yield from _command(command, known)
        known |= {entry for group in command.groups for entry in group.entries}
    yield ".SH EXIT STATUS"
    yield from _definitions(HelpEntry((str(code),), "", meaning) for code, meaning in EVERYWHERE.items())
    yield ".SH ENVIRONMENT"
    yield from _definitions(HelpEntry((name,), "", meaning) for name, meaning in VARIABLES.items())


def _command(command: CommandReference, known: Collection[HelpEntry]) -> Iterator[str]:
    yield from (rf"\fB{_text(command.usage)}\fR", ".PP", _text(command.summary))
    for paragraph in command.text.split("\n\n"):
        yield from (".PP", _text(" ".join(paragraph.split()))) if paragraph.strip() else ()
    yield from (".PP", "Example:", ".PP", ".RS", ".nf")
    yield from map(_text, command.example)
    yield from (".fi", ".RE")
    yield from _definitions(command.arguments)
    for group in command.groups:
        yield from _group(group, known)
    special = {code: meaning for code, meaning in command.exit_codes.items() if EVERYWHERE.get(code) != meaning}
    if special:
        yield from (".PP", r"\fBExit status\fR")
        yield from _definitions(HelpEntry((str(code),), "", meaning) for code, meaning in special.items())


def _group(group: HelpGroup, known: Collection[HelpEntry]) -> Iterator[str]:
    """Yield a group of options; options that an earlier command has too are only named."""
    yield from (".PP", rf"\fB{_text(group.title)}\fR")
    yield from _definitions(entry for entry in group.entries if entry not in known)
    again = [entry.names[-1] for entry in group.entries if entry in known]
    if again:
        yield from (".PP", _text(f"As above: {', '.join(again)}."))


def _definitions(entries: Iterable[HelpEntry]) -> Iterator[str]:
    for entry in entries:
        names = ", ".join(rf"\fB{_text(name)}\fR" for name in entry.names)
        value = rf" \fI{_text(entry.value)}\fR" if entry.value else ""
        yield from (".TP", f"{names}{value}", _text(entry.help))


def _text(text: str) -> str:
    """Escape text for the language of man, and wrap its lines."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-")
    lines = textwrap.wrap(escaped, 78, break_long_words=False, break_on_hyphens=False)
    return "\n".join(rf"\&{line}" if line.startswith((".", "'")) else line for line in lines)


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(man_page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE.relative_to(Path.cwd())}\n")
