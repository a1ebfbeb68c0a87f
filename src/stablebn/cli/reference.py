"""Describe every command as plain data, from which the help, the man page and the web page are made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

import click

from stablebn.cli.exit_codes import EVERYWHERE
from stablebn.options import Group as Heading

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

HEADINGS: tuple[str, ...] = get_args(Heading)

# The longest description of a completion: shells show it on one line.
_MOST_LETTERS = 60

# The words of the help for the names of types in Click.
_VALUES = {"text": "<text>", "float": "<number>", "path": "<file>", "integer": "<int>"}


@dataclass(frozen=True)
class HelpEntry:
    """A line of the help: an argument, an option, or an algorithm.

    Attributes
    ----------
    names : tuple of str
        As they are typed, the short one first.
    value : str
        The placeholder of the value; empty if there is none.
    help : str
        The effect and the default, in sentences.
    """

    names: tuple[str, ...]
    value: str
    help: str

    @property
    def term(self) -> str:
        """Return the names and the placeholder of the value."""
        return f"{', '.join(self.names)} {self.value}".rstrip()


@dataclass(frozen=True)
class HelpGroup:
    """Lines of the help under a heading."""

    title: str
    entries: tuple[HelpEntry, ...]


@dataclass(frozen=True)
class CommandReference:
    """The documentation of a command.

    Attributes
    ----------
    name, section, summary : str
        The name, the heading in the list of commands, and one sentence.
    usage : str
        The command line with placeholders.
    text : str
        Details: paragraphs separated by empty lines.
    example : tuple of str
        Lines to type.
    arguments : tuple of HelpEntry
    groups : tuple of HelpGroup
        The options, the most common ones first; if the command has --algorithm, the algorithms are the second group.
    exit_codes : mapping of int to str
    """

    name: str
    section: str
    summary: str
    usage: str
    text: str
    example: tuple[str, ...]
    arguments: tuple[HelpEntry, ...]
    groups: tuple[HelpGroup, ...]
    exit_codes: Mapping[int, str] = field(hash=False)


class CommandOption(click.Option):
    """An option under a heading of the help, by default the first one; without a default its value is None."""

    def __init__(self, *args: Any, heading: str = HEADINGS[0], **attributes: Any) -> None:
        if not attributes.get("multiple"):
            attributes.setdefault("default", False if attributes.get("is_flag") else None)
        super().__init__(*args, **attributes)
        self.heading = heading


DEBUG = CommandOption(
    ["--debug"],
    is_flag=True,
    help="Print the traceback of an error.",
    callback=lambda ctx, param, value: ctx.ensure_object(dict).update(debug=True) if value else None,
    expose_value=False,
    heading=HEADINGS[-1],
)
"""An option that is accepted before and after the name of the command."""


class Command(click.Command):
    """A command with an example and exit codes, whose help has its options in groups."""

    section = ""
    example: tuple[str, ...] = ()
    exit_codes: Mapping[int, str] = {}

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters, with --debug before --help."""
        params = super().get_params(ctx)
        return [*params[:-1], DEBUG, params[-1]]

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the placeholders of the usage line: first the arguments, which are required."""
        arguments = [_argument_name(param) for param in self.get_params(ctx) if isinstance(param, click.Argument)]
        return [*arguments, "[OPTIONS]"]

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete a word; descriptions are shortened to one line, because some shells read a second line as a word."""
        items = super().shell_complete(ctx, incomplete)
        for item in items:
            sentence = (item.help or "").partition(". ")[0]
            shortened = f"{sentence[: _MOST_LETTERS - 3]}..."
            item.help = sentence if len(sentence) <= _MOST_LETTERS else shortened
        return items

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help."""
        # Imported here: only --help needs it.
        from stablebn.cli.help import help_of_command

        formatter.write(help_of_command(reference_of(self, ctx), formatter.width))


def command_reference(app: click.Group) -> tuple[CommandReference, ...]:
    """Return the documentation of every command of `stablebn.cli.main.app`, in the order of its help.

    >>> from stablebn.cli.main import app
    >>> command_reference(app)[0].usage
    'stablebn learn DATA [OPTIONS]'
    """
    with app.make_context("stablebn", [], resilient_parsing=True) as root:
        return tuple(_references(app, root))


def _references(app: click.Group, root: click.Context) -> Iterator[CommandReference]:
    for name in app.list_commands(root):
        command = app.get_command(root, name)
        assert isinstance(command, Command)
        with command.make_context(name, [], parent=root, resilient_parsing=True) as ctx:
            yield reference_of(command, ctx)


def reference_of(command: Command, ctx: click.Context) -> CommandReference:
    """Return the documentation of one command."""
    params = command.get_params(ctx)
    arguments = [param for param in params if isinstance(param, click.Argument)]
    options = [param for param in params if isinstance(param, click.Option) and not param.hidden]
    grouped: dict[str, list[HelpEntry]] = {}
    for param in options:
        grouped.setdefault(_heading(param), []).append(_option(param))
    groups = [HelpGroup(title, tuple(grouped[title])) for title in sorted(grouped, key=_index)]
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
        arguments=tuple(_argument(param) for param in arguments),
        groups=tuple(groups),
        exit_codes=dict(sorted({**EVERYWHERE, **command.exit_codes}.items())),
    )


def options_of(params: Iterable[click.Parameter]) -> tuple[HelpEntry, ...]:
    """Return the options among parameters, in no group."""
    return tuple(_option(param) for param in params if isinstance(param, click.Option))


def _heading(param: click.Option) -> str:
    """Return the heading of an option; --help, which Click adds, is in the last group."""
    return param.heading if isinstance(param, CommandOption) else HEADINGS[-1]


def _index(title: str) -> int:
    """Return the index of a heading, after which a title may name the learners that have its options."""
    return next(index for index, heading in enumerate(HEADINGS) if re.match(rf"{heading}($| \()", title))


def _option(param: click.Option) -> HelpEntry:
    names = sorted(param.opts, key=len)
    if param.secondary_opts:
        names = [*names[:-1], f"--[no-]{names[-1].removeprefix('--')}"]
    value = "" if param.is_flag else param.metavar or _VALUES[param.type.name]
    return HelpEntry(tuple(names), value, _with_default(param))


def _argument(param: click.Argument) -> HelpEntry:
    return HelpEntry((_argument_name(param),), "", param.help or "")


def _argument_name(param: click.Parameter) -> str:
    return str(param.metavar or str(param.name).upper())


def _with_default(param: click.Option) -> str:
    text = param.help or ""
    # Options of the option table have the default None; their help describes it in words.
    if not isinstance(param, CommandOption) or param.is_flag or param.multiple or param.default is None:
        return text
    return f"{text.removesuffix('.')}; by default {param.default}."


def _learners() -> HelpGroup:
    # Imported here: commands without learners do not need them.
    from stablebn.learners.registry import LEARNERS

    return HelpGroup("Learners", tuple(HelpEntry((name,), "", learner.summary) for name, learner in LEARNERS.items()))
