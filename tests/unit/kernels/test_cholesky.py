import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from stablebn.kernels import cholesky
from stablebn.kernels.logarithm import joined, ln, to_fixed, to_float


def _matrix(rng: np.random.Generator, n: int) -> NDArray[Any]:
    values = rng.normal(size=(n, 50))
    matrix = values @ values.T / 50
    scale = 2.0 ** -np.floor(np.log2(np.diag(matrix)) / 2)
    return np.ascontiguousarray(matrix * np.outer(scale, scale))


def _half_ln(matrix: NDArray[Any], members: list[int], exponents: NDArray[Any] | None = None) -> int:
    powers = np.zeros(len(matrix), dtype=np.int64) if exponents is None else exponents
    work = np.empty((len(members), len(members)))
    return joined(*cholesky.half_ln_determinant(matrix, powers, np.array(members, dtype=np.int64), 2, work))


@pytest.mark.parametrize("members", [[], [2], [1, 3], [0, 2, 4], [0, 1, 2, 3, 4, 5]])
def test_determinant_is_that_of_numpy(members: list[int]) -> None:
    matrix = _matrix(np.random.default_rng(1), 6)
    _, right = np.linalg.slogdet(matrix[np.ix_(members, members)])
    assert math.isclose(to_float(_half_ln(matrix, members)), right, abs_tol=1e-13)


def test_half_the_logarithm_of_two_is_the_one_that_the_kernels_compute() -> None:
    hi, lo = ln(2.0, 0.0)
    assert to_fixed(0.5 * hi, 0.5 * lo) == cholesky.HALF_LN_2


def test_pair_is_symmetric_to_the_bit() -> None:
    matrix = _matrix(np.random.default_rng(2), 30)
    for u in range(30):
        for v in range(u):
            assert _half_ln(matrix, [u, v]) == _half_ln(matrix, [v, u])


@pytest.mark.parametrize("members", [[], [3], [1, 4], [0, 1, 5, 7], [1, 2, 3, 4, 5, 6]])
def test_extensions_are_the_single_determinants_to_the_bit(members: list[int]) -> None:
    matrix = _matrix(np.random.default_rng(3), 8)
    matrix[2] = matrix[6]
    matrix[:, 2] = matrix[:, 6]
    powers = np.arange(8)
    out = np.zeros((8, 2), dtype=np.int64)
    cholesky.half_ln_determinants_extended(matrix, powers, np.array(members, dtype=np.int64), 2, out)
    for u in set(range(8)) - set(members):
        assert joined(*out[u]) == _half_ln(matrix, sorted([*members, u]), powers)


def test_changes_of_a_family_are_those_of_single_determinants() -> None:
    matrix = _matrix(np.random.default_rng(3), 8)
    powers = np.arange(8)
    factors, offsets = np.full(9, 2), np.array([[7 * p, p] for p in range(5)])

    def score(parents: list[int]) -> int:
        family = _half_ln(matrix, sorted([*parents, 4]), powers)
        return family - _half_ln(matrix, parents, powers) + joined(*offsets[len(parents)])

    for parents in ([], [1, 6], [1, 2, 6, 7]):
        out = np.zeros((8, 3), dtype=np.int64)
        own = joined(
            *cholesky.determinant_changes(matrix, powers, 4, np.array(parents, dtype=np.int64), factors, offsets, out)
        )
        assert own == score(parents)
        for u in range(8):
            changed = sorted({u} ^ set(parents))
            possible = u != 4 and len(changed) < len(offsets)
            assert joined(*out[u, :2]) == (score(changed) - own if possible else 0)


def test_collinear_columns_count_as_two_to_the_minus_forty() -> None:
    matrix = np.array([[2.0, 2.0, 2.0], [2.0, 2.0, 2.0], [2.0, 2.0, 2.0]])
    assert math.isclose(to_float(_half_ln(matrix, [0, 1])), 2 * math.log(2) - 40 * math.log(2), rel_tol=1e-15)
    assert math.isclose(to_float(_half_ln(matrix, [0, 1, 2])), 3 * math.log(2) - 80 * math.log(2), rel_tol=1e-15)


def test_power_of_two_scales_add_exactly() -> None:
    matrix = _matrix(np.random.default_rng(4), 4)
    none = np.zeros(4, dtype=np.int64)
    shifted = np.array([3, -5, 7, 1])
    gain = [
        _half_ln(matrix, [0, 1, 2], e) - _half_ln(matrix, [0, 1], e) - _half_ln(matrix, [2], e) for e in (none, shifted)
    ]
    assert gain[0] == gain[1]
