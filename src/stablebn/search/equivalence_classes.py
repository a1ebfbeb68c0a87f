"""Markov equivalence classes of DAGs, represented by their CPDAGs.

Sets of variables are the bits of an int.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stablebn.errors import GraphError
from stablebn.graph import DAG
from stablebn.knowledge.constraints import Constraints
from stablebn.stats.variable_sets import bit, members


class EquivalenceClass:
    """The class of the DAGs that extend a partially directed graph; immutable.

    Parameters
    ----------
    parents, neighbours : sequence of int
        For each variable those with a directed edge into it, and those with an undirected edge to it.

    Attributes
    ----------
    dag : list of int
        Parent set of each variable in one DAG of the class.
    parents, neighbours, adjacent : list of int
        For each variable of the CPDAG those with a directed edge into it, an undirected edge to it, any edge to it.
    """

    def __init__(self, parents: Sequence[int], neighbours: Sequence[int]) -> None:
        self.dag, order = consistent_extension(parents, neighbours)
        self.parents = compelled_parents(self.dag, order)
        self.adjacent = _both_ways(self.dag)
        self.neighbours = _both_ways(
            [family & ~compelled for family, compelled in zip(self.dag, self.parents, strict=True)]
        )

    def two_steps_away(self) -> list[int]:
        """Return, for each variable, those that have a common neighbour with it, including itself."""
        near = [0] * len(self.adjacent)
        for v, others in enumerate(self.adjacent):
            for u in members(others):
                near[v] |= self.adjacent[u]
        return near

    def obeying_dag(self, constraints: Constraints, known: tuple[int, int] | None = None) -> list[int] | None:
        """Return the parent sets of one DAG of the class that obeys the constraints; None if there is none.

        This is exact for all constraints. A DAG of the class obeys if and only if all required arcs are edges of the
        class, it has the directed edges of the CPDAG and, for every undirected edge with a forbidden direction, the
        other direction, and no variable has too many parents. So it extends the CPDAG with these edges directed, and
        `consistent_extension` finds such an extension if there is one. It must not have more v-structures than the
        CPDAG; those that the directed edges form by themselves are checked first.

        Parameters
        ----------
        constraints : Constraints
        known : (from, to), optional
            A direction that an undirected edge of the CPDAG must have.
        """
        if any(must & ~after for must, after in zip(constraints.required, self.adjacent, strict=True)):
            return None
        parents, neighbours = list(self.parents), list(self.neighbours)
        for v, free in enumerate(self.neighbours):
            _direct(parents, neighbours, free & ~constraints.children[v], v)
        if known is not None:
            _direct(parents, neighbours, bit(known[0]), known[1])
        for v, (after, before) in enumerate(zip(parents, self.parents, strict=True)):
            if after & ~constraints.allowed[v]:
                return None
            if any(after & ~(self.adjacent[u] | bit(u)) for u in members(after & ~before)):
                return None
        try:
            return consistent_extension(parents, neighbours, constraints.has_room)[0]
        except GraphError:
            return None

    def directed(self) -> tuple[tuple[int, int], ...]:
        """Return the directed edges as (from, to), sorted."""
        return tuple(sorted((u, v) for v, family in enumerate(self.parents) for u in members(family)))

    def undirected(self) -> tuple[tuple[int, int], ...]:
        """Return the undirected edges as (u, v) with u < v, sorted."""
        return tuple((u, v) for u, others in enumerate(self.neighbours) for v in members(others) if u < v)


def consistent_extension(
    parents: Sequence[int], neighbours: Sequence[int], has_room: Callable[[int, int], bool] | None = None
) -> tuple[list[int], list[int]]:
    """Return a DAG with these edges and no new v-structure: the parent sets, and a topological order.

    Parameters
    ----------
    parents, neighbours : sequence of int
        For each variable those with a directed edge into it, and those with an undirected edge to it.
    has_room : callable, optional
        Returns whether a variable may have a number of parents. The remaining neighbours of a sink become its parents,
        so it must have room for them. This misses no DAG: removing the sink gives no other variable more parents.

    References
    ----------
    Dor and Tarsi, "A simple algorithm to construct a consistent extension of a partially oriented graph", 1992.

    Raises
    ------
    GraphError
        There is no such DAG.
    """
    dag = list(parents)
    children = _other_ends(parents)
    open_neighbours = list(neighbours)
    adjacent = [a | b | c for a, b, c in zip(parents, neighbours, children, strict=True)]

    def is_sink(v: int) -> bool:
        if children[v]:
            return False
        if has_room is not None and not has_room(v, adjacent[v].bit_count()):
            return False
        return all(not adjacent[v] & ~(adjacent[u] | bit(u)) for u in members(open_neighbours[v]))

    # Removing other variables keeps a sink a sink, so each is queued once.
    sinks = [v for v in range(len(dag)) if is_sink(v)]
    queued = sum(map(bit, sinks))
    for sink in sinks:
        dag[sink] |= open_neighbours[sink]
        around = members(adjacent[sink])
        for v in around:
            for ends in (adjacent, open_neighbours, children):
                ends[v] &= ~bit(sink)
        for v in around:
            if not queued & bit(v) and is_sink(v):
                queued |= bit(v)
                sinks.append(v)
    if len(sinks) < len(dag):
        raise GraphError("no DAG extends this partially directed graph without a cycle or a new v-structure.")
    return dag, sinks[::-1]


def compelled_parents(dag: Sequence[int], order: Sequence[int]) -> list[int]:
    """Return for each variable the parents that it has in every DAG of the class.

    This is Chickering's labelling of edges, one child at a time: if x is the last of the parents of y in a topological
    order, all parents of y are compelled, or the compelled ones are those of x.

    References
    ----------
    Chickering, "A transformational characterization of equivalent Bayesian network structures", 1995.
    """
    position = {v: position for position, v in enumerate(order)}
    compelled = [0] * len(dag)
    for y in order:
        if dag[y]:
            x = max(members(dag[y]), key=position.__getitem__)
            collides = compelled[x] & ~dag[y] or dag[y] & ~(dag[x] | bit(x))
            compelled[y] = dag[y] if collides else compelled[x]
    return compelled


def known_arcs(dag: Sequence[int], constraints: Constraints) -> list[tuple[int, int]]:
    """Return the arcs of an obeying DAG whose direction the constraints decide, whatever the data say.

    Either the reverse arc is not allowed, or, beyond what follows by Meek's rules, no obeying DAG of the class has it
    because some variable would have too many parents.

    Parameters
    ----------
    dag : sequence of int
        Parent set of each variable.
    constraints : Constraints
    """
    n = len(dag)
    arcs = [(u, v) for v, family in enumerate(dag) for u in members(family)]
    known = [(u, v) for u, v in arcs if not constraints.allows(v, u)]
    if constraints.limits_differ:
        graph = EquivalenceClass(dag, [0] * n)
        open_edges = {frozenset(edge) for edge in DAG(range(n), arcs).cpdag(known).undirected}
        known += [
            (u, v)
            for u, v in arcs
            if frozenset((u, v)) in open_edges and graph.obeying_dag(constraints, known=(v, u)) is None
        ]
    return known


def _direct(parents: list[int], neighbours: list[int], tails: int, head: int) -> None:
    """Direct undirected edges from each of the tails to the head."""
    parents[head] |= tails
    neighbours[head] &= ~tails
    for tail in members(tails):
        neighbours[tail] &= ~bit(head)


def _other_ends(parents: Sequence[int]) -> list[int]:
    """Return the children of each variable."""
    children = [0] * len(parents)
    for v, family in enumerate(parents):
        for u in members(family):
            children[u] |= bit(v)
    return children


def _both_ways(parents: Sequence[int]) -> list[int]:
    """Return the parents and children of each variable."""
    return [above | below for above, below in zip(parents, _other_ends(parents), strict=True)]
