"""Tables on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from stablebn.cli.terminal import console
from stablebn.errors import spelled


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = False) -> None:
    """Print a table; `numbers`: all columns but the first are numbers."""
    from rich.table import Table
    from rich.text import Text

    # Not as they are: in mere text Rich looks for markup.
    table = Table(box=None)
    for place, column in enumerate(head):
        table.add_column(Text(spelled(column)), justify="right" if numbers and place else "left")
    for row in rows:
        table.add_row(*(Text(spelled(cell)) for cell in row))
    # As wide as it needs to be: a name cut short cannot be used.
    console(width=None if sys.stdout.isatty() else 200).print(table)
