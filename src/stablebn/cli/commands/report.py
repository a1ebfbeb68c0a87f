"""`stablebn report`."""

from __future__ import annotations

import json
import shlex
import signal
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from stablebn.api.arguments import learn_options, repeatable_options
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
    network_names,
    with_options,
)
from stablebn.cli.exit_codes import INTERRUPTED, TERMINATED
from stablebn.cli.progress import counting, nothing_written_if_interrupted, searching
from stablebn.cli.terminal import say, say_json
from stablebn.errors import OptionError, spelled
from stablebn.files import check_free
from stablebn.learners import LEARNERS
from stablebn.learners.shared.interruption import Interruption
from stablebn.networks import graph_of

HELP = """
It is one HTML file that needs nothing else: send it to a colleague. Ctrl-C ends the search early: the report is of the
best graph so far, marked unfinished.
"""
EXAMPLE = """\
stablebn report patients.csv --drop id --out report.html"""
EXIT_CODES = {
    INTERRUPTED: "Ctrl-C has ended the search: the report is whole, but its graph is not finished.",
    TERMINATED: "The same after SIGTERM.",
}

_OF_SIGNALS = 128


@with_options(learn_options())
def command(
    data: TableFile,
    algorithm: Algorithm = "auto",
    continuous: Continuous = None,
    categorical: Categorical = None,
    all_continuous: AllContinuous = False,
    all_categorical: AllCategorical = False,
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write.")] = Path("report.html"),
    true: Annotated[
        str | None,
        typer.Option(
            "--truth", help="The true graph: a file, or a name from `stablebn networks`.", autocompletion=network_names
        ),
    ] = None,
    stability: Annotated[
        int | None, typer.Option(help="Learn from so many layouts of the table, and tell how far the graphs agree.")
    ] = None,
    bootstrap: Annotated[
        int | None, typer.Option(help="Learn from so many samples of the rows, and tell how sure the edges are.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of --stability and --bootstrap.")] = 0,
    as_json: AsJson = False,
    force: Force = False,
    quiet: Quiet = False,
    **options: Any,
) -> None:
    """Learn a graph, write its report, and say what was learned."""
    check_free(out, force=force)
    truth = None if true is None else graph_of(true)
    if bootstrap is not None and options["max_time"] is not None:
        raise OptionError("--bootstrap does not go with --max-time: another run may stop elsewhere. Leave out one.")
    kinds = kinds_of(continuous, categorical, all_continuous, all_categorical)
    interruption = Interruption([signal.Signals.SIGINT, signal.Signals.SIGTERM])
    with searching(quiet=quiet) as progress:
        given = {**options, "kinds": kinds, "progress": progress}
        result = learn_from_request(LearnRequest.parse((data, algorithm), given, interruption=interruption))
    audit = certainty = None
    if interruption.signal is None:
        again = {option.name for option in repeatable_options()}
        given = {name: value for name, value in options.items() if value is not None and name in again}
        given |= {"kinds": kinds, "seed": seed}
        with nothing_written_if_interrupted("No report"):
            audit = None if stability is None else _audited(data, algorithm, stability, given, quiet=quiet)
            certainty = None if bootstrap is None else _resampled(data, algorithm, bootstrap, given, quiet=quiet)
    line = shlex.join(["stablebn", *sys.argv[1:]])
    result.report(out, true=truth, audit=audit, bootstrap=certainty, command=line, force=force)
    if as_json:
        say_json({**json.loads(result.to_json()), "report": str(out)})
    elif not quiet:
        title = LEARNERS[str(result.config["algorithm"])].title
        say(f"{result.summary(title)}  Written to {spelled(out)}.")
    if interruption.signal is not None and not result.finished:
        raise typer.Exit(_OF_SIGNALS + interruption.signal)


def _audited(data: Path, algorithm: str, layouts: int, options: dict[str, Any], *, quiet: bool) -> Any:
    # Few ask for it, and it takes time to import.
    from stablebn.resampling.stability import stability

    with counting("layouts", quiet=quiet) as show:
        watch = None if show is None else lambda done: show(done, layouts, "")
        return stability(data, algorithm, repeats=layouts, progress=watch, **options)


def _resampled(data: Path, algorithm: str, samples: int, options: dict[str, Any], *, quiet: bool) -> Any:
    from stablebn.resampling.bootstrap import bootstrap

    with counting("samples", quiet=quiet) as show:
        watch = None if show is None else lambda done, wanted: show(done, wanted, "")
        return bootstrap(data, algorithm, replicates=samples, progress=watch, **options)
