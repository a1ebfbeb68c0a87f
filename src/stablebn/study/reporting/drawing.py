"""What all figures of a study share: colours, the look of panels, and how they are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stablebn.errors import MissingExtraError
from stablebn.output import whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours of Okabe and Ito, which colour-blind readers can tell apart too.
BLUE, ORANGE, GREEN, VERMILION, SKY, PURPLE = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7"
BLACK, GREY, PALE = "#000000", "#8C8C8C", "#D9D9D9"

ENDINGS = (".png", ".svg")

# The same bytes whenever the same figure is drawn.
_REPRODUCIBLE: Any = {"svg.hashsalt": "stablebn"}
_METADATA: dict[str, dict[str, Any]] = {".png": {"Software": None}, ".svg": {"Date": None, "Creator": None}}


@dataclass(frozen=True)
class Picture:
    """A figure of a study, before it is drawn.

    Attributes
    ----------
    name : str
        Of its files.
    caption : str
    draw : callable
    """

    name: str
    caption: str
    draw: Callable[[], Figure]


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, in inches, that notebooks show; `MissingExtraError` where matplotlib is not installed."""
    try:
        from stablebn.drawing.notebook_figure import NotebookFigure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plot") from error
    return NotebookFigure(figsize=(width, height), layout="constrained")


def write_picture(picture: Picture, folder: Path) -> list[Path]:
    """Draw a figure and write it as PNG and SVG."""
    figure = picture.draw()
    # new_figure has said so if matplotlib is absent.
    from matplotlib import rc_context

    written = []
    for ending in ENDINGS:
        path = folder / f"{picture.name}{ending}"
        with whole_file(path, force=True) as temporary, rc_context(_REPRODUCIBLE):
            figure.savefig(temporary, format=ending[1:], dpi=150, metadata=_METADATA[ending])
        written.append(path)
    return written


def tidy(panel: Axes, title: str) -> None:
    """The look of a panel."""
    panel.set_title(title, fontsize=9, loc="left", parse_math=False)
    panel.tick_params(which="both", labelsize=8)
    panel.spines[["top", "right"]].set_visible(False)
