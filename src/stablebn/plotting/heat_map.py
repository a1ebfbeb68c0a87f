"""Draw the frequency of each arc as a heat map: rows are parents, columns are children."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from stablebn.errors import spelled
from stablebn.plotting.matplotlib_figures import new_figure
from stablebn.plotting.scene import breadth, shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_LETTERS = 22
_LARGEST, _SMALLEST = 9.0, 5.0
# In inches: the largest sides of a cell and of the map, and the margin around it.
_CELL, _WIDEST, _AROUND = 0.32, 16.0, 1.4


def draw_heat_map(
    names: Sequence[object], shares: Mapping[tuple[object, object], float], *, title: str, legend: str
) -> Figure:
    """Draw a heat map.

    Parameters
    ----------
    names : sequence
        The variables in the order of rows and columns.
    shares : mapping of (from, to) to float
        From 0 to 1; other pairs are 0.
    title, legend : str
    """
    index = {name: number for number, name in enumerate(names)}
    cells = np.zeros((len(names), len(names)))
    for (a, b), share in shares.items():
        cells[index[a], index[b]] = share
    labels = [shortened(spelled(name), _MOST_LETTERS) for name in names]
    side = min(_WIDEST, _CELL * max(len(names), 8))
    letters = max(_SMALLEST, min(_LARGEST, 0.62 * 72 * side / max(len(names), 1)))
    margin = max((breadth(label, letters) for label in labels), default=0.0) / 72
    width = side + margin + _AROUND
    figure = new_figure(width, side + margin + 0.9)
    figure.suptitle(fill(title, int(width * 72 / (0.56 * 10))), fontsize=10, x=0.01, ha="left", parse_math=False)
    panel = figure.subplots()
    # Cells with frequency 0 stay white, so that rare arcs can be seen.
    image = panel.imshow(np.ma.masked_equal(cells, 0.0), cmap="viridis_r", vmin=0, vmax=1, interpolation="nearest")
    panel.set_xticks(range(len(names)), labels, rotation=90, parse_math=False)
    panel.set_yticks(range(len(names)), labels, parse_math=False)
    panel.tick_params(labelsize=letters, length=0)
    panel.set_xticks(np.arange(1, len(names)) - 0.5, minor=True)
    panel.set_yticks(np.arange(1, len(names)) - 0.5, minor=True)
    panel.grid(which="minor", color="0.9", linewidth=0.5)
    panel.tick_params(which="minor", length=0)
    panel.set_xlabel("to", fontsize=9)
    panel.set_ylabel("from", fontsize=9)
    bar = figure.colorbar(image, ax=panel, shrink=min(1.0, 3.0 / side), ticks=[0, 0.25, 0.5, 0.75, 1])
    bar.ax.set_yticklabels(["0", "25 %", "50 %", "75 %", "100 %"], fontsize=8)
    bar.set_label(legend, fontsize=8)
    return figure
