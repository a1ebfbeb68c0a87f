"""`stablebn sample`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer

from stablebn.commands.options import AsJson, Folders, Force, GraphFile, Quiet
from stablebn.commands.progress import waiting
from stablebn.commands.terminal import say, say_json
from stablebn.errors import spelled
from stablebn.networks import read_network
from stablebn.networks.tables import write_table
from stablebn.output import check_free, whole_file

HELP = """
Without --out they are printed as CSV.
"""
EXAMPLE = """\
stablebn sample asia --rows 1000 --seed 1 --out asia.csv"""


def command(
    network: GraphFile,
    rows: Annotated[int, typer.Option("--rows", "-n", help="How many rows.")] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same rows, on every machine.")] = 1,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A .csv, .csv.gz, .parquet or .feather file.")] = None,
    folders: Folders = None,
    normalise: Annotated[bool, typer.Option("--normalise", help="Rescale probabilities to sum to 1.")] = False,
    as_json: AsJson = False,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Draw rows and write them."""
    if out is not None:
        check_free(out, force=force)
    drawn_from = read_network(network, directories=folders or [], normalise=normalise)
    with waiting("drawing", quiet=quiet):
        table = drawn_from.sample(rows, seed=seed)
    if out is not None:
        with whole_file(out, force=force) as temporary:
            write_table(table, temporary, out.name)
    if as_json:
        told = {"network": network, "rows": rows, "seed": seed}
        say_json({**told, "columns": table.to_pydict()} if out is None else {**told, "file": str(out)})
    elif out is None:
        _print(table)
    elif not quiet:
        say(
            f"Drew {rows:,} rows of {len(drawn_from)} variables from {spelled(network)} with seed {seed}. "
            f"Written to {spelled(out)}."
        )


def _print(table: pa.Table) -> None:
    """Print a table as CSV, to the byte unless it would steer a terminal."""
    if not sys.stdout.isatty():
        write_table(table, sys.stdout.buffer, ".csv")
        return
    text = pa.BufferOutputStream()
    write_table(table, text, ".csv")
    say(text.getvalue().to_pybytes().decode().removesuffix("\n"), wrap=False)
