"""`stablebn demo`."""

from __future__ import annotations

from stablebn.commands.terminal import say
from stablebn.demo import demonstration

HELP = "Learn the built-in Asia sample, twice: as it is, and shuffled under other names."


def command() -> None:
    """Print the demonstration."""
    for line in demonstration():
        say(line)
