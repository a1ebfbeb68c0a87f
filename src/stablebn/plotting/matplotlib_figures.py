"""Figures of matplotlib: how they are made and written. It is imported only when one is drawn."""

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

# The same bytes whenever the same figure is drawn: no dates, and names inside the file that follow from what is drawn.
_REPRODUCIBLE: Any = {"svg.hashsalt": "stablebn"}
_METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def new_figure(width: float, height: float, *, layout: Any = "constrained") -> Figure:
    """An empty figure, in inches, that notebooks show; `MissingExtraError` where matplotlib is not installed."""
    try:
        from stablebn.plotting.notebook_figure import NotebookFigure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plot") from error
    return NotebookFigure(figsize=(width, height), layout=layout)


def drawn(draw: Callable[[], Figure], path: str | os.PathLike[str] | None, *, force: bool) -> Figure:
    """Draw a figure, and write it if there is a path; whether that can be is seen before any work is done."""
    if path is not None:
        check_drawable(path, force=force)
    figure = draw()
    if path is not None:
        write_figure(figure, path, force=force)
    return figure


@checked_arguments(path=file_path, force=flag)
def check_drawable(path: str | os.PathLike[str], *, force: bool) -> None:
    """Raise before any work is done for a picture that could not be drawn, or not be written."""
    target = Path(path)
    check_ending(target)
    if find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plot")
    check_free(target, force=force)


def check_ending(path: Path) -> None:
    """Raise `OptionError` for the name of a file that is no picture of ours."""
    if path.suffix.lower() not in ENDINGS:
        raise OptionError(f"cannot draw {path}: its name must end in {', '.join(ENDINGS)}.")


def write_figure(figure: Figure, path: str | os.PathLike[str], *, force: bool) -> None:
    """Write a picture, whole or not at all; the same figure gives the same bytes."""
    from matplotlib import rc_context

    target = Path(path)
    check_ending(target)
    ending = target.suffix.lower()
    with whole_file(target, force=force) as temporary, rc_context(_REPRODUCIBLE):
        figure.savefig(temporary, format=ending[1:], dpi=DOTS_PER_INCH, metadata=_METADATA[ending])
