from __future__ import annotations

import random
from itertools import combinations, product
from types import SimpleNamespace

import networkx as nx
import pytest
from tests.unit.graph import naive

from stablebn.errors import GraphError
from stablebn.graph import DAG, PDAG, EdgeDifference, compare
from stablebn.graph.names import Node

CHAIN = DAG("abc", [("a", "b"), ("b", "c")])
COLLIDER = DAG("abc", [("a", "b"), ("c", "b")])
SQUARE = PDAG("abcd", [], [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])


def mark(pdag: PDAG, a: Node, b: Node) -> str:
    if (a, b) in pdag.directed:
        return "->"
    if (b, a) in pdag.directed:
        return "<-"
    return "--" if pdag.adjacent(a, b) else ""


def naive_metrics(learned: PDAG, true: PDAG) -> dict[str, float]:
    """SPEC, section 6, one pair at a time."""
    tp = fp = fn = shd = 0
    right = half = extra = edges = absent = 0
    for a, b in combinations(sorted(learned.nodes, key=str), 2):
        ours, theirs = mark(learned, a, b), mark(true, a, b)
        edges += theirs != ""
        absent += theirs == ""
        shd += ours != theirs
        if ours and ours == theirs:
            tp += 1
        else:
            fp += ours != ""
            fn += theirs != ""
        if ours and not theirs:
            extra += 1
        elif ours and (ours == theirs or theirs == "--"):
            right += 1
        elif ours:
            half += 1
    precision = tp / (tp + fp) if tp + fp else 0.0
    recall = tp / (tp + fn) if tp + fn else 0.0
    found = (right + half / 2 - (edges - right - half / 2)) / edges if edges else 0.0
    spared = (absent - extra - extra) / absent if absent else 0.0
    return {
        "tp": tp,
        "fp": fp,
        "fn": fn,
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if tp else 0.0,
        "shd": shd,
        "bsf": 0.5 * (found + spared),
        "degree": 2 * (tp + fp) / len(learned.nodes),
    }


def test_metrics_agree_with_a_naive_count_over_pairs() -> None:
    rng = random.Random(1)
    sample = rng.sample(naive.all_dags("abcd"), 40)
    for learned, true in product(sample, sample):
        result = compare(learned, true)
        for name, value in naive_metrics(learned.cpdag(), true.cpdag()).items():
            assert getattr(result, name) == pytest.approx(value, abs=1e-12), name


def test_metrics_of_graphs_as_they_stand_agree_with_a_naive_count() -> None:
    for learned, true in product(naive.all_pdags("abc"), naive.all_pdags("abc")):
        result = compare(learned, true, as_cpdag=False)
        for name, value in naive_metrics(learned, true).items():
            assert getattr(result, name) == pytest.approx(value, abs=1e-12), name


def test_true_graph_scores_one_and_empty_graph_zero() -> None:
    perfect, empty = compare(CHAIN, CHAIN), compare(DAG("abc", []), CHAIN)
    assert (perfect.f1, perfect.bsf, perfect.shd, perfect.edges) == (1.0, 1.0, 0, ())
    assert (empty.f1, empty.bsf, empty.shd, empty.degree) == (0.0, 0.0, 2, 0.0)


def test_no_denominator_is_zero() -> None:
    complete = DAG("abc", [("a", "b"), ("a", "c"), ("b", "c")])
    empty = DAG("abc", [])
    assert compare(empty, empty).bsf == 0.5
    assert compare(complete, complete).bsf == 0.5
    assert compare(complete, empty).bsf == -0.5
    assert compare(empty, empty).f1 == 0.0
    assert compare(DAG([], []), DAG([], [])).bsf == 0.0


def test_equivalent_dags_are_the_same_unless_compared_as_they_stand() -> None:
    reverse = DAG("abc", [("b", "a"), ("c", "b")])
    assert compare(CHAIN, reverse).shd == 0
    assert compare(CHAIN, reverse, as_cpdag=False).shd == 2


def test_every_differing_edge_is_listed_with_both_marks() -> None:
    learned = DAG("abcd", [("b", "a"), ("b", "c")])
    true = PDAG("abcd", [("a", "b"), ("d", "a")], [("b", "c")])
    assert compare(learned, true, as_cpdag=False).edges == (
        EdgeDifference("a", "b", "<-", "->"),
        EdgeDifference("a", "d", "", "<-"),
        EdgeDifference("b", "c", "->", "--"),
    )


def test_text_names_metrics_and_edges() -> None:
    text = str(compare(CHAIN, COLLIDER))
    assert text.startswith("F1 0.0000, precision 0.0000, recall 0.0000, SHD 2, BSF 0.5000, degree 1.33\n")
    assert text.endswith("\n  a -- b (true: a -> b)\n  b -- c (true: b <- c)")
    assert str(compare(DAG("ab", []), DAG("ab", [("a", "b")]))).endswith("  no edge (true: a -- b)")


def test_order_and_names_of_nodes_never_change_the_metrics() -> None:
    rng = random.Random(2)
    for _ in range(50):
        learned, true = (naive.random_dag(rng, 9, rng.randint(3, 15)) for _ in range(2))
        expected = compare(learned, true)
        assert compare(DAG(learned.nodes[::-1], learned.arcs[::-1]), true) == expected
        names = dict(zip(learned.nodes, rng.sample(learned.nodes, 9), strict=True))
        result = compare(naive.renamed(learned, names), naive.renamed(true, names))
        assert (result.tp, result.fp, result.fn, result.shd) == (
            expected.tp,
            expected.fp,
            expected.fn,
            expected.shd,
        )
        assert (result.f1, result.bsf, result.degree) == (expected.f1, expected.bsf, expected.degree)


def test_swapping_the_graphs_swaps_precision_and_recall() -> None:
    rng = random.Random(3)
    for _ in range(20):
        one, other = (naive.random_dag(rng, 9, rng.randint(3, 15)) for _ in range(2))
        there, back = compare(one, other), compare(other, one)
        assert (there.precision, there.recall, there.shd) == (back.recall, back.precision, back.shd)


def test_results_and_networkx_graphs_are_accepted() -> None:
    expected = compare(CHAIN, COLLIDER)
    assert compare(SimpleNamespace(dag=CHAIN), SimpleNamespace(dag=COLLIDER)) == expected
    assert compare(nx.DiGraph(CHAIN.arcs), COLLIDER) == expected
    with pytest.raises(GraphError, match="a int is no graph"):
        compare(3, CHAIN)


def test_nodes_found_in_only_one_graph_are_named() -> None:
    with pytest.raises(GraphError, match=r"learned graph: 'c'; only in the true graph: 'x', 'y'"):
        compare(CHAIN, DAG("abxy", []))


def test_graph_without_extension_is_compared_only_as_it_stands() -> None:
    with pytest.raises(GraphError, match="no DAG extends"):
        compare(SQUARE, DAG("abcd", []))
    assert compare(SQUARE, DAG("abcd", []), as_cpdag=False).fp == 4
