"""The colours of what is around the arcs: letters, paper, boxes."""

from __future__ import annotations

INK, PAPER, BORDER, FILL = "#1d2127", "#ffffff", "#aeb7c2", "#fbfcfd"
