"""What there is to say of every command: the help, the man page and the web page are made from it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

import typer
from typer.core import TyperCommand

from stablebn.cli.exit_codes import EVERYWHERE
from stablebn.cli.plain_values import ReadsPlainly
from stablebn.options import Group as Heading

HEADINGS: tuple[str, ...] = get_args(Heading)

# Letters that the completion of a shell has room for.
_MOST_TOLD = 60

# What Typer, and before 0.29 Click, calls types, and what those do who do not program.
_VALUES = {
    "<str>": "<text>",
    "<float>": "<number>",
    "<path>": "<file>",
    "TEXT": "<text>",
    "FLOAT": "<number>",
    "PATH": "<file>",
    "INTEGER": "<int>",
}


@dataclass(frozen=True)
class Entry:
    """An argument, an option, or a learner.

    Attributes
    ----------
    names : tuple of str
        As they are typed, the short one first.
    value : str
        What stands for its value; empty if it has none.
    help : str
        What it does and its default, in sentences.
    """

    names: tuple[str, ...]
    value: str
    help: str

    @property
    def term(self) -> str:
        """Its names and its value."""
        return f"{', '.join(self.names)} {self.value}".rstrip()


@dataclass(frozen=True)
class Group:
    """Entries under a heading."""

    title: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class CommandReference:
    """What there is to say of a command.

    Attributes
    ----------
    name, section, summary : str
        The command, the heading that it stands under in the list of commands, and a sentence.
    usage : str
        How it is called.
    text : str
        What more there is to say, paragraphs with empty lines between them; often nothing.
    example : tuple of str
        Lines to type.
    arguments : tuple of Entry
    groups : tuple of Group
        The options, those that most people need first; where there is a choice of learners, they are a group too.
    exit_codes : mapping of int to str
    """

    name: str
    section: str
    summary: str
    usage: str
    text: str
    example: tuple[str, ...]
    arguments: tuple[Entry, ...]
    groups: tuple[Group, ...]
    exit_codes: Mapping[int, str] = field(hash=False)


class Command(ReadsPlainly, TyperCommand):
    """A command that knows its example and its exit codes, and shows its help in groups."""

    section = ""
    example: tuple[str, ...] = ()
    exit_codes: Mapping[int, str] = {}

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What stands behind the command: first what must be."""
        arguments = [_argument_name(param) for param in self.get_params(ctx) if param.param_type_name == "argument"]
        return [*arguments, "[OPTIONS]"]

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """What a word can become, each with few words: shells show a line, and some take a second one for an answer."""
        found = super().shell_complete(ctx, incomplete)
        for item in found:
            told = (item.help or "").partition(". ")[0]
            item.help = told if len(told) <= _MOST_TOLD else f"{told[: _MOST_TOLD - 3]}..."
        return found

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        # Here and not above: most calls do not ask for it.
        from stablebn.cli.help import help_of_command

        formatter.write(help_of_command(reference_of(self, ctx), formatter.width))


def command_reference(app: typer.Typer) -> tuple[CommandReference, ...]:
    """What there is to say of every command of `stablebn.cli.main.app`, in the order of its help.

    >>> from stablebn.cli.main import app
    >>> command_reference(app)[0].usage
    'stablebn learn DATA [OPTIONS]'
    """
    group: Any = typer.main.get_command(app)
    with group.make_context("stablebn", [], resilient_parsing=True) as root:
        return tuple(_references(group, root))


def _references(group: Any, root: Any) -> Iterator[CommandReference]:
    for name in group.list_commands(root):
        command = group.get_command(root, name)
        with command.make_context(name, [], parent=root, resilient_parsing=True) as ctx:
            yield reference_of(command, ctx)


def reference_of(command: Command, ctx: Any) -> CommandReference:
    """What there is to say of one command, when it is called in a context."""
    params = [param for param in command.get_params(ctx) if not getattr(param, "hidden", False)]
    options = [param for param in params if param.param_type_name == "option"]
    grouped: dict[str, list[Entry]] = {}
    for param in options:
        grouped.setdefault(_title(param), []).append(_option(param, ctx))
    groups = [Group(title, tuple(grouped[title])) for title in sorted(grouped, key=_place)]
    if any(param.name == "algorithm" for param in options):
        groups.insert(1, _learners())
    summary, _, text = str(command.help).partition("\n\n")
    return CommandReference(
        name=str(command.name),
        section=command.section,
        summary=summary,
        usage=f"{ctx.command_path} {' '.join(command.collect_usage_pieces(ctx))}",
        text=text,
        example=command.example,
        arguments=tuple(_argument(param) for param in params if param.param_type_name == "argument"),
        groups=tuple(groups),
        exit_codes=dict(sorted({**EVERYWHERE, **command.exit_codes}.items())),
    )


def options_of(params: Iterable[Any], ctx: Any) -> tuple[Entry, ...]:
    """Options that stand in no group."""
    return tuple(_option(param, ctx) for param in params if param.param_type_name == "option" and not param.hidden)


def _title(param: Any) -> str:
    if param.name == "help":
        return HEADINGS[-1]
    return str(getattr(param, "rich_help_panel", None) or HEADINGS[0])


def _place(title: str) -> int:
    """A heading may go on, to say whose options these are."""
    return next(place for place, heading in enumerate(HEADINGS) if re.match(rf"{heading}($| \()", title))


def _option(param: Any, ctx: Any) -> Entry:
    names = sorted(param.opts, key=len)
    if param.secondary_opts:
        names = [*names[:-1], f"--[no-]{names[-1].removeprefix('--')}"]
    found = None if param.is_flag else re.search(r"(<.*>|[A-Z]+)$", param.get_help_record(ctx)[0])
    value = "" if found is None else found.group()
    return Entry(tuple(names), _VALUES.get(value, value), _with_default(param))


def _argument(param: Any) -> Entry:
    return Entry((_argument_name(param),), "", _with_default(param))


def _argument_name(param: Any) -> str:
    return str(param.metavar or param.name.upper())


def _with_default(param: Any) -> str:
    text = param.help or ""
    # Options of the table are None by default, and say in words what that is.
    if param.required or param.default is None or isinstance(param.default, bool) or not param.show_default:
        return text
    return f"{text.removesuffix('.')}; by default {param.default}."


def _learners() -> Group:
    # Here and not above: commands without learners do not import them.
    from stablebn.learners.registry import LEARNERS

    return Group("Learners", tuple(Entry((name,), "", learner.summary) for name, learner in LEARNERS.items()))
