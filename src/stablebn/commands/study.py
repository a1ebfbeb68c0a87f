"""`stablebn study`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stablebn.commands.progress import counting
from stablebn.commands.tables import print_table
from stablebn.commands.terminal import say
from stablebn.errors import OptionError, spelled
from stablebn.study import Outcomes, Study, StudyResults, plan, read_outcomes, read_study, results, run
from stablebn.study.estimate import in_words
from stablebn.study.outcomes import ENDING

HELP = "Run a study: learners by networks by sample sizes by layouts. What was run before is not run again."


def command(
    definition: Annotated[
        str,
        typer.Argument(
            metavar="paper|FILE", help="The paper's study, a TOML file of yours, or a file that --outcomes has written."
        ),
    ],
    folders: Annotated[
        list[Path] | None,
        typer.Option("--networks", metavar="<path>", help="A folder with networks, to look in first; repeat for more."),
    ] = None,
    store: Annotated[Path | None, typer.Option(help="Where outcomes are kept; by default NAME.sqlite.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A folder; by default NAME-study.")] = None,
    jobs: Annotated[int | None, typer.Option(help="Run in so many processes of this machine.")] = None,
    dask: Annotated[str | None, typer.Option(help="Run on the Dask cluster with this address.")] = None,
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
        Path | None, typer.Option(help="A JSON file of published numbers, to stand beside ours in tables.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write tables and figures over files that are not of a study, too.")
    ] = False,
) -> None:
    """Run a study, say what has come of it, or write its tables and figures."""
    if definition.endswith(ENDING):
        if store or jobs or dask or quick or dry_run or outcomes or folders:
            raise OptionError(
                f"{definition} has what was found: only --tables, --figures and where they go can be said."
            )
        read = read_outcomes(definition)
        say(f"{len(read.records):,} jobs are in {spelled(definition)}.")
        folder = out or Path(f"{Path(definition).name.removesuffix(ENDING)}-study")
        _write(read, folder, published, tables=tables, figures=figures, force=force)
        return
    study = read_study(definition, quick=quick, directories=folders or [])
    if dry_run:
        _print_plan(study, store, jobs)
    elif tables or figures or outcomes:
        found = results(study, store=store)
        say(found.summary())
        if outcomes is not None:
            found.outcomes.save(outcomes, force=force)
            say(f"Written to {spelled(outcomes)}.")
        _write(found, out or Path(f"{study.name}-study"), published, tables=tables, figures=figures, force=force)
    else:
        found = _run(study, store, jobs, dask)
        say(found.summary() if found.run is None else f"{found.run}\n{found.summary()}")
        say("For tables and figures say the same again with --tables --figures.")


def _write(
    found: StudyResults | Outcomes, folder: Path, published: Path | None, *, tables: bool, figures: bool, force: bool
) -> None:
    if not tables and not figures:
        return
    written = found.write_tables(folder, published=published, force=force) if tables else []
    written += found.write_figures(folder, published=published, force=force) if figures else []
    say(f"{len(set(written))} files written to {spelled(folder)}.")


def _print_plan(study: Study, store: Path | None, jobs: int | None) -> None:
    planned = plan(study, store=store, jobs=jobs)
    say(planned.summary())
    print_table(*planned.table(), numbers=True)
    if planned.done < planned.jobs:
        say(planned.time_needed())


def _run(study: Study, store: Path | None, jobs: int | None, dask: str | None) -> StudyResults:
    try:
        with counting("jobs", estimated=True) as show:
            return run(
                study,
                store=store,
                jobs=jobs,
                dask=dask,
                progress=None if show is None else lambda now: show(now.done, now.total, in_words(now.seconds_left)),
            )
    except KeyboardInterrupt:
        path = store or f"{study.name}.sqlite"
        say(f"Interrupted. What has ended is in {path}: the same command goes on from there.", err=True)
        raise typer.Exit(130) from None
