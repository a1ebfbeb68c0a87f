"""Ways of counting, and the limits that force them; and another machine."""

from __future__ import annotations

from stablebn import _core

FORCED: dict[str, dict[str, float]] = {
    "bits": {"histogram_cost": 1e9},
    "histogram": {"bits_cost": 1e9},
    "bits of narrow variables only": {"most_levels": 2},
    "no tables": {"most_configurations": 0},
    "no memory": {"most_bytes": 0},
    "tables soon forgotten": {"most_bytes": 1 << 10},
    "memory of forgotten tables": {"most_bytes": 1 << 16},
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


PLAIN_MACHINE = {
    "STABLEBN_ENGINE": "portable",
    # Older names, then those of NumPy 2.4; one that it does not know is left alone.
    "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_ICL AVX512_SPR AVX2 FMA3 X86_V3 X86_V4",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4",
    "OPENBLAS_CORETYPE": "Prescott",
    "PYTHONHASHSEED": "1",
}
"""The environment of a process that stands for another machine, without vector instructions."""
