"""`stablebn networks`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stablebn.cli.command_options import AsJson, Folders
from stablebn.cli.progress import nothing_written_if_interrupted, waiting
from stablebn.cli.terminal import say_json
from stablebn.cli.terminal_tables import print_table
from stablebn.networks import known_networks, read_network
from stablebn.networks.catalogue import KnownNetwork

HELP = """
Asia is built in; pip install 'stablebn[networks]' brings those of pgmpy; --networks and the variable STABLEBN_NETWORKS
name folders of yours.
"""
EXAMPLE = """\
stablebn networks --details"""


def command(
    folders: Folders = None,
    details: Annotated[bool, typer.Option("--details", help="Read each one and count.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print the networks."""
    with nothing_written_if_interrupted(), waiting("reading", quiet=not details):
        found = [_told(entry, details=details) for entry in known_networks(folders or [])]
    if as_json:
        say_json(found)
        return
    rows, named = [], set()
    for told in found:
        name, source, file, *counts = told.values()
        # Another one comes before it.
        label = str(name) if name not in named else f"({name})"
        named.add(name)
        file_name = "" if file is None else Path(str(file)).name
        rows.append([label, str(source), file_name, *(f"{count:,}" for count in counts)])
    print_table(("name", "from", "file", *(("nodes", "arcs", "parameters") if details else ())), rows)


def _told(entry: KnownNetwork, *, details: bool) -> dict[str, object]:
    """What there is to say of a network."""
    told: dict[str, object] = {
        "name": entry.name,
        "from": entry.source,
        "file": None if entry.path is None else str(entry.path),
    }
    if not details:
        return told
    network = read_network(entry.path or entry.name, normalise=True)
    return {**told, "nodes": len(network), "arcs": len(network.arcs), "parameters": network.free_parameters}
