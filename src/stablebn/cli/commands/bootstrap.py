"""`stablebn bootstrap`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stablebn.api.arguments import learn_options
from stablebn.cli.command_options import (
    FILE,
    algorithm_option,
    force_option,
    json_option,
    option,
    plot_option,
    quiet_option,
    table_file,
    table_options,
)
from stablebn.cli.exit_codes import INTERRUPTED
from stablebn.cli.outcome_files import check_writable, figures_option, heat_map_option, write_results
from stablebn.cli.progress import counting
from stablebn.cli.reference import Command
from stablebn.cli.terminal import say, say_json
from stablebn.cli.terminal_tables import print_table
from stablebn.graph.metrics import edge_marks
from stablebn.graph.names import rank_names
from stablebn.lazy import interrupts_recognised
from stablebn.resampling.bootstrap import NOT_HERE, bootstrap
from stablebn.resampling.bootstrap_result import Bootstrap

if TYPE_CHECKING:
    from stablebn.cli.command_options import Kinds

HELP = """
Learns again from rows drawn with replacement, and prints how often each edge is found.
"""
EXAMPLE = """\
stablebn bootstrap patients.csv --replicates 200 --out edges.csv"""
EXIT_CODES = {INTERRUPTED: "Interrupted by Ctrl-C; with --checkpoint, the same command continues."}

# Options that are defined below, or that do not apply to many searches.
_NOT_FROM_TABLE = ("checkpoint", *NOT_HERE)


@click.command(cls=Command)
@table_file
@algorithm_option
@option("--replicates", type=int, default=200, help="The number of bootstrap samples.")
@option("--seed", type=int, default=0, help="The seed of the samples.")
@option(
    "--layouts",
    type=int,
    help="The number of layouts (row and column orders) of each sample, 1 or 2; 2 show what the layout decides. By "
    "default 1 for stable algorithms, 2 for others.",
)
@option(
    "--checkpoint",
    type=FILE,
    help="Save finished work in this file; if it exists, continue from it.",
    heading="Long runs",
)
@table_options(known for known in learn_options() if known.name not in _NOT_FROM_TABLE)
@figures_option
@json_option
@plot_option(help="Draw the edges: a .png, .svg or .pdf file.")
@heat_map_option
@force_option
@quiet_option
def command(
    data: Path,
    algorithm: str,
    replicates: int,
    seed: int,
    layouts: int | None,
    checkpoint: Path | None,
    *,
    kinds: Kinds,
    out: Path | None,
    as_json: bool,
    plot: Path | None,
    heat_map: Path | None,
    force: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Bootstrap an algorithm, print how certain the edges are, and write the results."""
    check_writable(out, plot, heat_map, force=force)

    try:
        with interrupts_recognised(), counting("graphs", quiet=quiet) as show:
            result = bootstrap(
                data,
                algorithm,
                replicates=replicates,
                seed=seed,
                layouts=layouts,
                checkpoint=checkpoint,
                progress=None if show is None else lambda done, wanted: show(done, wanted, ""),
                kinds=kinds,
                **options,
            )
    except KeyboardInterrupt:
        kept = (
            "Nothing was written." if checkpoint is None else f"Repeat the command to continue: {checkpoint} is kept."
        )
        say(f"Interrupted. {kept}", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    written = write_results(result, out, plot, heat_map, force=force)
    if as_json:
        say_json(result.to_dict())
    elif not quiet:
        say(result.summary())
        _say_edges(result)
        if written:
            say(written)


def _say_edges(result: Bootstrap) -> None:
    """Print the edges learned from the whole table and, in brackets, others that most replicates have."""
    rank = rank_names(result.nodes)
    learned, average = edge_marks(result.learned, rank), edge_marks(result.averaged, rank)
    frequent = {(edge.a, edge.b): None for edge in result.edges if (edge.a, edge.b) in {**learned, **average}}
    rows = []
    for a, b in {**frequent, **learned}:
        mark = learned.get((a, b), average.get((a, b), ""))
        edge = result.edge(b, a) if mark == "<-" else result.edge(a, b)
        text = f"{edge.a} {'--' if mark == '--' else '->'} {edge.b}"
        direction = f"{100 * edge.direction:.0f} %" if mark != "--" and edge.adjacent else ""
        rows.append((text if (a, b) in learned else f"({text})", f"{100 * edge.frequency:.0f} %", direction))
    if rows:
        print_table(("edge", "adjacent", "this direction"), rows, numbers=True)
