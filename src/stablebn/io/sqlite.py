"""Read tables of SQLite databases."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import closing

from stablebn.errors import DataError
from stablebn.io.file_contents import Contents, chosen_table, contents_of_values, quoted


def read_sqlite(path: str, table: str | None, na_values: Collection[str] | None = None) -> Contents:
    """Read a table or view of a database, without changing it; `table` is required if there are several."""
    # Imported here because the imports are slow and few runs need them.
    import sqlite3
    from pathlib import Path

    # Raises FileNotFoundError, which is reported like that of other files, before SQLite raises its own error.
    os.stat(path)
    try:
        with closing(sqlite3.connect(f"{Path(path).resolve().as_uri()}?mode=ro", uri=True)) as database:
            kinds = dict(
                database.execute("SELECT name, type FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
            )
            tables = [name for name, kind in kinds.items() if kind == "table" or (kind == "view" and name == table)]
            rows = database.execute(f"SELECT * FROM {quoted(chosen_table(path, table, sorted(tables)))}")
            names = [column[0] for column in rows.description]
            body = rows.fetchall()
    except sqlite3.Error as error:
        raise DataError(f"{path!r} cannot be read; check that it is a complete SQLite database: {error}") from None
    return contents_of_values([(name, [row[i] for row in body]) for i, name in enumerate(names)], na_values)
