"""`stablebn learn`."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from stablebn import graph
from stablebn.api import learn
from stablebn.arguments import learn_options
from stablebn.commands.options import (
    Algorithm,
    AllCategorical,
    AllContinuous,
    Categorical,
    Continuous,
    Quiet,
    help_with_learners,
    kinds_of,
    with_options,
)
from stablebn.commands.progress import searching
from stablebn.commands.terminal import say
from stablebn.errors import OptionError, spelled
from stablebn.learners import LEARNERS
from stablebn.output import check_free, write_atomically
from stablebn.result import Result

HELP = help_with_learners("Learn a graph from a table.")


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
    data: Annotated[
        Path, typer.Argument(help="A file: CSV and other text, .xlsx, .jsonl, .db::table, .parquet, .feather.")
    ],
    algorithm: Algorithm = "tabu-stable",
    *,
    continuous: Continuous = None,
    categorical: Categorical = None,
    all_continuous: AllContinuous = False,
    all_categorical: AllCategorical = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the graph to this file.")] = None,
    format: Annotated[  # noqa: A002
        Format | None,
        typer.Option("--format", "-f", help="By default from the ending of --out, else json."),
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(help="Write every step of the search to this file (.json or .csv).")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="Write what proves the graph to this file, for `stablebn verify` (exact).")
    ] = None,
    prove: Annotated[
        bool, typer.Option("--prove", help="Say how far the graph is from the best one; that may take long.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Learn a graph, write it, and say what was learned."""
    wanted = format or _format_of(out)
    for path in (out, trace, certificate):
        if path is not None:
            check_free(path, force=force)

    kinds = kinds_of(continuous, categorical, all_continuous, all_categorical)
    with searching(quiet=quiet) as progress:
        result = learn(data, algorithm, **options, kinds=kinds, progress=progress)
        distance = None
        if prove and result.proof is None:
            # Few ask for it.
            from stablebn.proving import prove as prove_result

            reading = {name: options[name] for name in ("weights", "threads", "max_parents", "max_time")}
            distance = prove_result(result, data, **reading)
    written = []
    if out is not None:
        write_atomically(out, _graph_text(result, wanted), force=force)
        written.append(spelled(out))
    if trace is not None:
        text = result.trace.to_csv() if trace.suffix == ".csv" else result.trace.to_json()
        write_atomically(trace, text, force=force)
        written.append(spelled(trace))
    if certificate is not None:
        if result.certificate is None:
            raise OptionError(f"--certificate: {algorithm} proves nothing. Say exact.")
        result.certificate.save(certificate, force=force)
        written.append(spelled(certificate))
    if not quiet:
        where = f"  Written to {' and '.join(written)}." if written else ""
        say(result.summary(LEARNERS[algorithm].title) + where)
        if distance is not None:
            say(f"{distance}")
        if out is None:
            marked = [(arc, "->") for arc in result.arcs] + [(edge, "--") for edge in result.undirected]
            say("\n".join(f"  {spelled(u)} {mark} {spelled(v)}" for (u, v), mark in marked))


def _format_of(out: Path | None) -> Format:
    """The format that the ending of a file asks for."""
    ending = "" if out is None else out.suffix.lower()
    if ending not in _ENDINGS:
        raise OptionError(f"--out {out}: what is {ending}? Say --format json, dot, csv or graphml.")
    return _ENDINGS[ending]


def _graph_text(result: Result, wanted: Format) -> str:
    if wanted is Format.json:
        return result.to_json() + "\n"
    write = {Format.dot: graph.to_dot, Format.csv: graph.to_csv, Format.graphml: graph.to_graphml}[wanted]
    return write(graph.as_graph(result))
