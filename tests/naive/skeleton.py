"""The skeleton of PC-Stable, and the tests it rests on, as papers write them: without a line of stablebn.

Colombo and Maathuis (2014), algorithm 4.1: neighbours are those at the start of a round, so no order matters. The tails
of distributions are SciPy's.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

from scipy import stats


class Outcome(NamedTuple):
    """A test of independence."""

    statistic: float
    df: float
    p_value: float


IndependenceTest = Callable[[int, int, tuple[int, ...]], Outcome]


def categorical_test(columns: Sequence[Sequence[Any]], test: str) -> IndependenceTest:
    """G2 (`mi`) or Pearson's X2 (`x2`), summed over the configurations of the conditioning variables."""
    levels = [sorted(set(column)) for column in columns]

    def outcome(x: int, y: int, given: tuple[int, ...]) -> Outcome:
        strata: dict[tuple[Any, ...], Counter[tuple[Any, Any]]] = {}
        for row in range(len(columns[0])):
            stratum = strata.setdefault(tuple(columns[v][row] for v in given), Counter())
            stratum[columns[x][row], columns[y][row]] += 1
        terms = []
        for stratum in strata.values():
            size = sum(stratum.values())
            in_x = {i: sum(stratum[i, j] for j in levels[y]) for i in levels[x]}
            in_y = {j: sum(stratum[i, j] for i in levels[x]) for j in levels[y]}
            for i in levels[x]:
                for j in levels[y]:
                    seen, expected = stratum[i, j], Fraction(in_x[i] * in_y[j], size)
                    if test == "x2" and expected:
                        terms.append(float((seen - expected) ** 2 / expected))
                    elif test == "mi" and seen:
                        terms.append(2 * seen * math.log(seen / expected))
        df = (len(levels[x]) - 1) * (len(levels[y]) - 1) * math.prod(len(levels[v]) for v in given)
        statistic = math.fsum(terms)
        return Outcome(statistic, df, float(stats.chi2.sf(statistic, df)))

    return outcome


def continuous_test(columns: Sequence[Sequence[float]]) -> IndependenceTest:
    """Student's t test of the partial correlation (`cor`)."""
    rows = len(columns[0])
    exact = [[Fraction(x) for x in column] for column in columns]
    centred = [[x - sum(column, Fraction(0)) / rows for x in column] for column in exact]

    def product(u: int, v: int) -> Fraction:
        return sum((a * b for a, b in zip(centred[u], centred[v], strict=True)), Fraction(0))

    n = len(columns)
    products = [[product(u, v) for v in range(n)] for u in range(n)]

    def outcome(x: int, y: int, given: tuple[int, ...]) -> Outcome:
        order = [*given, x, y]
        rest = [[products[u][v] for v in order] for u in order]
        for j in range(len(given)):
            for i in range(j + 1, len(order)):
                ratio = rest[i][j] / rest[j][j]
                rest[i] = [value - ratio * above for value, above in zip(rest[i], rest[j], strict=True)]
        correlation = float(rest[-2][-1]) / math.sqrt(float(rest[-2][-2] * rest[-1][-1]))
        df = rows - 2 - len(given)
        t = correlation * math.sqrt(df / (1 - correlation**2))
        return Outcome(correlation, df, float(2 * stats.t.sf(abs(t), df)))

    return outcome


def pc_skeleton(n: int, test: IndependenceTest, alpha: float) -> set[frozenset[int]]:
    """Pairs that no neighbours of either separate."""
    edges = {frozenset(pair) for pair in combinations(range(n), 2)}
    size = 0
    while True:
        around = {v: sorted(u for u in range(n) if frozenset((u, v)) in edges) for v in range(n)}
        if all(len(neighbours) <= size for neighbours in around.values()):
            return edges
        for x, y in combinations(range(n), 2):
            pools = [[v for v in around[end] if v not in (x, y)] for end in (x, y)]
            sets = {given for pool in pools for given in combinations(pool, size)}
            if frozenset((x, y)) in edges and any(test(x, y, given).p_value > alpha for given in sorted(sets)):
                edges.remove(frozenset((x, y)))
        size += 1
