"""Tables on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = False) -> None:
    """Print a table; `numbers`: all columns but the first are numbers."""
    from rich.console import Console
    from rich.table import Table

    table = Table(head[0], box=None)
    for column in head[1:]:
        table.add_column(column, justify="right" if numbers else "left")
    for row in rows:
        table.add_row(*row)
    # As wide as it needs to be: a name cut short cannot be used.
    Console(width=None if sys.stdout.isatty() else 200).print(table)
