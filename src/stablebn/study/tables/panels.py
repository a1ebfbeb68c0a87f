"""Style the panels of figures, and write figures to files."""

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

# With these settings the same figure gives the same bytes.
_REPRODUCIBLE: Any = {"svg.hashsalt": "stablebn"}
_METADATA: dict[str, dict[str, Any]] = {".png": {"Software": None}, ".svg": {"Date": None, "Creator": None}}


@dataclass(frozen=True)
class Picture:
    """A figure of a study, before it is drawn.

    Attributes
    ----------
    name : str
        The name of its files.
    caption : str
    draw : callable
    """

    name: str
    caption: str
    draw: Callable[[], Figure]


def write_picture(picture: Picture, folder: Path) -> list[Path]:
    """Draw a figure and write it as PNG and SVG."""
    figure = picture.draw()
    # If matplotlib is missing, `new_figure` has raised MissingExtraError before.
    from matplotlib import rc_context

    written = []
    for ending in ENDINGS:
        path = folder / f"{picture.name}{ending}"
        with whole_file(path, force=True) as temporary, rc_context(_REPRODUCIBLE):
            figure.savefig(temporary, format=ending[1:], dpi=150, metadata=_METADATA[ending])
        written.append(path)
    return written


def tidy(panel: Axes, title: str, index: int | None = None) -> None:
    """Style a panel; with its index among several panels its title starts with a letter that texts can refer to."""
    letter = "" if index is None else f"{_letter(index)}  "
    panel.set_title(f"{letter}{title}", fontsize=9, loc="left", parse_math=False)
    panel.tick_params(which="both", labelsize=8)
    panel.spines[["top", "right"]].set_visible(False)


def _letter(index: int) -> str:
    """Return a to z, then aa, ab, ..."""
    return "" if index < 0 else _letter(index // 26 - 1) + "abcdefghijklmnopqrstuvwxyz"[index % 26]
