"""`stablebn networks`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from stablebn.cli.command_options import (
    folders_option,
    json_option,
    option,
)
from stablebn.cli.progress import nothing_written_if_interrupted, waiting
from stablebn.cli.reference import Command
from stablebn.cli.terminal import say_json
from stablebn.cli.terminal_tables import print_table
from stablebn.networks import known_networks, read_network
from stablebn.networks.catalogue import KnownNetwork

HELP = """
Asia is built in. `pip install 'stablebn[networks]'` adds the networks of pgmpy. --networks and the environment variable
STABLEBN_NETWORKS add your own folders.
"""
EXAMPLE = """\
stablebn networks --details"""


@click.command(cls=Command)
@folders_option
@option("--details", is_flag=True, help="Also print the numbers of nodes, arcs and parameters.")
@json_option
def command(folders: Sequence[Path], details: bool, as_json: bool) -> None:
    """Print a table of the networks."""
    with nothing_written_if_interrupted(), waiting("reading", quiet=not details):
        descriptions = [_described(entry, details=details) for entry in known_networks(folders)]
    if as_json:
        say_json(descriptions)
        return
    rows, named = [], set()
    for described in descriptions:
        name, source, file, *counts = described.values()
        # In brackets: the name already stands for a network above.
        label = str(name) if name not in named else f"({name})"
        named.add(name)
        file_name = "" if file is None else Path(str(file)).name
        rows.append([label, str(source), file_name, *(f"{count:,}" for count in counts)])
    print_table(("name", "from", "file", *(("nodes", "arcs", "parameters") if details else ())), rows)


def _described(entry: KnownNetwork, *, details: bool) -> dict[str, object]:
    """Describe a network; `details`: also count its nodes, arcs and parameters."""
    described: dict[str, object] = {
        "name": entry.name,
        "from": entry.source,
        "file": None if entry.path is None else str(entry.path),
    }
    if not details:
        return described
    network = read_network(entry.path or entry.name, normalise=True)
    return {**described, "nodes": len(network), "arcs": len(network.arcs), "parameters": network.free_parameters}
