"""`stablebn compare`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from stablebn.commands.options import Force
from stablebn.commands.terminal import say
from stablebn.drawing.figures import check_drawable
from stablebn.graph import compare
from stablebn.networks import read_graph
from stablebn.output import write_atomically

HELP = "Compare two graphs: all metrics, and every edge that differs."


def command(
    learned: Annotated[str, typer.Argument(help="A graph or network file, or a name from `stablebn networks`.")],
    true: Annotated[str, typer.Argument(help="The one to compare with.")],
    sid: Annotated[
        bool, typer.Option("--sid", help="Tell the structural intervention distance too (needs the extra sid).")
    ] = False,
    as_they_are: Annotated[bool, typer.Option("--as-they-are", help="Compare the arcs, not the CPDAGs.")] = False,
    fail_under: Annotated[float | None, typer.Option(help="Exit with code 1 if F1 is below this.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write all figures to this JSON file.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw both graphs: a .png, .svg or .pdf file.")] = None,
    force: Force = False,
) -> None:
    """Compare two graphs, print how they differ, and write that."""
    if plot is not None:
        check_drawable(plot, force=force)
    found = compare(read_graph(learned), read_graph(true), as_cpdag=not as_they_are, sid=sid)
    say(str(found))
    if out is not None:
        write_atomically(out, json.dumps(found.to_dict(), indent=1, default=str) + "\n", force=force)
    if plot is not None:
        found.plot(plot, force=force)
    if fail_under is not None and found.f1 < fail_under:
        say(f"F1 {found.f1:.4f} is below {fail_under}.", err=True)
        raise typer.Exit(1)
