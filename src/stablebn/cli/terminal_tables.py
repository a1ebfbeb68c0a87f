"""Print tables on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from stablebn.cli.terminal import console
from stablebn.errors import spelled


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = False) -> None:
    """Print a table; `numbers`: all columns except the first are aligned as numbers."""
    from rich.table import Table
    from rich.text import Text

    # As `Text`, because Rich would look for markup in a str.
    table = Table(box=None)
    for index, column in enumerate(head):
        table.add_column(Text(spelled(column)), justify="right" if numbers and index else "left")
    for row in rows:
        table.add_row(*(Text(spelled(cell)) for cell in row))
    # Wide enough for full names in a pipe: a name that is cut off cannot be used.
    console(width=None if sys.stdout.isatty() else 200).print(table)
