"""`stablebn near-optimal`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from stablebn.api.arguments import options_for
from stablebn.api.near_optimal import USUAL_FACTOR, USUAL_LIMIT, NearOptimal, near_optimal
from stablebn.cli.command_options import (
    AllCategorical,
    AllContinuous,
    AsJson,
    Categorical,
    Continuous,
    Force,
    Quiet,
    TableFile,
    kinds_of,
    with_options,
)
from stablebn.cli.progress import nothing_written_if_interrupted, waiting
from stablebn.cli.terminal import say, say_json
from stablebn.cli.terminal_tables import print_table
from stablebn.errors import spelled
from stablebn.files import check_free, write_atomically

HELP = """
It lists all graphs whose score is nearly that of the best one, and tells what they agree on.
"""
EXAMPLE = """\
stablebn near-optimal patients.csv --factor 3 --out near.json"""

_MOST_SHOWN = 30


@with_options(own for own in options_for("exact") if own.name != "max_time")
def command(
    data: TableFile,
    continuous: Continuous = None,
    categorical: Categorical = None,
    all_continuous: AllContinuous = False,
    all_categorical: AllCategorical = False,
    *,
    factor: Annotated[
        float | None, typer.Option(help=f"The margin as a Bayes factor; by default {USUAL_FACTOR:g}.")
    ] = None,
    within: Annotated[float | None, typer.Option(help="The margin in nats, in place of a factor.")] = None,
    limit: Annotated[int, typer.Option(help="Most DAGs to list.")] = USUAL_LIMIT,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write all of it to this file, as JSON.")] = None,
    as_json: AsJson = False,
    force: Force = False,
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """List near-optimal graphs; print the shares of the edges."""
    if out is not None:
        check_free(out, force=force)
    kinds = kinds_of(continuous, categorical, all_continuous, all_categorical)
    with nothing_written_if_interrupted(), waiting("searching", quiet=quiet):
        found = near_optimal(data, factor=factor, within=within, limit=limit, kinds=kinds, **options)
    if out is not None:
        write_atomically(out, found.to_json() + "\n", force=force)
    if as_json:
        say_json(found.to_dict())
    elif not quiet:
        _say(found, out)


def _say(found: NearOptimal, out: Path | None) -> None:
    say(spelled(found.summary(), keep="\n"))
    if out is not None:
        say(f"Written to {spelled(out)}.")
        return
    say("The share of the DAGs, by weight, in which two variables are joined, and from the first to the second:")
    rows = [
        (f"{a} - {b}", f"{share:.3f}", f"{found.arcs.get((a, b), 0.0):.3f}")
        for (a, b), share in list(found.edges.items())[:_MOST_SHOWN]
    ]
    print_table(("edge", "joined", "this way"), rows, numbers=True)
    if len(found.edges) > _MOST_SHOWN:
        say(f"  and {len(found.edges) - _MOST_SHOWN} more (see --out).")
