"""A figure that a notebook shows by itself. Importing this imports matplotlib."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.figure import Figure

# Twice as fine as it is shown: sharp on any screen.
_SHOWN, _DRAWN = 72, 144


class NotebookFigure(Figure):
    """A figure that is shown where it is the last value of a cell, without `%matplotlib inline`.

    IPython knows figures only after that line, or after an import of pyplot; anything it asks for `_repr_png_`. Where
    it knows them it draws them itself, so that none is shown twice.
    """

    def _repr_png_(self) -> tuple[bytes, dict[str, Any]]:
        """The picture, and how large it is shown."""
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=_DRAWN)
        width, height = self.get_size_inches()
        return file.getvalue(), {"width": round(width * _SHOWN), "height": round(height * _SHOWN)}
