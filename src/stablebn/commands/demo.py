"""`stablebn demo`."""

from __future__ import annotations

from stablebn.commands.terminal import say
from stablebn.demo import demonstration

HELP = """
The built-in Asia sample is learned as it is, and with rows and columns shuffled under other names: the graph and the
score are the same.
"""
EXAMPLE = """\
stablebn demo"""


def command() -> None:
    """Print the demonstration."""
    for line in demonstration():
        say(line)
