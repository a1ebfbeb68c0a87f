"""`stablebn verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from stablebn.api.arguments import verify_options
from stablebn.api.proofs import verify
from stablebn.cli.command_options import (
    AllCategorical,
    AllContinuous,
    AsJson,
    Categorical,
    Continuous,
    Quiet,
    TableFile,
    kinds_of,
    with_options,
)
from stablebn.cli.exit_codes import MISTAKE
from stablebn.cli.terminal import say, say_json

HELP = """
It needs the certificate and the table, in any layout, but not the solver that has made it. The table is read as when
the graph was learned, except for the options that are given here.
"""
EXAMPLE = """\
stablebn learn patients.csv --algorithm exact --certificate proof.json
stablebn verify proof.json patients.csv"""
EXIT_CODES = {MISTAKE: "The certificate does not hold for this table, or the command or a file is not as it must be."}


@with_options(verify_options())
def command(
    certificate: Annotated[
        Path, typer.Argument(help="What `stablebn learn --algorithm exact --certificate FILE` has written.")
    ],
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
    """Say what a certificate proves; it is an error if it does not hold."""
    kinds = kinds_of(continuous, categorical, all_continuous, all_categorical)
    found = verify(certificate, data, kinds=kinds or None, **options)
    if as_json:
        told = {"optimal": found.optimal, "score": found.score, "bound": found.bound, "gap": found.gap}
        say_json({**told, "arcs": list(map(list, found.result.arcs))})
    elif not quiet:
        say(f"{found}\n  Score {found.score!r}, no graph is above {found.bound!r}.")
