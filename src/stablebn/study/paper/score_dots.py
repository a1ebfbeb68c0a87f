"""Draw scores by network: the difference of each learner from Tabu-Stable, ours and the published one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from stablebn.learners.registry import title_of
from stablebn.plotting.colours import Look, looks_of
from stablebn.plotting.matplotlib_figures import new_figure
from stablebn.study.paper.published import CATEGORICAL, CONTINUOUS
from stablebn.study.tables.panels import tidy
from stablebn.study.tables.study_table import Grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEARNERS = ("best", "tabu-inc", "tabu", "tabu-dec", "hc-stable", "hc")
"""The learners from top to bottom in the row of a network."""
NAMES = {"categorical": CATEGORICAL, "continuous": CONTINUOUS}


def score_dots(scores: Mapping[str, Grid], published: Mapping[str, Grid]) -> Figure:
    """Draw one panel per kind of data.

    Parameters
    ----------
    scores, published : mapping of kind to Grid
        Normalised BIC by network and learner: ours, and the published numbers.
    """
    # The legend and the axis label need some width, also with one panel.
    figure = new_figure(max(6.6, 4.8 * len(scores)), 1.3 + 0.48 * max(map(len, scores.values())))
    panels = figure.subplots(1, len(scores), squeeze=False)[0]
    present = [name for name in LEARNERS if any(name in row for grid in scores.values() for row in grid.values())]
    looks = looks_of(present)
    for index, (panel, (kind, grid)) in enumerate(zip(panels, scores.items(), strict=True)):
        networks = [network for network in NAMES[kind] if network in grid]
        _draw_dots(panel, networks, published.get(kind, {}), looks, filled=False)
        _draw_dots(panel, networks, grid, looks, filled=True)
        panel.axvline(0, color="0.4", linewidth=0.9, zorder=1)
        panel.set_yticks(range(len(networks)), [NAMES[kind][network] for network in networks], parse_math=False)
        panel.set_ylim(len(networks) - 0.5, -0.5)
        for between in range(len(networks) - 1):
            panel.axhline(between + 0.5, color="0.9", linewidth=0.6, zorder=0)
        tidy(panel, f"{kind.capitalize()} networks", index if len(scores) > 1 else None)
    figure.supxlabel("normalised BIC less that of Tabu-Stable (left of 0: Tabu-Stable is better)", fontsize=9)
    _draw_legend(figure, looks, any(published.values()))
    return figure


def _draw_dots(panel: Axes, networks: list[str], scores: Grid, looks: Mapping[str, Look], *, filled: bool) -> None:
    for number, (learner, look) in enumerate(looks.items()):
        # The row of a network has a margin above and below.
        offset = 0.8 * ((number + 0.5) / len(looks) - 0.5)
        dots = []
        for index, network in enumerate(networks):
            row = scores.get(network, {})
            value, stable = row.get(learner), row.get("tabu-stable")
            if isinstance(value, float) and isinstance(stable, float):
                dots.append((value - stable, index + offset))
        panel.plot(
            [difference for difference, _ in dots],
            [height for _, height in dots],
            look.marker,
            color=look.colour,
            markersize=4.5,
            markerfacecolor=look.colour if filled else "none",
            markeredgewidth=1,
            zorder=3 if filled else 2,
        )


def _draw_legend(figure: Figure, looks: Mapping[str, Look], has_published: bool) -> None:
    from matplotlib.lines import Line2D

    keys = {
        title_of(learner): Line2D([], [], color=look.colour, marker=look.marker, linestyle="", markersize=5)
        for learner, look in looks.items()
    }
    if has_published:
        keys["hollow: the paper's"] = Line2D([], [], color="0.3", marker="o", linestyle="", markerfacecolor="none")
    figure.legend(
        list(keys.values()), list(keys), loc="outside upper center", ncols=len(keys), frameon=False, fontsize=9
    )
