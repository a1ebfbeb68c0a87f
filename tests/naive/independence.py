"""Statistics of tests of independence as textbooks write them: slowly, in exact fractions where that is possible."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

from tests.naive.scores import DIGITS, cross_products, joint_counts, ln

from stablebn.table.table import CategoricalTable, ContinuousTable


def g2(table: CategoricalTable, x: int, y: int, given: Sequence[int]) -> Decimal:
    """2 sum of n_ijk ln(n_ijk n_k / (n_ik n_jk))."""
    both, in_x = joint_counts(table, [x, y, *given]), joint_counts(table, [x, *given])
    in_y, alone = joint_counts(table, [y, *given]), joint_counts(table, given)
    with localcontext() as context:
        context.prec = DIGITS
        terms = []
        for (i, j, *k), n in both.items():
            cell_of_x, cell_of_y = (i, *k), (j, *k)
            terms.append(n * ln(Fraction(n * alone[tuple(k)], in_x[cell_of_x] * in_y[cell_of_y])))
        return 2 * sum(terms, Decimal(0))


def x2(table: CategoricalTable, x: int, y: int, given: Sequence[int]) -> Fraction:
    """Sum of (observed - expected)**2 / expected over all cells that can be expected."""
    both, in_x = joint_counts(table, [x, y, *given]), joint_counts(table, [x, *given])
    in_y, alone = joint_counts(table, [y, *given]), joint_counts(table, given)
    total = Fraction(0)
    for k, size in alone.items():
        for i in range(len(table.levels[x])):
            for j in range(len(table.levels[y])):
                cell, cell_of_x, cell_of_y = (i, j, *k), (i, *k), (j, *k)
                expected = Fraction(in_x[cell_of_x] * in_y[cell_of_y], size)
                if expected:
                    total += (both[cell] - expected) ** 2 / expected
    return total


def degrees(table: CategoricalTable, x: int, y: int, given: Sequence[int]) -> int:
    """(r_x - 1)(r_y - 1) for every configuration, seen or not."""
    configurations = math.prod(len(table.levels[v]) for v in given)
    return (len(table.levels[x]) - 1) * (len(table.levels[y]) - 1) * configurations


def adjusted_degrees(table: CategoricalTable, x: int, y: int, given: Sequence[int]) -> int:
    """(levels of x seen - 1)(levels of y seen - 1), configuration by configuration."""
    total = 0
    for k in joint_counts(table, given):
        seen_x = [i for i, *rest in joint_counts(table, [x, *given]) if tuple(rest) == k]
        seen_y = [j for j, *rest in joint_counts(table, [y, *given]) if tuple(rest) == k]
        total += (len(seen_x) - 1) * (len(seen_y) - 1)
    return total


def partial_correlation(table: ContinuousTable, x: int, y: int, given: Sequence[int]) -> float:
    """From the residual cross-products of x and y, eliminated in exact fractions."""
    order = [*given, x, y]
    products = cross_products(table)
    rest = [[products[u][v] for v in order] for u in order]
    for j in range(len(given)):
        for i in range(j + 1, len(order)):
            ratio = rest[i][j] / rest[j][j]
            rest[i] = [value - ratio * above for value, above in zip(rest[i], rest[j], strict=True)]
    xx, xy, yy = rest[-2][-2], rest[-2][-1], rest[-1][-1]
    return float(xy) / math.sqrt(float(xx * yy))
