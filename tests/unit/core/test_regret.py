"""Regrets of categorical distributions: to the last bit those of a slow twin, and what bounds and users rely on."""

from __future__ import annotations

import math
import random
from decimal import ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import pytest
from tests.naive.scores import DIGITS, regret

from stablebn import _core
from stablebn.fixed_point import UNIT, to_float

SMALL = [(rows, outcomes) for rows in (1, 2, 3, 10, 100) for outcomes in (2, 3, 7, 1000, 2**53)]


def _drawn(count: int) -> list[tuple[int, int]]:
    rng = random.Random("regrets")
    return [(rng.randint(1, 2 ** rng.randint(1, 40)), rng.randint(2, 2 ** rng.randint(2, 53))) for _ in range(count)]


@pytest.mark.parametrize("cases", [SMALL, _drawn(300), [(2**40, 2), (2**40, 2**53), (2**40, 2**40), (1, 2**53)]])
def test_regrets_are_the_nearest_integers_to_those_of_the_formula(cases: list[tuple[int, int]]) -> None:
    with localcontext() as context:
        context.prec = 2 * DIGITS
        for rows, outcomes in cases:
            right = (regret(rows, outcomes) * UNIT + Decimal("0.5")).to_integral_value(ROUND_FLOOR)
            assert _core.regret(rows, outcomes) == right


def test_one_outcome_has_no_regret() -> None:
    assert [_core.regret(rows, 1) for rows in (1, 7, 2**40)] == [0, 0, 0]


@pytest.mark.parametrize("rows", [20, 100])
@pytest.mark.parametrize("outcomes", [2, 3, 5, 12])
def test_regrets_are_close_to_the_logarithm_of_the_exact_sum(rows: int, outcomes: int) -> None:
    # C(N, 2) by its definition; then C(N, K + 2) = C(N, K + 1) + N / K C(N, K) (Kontkanen and Myllymaki 2007).
    sums = {1: Fraction(1)}
    sums[2] = sum(
        (math.comb(rows, h) * Fraction(h, rows) ** h * Fraction(rows - h, rows) ** (rows - h) for h in range(rows + 1)),
        Fraction(0),
    )
    for k in range(1, outcomes - 1):
        sums[k + 2] = sums[k + 1] + Fraction(rows, k) * sums[k]
    # The approximation has Stirling's formula for Gamma(K / 2) in it, which is off by about 1 / (6 K).
    too_much = to_float(_core.regret(rows, outcomes)) - math.log(sums[outcomes])
    assert too_much == pytest.approx(1 / (6 * outcomes), abs=0.02)


@pytest.mark.parametrize("rows", [2, 3, 10, 1000, 10**6, 2**40])
@pytest.mark.parametrize("levels", [2, 3, 50])
def test_penalty_of_a_child_grows_with_the_configurations_of_its_parents(rows: int, levels: int) -> None:
    # On this the bounds of candidate parent sets rely, which look at two configurations or more.
    configurations = sorted({2, 3, 5, *(2**power + more for power in range(2, 46) for more in (0, 1))})
    penalties = [_core.regret(rows, q * levels) - _core.regret(rows, q) for q in configurations]
    # Up to roundings.
    assert all(b - a >= -2 for a, b in pairwise(penalties))


@pytest.mark.parametrize(("rows", "outcomes"), [(0, 2), (5, 0), (5, 2**53 + 1)])
def test_what_has_no_regret_is_refused(rows: int, outcomes: int) -> None:
    with pytest.raises(ValueError, match="out of range"):
        _core.regret(rows, outcomes)
