"""Options of commands that are made from the table of options."""

from __future__ import annotations

import functools
import inspect
import shlex
import types
import typing
from collections.abc import Callable, Hashable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

import typer

from stablebn.errors import OptionError, listed, spelled
from stablebn.options import Option, refuse_unknown

if TYPE_CHECKING:
    from stablebn.columns.kinds import Kind

_SHORT = {"score": "-s"}
# What other tools call knowledge: not shown, but answered.
_OTHER_WORDS = ("whitelist", "blacklist")

Command = TypeVar("Command", bound=Callable[..., None])


def network_names(incomplete: str) -> list[tuple[str, str]]:
    """Networks that a word may become, and where they come from."""
    from stablebn.networks import known_networks

    return [(entry.name, entry.source) for entry in known_networks() if entry.name.startswith(incomplete)]


def _learner_names(incomplete: str) -> list[tuple[str, str]]:
    # Here, as in all functions: commands without learners do not import them.
    from stablebn.learners.registry import AUTOMATIC, LEARNERS, MOST_ACCURATE

    summaries = {AUTOMATIC: f"{MOST_ACCURATE}, with a score chosen for the table"}
    summaries |= {name: learner.summary for name, learner in LEARNERS.items()}
    return [(name, summary) for name, summary in summaries.items() if name.startswith(incomplete)]


Continuous = Annotated[
    list[str] | None,
    typer.Option(metavar="<column>", help="A column that is a number; repeat for more.", rich_help_panel="Columns"),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(metavar="<column>", help="A column that is a category; repeat for more.", rich_help_panel="Columns"),
]
AllContinuous = Annotated[
    bool,
    typer.Option(
        "--all-continuous",
        help="All columns that can be are numbers, but those said to be categories.",
        rich_help_panel="Columns",
    ),
]
AllCategorical = Annotated[
    bool,
    typer.Option(
        "--all-categorical",
        help="All columns are categories, but those said to be numbers.",
        rich_help_panel="Columns",
    ),
]
TableFile = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="The table, a file: CSV and other text, .xlsx, .jsonl, .db::table, .duckdb::table, .parquet, .feather.",
    ),
]
GraphFile = Annotated[
    str,
    typer.Argument(help="A graph or network file, or a name from `stablebn networks`.", autocompletion=network_names),
]
Folders = Annotated[
    list[Path] | None,
    typer.Option("--networks", metavar="<folder>", help="A folder with networks, to look in first; repeat for more."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace files that exist.", rich_help_panel="Output")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors, and what --json asks for.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the whole answer as one JSON document.")]
Algorithm = Annotated[
    str, typer.Option("--algorithm", "-a", metavar="<name>", help="The algorithm.", autocompletion=_learner_names)
]


def with_options(options: Iterable[Option]) -> Callable[[Command], Command]:
    """Give a command, in place of its `**options`, those of the options that the command line has.

    They come after what stands before the `*` of its signature, with the values that they have in Python. One that the
    user leaves out is None.
    """
    there = [option for option in options if option.command_type is not None]
    names = [option.name for option in there]
    others = _OTHER_WORDS if "forbidden" in names else ()
    read = {option.name: option.from_command for option in there if option.from_command is not None}

    def give(function: Command) -> Command:
        @functools.wraps(function)
        def command(**given: Any) -> None:
            words = {word: given.pop(word) for word in others}
            refuse_unknown("stablebn", [word for word, value in words.items() if value is not None], names)
            function(**{name: read[name](value) if value and name in read else value for name, value in given.items()})

        signature = inspect.signature(function, eval_str=True)
        # Without a choice of learners it goes without saying whose options these are.
        whose = {option.name: _whose(option) if "algorithm" in signature.parameters else "" for option in there}
        made = [_parameter(option, whose, there) for option in there] + [_hidden(word) for word in others]
        own = [parameter for parameter in signature.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
        first = [parameter for parameter in own if parameter.kind is not parameter.KEYWORD_ONLY]
        last = [parameter for parameter in own if parameter.kind is parameter.KEYWORD_ONLY]
        described: Any = command
        described.__signature__ = signature.replace(parameters=[*first, *made, *last])
        return cast("Command", command)

    return give


def _parameter(option: Option, whose: Mapping[str, str], among: Iterable[Option]) -> inspect.Parameter:
    name, type_ = f"--{option.flag or option.name.replace('_', '-')}", _or_none(option.command_type)
    if type_ == bool | None:
        # What can be on can be said to be off.
        name = f"{name}/--no-{name[2:]}"
    names = [name, *([_SHORT[option.name]] if option.name in _SHORT else [])]
    metavar = "<name>" if option.choices else None
    help_, heading, own = option.command_help_with_default, str(option.group), whose[option.name]
    if own and all(whose[other.name] == own for other in among if other.group == option.group):
        # Said once for all of them.
        heading = f"{heading} ({', '.join(_having(option))})"
    elif own:
        help_ = f"{help_} {own}"
    if type_ == list[str] | None:
        # That there may be several is said in words.
        metavar, help_ = "<text>", help_ if "repeat" in help_ else f"{help_} Repeat it for more."
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[
            type_,
            typer.Option(
                *names,
                metavar=metavar,
                help=help_,
                rich_help_panel=heading,
                autocompletion=_words(option.choices) if option.choices else None,
            ),
        ],
    )


def _having(option: Option) -> tuple[str, ...]:
    """The learners that have an option."""
    from stablebn.learners.registry import learners_with

    return learners_with(option)


def _whose(option: Option) -> str:
    """Which learners have an option, if not all do: in as few words as can be."""
    if not option.of:
        return ""
    from stablebn.learners.registry import LEARNERS

    having = _having(option)
    others = [name for name in LEARNERS if name not in having]
    return f"Not of {', '.join(others)}." if len(others) < len(having) else f"Only of {', '.join(having)}."


def _words(words: tuple[str, ...]) -> Callable[[str], list[str]]:
    """What the shell may complete a word to."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return complete


def _hidden(name: str) -> inspect.Parameter:
    annotation = Annotated[str | None, typer.Option(f"--{name}", hidden=True)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _or_none(type_: Any) -> Any:
    is_union = typing.get_origin(type_) in (typing.Union, types.UnionType)
    return type_ if is_union else type_ | None


def kinds_of(
    continuous: list[str] | None, categorical: list[str] | None, all_continuous: bool, all_categorical: bool
) -> dict[Hashable, Kind]:
    """Columns by the kind that the user says they are; `...` stands for all others."""
    if all_continuous and all_categorical:
        raise OptionError("--all-continuous and --all-categorical cannot both be. Choose one.")
    both = sorted(set(continuous or []) & set(categorical or []))
    if both:
        raise OptionError(f"--continuous and --categorical both name {listed(both)}. Choose one.")
    kinds: dict[Hashable, Kind] = {
        **dict.fromkeys(continuous or [], "continuous"),
        **dict.fromkeys(categorical or [], "categorical"),
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
            for name, own in value.items():
                words += [flag, shlex.quote(f"{spelled(name)}={','.join(map(spelled, own))}")]
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
