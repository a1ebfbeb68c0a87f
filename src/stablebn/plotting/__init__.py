"""Draw graphs and figures: layout, SVG, and matplotlib if it is installed."""
