"""What a file holds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from stablebn.columns.na_values import Markers, without_markers
from stablebn.messages import Caution
from stablebn.table.table import Name


class Contents(NamedTuple):
    """What a file holds.

    Attributes
    ----------
    columns : sequence of (name, values)
        Arrow data, or lists of Python values.
    cautions : sequence of Caution
        How the file was read.
    markers : mapping of name to Markers
        The markers of missing values in each column that a warning should name.
    with_categories : collection of names
        The columns whose own type says which categories there are.
    """

    columns: Sequence[tuple[Name, object]]
    cautions: Sequence[Caution] = ()
    markers: Mapping[Name, Markers] = MappingProxyType({})
    with_categories: Collection[Name] = ()


def contents_of_values(
    columns: Sequence[tuple[Name, Sequence[object]]], na_values: Collection[str] | None = None
) -> Contents:
    """Columns of Python values, None where a marker stands."""
    cleared = [(name, *without_markers(values, na_values)) for name, values in columns]
    return Contents(
        [(name, values) for name, values, _ in cleared],
        markers={name: Markers(markers) for name, _, markers in cleared},
    )
