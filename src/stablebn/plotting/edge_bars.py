"""Draw the frequencies of edges as bars, one bar per edge, in one or more columns."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

from stablebn.errors import spelled
from stablebn.plotting.matplotlib_figures import new_figure
from stablebn.plotting.scene import breadth, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_EDGES = 360
"""The largest number of edges that are drawn."""

# Colours that differ in grey and for colour-blind readers.
AS_WRITTEN, OTHERWISE, UNDIRECTED = "#1f4e79", "#e69f00", "#b8b8b8"

_MOST_ROWS, _FEWEST_ROWS = 45, 8
_MOST_LETTERS = 22
_LABELS, _TITLE = 8, 10
# In inches: heights of a row, width of the bars, margins above and below the panels, and the panel beside the bars.
_ROW, _BAR, _AROUND, _BESIDE, _BESIDE_HIGH = 0.19, 1.9, 1.15, 2.6, 3.0


class EdgeBar(NamedTuple):
    """Counts of an edge in three forms: a -> b, a <- b, undirected; `mark` is appended to the label."""

    a: object
    b: object
    forward: int
    backward: int
    undirected: int
    mark: str = ""

    @property
    def label(self) -> str:
        """Return the edge in its more frequent direction."""
        first, second = (self.a, self.b) if self.forward >= self.backward else (self.b, self.a)
        arrow = "→" if self.forward or self.backward else "–"
        return " ".join([_short(first), arrow, _short(second), *([self.mark] if self.mark else [])])

    @property
    def counts(self) -> tuple[int, int, int]:
        """Return the counts in the direction of the label, in the other direction, and without a direction."""
        return max(self.forward, self.backward), min(self.forward, self.backward), self.undirected


def draw_edge_bars(
    bars: Sequence[EdgeBar], of: int, *, title: str, subtitle: str, beside: bool = False
) -> tuple[Figure, list[Axes], Axes | None]:
    """Draw bars from 0 to 1 in columns; `add_legend` adds the legend when all panels are drawn.

    Parameters
    ----------
    bars : sequence of EdgeBar
        From top to bottom.
    of : int
        The number of graphs.
    title, subtitle : str
    beside : bool
        Whether to add an empty panel on the right.

    Returns
    -------
    Figure, list of Axes, Axes or None
        The figure, the panels of the bars, and the panel on the right.
    """
    columns = max(1, -(-len(bars) // _MOST_ROWS))
    rows = -(-len(bars) // columns)
    wide = max((breadth(bar.label, _LABELS) for bar in bars), default=0) / 72 + _BAR
    high = _ROW * max(rows, _FEWEST_ROWS)
    width = max(columns * wide + (_BESIDE if beside else 0.0), 7.6)
    letters = int(width * 72 / (0.56 * _TITLE))
    heading = f"{fill(title, letters)}\n{fill(subtitle, letters)}"
    figure = new_figure(width, high + _AROUND + 0.18 * heading.count("\n"))
    figure.suptitle(heading, fontsize=_TITLE, x=0.01, ha="left", parse_math=False)
    widths = [1.0] * columns + ([1.2] if beside else [])
    grid = figure.add_gridspec(2, len(widths), width_ratios=widths, height_ratios=_heights(high))
    panels: list[Axes] = []
    for column in range(columns):
        panel = figure.add_subplot(grid[:, column])
        _draw_column(panel, bars[column * rows : (column + 1) * rows], rows, of)
        panels.append(panel)
    return figure, panels, figure.add_subplot(grid[0, -1]) if beside else None


def add_legend(figure: Figure, panels: Sequence[Axes]) -> None:
    """Add one legend for all panels below them."""
    from matplotlib.container import BarContainer

    handles: dict[str, Any] = {}
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    # Bars first, in the order of their segments.
    handles = dict(sorted(handles.items(), key=lambda item: not isinstance(item[1], BarContainer)))
    if handles:
        columns = min(len(handles), 5)
        figure.legend(
            list(handles.values()),
            list(handles),
            loc="outside lower left",
            ncols=columns,
            frameon=False,
            fontsize=_LABELS,
        )


def finish(panel: Axes) -> None:
    """Set the letters and borders of a panel."""
    panel.tick_params(labelsize=_LABELS)
    panel.spines[["top", "right"]].set_visible(False)


def _heights(high: float) -> tuple[float, float]:
    """Return the heights of the panel beside the bars and of the space below it if there are many bars."""
    return (_BESIDE_HIGH, high - _BESIDE_HIGH) if high > 1.5 * _BESIDE_HIGH else (1.0, 0.001)


def _draw_column(panel: Axes, bars: Sequence[EdgeBar], rows: int, of: int) -> None:
    """Draw one column of bars; a last column with fewer bars has bars of the same height as the others."""
    ends = [0.0] * len(bars)
    looks = (("as written", AS_WRITTEN), ("no direction", UNDIRECTED), ("opposite direction", OTHERWISE))
    for (label, colour), at in zip(looks, (0, 2, 1), strict=True):
        shares = [bar.counts[at] / of for bar in bars]
        if any(shares):
            panel.barh(range(len(bars)), shares, left=ends, color=colour, label=label, height=0.72)
        ends = [end + share for end, share in zip(ends, shares, strict=True)]
    panel.set_yticks(range(len(bars)), [bar.label for bar in bars], parse_math=False)
    panel.set_ylim(max(rows, _FEWEST_ROWS) - 0.4, -0.6)
    panel.set_xlim(0, 1)
    panel.set_xticks([0, 0.5, 1], ["0", "50 %", "100 %"])
    panel.tick_params(axis="y", length=0)
    finish(panel)


def _short(name: object) -> str:
    return shortened(spelled(name), _MOST_LETTERS)
