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
Needs the certificate and the table, in any row and column order, but not the solver. The table is read with the options
that were used for learning, except for those given here.
"""
EXAMPLE = """\
stablebn learn patients.csv --algorithm exact --certificate proof.json
stablebn verify proof.json patients.csv"""
EXIT_CODES = {
    MISTAKE: "The certificate does not hold for this table, or there is an error in the command line or a file."
}


@click.command(cls=Command)
@click.argument(
    "certificate", type=FILE, help="The file that `stablebn learn --algorithm exact --certificate FILE` wrote."
)
@table_file
@table_options(verify_options(), choice_of_learners=False)
@json_option
@quiet_option
def command(certificate: Path, data: Path, *, kinds: Kinds, as_json: bool, quiet: bool, **options: Any) -> None:
    """Print what a certificate proves; raise an error if it does not hold."""
    verified = verify(certificate, data, kinds=kinds or None, **options)
    if as_json:
        proof = {"optimal": verified.optimal, "score": verified.score, "bound": verified.bound, "gap": verified.gap}
        say_json({**proof, "arcs": list(map(list, verified.result.arcs))})
    elif not quiet:
        say(f"{verified}\n  Score {verified.score!r}, no graph is above {verified.bound!r}.")
