"""Slow obvious twins of the graph functions, and small graphs to try them on."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

from stablebn.graph import DAG, PDAG
from stablebn.graph.names import Edge, Node


def is_acyclic(nodes: Sequence[Node], arcs: Sequence[Edge]) -> bool:
    """Peel off roots until none is left."""
    left = set(nodes)
    while roots := {node for node in left if not any(a in left and b == node for a, b in arcs)}:
        left -= roots
    return not left


def v_structures(directed: Sequence[Edge], skeleton: Sequence[Edge]) -> set[tuple[frozenset[Node], Node]]:
    adjacent = {frozenset(pair) for pair in skeleton}
    return {
        (frozenset((a, b)), c)
        for (a, c), (b, d) in combinations(directed, 2)
        if c == d and frozenset((a, b)) not in adjacent
    }


def all_pdags(nodes: Sequence[Node]) -> Iterator[PDAG]:
    """Every assignment of nothing, ->, <- or -- to every pair."""
    pairs = list(combinations(nodes, 2))
    for marks in product(("", "->", "<-", "--"), repeat=len(pairs)):
        edges = list(zip(pairs, marks, strict=True))
        forward = [pair for pair, mark in edges if mark == "->"]
        backward = [(b, a) for (a, b), mark in edges if mark == "<-"]
        yield PDAG(nodes, forward + backward, [pair for pair, mark in edges if mark == "--"])


def all_dags(nodes: Sequence[Node]) -> list[DAG]:
    return [
        DAG(nodes, pdag.directed)
        for pdag in all_pdags(nodes)
        if not pdag.undirected and is_acyclic(nodes, pdag.directed)
    ]


def extensions(pdag: PDAG) -> list[DAG]:
    """Every DAG that orients the undirected edges and adds no v-structure."""
    skeleton = pdag.skeleton()
    wanted = v_structures(pdag.directed, skeleton)
    found = []
    for ways in product((False, True), repeat=len(pdag.undirected)):
        turned = [(b, a) if way else (a, b) for (a, b), way in zip(pdag.undirected, ways, strict=True)]
        arcs = [*pdag.directed, *turned]
        if is_acyclic(pdag.nodes, arcs) and v_structures(arcs, skeleton) == wanted:
            found.append(DAG(pdag.nodes, arcs))
    return found


def union(dags: Sequence[DAG]) -> PDAG:
    """Edges on whose direction all DAGs of one skeleton agree are directed, the others not."""
    directed = [arc for arc in dags[0].arcs if all(arc in dag.arcs for dag in dags)]
    undirected = [arc for arc in dags[0].arcs if arc not in directed]
    return PDAG(dags[0].nodes, directed, undirected)


def a_rule_applies(pdag: PDAG) -> bool:
    """Whether one of Meek's rules, word for word, can orient some edge of the graph."""
    arrow, line = set(pdag.directed), {*pdag.undirected, *((b, a) for a, b in pdag.undirected)}

    def apart(x: Node, y: Node) -> bool:
        return not pdag.adjacent(x, y)

    for a, b in line:
        others = [node for node in pdag.nodes if node not in (a, b)]
        if any((c, a) in arrow and apart(c, b) for c in others):
            return True
        if any((a, c) in arrow and (c, b) in arrow for c in others):
            return True
        for c, d in permutations(others, 2):
            if {(a, c), (a, d)} <= line and {(c, b), (d, b)} <= arrow and apart(c, d):
                return True
            if (a, c) in line and {(c, d), (d, b)} <= arrow and apart(c, b) and not apart(a, d):
                return True
    return False


def random_dag(rng: random.Random, n: int, arcs: int) -> DAG:
    """DAG over v0 .. v(n-1), in an order of nodes that says nothing of the arcs."""
    nodes = [f"v{i}" for i in range(n)]
    order = rng.sample(nodes, n)
    return DAG(nodes, rng.sample(list(combinations(order, 2)), arcs))


def random_pdag(rng: random.Random, nodes: Sequence[Node]) -> PDAG:
    """Every pair gets a mark at random; often no DAG extends it."""
    marked = [(rng.sample(pair, 2), rng.random()) for pair in combinations(nodes, 2)]
    directed = [(a, b) for (a, b), at in marked if at < 0.3]
    return PDAG(nodes, directed, [(a, b) for (a, b), at in marked if 0.3 <= at < 0.7])


def renamed(graph: DAG, names: dict[Node, Node]) -> DAG:
    return DAG([names[node] for node in graph.nodes], [(names[a], names[b]) for a, b in graph.arcs])


def renamed_pdag(graph: PDAG, names: dict[Node, Node]) -> PDAG:
    directed, undirected = ([(names[a], names[b]) for a, b in edges] for edges in (graph.directed, graph.undirected))
    return PDAG([names[node] for node in graph.nodes], directed, undirected)
