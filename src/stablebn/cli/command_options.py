"""Parameters of commands: options that several commands share, and options made from the option table."""

from __future__ import annotations

import functools
import shlex
import types
import typing
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stablebn.cli.reference import CommandOption
from stablebn.errors import OptionError, listed, spelled
from stablebn.options import Option, refuse_unknown

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from stablebn.columns.kinds import Kind

_SHORT = {"score": "-s"}
# Words of other packages for forbidden and required arcs: not in the help, but answered with the right option.
_OTHER_WORDS = ("whitelist", "blacklist")
_TYPES = {str: click.STRING, int: click.INT, float: click.FLOAT, bool: click.BOOL}

CommandFunction = Callable[..., None]
Kinds = Mapping[Hashable, "Kind"]
Decorator = Callable[[CommandFunction], CommandFunction]


class _FilePath(click.ParamType[Path]):
    """A path, which the shell completes to the name of a file."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path; the library checks it and says what is wrong with it."""
        return Path(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Let the shell complete the name of a file."""
        return complete_file(ctx, param, incomplete)


FILE = _FilePath()
option = functools.partial(click.option, cls=CommandOption)


def complete_file(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete the name of a file."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def network_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a network, with its source; if there is none, let the shell complete the name of a file."""
    from click.shell_completion import CompletionItem

    from stablebn.networks import known_networks

    entries = [entry for entry in known_networks() if entry.name.startswith(incomplete)]
    return [CompletionItem(entry.name, help=entry.source) for entry in entries] or complete_file(ctx, param, incomplete)


def _learner_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    # Imported here, as in all functions: commands without learners do not import them.
    from stablebn.learners.registry import AUTOMATIC, LEARNERS, MOST_ACCURATE

    summaries = {AUTOMATIC: f"{MOST_ACCURATE}, with a score chosen for the table"}
    summaries |= {name: learner.summary for name, learner in LEARNERS.items()}
    return [CompletionItem(name, help=summaries[name]) for name in summaries if name.startswith(incomplete)]


table_file = click.argument(
    "data",
    type=FILE,
    metavar="DATA",
    help="The file of the table: CSV and other text, .xlsx, .jsonl, .db::table, .duckdb::table, .parquet, .feather.",
)
graph_file = functools.partial(
    click.argument, help="A graph or network file, or a name from `stablebn networks`.", shell_complete=network_names
)
algorithm_option = option(
    "--algorithm", "-a", metavar="<name>", default="auto", help="The algorithm.", shell_complete=_learner_names
)
truth_option = functools.partial(
    option, "--truth", help="The true graph: a file, or a name from `stablebn networks`.", shell_complete=network_names
)
folders_option = option(
    "--networks",
    "folders",
    type=FILE,
    multiple=True,
    metavar="<folder>",
    help="A folder with networks, searched first. Repeat it for more.",
)
out_option = functools.partial(option, "--out", "-o", type=FILE)
plot_option = functools.partial(option, "--plot", type=FILE, heading="Output")
json_option = option("--json", "as_json", is_flag=True, help="Print the complete answer as one JSON document.")
force_option = option("--force", is_flag=True, help="Replace files that exist.", heading="Output")
quiet_option = option("--quiet", "-q", is_flag=True, help="Print only errors, and the output of --json.")
no_progress_option = option("--quiet", "-q", is_flag=True, help="Show no progress.")

_KIND_OPTIONS = {
    "continuous": option(
        "--continuous",
        multiple=True,
        metavar="<column>",
        help="A continuous column. Repeat it for more.",
        heading="Columns",
    ),
    "categorical": option(
        "--categorical",
        multiple=True,
        metavar="<column>",
        help="A categorical column. Repeat it for more.",
        heading="Columns",
    ),
    "all_continuous": option(
        "--all-continuous",
        is_flag=True,
        help="Treat all columns with numbers as continuous, except those of --categorical.",
        heading="Columns",
    ),
    "all_categorical": option(
        "--all-categorical",
        is_flag=True,
        help="Treat all columns as categorical, except those of --continuous.",
        heading="Columns",
    ),
}


def table_options(options: Iterable[Option], *, choice_of_learners: bool = True) -> Decorator:
    """Give a command the options that say how to read a table, and others from the option table.

    The command is called with `kinds`, which the four options about kinds make, and with those other options that the
    user gave, as keywords.

    Parameters
    ----------
    options : iterable of Option
        Options that the command line does not have are skipped.
    choice_of_learners : bool
        Whether the command has --algorithm, so that its help must say which learners have an option.
    """
    available = [known for known in options if known.command_type is not None]
    names = [known.name for known in available]
    other_words = _OTHER_WORDS if "forbidden" in names else ()
    having = {known.name: _whose(known) if choice_of_learners else "" for known in available}
    decorators: list[Callable[[Any], Any]] = [
        *_KIND_OPTIONS.values(),
        *(_decorator(known, having, available) for known in available),
        *(option(f"--{word}", hidden=True) for word in other_words),
    ]

    def decorate(function: CommandFunction) -> CommandFunction:
        @functools.wraps(function)
        def command(**values: Any) -> None:
            refuse_unknown("stablebn", [word for word in other_words if values.pop(word) is not None], names)
            kinds = kinds_of(*(values.pop(name) for name in _KIND_OPTIONS))
            given = {known.name: _read(known, values.pop(known.name)) for known in available}
            function(**values, kinds=kinds, **{name: value for name, value in given.items() if value is not None})

        for decorator in reversed(decorators):
            decorator(command)
        return command

    return decorate


def _decorator(known: Option, having: Mapping[str, str], among: Iterable[Option]) -> Decorator:
    """Return the decorator that adds an option of the option table to a command."""
    name, type_ = f"--{known.flag or known.name.replace('_', '-')}", _without_none(known.command_type)
    short = [_SHORT[known.name]] if known.name in _SHORT else []
    text, heading, learners = known.command_help_with_default, str(known.group), having[known.name]
    if learners and all(having[other.name] == learners for other in among if other.group == known.group):
        # The heading names the learners once for all its options.
        heading = f"{heading} ({', '.join(_learners_of(known))})"
    elif learners:
        text = f"{text} {learners}"
    attributes: dict[str, Any] = {"type": FILE if type_ is Path else _TYPES.get(type_, click.STRING)}
    if type_ is bool:
        name = f"{name}/--no-{name[2:]}"
    elif type_ == list[str]:
        # The help says in words that the option may be repeated.
        text = text if "repeat" in text else f"{text} Repeat it for more."
        attributes |= {"multiple": True, "metavar": "<text>"}
    elif known.choices:
        attributes |= {"metavar": "<name>", "shell_complete": _completion_among(known.choices)}
    return option(name, *short, known.name, help=text, heading=heading, **attributes)


def _read(known: Option, value: Any) -> Any:
    """Return the value of an option as Python has it; None if the user did not give the option."""
    value = list(value) or None if isinstance(value, tuple) else value
    return known.from_command(value) if value and known.from_command is not None else value


def _learners_of(known: Option) -> tuple[str, ...]:
    """Return the learners that have an option."""
    from stablebn.learners.registry import learners_with

    return learners_with(known)


def _whose(known: Option) -> str:
    """Say which learners have an option, in as few words as possible; nothing if all have it."""
    if not known.of:
        return ""
    from stablebn.learners.registry import LEARNERS

    having = _learners_of(known)
    others = [name for name in LEARNERS if name not in having]
    return f"Not of {', '.join(others)}." if len(others) < len(having) else f"Only of {', '.join(having)}."


def _completion_among(words: tuple[str, ...]) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return a function that completes a word to one of `words`."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return complete


def _without_none(type_: Any) -> Any:
    """Return the type `X` of `X | None`."""
    if typing.get_origin(type_) not in (typing.Union, types.UnionType):
        return type_
    (inner,) = (part for part in typing.get_args(type_) if part is not types.NoneType)
    return inner


def kinds_of(
    continuous: Sequence[str], categorical: Sequence[str], all_continuous: bool, all_categorical: bool
) -> dict[Hashable, Kind]:
    """Return the kinds that the user gave, by column; `...` stands for all other columns."""
    if all_continuous and all_categorical:
        raise OptionError("--all-continuous and --all-categorical cannot both be. Choose one.")
    both = sorted(set(continuous) & set(categorical))
    if both:
        raise OptionError(f"--continuous and --categorical both name {listed(both)}. Choose one.")
    kinds: dict[Hashable, Kind] = {
        **dict.fromkeys(continuous, "continuous"),
        **dict.fromkeys(categorical, "categorical"),
    }
    if all_continuous or all_categorical:
        kinds[...] = "continuous" if all_continuous else "categorical"
    return kinds


def flags_of(remedy: Mapping[str, object]) -> str:
    """Options as flags of the command line, ready to be pasted.

    >>> flags_of({"kinds": {"my age": "continuous", ...: "categorical"}, "drop": ["id", "a,b"], "missing": "drop"})
    "--continuous 'my age' --all-categorical --drop id --drop a,b --missing drop"
    """
    words: list[str] = []
    for option, value in remedy.items():
        flag = f"--{option.replace('_', '-')}"
        if option == "kinds":
            kinds = {...: value} if isinstance(value, str) else value
            assert isinstance(kinds, Mapping)
            for name, kind in kinds.items():
                words += [f"--all-{kind}"] if name is ... else [f"--{kind}", shlex.quote(spelled(name))]
        elif option in ("drop", "keep", "na_values"):
            names = [value] if isinstance(value, str) else value
            assert isinstance(names, Iterable)
            for name in names:
                words += [flag, shlex.quote(spelled(name))]
        elif option == "levels" and isinstance(value, Mapping):
            for name, levels in value.items():
                words += [flag, shlex.quote(f"{spelled(name)}={','.join(map(spelled, levels))}")]
        elif option == "levels" and not isinstance(value, str):
            assert isinstance(value, Iterable)
            for text in value:
                words += [flag, shlex.quote(spelled(text))]
        elif option == "columns" and not isinstance(value, str):
            assert isinstance(value, Iterable)
            words += [flag, shlex.quote(",".join(map(spelled, value)))]
        else:
            words += [flag, shlex.quote(spelled(value))]
    return " ".join(words)
