"""Progress of long work, on a terminal only."""

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
def nothing_written_if_interrupted(what: str = "Nothing") -> Iterator[None]:
    """Ctrl-C is safe: what is long comes before anything is written."""
    try:
        with interrupts_recognised():
            yield
    except KeyboardInterrupt:
        say(f"Interrupted. {what} was written.", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None


def shown_stages(steps_of: Mapping[str, int]) -> str:
    """What is said of the stages under way, by how far they are.

    >>> shown_stages({"reading": 0}), shown_stages({"decreasing order": 1200, "increasing order": 7})
    ('reading', 'decreasing order: 1,200 steps, increasing order: 7 steps')
    """
    units = {"encoding": "rows", "discretising": "rows"}
    return ", ".join(
        f"{stage}: {steps:,} {units.get(stage, 'steps')}" if steps else stage for stage, steps in steps_of.items()
    )


@contextmanager
def searching(*, quiet: bool) -> Iterator[Callable[[str, int], None] | None]:
    """Show what is under way, how far it is and the time passed; what is yielded takes the first two of these."""
    # A checkpoint may have been.
    with nothing_written_if_interrupted("No graph"), waiting("reading", quiet=quiet) as update:
        if update is None:
            yield None
            return
        steps_of: dict[str, int] = {}
        under_way: set[str] = set()

        def show(stage: str, steps: int) -> None:
            if stage not in steps_of:
                # Those before it may be over: if one is not, it will be heard of again.
                under_way.clear()
            steps_of[stage] = steps
            under_way.add(stage)
            update(shown_stages({own: made for own, made in list(steps_of.items()) if own in under_way}))

        with _shown_logs(update):
            yield show


@contextmanager
def waiting(first: str, *, quiet: bool = False) -> Iterator[Callable[[str], None] | None]:
    """Show a line, and the time that has passed, until something is done; what is yielded takes what to show next."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    # Not as markup: names may be in it.
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as line:
        task = line.add_task(first, total=None)
        yield lambda message: line.update(task, description=spelled(message))


@contextmanager
def counting(
    what: str, *, quiet: bool = False, estimated: bool = False
) -> Iterator[Callable[[int, int, str], None] | None]:
    """Show a bar; what is yielded takes how many are done, how many there are, and the time that is left.

    Parameters
    ----------
    what : str
        What there are so many of.
    quiet : bool
    estimated : bool
        Whether the time that is left is known; else it is as those went on that are done.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    time_column = TextColumn("{task.fields[remaining]} left") if estimated else TimeRemainingColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), time_column)
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None, remaining="?")
        yield lambda done, total, remaining: bar.update(task, completed=done, total=total, remaining=remaining)


@contextmanager
def _shown_logs(show: Callable[[str], None]) -> Iterator[None]:
    """Show what the library logs."""
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
    """Calls a function with every message."""

    def __init__(self, function: Callable[[str], None]) -> None:
        super().__init__()
        self._function = function

    def emit(self, record: logging.LogRecord) -> None:
        """Call the function with a message."""
        self._function(record.getMessage())
