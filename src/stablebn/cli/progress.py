"""Show the progress of long work on a terminal."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import click

from stablebn.cli.exit_codes import INTERRUPTED
from stablebn.cli.terminal import console, say
from stablebn.errors import spelled
from stablebn.lazy import interrupts_recognised


@contextmanager
def nothing_written_if_interrupted(subject: str = "Nothing") -> Iterator[None]:
    """Turn Ctrl-C into a message and an exit code; use it for the work before anything is written."""
    try:
        with interrupts_recognised():
            yield
    except KeyboardInterrupt:
        say(f"Interrupted. {subject} was written.", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None


def shown_stages(steps_of: Mapping[str, int]) -> str:
    """Return the text that shows the running stages and their steps.

    >>> shown_stages({"reading": 0}), shown_stages({"decreasing order": 1200, "increasing order": 7})
    ('reading', 'decreasing order: 1,200 steps, increasing order: 7 steps')
    """
    units = {"encoding": "rows", "discretising": "rows"}
    return ", ".join(
        f"{stage}: {steps:,} {units.get(stage, 'steps')}" if steps else stage for stage, steps in steps_of.items()
    )


@contextmanager
def searching(*, quiet: bool) -> Iterator[Callable[[str, int], None] | None]:
    """Show the running stages, their steps and the elapsed time; yield a function that takes a stage and its steps."""
    # "No graph", because a checkpoint may have been written.
    with nothing_written_if_interrupted("No graph"), waiting("reading", quiet=quiet) as update:
        if update is None:
            yield None
            return
        steps_of: dict[str, int] = {}
        running: set[str] = set()

        def show(stage: str, steps: int) -> None:
            if stage not in steps_of:
                # Earlier stages may have ended; one that still runs reports again.
                running.clear()
            steps_of[stage] = steps
            running.add(stage)
            update(shown_stages({name: made for name, made in list(steps_of.items()) if name in running}))

        with _shown_logs(update):
            yield show


@contextmanager
def waiting(first: str, *, quiet: bool = False) -> Iterator[Callable[[str], None] | None]:
    """Show a line and the elapsed time until the block ends; yield a function that takes the next text."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    # Without markup, because the text may contain names.
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as line:
        task = line.add_task(first, total=None)
        yield lambda message: line.update(task, description=spelled(message))


@contextmanager
def counting(
    things: str, *, quiet: bool = False, estimated: bool = False
) -> Iterator[Callable[[int, int, str], None] | None]:
    """Show a progress bar; yield a function that takes the number done, the total and the remaining time.

    Parameters
    ----------
    things : str
        What is counted, in the plural.
    quiet : bool
    estimated : bool
        Whether the caller estimates the remaining time; else the bar extrapolates it.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    time_column = TextColumn("{task.fields[remaining]} left") if estimated else TimeRemainingColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), time_column)
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(things, total=None, remaining="?")
        yield lambda done, total, remaining: bar.update(task, completed=done, total=total, remaining=remaining)


@contextmanager
def _shown_logs(show: Callable[[str], None]) -> Iterator[None]:
    """Call a function with every message that the library logs."""
    log, handler = logging.getLogger("stablebn"), _CallingHandler(show)
    level = log.level
    log.setLevel(logging.INFO)
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


class _CallingHandler(logging.Handler):
    """A logging handler that calls a function with every message."""

    def __init__(self, function: Callable[[str], None]) -> None:
        super().__init__()
        self._function = function

    def emit(self, record: logging.LogRecord) -> None:
        """Call the function with a message."""
        self._function(record.getMessage())
