"""Turn graphs and background knowledge, which name variables, into constraints and parent sets by number."""

from __future__ import annotations

import os
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

import numpy as np

from stablebn.columns.kinds import Kind
from stablebn.errors import GraphError, OptionError, listed
from stablebn.graph import DAG, PDAG, as_graph
from stablebn.graph.convert import Graph, edges_by_kind
from stablebn.graph.names import name_key
from stablebn.knowledge import Knowledge, KnownArcs, merged_arcs
from stablebn.knowledge.conflicts import named
from stablebn.learners import Problem
from stablebn.prepare.prepared import Prepared, check_excluded
from stablebn.scores.base import CompiledScores
from stablebn.scores.discrete import QuotientLikelihood
from stablebn.scores.incomplete import NodeAverageScores
from stablebn.scores.registry import ScoreConfig
from stablebn.search import Constraints
from stablebn.stats.symmetries.symmetry import Relation
from stablebn.stats.variable_sets import bit, members


def read_as_graph(graph: object, names: Sequence[Hashable]) -> Graph:
    """Return a graph given in any accepted form, as a file or by name; a list of arcs is a graph over all names."""
    if isinstance(graph, list | tuple):
        return DAG(names, graph)
    if isinstance(graph, str | os.PathLike):
        # Imported here because it takes time.
        from stablebn.networks import read_graph

        return read_graph(graph)
    return as_graph(graph)


def as_dag(graph: object, names: Sequence[Hashable]) -> DAG:
    """Return a graph in any accepted form as a DAG; a PDAG is extended by names."""
    return extended(read_as_graph(graph, names))


def extended(
    graph: Graph,
    forbidden: Collection[tuple[Hashable, Hashable]] = (),
    most_parents: Mapping[Hashable, int] | None = None,
) -> DAG:
    """Extend a graph to a DAG without forbidden arcs and without too many parents of a variable."""
    extension = graph if isinstance(graph, DAG) else graph.extension(forbidden, most_parents)
    if extension is None and (forbidden or most_parents):
        raise GraphError(
            "no DAG that extends this PDAG has only arcs that are allowed, so it has no score and no search can start "
            "from it."
        )
    if extension is None:
        raise GraphError("no DAG extends this PDAG, so it has no score and no search can start from it.")
    return extension


def relation_of(graph: Graph, columns: Sequence[Hashable]) -> Relation:
    """Return the edges of a graph between some columns as an adjacency matrix, without names."""
    place = {name: column for column, name in enumerate(columns)}
    adjacency = np.zeros((len(columns), len(columns)), dtype=np.int64)
    directed, undirected = edges_by_kind(graph)
    for a, b in [*directed, *undirected, *((b, a) for a, b in undirected)]:
        if a in place and b in place:
            adjacency[place[a], place[b]] = 1
    return Relation(adjacency)


def constraints_of(
    known: KnownArcs, by_kind: Collection[tuple[Hashable, Hashable]], prepared: Prepared
) -> Constraints | None:
    """Turn background knowledge, and the arcs that kinds forbid, into constraints; `None` if there are none.

    Knowledge about a merged column holds for the column that represents it.

    Raises
    ------
    OptionError
        A required arc is impossible.
    """
    if known == KnownArcs() and not by_kind:
        return None
    columns = prepared.table.names
    place = {name: column for column, name in enumerate(columns)}
    place.update({name: place[stands] for stands, group in prepared.merged.items() for name in group})
    idle = dict.fromkeys(end for arc in known.required for end in arc if end not in place)
    if idle:
        raise OptionError(
            f"arcs are required at columns that take no part, as they have a single value, were set aside or are not "
            f"in the table: {listed(tuple(idle))}. Leave these arcs out, or say kinds= or keep= for the columns."
        )

    def placed(arcs: Iterable[tuple[Hashable, Hashable]]) -> list[tuple[int, int]]:
        return [(place[a], place[b]) for a, b in arcs if a in place and b in place]

    merged = [(a, b) for a, b in known.required if place[a] == place[b]]
    if merged:
        raise OptionError(
            f"arcs are required between columns that are identical and were merged: {listed(merged)}. Leave them out, "
            'or say duplicates="keep".'
        )
    required, forbidden, barred = placed(known.required), placed(known.forbidden), placed(by_kind)

    def required_among(arcs: Iterable[tuple[int, int]]) -> list[tuple[Hashable, Hashable]]:
        return [(columns[u], columns[v]) for u, v in sorted({*required}.intersection(arcs))]

    if clashing := required_among(barred):
        raise OptionError(
            f"arcs from continuous to categorical variables are required: {listed(clashing)}. Conditional linear "
            'Gaussian networks have none; say arcs="any" (command line: --arcs any) for all arcs.'
        )
    if clashing := required_among(forbidden):
        raise OptionError(f"these arcs are both required and forbidden: {listed(clashing)}. Leave out one of the two.")
    try:
        DAG(columns, [(columns[u], columns[v]) for u, v in dict.fromkeys(required)])
    except GraphError as error:
        raise OptionError(f"the required arcs cannot all be there: {error}") from None
    most: dict[int, int] = {}
    for name, limit in known.most_parents.items():
        if name in place:
            most[place[name]] = min(limit, most.get(place[name], limit))
    crowded = [columns[v] for v in most if len({u for u, child in required if child == v}) > most[v]]
    if crowded:
        raise OptionError(f"more parents are required than these may have: {listed(crowded)}.")
    return Constraints.of(len(columns), forbidden=[*forbidden, *barred], required=required, most_parents=most)


def unjoinable_pairs(
    known: KnownArcs, by_kind: Collection[tuple[Hashable, Hashable]], prepared: Prepared
) -> list[tuple[Hashable, Hashable]]:
    """Return the pairs (a, b) that cannot be adjacent because kinds forbid a -> b and knowledge forbids b -> a.

    Pairs that knowledge alone separates are not included.
    """
    by_knowledge = constraints_of(known, (), prepared)
    if by_knowledge is None or not by_kind:
        return []
    by_both = constraints_of(known, by_kind, prepared)
    assert by_both is not None
    place = {name: column for column, name in enumerate(prepared.table.names)}
    lost = [before & ~after for before, after in zip(by_knowledge.joinable, by_both.joinable, strict=True)]
    return [(a, b) for a, b in by_kind if lost[place[a]] >> place[b] & 1]


def known_among(said: Knowledge, prepared: Prepared, config: ScoreConfig) -> KnownArcs:
    """Return background knowledge for the columns that take part.

    Raises
    ------
    KnowledgeError
        It names something that is not a column, or requires an impossible arc: at a column that takes no part, between
        merged columns, or from a continuous to a categorical column if the model has no such arcs.
    """
    if not said:
        return KnownArcs()
    idle = {
        **dict.fromkeys(prepared.left_out, "it is left out"),
        **{name: f"it was set aside, as {prepared.decisions[name].why}" for name in prepared.aside},
        **dict.fromkeys(prepared.constants, "it has a single value"),
    }
    kinds = prepared.kinds
    impossible = {
        (a, b): f'{named(a)} is {kinds[a]} and {named(b)} {kinds[b]}: say arcs="any" for arcs of that kind'
        for a, b in said.required
        if a in kinds and b in kinds and not config.allows(kinds[a], kinds[b])
    }
    known = said.known_arcs(
        [name for name in prepared.names if name not in idle],
        idle=idle,
        impossible=impossible,
    )
    return merged_arcs(known, prepared.merged)


def forbidden_by_kind(config: ScoreConfig, kinds: Mapping[Hashable, Kind]) -> list[tuple[Hashable, Hashable]]:
    """Return the arcs that the kinds of their variables forbid (option `arcs`)."""
    # Compare kinds first: there may be millions of pairs of columns, and most tables have one kind.
    some = sorted(set(kinds.values()))
    barred = {(one, other) for one in some for other in some if not config.allows(one, other)}
    return [(a, b) for a in kinds for b in kinds if (kinds[a], kinds[b]) in barred] if barred else []


def check_nodes(graph: Graph, prepared: Prepared) -> None:
    """Raise an error for nodes that are not columns, and for edges at excluded columns."""
    unknown = [name for name in graph.nodes if name not in prepared.decisions]
    if unknown:
        raise GraphError(f"the graph has nodes that are not columns of the table: {listed(unknown)}.")
    check_excluded(edges_by_kind(graph), prepared)


def parent_sets(dag: DAG, prepared: Prepared, variables: Sequence[Hashable]) -> list[int]:
    """Return the parent set of each variable that takes part; arcs of a categorical constant have no effect."""
    check_nodes(dag, prepared)
    number = {name: v for v, name in enumerate(variables)}
    alone = [name for name in dag.nodes if name not in number and (dag.parents(name) or dag.children(name))]
    constant = [name for name in alone if prepared.kinds[name] == "continuous"]
    if constant:
        raise GraphError(f"these columns have a single value and can have no arcs: {listed(constant)}.")
    return [sum(bit(number[parent]) for parent in dag.parents(name) if parent in number) for name in variables]


def start_graph(start: object, prepared: Prepared) -> Graph | None:
    """Return the graph to start from; `None` for the empty graph."""
    if start is None:
        return None
    graph = read_as_graph(start, prepared.names)
    check_nodes(graph, prepared)
    # Files of edges do not list variables without edges.
    taking_part = set(prepared.kinds) - set(prepared.constants) - set(merged_away(prepared))
    ends = dict.fromkeys(end for edges in edges_by_kind(graph) for edge in edges for end in edge)
    idle = [name for name in ends if name not in taking_part]
    if idle:
        raise GraphError(
            f"start has arcs at columns that take no part in the search: {listed(idle)}. Leave these arcs out."
        )
    return graph


def start_parent_sets(start: Graph | None, problem: Problem) -> tuple[int, ...] | None:
    """Return the parent sets of the graph to start from, with the required arcs, and check it against the constraints.

    A PDAG is extended by canonical numbers, so that names do not matter.
    """
    constraints = problem.constraints
    if start is None:
        return None
    number = {name: v for v, name in enumerate(problem.names)}
    directed, undirected = ([(number[a], number[b]) for a, b in edges] for edges in edges_by_kind(start))
    forbidden: list[tuple[int, int]] = []
    most_parents: Mapping[Hashable, int] = {}
    if constraints is not None:
        either_way = [*undirected, *((v, u) for u, v in undirected)]
        forbidden = [(u, v) for u, v in [*directed, *either_way] if not constraints.allows(u, v)]
        barred = [(problem.names[u], problem.names[v]) for u, v in directed if (u, v) in forbidden]
        if barred:
            raise GraphError(f"start has arcs that are not allowed: {listed(barred)}. Leave them out or turn them.")
        there = {*directed, *either_way}
        directed += [(u, v) for v, own in enumerate(constraints.required) for u in members(own) if (u, v) not in there]
        most_parents = constraints.given_most_parents
        try:
            DAG(problem.names, [(problem.names[u], problem.names[v]) for u, v in directed])
        except GraphError as error:
            raise GraphError(f"start contradicts what is required. With it, {error}") from None
    pdag = PDAG(number.values(), directed, undirected)
    dag = extended(pdag, forbidden, most_parents) if undirected else DAG(number.values(), directed)
    return tuple(sum(bit(int(str(u))) for u in dag.parents(v)) for v in number.values())


def check_start(problem: Problem, max_parents: int | None, graph: str) -> None:
    """Raise an error if a family of the graph to start from has too many parents, or too few rows."""
    constraints = problem.constraints
    families = problem.start or (None if constraints is None else constraints.required)
    if families is None:
        return
    usual = len(families) if max_parents is None else max_parents
    limits = [usual] * len(families) if constraints is None else constraints.limits(max_parents)
    check_parents(families, problem.names, limits, graph)
    check_rows(families, problem.names, problem.scores, problem.statistics.total, graph)


def check_parents(families: Sequence[int], names: Sequence[Hashable], limits: Sequence[int], graph: str) -> None:
    """Raise an error for variables with too many parents; the message calls the graph `graph`."""
    for most in sorted(set(limits)):
        crowded = [
            name
            for name, family, limit in zip(names, families, limits, strict=True)
            if family.bit_count() > limit == most
        ]
        if crowded:
            raise GraphError(f"{graph} gives these variables more than {most} parents: {listed(crowded)}.")


def check_rows(
    families: Sequence[int], names: Sequence[Hashable], scores: CompiledScores, total: int, graph: str
) -> None:
    """Raise an error for families with too few rows; the message calls the graph `graph`."""
    check_parents(families, names, [scores.most_parents] * len(families), f"for {total} rows {graph}")
    barred = [names[v] for v, family in enumerate(families) if not scores.is_candidate(v, family)]
    if barred and isinstance(scores, NodeAverageScores):
        raise GraphError(
            f"{graph} has families for which too few rows have a value of the variable and of all its parents: "
            f"{listed(barred)}. Take parents away."
        )
    if barred and isinstance(scores, QuotientLikelihood):
        raise GraphError(
            f"{graph} gives these variables so many parents that qnml is not defined (more than 2**53 joint "
            f"configurations): {listed(barred)}. Take parents away."
        )
    if barred:
        raise GraphError(
            f"{graph} gives these variables parents with a configuration of categories that has too few rows for the "
            f"continuous variables among them: {listed(barred)}. Take parents away, or join rare categories."
        )


def called_names(prepared: Prepared) -> dict[Hashable, Hashable]:
    """Return the names for ties between merged columns: the first name of each group, which units do not change."""
    return {stands: min((stands, *others), key=name_key) for stands, others in prepared.merged.items()}


def merged_away(prepared: Prepared) -> list[Hashable]:
    """Return the columns that an identical column represents."""
    return [name for stands, group in prepared.merged.items() for name in group if name != stands]
