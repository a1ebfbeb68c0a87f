"""Draw a scene with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stablebn.plotting.matplotlib_figures import new_figure
from stablebn.plotting.scene import BORDER, CORNER, FILL, INK, LETTERS, PAPER, Scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 72
WIDEST, HIGHEST = 40.0, 30.0
"""The largest figure in inches; a larger scene is scaled down with its letters."""


def paint(scene: Scene) -> Figure:
    """Draw a scene, without the tooltips that an SVG has."""
    scale = min(1.0, WIDEST * POINTS / scene.width, HIGHEST * POINTS / scene.height)
    figure = new_figure(scene.width * scale / POINTS, scene.height * scale / POINTS, layout="none")
    figure.set_facecolor(PAPER)
    from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon
    from matplotlib.path import Path

    panel = figure.add_axes((0, 0, 1, 1))
    panel.set(xlim=(0, scene.width), ylim=(scene.height, 0))
    panel.set_axis_off()
    for curve in scene.curves:
        path = Path([tuple(spot) for spot in curve.path], [Path.MOVETO] + [Path.CURVE4] * (len(curve.path) - 1))
        width = curve.stroke.width * scale
        # The unit of dashes in matplotlib is the width of the line.
        dashes: Any = (0, [dash / curve.stroke.width for dash in curve.stroke.dashes]) if curve.stroke.dashes else "-"
        panel.add_patch(
            PathPatch(
                path, fill=False, edgecolor=curve.stroke.colour, linewidth=width, linestyle=dashes, capstyle="butt"
            )
        )
    for head in scene.heads:
        panel.add_patch(Polygon([tuple(spot) for spot in head.corners], facecolor=head.colour, edgecolor="none"))
    for box in scene.boxes:
        panel.add_patch(
            FancyBboxPatch(
                (box.x - box.width / 2, box.y - box.height / 2),
                box.width,
                box.height,
                boxstyle=f"round,pad=0,rounding_size={CORNER}",
                facecolor=FILL,
                edgecolor=BORDER,
                linewidth=scale,
            )
        )
        look: Any = {"fontsize": LETTERS * scale, "color": INK, "parse_math": False}
        panel.text(box.x, box.y, box.text, ha="center", va="center_baseline", **look)
    for words in scene.words:
        look = {"fontsize": words.size * scale, "color": INK, "parse_math": False}
        weight = "bold" if words.bold else "normal"
        panel.text(words.x, words.y, words.text, ha="left", va="center_baseline", weight=weight, **look)
    return figure
