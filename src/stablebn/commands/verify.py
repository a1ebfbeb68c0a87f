"""`stablebn verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from stablebn.arguments import check_options
from stablebn.commands.exit_codes import MISTAKE
from stablebn.commands.options import AsJson, Quiet, with_options
from stablebn.commands.terminal import say, say_json
from stablebn.data.dialect import OF_TEXT
from stablebn.proving import verify

HELP = """
It needs the certificate and the table, but not the solver that has made it.
"""
EXAMPLE = """\
stablebn learn patients.csv --algorithm exact --certificate proof.json
stablebn verify proof.json patients.csv"""
EXIT_CODES = {MISTAKE: "The certificate does not hold for this table, or the command or a file is not as it must be."}


@with_options(option for option in check_options() if option.name in OF_TEXT)
def command(
    certificate: Annotated[
        Path, typer.Argument(help="What `stablebn learn --algorithm exact --certificate FILE` has written.")
    ],
    data: Annotated[Path, typer.Argument(help="The table that the graph was learned from, in any layout.")],
    *,
    weights: Annotated[str | None, typer.Option(help="The column that says how many rows each row stands for.")] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Say what a certificate proves; it is an error if it does not hold."""
    found = verify(certificate, data, weights=weights, **options)
    if as_json:
        told = {"optimal": found.optimal, "score": found.score, "bound": found.bound, "gap": found.gap}
        say_json({**told, "arcs": list(map(list, found.result.arcs))})
    elif not quiet:
        say(f"{found}\n  Score {found.score!r}, no graph is above {found.bound!r}.")
