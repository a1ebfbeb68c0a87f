"""`stablebn networks`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stablebn.commands.tables import print_table
from stablebn.networks import known_networks, read_network

HELP = "List the networks that can be named, and where they come from."


def command(
    folders: Annotated[
        list[Path] | None,
        typer.Option("--networks", metavar="<path>", help="A folder to look in first; repeat for more."),
    ] = None,
    details: Annotated[bool, typer.Option("--details", help="Read each one and count.")] = False,
) -> None:
    """Print the networks."""
    head = ["name", "from", "file", *(("nodes", "arcs", "parameters") if details else ())]
    rows, named = [], set()
    for entry in known_networks(folders or []):
        label = entry.name if entry.name not in named else f"({entry.name})"
        named.add(entry.name)
        counts: tuple[str, ...] = ()
        if details:
            network = read_network(entry.path or entry.name, normalise=True)
            counts = (f"{len(network):,}", f"{len(network.arcs):,}", f"{network.free_parameters:,}")
        rows.append([label, entry.source, "" if entry.path is None else entry.path.name, *counts])
    print_table(head, rows)
