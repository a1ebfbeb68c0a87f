"""Read tables of DuckDB databases."""

from __future__ import annotations

import os

from stablebn.errors import DataError, MissingExtraError
from stablebn.io.file_contents import Contents, chosen_table, quoted


def read_duckdb(path: str, table: str | None) -> Contents:
    """Read a table or view of a database, without changing it; `table` is required if there are several."""
    try:
        import duckdb
    except ImportError:
        raise MissingExtraError("duckdb", "duckdb") from None

    # Raises FileNotFoundError, which is reported like that of other files, before DuckDB raises its own error.
    os.stat(path)
    try:
        # External access is off because a view could read other files.
        with duckdb.connect(path, read_only=True, config={"enable_external_access": "false"}) as database:
            tables = [name for (name,) in database.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
            views = [name for (name,) in database.execute("SELECT view_name FROM duckdb_views()").fetchall()]
            known = sorted(tables) + [name for name in views if name == table]
            found = database.sql(f"SELECT * FROM {quoted(chosen_table(path, table, known))}").to_arrow_table()
    except duckdb.Error as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"{path!r} cannot be read; check that it is a complete DuckDB database: {reason}") from None
    assert found is not None
    return Contents(list(zip(found.column_names, found.columns, strict=True)))
