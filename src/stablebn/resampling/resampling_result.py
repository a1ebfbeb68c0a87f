"""Represent what the results of stability, bootstrap and cross-validation share: summaries, JSON, CSV and plots."""

from __future__ import annotations

import csv
import io
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from stablebn.errors import one_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class ResamplingResult(ABC):
    """A result that shows itself as a summary, and as JSON."""

    @abstractmethod
    def summary(self) -> str:
        """Return a few readable lines: the answer, the figures behind it, and the warnings."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the result in types that JSON has."""

    def __repr__(self) -> str:
        return self.summary()

    def to_json(self) -> str:
        """Return `to_dict` as JSON text; names that are no JSON values are written as text."""
        return json.dumps(self.to_dict(), indent=1, default=str, ensure_ascii=False) + "\n"


class EdgeFrequencyResult(ResamplingResult):
    """A result that also has edge frequencies, which it can draw."""

    @abstractmethod
    def _draw(self, kind: str) -> Figure:
        """Draw the figure of this kind."""

    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        kind: Literal["bars", "map"] = "bars",
        force: bool = False,
    ) -> Figure:
        """Draw how often each edge occurs, and with which direction; needs matplotlib.

        Parameters
        ----------
        path : path, optional
            A file to write: .png, .svg or .pdf.
        kind : {"bars", "map"}
            One bar per edge (for a stability analysis with the scores of the layouts beside them), or a map with the
            tails of arcs as rows and their heads as columns.
        force : bool
            Replace a file that exists.

        Returns
        -------
        matplotlib.figure.Figure
            Notebooks show it.
        """
        from stablebn.plotting.matplotlib_figures import drawn

        one_of("kind", kind, ("bars", "map"))
        return drawn(lambda: self._draw(kind), path, force=force)


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """Write rows as CSV with these columns."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
