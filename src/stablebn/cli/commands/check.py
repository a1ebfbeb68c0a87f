"""`stablebn check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stablebn.api.arguments import check_options
from stablebn.api.check import check
from stablebn.cli.command_options import (
    flags_of,
    json_option,
    quiet_option,
    table_file,
    table_options,
)
from stablebn.cli.exit_codes import ANSWER_IS_NO, MISTAKE
from stablebn.cli.progress import nothing_written_if_interrupted, waiting
from stablebn.cli.reference import Command
from stablebn.cli.terminal import say, say_json

if TYPE_CHECKING:
    from stablebn.cli.command_options import Kinds

HELP = """
Prints the kind of each column, which values are missing, which columns are constant or identical, and which options fix
the problems. The exit code is 0 without findings, 1 with warnings, and 2 if the table needs other options.
"""
EXAMPLE = """\
stablebn check patients.csv"""
EXIT_CODES = {
    ANSWER_IS_NO: "There are warnings about the table.",
    MISTAKE: "The table needs other options, or there is an error in the command line or a file.",
}


@click.command(cls=Command)
@table_file
@table_options(check_options(), choice_of_learners=False)
@json_option
@quiet_option
def command(data: Path, *, kinds: Kinds, as_json: bool, quiet: bool, **options: Any) -> None:
    """Check a table, print the findings, and exit with their severity."""
    with nothing_written_if_interrupted(), waiting("reading", quiet=quiet):
        checked = check(data, **options, kinds=kinds)
    if as_json:
        say_json(checked.to_dict())
    elif not quiet:
        say(str(checked))
        if checked.remedy:
            say(f"What helps: {flags_of(checked.remedy)}", wrap=False)
    raise click.exceptions.Exit(checked.exit_code)
