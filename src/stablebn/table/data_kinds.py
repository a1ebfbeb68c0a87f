"""The kinds of data that a table can have, one object per kind.

An object names what higher folders have for its kind: statistics, scores and tests of independence. These are imported
when they are first used, by name, so that imports go one way all the same. `docs/options.md` lists what else a new kind
needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from stablebn.lazy import imported
from stablebn.table.table import CategoricalTable, ContinuousTable, MixedTable, Table, Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray


SinglePart = TypeVar("SinglePart", CategoricalTable, ContinuousTable)


@dataclass(frozen=True)
class DataKind:
    """What the package has for tables of one kind.

    Attributes
    ----------
    name : str
        `kind` of the tables and of their statistics.
    table : type
        The class of the tables.
    array : str
        The attribute of a table that has the encoded values, int or float [n, rows]; empty if the table has parts.
    parts : tuple of str
        The attributes of a table that are tables of other kinds; empty if the table has an array.
    has_units : bool
        Whether variables may have units.
    bytes_per_pair : int
        Memory that learning needs per pair of variables, measured: for counts or sums of products of all pairs, for
        the change of the score by each arc, and for these again in canonical order.
    cost_of_set : int
        Estimated time to score one parent set, in nanoseconds, besides the time per row.
    statistics_path, source_statistics_path, scores_path, tests_path : str
        "module:name" of `statistics`, `source_statistics`, `scores` and `tests`.
    """

    name: str
    table: type[Table]
    statistics_path: str
    source_statistics_path: str
    scores_path: str
    tests_path: str
    bytes_per_pair: int
    cost_of_set: int
    array: str = ""
    parts: tuple[str, ...] = ()
    has_units: bool = True

    @cached_property
    def statistics(self) -> Callable[..., Any]:
        """Make statistics of a table in memory: `(table, *, unit_free, threads)`."""
        made: Callable[..., Any] = _object_at(self.statistics_path)
        return made

    @cached_property
    def source_statistics(self) -> Callable[..., Any]:
        """Make statistics of a `RowSource` without missing values: `(source, *, unit_free, threads)`."""
        made: Callable[..., Any] = _object_at(self.source_statistics_path)
        return made

    @cached_property
    def scores(self) -> Mapping[str, Callable[[Any, Any], Any]]:
        """The scores by name, each made of `(statistics, ScoreConfig)`; the first is the default."""
        scores: Mapping[str, Callable[[Any, Any], Any]] = _object_at(self.scores_path)
        return scores

    @cached_property
    def tests(self) -> Mapping[str, Callable[[Any], Any]]:
        """The tests of independence by name, each made of statistics; the first is the default."""
        tests: Mapping[str, Callable[[Any], Any]] = _object_at(self.tests_path)
        return tests


def _object_at(path: str) -> Any:
    """Import the object at a path "module:name"."""
    module, _, name = path.partition(":")
    return getattr(imported(module), name)


CATEGORICAL = DataKind(
    name="categorical",
    table=CategoricalTable,
    array="codes",
    has_units=False,
    bytes_per_pair=64,
    cost_of_set=1_000,
    statistics_path="stablebn.stats.by_kind:categorical",
    source_statistics_path="stablebn.stats.by_kind:categorical_source",
    scores_path="stablebn.scores.by_kind:CATEGORICAL",
    tests_path="stablebn.ci_tests.by_kind:CATEGORICAL",
)

CONTINUOUS = DataKind(
    name="continuous",
    table=ContinuousTable,
    array="values",
    bytes_per_pair=400,
    cost_of_set=4_000,
    statistics_path="stablebn.stats.by_kind:continuous",
    source_statistics_path="stablebn.stats.by_kind:continuous_source",
    scores_path="stablebn.scores.by_kind:CONTINUOUS",
    tests_path="stablebn.ci_tests.by_kind:CONTINUOUS",
)

MIXED = DataKind(
    name="mixed",
    table=MixedTable,
    parts=("categorical", "continuous"),
    bytes_per_pair=200,
    cost_of_set=4_000,
    statistics_path="stablebn.stats.by_kind:mixed",
    source_statistics_path="stablebn.stats.by_kind:mixed_source",
    scores_path="stablebn.scores.by_kind:MIXED",
    tests_path="stablebn.ci_tests.by_kind:MIXED",
)

KINDS: Mapping[str, DataKind] = {kind.name: kind for kind in (CATEGORICAL, CONTINUOUS, MIXED)}
"""All kinds of data by name."""


def kind_of(table: Table) -> DataKind:
    """Return the kind of a table."""
    return KINDS[table.kind]


def parts_by_kind(table: Table) -> tuple[CategoricalTable | ContinuousTable, ...]:
    """Return the tables of a single kind that a table consists of; a table of a single kind is its only part."""
    names = kind_of(table).parts
    return tuple(getattr(table, name) for name in names) if names else (table,)  # type: ignore[return-value]


def categorical_part(table: Table) -> CategoricalTable | None:
    """Return the categorical columns of a table; None if it has none."""
    return next((part for part in parts_by_kind(table) if isinstance(part, CategoricalTable)), None)


def continuous_part(table: Table) -> ContinuousTable | None:
    """Return the continuous columns of a table; None if it has none."""
    return next((part for part in parts_by_kind(table) if isinstance(part, ContinuousTable)), None)


def array_of(part: CategoricalTable | ContinuousTable) -> NDArray[Any]:
    """Return the encoded values of a table of a single kind, [n, rows]."""
    array: NDArray[Any] = getattr(part, kind_of(part).array)
    return array


def with_array(part: SinglePart, array: NDArray[Any], weights: Weights | None) -> SinglePart:
    """Return a table of a single kind with other rows: encoded values [n, rows] and weights."""
    return replace(part, weights=weights, **{kind_of(part).array: array})  # type: ignore[arg-type]


def map_parts(table: Table, function: Callable[[Any], Any]) -> Table:
    """Apply a function to each part of a table and put the results together as a table of the same kind."""
    made: Table = (
        kind_of(table).table(table.names, *map(function, parts_by_kind(table)))
        if kind_of(table).parts
        else function(table)
    )
    return made


def bytes_per_row(table: Table) -> int:
    """Return how many bytes the encoded values of a row take."""
    return sum(len(part.names) * array_of(part).itemsize for part in parts_by_kind(table))
