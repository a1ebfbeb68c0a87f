"""Draw the edge frequencies of a bootstrap or a stability analysis, as bars or as a map."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING

from stablebn.graph.names import name_key
from stablebn.learners.registry import title_of
from stablebn.plotting.edge_bars import AS_WRITTEN, MOST_EDGES, OTHERWISE, EdgeBar, add_legend, draw_edge_bars, finish
from stablebn.plotting.heat_map import draw_heat_map
from stablebn.resampling.bootstrap_result import Bootstrap
from stablebn.resampling.stability_result import Stability

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_bootstrap(result: Bootstrap, kind: str) -> Figure:
    """Draw the bars or the map of a bootstrap."""
    if kind == "bars":
        return _bootstrap_bars(result)
    shares = {(edge.a, edge.b): edge.frequency * edge.direction for edge in result.edges}
    shares |= {(edge.b, edge.a): edge.frequency * (1 - edge.direction) for edge in result.edges}
    title = f"{title_of(result.learner)}. {result.noise}"
    return _map(result.nodes, shares, title, f"of {result.replicates - result.failed} replicates")


def draw_stability(result: Stability, kind: str) -> Figure:
    """Draw the bars or the map of a stability analysis."""
    if kind == "bars":
        return _stability_bars(result)
    shares = {(edge.a, edge.b): (edge.forward + edge.undirected / 2) / result.layouts for edge in result.edges}
    shares |= {(edge.b, edge.a): (edge.backward + edge.undirected / 2) / result.layouts for edge in result.edges}
    title = f"{title_of(result.learner)}: {result.verdict}"
    return _map(result.learned[0].nodes, shares, title, f"of {result.layouts} layouts")


def _map(nodes: Iterable[Hashable], shares: Mapping[tuple[Hashable, Hashable], float], title: str, what: str) -> Figure:
    """Draw the share of the graphs that have each arc; an undirected edge counts half for each direction."""
    return draw_heat_map(sorted(nodes, key=name_key), dict(shares), title=title, legend=what)


def _bootstrap_bars(result: Bootstrap) -> Figure:
    """Draw one bar per edge, for the most frequent edges, and the threshold."""
    learned = {frozenset(pair) for pair in result.learned.skeleton()}
    bars = [
        EdgeBar(
            *(edge.a, edge.b, edge.forward, edge.backward, edge.undirected),
            mark="" if frozenset((edge.a, edge.b)) in learned else "*",
        )
        for edge in result.edges[:MOST_EDGES]
    ]
    done = result.replicates - result.failed
    left_out = len(result.edges) - len(bars)
    part = f" ({left_out:,} less frequent ones are not shown)" if left_out else ""
    stars = " * not learned from the whole table." if any(bar.mark for bar in bars) else ""
    figure, panels, _ = draw_edge_bars(
        bars,
        done,
        title=f"{title_of(result.learner)}. {result.noise}",
        subtitle=f"In how many of {done} replicates two variables are adjacent, and in which direction{part}.{stars}",
    )
    for panel in panels:
        panel.axvline(result.threshold, color="black", linewidth=0.8, linestyle="--", label="threshold")
    add_legend(figure, panels)
    return figure


def _stability_bars(result: Stability) -> Figure:
    """Draw one bar per edge, for the edges on which the layouts agree least, and the scores."""
    least_agreed = set(sorted(result.edges, key=lambda edge: edge.agreement)[:MOST_EDGES])
    bars = [EdgeBar(*edge) for edge in result.edges if edge in least_agreed]
    left_out = len(result.edges) - len(bars)
    part = f" ({left_out:,} more, on which they agree as much or more, are not shown)" if left_out else ""
    name = title_of(result.learner)
    figure, panels, beside = draw_edge_bars(
        bars,
        result.layouts,
        title=result.verdict,
        subtitle=f"{name}: in how many of {result.layouts} layouts two variables are adjacent, "
        f"and in which direction{part}.",
        beside=result.score is not None,
    )
    if beside is not None:
        _draw_scores(beside, result)
        panels.append(beside)
    add_legend(figure, panels)
    return figure


def _draw_scores(panel: Axes, result: Stability) -> None:
    """Draw one dot per layout, by increasing score."""
    ranked = sorted((score, layout) for layout, score in enumerate(result.scores) if score is not None)
    panel.plot([score for score, _ in ranked], "o", color=AS_WRITTEN, markersize=4.5, label="score of a layout")
    for rank, (score, layout) in enumerate(ranked):
        if layout == 0:
            panel.plot(rank, score, "o", color=OTHERWISE, markersize=8, zorder=3, label="of the table as given")
    panel.set_title(f"{str(result.score_name).upper()}, sorted", fontsize=9, loc="left", parse_math=False)
    panel.ticklabel_format(axis="y", useOffset=False, style="plain")
    panel.set_xticks([])
    finish(panel)
