"""Read sheets of Excel workbooks, whose first row has the names of the columns."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from stablebn.decompression import check_unpacked
from stablebn.errors import DataError, MissingExtraError
from stablebn.io.csv.index_column import INDEX_NAMES, counts_rows, index_caution
from stablebn.io.file_contents import Contents, chosen_table, contents_of_values


def read_excel(path: str, sheet: str | None, na_values: Collection[str] | None = None) -> Contents:
    """Read a sheet of an .xlsx file; `sheet` is required if there are several."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise MissingExtraError("python-calamine", "excel") from None

    _check_unpacked(path)
    try:
        with CalamineWorkbook.from_path(path) as book:
            rows = book.get_sheet_by_name(chosen_table(path, sheet, book.sheet_names, "sheet")).to_python()
    except CalamineError as error:
        raise DataError(f"{path!r} cannot be read; check that it is a complete .xlsx file: {error}") from None
    if not rows:
        raise DataError(f"the sheet of {path!r} is empty: its first row must have the names of the columns.")
    header, *body = rows
    columns = [(_text(name), _python_values([row[i] for row in body])) for i, name in enumerate(header)]
    if _is_index(*columns[0]):
        found = contents_of_values(columns[1:], na_values)
        return found._replace(cautions=(index_caution(path, columns[0][0]),))
    return contents_of_values(columns, na_values)


def _check_unpacked(path: str) -> None:
    import zipfile

    try:
        with zipfile.ZipFile(path) as packed:
            unpacked = sum(member.file_size for member in packed.infolist())
    # zipfile raises NotImplementedError for a later version of the format.
    except (zipfile.BadZipFile, NotImplementedError):
        raise DataError(f"{path!r} cannot be read; check that it is a complete .xlsx file.") from None
    check_unpacked(path, unpacked, "save the sheet as CSV")


def _text(name: object) -> str:
    return str(int(name)) if isinstance(name, float) and name.is_integer() else str(name)


def _python_values(values: Sequence[Any]) -> list[Any]:
    """Replace empty cells by None; return integers if all numbers are whole, because Excel stores only floats."""
    cells = [None if value == "" else _without_clock(value) for value in values]
    if all(cell.is_integer() for cell in cells if isinstance(cell, float)):
        return [int(cell) if isinstance(cell, float) else cell for cell in cells]
    return [float(cell) if type(cell) is int else cell for cell in cells]


def _without_clock(value: Any) -> Any:
    """Convert times of day and durations to text, because Arrow has no type for them that columns can use."""
    return str(value) if isinstance(value, datetime.time | datetime.timedelta) else value


def _is_index(name: str, values: Sequence[object]) -> bool:
    return name in INDEX_NAMES and set(map(type, values)) == {int} and counts_rows(np.array(values))
