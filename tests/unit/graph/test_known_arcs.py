"""Markov equivalence classes restricted to the DAGs that have the known arcs."""

from __future__ import annotations

import random

import pytest
from tests.known import drawn_forbidden
from tests.naive.equivalence_search import common, obeying
from tests.unit.graph import naive

from stablebn.errors import GraphError
from stablebn.graph import DAG, PDAG
from stablebn.graph.names import Edge


def _forbidden(graph: DAG | PDAG, seed: int) -> list[Edge]:
    return [(graph.nodes[u], graph.nodes[v]) for u, v in drawn_forbidden(seed, len(graph.nodes))]


@pytest.mark.parametrize("seed", range(400))
def test_class_with_known_arcs_is_what_all_obeying_dags_share(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.randint(2, 6)
    dag = naive.random_dag(rng, n, rng.randint(1, n * (n - 1) // 2))
    forbidden = [arc for arc in _forbidden(dag, seed) if arc not in dag.arcs]
    known = [(a, b) for a, b in dag.arcs if (b, a) in forbidden]
    assert dag.cpdag(known) == common(obeying(dag.cpdag(), forbidden))


def test_rule_four_is_needed_for_known_arcs() -> None:
    # In the class of this square with a diagonal, d -> a -> b are known: c -> b must follow.
    dag = DAG("abcd", [("c", "d"), ("c", "a"), ("c", "b"), ("d", "a"), ("a", "b")])
    assert dag.cpdag().directed == ()
    assert ("c", "b") in dag.cpdag(known=[("d", "a"), ("a", "b")]).directed


def test_known_arcs_must_be_arcs_of_the_graph() -> None:
    with pytest.raises(GraphError, match=r"these are not: \('b', 'a'\)"):
        DAG("ab", [("a", "b")]).cpdag(known=[("b", "a")])


@pytest.mark.parametrize("seed", range(400))
def test_an_obeying_extension_is_found_exactly_if_there_is_one(seed: int) -> None:
    rng = random.Random(seed)
    if seed % 2:
        pdag = naive.random_pdag(rng, "abcde")
    else:
        dag = naive.random_dag(rng, 5, rng.randint(3, 9))
        pdag = dag.cpdag()
    forbidden = _forbidden(pdag, seed) if seed % 3 else []
    limits = {node: rng.randint(0, 2) for node in pdag.nodes if rng.random() < 0.4}
    right = [
        dag
        for dag in naive.extensions(pdag)
        if not set(dag.arcs) & set(forbidden) and all(len(dag.parents(node)) <= most for node, most in limits.items())
    ]
    found = pdag.extension(forbidden, limits)
    assert found in right if right else found is None
