"""`stablebn learn`."""

from __future__ import annotations

import json
import signal
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stablebn import graph
from stablebn.api.arguments import learn_options
from stablebn.api.learn import learn_from_request
from stablebn.api.request import LearnRequest
from stablebn.cli.command_options import (
    Algorithm,
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
from stablebn.cli.exit_codes import INTERRUPTED, TERMINATED
from stablebn.cli.progress import searching
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

HELP = """
The graph is printed, or written to --out; `--` marks an edge whose direction the data cannot tell. Ctrl-C ends the
search early: the best graph so far is written, marked unfinished. Without --algorithm the most accurate algorithm is
used. tabu-stable and hc-stable are those of the paper; docs/paper.md says line by line where they differ from it: the
stop rule of tabu, and the order of continuous variables, which has no units (--no-unit-free: as in the paper).
"""
EXAMPLE = """\
stablebn learn patients.csv --drop id --out graph.json"""
EXIT_CODES = {
    INTERRUPTED: "Ctrl-C has ended the search: what is written is whole, but not finished.",
    TERMINATED: "The same after SIGTERM.",
}

_OF_SIGNALS = 128


class Format(str, Enum):
    """How a graph is written."""

    json = "json"
    dot = "dot"
    csv = "csv"
    graphml = "graphml"


_ENDINGS = {
    "": Format.json,
    ".json": Format.json,
    ".dot": Format.dot,
    ".gv": Format.dot,
    ".csv": Format.csv,
    ".graphml": Format.graphml,
}


@with_options(learn_options())
def command(
    data: TableFile,
    algorithm: Algorithm = "auto",
    continuous: Continuous = None,
    categorical: Categorical = None,
    all_continuous: AllContinuous = False,
    all_categorical: AllCategorical = False,
    *,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the graph to this file: .json, .dot, .csv or .graphml.")
    ] = None,
    as_json: AsJson = False,
    format: Annotated[  # noqa: A002
        Format | None,
        typer.Option(
            "--format",
            "-f",
            metavar="<name>",
            help="What to write: json, dot, csv or graphml; by default from the ending of --out, else json.",
            rich_help_panel="Output",
        ),
    ] = None,
    cpdag: Annotated[
        bool,
        typer.Option(
            "--cpdag",
            help="Show the equivalence class: directed where all graphs of it agree.",
            rich_help_panel="Output",
        ),
    ] = False,
    dag: Annotated[
        bool,
        typer.Option(
            "--dag",
            help="Show a direction of every edge, also of those where it is arbitrary.",
            rich_help_panel="Output",
        ),
    ] = False,
    trace: Annotated[
        Path | None,
        typer.Option(help="Write every step of the search to this file (.json or .csv).", rich_help_panel="Output"),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the graph: a .png, .svg or .pdf file.", rich_help_panel="Output")
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            help="Write what proves the graph to this file, for `stablebn verify`. Only of exact.",
            rich_help_panel="Output",
        ),
    ] = None,
    prove: Annotated[
        bool,
        typer.Option(
            "--prove", help="Say how far the graph is from the best one; that may take long.", rich_help_panel="Output"
        ),
    ] = False,
    force: Force = False,
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Learn a graph, write it, and say what was learned."""
    wanted = format or _format_of(out)
    if dag and cpdag:
        raise OptionError("--dag and --cpdag cannot both be. Choose one.")
    directions: Directions = "dag" if dag else "cpdag" if cpdag else "marked"
    for path in (out, trace, certificate):
        if path is not None:
            check_free(path, force=force)
    if plot is not None:
        check_drawable(plot, force=force)

    kinds = kinds_of(continuous, categorical, all_continuous, all_categorical)
    interruption = Interruption([signal.Signals.SIGINT, signal.Signals.SIGTERM])
    with searching(quiet=quiet) as progress:
        given = {**options, "kinds": kinds, "progress": progress}
        result = learn_from_request(LearnRequest.parse((data, algorithm), given, interruption=interruption))
        distance = None
        if prove and result.proof is None and interruption.signal is None:
            # Few ask for it.
            from stablebn.api.proofs import prove as prove_result

            reading = {name: options[name] for name in ("weights", "threads", "max_time", *OF_TEXT)}
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
            raise OptionError(f"--certificate: {result.config['algorithm']} proves nothing. Use --algorithm exact.")
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
        # As shells say it of a program that a signal has ended: what is written is whole, but not finished.
        raise typer.Exit(_OF_SIGNALS + interruption.signal)


def _distance(distance: Distance | None) -> dict[str, object]:
    """What --prove has found, beside the graph."""
    if distance is None:
        return {}
    told = {"optimal": distance.optimal, "at_least": distance.at_least, "at_most": distance.at_most}
    return {"distance": told}


def _format_of(out: Path | None) -> Format:
    """The format that the ending of a file asks for."""
    ending = "" if out is None else out.suffix.lower()
    if ending not in _ENDINGS:
        raise OptionError(f"--out {out}: what is {ending}? Say --format json, dot, csv or graphml.")
    return _ENDINGS[ending]


def _edge_lines(result: Result, directions: Directions) -> list[str]:
    """The edges, the directed ones first, each with its strength if it has one."""
    edges = graph.to_edge_list(result.shown(directions))
    shown = [f"{spelled(a)} {mark} {spelled(b)}" for a, b, mark in edges]
    strengths = result.strengths
    if not strengths:
        return [f"  {edge}" for edge in shown]
    lost = [f"{strengths[a, b] if (a, b) in strengths else strengths[b, a]:,.2f}" for a, b, _ in edges]
    wide, long = max(map(len, shown)), max(map(len, lost))
    heading = f"Edges, and the {str(result.config['score']).upper()} lost without each:"
    return [heading, *(f"  {edge:<{wide}}  {loss:>{long}}" for edge, loss in zip(shown, lost, strict=True))]


def _graph_text(result: Result, directions: Directions, wanted: Format) -> str:
    if wanted is Format.json:
        return result.to_json(directions) + "\n"
    write = {Format.dot: graph.to_dot, Format.csv: graph.to_csv, Format.graphml: graph.to_graphml}[wanted]
    return write(result.shown(directions), result.strengths)
