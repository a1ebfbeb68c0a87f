"""Conditional linear Gaussian networks the slow way: row by row, configuration by configuration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

import stablebn as sb

Frame = Mapping[Any, Sequence[Any]]


def rows_of(data: Frame) -> list[dict[Hashable, Any]]:
    """A table as a list of rows."""
    return [dict(zip(data, row, strict=True)) for row in zip(*data.values(), strict=True)]


def regressions(
    data: Frame, node: str, categorical: Sequence[str], continuous: Sequence[str]
) -> dict[tuple[Any, ...], list[float]]:
    """Intercept, coefficients and standard deviation (divisor n) of every configuration that has enough rows."""
    by_configuration: dict[tuple[Any, ...], list[dict[Hashable, Any]]] = {}
    for row in rows_of(data):
        by_configuration.setdefault(tuple(row[parent] for parent in categorical), []).append(row)
    found = {}
    for configuration, rows in by_configuration.items():
        if len(rows) >= len(continuous) + 2:
            design = np.array([[1.0, *(row[parent] for parent in continuous)] for row in rows])
            target = np.array([row[node] for row in rows])
            slopes = np.linalg.lstsq(design, target, rcond=None)[0]
            sd = math.sqrt(sum((target - design @ slopes) ** 2) / len(rows))
            found[configuration] = [*slopes.tolist(), sd]
    return found


def set_log_likelihood(data: Frame, categorical: Sequence[str], continuous: Sequence[str]) -> float:
    """Return L(D, X) of docs/mixed.md: log-likelihood of the configurations of D, and in each a Gaussian one of X."""
    rows = rows_of(data)
    groups: dict[tuple[Any, ...], list[list[float]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in categorical), []).append([row[name] for name in continuous])
    total = 0.0
    for group in groups.values():
        n, x = len(group), len(continuous)
        total += n * math.log(n / len(rows))
        if continuous:
            covariance = np.cov(np.array(group).T, bias=True).reshape(x, x)
            total -= n / 2 * (x * math.log(2 * math.pi) + np.linalg.slogdet(covariance)[1] + x)
    return total


def graph_log_likelihood(data: Frame, arcs: Sequence[tuple[str, str]]) -> float:
    """Sum over nodes v with parents S of L(S + v) - L(S)."""
    kinds = {name: "continuous" if isinstance(column[0], float) else "categorical" for name, column in data.items()}

    def value(names: Sequence[Hashable]) -> float:
        parts = [[str(name) for name in names if kinds[name] == kind] for kind in ("categorical", "continuous")]
        return set_log_likelihood(data, *parts)

    families = {node: [a for a, b in arcs if b == node] for node in data}
    return sum(value([*parents, node]) - value(parents) for node, parents in families.items())


def configurations(network: sb.Network, node: str) -> dict[tuple[Any, ...], list[float]]:
    """Intercept, coefficients and standard deviation of a node's configurations, by levels."""
    own = network[node]
    assert isinstance(own, sb.ConditionalGaussian)
    levels = []
    for parent in own.categorical_parents:
        table = network[parent]
        assert isinstance(table, sb.CPT)
        levels.append(table.levels)
    places = itertools.product(*(range(len(of_parent)) for of_parent in levels))
    return {
        tuple(of_parent[place] for of_parent, place in zip(levels, at, strict=True)): [
            float(own.intercepts[at]),
            *own.coefficients[at].tolist(),
            float(own.sds[at]),
        ]
        for at in places
    }
