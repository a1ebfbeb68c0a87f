"""A figure that notebooks display. Importing this module imports matplotlib."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.figure import Figure

# Drawn with twice the resolution of the display, so that it is sharp on any screen.
_SHOWN, _DRAWN = 72, 144


class NotebookFigure(Figure):
    """A figure that is displayed as the last value of a cell, without `%matplotlib inline`.

    IPython displays figures only after that line or an import of pyplot, but it calls `_repr_png_` of any object. It
    never displays a figure twice: after `%matplotlib inline` it does not call `_repr_png_` of figures.
    """

    def _repr_png_(self) -> tuple[bytes, dict[str, Any]]:
        """Return the image and its size on the screen."""
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=_DRAWN)
        width, height = self.get_size_inches()
        return file.getvalue(), {"width": round(width * _SHOWN), "height": round(height * _SHOWN)}
