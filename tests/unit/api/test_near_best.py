"""Near-optimal graphs: those of brute force, with their weights; one answer in every layout and under all names."""

from __future__ import annotations

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from tests.drawn import SCORES
from tests.shared import SHARED, needs_shared
from tests.tables import Columns, categorical_columns, continuous_columns, shuffled

import stablebn as sb
from stablebn.cli.main import app
from stablebn.errors import GraphError

LN_3 = math.log(3)


def _columns(kind: str, seed: int, n: int = 6, rows: int = 60) -> Columns:
    rng = np.random.default_rng(seed)
    if kind == "mixed":
        return {**categorical_columns(rng, n // 2, rows, 2), **continuous_columns(rng, n - n // 2, rows)}
    return (categorical_columns if kind == "categorical" else continuous_columns)(rng, n, rows)


def _asia(rows: int = 200) -> Columns:
    """Eight variables with very many DAGs that are nearly as good."""
    columns: Columns = sb.read_network("asia").sample(rows, seed=1).to_pydict()
    return columns


def _optimum(name: str) -> Columns:
    with (SHARED / "optimum" / f"{name}.csv").open() as file:
        return {f"X{v}": list(column) for v, column in enumerate(zip(*csv.reader(file), strict=True))}


def _all_dags(names: list[Hashable]) -> list[sb.DAG]:
    pairs = list(combinations(names, 2))
    found = []
    for ways in product((0, 1, 2), repeat=len(pairs)):
        arcs = [pair if way == 1 else pair[::-1] for pair, way in zip(pairs, ways, strict=True) if way]
        try:
            found.append(sb.DAG(names, arcs))
        except GraphError:
            continue
    return found


@pytest.mark.parametrize(
    ("kind", "score", "within"),
    [("categorical", "bic", LN_3), ("categorical", "k2", 2.5), ("categorical", "bds", 1.0), ("continuous", "bge", 3.0)],
)
def test_classes_and_shares_are_those_of_brute_force(kind: str, score: str, within: float) -> None:
    columns = _columns(kind, 3, 4, 40)
    options: dict[str, Any] = {"unit_free": False} if score == "bge" else {}
    found = sb.near_optimal(columns, score=score, within=within, **options)
    scored = {dag: sb.score(dag, columns, score=score, **options).total for dag in _all_dags(list(columns))}
    best = max(scored.values())
    near = {dag: math.exp(own - best) for dag, own in scored.items() if own >= best - within}
    total = sum(near.values())
    assert found.score == pytest.approx(best)
    assert found.dags == len(near) > 3
    counted = Counter(dag.cpdag() for dag in near)
    assert {own.pdag: own.dags for own in found.classes} == counted
    for own in found.classes:
        members = [dag for dag in near if dag.cpdag() == own.pdag]
        assert own.score == pytest.approx(max(scored[dag] for dag in members))
        assert own.below == pytest.approx(best - own.score)
        assert own.weight == pytest.approx(sum(near[dag] for dag in members) / total)
    for a, b in product(columns, repeat=2):
        share = sum(weight for dag, weight in near.items() if (a, b) in dag.arcs) / total
        assert found.arcs.get((a, b), 0.0) == pytest.approx(share)
        if a < b:  # type: ignore[operator]
            other = sum(weight for dag, weight in near.items() if (b, a) in dag.arcs) / total
            assert found.edges.get((a, b), 0.0) == pytest.approx(share + other)


@needs_shared
@pytest.mark.parametrize(("factor", "dags"), [(3, 308), (20, 3449)])
def test_wine_has_the_published_number_of_dags(factor: float, dags: int) -> None:
    found = sb.near_optimal(_optimum("wine"), factor=factor)
    assert (found.dags, found.complete) == (dags, True)
    assert found.score == pytest.approx(-1258.445909, abs=1e-6)
    assert sum(own.dags for own in found.classes) == dags


@pytest.mark.parametrize("kind", list(SCORES))
def test_one_answer_in_every_layout_and_with_any_threads(kind: str) -> None:
    listed = 0
    for seed, score in enumerate(SCORES[kind]):
        columns = _columns(kind, 20 + seed)
        options: dict[str, Any] = {"score": score, "max_parents": 2, "limit": 400}
        found = sb.near_optimal(columns, within=2.0, threads=1, **options)
        other = sb.near_optimal(shuffled(columns, seed), within=2.0, threads=2, **options)
        listed += len(found.classes)
        assert other == found
        # Nodes are in column order, and the rest is the same text.
        assert {**other.to_dict(), "nodes": found.to_dict()["nodes"]} == found.to_dict()
    assert listed > 40


def _renamed(found: sb.NearOptimal, old: dict[Hashable, Hashable]) -> sb.NearOptimal:
    def pairs(edges: Any) -> list[tuple[Hashable, Hashable]]:
        return [(old[a], old[b]) for a, b in edges]

    def pdag(own: sb.PDAG) -> sb.PDAG:
        return sb.PDAG([old[name] for name in own.nodes], pairs(own.directed), pairs(own.undirected))

    edges = {tuple(sorted((old[a], old[b]))): share for (a, b), share in found.edges.items()}  # type: ignore[type-var]
    return replace(
        found,
        classes=tuple(replace(own, pdag=pdag(own.pdag)) for own in found.classes),
        arcs={(old[a], old[b]): share for (a, b), share in found.arcs.items()},
        edges=edges,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("kind", list(SCORES))
def test_names_decide_nothing(kind: str) -> None:
    for seed in range(3):
        columns = _columns(kind, 30 + seed)
        new = dict(
            zip(columns, np.random.default_rng(seed).permutation([f"n{v}" for v in range(6)]).tolist(), strict=True)
        )
        found = sb.near_optimal(columns, max_parents=2, limit=50)
        other = sb.near_optimal({new[name]: own for name, own in columns.items()}, max_parents=2, limit=50)
        assert _renamed(other, {name: own for own, name in new.items()}) == found


def test_factor_and_margin_say_the_same_and_zero_leaves_the_best() -> None:
    columns = _columns("categorical", 4)
    by_factor, by_margin = sb.near_optimal(columns), sb.near_optimal(columns, within=LN_3)
    assert by_factor.within == by_margin.within == LN_3
    assert by_factor == by_margin
    best = sb.near_optimal(columns, factor=1)
    assert {own.below for own in best.classes} == {0.0}
    assert best.within == 0.0
    exact = sb.learn(columns, "exact")
    assert exact.cpdag in {own.pdag for own in best.classes}
    assert best.score == by_factor.score == exact.score


def test_the_limit_is_reported_and_lists_whole_margins() -> None:
    columns = _asia()
    whole = sb.near_optimal(columns, within=4)
    assert (whole.complete, whole.covered) == (True, 4.0)
    limit = whole.dags // 2
    found = sb.near_optimal(columns, within=4, limit=limit)
    assert not found.complete
    assert found.dags <= limit
    assert found.covered < 4 == found.within
    assert f"More than limit={limit:,} DAGs are within 4 nats" in found.summary()
    assert sb.near_optimal(columns, within=found.covered).dags == found.dags
    assert sum(own.weight for own in found.classes) == pytest.approx(1)
    with pytest.raises(sb.OptionError, match="more than limit=1 DAGs have the best score"):
        sb.near_optimal(columns, limit=1)


def test_sets_that_were_not_looked_at_are_reported() -> None:
    found = sb.near_optimal(_columns("categorical", 5), max_sets=40)
    assert (found.complete, found.most_parents) == (False, 1)
    assert "DAGs with more than 1 parent of a variable were not looked for, as max_sets=40 was met" in found.summary()


def test_arcs_that_the_kinds_forbid_are_in_no_dag_and_direct_edges() -> None:
    rng = np.random.default_rng(1)
    group = rng.integers(0, 2, 80)
    columns: Columns = {"c": ["ab"[own] for own in group], "x": (group + rng.normal(size=80)).tolist()}
    found = sb.near_optimal(columns, within=50)
    assert [own.pdag.directed for own in found.classes] == [(("c", "x"),), ()]
    assert list(found.arcs) == [("c", "x")]
    both = sb.near_optimal(columns, within=50, arcs="any")
    assert both.arcs["c", "x"] == both.arcs["x", "c"]
    assert [own.dags for own in both.classes] == [2, 1]


def test_columns_alone_stay_in_the_graphs() -> None:
    columns = {**_columns("categorical", 6, 3), "same": ["x"] * 60}
    found = sb.near_optimal(columns)
    assert found.nodes == tuple(columns)
    assert not any("same" in arc for arc in found.arcs)


def test_text_and_json_tell_everything() -> None:
    found = sb.near_optimal(_asia())
    told = json.loads(found.to_json())
    assert told["dags"] == found.dags
    assert [own["weight"] for own in told["classes"]] == [own.weight for own in found.classes]
    assert {(a, b): share for a, b, share in told["arcs"]} == found.arcs
    assert f"{found.dags} DAGs in {len(found.classes)} classes score within 1.099 nats of the best, BIC" in repr(found)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"within": 1, "factor": 3}, "Say one of them"),
        ({"within": -0.5}, "within=-0.5"),
        ({"within": float("nan")}, "within=nan"),
        ({"within": True}, "within=True"),
        ({"factor": 0.5}, "factor=0.5"),
        ({"factor": "3"}, "factor='3'"),
        ({"limit": 0}, "limit=0"),
        ({"max_time": 3.0}, "no option 'max_time'"),
        ({"tabu": 3}, "tabu"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(sb.OptionError, match=words):
        sb.near_optimal(_columns("categorical", 7), **options)


def test_parts_that_are_too_large_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, most in (("MOST_TOGETHER", 2), ("MOST_IN_BRANCH", 2), ("MOST_BRANCHES", 0)):
        monkeypatch.setattr(f"stablebn.exact.near_dags.{name}", most)
    with pytest.raises(
        sb.OptionError, match=r"variables hang together, 'bronc', .*smaller margin, max_parents= or fewer columns"
    ):
        sb.near_optimal(_asia())


def test_the_command_says_what_the_library_says(tmp_path: Path) -> None:
    columns = _asia(500)
    table, out = tmp_path / "asia.csv", tmp_path / "near.json"
    lines = [",".join(map(str, columns)), *(",".join(row) for row in zip(*columns.values(), strict=True))]
    table.write_text("\n".join(lines) + "\n")
    found = sb.near_optimal(columns, score="k2", within=2.5, max_parents=2, kinds="categorical")
    options = ["--score", "k2", "--within", "2.5", "--max-parents", "2"]
    shown = CliRunner().invoke(app, ["near-optimal", str(table), *options])
    assert shown.exit_code == 0, shown.output
    assert found.summary() in shown.output
    (a, b), share = next(iter(found.edges.items()))
    assert re.search(rf"{a} - {b} +{share:.3f} +{found.arcs.get((a, b), 0.0):.3f}", shown.output)
    for _ in range(2):
        assert (
            CliRunner().invoke(app, ["near-optimal", str(table), *options, "--out", str(out), "--force"]).exit_code == 0
        )
    assert json.loads(out.read_text())["classes"] == json.loads(found.to_json())["classes"]
    assert CliRunner().invoke(app, ["near-optimal", str(table), "--out", str(out)]).exit_code != 0
