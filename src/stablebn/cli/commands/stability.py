"""`stablebn stability`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stablebn.api.arguments import repeatable_options
from stablebn.cli.command_options import (
    algorithm_option,
    folders_option,
    force_option,
    json_option,
    option,
    plot_option,
    quiet_option,
    table_file,
    table_options,
    truth_option,
)
from stablebn.cli.outcome_files import check_writable, figures_option, heat_map_option, write_results
from stablebn.cli.progress import counting, nothing_written_if_interrupted
from stablebn.cli.reference import Command
from stablebn.cli.terminal import say, say_json
from stablebn.networks import read_graph
from stablebn.resampling.stability import stability

if TYPE_CHECKING:
    from stablebn.cli.command_options import Kinds

HELP = """
The algorithm learns from the same table repeatedly, with rows and columns in another order and under other names. A
stable algorithm returns the same graph each time.
"""
EXAMPLE = """\
stablebn stability patients.csv --algorithm tabu"""


@click.command(cls=Command)
@table_file
@algorithm_option
@option("--repeats", type=int, default=25, help="The number of layouts; the first is the table as given.")
@option(
    "--vary",
    help="What differs between layouts, separated by commas: columns, rows, names, levels, units, threads, hash. By "
    "default columns, rows, names, and units if columns are continuous.",
)
@option("--seed", type=int, default=0, help="The seed of the layouts.")
@truth_option()
@table_options(repeatable_options())
@folders_option
@figures_option
@json_option
@plot_option(help="Draw edges and scores: a .png, .svg or .pdf file.")
@heat_map_option
@force_option
@quiet_option
def command(
    data: Path,
    algorithm: str,
    repeats: int,
    vary: str | None,
    seed: int,
    truth: str | None,
    *,
    kinds: Kinds,
    folders: Sequence[Path],
    out: Path | None,
    as_json: bool,
    plot: Path | None,
    heat_map: Path | None,
    force: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Run a stability analysis of an algorithm, print the verdict, and write the results."""
    check_writable(out, plot, heat_map, force=force)

    with nothing_written_if_interrupted(), counting("layouts", quiet=quiet) as show:
        result = stability(
            data,
            algorithm,
            repeats=repeats,
            vary=None if vary is None else [part.strip() for part in vary.split(",") if part.strip()],
            seed=seed,
            truth=None if truth is None else read_graph(truth, directories=folders),
            progress=None if show is None else lambda done: show(done, repeats, ""),
            kinds=kinds,
            **options,
        )
    written = write_results(result, out, plot, heat_map, force=force)
    if as_json:
        say_json(result.to_dict())
    elif not quiet:
        say(result.summary())
        if written:
            say(written)
