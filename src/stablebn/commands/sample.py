"""`stablebn sample`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer

from stablebn.commands.options import Force
from stablebn.commands.progress import waiting
from stablebn.commands.terminal import say
from stablebn.errors import spelled
from stablebn.networks import read_network
from stablebn.networks.tables import write_table
from stablebn.output import check_free, whole_file

HELP = "Draw rows from a network; without --out they are printed as CSV."


def command(
    network: Annotated[str, typer.Argument(help="A name from `stablebn networks`, or a file.")],
    n: Annotated[int, typer.Option("-n", help="Number of rows.")] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same rows, on every machine.")] = 1,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A .csv, .csv.gz, .parquet or .feather file.")] = None,
    folders: Annotated[
        list[Path] | None,
        typer.Option("--networks", metavar="<path>", help="A folder to look in first; repeat for more."),
    ] = None,
    normalise: Annotated[bool, typer.Option("--normalise", help="Rescale probabilities to sum to 1.")] = False,
    force: Force = False,
) -> None:
    """Draw rows and write them."""
    if out is not None:
        check_free(out, force=force)
    drawn_from = read_network(network, directories=folders or [], normalise=normalise)
    with waiting("drawing"):
        table = drawn_from.sample(n, seed=seed)
    if out is None:
        _print(table)
        return
    with whole_file(out, force=force) as temporary:
        write_table(table, temporary, out.name)
    say(
        f"Drew {n:,} rows of {len(drawn_from)} variables from {spelled(network)} with seed {seed}. "
        f"Written to {spelled(out)}."
    )


def _print(table: pa.Table) -> None:
    """Print a table as CSV, to the byte unless it would steer a terminal."""
    if not sys.stdout.isatty():
        write_table(table, sys.stdout.buffer, ".csv")
        return
    text = pa.BufferOutputStream()
    write_table(table, text, ".csv")
    say(text.getvalue().to_pybytes().decode().removesuffix("\n"))
