"""The score of mixed data beside PyBNesian's conditional linear Gaussian BIC."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import stablebn as sb

pybnesian = pytest.importorskip("pybnesian", reason="PyBNesian is not installed (it is part of the extra bench)")

FAMILIES = [
    ("x", []),
    ("x", ["a"]),
    ("y", ["x"]),
    ("y", ["a", "x"]),
    ("y", ["a", "b", "x"]),
    ("y", ["a", "x", "z"]),
    ("z", ["b", "a"]),
    ("a", []),
    ("a", ["b"]),
]


def _table(rows: int = 500) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, rows)
    b = (a + rng.integers(0, 2, rows)) % 3
    x = rng.normal(size=rows) + a
    y = 2 * x + b * rng.normal(size=rows)
    return pd.DataFrame(
        {
            "a": pd.Categorical([f"l{code}" for code in a]),
            "b": pd.Categorical([f"l{code}" for code in b]),
            "x": x,
            "y": y + rng.normal(size=rows),
            "z": rng.normal(size=rows) * (1 + b) - y,
        }
    )


def _by_divisor(table: pd.DataFrame, child: str, parents: list[str]) -> float:
    """What the divisor n of a stratum's variance adds to the log-likelihood, compared with n - 1 - continuous parents.

    With the variance RSS / m the log-likelihood of a stratum is -(n / 2) ln(2 pi RSS / m) - m / 2.
    """
    groups = [parent for parent in parents if parent in "ab"]
    sizes = table.groupby(groups, observed=True).size() if groups else pd.Series([len(table)])
    fewer = sizes - 1 - (len(parents) - len(groups))
    return float((sizes / 2 * np.log(sizes / fewer) - (sizes - fewer) / 2).sum())


@pytest.mark.parametrize(("child", "parents"), FAMILIES)
def test_a_family_differs_from_pybnesian_by_the_divisor_of_the_variance(child: str, parents: list[str]) -> None:
    table = _table()
    peer = pybnesian.BIC(table).local_score(pybnesian.CLGNetwork(list(table.columns)), child, parents)
    own = sb.score([(parent, child) for parent in parents], table).by_node[child]
    divisor = _by_divisor(table, child, parents) if child not in "ab" else 0.0
    assert own == pytest.approx(peer + divisor, rel=1e-9)
    # And it is the divisor: without it they differ far more.
    assert child in "ab" or abs(own - peer) > 1e4 * abs(own - peer - divisor)
