"""Edges by how often they were found and which way: a bar an edge, in as many columns as it takes."""

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
"""More than these are not drawn."""

# Told apart also in grey and by those who do not see red or green.
AS_WRITTEN, OTHERWISE, UNDIRECTED = "#1f4e79", "#e69f00", "#b8b8b8"

_MOST_ROWS, _FEWEST_ROWS = 45, 8
_MOST_LETTERS = 22
_LABELS, _TITLE = 8, 10
# In inches: a row, a bar, what is above and below the panels, and a panel beside the bars.
_ROW, _BAR, _AROUND, _BESIDE, _BESIDE_HIGH = 0.19, 1.9, 1.15, 2.6, 3.0


class EdgeBar(NamedTuple):
    """How often two variables are joined: a -> b, a <- b, or without a direction; `mark` stands after its label."""

    a: object
    b: object
    forward: int
    backward: int
    undirected: int
    mark: str = ""

    @property
    def label(self) -> str:
        """The edge in its more frequent direction."""
        first, second = (self.a, self.b) if self.forward >= self.backward else (self.b, self.a)
        arrow = "→" if self.forward or self.backward else "–"
        return " ".join([_short(first), arrow, _short(second), *([self.mark] if self.mark else [])])

    @property
    def counts(self) -> tuple[int, int, int]:
        """In the direction of the label, in the other one, and without one."""
        return max(self.forward, self.backward), min(self.forward, self.backward), self.undirected


def draw_edge_bars(
    bars: Sequence[EdgeBar], of: int, *, title: str, subtitle: str, beside: bool = False
) -> tuple[Figure, list[Axes], Axes | None]:
    """Draw bars in columns, from 0 to 1; without a legend, as there may be more to explain.

    Parameters
    ----------
    bars : sequence of EdgeBar
        In the order in which they stand, from above.
    of : int
        How often each could have been found.
    title, subtitle : str
        The answer, and what is drawn.
    beside : bool
        Leave room for another panel on the right.

    Returns
    -------
    Figure, list of Axes, Axes or None
        The panels of the bars, and the other one.
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
    for place in range(columns):
        panel = figure.add_subplot(grid[:, place])
        _draw_column(panel, bars[place * rows : (place + 1) * rows], rows, of)
        panels.append(panel)
    return figure, panels, figure.add_subplot(grid[0, -1]) if beside else None


def add_legend(figure: Figure, panels: Sequence[Axes]) -> None:
    """What all panels show, each thing once, below them."""
    from matplotlib.container import BarContainer

    found: dict[str, Any] = {}
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    # Bars first, in the order in which they stand beside each other.
    found = dict(sorted(found.items(), key=lambda own: not isinstance(own[1], BarContainer)))
    if found:
        columns = min(len(found), 5)
        figure.legend(
            list(found.values()), list(found), loc="outside lower left", ncols=columns, frameon=False, fontsize=_LABELS
        )


def finish(panel: Axes) -> None:
    """The look of a panel."""
    panel.tick_params(labelsize=_LABELS)
    panel.spines[["top", "right"]].set_visible(False)


def _heights(high: float) -> tuple[float, float]:
    """Of a panel beside the bars, and of the room below it: it is not drawn out where there are many bars."""
    return (_BESIDE_HIGH, high - _BESIDE_HIGH) if high > 1.5 * _BESIDE_HIGH else (1.0, 0.001)


def _draw_column(panel: Axes, bars: Sequence[EdgeBar], rows: int, of: int) -> None:
    """One column of bars; a last one with fewer of them has its bars as broad as the others."""
    ends = [0.0] * len(bars)
    looks = (("as written", AS_WRITTEN), ("no direction", UNDIRECTED), ("the other way", OTHERWISE))
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
