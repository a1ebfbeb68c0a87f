"""Read JSON lines: each line is an object whose keys are the names of columns."""

from __future__ import annotations

import json
from collections.abc import Collection

from stablebn.errors import DataError
from stablebn.io.file_contents import Contents, contents_of_values


def read_json_lines(path: str, na_values: Collection[str] | None = None) -> Contents:
    """Read a table; if a line lacks a key, the value is missing."""
    with open(path, encoding="utf-8-sig") as file:
        rows = [_row(path, number, line) for number, line in enumerate(file, start=1) if line.strip()]
    if not rows:
        raise DataError(f"{path!r} cannot be read: it has no lines.")
    orders = {tuple(row) for row in rows}
    # If lines have different keys, columns are sorted: the order of lines must not decide the order of columns.
    names = orders.pop() if len(orders) == 1 else sorted({name for order in orders for name in order})
    return contents_of_values([(name, [row.get(name) for row in rows]) for name in names], na_values)


def _row(path: str, number: int, line: str) -> dict[str, object]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise DataError(f'line {number} of {path!r} is no JSON object such as {{"age": 61}}: correct it.')
    return row
