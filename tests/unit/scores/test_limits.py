"""At the edges of what numbers hold: a score is that of the exact twin, or an error of ours; never another number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.naive import scores as naive
from tests.naive.mixed import mixed_family

import stablebn as sb
from stablebn.ci_tests import independence_test
from stablebn.fixed_point import UNIT, joined
from stablebn.scores.registry import ScoreConfig, family_scores
from stablebn.stats import statistics_of
from stablebn.table.table import CategoricalTable, ContinuousTable, MixedTable

# Where integers of 32 bits, and those of half as many numbers of two limbs as there once were, would end.
TOTALS = tuple(2**bits for bits in (28, 31, 32, 33, 39, 40))

# A family is worked out from doubles: so much of an error a row, as heavy rows make columns nearly collinear, and more
# the heavier they are. A number that wrapped around would be off by 2**48 at least.
ERROR_A_ROW = 1e-6


def _agrees(ours: int, right: Decimal, total: int) -> bool:
    error = Decimal(ERROR_A_ROW) * max(1, total >> 28)
    return abs(Decimal(ours) / UNIT - right) <= error * total


def _is_exact(ours: int, right: Decimal, total: int) -> bool:
    """Whether no more is lost than by the rounding of logarithms: 2**-56 nats a row."""
    return abs(Decimal(ours) / UNIT - right) <= Decimal(total) / 2**56 + Decimal(2) ** -45


@st.composite
def numbers(draw: st.DrawFn) -> ContinuousTable:
    """Three columns of any spread and offset, each row of which stands for up to all the rows there may be."""
    rows = draw(st.integers(6, 9))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    spreads = draw(st.lists(st.sampled_from([1e-150, 1e-30, 1e-3, 1.0, 1e3, 1e30, 1e150]), min_size=3, max_size=3))
    offsets = draw(st.lists(st.sampled_from([0.0, 1.0, -1e3]), min_size=3, max_size=3))
    values = (rng.uniform(-1, 1, (3, rows)) + np.array(offsets)[:, None]) * np.array(spreads)[:, None]
    heavy = draw(st.sampled_from(TOTALS)) // 9
    weights = np.array(draw(st.lists(st.sampled_from([1, 3, heavy]), min_size=rows, max_size=rows)))
    return ContinuousTable(("a", "b", "c"), values, weights.astype(np.int64))


@st.composite
def letters(draw: st.DrawFn) -> CategoricalTable:
    rows = draw(st.integers(3, 12))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    codes = rng.integers(0, 3, (3, rows)).astype(np.uint8)
    codes[:, :3] = [0, 1, 2]
    heavy = draw(st.sampled_from(TOTALS)) // 12
    weights = np.array(draw(st.lists(st.sampled_from([1, 5, heavy]), min_size=rows, max_size=rows)))
    return CategoricalTable(("a", "b", "c"), codes, (("p", "q", "r"),) * 3, weights.astype(np.int64))


@st.composite
def both(draw: st.DrawFn) -> MixedTable:
    """A column of letters and two of numbers; every letter has rows enough."""
    table = draw(numbers())
    rows = table.values.shape[1]
    codes = np.array([[0, 1] * rows]).astype(np.uint8)[:, :rows]
    assert table.weights is not None
    weights = np.maximum(table.weights, 2)
    names = ("letters", "a", "b")
    letters_of = CategoricalTable(names[:1], codes, (("p", "q"),), weights)
    return MixedTable(names, letters_of, ContinuousTable(names[1:], table.values[:2], weights))


FAMILIES: tuple[tuple[int, tuple[int, ...]], ...] = ((0, ()), (1, (0,)), (2, (0, 1)), (0, (2,)))


def _bits(parents: Sequence[int]) -> int:
    return sum(1 << p for p in parents)


@given(both(), st.sampled_from(["bic", "aic", "loglik"]), st.sampled_from([1e-6, 1.0, 1e6]))
@settings(max_examples=40)
def test_families_of_both_kinds_are_those_of_the_twin(table: MixedTable, score: str, k: float) -> None:
    scores = family_scores(table, ScoreConfig(score, k=k))
    for child, parents in (*FAMILIES, (1, (0, 2)), (0, (1, 2))):
        right = mixed_family(table, score, child, parents, k)
        assert right is not None
        assert _agrees(scores.family(child, _bits(parents)), right, table.total)


@settings(max_examples=60)
@given(numbers(), st.sampled_from(["bic", "aic", "loglik"]), st.sampled_from([1e-6, 1.0, 1e6]))
def test_gaussian_score_is_that_of_exact_fractions(table: ContinuousTable, score: str, k: float) -> None:
    scores = family_scores(table, ScoreConfig(score, k=k))
    for child, parents in FAMILIES:
        right = naive.gaussian_family(table, score, child, parents, k)
        assert _agrees(scores.family(child, _bits(parents)), right, table.total)


@settings(max_examples=60)
@given(
    numbers(),
    st.sampled_from([1e-20, 0.5, 1.0, 1e20]),
    st.sampled_from([None, 5, 1000, 2**28]),
)
def test_bge_score_is_that_of_exact_fractions(table: ContinuousTable, iss_mu: float, iss_w: int | None) -> None:
    scores = family_scores(table, ScoreConfig("bge", iss_mu=iss_mu, iss_w=iss_w))
    for child, parents in FAMILIES:
        right = naive.exact_bge_family(table, child, parents, iss_mu, iss_w)
        assert _agrees(scores.family(child, _bits(parents)), right, table.total + (iss_w or 0))


@settings(max_examples=40)
@given(numbers(), st.sampled_from(["bic", "bge"]))
def test_change_of_parents_is_the_difference_of_two_families(table: ContinuousTable, score: str) -> None:
    scores = family_scores(table, ScoreConfig(score))
    for child, parents, more in ((0, (), 1), (1, (0,), 2), (2, (1,), 0)):
        hi, lo = scores.changes(child, _bits(parents))[more].tolist()
        both = scores.family(child, _bits(parents) | 1 << more) - scores.family(child, _bits(parents))
        assert joined(hi, lo) == both


@settings(max_examples=60)
@given(
    letters(),
    st.sampled_from(["bic", "aic", "loglik", "bde", "bds", "k2"]),
    st.sampled_from([1e-20, 1e-3, 1.0, 1e9]),
    st.sampled_from([1e-6, 1.0, 1e6]),
)
def test_categorical_score_is_that_of_exact_fractions(
    table: CategoricalTable, score: str, iss: float, k: float
) -> None:
    scores = family_scores(table, ScoreConfig(score, iss=iss, k=k))
    for child, parents in FAMILIES:
        right = naive.categorical_family(table, score, child, parents, iss, k)
        # A penalty is rounded to the unit of each parameter. Imaginary rows are rows; gamma functions see all of them
        # in the family's own configurations and in its parents', the imaginary ones alone besides.
        rows = table.total + 10**6 if score in ("bic", "aic", "loglik") else 2 * table.total + 4 * math.ceil(iss)
        assert _is_exact(scores.family(child, _bits(parents)), right, rows)


@pytest.mark.parametrize("weight", [2 * 10**7, 2**40 // 12])
def test_scores_of_all_columns_do_not_wrap_around(weight: int) -> None:
    """Twelve rows that stand for a trillion: with such units, some 10**15 nats, more than limbs hold."""
    rng = np.random.default_rng(0)
    columns = {name: rng.uniform(-1, 1, 12) * 1e100 for name in "abc"}
    found = sb.score([("a", "b")], columns, "loglik", weights=[weight] * 12)
    values = np.array(list(columns.values()))
    table = ContinuousTable(("a", "b", "c"), values, np.full(12, weight, dtype=np.int64))
    right = sum(float(naive.gaussian_family(table, "loglik", *family)) for family in ((0, ()), (1, (0,)), (2, ())))
    assert right < -(2**34)
    assert math.isclose(found.total, right, rel_tol=1e-9)


EDGES: tuple[Any, ...] = (
    *(
        0,
        -1,
        1,
        2,
        True,
        False,
        10**6,
        10**6 + 1,
        2**28,
        2**28 + 1,
        2**31,
        2**63,
        10**20,
        10**400,
        -(10**400),
        10**5000,
    ),
    *(0.0, -0.0, 5e-324, 1e-300, 1e-20, 0.5, 1.0, 1e6, 1e9, 1e30, 1.7e308, math.nan, math.inf, -math.inf),
    *(np.int64(3), np.uint8(2), np.float32(0.5), np.float64(0.25), np.float64(math.nan), np.bool_(True)),
    *("3", [], 1j),
)
LETTERS = {name: list("pqrpqrppqqrrpqrqrp"[start:] + "pqrst"[:start]) for start, name in enumerate("abcd")}
NUMBERS = {name: np.random.default_rng(start).uniform(-1, 1, 18) for start, name in enumerate("abcd")}


def _name(value: Any) -> str:
    long = isinstance(value, int) and abs(value) > 10**30
    return f"{type(value).__name__} of {value.bit_length()} bits" if long else f"{type(value).__name__} {value}"


@pytest.mark.parametrize("value", EDGES, ids=_name)
def test_every_number_is_learned_with_or_refused_by_name(value: Any) -> None:
    cases = {
        ("tabu", "bic"): ("tabu", "noinc", "max_parents", "max_iter", "k", "threads", "max_time"),
        ("hc", "bde"): ("iss",),
        ("hc", "bge"): ("iss_mu", "iss_w"),
        ("pc-stable", "bic"): ("alpha", "max_condition"),
    }
    for (algorithm, score), options in cases.items():
        for option in options:
            # No more threads than a machine may have are started here.
            if option == "threads" and isinstance(value, int) and 8 < value <= 1024:
                continue
            # Patience without end is allowed, but not waited for.
            asked = {**({"max_iter": 50} if algorithm == "tabu" else {}), option: value}
            said = ""
            try:
                result = sb.learn(NUMBERS if score == "bge" else LETTERS, algorithm, score, **asked)
            except sb.OptionError as error:
                said = str(error)
            assert option in said if said else result.score is None or -1e12 < result.score < 0


@pytest.mark.parametrize("total", TOTALS)
def test_statistic_that_would_not_fit_is_refused(total: int) -> None:
    levels = tuple(f"l{i:03}" for i in range(200))
    codes = np.tile(np.arange(200, dtype=np.uint8), (2, 1))
    table = CategoricalTable(("a", "b"), codes, (levels, levels), np.full(200, total // 200, dtype=np.int64))
    right = 199 * (total // 200 * 200)
    if right < 2**47:
        assert independence_test(statistics_of(table), "x2").test(0, 1, 0).statistic == right
    else:
        with pytest.raises(sb.DataError, match=rf"200 levels.*{total // 200 * 200}"):
            independence_test(statistics_of(table), "x2")
    found = independence_test(statistics_of(table), "mi").test(0, 1, 0)
    assert math.isclose(found.statistic, 2 * (total // 200) * 200 * math.log(200), rel_tol=1e-12)
