"""Progress of long work, on a terminal only."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from stablebn.commands.terminal import say
from stablebn.errors import spelled


@contextmanager
def nothing_written_if_interrupted() -> Iterator[None]:
    """Ctrl-C is safe: what is long comes before anything is written."""
    try:
        yield
    except KeyboardInterrupt:
        say("Interrupted. Nothing was written.", err=True)
        raise typer.Exit(130) from None


@contextmanager
def searching(*, quiet: bool) -> Iterator[Callable[[str, int], None] | None]:
    """Show the steps of searches; what is yielded takes the name of a search and its steps."""
    with nothing_written_if_interrupted():
        if quiet or not sys.stderr.isatty():
            yield None
            return
        from rich.console import Console
        from rich.text import Text

        with Console(stderr=True).status("reading the table") as status:

            def update(message: str) -> None:
                # Not as it is: in mere text Rich looks for markup.
                status.update(Text(spelled(message)))

            steps_of: dict[str, int] = {}

            def show(search: str, steps: int) -> None:
                # Two searches may be under way at once.
                steps_of[search] = steps
                update(", ".join(f"{search}: {steps} steps" for search, steps in list(steps_of.items())))

            with _shown_logs(update):
                yield show


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
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    time_column = TextColumn("{task.fields[remaining]} left") if estimated else TimeRemainingColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), time_column)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
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
