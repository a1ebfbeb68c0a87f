"""Learn from one layout of a table, and give the graph the names of the table as given."""

from __future__ import annotations

import os
import time
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from stablebn.api.learn import learn_without_signals
from stablebn.errors import GraphError, listed
from stablebn.graph import PDAG
from stablebn.graph.names import Edge, name_key
from stablebn.messages import Caution
from stablebn.networks import read_graph
from stablebn.prepare.relayout import TableLayout
from stablebn.resampling.external_learner import edges_of, frame
from stablebn.resampling.runner import LearnerLike
from stablebn.result.result import Result


@dataclass(frozen=True)
class LayoutOutcome:
    """What a learner learned from a layout.

    Attributes
    ----------
    graph : PDAG
        The learned graph over all columns, with the names of the table as given. Of merged columns the first by name
        has the edges.
    score : float or None
        None for a callable, and for a graph without a score.
    scored_by : dict
        The options `score` and `prior` that were used: they may have been chosen for the table.
    warnings : tuple of Caution
    seconds : float
    """

    graph: PDAG
    score: float | None
    scored_by: Mapping[str, Any]
    warnings: tuple[Caution, ...]
    seconds: float


def learn_from_layout(learner: LearnerLike, layout: TableLayout, options: Mapping[str, Any]) -> LayoutOutcome:
    """Learn from a layout, and give the graph the names of the table as given."""
    if isinstance(learner, str):
        renamed = _under_aliases(options, layout)
        began = time.perf_counter()
        learned: object = learn_without_signals(layout.columns, learner, **renamed)
    else:
        table = frame(layout.columns)
        began = time.perf_counter()
        learned = learner(table)
    directed, undirected = edges_of(learned)
    seconds = time.perf_counter() - began

    names = {alias: name for name, alias in layout.aliases.items()}
    score: float | None = None
    scored_by: dict[str, Any] = {}
    warnings: tuple[Caution, ...] = ()
    if isinstance(learned, Result):
        score, warnings = learned.score, learned.warnings
        scored_by = {option: learned.config[option] for option in ("score", "prior")}
        names |= {
            stands: min((names[alias] for alias in (stands, *group)), key=name_key)
            for stands, group in learned.merged.items()
        }
    graph = PDAG(layout.aliases, _renamed(directed, names), _renamed(undirected, names))
    return LayoutOutcome(graph, score, scored_by, warnings, seconds)


def _renamed(edges: Iterable[Edge], names: Mapping[Hashable, Hashable]) -> list[Edge]:
    edges = list(edges)
    unknown = dict.fromkeys(name for edge in edges for name in edge if name not in names)
    if unknown:
        raise GraphError(f"there are edges of {listed(tuple(unknown))}: not columns. Columns: {listed(tuple(names))}.")
    return [(names[u], names[v]) for u, v in edges]


def _under_aliases(options: Mapping[str, Any], layout: TableLayout) -> dict[str, Any]:
    """Return the options of `learn` with the names and the row order of a layout."""
    renamed = dict(options)
    if renamed.get("kinds"):
        renamed["kinds"] = {layout.aliases[name]: kind for name, kind in renamed["kinds"].items()}
    if renamed.get("levels"):
        renamed["levels"] = {layout.aliases[name]: levels for name, levels in renamed["levels"].items()}
    # The columns of `keep` are not needed: `kinds` has every column that is not excluded.
    renamed.pop("keep", None)
    if renamed.get("weights") is not None and layout.rows is not None:
        renamed["weights"] = renamed["weights"].take(pa.array(layout.rows))
    if "knowledge" in renamed:
        renamed["knowledge"] = renamed["knowledge"].renamed(layout.aliases)
    start = renamed.get("start")
    if start is not None:
        graph = read_graph(start) if isinstance(start, str | os.PathLike) else start
        arcs, undirected = edges_of(graph)
        if undirected:
            raise GraphError("start= must be a DAG: it has undirected edges.")
        renamed["start"] = _renamed(arcs, layout.aliases)
    return renamed
