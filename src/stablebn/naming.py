"""From the graphs of the user to parent sets of numbered variables: where names end."""

from __future__ import annotations

import os
from collections.abc import Hashable, Sequence

from stablebn.data import ContinuousTable, Prepared
from stablebn.errors import GraphError, listed
from stablebn.graph import DAG, as_graph
from stablebn.learners import Problem
from stablebn.stats.variable_sets import bit


def as_dag(graph: object, names: Sequence[Hashable]) -> DAG:
    """A graph in any accepted form, or the file of one, as a DAG; arcs alone are a graph over all names."""
    if isinstance(graph, list | tuple):
        return DAG(names, graph)
    if isinstance(graph, str | os.PathLike):
        # File formats take time to import.
        from stablebn.networks import read_graph

        graph = read_graph(graph)
    known = as_graph(graph)
    if isinstance(known, DAG):
        return known
    extension = known.extension()
    if extension is None:
        raise GraphError("no DAG extends this PDAG, so it has no score.")
    return extension


def parent_sets(dag: DAG, prepared: Prepared, variables: Sequence[Hashable]) -> list[int]:
    """Parent set of each variable that takes part. Arcs of a categorical constant say nothing and are left out."""
    unknown = [name for name in dag.nodes if name not in prepared.kinds]
    if unknown:
        raise GraphError(f"the graph has nodes that are not columns of the table: {listed(unknown)}.")
    number = {name: v for v, name in enumerate(variables)}
    alone = [name for name in dag.nodes if name not in number and (dag.parents(name) or dag.children(name))]
    if alone and isinstance(prepared.table, ContinuousTable):
        raise GraphError(f"these columns have a single value and can have no arcs: {listed(alone)}.")
    return [sum(bit(number[parent]) for parent in dag.parents(name) if parent in number) for name in variables]


def start_parent_sets(
    start: object, prepared: Prepared, problem: Problem, max_parents: int | None
) -> tuple[int, ...] | None:
    """Parent sets of the graph to start from; None: it is the one without arcs."""
    if start is None:
        return None
    given = as_dag(start, prepared.names)
    # Files of edges do not tell of variables without any.
    dag = DAG(dict.fromkeys([*prepared.names, *given.nodes]), given.arcs)
    idle = [
        name
        for name in (*prepared.constants, *merged_away(prepared))
        if name in dag.nodes and (dag.parents(name) or dag.children(name))
    ]
    if idle:
        raise GraphError(
            f"start has arcs at columns that take no part in the search: {listed(idle)}. Leave these arcs out."
        )
    families = parent_sets(dag, prepared, problem.names)
    limit = problem.scores.most_parents if max_parents is None else min(max_parents, problem.scores.most_parents)
    crowded = [name for name, family in zip(problem.names, families, strict=True) if family.bit_count() > limit]
    if crowded:
        raise GraphError(f"start gives these variables more than {limit} parents: {listed(crowded)}.")
    return tuple(families)


def merged_away(prepared: Prepared) -> list[Hashable]:
    """Columns for which an identical one stands."""
    return [name for stands, group in prepared.merged.items() for name in group if name != stands]
