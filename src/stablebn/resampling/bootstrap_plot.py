"""The picture of a bootstrap: edges by how often they were found and which way, and the threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stablebn.graph.names import name_key
from stablebn.learners.registry import title_of
from stablebn.plotting.edge_bars import MOST_EDGES, EdgeBar, add_legend, draw_edge_bars
from stablebn.plotting.heat_map import draw_heat_map
from stablebn.resampling.bootstrap_result import Bootstrap

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(found: Bootstrap) -> Figure:
    """Draw a bootstrap; of very many edges those that were found most often."""
    edges = found.edges[:MOST_EDGES]
    learned = {frozenset(pair) for pair in found.learned.skeleton()}
    bars = [
        EdgeBar(
            *(edge.a, edge.b, edge.forward, edge.backward, edge.undirected),
            mark="" if frozenset((edge.a, edge.b)) in learned else "*",
        )
        for edge in edges
    ]
    done = found.replicates - found.failed
    left_out = len(found.edges) - len(bars)
    part = f" ({left_out:,} less frequent ones are not shown)" if left_out else ""
    stars = " * not learned from the whole table." if any(bar.mark for bar in bars) else ""
    figure, panels, _ = draw_edge_bars(
        bars,
        done,
        title=f"{title_of(found.learner)}. {found.noise}",
        subtitle=f"In how many of {done} replicates two variables are joined, and which way{part}.{stars}",
    )
    for panel in panels:
        panel.axvline(found.threshold, color="black", linewidth=0.8, linestyle="--", label="threshold")
    add_legend(figure, panels)
    return figure


def draw_map(found: Bootstrap) -> Figure:
    """Draw how often every arc was found as a map; an edge without a direction counts half each way."""
    shares = {}
    for edge in found.edges:
        shares[edge.a, edge.b] = edge.frequency * edge.direction
        shares[edge.b, edge.a] = edge.frequency * (1 - edge.direction)
    return draw_heat_map(
        sorted(found.nodes, key=name_key),
        shares,
        title=f"{title_of(found.learner)}. {found.noise}",
        legend=f"of {found.replicates - found.failed} replicates",
    )
