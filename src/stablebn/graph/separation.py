"""What a DAG says of independence: d-separation, Markov blankets, equivalence."""

from __future__ import annotations

from collections.abc import Iterable

from stablebn.errors import GraphError, listed
from stablebn.graph.dag import DAG
from stablebn.graph.names import Node, name_key


def d_separated(dag: DAG, x: Node, y: Node, given: Iterable[Node] = ()) -> bool:
    """Whether every path between two nodes is blocked by some others.

    Walks along the edges from x, remembering how each node was entered: a chain or fork passes unless its
    middle is given; a collider passes only if it, or a descendant of it, is given (Koller and Friedman 2009,
    algorithm 3.1).
    """
    blocked = set(given)
    if x == y or x in blocked or y in blocked:
        raise GraphError("d-separation is between two different nodes, given others.")
    for name in (x, y, *blocked):
        dag.parents(name)  # an unknown name is refused here
    opened = _with_ancestors(dag, blocked)
    # (node, entered from a child): the direction decides what may follow.
    waiting: list[tuple[Node, bool]] = [(x, True)]
    seen = set()
    while waiting:
        node, from_child = waiting.pop()
        if (node, from_child) in seen:
            continue
        seen.add((node, from_child))
        if node == y:
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


def _with_ancestors(dag: DAG, nodes: Iterable[Node]) -> set[Node]:
    found: set[Node] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += dag.parents(node)
    return found


def markov_blanket(dag: DAG, node: Node) -> tuple[Node, ...]:
    """Parents, children and the children's other parents: given these, the rest tells nothing. Sorted by name."""
    members = {*dag.parents(node), *dag.children(node)}
    for child in dag.children(node):
        members.update(dag.parents(child))
    return tuple(sorted(members - {node}, key=name_key))


def markov_equivalent(one: DAG, other: DAG) -> bool:
    """Whether two DAGs over the same nodes have the same independences."""
    differ = set(one.nodes) ^ set(other.nodes)
    if differ:
        raise GraphError(f"the graphs have different nodes: {listed(sorted(differ, key=name_key))}.")
    return one.skeleton() == other.skeleton() and one.v_structures() == other.v_structures()
