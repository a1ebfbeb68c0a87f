"""`stablebn learn`."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stablebn import graph
from stablebn.api.arguments import learn_options
from stablebn.api.learn import learn_from_request
from stablebn.api.request import LearnRequest
from stablebn.cli.command_options import (
    FILE,
    algorithm_option,
    force_option,
    json_option,
    option,
    out_option,
    plot_option,
    quiet_option,
    table_file,
    table_options,
)
from stablebn.cli.exit_codes import INTERRUPTED, TERMINATED
from stablebn.cli.progress import searching
from stablebn.cli.reference import Command
from stablebn.cli.terminal import say, say_json
from stablebn.errors import OptionError, spelled
from stablebn.files import check_free, write_atomically
from stablebn.io.csv.dialect import OF_TEXT
from stablebn.learners import LEARNERS
from stablebn.learners.shared.interruption import Interruption
from stablebn.plotting.matplotlib_figures import check_drawable
from stablebn.result.result import Directions, Result

if TYPE_CHECKING:
    from stablebn.api.proofs import Distance
    from stablebn.cli.command_options import Kinds

HELP = """
The graph is printed, or written to --out; `--` marks an edge whose direction the data do not determine. Ctrl-C ends the
search early: the best graph so far is written, marked unfinished. Without --algorithm the most accurate algorithm is
used. tabu-stable and hc-stable are the algorithms of the paper; docs/paper.md lists where they differ from it: the stop
rule of tabu, and the order of continuous variables, which does not depend on units (--no-unit-free: as in the paper).
"""
EXAMPLE = """\
stablebn learn patients.csv --drop id --out graph.json"""
EXIT_CODES = {
    INTERRUPTED: "Interrupted by Ctrl-C: the best graph so far was written, marked unfinished.",
    TERMINATED: "The same, after SIGTERM.",
}

_OF_SIGNALS = 128


_FORMATS = ("json", "dot", "csv", "graphml")
_FORMATS_BY_ENDING = {"": "json", ".json": "json", ".dot": "dot", ".gv": "dot", ".csv": "csv", ".graphml": "graphml"}


@click.command(cls=Command)
@table_file
@algorithm_option
@table_options(learn_options())
@out_option(help="Write the graph to this file: .json, .dot, .csv or .graphml.")
@json_option
@option(
    "--format",
    "-f",
    type=click.Choice(_FORMATS),
    metavar="<name>",
    help="The format: json, dot, csv or graphml; by default from the ending of --out, else json.",
    heading="Output",
)
@option(
    "--cpdag",
    is_flag=True,
    help="Show the CPDAG: an edge is directed if all graphs of the Markov equivalence class agree.",
    heading="Output",
)
@option(
    "--dag",
    is_flag=True,
    help="Show a direction for every edge, even if it is arbitrary.",
    heading="Output",
)
@option("--trace", type=FILE, help="Write every step of the search to this file (.json or .csv).", heading="Output")
@plot_option(help="Draw the graph: a .png, .svg or .pdf file.")
@option(
    "--certificate",
    type=FILE,
    help="Write the proof of optimality to this file, for `stablebn verify`. Only of exact.",
    heading="Output",
)
@option(
    "--prove", is_flag=True, help="Compute how far the score is from the optimum; this may take long.", heading="Output"
)
@force_option
@quiet_option
def command(
    data: Path,
    algorithm: str,
    *,
    kinds: Kinds,
    out: Path | None,
    as_json: bool,
    format: str | None,  # noqa: A002
    cpdag: bool,
    dag: bool,
    trace: Path | None,
    plot: Path | None,
    certificate: Path | None,
    prove: bool,
    force: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Learn a graph, write it, and print a summary."""
    wanted = format or _format_of(out)
    if dag and cpdag:
        raise OptionError("--dag and --cpdag cannot both be. Choose one.")
    directions: Directions = "dag" if dag else "cpdag" if cpdag else "marked"
    for path in (out, trace, certificate):
        if path is not None:
            check_free(path, force=force)
    if plot is not None:
        check_drawable(plot, force=force)

    interruption = Interruption([signal.Signals.SIGINT, signal.Signals.SIGTERM])
    with searching(quiet=quiet) as progress:
        given = {**options, "kinds": kinds, "progress": progress}
        result = learn_from_request(LearnRequest.parse((data, algorithm), given, interruption=interruption))
        distance = None
        if prove and result.proof is None and interruption.signal is None:
            # Imported here: few users need it.
            from stablebn.api.proofs import prove as prove_result

            names = ("weights", "threads", "max_time", *OF_TEXT)
            reading: dict[str, Any] = {name: options.get(name) for name in names}
            distance = prove_result(result, data, **reading)
    written = []
    if out is not None:
        write_atomically(out, _graph_text(result, directions, wanted), force=force)
        written.append(spelled(out))
    if trace is not None:
        text = result.trace.to_csv() if trace.suffix == ".csv" else result.trace.to_json()
        write_atomically(trace, text, force=force)
        written.append(spelled(trace))
    if plot is not None:
        result.plot(plot, directions=directions, force=force)
        written.append(spelled(plot))
    if certificate is not None:
        if result.certificate is None:
            raise OptionError(f"--certificate: {result.config['algorithm']} gives no proof. Use --algorithm exact.")
        result.certificate.save(certificate, force=force)
        written.append(spelled(certificate))
    if as_json:
        say_json({**json.loads(result.to_json(directions)), **_distance(distance)})
    elif not quiet:
        where = f"  Written to {' and '.join(written)}." if written else ""
        say(result.summary(LEARNERS[str(result.config["algorithm"])].title) + where)
        if distance is not None:
            say(f"{distance}")
        if out is None:
            say("\n".join(_edge_lines(result, directions)))
    if interruption.signal is not None and not result.finished:
        # The exit code that shells use for a signal; the files that were written are complete.
        raise click.exceptions.Exit(_OF_SIGNALS + interruption.signal)


def _distance(distance: Distance | None) -> dict[str, object]:
    """Return the result of --prove for the JSON document."""
    if distance is None:
        return {}
    return {
        "distance": {"optimal": distance.optimal, "at_least": distance.at_least, "at_most": distance.at_most},
    }


def _format_of(out: Path | None) -> str:
    """Return the format for the ending of a file."""
    ending = "" if out is None else out.suffix.lower()
    if ending not in _FORMATS_BY_ENDING:
        raise OptionError(f"--out {out}: unknown ending {ending}. Use --format json, dot, csv or graphml.")
    return _FORMATS_BY_ENDING[ending]


def _edge_lines(result: Result, directions: Directions) -> list[str]:
    """Return a line per edge, the directed ones first, with its strength if it has one."""
    edges = graph.to_edge_list(result.shown(directions))
    shown = [f"{spelled(a)} {mark} {spelled(b)}" for a, b, mark in edges]
    strengths = result.strengths
    if not strengths:
        return [f"  {edge}" for edge in shown]
    lost = [f"{strengths[a, b] if (a, b) in strengths else strengths[b, a]:,.2f}" for a, b, _ in edges]
    wide, long = max(map(len, shown)), max(map(len, lost))
    heading = f"Edges, and the {str(result.config['score']).upper()} lost without each:"
    return [heading, *(f"  {edge:<{wide}}  {loss:>{long}}" for edge, loss in zip(shown, lost, strict=True))]


def _graph_text(result: Result, directions: Directions, wanted: str) -> str:
    if wanted == "json":
        return result.to_json(directions) + "\n"
    write = {"dot": graph.to_dot, "csv": graph.to_csv, "graphml": graph.to_graphml}[wanted]
    return write(result.shown(directions), result.strengths)
