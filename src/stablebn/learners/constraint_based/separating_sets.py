"""The separation of a pair of variables."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Separation:
    """A set given which a pair of variables is independent, with the p-value of the test."""

    given: int
    p_value: float
