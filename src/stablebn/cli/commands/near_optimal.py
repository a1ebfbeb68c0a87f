"""`stablebn near-optimal`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stablebn.api.arguments import options_for
from stablebn.api.near_optimal import USUAL_FACTOR, USUAL_LIMIT, NearOptimal, near_optimal
from stablebn.cli.command_options import (
    force_option,
    json_option,
    option,
    out_option,
    quiet_option,
    table_file,
    table_options,
)
from stablebn.cli.progress import nothing_written_if_interrupted, waiting
from stablebn.cli.reference import Command
from stablebn.cli.terminal import say, say_json
from stablebn.cli.terminal_tables import print_table
from stablebn.errors import spelled
from stablebn.files import check_free, write_atomically

if TYPE_CHECKING:
    from stablebn.cli.command_options import Kinds

HELP = """
Lists all graphs whose score is within a margin of the best one, and prints which edges they share.
"""
EXAMPLE = """\
stablebn near-optimal patients.csv --factor 3 --out near.json"""

_MOST_SHOWN = 30


@click.command(cls=Command)
@table_file
@table_options((known for known in options_for("exact") if known.name != "max_time"), choice_of_learners=False)
@option("--factor", type=float, help=f"The margin as a Bayes factor; by default {USUAL_FACTOR:g}.")
@option("--within", type=float, help="The margin in nats, instead of a factor.")
@option("--limit", type=int, default=USUAL_LIMIT, help="The largest number of DAGs to list.")
@out_option(help="Write all results to this JSON file.")
@json_option
@force_option
@quiet_option
def command(
    data: Path,
    *,
    kinds: Kinds,
    factor: float | None,
    within: float | None,
    limit: int,
    out: Path | None,
    as_json: bool,
    force: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """List near-optimal graphs and print the shares of their edges."""
    if out is not None:
        check_free(out, force=force)
    with nothing_written_if_interrupted(), waiting("searching", quiet=quiet):
        result = near_optimal(data, factor=factor, within=within, limit=limit, kinds=kinds, **options)
    if out is not None:
        write_atomically(out, result.to_json() + "\n", force=force)
    if as_json:
        say_json(result.to_dict())
    elif not quiet:
        _say(result, out)


def _say(result: NearOptimal, out: Path | None) -> None:
    say(spelled(result.summary(), keep="\n"))
    if out is not None:
        say(f"Written to {spelled(out)}.")
        return
    say("The weighted share of the DAGs in which two variables are adjacent, and in which the first is the parent:")
    rows = [
        (f"{a} - {b}", f"{share:.3f}", f"{result.arcs.get((a, b), 0.0):.3f}")
        for (a, b), share in list(result.edges.items())[:_MOST_SHOWN]
    ]
    print_table(("edge", "adjacent", "this direction"), rows, numbers=True)
    if len(result.edges) > _MOST_SHOWN:
        say(f"  and {len(result.edges) - _MOST_SHOWN} more (see --out).")
