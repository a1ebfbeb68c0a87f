"""`stablebn check`."""

from __future__ import annotations

from typing import Any

import typer

from stablebn.api.arguments import check_options
from stablebn.api.check import check
from stablebn.cli.command_options import (
    AllCategorical,
    AllContinuous,
    AsJson,
    Categorical,
    Continuous,
    Quiet,
    TableFile,
    flags_of,
    kinds_of,
    with_options,
)
from stablebn.cli.exit_codes import ANSWER_IS_NO, MISTAKE
from stablebn.cli.progress import nothing_written_if_interrupted, waiting
from stablebn.cli.terminal import say, say_json

HELP = """
What each column is taken for, what is missing, constant or identical, and which options mend it. The exit code is 0 if
there is nothing to worry about, 1 if something should be looked at, 2 if it cannot be learned from as it is.
"""
EXAMPLE = """\
stablebn check patients.csv"""
EXIT_CODES = {
    ANSWER_IS_NO: "Something in the table should be looked at.",
    MISTAKE: "The table cannot be learned from as it is, or the command or a file is not as it must be.",
}


@with_options(check_options())
def command(
    data: TableFile,
    continuous: Continuous = None,
    categorical: Categorical = None,
    all_continuous: AllContinuous = False,
    all_categorical: AllCategorical = False,
    *,
    as_json: AsJson = False,
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Check a table, print what was found, and exit with a code that tells how bad it is."""
    kinds = kinds_of(continuous, categorical, all_continuous, all_categorical)
    with nothing_written_if_interrupted(), waiting("reading", quiet=quiet):
        found = check(data, **options, kinds=kinds)
    if as_json:
        say_json(found.to_dict())
    elif not quiet:
        say(str(found))
        if found.remedy:
            say(f"What helps: {flags_of(found.remedy)}", wrap=False)
    raise typer.Exit(found.exit_code)
