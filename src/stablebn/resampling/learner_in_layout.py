"""One learner on one layout: ours by its name, or any callable from a frame to edges."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow as pa

from stablebn.api.learn import learn_without_signals
from stablebn.columns.arrow.conversion import Columns
from stablebn.errors import GraphError, listed, shown
from stablebn.graph import PDAG, as_graph
from stablebn.graph.convert import edges_by_kind
from stablebn.graph.names import Edge, name_key
from stablebn.messages import Caution
from stablebn.networks import read_graph
from stablebn.options import is_hashable, is_iterable
from stablebn.prepare.relayout import TableLayout
from stablebn.result.result import Result

LearnerLike: TypeAlias = str | Callable[[Any], object]
"""One of our learners by name, or a callable from a frame to edges."""


@dataclass(frozen=True)
class Attempt:
    """What a learner made of a layout.

    Attributes
    ----------
    graph : PDAG
        As learned, over all columns under their names in the table as given. Of merged columns the first by name
        has the edges.
    score : float or None
        Where the learner tells it.
    scored_by : dict
        The options `score` and `prior` that an algorithm of ours used: they may have been chosen for the table.
    warnings : tuple of Caution
        Of our learners.
    seconds : float
    """

    graph: PDAG
    score: float | None
    scored_by: Mapping[str, Any]
    warnings: tuple[Caution, ...]
    seconds: float


def attempt(learner: LearnerLike, layout: TableLayout, options: Mapping[str, Any]) -> Attempt:
    """Learn from a layout, and give the graph its old names."""
    if isinstance(learner, str):
        renamed = _under_aliases(options, layout)
        began = time.perf_counter()
        found: object = learn_without_signals(layout.columns, learner, **renamed)
    else:
        table = frame(layout.columns)
        began = time.perf_counter()
        found = learner(table)
    directed, undirected = edges_of(found)
    seconds = time.perf_counter() - began

    names = {alias: name for name, alias in layout.aliases.items()}
    score: float | None = None
    scored_by: dict[str, Any] = {}
    warnings: tuple[Caution, ...] = ()
    if isinstance(found, Result):
        score, warnings = found.score, found.warnings
        scored_by = {option: found.config[option] for option in ("score", "prior")}
        names |= {
            stands: min((names[alias] for alias in (stands, *group)), key=name_key)
            for stands, group in found.merged.items()
        }
    graph = PDAG(layout.aliases, _renamed(directed, names), _renamed(undirected, names))
    return Attempt(graph, score, scored_by, warnings, seconds)


def frame(columns: Columns) -> Any:
    """The columns as a pandas DataFrame, or as a PyArrow Table where pandas is not installed."""
    table = pa.Table.from_arrays([column.unify_dictionaries() for column in columns.values()], list(map(str, columns)))
    try:
        import pandas
    except ImportError:
        return table
    framed = table.to_pandas()
    # Names need not be text; and tuples would become a MultiIndex.
    framed.columns = pandas.Index(list(columns), tupleize_cols=False)
    return framed


def edges_of(found: object) -> tuple[list[Edge], list[Edge]]:
    """Directed and undirected edges of what a learner returned; a pair both ways round is undirected."""
    if isinstance(found, Result):
        # Not an extension of what was learned.
        found = found.pdag
    # Networks and networkx graphs can be iterated over too: they give their nodes.
    if not is_iterable(found) or hasattr(found, "dag") or hasattr(found, "is_directed"):
        directed, undirected = edges_by_kind(as_graph(found))
        return list(directed), list(undirected)
    pairs = dict.fromkeys(_pair(edge) for edge in found)
    return (
        [(u, v) for u, v in pairs if (v, u) not in pairs],
        [(u, v) for u, v in pairs if (v, u) in pairs and name_key(u) <= name_key(v)],
    )


def _pair(edge: object) -> Edge:
    if isinstance(edge, tuple | list) and len(edge) == 2 and all(map(is_hashable, edge)):
        return edge[0], edge[1]
    raise GraphError(f"a learner must return a graph, or pairs of column names; got {shown(edge)} for a pair.")


def _renamed(edges: Iterable[Edge], names: Mapping[Hashable, Hashable]) -> list[Edge]:
    edges = list(edges)
    unknown = dict.fromkeys(name for edge in edges for name in edge if name not in names)
    if unknown:
        raise GraphError(f"there are edges of {listed(tuple(unknown))}: not columns. Columns: {listed(tuple(names))}.")
    return [(names[u], names[v]) for u, v in edges]


def _under_aliases(options: Mapping[str, Any], layout: TableLayout) -> dict[str, Any]:
    """The options of `learn` with the names, and the order of rows, of a layout."""
    renamed = dict(options)
    if renamed.get("kinds"):
        renamed["kinds"] = {layout.aliases[name]: kind for name, kind in renamed["kinds"].items()}
    if renamed.get("levels"):
        renamed["levels"] = {layout.aliases[name]: own for name, own in renamed["levels"].items()}
    # Kinds are said of all columns that are not set aside.
    renamed.pop("keep", None)
    if renamed.get("weights") is not None and layout.rows is not None:
        renamed["weights"] = renamed["weights"].take(pa.array(layout.rows))
    if "knowledge" in renamed:
        renamed["knowledge"] = renamed["knowledge"].renamed(layout.aliases)
    start = renamed.get("start")
    if start is not None:
        graph = read_graph(start) if isinstance(start, str | os.PathLike) else start
        arcs, without_direction = edges_of(graph)
        if without_direction:
            raise GraphError("start= must be a DAG: it has edges without a direction.")
        renamed["start"] = _renamed(arcs, layout.aliases)
    return renamed
