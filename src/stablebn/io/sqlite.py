"""Tables of SQLite databases."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import closing

from stablebn.errors import DataError
from stablebn.io.file_contents import Contents, contents_of_values
from stablebn.io.table_names import chosen_table, quoted


def read_sqlite(path: str, table: str | None, na_values: Collection[str] | None = None) -> Contents:
    """Read a table or view of a database, which is not changed; it must be named where there are several tables."""
    # Here and not above: they take long to import, and few runs need them.
    import sqlite3
    from pathlib import Path

    # SQLite would tell of a file that is not there in words of its own.
    os.stat(path)
    try:
        with closing(sqlite3.connect(f"{Path(path).resolve().as_uri()}?mode=ro", uri=True)) as database:
            kinds = dict(
                database.execute("SELECT name, type FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
            )
            tables = [name for name, kind in kinds.items() if kind == "table" or (kind == "view" and name == table)]
            rows = database.execute(f"SELECT * FROM {quoted(chosen_table(path, table, sorted(tables)))}")
            names = [own[0] for own in rows.description]
            body = rows.fetchall()
    except sqlite3.Error as error:
        raise DataError(f"{path!r} cannot be read; check that it is a complete SQLite database: {error}") from None
    return contents_of_values([(name, [row[place] for row in body]) for place, name in enumerate(names)], na_values)
