"""Tables of DuckDB databases."""

from __future__ import annotations

import os

from stablebn.errors import DataError, MissingExtraError
from stablebn.io.file_contents import Contents
from stablebn.io.table_names import chosen_table, quoted


def read_duckdb(path: str, table: str | None) -> Contents:
    """Read a table or view of a database, which is not changed; it must be named where there are several tables."""
    try:
        import duckdb
    except ImportError:
        raise MissingExtraError("duckdb", "duckdb") from None

    # DuckDB would tell of a file that is not there in words of its own.
    os.stat(path)
    try:
        # A view must not read other files.
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
