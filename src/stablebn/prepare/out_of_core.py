"""Read tables that are larger than memory: in parts, spooled to disk, and then encoded in blocks."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.columns.arrow.type_conversion import as_supported, decide_time, is_time, time_as
from stablebn.columns.arrow.validation import check_sound
from stablebn.columns.column import (
    CategoricalColumn,
    Column,
    KeptRows,
    Kind,
    Mask,
    NumericColumn,
    OpenedRows,
    OpenedTable,
    Rows,
    UnlistedTexts,
    WholeNumbers,
)
from stablebn.columns.encode import code_type, narrow, refuse_too_large
from stablebn.columns.error_collector import ErrorCollector
from stablebn.columns.kinds import TextForms, UserKinds, distinct_counts, family, whole_floats, whole_integers
from stablebn.columns.na_values import report_markers
from stablebn.columns.weights import WeightColumn, weight_column
from stablebn.errors import OptionError
from stablebn.io.batches import Batches, open_batches
from stablebn.messages import Caution
from stablebn.prepare.out_of_core_columns import OutOfCoreCategories, OutOfCoreNumbers, Rule, limits_of
from stablebn.prepare.read_options import ReadOptions
from stablebn.prepare.spool import Spool, SpooledRows, SpoolPart
from stablebn.prepare.spooled_columns import DATE, MISSING, NUMBER, OTHER, TEXT, Limits, SpooledColumn
from stablebn.table.block_files import BlockLayout, BlockWriter
from stablebn.table.blocks import BlockTable
from stablebn.table.table import Codes, Name, Table, Weights
from stablebn.table.temporary_folders import Folder

MOST_BLOCK_ROWS = 1 << 20
_MOST_BATCH_ROWS = 1 << 17
_FEWEST_ROWS = 1 << 10

# The memory that computing on a block takes: bytes per row, per code and per number.
_BYTES_OF_ROW = 64
_BYTES_OF_CODE = 4
_BYTES_OF_NUMBER = 64
# Bytes per value of a batch, and per row of a column that takes several passes.
_BYTES_IN_BATCH = 128
_BYTES_IN_PASS = 256

# Distinct texts may take this fraction of the memory: one of so many parts.
SHARE_OF_TEXTS = 8


@dataclass
class OutOfCoreTable(OpenedTable):
    """A table that is read in parts.

    Attributes
    ----------
    memory : int
        The bytes that rows in memory may take.
    folder : callable
        Returns a new folder on disk.
    """

    names: list[Name]
    types: Mapping[Name, pa.DataType]
    cautions: list[Caution]
    batches: Batches
    weights: WeightColumn | None
    memory: int
    folder: Callable[[], Folder]
    threads: int = 1

    def rows(self, said: UserKinds, problems: ErrorCollector) -> OpenedRows:
        """Read all rows, and spool them to disk."""
        kept = kept_columns(self.types, said)
        spool = Spool(
            self.folder(),
            {name: own.type for name, own in kept.items()},
            weighted=self.weights is not None,
            most_text=self.memory // SHARE_OF_TEXTS,
        )
        filled = fill(spool, self.batches, self.types, kept, self.weights, self.memory, problems, self.threads)
        if self.weights is not None:
            self.weights.check(filled.count)
        self.types = {name: type_ for name, type_ in self.types.items() if name not in filled.damaged}
        return counted(spool, self.types, self.batches.with_categories, filled.count, self.memory, self.folder)


@dataclass(frozen=True)
class KeptColumn:
    """The type in which a column is spooled, and the function that converts its values to it."""

    type: pa.DataType
    convert: Callable[[pa.ChunkedArray], pa.ChunkedArray]


def kept_columns(types: Mapping[Name, pa.DataType], said: UserKinds) -> dict[Name, KeptColumn]:
    """Return the columns that must be spooled: all but those that are excluded because of their type."""
    kept: dict[Name, KeptColumn] = {}
    for name, type_ in types.items():
        own = as_supported(pa.chunked_array([], type=type_)).type
        if name in said.excluded:
            continue
        if is_time(own):
            kind = decide_time(name, said).kind
            if kind is not None:
                kept[name] = _converted(type_, lambda column, kind=kind: time_as(as_supported(column), kind))  # type: ignore[misc]
        elif family(own) is not None:
            kept[name] = _converted(type_, as_supported)
    return kept


def _converted(type_: pa.DataType, convert: Callable[[pa.ChunkedArray], pa.ChunkedArray]) -> KeptColumn:
    def typed(column: pa.ChunkedArray) -> pa.ChunkedArray:
        # A batch without any value of the column has the type null.
        return convert(column.cast(type_) if pa.types.is_null(column.type) else column)

    return KeptColumn(typed(pa.chunked_array([], type=type_)).type, typed)


@dataclass(frozen=True)
class Filled:
    """The number of rows that were read, those of weight 0 included, and the columns that cannot be read."""

    count: int
    damaged: set[Name]


def fill(
    spool: SpoolPart,
    batches: Batches,
    types: Mapping[Name, pa.DataType],
    kept: Mapping[Name, KeptColumn],
    weights: WeightColumn | None,
    memory: int,
    problems: ErrorCollector,
    threads: int = 1,
    before: int = 0,
) -> Filled:
    """Read all rows and spool them; `before` is the number of rows that the spool has already."""
    # Imported here so that errors in the data can be reported without the core.
    from stablebn import _core

    wanted = [*types, *([] if weights is None else [weights.name])]
    count = 0
    damaged: set[Name] = set()
    if not wanted:
        return Filled(count, damaged)
    for part in batches.parts(wanted, rows_at_once(memory, len(wanted), _BYTES_IN_BATCH, _MOST_BATCH_ROWS)):
        length = len(next(iter(part.values())))
        counts = None if weights is None else weights.add(part[weights.name], before + count)
        count += length
        used = None if counts is None or (counts > 0).all() else pa.array(counts > 0)
        columns = {}
        for name in types:
            column = part.pop(name)
            if name in damaged:
                continue
            found = len(problems.found)
            with problems.collected():
                check_sound(f"column {name!r}", column)
            if len(problems.found) > found:
                damaged.add(name)
                if name in kept:
                    spool.drop(name)
            elif name in kept:
                columns[name] = kept[name].convert(column if used is None else column.filter(used))
        counts = None if counts is None else counts[counts > 0]
        spool.add(columns, length if counts is None else len(counts), counts, threads)
    # Give freed memory back to the system: PyArrow and the core would keep it.
    pa.default_memory_pool().release_unused()
    _core.give_memory_back()
    return Filled(count, damaged)


def counted(
    spool: SpooledRows,
    types: Mapping[Name, pa.DataType],
    with_categories: set[Name],
    count: int,
    memory: int,
    folder: Callable[[], Folder],
    rows_of: Callable[..., OutOfCoreRows] | None = None,
) -> OpenedRows:
    """Return the rows of a spool, made by `rows_of` (by default `OutOfCoreRows`), with their number."""
    usable_types = {name: as_supported(pa.chunked_array([], type=type_)).type for name, type_ in types.items()}
    rows = (rows_of or OutOfCoreRows)(usable_types, spool, memory, folder)

    def categories() -> dict[Name, tuple[Hashable, ...]]:
        declared = {name: own.declared for name, own in spool.columns.items() if name in with_categories}
        return {name: tuple(own) for name, own in declared.items() if name in types}

    return OpenedRows(rows, count, spool.total, categories)


def open_out_of_core(source: object, read: ReadOptions, *, memory: int, folder: Callable[[], Folder]) -> OutOfCoreTable:
    """Open a table that is read in parts.

    Parameters
    ----------
    source : path or iterator
        See `open_batches`.
    read : ReadOptions
    memory : int
        The bytes that the rows in memory, and everything computed from them, may take.
    folder : callable
        Return a new folder on disk.
    """
    if read.names is not None:
        raise OptionError("names= goes with a NumPy array; this source has column names of its own. Leave it out.")
    batches = open_batches(source, read.dialect, read.thread_count)
    every = list(batches.types)
    wanted = read.choice.of(every)
    column = weight_column(read.weights, {name: batches.types[name] for name in wanted})
    types = {name: batches.types[name] for name in wanted if column is None or name != column.name}
    if read.missing == "level":
        # The type of a column without any value depends on the source.
        types = {name: pa.string() if pa.types.is_null(type_) else type_ for name, type_ in types.items()}
    markers = {name: own for name, own in batches.markers.items() if name in set(wanted)}
    cautions = [*batches.cautions, *report_markers(markers)]
    return OutOfCoreTable(every, types, cautions, batches, column, memory, folder, read.thread_count)


def rows_at_once(memory: int, columns: int, bytes_of_value: int, most: int) -> int:
    """Return how many rows may be in memory at once."""
    return max(_FEWEST_ROWS, min(most, memory // (bytes_of_value * max(columns, 1))))


def rows_of_block(memory: int, categorical: int, continuous: int) -> int:
    """Return the number of rows of a block, given the numbers of its columns."""
    bytes_of_row = _BYTES_OF_ROW + _BYTES_OF_CODE * categorical + _BYTES_OF_NUMBER * continuous
    return rows_at_once(1 << size_class(memory), 1, bytes_of_row, MOST_BLOCK_ROWS)


def size_class(memory: int) -> int:
    """Return the base-2 logarithm, rounded down: one class has one block size, and finds its cached tables."""
    return memory.bit_length() - 1


@dataclass
class OutOfCoreRows(Rows):
    """Rows on disk, or in the memory of the workers of a cluster.

    Attributes
    ----------
    memory : int
        The bytes that rows in memory may take.
    folder : callable
        Returns a new folder on disk.
    rule : Rule or None
        Which rows are left out.
    all_once : bool
        Whether all weights are 1.
    """

    types: Mapping[Name, pa.DataType]
    spool: SpooledRows
    memory: int
    folder: Callable[[], Folder]
    rule: Rule | None = None
    count: int = field(default=-1)
    total: int = field(default=-1)
    all_once: bool | None = None

    def __post_init__(self) -> None:
        if self.rule is None:
            self.count, self.total = self.spool.count, self.spool.total
            self.all_once = self.spool.heaviest <= 1

    def whole_numbers(self, name: Name) -> WholeNumbers | None:
        """Summarise a column of integers or floats; `None` if not all values are whole numbers."""
        own = self.spool.columns[name]
        if own.limits is not None and own.limits.least is not None:
            return _whole_by_passes(self.spool, name, own, self.memory) if own.limits.whole else None
        values = own.numbers()[1:]
        if family(own.type) == "integer":
            return whole_integers(pa.chunked_array([pa.array(values)]), own.weight[1:])
        return whole_floats(values, own.weight[1:])

    def encode(self, kinds: Mapping[Name, Kind], problems: ErrorCollector) -> dict[Name, Column]:
        """Encode columns by their kinds."""
        encoded: dict[Name, Column] = {}
        too_large: list[Name] = []
        for name, kind in kinds.items():
            if kind == "categorical":
                encoded[name] = self._categories(name)
                continue
            numbers = self._numbers(name)
            if numbers is None:
                too_large.append(name)
            else:
                encoded[name] = numbers
        with problems.collected():
            refuse_too_large(too_large)
        return encoded

    def _categories(self, name: Name) -> OutOfCoreCategories:
        own = self.spool.columns[name]
        keys = None if own.limits is None else _distinct(self.spool, name)
        values = own.values[1:] if keys is None else keys.tolist()
        if pa.types.is_floating(self.types[name]):
            # Integer codes become floats if a value is missing: convert them back.
            values = _as_integers(values)
        levels = tuple(sorted(values))
        place = {level: code for code, level in enumerate(levels)}
        if keys is None:
            of_place = [len(levels), *(place[value] for value in values)]
        else:
            of_place = [len(levels), *(place[value] for value in own.values[1:])]
        known = int(own.weight[1:].sum()) if own.limits is None else own.limits.known
        if own.unlisted is not None:
            known = own.unlisted.known
        return OutOfCoreCategories(
            name,
            own,
            levels,
            narrow(np.array(of_place), len(levels)),
            keys,
            narrow(np.arange(len(levels) + 1), len(levels)),
            own.missing_count,
            known,
        )

    def _numbers(self, name: Name) -> OutOfCoreNumbers | None:
        """Return a column as continuous; `None` if floats cannot represent its integers."""
        own = self.spool.columns[name]
        values = own.values[1:]
        ends = values if own.limits is None else [own.limits.least, own.limits.greatest]
        try:
            if family(own.type) == "integer":
                pa.array(ends).cast(pa.float64())
        except pa.ArrowInvalid:
            return None
        numbers = np.array([np.nan, *map(float, values)]) + 0.0
        limits = own.limits or limits_of(numbers, own.rows, own.weight)
        return OutOfCoreNumbers(name, numbers, limits)

    def whole(self, column: NumericColumn) -> WholeNumbers | None:
        """Summarise a continuous column that was encoded from text."""
        assert isinstance(column, OutOfCoreNumbers)
        return whole_floats(column.of_place, self.spool.columns[column.name].weight)

    def texts(self, column: CategoricalColumn) -> UnlistedTexts:
        """Summarise the texts of a column without a list, in several passes, each for a part of the texts."""
        assert isinstance(column, OutOfCoreCategories)
        assert column.spool.unlisted is not None
        passes = -(-self.spool.count * _BYTES_IN_PASS // self.memory)
        counts = np.zeros(OTHER + 1, dtype=np.int64)
        blanks = 0
        for turn in range(passes):
            distinct = _different(list(self.spool.each(_different_texts, column.name, turn, passes)))
            counts += np.bincount(distinct["form"], minlength=len(counts))
            blanks += int(distinct["blanks"].sum())
        dates, numbers = int(counts[DATE]), int(counts[NUMBER])
        forms = TextForms(int(counts.sum()), dates, numbers, dates + int(counts[OTHER]), blanks)
        return UnlistedTexts(forms, column.spool.unlisted.others)

    def known(self, column: Column) -> int:
        """Return the number of rows, by weight, with a value of a column."""
        own = _stored(column)
        return own.known if isinstance(own, OutOfCoreCategories) else own.limits.known

    def masks(self, columns: Mapping[Name, Column]) -> Iterator[dict[Name, Mask]]:
        """Yield which rows have a missing value of each column, a part of the rows at a time."""
        stored = {name: _stored(column) for name, column in columns.items()}
        for found in self.spool.each(_masks, stored):
            yield from found

    def without(self, columns: Mapping[Name, Column], gaps: Sequence[Name], *, all_of_them: bool) -> KeptRows:
        """Leave out the rows with a missing value in one of these columns, or in all of them."""
        rule = Rule(tuple(_stored(columns[name]) for name in gaps), all_of_them)
        stored = {name: _stored(column) for name, column in columns.items()}
        parts = list(self.spool.each(_left, stored, rule))
        left = replace(
            self,
            rule=rule,
            count=sum(own.count for own in parts),
            total=sum(own.total for own in parts),
            all_once=all(own.all_once for own in parts),
        )
        kept: dict[Name, Column] = {}
        for name, own in stored.items():
            if isinstance(own, OutOfCoreCategories):
                counts = np.sum([part.counts[name] for part in parts], axis=0)
                kept[name] = own.keep(counts, sum(part.known[name] for part in parts))
            else:
                kept[name] = replace(own, limits=Limits.of_all([part.limits[name] for part in parts]))
        return KeptRows(left, kept)

    def tabulate(self, columns: Mapping[Name, Column], *, may_have_holes: bool) -> BlockTable:
        """Encode the rows into blocks."""
        stored = {name: _stored(column) for name, column in columns.items()}
        categories = {name: own for name, own in stored.items() if isinstance(own, OutOfCoreCategories)}
        numbers = {name: own for name, own in stored.items() if isinstance(own, OutOfCoreNumbers)}
        holes = {name for name, own in stored.items() if may_have_holes and own.missing_count}
        greatest = max((len(own.levels) - (name not in holes) for name, own in categories.items()), default=0)
        layout = BlockLayout(
            names=tuple(stored),
            categorical=tuple(categories),
            levels=tuple(own.levels for own in categories.values()),
            codes=code_type(greatest),
            continuous=tuple(numbers),
            holes=frozenset(holes),
            weighted=self.spool.weighted and not self.all_once,
        )
        encoding = Encoding(layout, tuple(categories.values()), tuple(numbers.values()), self.rule)
        return self._tabulated(encoding)

    def _tabulated(self, encoding: Encoding) -> BlockTable:
        """Write the rows to disk, in blocks."""
        assert isinstance(self.spool, SpoolPart)
        rows = rows_of_block(self.memory, len(encoding.categories), len(encoding.numbers))
        writer = BlockWriter(self.folder(), encoding.layout, rows)
        for codes, values, weights, count in encoding.rows_of(self.spool):
            writer.add(codes, values, weights, count)
        return writer.table(self.total)


def _different_texts(spool: SpoolPart, name: Name, turn: int, passes: int) -> NDArray[Any]:
    """Return the summaries of the distinct texts of one pass."""
    parts = []
    for piece in spool.pieces():
        texts = piece.texts(name)
        parts.append(texts[(texts["form"] != MISSING) & (texts["first"] % np.uint64(passes) == turn)])
    return _different(parts)


def _different(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    texts = np.concatenate([*parts, np.empty(0, dtype=TEXT)])
    texts = texts[np.lexsort((texts["second"], texts["first"]))]
    is_new = np.ones(len(texts), dtype=np.bool_)
    is_new[1:] = (texts["first"][1:] != texts["first"][:-1]) | (texts["second"][1:] != texts["second"][:-1])
    different: NDArray[Any] = texts[is_new]
    return different


@dataclass(frozen=True)
class Encoding:
    """How spooled rows are encoded; `rule` says which rows are left out."""

    layout: BlockLayout
    categories: tuple[OutOfCoreCategories, ...]
    numbers: tuple[OutOfCoreNumbers, ...]
    rule: Rule | None

    def rows_of(self, spool: SpoolPart) -> Iterator[tuple[list[Codes], list[NDArray[np.float64]], Weights | None, int]]:
        """Yield codes, values, weights and the number of rows, a part of the rows at a time."""
        for piece in spool.pieces():
            kept = slice(None) if self.rule is None else self.rule.kept(piece)
            yield (
                [own.codes(piece)[kept] for own in self.categories],
                [own.values(piece)[kept] for own in self.numbers],
                piece.weights[kept] if self.layout.weighted and piece.weights is not None else None,
                piece.count if isinstance(kept, slice) else int(kept.sum()),
            )

    def table_of(self, spool: SpoolPart) -> Table:
        """Return all rows as a table in memory."""
        parts = list(self.rows_of(spool))
        rows = sum(count for _, _, _, count in parts)
        codes = np.empty((len(self.categories), rows), dtype=self.layout.codes)
        values = np.empty((len(self.numbers), rows))
        weights = np.empty(rows, dtype=np.int64) if self.layout.weighted else None
        first = 0
        for own_codes, own_values, own_weights, count in parts:
            here = slice(first, first + count)
            for column, own in zip(codes, own_codes, strict=True):
                column[here] = own
            for numbers, more in zip(values, own_values, strict=True):
                numbers[here] = more
            if weights is not None:
                assert own_weights is not None
                weights[here] = own_weights
            first += count
        # Use one bit pattern for all NaN.
        values[np.isnan(values)] = np.nan
        return self.layout.table(codes, values, weights)


def _masks(spool: SpoolPart, columns: Mapping[Name, OutOfCoreCategories | OutOfCoreNumbers]) -> list[dict[Name, Mask]]:
    return [{name: column.missing(piece) for name, column in columns.items()} for piece in spool.pieces()]


@dataclass
class _Left:
    """Summaries of the rows that a rule keeps: counts of codes, limits of numbers, and the number of rows."""

    counts: dict[Name, NDArray[np.int64]]
    known: dict[Name, int]
    limits: dict[Name, Limits]
    count: int = 0
    total: int = 0
    all_once: bool = True


def _left(spool: SpoolPart, columns: Mapping[Name, OutOfCoreCategories | OutOfCoreNumbers], rule: Rule) -> _Left:
    """Summarise the rows that a rule keeps."""
    counts = {
        name: np.zeros(len(own.levels) + 1, dtype=np.int64)
        for name, own in columns.items()
        if isinstance(own, OutOfCoreCategories)
    }
    left = _Left(counts, dict.fromkeys(counts, 0), {name: Limits() for name in columns if name not in counts})
    for piece in spool.pieces():
        kept = rule.kept(piece)
        rows = int(kept.sum())
        weights = None if piece.weights is None else piece.weights[kept]
        left.count += rows
        left.total += rows if weights is None else int(weights.sum())
        left.all_once = left.all_once and (weights is None or bool((weights == 1).all()))
        for name, own in columns.items():
            if isinstance(own, OutOfCoreCategories):
                codes = own.codes(piece)[kept]
                counts[name] += np.bincount(codes, minlength=len(counts[name]))
                there = codes < len(own.levels)
                left.known[name] += int(there.sum() if weights is None else weights[there].sum())
            else:
                values = own.values(piece)[kept]
                left.limits[name].add(values, np.isnan(values), weights)
    return left


def _stored(column: Column) -> OutOfCoreCategories | OutOfCoreNumbers:
    assert isinstance(column, OutOfCoreCategories | OutOfCoreNumbers)
    return column


def _as_integers(values: list[float]) -> list[Any]:
    try:
        integers: list[Any] = pa.array(values, pa.float64()).cast(pa.int64()).to_pylist()
    except pa.ArrowInvalid:
        return values
    return integers


def _distinct(spool: SpooledRows, name: Name) -> NDArray[Any]:
    """Return the distinct numbers of a column, ascending."""
    parts = [own for own in spool.each(_distinct_here, name) if own is not None]
    return np.unique(np.concatenate(parts)) if parts else np.empty(0)


def _distinct_here(spool: SpoolPart, name: Name) -> NDArray[Any] | None:
    found: NDArray[Any] | None = None
    for piece in spool.pieces():
        numbers, missing = piece.numbers(name)
        own = np.unique(numbers if missing is None else numbers[~missing])
        found = own if found is None else np.union1d(found, own)
    return found


def _whole_by_passes(spool: SpooledRows, name: Name, column: SpooledColumn, memory: int) -> WholeNumbers:
    """Summarise whole numbers without a list, in several passes over the column, each for a part of the values."""
    assert column.limits is not None
    limits = column.limits
    passes = -(-spool.count * _BYTES_IN_PASS // memory)
    distinct, step = 0, 0
    equally_often: set[int] = set()
    least = int(limits.least)
    for turn in range(passes):
        parts = list(spool.each(_differences, name, least, turn, passes))
        differences = np.concatenate([own for own, _ in parts])
        weights = np.concatenate([own for _, own in parts if own is not None]) if spool.weighted else None
        values, counts = distinct_counts(differences, weights)
        distinct += values.size
        equally_often.update(np.unique(counts).astype(np.int64).tolist()[:2])
        step = int(np.gcd.reduce(values.view(np.uint64), initial=np.uint64(step)))
    spread = None
    if distinct > 1 and len(equally_often) == 1:
        spread = (int(limits.greatest) - least) // step + 1
    return WholeNumbers(limits.known, distinct, spread, max(-least, int(limits.greatest)))


def _differences(
    spool: SpoolPart, name: Name, least: int, turn: int, passes: int
) -> tuple[NDArray[np.int64], Weights | None]:
    """Return the differences of the numbers of one pass from the least number, and their weights."""
    parts: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    weights: list[Weights] = [np.empty(0, dtype=np.int64)]
    for piece in spool.pieces():
        numbers, missing = piece.numbers(name)
        there = np.ones(len(numbers), dtype=np.bool_) if missing is None else ~missing
        # Unsigned differences from the least number fit 64 bits for every integer type.
        whole = numbers.astype(np.int64) if numbers.dtype.kind == "f" else numbers
        apart = (whole.astype(np.uint64) - np.uint64(least % 2**64)).astype(np.uint64)
        there &= apart % np.uint64(passes) == turn
        parts.append(apart[there].view(np.int64))
        if piece.weights is not None:
            weights.append(piece.weights[there])
    return np.concatenate(parts), np.concatenate(weights) if spool.weighted else None
