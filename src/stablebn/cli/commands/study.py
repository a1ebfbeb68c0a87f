"""`stablebn study`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from stablebn.cli.command_options import (
    FILE,
    complete_file,
    folders_option,
    json_option,
    option,
    out_option,
    quiet_option,
)
from stablebn.cli.exit_codes import INTERRUPTED
from stablebn.cli.progress import counting
from stablebn.cli.reference import Command
from stablebn.cli.terminal import say, say_json
from stablebn.cli.terminal_tables import print_table
from stablebn.errors import OptionError, spelled
from stablebn.lazy import interrupts_recognised
from stablebn.study import Outcomes, Study, StudyPlan, StudyResults, plan, read_outcomes, read_study, results, run
from stablebn.study.estimate import duration_in_words
from stablebn.study.outcomes import ENDING

HELP = """
Finished jobs are not run again: stop with Ctrl-C at any time, and repeat the command to continue.
"""
EXAMPLE = """\
stablebn study mine.toml --dry-run
stablebn study mine.toml --jobs 4
stablebn study mine.toml --tables --figures"""
EXIT_CODES = {INTERRUPTED: "Interrupted by Ctrl-C; the same command continues."}


@click.command(cls=Command)
@click.argument(
    "definition",
    metavar="STUDY",
    help="A TOML file, the word paper for the study of the paper, or a file written by --outcomes.",
    shell_complete=complete_file,
)
@folders_option
@option("--store", type=FILE, help="The file that stores the outcomes; by default NAME.sqlite.")
@out_option(help="The folder for tables and figures; by default NAME-study.")
@option("--jobs", type=int, help="The number of processes on this machine.")
@option("--dask", help="The address of a Dask scheduler, whose workers do the work.")
@option("--quick", is_flag=True, help="Run only the part that the study marks as quick.")
@option("--dry-run", is_flag=True, help="Only print the number of jobs and the estimated time.")
@option("--tables", is_flag=True, help="Run nothing; write tables of the stored outcomes.")
@option("--figures", is_flag=True, help="Run nothing; draw figures of the stored outcomes.")
@option(
    "--outcomes", type=FILE, help="Run nothing; write the stored outcomes, without graphs, to a small .json.gz file."
)
@option(
    "--published",
    type=FILE,
    help="A JSON file of published results, shown beside ours in the tables.",
    heading="Output",
)
@json_option
@option("--force", is_flag=True, help="Also replace files that no study has written.", heading="Output")
@quiet_option
def command(
    definition: str,
    folders: Sequence[Path],
    store: Path | None,
    out: Path | None,
    jobs: int | None,
    dask: str | None,
    quick: bool,
    dry_run: bool,
    tables: bool,
    figures: bool,
    outcomes: Path | None,
    published: Path | None,
    as_json: bool,
    force: bool,
    quiet: bool,
) -> None:
    """Run a study and print a summary, or write its tables and figures."""
    if definition.endswith(ENDING):
        if store or jobs or dask or quick or dry_run or outcomes or folders:
            raise OptionError(
                f"{definition} is a file of outcomes: only --tables, --figures, --out and --published apply to it."
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
    study = read_study(definition, quick=quick, directories=folders)
    if dry_run:
        planned = plan(study, store=store, jobs=jobs)
        if as_json:
            say_json(_plan_as_dict(planned))
        elif not quiet:
            _print_plan(planned)
        return
    written: list[Path] = []
    folder = out or Path(f"{study.name}-study")
    if tables or figures or outcomes:
        collected = results(study, store=store)
        if outcomes is not None:
            collected.outcomes.save(outcomes, force=force)
            written.append(outcomes)
        written += _write(collected, folder, published, tables=tables, figures=figures, force=force)
    else:
        collected = _run(study, store, jobs, dask, quiet=quiet)
    if as_json:
        say_json(_results_as_dict(collected, written))
    elif not quiet:
        say(collected.summary() if collected.run is None else f"{collected.run}\n{collected.summary()}")
        if outcomes is not None:
            say(f"Written to {spelled(outcomes)}.")
        if tables or figures:
            say(f"{len(set(written) - {outcomes})} files written to {spelled(folder)}.")
        elif outcomes is None:
            say("For tables and figures, repeat the command with --tables --figures.")


def _write(
    collected: StudyResults | Outcomes,
    folder: Path,
    published: Path | None,
    *,
    tables: bool,
    figures: bool,
    force: bool,
) -> list[Path]:
    """Write the requested tables and figures; return the files."""
    written = collected.write_tables(folder, published=published, force=force) if tables else []
    written += collected.write_figures(folder, published=published, force=force) if figures else []
    return written


def _plan_as_dict(planned: StudyPlan) -> dict[str, object]:
    """Return a plan for the JSON document."""
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


def _results_as_dict(collected: StudyResults, written: list[Path]) -> dict[str, object]:
    """Return results for the JSON document."""
    return {
        "study": collected.study.title,
        "store": str(collected.store),
        "run": None if collected.run is None else collected.run._asdict(),
        "samples": [asdict(sample) for sample in collected.samples],
        "records": [asdict(record) for record in collected.records],
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
        say(f"Interrupted. Finished jobs are saved in {path}: repeat the command to continue.", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
