"""Weights that add up to as many as 2**40 rows: what tests, proofs, networks and cut points make of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.invariance.test_many_rows import MAKERS, TOTALS, weights_of
from tests.naive import independence as naive
from tests.naive.mixed import degenerate_family
from tests.naive.scores import joint_counts, ln
from tests.tables import Columns, categorical_columns, continuous_columns, shuffled
from tests.unit.exact.test_solver import small_parts

import stablebn as sb
from stablebn.canonical.row_draws import drawn_counts
from stablebn.ci_tests import independence_test
from stablebn.columns.requirements import check_rows_in_memory
from stablebn.fixed_point import UNIT
from stablebn.resampling.folds import held_out_counts
from stablebn.scores.registry import ScoreConfig, family_scores
from stablebn.stats import Counts, statistics_of

__all__ = ["small_parts"]


def _heavy(kind: str, total: int, n: int = 4, rows: int = 40) -> tuple[Columns, Any]:
    """Columns, and the table of them with weights of such a total."""
    rng = np.random.default_rng(total % 1009)
    columns = MAKERS[kind](rng, n, rows)
    prepared = sb.learn(columns, "hc", max_iter=0, weights=weights_of(rng, rows, total)).prepared
    assert prepared is not None
    return columns, prepared.table


def _questions(n: int) -> list[tuple[int, int, tuple[int, ...]]]:
    given: list[tuple[int, ...]] = [(), (2,), (2, 3)]
    return [(0, 1, own) for own in given] + [(1, n - 1, ())]


def _mask(variables: Sequence[int]) -> int:
    return sum(1 << v for v in variables)


@pytest.mark.parametrize("total", TOTALS)
def test_statistics_of_counts_are_those_of_the_twin(total: int) -> None:
    _, table = _heavy("categorical", total)
    statistics = statistics_of(table)
    for x, y, given in _questions(4):
        g2 = independence_test(statistics, "mi").test(x, y, _mask(given)).statistic
        x2 = independence_test(statistics, "x2").test(x, y, _mask(given)).statistic
        assert math.isclose(g2, naive.g2(table, x, y, given), rel_tol=1e-12)
        assert math.isclose(x2, naive.x2(table, x, y, given), rel_tol=1e-12)


@pytest.mark.parametrize("total", TOTALS)
def test_partial_correlations_are_those_of_the_twin(total: int) -> None:
    _, table = _heavy("continuous", total)
    for x, y, given in _questions(4):
        found = independence_test(statistics_of(table), "zf").test(x, y, _mask(given)).statistic
        r = naive.partial_correlation(table, x, y, given)
        right = math.sqrt(total - len(given) - 3) * math.atanh(r)
        assert math.isclose(abs(found), abs(right), rel_tol=1e-3)


@pytest.mark.parametrize("total", TOTALS)
def test_degenerate_gaussian_score_is_that_of_the_twin(total: int) -> None:
    """To 34 bits of a determinant, as it is rounded; whatever it is worked out in, see test_degenerate_gaussian.py."""
    _, table = _heavy("mixed", total, rows=12)
    scores = family_scores(table, ScoreConfig("dg"))
    n = len(table.names)
    for child, parents in [(0, ()), (1, (0,)), (n - 1, (0, 1)), (0, (n - 1,))]:
        right = degenerate_family(table, child, parents) - degenerate_family(table, child, ())
        ours = scores.family(child, _mask(parents)) - scores.family(child, 0)
        assert abs(Decimal(ours) / UNIT - right) <= Decimal(total) / 2**30


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("score", ["bic", "bde"])
def test_cuts_and_branches_prove_what_dynamic_programming_finds(score: str, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = categorical_columns(np.random.default_rng(3), 7, 60)
    weights = weights_of(np.random.default_rng(3), 60, 2**40)
    found = sb.learn(columns, "exact", score, weights=weights, max_parents=2)
    monkeypatch.undo()
    right = sb.learn(columns, "exact", score, weights=weights, max_parents=2)
    assert right.optimal
    assert found.optimal
    assert (found.score, found.bound, found.fingerprint) == (right.score, right.bound, right.fingerprint)


@pytest.mark.parametrize("kind", ["categorical", "continuous"])
def test_certificate_is_verified_in_another_layout(kind: str, tmp_path: Path) -> None:
    make = categorical_columns if kind == "categorical" else continuous_columns
    columns = make(np.random.default_rng(5), 5, 50)
    weights = weights_of(np.random.default_rng(5), 50, 2**40)
    certificate = sb.learn({**columns, "w": weights.tolist()}, "exact", weights="w", max_parents=2).certificate
    assert certificate is not None
    certificate.save(tmp_path / "proof.json")
    verified = sb.verify(tmp_path / "proof.json", shuffled({**columns, "w": weights.tolist()}, 7), weights="w")
    assert (verified.optimal, verified.gap) == (True, 0.0)


@pytest.mark.parametrize("total", TOTALS)
def test_fitted_probabilities_are_shares_of_rows_and_likelihoods_their_sums(total: int) -> None:
    columns, table = _heavy("categorical", total)
    names = list(columns)
    graph = [(names[0], names[1])]
    weights = table.weights.tolist()
    network = sb.fit(sb.DAG(names, graph), columns, weights=weights)
    assert [*table.names] == names
    counts, margins = joint_counts(table, [0, 1]), joint_counts(table, [0])
    fitted = network[names[1]]
    assert isinstance(fitted, sb.CPT)
    for (i, j), count in counts.items():
        assert fitted.probabilities[i, j] == float(Fraction(count, margins[(i,)]))
    right = sum(
        (m * ln(Fraction(m, margins[cell[:1]])) for cell, m in counts.items()),
        sum((m * ln(Fraction(m, total)) for v in (0, 2, 3) for m in joint_counts(table, [v]).values()), Decimal(0)),
    )
    assert math.isclose(network.log_likelihood(columns, weights=weights), right, rel_tol=1e-12)


@pytest.mark.parametrize("method", ["quantile", "interval", "information"])
def test_cut_points_are_those_of_lighter_rows(method: str) -> None:
    """All weights times a number: what says how much of what stays the same."""
    rng = np.random.default_rng(2)
    columns = {**continuous_columns(rng, 3, 60), **categorical_columns(rng, 1, 60)}
    weights = rng.integers(1, 9, 60)
    heavy = weights * (2**40 // int(weights.sum()))
    one, other = (
        sb.learn(columns, "hc", discretise=method, bins=3, max_iter=0, weights=own).prepared for own in (weights, heavy)
    )
    assert one is not None
    assert other is not None
    assert one.cuts == other.cuts
    assert len(one.cuts) == 3


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("total", [2**31, 2**33 - 1, 2**40])
def test_with_holes_layouts_and_split_weights_change_nothing(kind: str, total: int) -> None:
    rng = np.random.default_rng(total % 97)
    columns = {name: list(own) for name, own in MAKERS[kind](rng, 4, 70).items()}
    for name in [*columns][:3]:
        for row in rng.integers(6, 70, 9).tolist():
            columns[name][row] = None
    weights = weights_of(rng, 70, total)
    right = sb.learn(columns, weights=weights, missing="available")
    first = (rng.random(70) * (weights + 1)).astype(np.int64)
    order = rng.permutation(140)
    split = np.concatenate([first, weights - first])[order]
    turned = {name: [columns[name][i % 70] for i in order.tolist()] for name in [*columns][::-1]}
    found = sb.learn(turned, weights=split, missing="available", threads=2)
    # Not all that is told: how many values are missing is counted in rows as they are stored.
    assert (found.fingerprint, found.score) == (right.fingerprint, right.score)


def test_rows_in_memory_and_rows_that_are_drawn_have_a_limit_that_is_told() -> None:
    check_rows_in_memory(2**28)
    with pytest.raises(sb.DataError, match=r"268435457 rows.*memory="):
        check_rows_in_memory(2**28 + 1)
    for draw in (drawn_counts, held_out_counts):
        with pytest.raises(sb.DataError, match=r"stands for 1099511627776 rows.*not drawn"):
            draw(np.array([2**39, 2**39]), 2, 1)


def test_pairs_of_many_totals_are_counted_in_integers_of_either_size() -> None:
    """Next to 2**31, where counts of 32 bits end: a joint table has the same cells in both."""
    rng = np.random.default_rng(8)
    columns = categorical_columns(rng, 4, 30)
    found = []
    for total in (2**31 - 1, 2**31, 2**31 + 7):
        weights = np.full(30, 1)
        weights[0] = total - 29
        prepared = sb.learn(columns, "hc", max_iter=0, weights=weights).prepared
        assert prepared is not None
        statistics = statistics_of(prepared.table)
        assert isinstance(statistics, Counts)
        for own in combinations(range(4), 2):
            joint = statistics.compiled.table(_mask(own))
            assert joint is not None
            sizes, cells = joint
            assert sizes.sum() == total
            sizes[sizes == sizes.max()] -= total
            cells = np.where(cells > 2**20, cells - total, cells)
            found.append((own, sizes.tolist(), cells.tolist()))
    assert found[:6] == found[6:12] == found[12:]
