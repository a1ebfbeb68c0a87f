"""Answers of other programs: R bnlearn, and an independent implementation of the specification."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from stablebn.graph import DAG, PDAG, Comparison, compare
from stablebn.graph.names import Node

SHARED = Path(__file__).resolve().parents[3] / ".." / "shared"
GOLDEN = SHARED / "golden"
BNLEARN = GOLDEN / "bnlearn_validation.json"

pytestmark = pytest.mark.skipif(not GOLDEN.exists(), reason="the golden answers are not on this machine")

validation: dict[str, Any] = json.loads(BNLEARN.read_text()) if BNLEARN.exists() else {}
tables = list(validation.get("graphs", {}))
oracle_files = sorted((GOLDEN / "oracle").glob("*.json"))


def read_pdag(nodes: Iterable[Node], edges: dict[str, Any]) -> PDAG:
    return PDAG(nodes, edges["directed"], edges["undirected"])


def pairs(edges: Iterable[Iterable[Node]]) -> set[frozenset[Node]]:
    return {frozenset(edge) for edge in edges}


def colliders(triples: Iterable[tuple[Node, Node, Node]]) -> set[tuple[frozenset[Node], Node]]:
    return {(frozenset((a, b)), c) for a, c, b in triples}


def counts(comparison: Comparison) -> dict[str, int]:
    return {"tp": comparison.tp, "fp": comparison.fp, "fn": comparison.fn}


def skeleton_distance(comparison: Comparison) -> int:
    return sum(not (edge.learned and edge.true) for edge in comparison.edges)


@pytest.mark.parametrize("table", tables)
@pytest.mark.parametrize("learner", ["tabu", "hc"])
def test_graph_functions_agree_with_bnlearn(table: str, learner: str) -> None:
    golden = validation["graphs"][table][learner]
    nodes = golden["nodes"]
    dag, cpdag = DAG(nodes, golden["dag"]), read_pdag(nodes, golden["cpdag"])
    assert dag.cpdag() == cpdag
    assert cpdag.cpdag() == DAG(nodes, golden["cextend_of_cpdag"]).cpdag() == cpdag
    assert colliders(dag.v_structures()) == colliders(golden["vstructs"])
    assert pairs(dag.moral()) == pairs(golden["moral_edges"])
    assert pairs(dag.skeleton()) == pairs(golden["skeleton"])


@pytest.mark.parametrize("table", tables)
def test_comparison_of_learned_dags_agrees_with_bnlearn(table: str) -> None:
    golden = validation["compare"][table]
    assert (golden["target"], golden["current"]) == ("tabu", "hc")
    tabu = validation["graphs"][table]["tabu"]
    true, learned = DAG(tabu["nodes"], tabu["dag"]), DAG(tabu["nodes"], golden["hc_arcs"])
    classes, standing = compare(learned, true), compare(learned, true, as_cpdag=False)
    assert counts(classes) == golden["compare_cpdag"]
    assert counts(standing) == golden["compare_dag"]
    assert classes.shd == golden["shd_tabu_hc"]
    assert standing.shd == golden["shd_no_cpdag"]
    assert skeleton_distance(classes) == golden["hamming_tabu_hc"]
    assert (learned == true) == golden["all_equal"]


@pytest.mark.parametrize("table", tables)
def test_partially_directed_graphs_of_pc_agree_with_bnlearn(table: str) -> None:
    golden = validation["compare"][table]
    tabu = validation["graphs"][table]["tabu"]
    true, learned = DAG(tabu["nodes"], tabu["dag"]), read_pdag(tabu["nodes"], golden["pc_stable"])
    # bnlearn compares a PDAG that has no extension too, as it stands.
    comparison = compare(learned, true.cpdag(), as_cpdag=False)
    assert counts(comparison) == golden["compare_cpdag_tabu_pc"]
    assert comparison.shd == golden["shd_tabu_pc"]
    assert skeleton_distance(comparison) == golden["hamming_tabu_pc"]

    extended = validation["graphs"][table]["pc_stable_cextend"]
    if isinstance(extended, str):
        assert extended.startswith("ERROR: no consistent extension")
        assert not learned.is_extendable
    else:
        assert learned.cpdag() == DAG(tabu["nodes"], extended).cpdag()
        assert compare(learned, true) == comparison


@pytest.mark.parametrize("golden", validation.get("random_dags", []), ids=lambda golden: f"{len(golden['dag'])} arcs")
def test_random_dags_agree_with_bnlearn(golden: dict[str, Any]) -> None:
    nodes = golden["nodes"]
    true, learned = DAG(nodes, golden["dag"]), DAG(nodes, golden["other"])
    assert true.cpdag() == read_pdag(nodes, golden["cpdag"])
    assert learned.cpdag() == read_pdag(nodes, golden["other_cpdag"])
    assert true.cpdag() == DAG(nodes, golden["cextend"]).cpdag()
    assert colliders(true.v_structures()) == colliders(golden["vstructs"])
    classes, standing = compare(learned, true), compare(learned, true, as_cpdag=False)
    assert counts(classes) == golden["compare_cpdag"]
    assert counts(standing) == golden["compare_dag"]
    assert (classes.shd, standing.shd) == (golden["shd"], golden["shd_no_cpdag"])
    assert skeleton_distance(classes) == golden["hamming"]


@pytest.mark.parametrize("path", oracle_files, ids=lambda path: path.stem)
def test_cpdag_and_metrics_agree_with_the_oracle(path: Path) -> None:
    golden = json.loads(path.read_text())
    network = golden["network"]
    nodes = pq.read_schema(SHARED / "data" / f"{network}.parquet").names
    true = DAG(nodes, json.loads((GOLDEN / "true_arcs.json").read_text())[network])
    for learner, answer in golden["algorithms"].items():
        learned = DAG(nodes, answer["arcs"])
        assert learned.cpdag() == read_pdag(nodes, answer["cpdag"]), learner
        comparison = compare(learned, true)
        for metric, value in answer["metrics"].items():
            assert getattr(comparison, metric) == pytest.approx(value, rel=0, abs=1e-12), (learner, metric)
