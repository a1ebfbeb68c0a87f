import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from stablebn.kernels import cholesky
from stablebn.kernels.logarithm import joined, to_float


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


def test_pair_is_symmetric_to_the_bit() -> None:
    matrix = _matrix(np.random.default_rng(2), 30)
    for u in range(30):
        for v in range(u):
            assert _half_ln(matrix, [u, v]) == _half_ln(matrix, [v, u])


def test_extensions_are_the_single_determinants() -> None:
    matrix = _matrix(np.random.default_rng(3), 8)
    powers = np.arange(8)
    out = np.zeros((8, 2), dtype=np.int64)
    base = np.array([1, 4, 6])
    cholesky.half_ln_determinants_extended(matrix, powers, base, np.array([0, 2, 3, 5, 7]), 2, out)
    for u in (0, 2, 3, 5, 7):
        assert joined(*out[u]) == _half_ln(matrix, sorted([1, 4, 6, u]), powers)


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
