"""Create and write figures of matplotlib, which is imported only when a figure is drawn."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stablebn.errors import MissingExtraError, OptionError
from stablebn.files import check_free, whole_file
from stablebn.options import checked_arguments, file_path, flag

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDINGS = (".png", ".svg", ".pdf")

DOTS_PER_INCH = 200

# The same figure gives the same bytes: no dates, and ids inside the file that depend only on the figure.
_REPRODUCIBLE: Any = {"svg.hashsalt": "stablebn"}
_METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def new_figure(width: float, height: float, *, layout: Any = "constrained") -> Figure:
    """Return an empty figure for notebooks, sized in inches; raise `MissingExtraError` without matplotlib."""
    try:
        from stablebn.plotting.notebook_figure import NotebookFigure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plot") from error
    return NotebookFigure(figsize=(width, height), layout=layout)


def drawn(draw: Callable[[], Figure], path: str | os.PathLike[str] | None, *, force: bool) -> Figure:
    """Draw a figure, and write it if there is a path, which is checked before the work starts."""
    if path is not None:
        check_drawable(path, force=force)
    figure = draw()
    if path is not None:
        write_figure(figure, path, force=force)
    return figure


@checked_arguments(path=file_path, force=flag)
def check_drawable(path: str | os.PathLike[str], *, force: bool) -> None:
    """Raise an error if a plot cannot be drawn or written, before the work starts."""
    target = Path(path)
    check_ending(target)
    if find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plot")
    check_free(target, force=force)


def check_ending(path: Path) -> None:
    """Raise `OptionError` if a file name does not have the ending of a plot."""
    if path.suffix.lower() not in ENDINGS:
        raise OptionError(f"cannot draw {path}: its name must end in {', '.join(ENDINGS)}.")


def write_figure(figure: Figure, path: str | os.PathLike[str], *, force: bool) -> None:
    """Write a figure atomically; the same figure gives the same bytes."""
    from matplotlib import rc_context

    target = Path(path)
    check_ending(target)
    ending = target.suffix.lower()
    with whole_file(target, force=force) as temporary, rc_context(_REPRODUCIBLE):
        figure.savefig(temporary, format=ending[1:], dpi=DOTS_PER_INCH, metadata=_METADATA[ending])
