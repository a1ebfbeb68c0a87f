"""Equations of linear Gaussians, such as "X = 0.5*A - B + Normal(1, 2)"."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from stablebn.errors import listed
from stablebn.networks.model import LinearGaussian

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


def linear_gaussian(equation: str, node: str, parents: Sequence[str]) -> LinearGaussian:
    """Read an equation: its left side names the node; its right side is a sum of terms in any order.

    A term is a parent, a number times a parent, a number, or, once, Normal(mean, sd).

    Raises
    ------
    ValueError
        Says what was expected.
    """
    # One space where there were many, which the patterns would try in every way to share out.
    equation = " ".join(equation.split())
    left = _LEFT.match(equation)
    if left is None or left["node"] != node:
        raise ValueError(f"expected an equation that starts with '{node} ='")
    coefficients: dict[str, float] = {}
    # Unlike 0.0, this changes nothing that is added to it, not even -0.0.
    intercept, sds = -0.0, []
    at = left.end()
    while at < len(equation):
        term = _TERM.match(equation, at)
        if (
            term is None
            or (term["sign"] is None and at > left.end())
            or (term["noise"] and "-" in (term["sign"] or ""))
        ):
            raise ValueError(
                f"expected a sum of numbers, parents, numbers times parents and one Normal(mean, sd), "
                f"got {equation[at : at + 40].strip()!r}"
            )
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
    if sorted(coefficients) != sorted(parents):
        raise ValueError(
            f"expected terms for the parents {listed(parents)}, got them for {listed(tuple(coefficients))}"
        )
    if not all(map(math.isfinite, (*coefficients.values(), intercept, sds[0]))):
        raise ValueError("expected finite numbers")
    return LinearGaussian(tuple(parents), tuple(coefficients[parent] for parent in parents), intercept, sds[0])


def equation(node: str, own: LinearGaussian) -> str:
    """Write the equation of a linear Gaussian."""
    terms = [f"{coefficient!r}*{parent}" for coefficient, parent in zip(own.coefficients, own.parents, strict=True)]
    right = "+".join([*terms, f"Normal({own.intercept!r},{own.sd!r})"])
    return f"{node}={right.replace('+-', '-')}"
