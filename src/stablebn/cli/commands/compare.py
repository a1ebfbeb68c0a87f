"""`stablebn compare`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from stablebn.cli.command_options import (
    folders_option,
    force_option,
    graph_file,
    json_option,
    option,
    out_option,
    plot_option,
    quiet_option,
)
from stablebn.cli.exit_codes import ANSWER_IS_NO
from stablebn.cli.reference import Command
from stablebn.cli.terminal import json_text, say, say_json
from stablebn.errors import spelled
from stablebn.files import check_free, write_atomically
from stablebn.graph import compare
from stablebn.networks import read_graph
from stablebn.plotting.matplotlib_figures import check_drawable

HELP = """
By default the Markov equivalence classes (CPDAGs) are compared, because data cannot tell their graphs apart. BSF gives
half credit for an edge with another direction, as the program of the paper's authors does and the printed formula does
not: see docs/paper.md.
"""
EXAMPLE = """\
stablebn compare graph.json asia"""
EXIT_CODES = {ANSWER_IS_NO: "F1 is below --fail-under."}


@click.command(cls=Command)
@graph_file("learned")
@graph_file("true")
@option("--sid", is_flag=True, help="Also compute the structural intervention distance (needs the extra sid).")
@option("--as-they-are", is_flag=True, help="Compare the arcs instead of the CPDAGs.")
@option("--fail-under", type=float, help="Exit with code 1 if F1 is below this.")
@out_option(help="Write all results to this JSON file.")
@folders_option
@json_option
@plot_option(help="Draw both graphs: a .png, .svg or .pdf file.")
@force_option
@quiet_option
def command(
    learned: str,
    true: str,
    sid: bool,
    as_they_are: bool,
    fail_under: float | None,
    out: Path | None,
    folders: Sequence[Path],
    as_json: bool,
    plot: Path | None,
    force: bool,
    quiet: bool,
) -> None:
    """Compare two graphs, print how they differ, and write the results."""
    if out is not None:
        check_free(out, force=force)
    if plot is not None:
        check_drawable(plot, force=force)
    graphs = (read_graph(graph, directories=folders) for graph in (learned, true))
    comparison = compare(*graphs, as_cpdag=not as_they_are, sid=sid)
    figures = comparison.to_dict()
    if as_json:
        say_json(figures)
    elif not quiet:
        say(str(comparison))
    if out is not None:
        write_atomically(out, json_text(figures), force=force)
    if plot is not None:
        comparison.plot(plot, force=force)
    written = [spelled(path) for path in (out, plot) if path is not None]
    if written and not (quiet or as_json):
        say(f"Written to {' and '.join(written)}.")
    if fail_under is not None and comparison.f1 < fail_under:
        say(f"F1 {comparison.f1:.4f} is below {fail_under}.", err=True)
        raise click.exceptions.Exit(ANSWER_IS_NO)
