"""Options of commands that are made from the table of options."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Hashable, Iterable
from typing import Annotated, Any, TypeVar

import typer

from stablebn.arguments import describe
from stablebn.data.kinds import Kind
from stablebn.learners.registry import LEARNERS
from stablebn.options import Option

_SHORT = {"score": "-s"}

Command = TypeVar("Command", bound=Callable[..., None])

Continuous = Annotated[list[str] | None, typer.Option(help="A column that is a number; repeat for more.")]
Categorical = Annotated[list[str] | None, typer.Option(help="A column that is a category; repeat for more.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Algorithm = Annotated[str, typer.Option("--algorithm", "-a", help="The learner: one of those above.")]


def with_options(options: Iterable[Option]) -> Callable[[Command], Command]:
    """Give a command, in place of its `**options`, those of the options that the command line has.

    They come after what stands before the `*` of its signature. One that the user leaves out is None.
    """
    made = [_parameter(option) for option in options if option.command_type is not None]

    def give(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)
        own = [parameter for parameter in signature.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
        first = [parameter for parameter in own if parameter.kind is not parameter.KEYWORD_ONLY]
        last = [parameter for parameter in own if parameter.kind is parameter.KEYWORD_ONLY]
        described: Any = command
        described.__signature__ = signature.replace(parameters=[*first, *made, *last])
        return command

    return give


def _parameter(option: Option) -> inspect.Parameter:
    name, type_ = f"--{option.name.replace('_', '-')}", _or_none(option.command_type)
    if type_ == bool | None:
        # What can be on can be said to be off.
        name = f"{name}/--no-{name[2:]}"
    names = [name, *([_SHORT[option.name]] if option.name in _SHORT else [])]
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[type_, typer.Option(*names, help=describe(option))],
    )


def _or_none(type_: Any) -> Any:
    is_union = typing.get_origin(type_) in (typing.Union, types.UnionType)
    return type_ if is_union else type_ | None


def help_with_learners(sentence: str) -> str:
    """The help of a command that takes a learner: a sentence, and the list of learners."""
    width = max(map(len, LEARNERS))
    lines = [f"  {name:<{width}}  {learner.summary}" for name, learner in LEARNERS.items()]
    # The first character keeps the lines as they are.
    return "\n".join([sentence, "", "\b", "Learners:", *lines])


def kinds_of(continuous: list[str] | None, categorical: list[str] | None) -> dict[Hashable, Kind]:
    """Columns by the kind that the user says they are."""
    return {**dict.fromkeys(continuous or [], "continuous"), **dict.fromkeys(categorical or [], "categorical")}
