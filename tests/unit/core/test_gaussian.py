import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from stablebn._core import GaussianScores, ln_pair
from stablebn.fixed_point import joined, to_float
from stablebn.stats.variable_sets import bit
from stablebn.stats.variable_sets import members as members_of


def _matrix(rng: np.random.Generator, n: int) -> NDArray[Any]:
    values = rng.normal(size=(n, 50))
    matrix = values @ values.T / 50
    scale = 2.0 ** -np.floor(np.log2(np.diag(matrix)) / 2)
    return np.ascontiguousarray(matrix * np.outer(scale, scale))


OFFSETS = np.array([[7 * p, p] for p in range(5)])


def _scores(matrix: NDArray[Any], exponents: list[int] | None = None) -> GaussianScores:
    n = len(matrix)
    return GaussianScores(matrix, exponents or [0] * n, [2] * (n + 1), OFFSETS)


def _half_ln(matrix: NDArray[Any], members: list[int], exponents: list[int] | None = None) -> int:
    return _scores(matrix, exponents).half_ln_determinant(members)


@pytest.mark.parametrize("members", [[], [2], [1, 3], [0, 2, 4], [0, 1, 2, 3, 4, 5]])
def test_determinant_is_that_of_numpy(members: list[int]) -> None:
    matrix = _matrix(np.random.default_rng(1), 6)
    _, right = np.linalg.slogdet(matrix[np.ix_(members, members)])
    assert math.isclose(to_float(_half_ln(matrix, members)), right, abs_tol=1e-13)


def test_half_the_logarithm_of_two_is_the_one_that_the_core_computes() -> None:
    # Rounded to an even multiple of 2**-62. The factor is 2, and the determinant 2**(2 * 5).
    half = 2 * math.floor(sum(map(Fraction, ln_pair(2.0))) / 2 * 2**61 + Fraction(1, 2))
    assert _half_ln(np.ones((1, 1)), [0], [5]) == 2 * 10 * half


def test_pair_is_symmetric_to_the_bit() -> None:
    matrix = _matrix(np.random.default_rng(2), 30)
    for u in range(30):
        for v in range(u):
            assert _half_ln(matrix, [u, v]) == _half_ln(matrix, [v, u])


@pytest.mark.parametrize("parents", [[], [1, 6], [1, 2, 6, 7], [0, 3, 5], [5, 6, 7], [0, 1, 2]])
def test_changes_of_a_family_are_those_of_single_determinants_to_the_bit(parents: list[int]) -> None:
    matrix = _matrix(np.random.default_rng(3), 8)
    matrix[2] = matrix[6]
    matrix[:, 2] = matrix[:, 6]
    powers = list(range(8))
    scores = _scores(matrix, powers)

    def score(parents: list[int]) -> int:
        family = _half_ln(matrix, sorted([*parents, 4]), powers)
        return family - _half_ln(matrix, parents, powers) + joined(*OFFSETS[len(parents)])

    family = sum(map(bit, parents))
    own = scores.term(4, family)
    assert own == score(parents)
    changes = scores.changes(4, family)
    for u in range(8):
        changed = members_of(family ^ bit(u))
        possible = u != 4 and len(changed) < len(OFFSETS)
        assert joined(*changes[u]) == (score(changed) - own if possible else 0)


def test_collinear_columns_count_as_two_to_the_minus_forty() -> None:
    matrix = np.array([[2.0, 2.0, 2.0], [2.0, 2.0, 2.0], [2.0, 2.0, 2.0]])
    assert math.isclose(to_float(_half_ln(matrix, [0, 1])), 2 * math.log(2) - 40 * math.log(2), rel_tol=1e-15)
    assert math.isclose(to_float(_half_ln(matrix, [0, 1, 2])), 3 * math.log(2) - 80 * math.log(2), rel_tol=1e-15)


def test_power_of_two_scales_add_exactly() -> None:
    matrix = _matrix(np.random.default_rng(4), 4)
    none = [0, 0, 0, 0]
    shifted = [3, -5, 7, 1]
    gain = [
        _half_ln(matrix, [0, 1, 2], e) - _half_ln(matrix, [0, 1], e) - _half_ln(matrix, [2], e) for e in (none, shifted)
    ]
    assert gain[0] == gain[1]
