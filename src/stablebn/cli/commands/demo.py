"""`stablebn demo`."""

from __future__ import annotations

import json

import click

from stablebn.cli.command_options import (
    json_option,
)
from stablebn.cli.demonstration import demonstrate
from stablebn.cli.reference import Command
from stablebn.cli.terminal import say, say_json

HELP = """
Learns from the built-in Asia sample as it is, and again with rows and columns shuffled and renamed: the graph and the
score are the same.
"""
EXAMPLE = """\
stablebn demo"""


@click.command(cls=Command)
@json_option
def command(as_json: bool) -> None:
    """Print the demonstration."""
    shown = demonstrate()
    if as_json:
        results = {"first": json.loads(shown.first.to_json()), "second": json.loads(shown.second.to_json())}
        say_json({**results, "same_graph": shown.same_graph, "same_score": shown.same_score})
        return
    for line in shown.lines():
        say(line)
