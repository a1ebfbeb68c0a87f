"""Pictures of graphs and of edges: as SVG text of our own, and with matplotlib where it is installed."""
