import math

import numpy as np
import pytest
from scipy.special import chdtrc

from stablebn.independence.chi_square import chi_square_p_values

LEAST = 5e-324


@pytest.mark.parametrize("statistic", [1400.0, 1430.0, 1440.0, 1460.0, 1480.0])
def test_p_values_reach_down_to_the_least_double(statistic: float) -> None:
    half = statistic / 2
    # With 2 and 4 degrees of freedom the tail is a formula. Doubles below 1e-308 have few digits left.
    two, four = chi_square_p_values(np.array([statistic, statistic]), np.array([2.0, 4.0])).tolist()
    assert math.isclose(two, math.exp(-half), rel_tol=1e-9, abs_tol=LEAST)
    assert math.isclose(four, math.exp(math.log1p(half) - half), rel_tol=1e-9, abs_tol=LEAST)


@pytest.mark.parametrize("df", [1.0, 3.0, 10.0, 60.0, 500.0])
def test_a_stronger_association_has_no_greater_p_value(df: float) -> None:
    statistics = np.linspace(1000, 4000, 3000, dtype=np.float64)
    p_values = chi_square_p_values(statistics, df)
    assert (np.diff(p_values) <= 0).all()
    assert p_values[0] > 0
    assert p_values[-1] == 0
    assert ((p_values > 0) & (p_values < 1e-312)).any()


def test_compiled_code_calls_scipy_itself() -> None:
    rng = np.random.default_rng(1)
    df = rng.integers(1, 3000, 1000).astype(np.float64)
    statistics = df * rng.uniform(0.1, 2, 1000)
    assert (chi_square_p_values(statistics, df) == chdtrc(df, statistics)).all()


def test_a_single_p_value_is_a_number() -> None:
    assert float(chi_square_p_values(1440.0, 2.0)) == pytest.approx(math.exp(-720), rel=1e-9)
    assert float(chi_square_p_values(math.inf, 2.0)) == 0
