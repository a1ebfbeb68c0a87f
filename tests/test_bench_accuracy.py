"""The benchmark of accuracy: its tables are reproducible, and its figures are those of the graphs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from bench.accuracy_report import Estimate, Results, page, verdict
from bench.accuracy_tables import GROUPS, SHARED, TOPOLOGIES, draw, half, topology

import stablebn as sb

ROOT = Path(__file__).resolve().parents[1]
SMALL = ["gaussian-2", "non-gaussian", "nonlinear-6", "categorical-6-500", "clg-4", "mixed-6"]


@pytest.mark.parametrize("group", SMALL)
def test_a_seed_gives_the_same_table_again_and_another_seed_another_one(group: str) -> None:
    table, again, other = draw(group, seed=3), draw(group, seed=3), draw(group, seed=5)

    assert table.data.equals(again.data)
    assert table.truth == again.truth
    assert set(table.truth.arcs) != set(other.truth.arcs)


@pytest.mark.parametrize("group", SMALL)
def test_the_true_graph_is_right_against_itself_and_its_nodes_are_the_columns(group: str) -> None:
    table = draw(group, seed=0)

    assert sb.compare(table.truth, table.truth).f1 == 1.0
    assert set(table.truth.nodes) == set(table.data.column_names)


def test_columns_stand_in_no_topological_order() -> None:
    table = draw("gaussian-6", seed=0)
    place = {name: v for v, name in enumerate(table.data.column_names)}
    forward = sum(place[str(u)] < place[str(v)] for u, v in table.truth.arcs)

    assert 0.2 < forward / len(table.truth.arcs) < 0.8


@pytest.mark.parametrize("name", TOPOLOGIES)
@pytest.mark.parametrize("degree", [2, 6, 10])
def test_graphs_are_acyclic_and_have_about_the_degree(name: str, degree: int) -> None:
    import numpy as np

    arcs = topology(name, 40, degree, np.random.default_rng(1))

    assert all(u < v for u, v in arcs)
    assert len(set(arcs)) == len(arcs)
    assert 0.8 * degree <= 2 * len(arcs) / 40 <= degree


@pytest.mark.skipif(not (SHARED / "networks").is_dir(), reason="the networks of the paper are not here")
def test_tables_of_the_paper_have_its_networks() -> None:
    table = draw("paper-categorical-1000", "asia-1000", seed=1)

    assert (table.data.num_rows, table.data.num_columns, len(table.truth.arcs)) == (1000, 8, 8)


def test_even_seeds_are_for_development_and_odd_ones_for_confirmation() -> None:
    assert [half(seed) for seed in range(3)] == ["development", "confirmation", "development"]
    assert all({half(seed) for seed in group.seeds} == {"development", "confirmation"} for group in GROUPS.values())


def test_a_difference_within_its_standard_error_is_equal() -> None:
    assert verdict(Estimate(-0.01, 0.02)) == "equal"
    assert verdict(Estimate(-0.03, 0.02)) == "**worse**"
    assert verdict(Estimate(0.03, 0.02)) == "better"


def test_packages_are_compared_on_tables_that_both_finished() -> None:
    def result(table: str, system: str, f1: float | None) -> dict[str, object]:
        return {
            "table": table,
            "group": "gaussian-2",
            "half": "development",
            "system": system,
            "version": "1",
            "outcome": "time limit" if f1 is None else "ok",
            "f1": f1,
        }

    results = Results(
        [
            result("a", "stablebn", 0.5),
            result("b", "stablebn", 0.1),
            result("a", "xges", 0.25),
            result("b", "xges", None),
        ]
    )

    assert results.difference("gaussian-2", "development", "stablebn", "xges") == Estimate(0.25, None)


@pytest.mark.skipif(sys.platform == "win32", reason="workers are read with select")
def test_a_run_writes_results_and_a_page_and_does_not_run_again(tmp_path: Path) -> None:
    command = [
        *(sys.executable, "-m", "bench.accuracy", "--groups", "clg-4", "--seeds", "0"),
        *("--ours", "stablebn: ", "--ours", "hc @mixed: algorithm=hc", "--systems", "stablebn", "hc"),
        *("--out", str(tmp_path), "--page", str(tmp_path / "page.md")),
    ]
    for _ in range(2):
        subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    [file] = tmp_path.glob("*.jsonl")
    results = [json.loads(line) for line in file.read_text().splitlines()]
    table = draw("clg-4", seed=0)

    assert [result["system"] for result in results] == ["stablebn", "hc"]
    assert results[0]["f1"] == sb.compare(sb.learn(table.data), table.truth).f1
    assert (tmp_path / "page.md").read_text().splitlines()[0] == page(results).splitlines()[0]
