"""`stablebn check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stablebn.api.arguments import check_options
from stablebn.api.functions import check
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
What each column is taken for, what is missing, constant or identical, and which options mend it. The exit code is 0 if
there is nothing to worry about, 1 if something should be looked at, 2 if it cannot be learned from as it is.
"""
EXAMPLE = """\
stablebn check patients.csv"""
EXIT_CODES = {
    ANSWER_IS_NO: "Something in the table should be looked at.",
    MISTAKE: "The table cannot be learned from as it is, or the command or a file is not as it must be.",
}


@click.command(cls=Command)
@table_file
@table_options(check_options(), choice_of_learners=False)
@json_option
@quiet_option
def command(data: Path, *, kinds: Kinds, as_json: bool, quiet: bool, **options: Any) -> None:
    """Check a table, print what was found, and exit with a code that tells how bad it is."""
    with nothing_written_if_interrupted(), waiting("reading", quiet=quiet):
        found = check(data, **options, kinds=kinds)
    if as_json:
        say_json(found.to_dict())
    elif not quiet:
        say(str(found))
        if found.remedy:
            say(f"What helps: {flags_of(found.remedy)}", wrap=False)
    raise click.exceptions.Exit(found.exit_code)
