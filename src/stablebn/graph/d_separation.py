"""Independences of a DAG: d-separation, Markov blankets, Markov equivalence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from stablebn.errors import GraphError, listed
from stablebn.graph.convert import as_graph
from stablebn.graph.dag import DAG
from stablebn.graph.names import Node, as_names, name_key
from stablebn.options import is_iterable

Nodes: TypeAlias = Node | Iterable[Node]


def d_separated(graph: object, x: Nodes, y: Nodes, given: Nodes = ()) -> bool:
    """Return whether the given nodes block every path between two nodes, or two groups of nodes.

    Walk along the edges from x and remember how each node was entered: a chain or fork is open unless its middle is
    given; a collider is open only if it or a descendant of it is given.

    Parameters
    ----------
    graph : DAG, result, network or networkx graph
    x, y, given : a node, or a list or other collection of nodes

    References
    ----------
    Koller and Friedman, "Probabilistic graphical models", 2009, algorithm 3.1.

    Examples
    --------
    >>> chain = DAG("abcd", [("a", "b"), ("b", "c"), ("c", "d")])
    >>> d_separated(chain, "a", ["c", "d"], given="b")
    True
    """
    dag = _dag_of(graph)
    starts, ends, blocked = (_nodes(nodes, dag) for nodes in (x, y, given))
    if not starts or not ends or starts & ends or (starts | ends) & blocked:
        raise GraphError("d-separation is between different nodes, at least one on each side, given others.")
    opened = _with_ancestors(dag, blocked)
    # (node, entered from a child): this decides where the walk may continue.
    waiting: list[tuple[Node, bool]] = [(start, True) for start in starts]
    seen = set()
    while waiting:
        node, from_child = waiting.pop()
        if (node, from_child) in seen:
            continue
        seen.add((node, from_child))
        if node in ends:
            return False
        if from_child and node not in blocked:
            waiting += [(parent, True) for parent in dag.parents(node)]
            waiting += [(child, False) for child in dag.children(node)]
        elif not from_child:
            if node not in blocked:
                waiting += [(child, False) for child in dag.children(node)]
            if node in opened:
                waiting += [(parent, True) for parent in dag.parents(node)]
    return True


def _dag_of(graph: object) -> DAG:
    dag = as_graph(graph)
    if isinstance(dag, DAG):
        return dag
    raise GraphError(
        "this graph has undirected edges; independence is read from a DAG. Give one that extends it: `extension()`."
    )


def _nodes(nodes: Nodes, dag: DAG) -> set[Node]:
    """Return one node or several as a set; a tuple that is a node is not taken for a collection."""
    names: set[Node]
    if isinstance(nodes, str) or not is_iterable(nodes) or (isinstance(nodes, tuple) and nodes in dag.nodes):
        names = {nodes}
    else:
        names = {*as_names(nodes)}
    for name in names:
        dag.parents(name)  # an unknown name is refused here
    return names


def _with_ancestors(dag: DAG, nodes: Iterable[Node]) -> set[Node]:
    result: set[Node] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in result:
            result.add(node)
            waiting += dag.parents(node)
    return result


def markov_blanket(graph: object, node: Node) -> tuple[Node, ...]:
    """Return the parents, the children and the children's other parents of a node, sorted by name.

    Given these, the node is independent of all others.
    """
    dag = _dag_of(graph)
    members = {*dag.parents(node), *dag.children(node)}
    for child in dag.children(node):
        members.update(dag.parents(child))
    return tuple(sorted(members - {node}, key=name_key))


def markov_equivalent(one: DAG, other: DAG) -> bool:
    """Return whether two DAGs over the same nodes have the same independences."""
    differ = set(one.nodes) ^ set(other.nodes)
    if differ:
        raise GraphError(f"the graphs have different nodes: {listed(sorted(differ, key=name_key))}.")
    return one.skeleton() == other.skeleton() and one.v_structures() == other.v_structures()
