"""Sections 2 to 4 of docs/specification.md, from plain columns to graphs, without a line of stablebn.

Scores are integers, in units of 1e-40, and compared to 1e-25, so that what is equal in mathematics is equal here. It
is slow: a dozen variables take seconds. Columns that only the data's finer structure or their names can tell apart
(what follows key 3 in section 4) are refused: it is for tables that have none.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import Any

Arc = tuple[int, int]
Arcs = frozenset[Arc]
Family = Callable[[int, frozenset[int]], int]

UNIT = 10**40
_EQUAL = 10**15
_DIGITS = 60
_PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")
_KINDS = ("add", "delete", "reverse")

LEARNERS = ("hc", "tabu", "hc-dec", "hc-inc", "tabu-dec", "tabu-inc", "hc-stable", "tabu-stable")


@dataclass(frozen=True)
class Learned:
    """What a learner found: arcs between positions of columns, score, processing order and number of moves."""

    arcs: Arcs
    score: int
    order: tuple[int, ...]
    steps: int


@cache
def _ln(x: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = _DIGITS
        return (Decimal(x.numerator) / Decimal(x.denominator)).ln()


def _ln_rising(a: Fraction, m: int) -> Decimal:
    """ln(a (a + 1) ... (a + m - 1))."""
    product = Fraction(1)
    for i in range(m):
        product *= a + i
    return _ln(product)


def _in_units(x: Decimal) -> int:
    with localcontext() as context:
        context.prec = _DIGITS
        return int((x * UNIT).to_integral_value())


def _rounded(x: int) -> int:
    """Coarsely enough that rounding cannot make equals differ."""
    return (x + _EQUAL // 2) // _EQUAL


# Section 2: scores.


def categorical_family(columns: Sequence[Sequence[Any]], score: str, iss: int = 1) -> Family:
    """The score of a child with a set of parents, k = 1."""
    rows = len(columns[0])
    levels = [len(set(column)) for column in columns]

    @cache
    def counts(variables: tuple[int, ...]) -> Counter[tuple[Any, ...]]:
        return Counter(tuple(columns[v][row] for v in variables) for row in range(rows))

    @cache
    def h(variables: tuple[int, ...]) -> Decimal:
        with localcontext() as context:
            context.prec = _DIGITS
            return sum((m * _ln(Fraction(m)) for m in counts(variables).values()), Decimal(0))

    @cache
    def family(child: int, parents: frozenset[int]) -> int:
        above, whole = tuple(sorted(parents)), tuple(sorted({*parents, child}))
        r, q = levels[child], math.prod(levels[p] for p in parents)
        with localcontext() as context:
            context.prec = _DIGITS
            if score in ("bic", "aic", "loglik"):
                penalty = {"bic": _ln(Fraction(rows)) / 2, "aic": Decimal(1), "loglik": Decimal(0)}[score]
                return _in_units(h(whole) - h(above) - penalty * (r - 1) * q)
            share = {"bde": Fraction(iss, q), "bds": Fraction(iss, len(counts(above))), "k2": Fraction(r)}[score]
            inside = sum((_ln_rising(share / r, m) for m in counts(whole).values()), Decimal(0))
            return _in_units(inside - sum((_ln_rising(share, m) for m in counts(above).values()), Decimal(0)))

    return family


def gaussian_family(columns: Sequence[Sequence[float]], score: str) -> Family:
    """The score of a child with a set of parents by least squares, k = 1."""
    rows = len(columns[0])
    exact = [[Fraction(x) for x in column] for column in columns]
    centred = [[x - sum(column, Fraction(0)) / rows for x in column] for column in exact]
    n = len(columns)
    products = {
        (u, v): sum((x * y for x, y in zip(centred[u], centred[v], strict=True)), Fraction(0))
        for u in range(n)
        for v in range(n)
    }

    @cache
    def determinant(variables: frozenset[int]) -> Fraction:
        inside = sorted(variables)
        matrix = [[products[u, v] for v in inside] for u in inside]
        found = Fraction(1)
        for j in range(len(matrix)):
            found *= matrix[j][j]
            for i in range(j + 1, len(matrix)):
                ratio = matrix[i][j] / matrix[j][j]
                matrix[i] = [x - ratio * y for x, y in zip(matrix[i], matrix[j], strict=True)]
        return found

    @cache
    def family(child: int, parents: frozenset[int]) -> int:
        with localcontext() as context:
            context.prec = _DIGITS
            residual = _ln(determinant(parents | {child})) - _ln(determinant(parents))
            fit = -Decimal(rows) / 2 * (residual - _ln(Fraction(rows - 1)) + (2 * _PI).ln()) - Decimal(rows - 1) / 2
            penalty = {"bic": _ln(Fraction(rows)) / 2, "aic": Decimal(1), "loglik": Decimal(0)}[score]
            return _in_units(fit - penalty * (len(parents) + 2))

    return family


# Section 3: climbing.


def _is_acyclic(arcs: Arcs, n: int) -> bool:
    left = set(range(n))
    while left:
        roots = {v for v in left if not any(u in left and w == v for u, w in arcs)}
        if not roots:
            return False
        left -= roots
    return True


def _moves(arcs: Arcs, n: int) -> Iterator[tuple[str, int, int, Arcs]]:
    for u, v in permutations(range(n), 2):
        if (u, v) in arcs:
            yield "delete", u, v, arcs - {(u, v)}
            yield "reverse", u, v, arcs - {(u, v)} | {(v, u)}
        elif (v, u) not in arcs:
            yield "add", u, v, arcs | {(u, v)}


def _parents(arcs: Arcs, v: int) -> frozenset[int]:
    return frozenset(u for u, w in arcs if w == v)


def climb(family: Family, order: Sequence[int], tabu: int, noinc: int) -> Learned:
    """HC where tabu and noinc are 0."""
    n = len(order)
    place = {v: p for p, v in enumerate(order)}

    def total(arcs: Arcs) -> int:
        return sum(family(v, _parents(arcs, v)) for v in range(n))

    arcs: Arcs = frozenset()
    best, best_score, score = arcs, total(arcs), total(arcs)
    visited = [arcs] if tabu else []
    steps = bad = 0
    while True:
        chosen: tuple[Any, ...] | None = None
        for move, u, v, changed in _moves(arcs, n):
            delta = _rounded(sum(family(w, _parents(changed, w)) - family(w, _parents(arcs, w)) for w in (u, v)))
            key = (-delta, _KINDS.index(move), place[u], place[v])
            # The cheap question first: most moves are no better than the best one so far.
            if (chosen is None or key < chosen[0]) and changed not in visited and _is_acyclic(changed, n):
                chosen = (key, changed)
        if chosen is None:
            break
        delta = -chosen[0][0]
        if delta <= 0 and bad + 1 > noinc:
            break
        arcs = chosen[1]
        score = total(arcs)
        steps += 1
        bad += delta <= 0
        if _rounded(score - best_score) > 0:
            best, best_score, bad = arcs, score, 0
        if tabu:
            visited = [*visited, arcs][-tabu:]
    return Learned(best, total(best), tuple(order), steps)


# Section 4: orders, and the learners that they make.


def decreasing_order(columns: Sequence[Sequence[Any]], family: Family, *, categorical: bool) -> list[int]:
    """By score without parents, mean score with one parent, and text of the value counts; greatest first."""
    n = len(columns)

    def key(v: int) -> tuple[Any, ...]:
        # n - 1 times the mean orders as the mean does.
        single = sum(family(v, frozenset({u})) for u in range(n) if u != v)
        values = dict(sorted(Counter(columns[v]).items()))
        own = _rounded(family(v, frozenset())), _rounded(single)
        return (*own, str(values)) if categorical else own

    keys = [key(v) for v in range(n)]
    if len(set(keys)) < n:
        raise ValueError("columns that the first three keys cannot tell apart")
    return sorted(range(n), key=keys.__getitem__, reverse=True)


def layers(arcs: Arcs, order: Sequence[int]) -> list[int]:
    """Topological order layer by layer from the roots, inside a layer by another order."""
    placed: list[int] = []
    while len(placed) < len(order):
        placed += [v for v in order if v not in placed and _parents(arcs, v) <= set(placed)]
    return placed


def learn(columns: Sequence[Sequence[Any]], algorithm: str, family: Family, *, categorical: bool) -> Learned:
    """Learn with tabu = noinc = 10, from columns without single-valued ones."""
    decreasing = decreasing_order(columns, family, categorical=categorical)
    increasing = decreasing[::-1]
    length = 10 if algorithm.startswith("tabu") else 0
    how = algorithm.removeprefix("tabu").removeprefix("hc")
    if how == "-stable":
        first, second = climb(family, decreasing, 0, 0), climb(family, increasing, 0, 0)
        better = second if _rounded(second.score - first.score) > 0 else first
        order = layers(better.arcs, better.order)
    else:
        order = {"": list(range(len(columns))), "-dec": decreasing, "-inc": increasing}[how]
    return climb(family, order, length, length)
