"""Drawing methods that all graphs share; the drawing code is imported when it is used."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

from stablebn.lazy import imported

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stablebn.plotting.graph_plot import Drawing, LayoutName


class Drawable:
    """A graph that can be drawn."""

    __slots__ = ()

    def plot(
        self, path: str | os.PathLike[str] | None = None, *, layout: LayoutName = "auto", force: bool = False
    ) -> Figure:
        """Draw the graph, undirected edges dashed; needs matplotlib.

        Parameters
        ----------
        path : path, optional
            A file to write: .png, .svg or .pdf.
        layout : {"auto", "layered", "graphviz"}
            How nodes are placed: "layered" by our own algorithm, which gives the same picture on every machine;
            "graphviz" by Graphviz, which must be installed; "auto" by Graphviz if it is installed.
        force : bool
            Replace an existing file.

        Returns
        -------
        matplotlib.figure.Figure
            Displayed by notebooks.
        """
        return self._drawing().plot(path, layout, force=force)

    def _repr_svg_(self) -> str:
        """Return an SVG for notebooks, without matplotlib."""
        return self._drawing().svg()

    def _drawing(self) -> Drawing:
        plotting = imported("stablebn.plotting.graph_plot")
        return cast("Drawing", plotting.drawing_of(self))
