"""`stablebn explain`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stablebn.api.arguments import learn_options
from stablebn.api.learn import learn
from stablebn.cli.command_options import (
    algorithm_option,
    json_option,
    no_progress_option,
    table_file,
    table_options,
)
from stablebn.cli.progress import searching
from stablebn.cli.reference import Command
from stablebn.cli.terminal import say, say_json
from stablebn.errors import OptionError
from stablebn.result.result import Result

if TYPE_CHECKING:
    from stablebn.cli.command_options import Kinds

HELP = """
The graph is learned as by `stablebn learn`. The explanation says when the arc was added, why it has this direction, and
what the alternatives are.
"""
EXAMPLE = """\
stablebn explain patients.csv smoke lung"""


@click.command(cls=Command)
@table_file
@click.argument("a", help="A column.")
@click.argument("b", help="Another column.")
@algorithm_option
@table_options(learn_options())
@json_option
@no_progress_option
def command(
    data: Path, a: str, b: str, algorithm: str, *, kinds: Kinds, as_json: bool, quiet: bool, **options: Any
) -> None:
    """Learn a graph and print why two variables are adjacent or not."""
    with searching(quiet=quiet) as progress:
        result = learn(data, algorithm, **options, kinds=kinds, progress=progress)
    explained = result.explain(_named(result, a), _named(result, b))
    if as_json:
        say_json(explained.to_dict())
    else:
        say(str(explained))


def _named(result: Result, text: str) -> object:
    """Return the variable whose name, which need not be a str, is written as this text."""
    alike = [name for name in result.decisions if str(name) == text]
    if len(alike) > 1:
        raise OptionError(f"several columns are called {text!r}. Rename one of them.")
    return alike[0] if alike else text
