"""`stablebn verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stablebn.commands.terminal import say
from stablebn.proving import verify

HELP = "Check a certificate against a table, without the solver that has made it."


def command(
    certificate: Annotated[Path, typer.Argument(help="What `learn --algorithm exact --certificate FILE` has written.")],
    data: Annotated[Path, typer.Argument(help="The table that the graph was learned from, in any layout.")],
    *,
    weights: Annotated[str | None, typer.Option(help="The column that says how many rows each row stands for.")] = None,
) -> None:
    """Say what a certificate proves; it is an error if it does not hold."""
    found = verify(certificate, data, weights=weights)
    say(f"{found}\n  Score {found.score!r}, no graph is above {found.bound!r}.")
