"""`stablebn report`."""

from __future__ import annotations

import json
import shlex
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stablebn.api.arguments import learn_options, repeatable_options
from stablebn.api.learn import learn_from_request
from stablebn.api.request import LearnRequest
from stablebn.cli.command_options import (
    algorithm_option,
    force_option,
    json_option,
    option,
    out_option,
    quiet_option,
    table_file,
    table_options,
    truth_option,
)
from stablebn.cli.exit_codes import INTERRUPTED, TERMINATED
from stablebn.cli.progress import counting, nothing_written_if_interrupted, searching
from stablebn.cli.reference import Command
from stablebn.cli.terminal import say, say_json
from stablebn.errors import OptionError, spelled
from stablebn.files import check_free
from stablebn.learners import LEARNERS
from stablebn.learners.shared.interruption import Interruption
from stablebn.networks import graph_of

if TYPE_CHECKING:
    from stablebn.cli.command_options import Kinds

HELP = """
The report is one HTML file that needs no other files. Ctrl-C ends the search early: the report shows the best graph so
far, marked unfinished.
"""
EXAMPLE = """\
stablebn report patients.csv --drop id --out report.html"""
EXIT_CODES = {
    INTERRUPTED: "Interrupted by Ctrl-C: the report shows the best graph so far, marked unfinished.",
    TERMINATED: "The same, after SIGTERM.",
}

_OF_SIGNALS = 128


@click.command(cls=Command)
@table_file
@algorithm_option
@table_options(learn_options())
@out_option(default=Path("report.html"), help="The file to write.")
@truth_option("true")
@option("--stability", type=int, help="The number of layouts for a stability analysis; by default none.")
@option("--bootstrap", type=int, help="The number of samples for a bootstrap; by default none.")
@option("--seed", type=int, default=0, help="The seed of --stability and --bootstrap.")
@json_option
@force_option
@quiet_option
def command(
    data: Path,
    algorithm: str,
    *,
    kinds: Kinds,
    out: Path,
    true: str | None,
    stability: int | None,
    bootstrap: int | None,
    seed: int,
    as_json: bool,
    force: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Learn a graph, write its report, and print a summary."""
    check_free(out, force=force)
    truth = None if true is None else graph_of(true)
    if bootstrap is not None and "max_time" in options:
        raise OptionError(
            "--bootstrap cannot be combined with --max-time, which may stop another run elsewhere. Leave out one."
        )
    interruption = Interruption([signal.Signals.SIGINT, signal.Signals.SIGTERM])
    with searching(quiet=quiet) as progress:
        given = {**options, "kinds": kinds, "progress": progress}
        result = learn_from_request(LearnRequest.parse((data, algorithm), given, interruption=interruption))
    audit = certainty = None
    if interruption.signal is None:
        again = {option.name for option in repeatable_options()}
        given = {name: value for name, value in options.items() if name in again}
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
        raise click.exceptions.Exit(_OF_SIGNALS + interruption.signal)


def _audited(data: Path, algorithm: str, layouts: int, options: dict[str, Any], *, quiet: bool) -> Any:
    # Imported here: few users need it, and the import takes time.
    from stablebn.resampling.stability import stability

    with counting("layouts", quiet=quiet) as show:
        watch = None if show is None else lambda done: show(done, layouts, "")
        return stability(data, algorithm, repeats=layouts, progress=watch, **options)


def _resampled(data: Path, algorithm: str, samples: int, options: dict[str, Any], *, quiet: bool) -> Any:
    from stablebn.resampling.bootstrap import bootstrap

    with counting("samples", quiet=quiet) as show:
        watch = None if show is None else lambda done, wanted: show(done, wanted, "")
        return bootstrap(data, algorithm, replicates=samples, progress=watch, **options)
