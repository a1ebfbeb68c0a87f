"""`stablebn explain`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from stablebn.api.arguments import learn_options
from stablebn.api.learn import learn
from stablebn.cli.command_options import (
    Algorithm,
    AllCategorical,
    AllContinuous,
    AsJson,
    Categorical,
    Continuous,
    TableFile,
    kinds_of,
    with_options,
)
from stablebn.cli.progress import searching
from stablebn.cli.terminal import say, say_json
from stablebn.errors import OptionError
from stablebn.result.result import Result

HELP = """
The graph is learned as `stablebn learn` does; then it says when the arc came in, why it points this way, and what else
it could be.
"""
EXAMPLE = """\
stablebn explain patients.csv smoke lung"""


@with_options(learn_options())
def command(
    data: TableFile,
    a: Annotated[str, typer.Argument(help="A column.")],
    b: Annotated[str, typer.Argument(help="Another column.")],
    algorithm: Algorithm = "auto",
    continuous: Continuous = None,
    categorical: Categorical = None,
    all_continuous: AllContinuous = False,
    all_categorical: AllCategorical = False,
    *,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    **options: Any,
) -> None:
    """Learn a graph and print why two variables are joined as they are."""
    kinds = kinds_of(continuous, categorical, all_continuous, all_categorical)
    with searching(quiet=quiet) as progress:
        result = learn(data, algorithm, **options, kinds=kinds, progress=progress)
    explained = result.explain(_named(result, a), _named(result, b))
    if as_json:
        say_json(explained.to_dict())
    else:
        say(str(explained))


def _named(result: Result, text: str) -> object:
    """The variable of a name, which need not be text."""
    alike = [name for name in result.decisions if str(name) == text]
    if len(alike) > 1:
        raise OptionError(f"several columns are called {text!r}. Rename one of them.")
    return alike[0] if alike else text
