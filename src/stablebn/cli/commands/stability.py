"""`stablebn stability`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from stablebn.api.arguments import repeatable_options
from stablebn.cli.command_options import (
    Algorithm,
    AllCategorical,
    AllContinuous,
    AsJson,
    Categorical,
    Continuous,
    Folders,
    Force,
    Quiet,
    TableFile,
    kinds_of,
    network_names,
    with_options,
)
from stablebn.cli.outcome_files import HeatMap, Out, check_writable, write_figures
from stablebn.cli.progress import counting, nothing_written_if_interrupted
from stablebn.cli.terminal import say, say_json
from stablebn.networks import read_graph
from stablebn.resampling.stability import stability

HELP = """
The learner gets the same table again and again, with columns and rows in another order and under other names. A learner
that is stable gives one graph.
"""
EXAMPLE = """\
stablebn stability patients.csv --algorithm tabu"""


@with_options(repeatable_options())
def command(
    data: TableFile,
    algorithm: Algorithm = "auto",
    repeats: Annotated[int, typer.Option(help="How many layouts; the first is the table as given.")] = 25,
    vary: Annotated[
        str | None,
        typer.Option(
            help="What differs between layouts, with commas: columns, rows, names, levels, units, threads, hash. By "
            "default columns, rows, names, and units where columns are continuous.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same layouts.")] = 0,
    truth: Annotated[
        str | None,
        typer.Option(help="The true graph: a file, or a name from `stablebn networks`.", autocompletion=network_names),
    ] = None,
    continuous: Continuous = None,
    categorical: Categorical = None,
    all_continuous: AllContinuous = False,
    all_categorical: AllCategorical = False,
    *,
    folders: Folders = None,
    out: Out = None,
    as_json: AsJson = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw edges and scores: a .png, .svg or .pdf file.", rich_help_panel="Output")
    ] = None,
    heat_map: HeatMap = None,
    force: Force = False,
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Audit a learner, print the verdict, and write what was found."""
    check_writable(out, plot, heat_map, force=force)

    kinds = kinds_of(continuous, categorical, all_continuous, all_categorical)
    given = {option: value for option, value in options.items() if value is not None}
    with nothing_written_if_interrupted(), counting("layouts", quiet=quiet) as show:
        found = stability(
            data,
            algorithm,
            repeats=repeats,
            vary=None if vary is None else [part.strip() for part in vary.split(",") if part.strip()],
            seed=seed,
            truth=None if truth is None else read_graph(truth, directories=folders or []),
            progress=None if show is None else lambda done: show(done, repeats, ""),
            kinds=kinds,
            **given,
        )
    written = write_figures(found, out, plot, heat_map, force=force)
    if as_json:
        say_json(found.to_dict())
    elif not quiet:
        say(found.summary())
        if written:
            say(written)
