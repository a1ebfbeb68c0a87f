"""Somebody else's learner on replicates: a frame of the user's own kind for each."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from stablebn.api.arguments import checked_values
from stablebn.canonical.rows import CanonicalRows, canonical_rows
from stablebn.columns.arrow.conversion import Columns
from stablebn.columns.selection import ColumnSelection
from stablebn.columns.weights import split_weights
from stablebn.graph import PDAG
from stablebn.graph.names import name_key
from stablebn.io.csv.dialect import OF_TEXT, Dialect
from stablebn.io.sources import read
from stablebn.learners import define_problem
from stablebn.options import refuse_unknown
from stablebn.prepare.prepare import prepare
from stablebn.prepare.relayout import permutation
from stablebn.resampling.learner_in_layout import edges_of, frame
from stablebn.scores.registry import ScoreConfig

OPTIONS = ("names", "weights", "kinds", "columns", "drop", "keep", *OF_TEXT, "threads")
"""What a bootstrap of a callable can be told of the table."""


class CallableLearner:
    """A callable from a frame to a graph, a table, and frames with other rows of it.

    The rows of a frame are those of the table, as they stand there: missing values are the callable's affair.

    Parameters
    ----------
    function : callable
    data : object
        As `learn` takes it.
    options : mapping
        Some of `OPTIONS`.

    Attributes
    ----------
    title, stable, result, learned, rows, canonical, distinct, failures, threads
        As of `OurLearner`. Nobody knows whether it is stable; and it may not bear to be called by several threads, so
        unless it is said otherwise there is one.
    """

    stable = False
    result = None
    failures: ClassVar[tuple[type[Exception], ...]] = (Exception,)

    def __init__(self, function: Callable[[Any], object], data: object, options: Mapping[str, Any]) -> None:
        refuse_unknown("bootstrap of a callable", options, OPTIONS)
        options = checked_values(options)
        source = read(
            data,
            names=options.get("names"),
            dialect=Dialect.of(options),
            choice=ColumnSelection(options.get("columns"), options.get("drop"), besides=options.get("weights")),
        )
        columns, weights = split_weights(source.columns, options.get("weights"))
        prepared = prepare(
            columns, kinds=options.get("kinds"), keep=options.get("keep"), weights=weights, missing="available"
        )
        self.title = str(getattr(function, "__name__", type(function).__name__))
        self.threads = options.get("threads") or 1
        self.rows = prepared.table.total
        problem = define_problem(prepared.table, ScoreConfig(), unit_free=True)
        varying = tuple(problem.names[v] for v in problem.decreasing)
        called: dict[Hashable, Hashable] = {name: place for place, name in enumerate(varying)}
        self.canonical = (*varying, *sorted((name for name in columns if name not in called), key=name_key))
        found = canonical_rows(prepared.table, called=called)
        self._function = function
        self._columns = columns
        self._with_rows = _frames(data, columns)
        used = _used_rows(columns, weights, list(prepared.kinds))
        self.distinct = CanonicalRows(used[found.places], found.counts)
        counts = np.ones(len(used), dtype=np.int64) if prepared.table.weights is None else prepared.table.weights
        self.learned = self._learned(self._with_rows(np.repeat(used, counts), list(columns)))

    def learn(self, times: NDArray[np.int64], columns: list[Hashable] | None, shuffle: random.Random) -> PDAG:
        """The class of the graph of a replicate, its rows shuffled; see `OurLearner.learn`."""
        rows = np.repeat(self.distinct.places, times)
        return self._learned(self._with_rows(rows[permutation(len(rows), shuffle)], columns or list(self._columns)))

    def _learned(self, table: Any) -> PDAG:
        graph = PDAG(list(self._columns), *edges_of(self._function(table)))
        return graph.cpdag() if graph.is_extendable else graph

    def told(self) -> dict[str, Any]:
        """Whose it is: what a callable does nobody can tell."""
        function: Any = self._function
        return {"module": getattr(function, "__module__", ""), "name": getattr(function, "__qualname__", self.title)}

    def contents(self) -> Iterator[Any]:
        """The table, whatever its layout: columns by name, rows in canonical order."""
        for name in sorted(self._columns, key=name_key):
            values = self._columns[name].take(pa.array(self.distinct.places)).to_pylist()
            yield np.array([repr((name, values))])
        yield self.distinct.counts


def _used_rows(columns: Columns, weights: pa.ChunkedArray | None, among: Sequence[Hashable]) -> NDArray[np.int64]:
    """The rows that a prepared table has: those with a weight, and with a value in some column."""
    used = np.ones(len(next(iter(columns.values()))), dtype=np.bool_)
    if weights is not None:
        used = np.asarray(weights.to_numpy() > 0)
    missing = [pc.is_null(columns[name], nan_is_null=True).to_numpy() for name in among]
    if missing:
        used = used & ~np.logical_and.reduce(missing)
    return np.flatnonzero(used)


def _frames(data: object, columns: Columns) -> Callable[[NDArray[np.int64], list[Hashable]], Any]:
    """A function that makes a frame of rows and columns, of the kind that the user gave.

    Where that was no frame it is a pandas DataFrame, or a PyArrow Table where pandas is not installed.
    """
    given: Any = data
    if nw.dependencies.is_pandas_dataframe(given):
        return lambda rows, names: given.loc[:, names].iloc[rows].reset_index(drop=True)
    if nw.dependencies.is_polars_dataframe(given):
        return lambda rows, names: given.select(names)[rows]
    if nw.dependencies.is_pyarrow_table(given):
        return lambda rows, names: given.select(names).take(pa.array(rows))
    return lambda rows, names: frame({name: columns[name].take(pa.array(rows)) for name in names})
