"""What commands that make many graphs write: all figures as JSON, the edges as CSV, a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Protocol

from stablebn.cli.command_options import FILE, option, out_option
from stablebn.errors import OptionError, spelled
from stablebn.files import check_free, write_atomically
from stablebn.plotting.matplotlib_figures import check_drawable

figures_option = out_option(help="Write all figures (.json), or the edges (.csv).")
heat_map_option = option(
    "--heat-map",
    type=FILE,
    help="Draw how often each arc was found as a map: a .png, .svg or .pdf file.",
    heading="Output",
)


class Figures(Protocol):
    """What was found."""

    def to_json(self) -> str:
        """All of it."""

    def to_csv(self) -> str:
        """The edges."""

    def plot(self, path: Path, *, kind: Literal["bars", "map"], force: bool) -> object:
        """Draw it."""


def check_writable(out: Path | None, plot: Path | None, heat_map: Path | None, *, force: bool) -> None:
    """Raise `OptionError` for files that cannot be written, before any work is done for them."""
    if out is not None:
        check_free(out, force=force)
        if out.suffix.lower() not in (".json", ".csv"):
            raise OptionError(f"--out {out}: what is {out.suffix}? Its name must end in .json or .csv.")
    for picture in (plot, heat_map):
        if picture is not None:
            check_drawable(picture, force=force)


def write_figures(found: Figures, out: Path | None, plot: Path | None, heat_map: Path | None, *, force: bool) -> str:
    """Write the files that are wanted; a sentence that names them, empty if there are none."""
    if out is not None:
        write_atomically(out, found.to_csv() if out.suffix.lower() == ".csv" else found.to_json(), force=force)
    if plot is not None:
        found.plot(plot, kind="bars", force=force)
    if heat_map is not None:
        found.plot(heat_map, kind="map", force=force)
    written = [spelled(path) for path in (out, plot, heat_map) if path is not None]
    return f"Written to {' and '.join(written)}." if written else ""
