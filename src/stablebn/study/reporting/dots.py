"""Scores by network: how far the other climbers are from Tabu-Stable, and were in the paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from stablebn.study.reporting.drawing import GREEN, ORANGE, PURPLE, new_figure, tidy
from stablebn.study.reporting.published import CATEGORICAL, CONTINUOUS, Grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLES = {"tabu": (GREEN, "o"), "hc": (ORANGE, "s"), "hc-stable": (PURPLE, "D")}
NAMES = {"categorical": CATEGORICAL, "continuous": CONTINUOUS}


def score_dots(scores: Mapping[str, Grid], published: Mapping[str, Grid]) -> Figure:
    """Draw a panel a kind of data.

    Parameters
    ----------
    scores, published : mapping of kind to Grid
        Normalised BIC by network and learner: ours, and the paper's.
    """
    # The legend and the words below need some width, even of one panel.
    figure = new_figure(max(6.6, 4.2 * len(scores)), 1.3 + 0.24 * max(map(len, scores.values())))
    panels = figure.subplots(1, len(scores), squeeze=False)[0]
    for panel, (kind, own) in zip(panels, scores.items(), strict=True):
        networks = [network for network in NAMES[kind] if network in own]
        _draw_dots(panel, networks, published.get(kind, {}), filled=False)
        _draw_dots(panel, networks, own, filled=True)
        panel.axvline(0, color="0.4", linewidth=0.9, zorder=1)
        panel.set_yticks(range(len(networks)), [NAMES[kind][network] for network in networks], parse_math=False)
        panel.set_ylim(len(networks) - 0.5, -0.5)
        panel.grid(axis="y", color="0.92", linewidth=0.6)
        tidy(panel, f"{kind.capitalize()} networks")
    figure.supxlabel("normalised BIC less that of Tabu-Stable (left of 0: Tabu-Stable is better)", fontsize=9)
    _draw_legend(figure, any(published.values()))
    return figure


def _draw_dots(panel: Axes, networks: list[str], scores: Grid, *, filled: bool) -> None:
    for learner, (colour, marker) in STYLES.items():
        dots = []
        for place, network in enumerate(networks):
            row = scores.get(network, {})
            value, stable = row.get(learner), row.get("tabu-stable")
            if isinstance(value, float) and isinstance(stable, float):
                dots.append((value - stable, place))
        panel.plot(
            [difference for difference, _ in dots],
            [place for _, place in dots],
            marker,
            color=colour,
            markersize=5,
            markerfacecolor=colour if filled else "none",
            markeredgewidth=1,
            zorder=3 if filled else 2,
        )


def _draw_legend(figure: Figure, has_published: bool) -> None:
    from matplotlib.lines import Line2D

    keys = {
        learner: Line2D([], [], color=colour, marker=marker, linestyle="", markersize=5)
        for learner, (colour, marker) in STYLES.items()
    }
    if has_published:
        keys["hollow: the paper's"] = Line2D([], [], color="0.3", marker="o", linestyle="", markerfacecolor="none")
    figure.legend(
        list(keys.values()), list(keys), loc="outside upper center", ncols=len(keys), frameon=False, fontsize=9
    )
