"""How two variables were separated."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Separation:
    """How a pair was separated.

    Attributes
    ----------
    given : int
        The set given which it is independent.
    p_value : float
    """

    given: int
    p_value: float
