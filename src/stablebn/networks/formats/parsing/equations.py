"""Parse and write equations of continuous nodes: "X = 0.5*A - B + Normal(1, 2)", or "X = Choose(C, ..., ...)"."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from stablebn.errors import listed
from stablebn.networks.model import ConditionalGaussian, LinearGaussian
from stablebn.stats.variable_sets import members

VARIABLE = r"(?!Normal\b)[^\W\d]\w*"
"""Pattern of a name that can stand in an equation."""

_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_LEFT = re.compile(rf"\s*(?P<node>{VARIABLE})\s*=")
_TERM = re.compile(
    rf"\s*(?P<sign>[+-](?:\s*[+-])?)?\s*(?:"
    rf"(?P<noise>Normal)\s*\(\s*(?P<mean>[+-]?\s*{_NUMBER})\s*,\s*(?P<sd>{_NUMBER})\s*\)"
    rf"|(?P<before>{_NUMBER})\s*\*\s*(?P<times>{VARIABLE})"
    rf"|(?P<parent>{VARIABLE})(?:\s*\*\s*(?P<after>{_NUMBER}))?"
    rf"|(?P<constant>{_NUMBER}))\s*"
)
_CONDITION = re.compile(
    rf"\s*(?:Choose\s*\(\s*(?P<index>{VARIABLE})\s*,"
    rf"|If\s*\(\s*(?P<of>{VARIABLE})\s*=\s*\"(?P<level>[^\"]*)\"\s*,)"
)
_DEEPEST = 64


def gaussian(
    equation: str, node: str, levels: Mapping[str, Sequence[str]], continuous: Sequence[str]
) -> LinearGaussian | ConditionalGaussian:
    """Parse an equation: its left side is the node; its right side is a sum, or a choice between sums.

    The terms of a sum, in any order, are parents, numbers times parents, numbers, and one Normal(mean, sd).
    Choose(parent, first, second, ...) has an expression for each level of a categorical parent;
    If(parent="level", expression, other expression) has two expressions. Both may be nested.

    Parameters
    ----------
    equation : str
    node : str
    levels : mapping of str to sequence of str
        The categorical parents with their levels.
    continuous : sequence of str
        The continuous parents.

    Raises
    ------
    ValueError
        The equation is invalid; the message says what was expected.
    """
    # Repeated spaces are removed, because the patterns would backtrack over all ways to split them.
    equation = " ".join(equation.split())
    left = _LEFT.match(equation)
    if left is None or left["node"] != node:
        raise ValueError(f"expected an equation that starts with '{node} ='")
    reader = _EquationParser(equation, levels)
    everywhere = {parent: (1 << len(own)) - 1 for parent, own in levels.items()}
    if reader.expression(left.end(), everywhere, 0) < len(equation):
        raise reader.no_term(reader.end)
    named = dict.fromkeys(parent for _, leaf in reader.leaves for parent in leaf.coefficients)
    if sorted(named) != sorted(continuous):
        raise ValueError(f"expected terms for the parents {listed(continuous)}, got them for {listed(tuple(named))}")
    unused = [parent for parent in levels if parent not in reader.conditions]
    if unused:
        raise ValueError(f"expected Choose(parent, ...) or If(parent=...) for the categorical parents {listed(unused)}")
    return _filled(reader.leaves, levels, continuous)


class _Sum(NamedTuple):
    """Parsed sum: coefficients of parents, intercept and standard deviation."""

    coefficients: dict[str, float]
    intercept: float
    sd: float


class _EquationParser:
    """Parses the right side of an equation.

    Attributes
    ----------
    leaves : list of (bits, _Sum)
        The sums, each with its configurations: for every categorical parent, a bit set of levels.
    conditions : set of str
        The categorical parents that occur in conditions.
    end : int
        Position of the end of the last expression.
    """

    def __init__(self, equation: str, levels: Mapping[str, Sequence[str]]) -> None:
        self._equation = equation
        self._level_indices = {parent: {level: i for i, level in enumerate(own)} for parent, own in levels.items()}
        self.leaves: list[tuple[dict[str, int], _Sum]] = []
        self.conditions: set[str] = set()
        self.end = 0

    def expression(self, at: int, where: dict[str, int], deep: int) -> int:
        """Parse the expression at a position, which applies to these configurations; return the position of its end."""
        condition = _CONDITION.match(self._equation, at)
        if condition is None:
            self.end = self._sum(at, where)
            return self.end
        if deep > _DEEPEST:
            raise ValueError(f"expected conditions at most {_DEEPEST} deep")
        parent = condition["index"] or condition["of"]
        if parent not in self._level_indices:
            raise ValueError(f"expected a condition on a categorical parent, got {parent!r}")
        self.conditions.add(parent)
        branches = self._branches(parent, condition["level"])
        at = condition.end()
        for number, branch in enumerate(branches):
            if number:
                at = self._mark(at, ",", f"{len(branches)} expressions for {parent!r}")
            at = self.expression(at, {**where, parent: where[parent] & branch}, deep + 1)
        self.end = self._mark(at, ")", f"')' after {len(branches)} expressions for {parent!r}")
        return self.end

    def _branches(self, parent: str, level: str | None) -> list[int]:
        """Return the bit set of levels for each expression of a condition."""
        index_of = self._level_indices[parent]
        if level is None:
            return [1 << index for index in range(len(index_of))]
        if level not in index_of:
            raise ValueError(f"expected a level of {parent!r}, one of {listed(tuple(index_of))}, got {level!r}")
        return [1 << index_of[level], ~(1 << index_of[level])]

    def _mark(self, at: int, mark: str, expected: str) -> int:
        """Move past a comma or a bracket."""
        # Spaces do not repeat: there is at most one here.
        at += self._equation.startswith(" ", at)
        if not self._equation.startswith(mark, at):
            raise ValueError(f"expected {expected}, got {self._equation[at : at + 40]!r}")
        return at + 1

    def _sum(self, start: int, where: dict[str, int]) -> int:
        coefficients: dict[str, float] = {}
        # Unlike 0.0, -0.0 leaves every number unchanged that is added to it, also -0.0.
        intercept, sds = -0.0, []
        at = start
        while at < len(self._equation) and self._equation[at] not in ",)":
            term = _TERM.match(self._equation, at)
            if term is None or (term["sign"] is None and at > start) or (term["noise"] and "-" in (term["sign"] or "")):
                raise self.no_term(at)
            at = term.end()
            sign = -1.0 if (term["sign"] or "").count("-") == 1 else 1.0
            parent = term["times"] or term["parent"]
            if term["noise"]:
                intercept += float(term["mean"].replace(" ", ""))
                sds.append(float(term["sd"]))
            elif term["constant"]:
                intercept += sign * float(term["constant"])
            elif parent in coefficients:
                raise ValueError(f"expected {parent!r} once, got it again")
            else:
                coefficients[parent] = sign * float(term["before"] or term["after"] or 1)
        if len(sds) != 1:
            raise ValueError(f"expected one Normal(mean, sd), got {len(sds)}")
        if not all(map(math.isfinite, (*coefficients.values(), intercept, sds[0]))):
            raise ValueError("expected finite numbers")
        self.leaves.append((where, _Sum(coefficients, intercept, sds[0])))
        return at

    def no_term(self, at: int) -> ValueError:
        """Return the error for a position at which no term of a sum is found."""
        return ValueError(
            f"expected a sum of numbers, parents, numbers times parents and one Normal(mean, sd), "
            f"got {self._equation[at : at + 40].strip()!r}"
        )


def _filled(
    leaves: Sequence[tuple[Mapping[str, int], _Sum]],
    levels: Mapping[str, Sequence[str]],
    continuous: Sequence[str],
) -> LinearGaussian | ConditionalGaussian:
    """Build the distribution of these sums; a parent that a sum does not have gets the coefficient 0 there."""
    if not levels:
        ((_, leaf),) = leaves
        return LinearGaussian(
            tuple(continuous), tuple(leaf.coefficients[parent] for parent in continuous), leaf.intercept, leaf.sd
        )
    shape = tuple(map(len, levels.values()))
    intercepts, sds = np.empty(shape), np.empty(shape)
    coefficients = np.empty((*shape, len(continuous)))
    for where, leaf in leaves:
        if all(where.values()):
            at = np.ix_(*(members(where[parent]) for parent in levels))
            intercepts[at], sds[at] = leaf.intercept, leaf.sd
            coefficients[at] = [leaf.coefficients.get(parent, 0.0) for parent in continuous]
    return ConditionalGaussian(tuple(levels), tuple(continuous), intercepts, coefficients, sds)


def equation(node: str, own: LinearGaussian | ConditionalGaussian) -> str:
    """Write the equation of a continuous node: a sum, or Choose(parent, ...) for each categorical parent."""
    return f"{node}={_right_side(own.conditional(), ())}"


def _right_side(own: ConditionalGaussian, at: tuple[int, ...]) -> str:
    """Write the right side of the equation for these levels of the first categorical parents."""
    if len(at) < len(own.categorical_parents):
        branches = [_right_side(own, (*at, level)) for level in range(own.sds.shape[len(at)])]
        return f"Choose({own.categorical_parents[len(at)]},{','.join(branches)})"
    slopes = zip(own.coefficients[at].tolist(), own.continuous_parents, strict=True)
    terms = [f"{coefficient!r}*{parent}" for coefficient, parent in slopes]
    right = "+".join([*terms, f"Normal({float(own.intercepts[at])!r},{float(own.sds[at])!r})"])
    return right.replace("+-", "-")
