"""What all graphs have in common that can be drawn. What draws them is imported only then."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

from stablebn.lazy import imported

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stablebn.plotting.graph_plot import Drawing, LayoutName


class Pictured:
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
            Where the nodes stand: in layers, by our own algorithm, which gives the same picture on every machine; by
            Graphviz, which must be installed; or by Graphviz where it is installed.
        force : bool
            Replace a file that exists.

        Returns
        -------
        matplotlib.figure.Figure
            Notebooks show it.
        """
        return self._drawing().plot(path, layout, force=force)

    def _repr_svg_(self) -> str:
        """What notebooks show; it needs no matplotlib."""
        return self._drawing().svg()

    def _drawing(self) -> Drawing:
        plotting = imported("stablebn.plotting.graph_plot")
        return cast("Drawing", plotting.drawing_of(self))
