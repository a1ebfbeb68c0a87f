"""The prior over graphs: every arc costs the same, in every score, search, bound and proof."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from tests.drawn import SCORES
from tests.naive.best_parents import all_dags, all_families, naive_candidates
from tests.naive.scores import ln
from tests.tables import Columns, categorical_columns, categorical_table, continuous_columns, mixed_columns
from tests.unit.search.test_parent_sets import drawn_constraints, drawn_table

import stablebn as sb
from stablebn.cli.main import app
from stablebn.exact.solver import find_best
from stablebn.fixed_point import UNIT, joined
from stablebn.graph import DAG
from stablebn.scores.registry import WITH_MISSING, ScoreConfig, family_scores
from stablebn.search.parent_sets import candidate_sets
from stablebn.stats.variable_sets import bit

KINDS_AND_SCORES = [(kind, score) for kind in SCORES for score in SCORES[kind]]
MAKERS = {"categorical": categorical_columns, "continuous": continuous_columns, "mixed": mixed_columns}


def _columns(kind: str, n: int = 5, rows: int = 60, seed: int = 3) -> Columns:
    return MAKERS[kind](np.random.default_rng(seed), n, rows)


@pytest.mark.parametrize(("kind", "score"), KINDS_AND_SCORES)
def test_every_arc_costs_the_logarithm_of_the_number_of_variables(kind: str, score: str) -> None:
    table = drawn_table(kind, 1)
    without, with_prior = (family_scores(table, ScoreConfig(score, prior=prior)) for prior in ("uniform", "size"))
    cost = math.floor(ln(6) * UNIT)
    for child in range(6):
        for parents in all_families(without, child, max_parents=3):
            lost = without.family(child, parents) - with_prior.family(child, parents)
            # ln 6 is rounded once, so every arc costs the same integer.
            assert lost % max(1, parents.bit_count()) == 0
            assert abs(lost - cost * parents.bit_count()) <= 4 * parents.bit_count()


@pytest.mark.parametrize(("kind", "score"), KINDS_AND_SCORES)
def test_changes_sums_and_renumbered_scores_have_the_prior(kind: str, score: str) -> None:
    scores = family_scores(drawn_table(kind, 2), ScoreConfig(score, prior="size"))
    renumbered = scores.reordered([3, 0, 5, 4, 1, 2])
    for own in (scores, renumbered):
        for child, parents in product(range(6), (0, 0b1, 0b100010, 0b11100)):
            parents &= ~bit(child)
            if not own.is_candidate(child, parents):
                continue
            changes = own.changes(child, parents)
            for u in range(6):
                if u != child and own.is_candidate(child, parents ^ bit(u)):
                    now = own.family(child, parents ^ bit(u))
                    assert joined(*changes[u]) == now - own.family(child, parents)
        singles = [
            [own.family(v, bit(u)) - own.family(v, 0) for u in range(6) if u != v and own.is_candidate(v, bit(u))]
            for v in range(6)
        ]
        assert own.sums_with_one_parent() == [sum(gains) for gains in singles]
    assert renumbered.family(0, bit(1)) == scores.family(3, bit(0))


@pytest.mark.parametrize(
    ("kind", "score"), [own for own in KINDS_AND_SCORES if own[1] not in ("bds", "k2", "basis", "adaptive")]
)
def test_equivalent_graphs_have_the_same_score_to_the_bit(kind: str, score: str) -> None:
    scores = family_scores(drawn_table(kind, 3, 4), ScoreConfig(score, prior="size", arcs="any"))
    assert scores.score_equivalent
    totals: dict[object, set[int]] = {}
    edges = [(0, 1), (0, 2), (1, 2), (2, 3)]
    for flips in product((False, True), repeat=4):
        arcs = [(v, u) if flip else (u, v) for (u, v), flip in zip(edges, flips, strict=True)]
        try:
            dag = DAG(range(4), arcs)
        except ValueError:
            continue
        families = [sum(bit(u) for u, v in arcs if v == child) for child in range(4)]
        totals.setdefault(dag.cpdag(), set()).add(scores.dag(families))
    assert len(totals) > 1
    assert all(len(found) == 1 for found in totals.values())


@pytest.mark.parametrize(("kind", "score"), KINDS_AND_SCORES)
def test_candidates_and_the_optimum_are_those_of_brute_force(kind: str, score: str) -> None:
    for seed in (4, 5):
        scores = family_scores(drawn_table(kind, seed, 4), ScoreConfig(score, prior="size"), threads=1 + seed % 2)
        constraints = drawn_constraints(f"prior {seed}", scores) if seed % 2 else None
        candidates = candidate_sets(scores, constraints=constraints)
        assert candidates.complete
        families = [all_families(scores, v, constraints=constraints) for v in range(4)]
        for child, own in enumerate(families):
            found = list(zip(candidates.scores[child], candidates.sets[child], strict=True))
            assert found == naive_candidates(own)
        _, proven = find_best(candidates, [], time_is_up=lambda: False, watch=None)
        assert proven.score == proven.bound == max(score for score, _ in all_dags(families))


# With more levels sets are no longer counted by the bits of configurations that occur.
@pytest.mark.parametrize("levels", [(2, 3, 30, 2, 40), (60, 50, 3, 70, 4)])
def test_candidates_of_many_levels_are_those_of_brute_force(levels: tuple[int, ...]) -> None:
    rng = np.random.default_rng(6)
    codes = [rng.integers(0, own, 400) for own in levels]
    table = categorical_table([*(own.tolist() for own in codes), ((codes[0] + codes[3]) % 2).tolist()])
    scores = family_scores(table, ScoreConfig("bic", prior="size"))
    candidates = candidate_sets(scores)
    for child in range(6):
        found = list(zip(candidates.scores[child], candidates.sets[child], strict=True))
        assert found == naive_candidates(all_families(scores, child))


@pytest.mark.parametrize("algorithm", ["tabu-stable", "best", "exact", "fges", "mmhc"])
@pytest.mark.parametrize("kind", list(SCORES))
def test_score_of_a_result_is_that_of_its_graph(kind: str, algorithm: str) -> None:
    # A constant column takes no part: it is not counted.
    columns = {**_columns(kind), "constant": ["same"] * 60}
    result = sb.learn(columns, algorithm, prior="size")
    assert result.config["prior"] == "size"
    assert result.dag is not None
    scored = [sb.score(result.dag, columns, prior=prior).total for prior in ("size", "uniform")]
    assert result.score == scored[0]
    assert scored[1] - scored[0] == pytest.approx(len(result.arcs) * math.log(5), abs=1e-9)


@pytest.mark.parametrize("kind", list(SCORES))
@pytest.mark.parametrize("score", WITH_MISSING)
def test_missing_values_change_nothing_about_the_cost_of_an_arc(kind: str, score: str) -> None:
    columns = _columns(kind)
    columns[next(iter(columns))][7] = None
    result = sb.learn(columns, "best", score, prior="size", missing="available", max_parents=2)
    with_prior, without = (
        sb.score(result.dag, columns, score=score, prior=prior, missing="available").total
        for prior in ("size", "uniform")
    )
    assert result.score == with_prior
    assert without - with_prior == pytest.approx(len(result.arcs) * math.log(5), abs=1e-9)


def test_fewer_arcs_are_learned_where_many_variables_compete() -> None:
    rng = np.random.default_rng(8)
    noise = {f"x{v}": rng.normal(size=100).tolist() for v in range(40)}
    assert len(sb.learn(noise, "best", effort="low").arcs) > 10
    assert len(sb.learn(noise, "best", effort="low", prior="size").arcs) <= 3


def test_near_optimal_graphs_are_weighed_by_the_prior() -> None:
    columns = _columns("categorical", 4, 40)
    found = sb.near_optimal(columns, within=3.0, prior="size")
    assert found.config["prior"] == "size"
    assert found.score == sb.learn(columns, "exact", prior="size").score
    for own in found.classes:
        assert own.score == sb.score(own.pdag, columns, prior="size").total


def test_proof_of_a_result_with_a_prior_is_verified(tmp_path: Any) -> None:
    columns = _columns("categorical")
    table, certificate = tmp_path / "table.csv", tmp_path / "proof.json"
    rows = zip(*columns.values(), strict=True)
    table.write_text("\n".join(",".join(map(str, row)) for row in [tuple(columns), *rows]) + "\n")
    run = CliRunner().invoke
    learned = run(app, ["learn", str(table), "-a", "exact", "--prior", "size", "--certificate", str(certificate)])
    assert learned.exit_code == 0, learned.output
    verified = run(app, ["verify", str(certificate), str(table)])
    assert verified.exit_code == 0, verified.output
