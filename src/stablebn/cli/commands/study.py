"""`stablebn study`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from stablebn.cli.command_options import AsJson, Folders, Quiet
from stablebn.cli.exit_codes import INTERRUPTED
from stablebn.cli.progress import counting
from stablebn.cli.terminal import say, say_json
from stablebn.cli.terminal_tables import print_table
from stablebn.errors import OptionError, spelled
from stablebn.lazy import interrupts_recognised
from stablebn.study import Outcomes, Study, StudyPlan, StudyResults, plan, read_outcomes, read_study, results, run
from stablebn.study.estimate import duration_in_words
from stablebn.study.outcomes import ENDING

HELP = """
What was run before is not run again: stop it with Ctrl-C when you like, and say the same again to go on.
"""
EXAMPLE = """\
stablebn study mine.toml --dry-run
stablebn study mine.toml --jobs 4
stablebn study mine.toml --tables --figures"""
EXIT_CODES = {INTERRUPTED: "Ctrl-C has ended it; the same command goes on."}


def command(
    definition: Annotated[
        str,
        typer.Argument(
            metavar="STUDY",
            help="The word paper, for the paper's study, a TOML file of yours, or a file that --outcomes has written.",
        ),
    ],
    folders: Folders = None,
    store: Annotated[Path | None, typer.Option(help="Where outcomes are kept; by default NAME.sqlite.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A folder; by default NAME-study.")] = None,
    jobs: Annotated[int | None, typer.Option(help="Run in so many processes of this machine.")] = None,
    dask: Annotated[
        str | None, typer.Option(help="The address of a Dask scheduler, whose workers do the work.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Only the part that the study calls quick.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what there is to do, and how long it takes.")
    ] = False,
    tables: Annotated[bool, typer.Option("--tables", help="Run nothing; write tables of what is there.")] = False,
    figures: Annotated[bool, typer.Option("--figures", help="Run nothing; draw figures of what is there.")] = False,
    outcomes: Annotated[
        Path | None, typer.Option(help="Run nothing; write what is there, without graphs, to one small .json.gz file.")
    ] = None,
    published: Annotated[
        Path | None,
        typer.Option(
            help="A JSON file of published numbers, to stand beside ours in tables.", rich_help_panel="Output"
        ),
    ] = None,
    as_json: AsJson = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Write tables and figures over files that are not of a study, too.",
            rich_help_panel="Output",
        ),
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Run a study, say what has come of it, or write its tables and figures."""
    if definition.endswith(ENDING):
        if store or jobs or dask or quick or dry_run or outcomes or folders:
            raise OptionError(
                f"{definition} has what was found: only --tables, --figures and where they go can be said."
            )
        read = read_outcomes(definition)
        folder = out or Path(f"{Path(definition).name.removesuffix(ENDING)}-study")
        files = _write(read, folder, published, tables=tables, figures=figures, force=force)
        if as_json:
            say_json({"jobs": len(read.records), "written": sorted({str(path) for path in files})})
        elif not quiet:
            say(f"{len(read.records):,} jobs are in {spelled(definition)}.")
            if files:
                say(f"{len(set(files))} files written to {spelled(folder)}.")
        return
    study = read_study(definition, quick=quick, directories=folders or [])
    if dry_run:
        planned = plan(study, store=store, jobs=jobs)
        if as_json:
            say_json(_plan_told(planned))
        elif not quiet:
            _print_plan(planned)
        return
    written: list[Path] = []
    folder = out or Path(f"{study.name}-study")
    if tables or figures or outcomes:
        found = results(study, store=store)
        if outcomes is not None:
            found.outcomes.save(outcomes, force=force)
            written.append(outcomes)
        written += _write(found, folder, published, tables=tables, figures=figures, force=force)
    else:
        found = _run(study, store, jobs, dask, quiet=quiet)
    if as_json:
        say_json(_results_told(found, written))
    elif not quiet:
        say(found.summary() if found.run is None else f"{found.run}\n{found.summary()}")
        if outcomes is not None:
            say(f"Written to {spelled(outcomes)}.")
        if tables or figures:
            say(f"{len(set(written) - {outcomes})} files written to {spelled(folder)}.")
        elif outcomes is None:
            say("For tables and figures say the same again with --tables --figures.")


def _write(
    found: StudyResults | Outcomes, folder: Path, published: Path | None, *, tables: bool, figures: bool, force: bool
) -> list[Path]:
    """Write what is wanted; all files that were written."""
    written = found.write_tables(folder, published=published, force=force) if tables else []
    written += found.write_figures(folder, published=published, force=force) if figures else []
    return written


def _plan_told(planned: StudyPlan) -> dict[str, object]:
    """What there is to do."""
    study = planned.study
    return {
        "study": study.title,
        "learners": [learner.label for learner in study.learners],
        "networks": list(study.networks),
        "sizes": list(study.sizes),
        "jobs": planned.jobs,
        "done": planned.done,
        "seconds": planned.seconds,
        "workers": planned.workers,
        "measured": planned.measured,
    }


def _results_told(found: StudyResults, written: list[Path]) -> dict[str, object]:
    """What has come of it."""
    return {
        "study": found.study.title,
        "store": str(found.store),
        "run": None if found.run is None else found.run._asdict(),
        "samples": [asdict(sample) for sample in found.samples],
        "records": [asdict(record) for record in found.records],
        "written": sorted({str(path) for path in written}),
    }


def _print_plan(planned: StudyPlan) -> None:
    say(planned.summary())
    print_table(*planned.table(), numbers=True)
    if planned.done < planned.jobs:
        say(planned.time_needed())


def _run(study: Study, store: Path | None, jobs: int | None, dask: str | None, *, quiet: bool) -> StudyResults:
    try:
        with interrupts_recognised(), counting("jobs", quiet=quiet, estimated=True) as show:
            return run(
                study,
                store=store,
                jobs=jobs,
                dask=dask,
                progress=None
                if show is None
                else lambda now: show(now.done, now.total, duration_in_words(now.seconds_left)),
            )
    except KeyboardInterrupt:
        path = store or f"{study.name}.sqlite"
        say(f"Interrupted. What has ended is in {path}: the same command goes on from there.", err=True)
        raise typer.Exit(INTERRUPTED) from None
