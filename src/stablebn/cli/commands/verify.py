"""`stablebn verify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stablebn.api.arguments import verify_options
from stablebn.api.proofs import verify
from stablebn.cli.command_options import (
    FILE,
    json_option,
    quiet_option,
    table_file,
    table_options,
)
from stablebn.cli.exit_codes import MISTAKE
from stablebn.cli.reference import Command
from stablebn.cli.terminal import say, say_json

if TYPE_CHECKING:
    from stablebn.cli.command_options import Kinds

HELP = """
It needs the certificate and the table, in any layout, but not the solver that has made it. The table is read as when
the graph was learned, except for the options that are given here.
"""
EXAMPLE = """\
stablebn learn patients.csv --algorithm exact --certificate proof.json
stablebn verify proof.json patients.csv"""
EXIT_CODES = {MISTAKE: "The certificate does not hold for this table, or the command or a file is not as it must be."}


@click.command(cls=Command)
@click.argument(
    "certificate", type=FILE, help="What `stablebn learn --algorithm exact --certificate FILE` has written."
)
@table_file
@table_options(verify_options(), choice_of_learners=False)
@json_option
@quiet_option
def command(certificate: Path, data: Path, *, kinds: Kinds, as_json: bool, quiet: bool, **options: Any) -> None:
    """Say what a certificate proves; it is an error if it does not hold."""
    found = verify(certificate, data, kinds=kinds or None, **options)
    if as_json:
        told = {"optimal": found.optimal, "score": found.score, "bound": found.bound, "gap": found.gap}
        say_json({**told, "arcs": list(map(list, found.result.arcs))})
    elif not quiet:
        say(f"{found}\n  Score {found.score!r}, no graph is above {found.bound!r}.")
