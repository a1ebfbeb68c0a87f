"""The encoded table that learning starts from, and what was found while it was read."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from stablebn.columns.cut_points import Cuts
from stablebn.columns.kinds import Decision, Kind
from stablebn.columns.levels import Levels
from stablebn.errors import GraphError, listed
from stablebn.messages import Caution
from stablebn.table.blocks import AnyTable, BlockTable, joined
from stablebn.table.table import Name, Table


@dataclass(frozen=True)
class Schema:
    """The kinds, levels and cut points of a table, by which another table is read.

    Attributes
    ----------
    decisions : mapping of name to Decision
    levels : mapping of name to values
        The declared levels.
    cuts : mapping of name to tuple of float
        The cut points of discretised columns.
    """

    decisions: Mapping[Name, Decision] = field(default_factory=dict)
    levels: Levels = field(default_factory=dict)
    cuts: Mapping[Name, tuple[float, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Prepared:
    """A checked and encoded table, and what was found while it was read.

    Attributes
    ----------
    names : tuple of hashable
        All variables, in column order.
    left_out : tuple of hashable
        Columns of the source that are not variables: the user leaves them out, or they are the weights.
    table : CategoricalTable, ContinuousTable or MixedTable
        The columns that take part in the search, in column order: not the constant or excluded ones, and one of each
        group of merged columns. Without any column it is categorical.
    kinds : dict of name to {"categorical", "continuous"}
        The kinds of all variables except the excluded ones.
    decisions : dict of name to Decision
        The kind of each variable, with the reason.
    constants : dict of name to value
        Columns with a single value, in column order, and that value.
    identical : tuple of tuples of names
        Groups of columns with the same value in every row, sorted by name; without the constants.
    copies : tuple of tuples of names
        Groups of continuous columns that differ only in unit and rounding, including identical ones.
    merged : dict of name to tuple of names
        Columns that represent others, and the names of these others. Empty unless duplicates were merged.
    cuts : dict of name to tuple of float
        Cut points of the discretised columns.
    levels : dict of name to tuple of values
        The declared levels, also of constants.
    rows : int
        All rows of the source.
    warnings : tuple of Caution
    blocks : BlockTable or None
        The table in blocks, if it is not in memory; `table` then has no rows.
    """

    names: tuple[Name, ...]
    left_out: tuple[Name, ...]
    table: Table
    kinds: dict[Name, Kind]
    decisions: dict[Name, Decision]
    constants: dict[Name, Hashable]
    identical: tuple[tuple[Name, ...], ...]
    copies: tuple[tuple[Name, ...], ...]
    merged: dict[Name, tuple[Name, ...]]
    cuts: Cuts
    levels: Levels
    rows: int
    warnings: tuple[Caution, ...]
    blocks: BlockTable | None = None

    @property
    def whole(self) -> AnyTable:
        """The table with all its rows, in blocks or in memory."""
        return self.table if self.blocks is None else self.blocks

    def held(self) -> Prepared:
        """Return the same table with all rows in memory."""
        return self if self.blocks is None else replace(self, table=joined(self.blocks), blocks=None)

    @property
    def aside(self) -> tuple[Name, ...]:
        """The excluded variables, in column order: they have no edges in the graph."""
        return tuple(name for name in self.names if self.decisions[name].kind is None)


def check_excluded(edges: Iterable[Iterable[tuple[Name, Name]]], prepared: Prepared) -> None:
    """Raise an error for edges, of any kinds, at columns that were excluded."""
    aside = set(prepared.aside)
    ends = dict.fromkeys(end for alike in edges for edge in alike for end in edge if end in aside)
    if ends:
        raise GraphError(
            f"the graph has arcs at columns that were set aside: {listed(tuple(ends))}. Leave these arcs out, or say "
            "kinds= or keep= for the columns."
        )
