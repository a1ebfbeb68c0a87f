"""The picture of a bootstrap: edges by how often they were found and which way, and the threshold."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from stablebn.audit.picture import AS_WRITTEN, MOST_EDGES, OTHERWISE, UNDIRECTED
from stablebn.confidence.averaging import EdgeConfidence
from stablebn.confidence.outcome import Bootstrap
from stablebn.errors import MissingExtraError, spelled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw(found: Bootstrap) -> Figure:
    """Draw a bootstrap; of many edges those that were found most often."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plot") from error

    edges = list(found.edges[:MOST_EDGES])
    figure = Figure(figsize=(9, 1.6 + 0.24 * max(len(edges), 8)), layout="constrained")
    figure.suptitle(fill(f"{found.learner}. {found.noise}", 100), fontsize=11, x=0.01, ha="left")
    _draw_edges(figure.subplots(), found, edges)
    return figure


def _draw_edges(panel: Axes, found: Bootstrap, edges: list[EdgeConfidence]) -> None:
    """A bar an edge, first the direction in its label, which is the more frequent one."""
    done = found.replicates - found.failed
    ends = [0.0] * len(edges)
    for label, colour, counts in (
        ("as written", AS_WRITTEN, [max(edge.forward, edge.backward) for edge in edges]),
        ("no direction", UNDIRECTED, [edge.undirected for edge in edges]),
        ("the other way", OTHERWISE, [min(edge.forward, edge.backward) for edge in edges]),
    ):
        shares = [count / done for count in counts]
        if any(shares):
            panel.barh(range(len(edges)), shares, left=ends, color=colour, label=label, height=0.72)
        ends = [end + share for end, share in zip(ends, shares, strict=True)]
    panel.axvline(found.threshold, color="black", linewidth=0.8, linestyle="--", label="threshold")
    learned = {frozenset(pair) for pair in found.learned.skeleton()}
    labels = [_written(edge, learned=frozenset((edge.a, edge.b)) in learned) for edge in edges]
    panel.set_yticks(range(len(edges)), labels, parse_math=False)
    panel.invert_yaxis()
    panel.set_xlim(0, 1)
    part = "" if len(edges) == len(found.edges) else f": the first {len(edges)} of {len(found.edges)}"
    title = f"Edges, by the share of {done} replicates that have them{part}; * not learned from the whole table"
    panel.set_title(title, fontsize=9, loc="left")
    panel.tick_params(labelsize=8)
    panel.spines[["top", "right"]].set_visible(False)
    panel.legend(loc="upper center", bbox_to_anchor=(0.5, 0), borderaxespad=2.2, ncols=4, frameon=False, fontsize=8)


def _written(edge: EdgeConfidence, *, learned: bool) -> str:
    star = "" if learned else " *"
    if not edge.forward and not edge.backward:
        return f"{spelled(edge.a)} – {spelled(edge.b)}{star}"
    first, second = (edge.a, edge.b) if edge.forward >= edge.backward else (edge.b, edge.a)
    return f"{spelled(first)} → {spelled(second)}{star}"
