"""From the graphs of the user to parent sets of numbered variables: where names end."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

import numpy as np

from stablebn.data import Kind, Prepared
from stablebn.data.aside import check_aside
from stablebn.errors import GraphError, listed
from stablebn.graph import DAG, PDAG, as_graph
from stablebn.graph.convert import Graph, edges_by_kind
from stablebn.learners import Problem
from stablebn.scores.available import NodeAverageScores
from stablebn.scores.families import CompiledScores
from stablebn.scores.registry import ScoreConfig
from stablebn.search import AllowedArcs
from stablebn.stats.symmetry import Relation
from stablebn.stats.variable_sets import bit


def read_as_graph(graph: object, names: Sequence[Hashable]) -> Graph:
    """A graph in any accepted form, or the file of one; arcs alone are a graph over all names."""
    if isinstance(graph, list | tuple):
        return DAG(names, graph)
    if isinstance(graph, str | os.PathLike):
        # File formats take time to import.
        from stablebn.networks import read_graph

        graph = read_graph(graph)
    return as_graph(graph)


def as_dag(graph: object, names: Sequence[Hashable]) -> DAG:
    """A graph in any accepted form as a DAG: of a PDAG, the extension by names."""
    return extended(read_as_graph(graph, names))


def extended(graph: Graph, forbidden: Collection[tuple[Hashable, Hashable]] = ()) -> DAG:
    """A DAG that has all edges of a graph, none of them in a forbidden direction."""
    extension = graph if isinstance(graph, DAG) else graph.extension(forbidden)
    if extension is None and forbidden:
        raise GraphError(
            "no DAG that extends this PDAG has only arcs that are allowed, so it has no score and no search can start "
            "from it."
        )
    if extension is None:
        raise GraphError("no DAG extends this PDAG, so it has no score and no search can start from it.")
    return extension


def relation_of(graph: Graph, columns: Sequence[Hashable]) -> Relation:
    """The edges of a graph between some columns as an adjacency matrix, which knows no names."""
    place = {name: column for column, name in enumerate(columns)}
    adjacency = np.zeros((len(columns), len(columns)), dtype=np.int64)
    directed, undirected = edges_by_kind(graph)
    for a, b in [*directed, *undirected, *((b, a) for a, b in undirected)]:
        if a in place and b in place:
            adjacency[place[a], place[b]] = 1
    return Relation(adjacency)


def all_arcs_but(forbidden: Iterable[tuple[Hashable, Hashable]], prepared: Prepared) -> AllowedArcs:
    """All arcs between the columns that take part except forbidden ones.

    What is forbidden to one of several columns that were merged is forbidden to the one that stands for them.
    """
    columns = prepared.table.names
    place = {name: column for column, name in enumerate(columns)}
    place.update({name: place[stands] for stands, group in prepared.merged.items() for name in group})
    barred = ((place[a], place[b]) for a, b in forbidden if a in place and b in place)
    return AllowedArcs.all_but(len(columns), barred)


def forbidden_by_kind(config: ScoreConfig, kinds: Mapping[Hashable, Kind]) -> list[tuple[Hashable, Hashable]]:
    """The arcs that the kinds of their ends forbid (option `arcs`)."""
    return [(a, b) for a in kinds for b in kinds if not config.allows(kinds[a], kinds[b])]


def check_nodes(graph: Graph, prepared: Prepared) -> None:
    """Refuse nodes that are not columns."""
    unknown = [name for name in graph.nodes if name not in prepared.decisions]
    if unknown:
        raise GraphError(f"the graph has nodes that are not columns of the table: {listed(unknown)}.")
    check_aside(edges_by_kind(graph), prepared)


def parent_sets(dag: DAG, prepared: Prepared, variables: Sequence[Hashable]) -> list[int]:
    """Parent set of each variable that takes part. Arcs of a categorical constant say nothing and are left out."""
    check_nodes(dag, prepared)
    number = {name: v for v, name in enumerate(variables)}
    alone = [name for name in dag.nodes if name not in number and (dag.parents(name) or dag.children(name))]
    constant = [name for name in alone if prepared.kinds[name] == "continuous"]
    if constant:
        raise GraphError(f"these columns have a single value and can have no arcs: {listed(constant)}.")
    return [sum(bit(number[parent]) for parent in dag.parents(name) if parent in number) for name in variables]


def start_graph(start: object, prepared: Prepared) -> Graph | None:
    """The graph to start from; None: it is the one without arcs."""
    if start is None:
        return None
    graph = read_as_graph(start, prepared.names)
    check_nodes(graph, prepared)
    # Files of edges do not tell of variables without any.
    taking_part = set(prepared.kinds) - set(prepared.constants) - set(merged_away(prepared))
    ends = dict.fromkeys(end for edges in edges_by_kind(graph) for edge in edges for end in edge)
    idle = [name for name in ends if name not in taking_part]
    if idle:
        raise GraphError(
            f"start has arcs at columns that take no part in the search: {listed(idle)}. Leave these arcs out."
        )
    return graph


def start_parent_sets(start: Graph | None, problem: Problem, max_parents: int | None) -> tuple[int, ...] | None:
    """Parent sets of the graph to start from: of a PDAG, the extension by canonical numbers, whatever the names."""
    if start is None:
        return None
    number = {name: v for v, name in enumerate(problem.names)}
    directed, undirected = ([(number[a], number[b]) for a, b in edges] for edges in edges_by_kind(start))
    forbidden: list[tuple[int, int]] = []
    if problem.allowed is not None:
        either_way = [*undirected, *((v, u) for u, v in undirected)]
        forbidden = [arc for arc in [*directed, *either_way] if arc not in problem.allowed]
        barred = [(problem.names[u], problem.names[v]) for u, v in directed if (u, v) in forbidden]
        if barred:
            raise GraphError(f"start has arcs that are not allowed: {listed(barred)}. Leave them out or turn them.")
    pdag = PDAG(number.values(), directed, undirected)
    dag = extended(pdag, forbidden) if undirected else DAG(number.values(), directed)
    families = [sum(bit(int(str(u))) for u in dag.parents(v)) for v in number.values()]
    if max_parents is not None:
        check_parents(families, problem.names, max_parents, "start")
    check_rows(families, problem.names, problem.scores, problem.statistics.total, "start")
    return tuple(families)


def check_parents(families: Sequence[int], names: Sequence[Hashable], most: int, graph: str) -> None:
    """Refuse more parents than there may be, or than the rows can tell of; `graph` says whose."""
    crowded = [name for name, family in zip(names, families, strict=True) if family.bit_count() > most]
    if crowded:
        raise GraphError(f"{graph} gives these variables more than {most} parents: {listed(crowded)}.")


def check_rows(
    families: Sequence[int], names: Sequence[Hashable], scores: CompiledScores, total: int, graph: str
) -> None:
    """Refuse families that the rows are too few for; `graph` says whose."""
    check_parents(families, names, scores.most_parents, f"for {total} rows {graph}")
    barred = [names[v] for v, family in enumerate(families) if not scores.is_candidate(v, family)]
    if barred and isinstance(scores, NodeAverageScores):
        raise GraphError(
            f"{graph} has families for which too few rows have a value of the variable and of all its parents: "
            f"{listed(barred)}. Take parents away."
        )
    if barred:
        raise GraphError(
            f"{graph} gives these variables parents with a configuration of categories that has too few rows for the "
            f"continuous variables among them: {listed(barred)}. Take parents away, or join rare categories."
        )


def merged_away(prepared: Prepared) -> list[Hashable]:
    """Columns for which an identical one stands."""
    return [name for stands, group in prepared.merged.items() for name in group if name != stands]
