from __future__ import annotations

import pickle
import random

import pytest
from tests.unit.graph import naive

from stablebn.errors import GraphError
from stablebn.graph import DAG, PDAG
from stablebn.graph.names import Edge

# A chordless square without directions: any orientation makes a cycle or a v-structure.
SQUARE = PDAG("abcd", [], [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])


@pytest.mark.parametrize(
    ("directed", "undirected"),
    [
        ([("a", "b"), ("b", "a")], []),
        ([("a", "b")], [("b", "a")]),
        ([], [("a", "b"), ("b", "a")]),
        ([], [("a", "a")]),
        ([("a", "x")], []),
    ],
)
def test_broken_graph_is_refused(directed: list[Edge], undirected: list[Edge]) -> None:
    with pytest.raises(GraphError):
        PDAG("abc", directed, undirected)


def test_edges_are_sorted_and_undirected_pairs_too() -> None:
    pdag = PDAG("dcba", [("d", "a"), ("b", "a")], [("d", "c"), ("c", "b")])
    assert pdag.directed == (("b", "a"), ("d", "a"))
    assert pdag.undirected == (("b", "c"), ("c", "d"))
    assert pdag.skeleton() == (("a", "b"), ("a", "d"), ("b", "c"), ("c", "d"))
    assert pdag.neighbours("c") == ("b", "d")
    assert (pdag.parents("a"), pdag.children("d")) == (("b", "d"), ("a",))
    assert pdag.degree == 2.0
    assert PDAG([], [], []).degree == 0.0


def test_adjacent_sees_every_kind_of_edge() -> None:
    pdag = PDAG("abcd", [("a", "b")], [("b", "c")])
    assert pdag.adjacent("a", "b")
    assert pdag.adjacent("b", "a")
    assert pdag.adjacent("c", "b")
    assert not pdag.adjacent("a", "c")
    with pytest.raises(GraphError, match="no node 'x'"):
        pdag.adjacent("a", "x")


def test_order_of_nodes_and_edges_does_not_matter_for_equality() -> None:
    pdag = PDAG("abcd", [("a", "b")], [("b", "c"), ("c", "d")])
    same = PDAG("dcba", [("a", "b")], [("d", "c"), ("c", "b")])
    assert pdag == same
    assert hash(pdag) == hash(same)
    assert pickle.loads(pickle.dumps(pdag)) == pdag
    assert pdag != PDAG("abcd", [("b", "a")], [("b", "c"), ("c", "d")])
    assert pdag != PDAG("abcde", [("a", "b")], [("b", "c"), ("c", "d")])


@pytest.mark.parametrize("nodes", ["abc", "abcd"])
def test_extension_exists_exactly_when_brute_force_finds_one(nodes: str) -> None:
    for pdag in naive.all_pdags(nodes):
        found = naive.extensions(pdag)
        dag = pdag.extension()
        assert dag in found if found else dag is None
        assert pdag.is_extendable == bool(found)


def test_extension_of_larger_graphs_agrees_with_brute_force() -> None:
    rng = random.Random(5)
    answers = set()
    for _ in range(300):
        pdag = naive.random_pdag(rng, "abcde")
        found = naive.extensions(pdag)
        dag = pdag.extension()
        assert dag in found if found else dag is None
        answers.add(dag is None)
    assert answers == {True, False}


def test_extension_does_not_depend_on_order_of_nodes_or_edges() -> None:
    rng = random.Random(6)
    for _ in range(50):
        cpdag = naive.random_dag(rng, 9, 14).cpdag()
        shuffled = PDAG(rng.sample(cpdag.nodes, 9), cpdag.directed[::-1], [(b, a) for a, b in cpdag.undirected])
        assert shuffled.extension() == cpdag.extension()


def test_extension_of_renamed_graph_lies_in_the_renamed_class() -> None:
    rng = random.Random(7)
    for _ in range(50):
        cpdag = naive.random_dag(rng, 9, 14).cpdag()
        names = dict(zip(cpdag.nodes, rng.sample(cpdag.nodes, 9), strict=True))
        assert naive.renamed_pdag(cpdag, names).cpdag() == naive.renamed_pdag(cpdag, names)


def test_free_edges_point_from_first_to_last_name() -> None:
    assert PDAG("cba", [], [("a", "b"), ("b", "c")]).extension() == DAG("abc", [("a", "b"), ("b", "c")])


def test_cpdag_of_a_cpdag_is_itself() -> None:
    for dag in naive.all_dags("abcd"):
        assert dag.cpdag().cpdag() == dag.cpdag()


def test_graph_without_extension_is_never_forced() -> None:
    for pdag in (SQUARE, PDAG("abc", [("a", "b"), ("b", "c"), ("c", "a")], [])):
        assert pdag.extension() is None
        with pytest.raises(GraphError, match="no DAG extends"):
            pdag.cpdag()
