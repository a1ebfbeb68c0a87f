"""Ways of counting, and the limits that force them."""

from __future__ import annotations

from stablebn import _core

FORCED: dict[str, dict[str, float]] = {
    "bits": {"histogram_cost": 1e9},
    "histogram": {"bits_cost": 1e9},
    "bits of narrow variables only": {"most_levels": 2},
    "no tables": {"most_configurations": 0},
    "no memory": {"most_bytes": 0},
    "tables soon forgotten": {"most_bytes": 1 << 10},
    "tests by rows": {"most_cells_for_bits": 0},
    "tests by bits": {"most_cells_for_bits": 1 << 20},
}
"""Ways of counting, by the limits that force them."""


def limits_of(way: str) -> _core.CountingLimits:
    """The limits that force a way of counting."""
    limits = _core.CountingLimits()
    for name, value in FORCED[way].items():
        setattr(limits, name, value)
    return limits
