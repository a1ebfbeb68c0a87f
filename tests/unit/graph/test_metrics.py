from __future__ import annotations

import random
import sys
from itertools import combinations, product
from types import SimpleNamespace

import networkx as nx
import pytest
from tests.unit.graph import naive

from stablebn.errors import GraphError, MissingExtraError
from stablebn.graph import DAG, PDAG, EdgeDifference, compare, d_separated
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
    """Section 6 of the specification, one pair at a time."""
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


def test_skeleton_and_arrowheads_agree_with_sets_of_pairs() -> None:
    for learned, true in product(naive.all_pdags("abc"), naive.all_pdags("abc")):
        result = compare(learned, true, as_cpdag=False)
        pairs = [{frozenset(edge) for edge in graph.skeleton()} for graph in (learned, true)]
        heads = [set(graph.directed) for graph in (learned, true)]
        for found, (ours, theirs) in ((result.skeleton, pairs), (result.arrowheads, heads)):
            assert (found.tp, found.fp, found.fn) == (len(ours & theirs), len(ours - theirs), len(theirs - ours))
            assert found.precision == (len(ours & theirs) / len(ours) if ours else 0.0)
            assert found.recall == (len(ours & theirs) / len(theirs) if theirs else 0.0)
            both = found.precision + found.recall
            assert found.f1 == pytest.approx(2 * found.precision * found.recall / both if both else 0.0, abs=1e-15)


def naive_sid(learned: DAG, true: DAG) -> int:
    """The definition by parents: on which pairs adjustment for the learned parents of x is wrong in the true graph."""
    return sum(not _is_right(learned, true, x, y) for x, y in product(true.nodes, true.nodes) if x != y)


def _is_right(learned: DAG, true: DAG, x: Node, y: Node) -> bool:
    below = nx.descendants(nx.DiGraph([*true.arcs, (x, x)]), x) - {x}
    parents = learned.parents(x)
    if y in parents:
        return y not in below
    # Adjustment is valid if no parent is on, or below a node on, a causal path to y, and all others are blocked: paths
    # that are left without the first arcs of the causal ones (Peters and Bühlmann, proposition 6).
    causal = {node for node in below if node == y or y in nx.descendants(nx.DiGraph(true.arcs), node)}
    spoiled = causal.union(*(nx.descendants(nx.DiGraph(true.arcs), node) for node in causal))
    without = DAG(true.nodes, [arc for arc in true.arcs if not (arc[0] == x and arc[1] in causal)])
    return not spoiled & set(parents) and d_separated(without, x, y, parents)


def test_sid_is_that_of_its_definition() -> None:
    rng = random.Random(2)
    sample = rng.sample(naive.all_dags("abcd"), 30)
    for learned, true in product(sample, sample):
        assert compare(learned, true, sid=True).sid == naive_sid(learned, true)


def test_sid_of_the_example_of_its_authors() -> None:
    # Peters and Bühlmann 2015, figure 1; gadjid's documentation has the same graphs.
    arcs = [(a, b) for a in ("x1", "x2") for b in ("y1", "y2", "y3")]
    nodes = ["x1", "x2", "y1", "y2", "y3"]
    true = DAG(nodes, [("x1", "x2"), *arcs])
    longer = DAG(nodes[::-1], [("x1", "x2"), *arcs, ("y1", "y2")])
    turned = DAG(nodes, [("x2", "x1"), *arcs])
    assert (compare(longer, true, sid=True).sid, compare(longer, true, as_cpdag=False).shd) == (0, 1)
    assert (compare(turned, true, sid=True).sid, compare(turned, true, as_cpdag=False).shd) == (8, 1)
    assert compare(true, true).sid is None


def test_sid_needs_dags_and_says_so() -> None:
    with pytest.raises(GraphError, match="the true graph has undirected edges"):
        compare(CHAIN, CHAIN.cpdag(), sid=True)


def test_sid_without_its_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gadjid", None)
    with pytest.raises(MissingExtraError, match=r"stablebn\[sid\]"):
        compare(CHAIN, CHAIN, sid=True)


def test_graphs_that_no_dag_extends_are_compared_as_they_stand_and_the_error_says_so() -> None:
    with pytest.raises(GraphError, match=r"extends the learned graph.*as_cpdag=False.*--as-they-are"):
        compare(SQUARE, SQUARE)
    with pytest.raises(GraphError, match="extends the true graph"):
        compare(DAG("abcd", []), SQUARE)
    assert compare(SQUARE, SQUARE, as_cpdag=False).skeleton.f1 == 1.0


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
    with pytest.raises(GraphError, match="a int is not a graph"):
        compare(3, CHAIN)


def test_nodes_found_in_only_one_graph_are_named() -> None:
    with pytest.raises(GraphError, match=r"learned graph: 'c'; only in the true graph: 'x', 'y'"):
        compare(CHAIN, DAG("abxy", []))


def test_graph_without_extension_is_compared_only_as_it_stands() -> None:
    with pytest.raises(GraphError, match="no DAG extends"):
        compare(SQUARE, DAG("abcd", []))
    assert compare(SQUARE, DAG("abcd", []), as_cpdag=False).fp == 4
