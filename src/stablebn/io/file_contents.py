"""Contents of a table file, and the choice of a table in files that hold several (`data.db::patients`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from stablebn.columns.na_values import Markers, without_markers
from stablebn.errors import DataError, listed
from stablebn.messages import Caution
from stablebn.table.table import Name


class Contents(NamedTuple):
    """Columns of a file, with what was recognised while reading it.

    Attributes
    ----------
    columns : sequence of (name, values)
        Values are Arrow data or lists of Python values.
    cautions : sequence of Caution
        Warnings about how the file was read.
    markers : mapping of name to Markers
        Markers of missing values in each column that a warning should name.
    with_categories : collection of names
        Columns whose type lists their categories.
    """

    columns: Sequence[tuple[Name, object]]
    cautions: Sequence[Caution] = ()
    markers: Mapping[Name, Markers] = MappingProxyType({})
    with_categories: Collection[Name] = ()


def contents_of_values(
    columns: Sequence[tuple[Name, Sequence[object]]], na_values: Collection[str] | None = None
) -> Contents:
    """Wrap columns of Python values, with markers of missing values replaced by None."""
    cleared = [(name, *without_markers(values, na_values)) for name, values in columns]
    return Contents(
        [(name, values) for name, values, _ in cleared],
        markers={name: Markers(markers) for name, _, markers in cleared},
    )


def chosen_table(path: str, requested: str | None, tables: Sequence[str], what: str = "table") -> str:
    """Return the requested table of a file, or the only one; `what` is the word for it in errors."""
    if requested is None and len(tables) == 1:
        return tables[0]
    if requested is not None and requested in tables:
        return requested
    if not tables:
        raise DataError(f"{path!r} has no {what}s: check that it is complete and what its name says.")
    problem = f"has several {what}s" if requested is None else f"has no {what} {requested!r}"
    raise DataError(f"{path!r} {problem}. Name one of {listed(tables)}, for example {f'{path}::{tables[0]}'!r}.")


def quoted(name: str) -> str:
    """Quote a name for SQL."""
    return '"' + name.replace('"', '""') + '"'
