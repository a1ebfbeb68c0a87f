"""`stablebn sample`."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer

from stablebn.cli.command_options import AsJson, Folders, Force, GraphFile, Quiet
from stablebn.cli.progress import waiting
from stablebn.cli.terminal import say, say_json
from stablebn.errors import spelled
from stablebn.files import check_free, whole_file
from stablebn.messages import tallied
from stablebn.networks import read_network
from stablebn.networks.sample_files import is_csv, levels_read_as_equal, levels_read_as_missing, write_table

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
        if (note := _note_on_levels(table, ".csv")) and not quiet:
            say(note, err=True)
    elif not quiet:
        say(
            f"Drew {rows:,} rows of {len(drawn_from)} variables from {spelled(network)} with seed {seed}. "
            f"Written to {spelled(out)}. {_note_on_levels(table, out.name)}".rstrip()
        )


def _note_on_levels(table: pa.Table, name: str) -> str:
    """Name the levels that would be missing values or equal numbers if the file were read with the default options."""
    if not is_csv(name):
        return ""
    notes = []
    if markers := levels_read_as_missing(table):
        is_empty = any(not text.strip() for own in markers.values() for text in own)
        remedy = "Write a .parquet file instead" if is_empty else "Read the file with --na-values ''"
        notes.append(f"Levels that are read as missing values: {_listed_levels(markers)}. {remedy} to keep them.")
    if equal := levels_read_as_equal(table):
        notes.append(
            f"Levels that are read as equal numbers: {_listed_levels(equal)}. Write a .parquet file to keep them."
        )
    return " ".join(notes)


def _listed_levels(levels: Mapping[str, Collection[str]]) -> str:
    return tallied({name: " ".join(map(repr, sorted(own))) for name, own in levels.items()})


def _print(table: pa.Table) -> None:
    """Print a table as CSV, to the byte unless it would steer a terminal."""
    if not sys.stdout.isatty():
        write_table(table, sys.stdout.buffer, ".csv")
        return
    text = pa.BufferOutputStream()
    write_table(table, text, ".csv")
    say(text.getvalue().to_pybytes().decode().removesuffix("\n"), wrap=False)
