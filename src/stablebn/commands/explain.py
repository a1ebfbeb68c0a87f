"""`stablebn explain`."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from stablebn.api import learn
from stablebn.arguments import learn_options
from stablebn.commands.options import (
    Algorithm,
    AllCategorical,
    AllContinuous,
    Categorical,
    Continuous,
    TableFile,
    help_with_learners,
    kinds_of,
    with_options,
)
from stablebn.commands.progress import searching
from stablebn.commands.terminal import say
from stablebn.errors import OptionError
from stablebn.result import Result

HELP = help_with_learners("Learn a graph, and say why two variables are joined in it as they are, or are not.")


@with_options(learn_options())
def command(
    data: TableFile,
    a: Annotated[str, typer.Argument(help="A column.")],
    b: Annotated[str, typer.Argument(help="Another column.")],
    algorithm: Algorithm = "tabu-stable",
    *,
    continuous: Continuous = None,
    categorical: Categorical = None,
    all_continuous: AllContinuous = False,
    all_categorical: AllCategorical = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything there is to know as JSON.")] = False,
    **options: Any,
) -> None:
    """Learn a graph and print why two variables are joined as they are."""
    kinds = kinds_of(continuous, categorical, all_continuous, all_categorical)
    with searching(quiet=False) as progress:
        result = learn(data, algorithm, **options, kinds=kinds, progress=progress)
    explained = result.explain(_named(result, a), _named(result, b))
    say(json.dumps(explained.to_dict(), indent=1, default=str, ensure_ascii=False) if as_json else str(explained))


def _named(result: Result, text: str) -> object:
    """The variable of a name, which need not be text."""
    alike = [name for name in result.decisions if str(name) == text]
    if len(alike) > 1:
        raise OptionError(f"several columns are called {text!r}. Rename one of them.")
    return alike[0] if alike else text
