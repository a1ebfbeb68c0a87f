"""Layouts: the same table in other words. What it says stays the same; how it is laid out does not.

Every variation is drawn from a stream of its own, and keys for its columns and rows as they were before the case was
made smaller: without a variation, a column or a row, the others stay as they were.
"""

from __future__ import annotations

import csv
import gzip
import io
import random
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import feather, parquet
from tests.drawn import Streams
from tests.forced import FORCED, limits_of

from fuzz.cases import Case, are_numbers
from fuzz.naming import are_odd, names_for
from stablebn import _core
from stablebn.stats import counts

VARIATIONS: Mapping[str, float] = {
    "columns": 0.6,
    "rows": 0.6,
    "names": 0.5,
    "levels": 0.3,
    "units": 0.5,
    "weights": 0.3,
    "gaps": 0.5,
    "form": 0.5,
    "asked": 0.7,
    "threads": 0.1,
    "engine": 0.3,
    "counting": 0.15,
    "process": 0.04,
    "cache": 0.05,
}
"""What differs between layouts, and how often: the order of columns and of rows, names, labels of levels, units,
weights for repeated rows and the other way round, rows with missing values left out by hand, the form of the data, the
form of a graph that is given and the order of its parts, threads, the engine that counts, the way it counts, another
process with another hash seed that knows no vector instructions, and a cache, from which a second call must learn the
same."""


@dataclass(frozen=True)
class Layout:
    """A table laid out, and under which circumstances it is learned from.

    Attributes
    ----------
    varied : tuple of str
        What differs from the table as it was drawn.
    data : frame, array, dict or path
    names : tuple of names
        Of the columns, by their place in the table as it was drawn.
    reading : dict
        How the data are to be read: options `names`, `weights`, `kinds`.
    units : {"", "signs", "exact", "any"}
        What continuous columns were multiplied by: 1 or -1, other numbers that round no value, any.
    graph : {"dag", "arcs", "networkx"}
        The form of a graph that is given.
    shuffle : random.Random or None
        For the order of what has none: nodes, arcs, the two ends of a test. None: as drawn.
    threads : int
    engine, counting : str
        Empty: the usual ones.
    cached : bool
        Whether the data, a file, are learned from twice with one cache.
    """

    varied: tuple[str, ...]
    data: object
    names: tuple[Hashable, ...]
    reading: dict[str, Any]
    units: str = ""
    graph: str = "dag"
    shuffle: random.Random | None = None
    threads: int = 1
    engine: str = ""
    counting: str = ""
    cached: bool = False

    def shuffled(self, things: Sequence[Any]) -> list[Any]:
        """Things that have no order, in the order of this layout."""
        found = list(things)
        if self.shuffle is not None:
            self.shuffle.shuffle(found)
        return found

    @contextmanager
    def forced(self) -> Iterator[None]:
        """Count with its engine and in its way meanwhile."""
        engine, limits, nanoseconds = _core.engine(), counts.LIMITS, _core.worth_a_thread()
        try:
            if self.engine:
                _core.use_engine(self.engine)
            if self.counting:
                counts.LIMITS = limits_of(self.counting)
            if self.threads > 1:
                # Else work on small tables stays with one thread.
                _core.set_worth_a_thread(0)
            yield
        finally:
            _core.use_engine(engine)
            counts.LIMITS = limits
            _core.set_worth_a_thread(nanoseconds)


@dataclass
class _Sheet:
    """A table while it is laid out: columns by place, rows as they will stand."""

    values: NDArray[Any]
    labels: list[tuple[Hashable, ...]]
    gaps: NDArray[np.bool_] | None
    weights: NDArray[np.int64] | None

    @property
    def numbers(self) -> NDArray[np.bool_]:
        """Which columns are numbers."""
        return are_numbers(self.labels)

    def take(self, rows: NDArray[np.int64], weights: NDArray[np.int64] | None) -> None:
        """Keep some rows, perhaps several times, with these weights."""
        self.values = self.values[:, rows]
        self.gaps = None if self.gaps is None else self.gaps[:, rows]
        self.weights = weights


def possible(case: Case, *, told_apart: bool) -> tuple[str, ...]:
    """The variations that may not change the answer to a case, or change it only as `fuzz.comparing` says.

    Parameters
    ----------
    case : Case
    told_apart : bool
        Whether every column has a score of its own: if so, neither names nor labels are ever asked.
    """
    table, impossible = case.table, set()
    if not case.stable:
        impossible.add("columns")
    learns = case.question in ("learn", "stability")
    if learns and not told_apart and (not case.stable or case.question != "learn"):
        # Names decide between interchangeable columns. The order of the columns may tell these apart nevertheless, so
        # that no exchange of them gives the same answer; and to an audit their graphs are several.
        impossible.add("names")
    if are_odd(table.names):
        # They may be refused, and others are not.
        impossible.add("names")
    if table.kind == "continuous":
        impossible |= {"levels", "counting"}
    elif not told_apart and not (table.has_common_labels and case.options.get("missing") != "level"):
        # Labels distinguish columns with the same score (specification, section 4, key 3): they must keep their order,
        # also that of their texts to None, the level of missing values.
        impossible.add("levels")
    if not case.has_units or ("duplicates" in case.options and not (case.stable and case.unit_free)):
        # Or the order of the variables depends on where that one of merged copies stands whose values are least, or on
        # its unit.
        impossible.add("units")
    if case.options.get("missing") != "drop":
        impossible.add("gaps")
    if case.question != "learn":
        impossible.add("cache")
    if not case.graph_is and not case.known and case.question == "learn":
        impossible.add("asked")
    return tuple(variation for variation in VARIATIONS if variation not in impossible)


def lay_out(case: Case, number: int, only: Collection[str] | None = None, *, told_apart: bool = False) -> Layout:
    """Lay a table out anew; layout 0 is the table as it was drawn.

    Parameters
    ----------
    case : Case
    number : int
    only : collection of variations, optional
        Leave out all others.
    told_apart : bool
        See `possible`.
    """
    table = case.table
    sheet = _Sheet(table.values, list(table.labels), table.gaps, table.weights)
    if number == 0:
        data, reading = _given(sheet, table.names, range(table.n), "dict", random.Random(0), {})
        return Layout((), data, table.names, reading)
    streams = Streams(f"layout {case.seed} {number}")
    chosen = {what: streams["varied"].random() < share for what, share in VARIATIONS.items()}
    may_vary = possible(case, told_apart=told_apart)
    varied = [what for what in may_vary if chosen[what] and (only is None or what in only)]

    units = ""
    if "units" in varied:
        units = _change_units(sheet, case, streams["units"])
    if "levels" in varied:
        _change_labels(sheet, streams["levels"], free=told_apart)
    if "gaps" in varied and sheet.gaps is not None and not sheet.gaps.any(axis=0).all():
        complete = np.flatnonzero(~sheet.gaps.any(axis=0))
        sheet.take(complete, None if sheet.weights is None else sheet.weights[complete])
        sheet.gaps = None
    # Rows before weights, as their keys are those of the rows that were drawn.
    if "rows" in varied and sheet.values.shape[1] == len(case.rows):
        order = np.argsort(_keys(streams["rows"], case.drawn[1])[list(case.rows)], kind="stable")
        sheet.take(order, None if sheet.weights is None else sheet.weights[order])
    if "weights" in varied:
        _change_weights(sheet, streams["weights"])
    names = table.names
    if "names" in varied:
        aliases = names_for(streams["names"], case.drawn[0], usual=0.4, odd=False)
        names = tuple(aliases[c] for c in case.columns)
    columns: Sequence[int] = range(table.n)
    if "columns" in varied:
        keys = _keys(streams["columns"], case.drawn[0])[list(case.columns)]
        columns = np.argsort(keys, kind="stable").tolist()
    forms = _forms(names, sheet)
    form = _form(streams, forms) if "form" in varied else "dict"
    if "cache" in varied:
        files = [own for own in FILES if own in forms]
        if files:
            form = streams["cached file"].choice(files)
        else:
            varied.remove("cache")
    reading = {}
    in_a_column = "weights" in varied and streams.often("weight column", 0.5)
    # A table that is read in parts, as a cached one is, has its weights in a column.
    if sheet.weights is not None and (in_a_column or "cache" in varied):
        reading["weights"] = "how often"
    data, reading = _given(sheet, names, columns, form, streams["chunks"], reading)
    return Layout(
        varied=tuple(varied),
        data=data,
        names=names,
        reading=reading,
        units=units,
        graph=streams["asked"].choice(("dag", "arcs", "networkx")) if "asked" in varied else "dag",
        shuffle=streams["shuffle"] if "asked" in varied else None,
        threads=streams["threads"].choice((2, 5)) if "threads" in varied else 1,
        engine=streams["engine"].choice(_core.engines()) if "engine" in varied else "",
        counting=streams["counting"].choice(list(FORCED)) if "counting" in varied else "",
        cached="cache" in varied,
    )


def _keys(rng: random.Random, n: int) -> NDArray[np.uint64]:
    return np.frombuffer(rng.randbytes(8 * n), dtype="<u8")


def _change_units(sheet: _Sheet, case: Case, rng: random.Random) -> str:
    """Multiply columns by 1 or -1; by other numbers, and shift them, so that no value is rounded; or by any."""
    # A score has units, but no sign; and so it is with orders that depend on variances.
    kind = rng.choice(("signs", "exact", "any"))
    if case.question == "score" or not case.unit_free:
        kind = "signs"
    if kind == "any" and case.table.has_near_copies:
        # Rounding anew may change which of their values differ by so much that these decide.
        kind = "exact"
    signs = [rng.choice((-1.0, 1.0)) for _ in range(case.drawn[0])]
    scale, shift = [1.0] * case.drawn[0], [0.0] * case.drawn[0]
    values, columns = sheet.values[sheet.numbers], np.array(case.columns)[sheet.numbers].tolist()
    if kind == "any":
        scale = [10 ** rng.uniform(-2, 2) for _ in signs]
        shift = [rng.uniform(-1, 1) for _ in signs]
    elif kind == "exact" and np.abs(values).max() < 2**30 and _are_whole(values * 8):
        scale = [rng.choice((1.0, 3.0, 10.0, 1000.0)) * 2.0 ** rng.randint(-30, 30) for _ in signs]
        shift = [float(rng.randint(-1000, 1000)) for _ in signs]
    elif kind == "exact":
        scale = [2.0 ** rng.randint(-30, 30) for _ in signs]
    factor = np.array([[signs[c] * scale[c]] for c in columns])
    zero = np.array([[shift[c]] for c in columns])
    if kind == "any":
        zero = zero * np.abs(values).max(axis=1, keepdims=True)
    sheet.values = sheet.values.copy()
    sheet.values[sheet.numbers] = (values + zero) * factor
    return kind


def _change_labels(sheet: _Sheet, rng: random.Random, *, free: bool) -> None:
    """Give levels other labels: any, or in the same order and the same for all columns."""
    most = max(map(len, sheet.labels))
    if free:
        sheet.labels = [tuple(rng.sample([f"l{code:02d}" for code in range(20)], len(own))) for own in sheet.labels]
        return
    kinds: list[tuple[Hashable, ...]] = [
        tuple(f"level {code:02d}" for code in range(most)),
        tuple("αβγδεζηθικλ"[:most]),
        tuple(range(most)),
        (False, True) if most <= 2 else tuple("ABCDEFGHIJK"[:most]),
    ]
    new = rng.choice(kinds)
    sheet.labels = [new[: len(own)] for own in sheet.labels]


def _change_weights(sheet: _Sheet, rng: random.Random) -> None:
    rows = sheet.values.shape[1]
    every = np.arange(rows)
    if sheet.weights is None:
        if rng.random() < 0.5:
            _collapse(sheet)
            return
        # Rows of weight 0 are as if they were not there.
        idle = np.array([rng.randrange(rows) for _ in range(rng.randint(0, 3))], dtype=np.int64)
        sheet.take(np.concatenate([every, idle]), np.array([1] * rows + [0] * len(idle)))
    elif rng.random() < 0.5:
        sheet.take(np.repeat(every, sheet.weights), None)
    else:
        part = np.array([rng.randint(0, weight) for weight in sheet.weights.tolist()])
        sheet.take(np.concatenate([every, every]), np.concatenate([part, sheet.weights - part]))


def _collapse(sheet: _Sheet) -> None:
    """Make equal rows one, with a weight."""
    rows = sheet.values.T if sheet.gaps is None else np.hstack([sheet.values.T, sheet.gaps.T])
    _, first, times = np.unique(rows, axis=0, return_index=True, return_counts=True)
    sheet.take(first, times)


Columns = dict[Hashable, NDArray[Any]]


def _given(
    sheet: _Sheet,
    names: Sequence[Hashable],
    order: Sequence[int],
    form: str,
    rng: random.Random,
    reading: dict[str, Any],
) -> tuple[object, dict[str, Any]]:
    """The data in a form, and how they are to be read."""
    columns: Columns = {}
    for c in order:
        own = sheet.values[c]
        if sheet.labels[c]:
            own = np.array([*sheet.labels[c], None], dtype=object)[own.astype(np.int64)]
        elif form == "integers":
            own = own.astype(np.int64)
        elif form in DECIMALS:
            own = np.array([Decimal(repr(value)) for value in own.tolist()], dtype=object)
        if sheet.gaps is not None:
            own = np.where(sheet.gaps[c], None if own.dtype == object else np.nan, own)
        columns[names[c]] = own
    if sheet.weights is not None:
        if reading:
            columns[reading["weights"]] = sheet.weights
        else:
            reading = {"weights": sheet.weights.tolist()}
    # Said, because whole numbers may be either, and what they are taken for may depend on labels and units.
    reading = {**reading, "kinds": {names[c]: "categorical" if sheet.labels[c] else "continuous" for c in order}}
    if form == "array":
        array = np.empty(
            (len(next(iter(columns.values()))), len(columns)), dtype=float if sheet.numbers.all() else object
        )
        for place, own in enumerate(columns.values()):
            array[:, place] = own
        return array, {**reading, "names": list(columns)}
    return FORMS[form](columns, rng), reading


def _forms(names: Sequence[Hashable], sheet: _Sheet) -> list[str]:
    """The forms that can hold a table."""
    impossible = set()
    if not all(isinstance(name, str) for name in names):
        impossible |= {"polars", "arrow", "dictionaries", "decimal128", *FILES}
    if any(isinstance(label, bool) for own in sheet.labels for label in own):
        # In text they are words.
        impossible |= {"csv", "csv.gz"}
    if not sheet.numbers.any() or sheet.gaps is not None or not _are_whole(sheet.values[sheet.numbers]):
        impossible.add("integers")
    if not all(_fit_decimals(own) for own in sheet.values[sheet.numbers]):
        impossible |= {*DECIMALS}
    return [form for form in (*FORMS, "array") if form not in impossible]


def _form(streams: Streams, forms: Sequence[str]) -> str:
    """A form, files less often: they take long."""
    files = [form for form in forms if form in FILES]
    others = [form for form in forms if form not in FILES]
    return streams["form"].choice(files if files and streams.often("file", 0.15) else others)


def _are_whole(values: NDArray[Any]) -> bool:
    return bool((np.abs(values) < 2**53).all() and (values == np.floor(values)).all())


def _fit_decimals(values: NDArray[Any]) -> bool:
    """Whether decimals of 38 digits, the most that Arrow's have, hold the shortest texts of all values."""
    exact = [Decimal(repr(value)).as_tuple() for value in values.tolist()]
    after = [-int(own.exponent) for own in exact]
    before = [len(own.digits) + int(own.exponent) for own in exact]
    return max(0, *after) + max(0, *before) <= 38


def _as_lists(columns: Columns, rng: random.Random) -> object:
    return {name: own.tolist() for name, own in columns.items()}


def _as_arrays(columns: Columns, rng: random.Random) -> object:
    return columns


def _as_pandas(columns: Columns, rng: random.Random) -> object:
    frame = pd.DataFrame(dict(enumerate(columns.values())), index=rng.sample(range(10**6), len(_first(columns))))
    frame.columns = pd.Index(list(columns), tupleize_cols=False, dtype=object)
    return frame


def _as_categories(columns: Columns, rng: random.Random) -> object:
    """With categories in any order, and some that do not occur."""
    series = []
    for own in columns.values():
        found = list(dict.fromkeys(value for value in own.tolist() if value is not None))
        if own.dtype == object and all(isinstance(value, str) for value in found):
            found = [*found, "does not occur"]
            rng.shuffle(found)
            own = pd.Categorical(own, categories=found)
        series.append(own)
    frame = pd.DataFrame(dict(enumerate(series)))
    frame.columns = pd.Index(list(columns), tupleize_cols=False, dtype=object)
    return frame


def _as_polars(columns: Columns, rng: random.Random) -> object:
    return pl.DataFrame({str(name): own.tolist() for name, own in columns.items()})


def _as_arrow(columns: Columns, rng: random.Random) -> pa.Table:
    """With columns cut into chunks, each its own way."""
    return pa.table({str(name): _chunked(pa.array(own, from_pandas=True), rng) for name, own in columns.items()})


def _as_dictionaries(columns: Columns, rng: random.Random) -> object:
    table = _as_arrow(columns, rng)
    return pa.table(
        {
            name: column.dictionary_encode() if pa.types.is_string(column.type) else column
            for name, column in zip(table.column_names, table.columns, strict=True)
        }
    )


def _chunked(array: pa.Array, rng: random.Random) -> pa.ChunkedArray:
    cuts = sorted(rng.randint(0, len(array)) for _ in range(rng.randint(0, 3)))
    bounds = [0, *cuts, len(array)]
    return pa.chunked_array([array[a:b] for a, b in pairwise(bounds)])


def _first(columns: Columns) -> NDArray[Any]:
    return next(iter(columns.values()))


# One file of each kind, written over and over.
_FOLDER = TemporaryDirectory(prefix="stablebn-fuzz-")


def _as_csv(columns: Columns, rng: random.Random, end: str = "csv") -> object:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    rows = zip(*(own.tolist() for own in columns.values()), strict=True)
    writer.writerows([["" if value is None or value != value else value for value in row] for row in rows])
    path = Path(_FOLDER.name) / f"table.{end}"
    content = text.getvalue().encode()
    path.write_bytes(gzip.compress(content, 1) if end.endswith("gz") else content)
    return path


def _as_gzipped_csv(columns: Columns, rng: random.Random) -> object:
    return _as_csv(columns, rng, "csv.gz")


def _as_parquet(columns: Columns, rng: random.Random) -> object:
    path = Path(_FOLDER.name) / "table.parquet"
    parquet.write_table(_as_arrow(columns, rng), path, row_group_size=rng.choice((7, 1000)))
    return path


def _as_feather(columns: Columns, rng: random.Random) -> object:
    path = Path(_FOLDER.name) / "table.feather"
    feather.write_feather(_as_arrow(columns, rng).combine_chunks(), str(path))
    return path


DECIMALS = ("decimals", "decimal128")
FILES = ("csv", "csv.gz", "parquet", "feather")
FORMS: Mapping[str, Callable[[Columns, random.Random], object]] = {
    "dict": _as_lists,
    "arrays": _as_arrays,
    "integers": _as_arrays,
    "decimals": _as_lists,
    "decimal128": _as_arrow,
    "pandas": _as_pandas,
    "categories": _as_categories,
    "polars": _as_polars,
    "arrow": _as_arrow,
    "dictionaries": _as_dictionaries,
    "csv": _as_csv,
    "csv.gz": _as_gzipped_csv,
    "parquet": _as_parquet,
    "feather": _as_feather,
}
