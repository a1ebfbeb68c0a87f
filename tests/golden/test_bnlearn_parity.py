"""Graphs, scores and tests of 36 random tables of all kinds against R bnlearn 5.2.1.

docs/migrating.md states the differences.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.shared import SHARED, golden, needs_shared

import stablebn as sb

pytestmark = needs_shared

FOLDER = SHARED / "golden" / "bnlearn-5.2.1"
ANSWERS: dict[str, Any] = golden("bnlearn-5.2.1/bnlearn.json")["tables"] if FOLDER.is_dir() else {}
ALGORITHMS = {
    "hc": "hc",
    "tabu": "tabu",
    "pc.stable": "pc-stable",
    "gs": "gs",
    "inter.iamb": "inter-iamb",
    "mmhc": "mmhc",
    "h2pc": "h2pc",
}
# Of mixed tables without those made by tests: mi-cg has other p-values here.
GRAPHS = [(t, a) for t in ANSWERS for a in ALGORITHMS if not t.startswith("mix") or a in ("hc", "tabu")]
# Here a regression in a configuration of categories with few rows is no candidate.
CLIMBS_WITH_FEW_ROWS = {"mix07.csv"}
# The last step of h2pc follows the paper (docs/parity.md): one arc more here.
OTHER_LAST_STEP = {"gau07.csv": {("V0002", "V0005")}, "gau10.csv": {("V0002", "V0003")}}


def _frame(table: str) -> pd.DataFrame:
    return pd.read_csv(FOLDER / table)


def _split(frame: pd.DataFrame, variables: Sequence[str]) -> tuple[list[str], list[str]]:
    """The categorical and the continuous ones of some variables."""
    categorical = [v for v in variables if not pd.api.types.is_numeric_dtype(frame[v])]
    return categorical, [v for v in variables if v not in categorical]


def _strata(frame: pd.DataFrame, categorical: list[str]) -> list[pd.DataFrame]:
    return [rows for _, rows in frame.groupby(categorical)] if categorical else [frame]


def _entropy(frame: pd.DataFrame, categorical: list[str]) -> float:
    sizes = [len(rows) for rows in _strata(frame, categorical)]
    return sum(n * math.log(n / len(frame)) for n in sizes)


def _regression(frame: pd.DataFrame, child: str, parents: Sequence[str], *, as_bnlearn: bool) -> float:
    """The log-likelihood of one regression per configuration, the residual variance divided by n or as in bnlearn."""
    categorical, continuous = _split(frame, parents)
    total = 0.0
    for rows in _strata(frame, categorical):
        n = len(rows)
        freedom = n - 1 - len(continuous) if as_bnlearn else n
        if freedom < 1:
            return math.nan
        matrix = np.column_stack([np.ones(n), *(rows[name] for name in continuous)])
        residuals = rows[child] - matrix @ np.linalg.lstsq(matrix, rows[child], rcond=None)[0]
        variance = (residuals**2).sum() / freedom
        total -= n / 2 * math.log(2 * math.pi * variance) + freedom / 2
    return total


def _difference_of_scores(frame: pd.DataFrame, child: str, parents: Sequence[str]) -> float:
    """Return what to add to our log-likelihood of a regression: we divide RSS by N - 1, in mixed scores by n."""
    categorical, continuous = _split(frame, parents)
    mixed = bool(_split(frame, list(frame))[0])
    total = 0.0
    for rows in _strata(frame, categorical):
        own, other = len(rows) - (0 if mixed else 1), len(rows) - 1 - len(continuous)
        total += (own - other) / 2 - len(rows) / 2 * math.log(own / other)
    return total


@pytest.mark.parametrize("algorithm", ["hc", "tabu"])
@pytest.mark.parametrize("table", ANSWERS)
def test_scores_are_those_of_bnlearn_but_for_the_divisor_of_variances(table: str, algorithm: str) -> None:
    frame, right = _frame(table), ANSWERS[table]
    arcs = [tuple(arc) for arc in right[algorithm]["directed"]]
    parents = {v: [a for a, b in arcs if b == v] for v in frame}
    _, continuous = _split(frame, list(frame))
    for score, value in right[f"{algorithm}_scores"].items():
        if table in CLIMBS_WITH_FEW_ROWS:
            with pytest.raises(sb.GraphError, match="too few rows"):
                sb.score(arcs, frame, score=score)
            continue
        found = sb.score(arcs, frame, score=score).total
        if score != "bge":
            found += sum(_difference_of_scores(frame, v, parents[v]) for v in continuous)
        assert found == pytest.approx(value, rel=1e-9), score


@pytest.mark.parametrize("table", [name for name in ANSWERS if not name.startswith("mix")])
def test_tests_of_one_kind_are_those_of_bnlearn(table: str) -> None:
    frame = _frame(table)
    for right in ANSWERS[table]["tests"]:
        found = sb.ci_test(frame, right["x"], right["y"], given=right["given"], test=right["test"])
        # Correlations are rounded to multiples of 2**-34 here, so that units cannot change them.
        assert found.statistic == pytest.approx(right["statistic"], rel=1e-8, abs=2e-8)
        assert found.df == right["df"]
        assert found.p_value == pytest.approx(right["p"], rel=1e-6, abs=1e-250)


def _mixed_tests() -> list[tuple[str, dict[str, Any]]]:
    return [(name, test) for name in ANSWERS if name.startswith("mix") for test in ANSWERS[name]["tests"]]


def test_mixed_tests_are_those_of_bnlearn_but_for_the_divisor_of_variances() -> None:
    compared = 0
    for table, right in _mixed_tests():
        frame, x, y, given = _frame(table), right["x"], right["y"], right["given"]
        _, ends = _split(frame, [x, y])
        categorical, continuous = _split(frame, [x, y, *given])
        if not ends:
            continue
        child, other = ends[0], x if ends[0] == y else y
        found = sb.ci_test(frame, x, y, given=given, test="mi-cg")
        assert found.df == right["df"]

        def statistic(*, as_bnlearn: bool) -> float:
            larger = _regression(frame, child, [other, *given], as_bnlearn=as_bnlearn)  # noqa: B023
            return 2 * (larger - _regression(frame, child, given, as_bnlearn=as_bnlearn))  # noqa: B023

        # bnlearn: no evidence without a residual; here: x + 2 rows for x continuous variables.
        expected = statistic(as_bnlearn=True)
        assert right["statistic"] == pytest.approx(0 if math.isnan(expected) else expected, rel=1e-7, abs=1e-7)
        if min(map(len, _strata(frame, categorical))) < len(continuous) + 2:
            assert found.p_value == 1
        else:
            assert found.statistic == pytest.approx(statistic(as_bnlearn=False), rel=1e-6, abs=1e-5)
            compared += 1
    assert compared >= 80


def test_bnlearn_tests_categorical_variables_given_continuous_ones_by_another_formula() -> None:
    """Its statistic adds the dependence of y on the continuous variables, so such a y is never independent of x."""
    compared = 0
    for table, right in _mixed_tests():
        frame, x, y = _frame(table), right["x"], right["y"]
        given, continuous = _split(frame, right["given"])
        if _split(frame, [x, y])[1] or not continuous:
            continue
        expected = _entropy(frame, [x, y, *given]) + _entropy(frame, given)
        expected -= _entropy(frame, [x, *given]) + _entropy(frame, [y, *given])
        for place, z in enumerate(continuous):
            expected += _regression(frame, z, [y, *given, *continuous[:place]], as_bnlearn=True)
            expected -= _regression(frame, z, [*given, *continuous[:place]], as_bnlearn=True)
        assert right["statistic"] == pytest.approx(2 * expected, rel=1e-9)
        compared += 1
    assert compared == 9


def _learned(frame: pd.DataFrame, name: str) -> set[tuple[Hashable, Hashable]]:
    """Arcs; of undirected edges both directions."""
    if name in ("hc", "tabu"):
        return set(sb.learn(frame, name).arcs)
    result = sb.learn(frame, ALGORITHMS[name], order="given")
    if name in ("mmhc", "h2pc"):
        return set(result.arcs)
    pdag = result.pdag
    return {*pdag.directed, *pdag.undirected, *((b, a) for a, b in pdag.undirected)}


@pytest.mark.parametrize(("table", "algorithm"), GRAPHS)
def test_graphs_are_those_of_bnlearn(table: str, algorithm: str) -> None:
    right = ANSWERS[table][algorithm]
    expected: set[tuple[Hashable, Hashable]] = {(a, b) for a, b in (*right["directed"], *right["undirected"])}
    found = _learned(_frame(table), algorithm)
    if table in CLIMBS_WITH_FEW_ROWS:
        # Its child has a configuration with too few rows, and with them bnlearn's graph has no score here.
        assert {child for _, child in found ^ expected} == {"V0004"}
    elif algorithm == "h2pc":
        assert found - expected == OTHER_LAST_STEP.get(table, set())
        assert expected <= found
    else:
        assert found == expected
