"""Compute the positions of nodes and arcs in a plot: a layered layout, without Graphviz."""

from stablebn.plotting.layout.layered import Box, Layout, Point, layered_layout

__all__ = ["Box", "Layout", "Point", "layered_layout"]
