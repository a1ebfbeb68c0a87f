"""The picture of an audit: edges by how often they were found and which way, and the scores."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from stablebn.audit.outcome import EdgeFrequency, Stability
from stablebn.errors import MissingExtraError, OptionError, spelled
from stablebn.output import whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_EDGES = 40
ENDINGS = (".png", ".svg", ".pdf")

# Told apart also in grey and by those who do not see red or green.
AS_WRITTEN, OTHERWISE, UNDIRECTED = "#1f4e79", "#e69f00", "#b8b8b8"


def draw(audit: Stability) -> Figure:
    """Draw an audit; of many edges those on which the layouts agree least."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plot") from error

    least_agreed = set(sorted(audit.edges, key=lambda edge: edge.agreement)[:MOST_EDGES])
    edges = [edge for edge in audit.edges if edge in least_agreed]
    figure = Figure(figsize=(9, 1.6 + 0.24 * max(len(edges), 8)), layout="constrained")
    figure.suptitle(fill(audit.verdict, 100), fontsize=11, x=0.01, ha="left")
    ratios = (2.4,) if audit.score is None else (2.4, 1)
    panels = figure.subplots(1, len(ratios), squeeze=False, width_ratios=ratios)[0]
    _draw_edges(panels[0], audit, edges)
    if audit.score is not None:
        _draw_scores(panels[1], audit)
    return figure


def check_drawable(path: Path) -> None:
    """Raise before any work is done for a picture that could not be drawn."""
    if path.suffix.lower() not in ENDINGS:
        raise OptionError(f"cannot draw {path}: its name must end in {', '.join(ENDINGS)}.")
    if find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plot")


def write(figure: Figure, path: str | os.PathLike[str], *, force: bool) -> None:
    """Write a picture, whole or not at all."""
    target = Path(path)
    check_drawable(target)
    with whole_file(target, force=force) as temporary:
        figure.savefig(temporary, format=target.suffix[1:].lower(), dpi=200)


def _draw_edges(panel: Axes, audit: Stability, edges: list[EdgeFrequency]) -> None:
    """A bar an edge, first the direction in its label, which is the more frequent one."""
    ends = [0] * len(edges)
    for label, colour, counts in (
        ("as written", AS_WRITTEN, [max(edge.forward, edge.backward) for edge in edges]),
        ("the other way", OTHERWISE, [min(edge.forward, edge.backward) for edge in edges]),
        ("no direction", UNDIRECTED, [edge.undirected for edge in edges]),
    ):
        if any(counts):
            panel.barh(range(len(edges)), counts, left=ends, color=colour, label=label, height=0.72)
        ends = [end + count for end, count in zip(ends, counts, strict=True)]
    panel.set_yticks(range(len(edges)), list(map(_written, edges)), parse_math=False)
    panel.invert_yaxis()
    panel.set_xlim(0, audit.layouts)
    panel.locator_params(axis="x", integer=True)
    part = "" if len(edges) == len(audit.edges) else f": the {len(edges)} of {len(audit.edges)} that agree least"
    panel.set_title(f"Edges, by how many of {audit.layouts} layouts have them{part}", fontsize=9, loc="left")
    _finish(panel)


def _written(edge: EdgeFrequency) -> str:
    if not edge.forward and not edge.backward:
        return f"{spelled(edge.a)} – {spelled(edge.b)}"
    first, second = (edge.a, edge.b) if edge.forward >= edge.backward else (edge.b, edge.a)
    return f"{spelled(first)} → {spelled(second)}"


def _draw_scores(panel: Axes, audit: Stability) -> None:
    """A dot a layout, by increasing score."""
    scored = [(score, number) for number, score in enumerate(audit.scores) if score is not None]
    ranked = sorted(scored)
    panel.plot([score for score, _ in ranked], "o", color=AS_WRITTEN, markersize=4.5, label="a layout")
    as_given = [(place, score) for place, (score, number) in enumerate(ranked) if number == 0]
    for place, score in as_given:
        panel.plot(place, score, "o", color=OTHERWISE, markersize=8, zorder=3, label="the table as given")
    panel.set_title(f"{str(audit.score_name).upper()} of the layouts, sorted", fontsize=9, loc="left")
    panel.ticklabel_format(axis="y", useOffset=False, style="plain")
    panel.set_xticks([])
    _finish(panel)


def _finish(panel: Axes) -> None:
    panel.tick_params(labelsize=8)
    panel.spines[["top", "right"]].set_visible(False)
    if panel.get_legend_handles_labels()[0]:
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, 0), borderaxespad=2.2, ncols=3, frameon=False, fontsize=8)
