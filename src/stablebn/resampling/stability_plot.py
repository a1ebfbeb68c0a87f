"""The picture of an audit: edges by how often they were found and which way, and the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stablebn.graph.names import name_key
from stablebn.learners.registry import title_of
from stablebn.plotting.edge_bars import AS_WRITTEN, MOST_EDGES, OTHERWISE, EdgeBar, add_legend, draw_edge_bars, finish
from stablebn.plotting.heat_map import draw_heat_map
from stablebn.resampling.stability_result import Stability

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw(audit: Stability) -> Figure:
    """Draw an audit; of very many edges those on which the layouts agree least."""
    least_agreed = set(sorted(audit.edges, key=lambda edge: edge.agreement)[:MOST_EDGES])
    bars = [EdgeBar(*edge) for edge in audit.edges if edge in least_agreed]
    left_out = len(audit.edges) - len(bars)
    part = f" ({left_out:,} more, on which they agree as much or more, are not shown)" if left_out else ""
    name = title_of(audit.learner)
    figure, panels, beside = draw_edge_bars(
        bars,
        audit.layouts,
        title=audit.verdict,
        subtitle=f"{name}: in how many of {audit.layouts} layouts two variables are joined, and which way{part}.",
        beside=audit.score is not None,
    )
    if beside is not None:
        _draw_scores(beside, audit)
        panels.append(beside)
    add_legend(figure, panels)
    return figure


def draw_map(audit: Stability) -> Figure:
    """Draw how often every arc was found as a map; an edge without a direction counts half each way."""
    shares = {}
    for edge in audit.edges:
        shares[edge.a, edge.b] = (edge.forward + edge.undirected / 2) / audit.layouts
        shares[edge.b, edge.a] = (edge.backward + edge.undirected / 2) / audit.layouts
    return draw_heat_map(
        sorted(audit.learned[0].nodes, key=name_key),
        shares,
        title=f"{title_of(audit.learner)}: {audit.verdict}",
        legend=f"of {audit.layouts} layouts",
    )


def _draw_scores(panel: Axes, audit: Stability) -> None:
    """A dot a layout, by increasing score."""
    scored = [(score, number) for number, score in enumerate(audit.scores) if score is not None]
    ranked = sorted(scored)
    panel.plot([score for score, _ in ranked], "o", color=AS_WRITTEN, markersize=4.5, label="score of a layout")
    as_given = [(place, score) for place, (score, number) in enumerate(ranked) if number == 0]
    for place, score in as_given:
        panel.plot(place, score, "o", color=OTHERWISE, markersize=8, zorder=3, label="of the table as given")
    panel.set_title(f"{str(audit.score_name).upper()}, sorted", fontsize=9, loc="left", parse_math=False)
    panel.ticklabel_format(axis="y", useOffset=False, style="plain")
    panel.set_xticks([])
    finish(panel)
