from __future__ import annotations

import random

import pytest
from tests.unit.graph import naive

from stablebn.graph import PDAG, Reason, meek_closure, meek_reasons
from stablebn.graph.names import Edge, Node


@pytest.mark.parametrize(
    ("directed", "undirected", "oriented"),
    [
        pytest.param(["ab"], ["bc"], ["bc"], id="rule 1"),
        pytest.param(["ab", "bc"], ["ac"], ["ac"], id="rule 2"),
        pytest.param(["ab", "cb"], ["ad", "cd", "bd"], ["db"], id="rule 3"),
        pytest.param(["ab", "bc"], ["ad", "cd", "bd"], ["dc"], id="rule 4"),
        pytest.param(["ab"], ["bc", "cd"], ["bc", "cd"], id="rule 1 twice"),
    ],
)
def test_each_rule_orients_its_edge_and_no_other(
    directed: list[str], undirected: list[str], oriented: list[str]
) -> None:
    def edges(texts: list[str]) -> list[Edge]:
        return [(text[0], text[1]) for text in texts]

    closed = meek_closure(PDAG("abcd", edges(directed), edges(undirected)))
    assert set(closed.directed) == {*edges(directed), *edges(oriented)}


@pytest.mark.parametrize(
    ("directed", "undirected", "edge", "reason"),
    [
        (["ab"], ["bc"], "bc", Reason(1, ("a",))),
        (["ab", "bc"], ["ac"], "ac", Reason(2, ("b",))),
        (["ab", "cb"], ["ad", "cd", "bd"], "db", Reason(3, ("a", "c"))),
        (["ab", "bc"], ["ad", "cd", "bd"], "dc", Reason(4, ("a", "b"))),
    ],
)
def test_each_rule_says_why(directed: list[str], undirected: list[str], edge: str, reason: Reason) -> None:
    pdag = PDAG("abcd", [(text[0], text[1]) for text in directed], [(text[0], text[1]) for text in undirected])
    assert reason in meek_reasons(pdag)[edge[0], edge[1]]


def test_whatever_the_rules_direct_has_a_reason_that_holds() -> None:
    rng = random.Random(4)
    for _ in range(200):
        dag = naive.random_dag(rng, 6, rng.randint(5, 12))
        known = [arc for arc in dag.arcs if rng.random() < 0.3]
        pdag = PDAG(dag.nodes, known, [arc for arc in dag.arcs if arc not in known])
        closed = meek_closure(pdag)
        reasons = meek_reasons(pdag)
        assert set(reasons) == set(closed.directed) - set(pdag.directed)
        for (u, v), found in reasons.items():
            for rule, others in found:
                premises: dict[int, list[tuple[Node, ...]]] = {
                    1: [(others[0], u)],
                    2: [(u, others[0]), (others[0], v)],
                    3: [(other, v) for other in others],
                    4: [others, (others[-1], v)],
                }
                assert set(premises[rule]) <= set(closed.directed)


def test_edge_demanded_both_ways_stays_undirected() -> None:
    pdag = PDAG("abcd", [("a", "b"), ("d", "c")], [("b", "c")])
    assert not pdag.is_extendable
    assert meek_closure(pdag) == pdag


def test_an_edge_that_would_close_a_directed_cycle_stays_undirected_with_acyclic() -> None:
    # From x -> a rule 1 leads round the ring a - b - c - d, and back to a.
    pdag = PDAG("abcdx", [("x", "a"), ("b", "c"), ("c", "d"), ("d", "a")], [("a", "b")])
    assert not pdag.is_extendable
    assert ("a", "b") in meek_closure(pdag).directed
    assert meek_closure(pdag, acyclic=True) == pdag


def test_acyclic_closure_of_an_extendable_graph_is_the_closure() -> None:
    rng = random.Random(3)
    for _ in range(100):
        dag = naive.random_dag(rng, 6, rng.randint(5, 12))
        known = [arc for arc in dag.arcs if rng.random() < 0.3]
        pdag = PDAG(dag.nodes, known, [arc for arc in dag.arcs if arc not in known])
        if pdag.is_extendable:
            assert meek_closure(pdag, acyclic=True) == meek_closure(pdag)


@pytest.mark.parametrize("nodes", ["abc", "abcd"])
def test_closure_is_what_all_extensions_share(nodes: str) -> None:
    for pdag in naive.all_pdags(nodes):
        if found := naive.extensions(pdag):
            assert meek_closure(pdag) == naive.union(found)


def test_closure_with_background_knowledge_is_what_all_extensions_share() -> None:
    rng = random.Random(1)
    for _ in range(400):
        dag = naive.random_dag(rng, 6, rng.randint(5, 12))
        cpdag = dag.cpdag()
        known = [edge for edge in dag.arcs if edge in cpdag.directed or rng.random() < 0.2]
        pdag = PDAG(dag.nodes, known, [arc for arc in dag.arcs if arc not in known])
        assert meek_closure(pdag) == naive.union(naive.extensions(pdag))


def test_no_rule_applies_to_the_closure_of_an_extendable_graph() -> None:
    rng = random.Random(2)
    for _ in range(300):
        dag = naive.random_dag(rng, 7, rng.randint(5, 16))
        known = [arc for arc in dag.arcs if rng.random() < 0.3]
        pdag = PDAG(dag.nodes, known, [arc for arc in dag.arcs if arc not in known])
        if pdag.is_extendable:
            closed = meek_closure(pdag)
            assert not naive.a_rule_applies(closed)
            assert meek_closure(closed) == closed


def test_closure_does_not_depend_on_order_or_names_even_without_extension() -> None:
    rng = random.Random(4)
    for _ in range(200):
        pdag = naive.random_pdag(rng, "abcdefg")
        names: dict[Node, Node] = dict(zip("abcdefg", rng.sample("abcdefg", 7), strict=True))
        renamed = naive.renamed_pdag(pdag, names)
        shuffled = PDAG(renamed.nodes[::-1], renamed.directed[::-1], [(b, a) for a, b in renamed.undirected])
        assert meek_closure(shuffled) == naive.renamed_pdag(meek_closure(pdag), names)
