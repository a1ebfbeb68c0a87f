"""Where the nodes and arcs of a graph go in a picture: a layered layout, without Graphviz."""

from stablebn.plotting.layout.layered import Box, Layout, Point, layered_layout

__all__ = ["Box", "Layout", "Point", "layered_layout"]
