"""Write the results of resampling commands: JSON, CSV of the edges, plots."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Protocol

from stablebn.cli.command_options import FILE, option, out_option
from stablebn.errors import OptionError, spelled
from stablebn.files import check_free, write_atomically
from stablebn.plotting.matplotlib_figures import check_drawable

figures_option = out_option(help="Write all results (.json), or the edges (.csv).")
heat_map_option = option(
    "--heat-map",
    type=FILE,
    help="Draw the frequency of each arc as a heat map: a .png, .svg or .pdf file.",
    heading="Output",
)


class WritableResult(Protocol):
    """The result of a stability analysis or a bootstrap."""

    def to_json(self) -> str:
        """Return all results as JSON."""

    def to_csv(self) -> str:
        """Return the edges as CSV."""

    def plot(self, path: Path, *, kind: Literal["bars", "map"], force: bool) -> object:
        """Draw bars or a heat map of the edges."""


def check_writable(out: Path | None, plot: Path | None, heat_map: Path | None, *, force: bool) -> None:
    """Raise `OptionError` for files that cannot be written, before the work starts."""
    if out is not None:
        check_free(out, force=force)
        if out.suffix.lower() not in (".json", ".csv"):
            raise OptionError(f"--out {out}: what is {out.suffix}? Its name must end in .json or .csv.")
    for picture in (plot, heat_map):
        if picture is not None:
            check_drawable(picture, force=force)


def write_results(
    result: WritableResult, out: Path | None, plot: Path | None, heat_map: Path | None, *, force: bool
) -> str:
    """Write the requested files; return a sentence that names them, empty if there are none."""
    if out is not None:
        write_atomically(out, result.to_csv() if out.suffix.lower() == ".csv" else result.to_json(), force=force)
    if plot is not None:
        result.plot(plot, kind="bars", force=force)
    if heat_map is not None:
        result.plot(heat_map, kind="map", force=force)
    written = [spelled(path) for path in (out, plot, heat_map) if path is not None]
    return f"Written to {' and '.join(written)}." if written else ""
