"""What all figures of a study share: the look of panels, and how they are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stablebn.files import whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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


def tidy(panel: Axes, title: str, place: int | None = None) -> None:
    """The look of a panel; by its place among several it has a letter, by which a text can name it."""
    letter = "" if place is None else f"{_letter(place)}  "
    panel.set_title(f"{letter}{title}", fontsize=9, loc="left", parse_math=False)
    panel.tick_params(which="both", labelsize=8)
    panel.spines[["top", "right"]].set_visible(False)


def _letter(place: int) -> str:
    """A to z, then aa, ab, ..."""
    return "" if place < 0 else _letter(place // 26 - 1) + "abcdefghijklmnopqrstuvwxyz"[place % 26]
