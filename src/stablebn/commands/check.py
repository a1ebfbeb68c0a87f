"""`stablebn check`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from stablebn.api import check
from stablebn.arguments import check_options
from stablebn.commands.options import (
    AllCategorical,
    AllContinuous,
    Categorical,
    Continuous,
    Quiet,
    TableFile,
    flags_of,
    kinds_of,
    with_options,
)
from stablebn.commands.progress import nothing_written_if_interrupted, waiting
from stablebn.commands.terminal import say

HELP = (
    "Say what there is to know of a table before anything is learned from it. Exit code 0: nothing to worry about; "
    "1: something should be looked at; 2: it cannot be learned from as it is."
)


@with_options(check_options())
def command(
    data: TableFile,
    *,
    continuous: Continuous = None,
    categorical: Categorical = None,
    all_continuous: AllContinuous = False,
    all_categorical: AllCategorical = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print all of it as JSON.")] = False,
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Check a table, print what was found, and exit with a code that tells how bad it is."""
    kinds = kinds_of(continuous, categorical, all_continuous, all_categorical)
    with nothing_written_if_interrupted(), waiting("reading", quiet=quiet):
        found = check(data, **options, kinds=kinds)
    if as_json:
        say(found.to_json())
    elif not quiet:
        say(str(found))
        if found.remedy:
            say(f"What helps: {flags_of(found.remedy)}")
    raise typer.Exit(found.exit_code)
