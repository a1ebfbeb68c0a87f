"""Learn with a callable of the user: it takes a frame of the kind of the data, and returns edges or a graph."""

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
from stablebn.errors import GraphError, shown
from stablebn.graph import PDAG, as_graph
from stablebn.graph.convert import edges_by_kind
from stablebn.graph.names import Edge, name_key
from stablebn.io.csv.dialect import OF_TEXT, Dialect
from stablebn.io.sources import read
from stablebn.learners import define_problem
from stablebn.options import is_hashable, is_iterable, refuse_unknown
from stablebn.prepare.prepare import prepare
from stablebn.prepare.read_options import ReadOptions
from stablebn.prepare.relayout import permutation
from stablebn.resampling.runner import ResampledLearner
from stablebn.result.result import Result
from stablebn.scores.registry import ScoreConfig

OPTIONS = ("names", "weights", "kinds", "columns", "drop", "keep", *OF_TEXT, "threads")
"""The options of a bootstrap of a callable: how to read the table, and how many threads there are."""


def callable_name(function: Callable[..., object]) -> str:
    """Return the name of a callable, or of its type."""
    return str(getattr(function, "__name__", type(function).__name__))


def frame(columns: Columns) -> Any:
    """Convert columns to a pandas DataFrame, or to a PyArrow Table if pandas is not installed."""
    table = pa.Table.from_arrays([column.unify_dictionaries() for column in columns.values()], list(map(str, columns)))
    try:
        import pandas
    except ImportError:
        return table
    framed = table.to_pandas()
    # Names need not be text; and tuples would become a MultiIndex.
    framed.columns = pandas.Index(list(columns), tupleize_cols=False)
    return framed


def edges_of(learned: object) -> tuple[list[Edge], list[Edge]]:
    """Return the directed and the undirected edges that a learner returned; a pair in both directions is undirected."""
    if isinstance(learned, Result):
        # The learned graph itself, and not a DAG that extends it.
        learned = learned.pdag
    # Networks and networkx graphs are iterable too, over their nodes.
    if not is_iterable(learned) or hasattr(learned, "dag") or hasattr(learned, "is_directed"):
        directed, undirected = edges_by_kind(as_graph(learned))
        return list(directed), list(undirected)
    pairs = dict.fromkeys(_pair(edge) for edge in learned)
    return (
        [(u, v) for u, v in pairs if (v, u) not in pairs],
        [(u, v) for u, v in pairs if (v, u) in pairs and name_key(u) <= name_key(v)],
    )


def _pair(edge: object) -> Edge:
    if isinstance(edge, tuple | list) and len(edge) == 2 and all(map(is_hashable, edge)):
        return edge[0], edge[1]
    raise GraphError(f"a learner must return a graph, or pairs of column names; got {shown(edge)} for a pair.")


class CallableLearner(ResampledLearner):
    """A callable from a frame to a graph, with a table.

    The frames have rows of the table as they are: the callable handles missing values itself. It is not known whether
    its graphs depend on the layout, so `stable` is false. It may not be safe to call in several threads, so one thread
    is the default.

    Parameters
    ----------
    function : callable
    data : object
        As `learn` takes it.
    options : mapping
        Some of `OPTIONS`.
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
            columns,
            ReadOptions(
                kinds=options.get("kinds"),
                keep=options.get("keep"),
                weights=weights,
                missing="available",
                threads=1,
            ),
        )
        self.title = callable_name(function)
        self.threads = options.get("threads") or 1
        self.rows = prepared.table.total
        problem = define_problem(prepared.table, ScoreConfig(), unit_free=True)
        varying = tuple(problem.names[v] for v in problem.decreasing)
        ranks: dict[Hashable, Hashable] = {name: rank for rank, name in enumerate(varying)}
        self.canonical = (*varying, *sorted((name for name in columns if name not in ranks), key=name_key))
        distinct = canonical_rows(prepared.table, called=ranks)
        self._function = function
        self._columns = columns
        self._frame_of = _frames(data, columns)
        used = _used_rows(columns, weights, list(prepared.kinds))
        self.distinct = CanonicalRows(used[distinct.places], distinct.counts)
        counts = np.ones(len(used), dtype=np.int64) if prepared.table.weights is None else prepared.table.weights
        self.learned = self._learned(self._frame_of(np.repeat(used, counts), list(columns)))

    def learn(self, times: NDArray[np.int64], columns: list[Hashable] | None, shuffle: random.Random) -> PDAG:
        """Learn the CPDAG of a replicate with shuffled rows; see `ResampledLearner.learn`."""
        rows = np.repeat(self.distinct.places, times)
        return self._learned(self._frame_of(rows[permutation(len(rows), shuffle)], columns or list(self._columns)))

    def _learned(self, table: Any) -> PDAG:
        graph = PDAG(list(self._columns), *edges_of(self._function(table)))
        return graph.cpdag() if graph.is_extendable else graph

    def identity(self) -> dict[str, Any]:
        """Return the module and the name of the callable: its code is not compared."""
        function: Any = self._function
        return {"module": getattr(function, "__module__", ""), "name": getattr(function, "__qualname__", self.title)}

    def contents(self) -> Iterator[Any]:
        """Yield the columns by name, with rows in canonical order."""
        for name in sorted(self._columns, key=name_key):
            values = self._columns[name].take(pa.array(self.distinct.places)).to_pylist()
            yield np.array([repr((name, values))])
        yield self.distinct.counts


def _used_rows(columns: Columns, weights: pa.ChunkedArray | None, among: Sequence[Hashable]) -> NDArray[np.int64]:
    """Return the rows that a prepared table has: those with a weight above 0 and a value in some column."""
    used = np.ones(len(next(iter(columns.values()))), dtype=np.bool_)
    if weights is not None:
        used = np.asarray(weights.to_numpy() > 0)
    missing = [pc.is_null(columns[name], nan_is_null=True).to_numpy() for name in among]
    if missing:
        used = used & ~np.logical_and.reduce(missing)
    return np.flatnonzero(used)


def _frames(data: object, columns: Columns) -> Callable[[NDArray[np.int64], list[Hashable]], Any]:
    """Return a function from rows and columns to a frame of the same type as `data`.

    For other data the frame is a pandas DataFrame, or a PyArrow Table if pandas is not installed.
    """
    given: Any = data
    if nw.dependencies.is_pandas_dataframe(given):
        return lambda rows, names: given.loc[:, names].iloc[rows].reset_index(drop=True)
    if nw.dependencies.is_polars_dataframe(given):
        return lambda rows, names: given.select(names)[rows]
    if nw.dependencies.is_pyarrow_table(given):
        return lambda rows, names: given.select(names).take(pa.array(rows))
    return lambda rows, names: frame({name: columns[name].take(pa.array(rows)) for name in names})
