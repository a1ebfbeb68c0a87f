"""`stablebn sample`."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import click
import pyarrow as pa

from stablebn.cli.command_options import (
    folders_option,
    force_option,
    graph_file,
    json_option,
    option,
    out_option,
    quiet_option,
)
from stablebn.cli.progress import waiting
from stablebn.cli.reference import Command
from stablebn.cli.terminal import say, say_json
from stablebn.errors import spelled
from stablebn.files import check_free, whole_file
from stablebn.messages import tallied
from stablebn.networks import read_network
from stablebn.networks.sample_files import is_csv, levels_read_as_equal, levels_read_as_missing, write_table

HELP = """
Without --out the rows are printed as CSV.
"""
EXAMPLE = """\
stablebn sample asia --rows 1000 --seed 1 --out asia.csv"""


@click.command(cls=Command)
@graph_file("network")
@option("--rows", "-n", type=int, default=1000, help="The number of rows.")
@option("--seed", type=int, default=1, help="The seed; it gives the same rows on every machine.")
@out_option(help="A .csv, .csv.gz, .parquet or .feather file.")
@folders_option
@option("--normalise", is_flag=True, help="Rescale the probabilities to sum to 1.")
@json_option
@force_option
@quiet_option
def command(
    network: str,
    rows: int,
    seed: int,
    out: Path | None,
    folders: Sequence[Path],
    normalise: bool,
    as_json: bool,
    force: bool,
    quiet: bool,
) -> None:
    """Draw rows from a network and write them."""
    if out is not None:
        check_free(out, force=force)
    drawn_from = read_network(network, directories=folders, normalise=normalise)
    with waiting("drawing", quiet=quiet):
        table = drawn_from.sample(rows, seed=seed)
    if out is not None:
        with whole_file(out, force=force) as temporary:
            write_table(table, temporary, out.name)
    if as_json:
        origin = {"network": network, "rows": rows, "seed": seed}
        say_json({**origin, "columns": table.to_pydict()} if out is None else {**origin, "file": str(out)})
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
        is_empty = any(not text.strip() for texts in markers.values() for text in texts)
        remedy = "Write a .parquet file instead" if is_empty else "Read the file with --na-values ''"
        notes.append(f"Levels that are read as missing values: {_listed_levels(markers)}. {remedy} to keep them.")
    if equal := levels_read_as_equal(table):
        notes.append(
            f"Levels that are read as equal numbers: {_listed_levels(equal)}. Write a .parquet file to keep them."
        )
    return " ".join(notes)


def _listed_levels(levels: Mapping[str, Collection[str]]) -> str:
    return tallied({name: " ".join(map(repr, sorted(texts))) for name, texts in levels.items()})


def _print(table: pa.Table) -> None:
    """Print a table as CSV: its exact bytes in a pipe, without control characters on a terminal."""
    if not sys.stdout.isatty():
        write_table(table, sys.stdout.buffer, ".csv")
        return
    text = pa.BufferOutputStream()
    write_table(table, text, ".csv")
    say(text.getvalue().to_pybytes().decode().removesuffix("\n"), wrap=False)
