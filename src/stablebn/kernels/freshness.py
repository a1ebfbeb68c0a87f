"""Forgetting compiled kernels that are older than their sources.

Numba compiles a function again when its own file has changed. But what was compiled holds the functions that it calls
as they were, also those of other files: one change, and all kernels must be compiled again.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from numba import njit

_STAMP = "stablebn.stamp"


@njit(cache=True)
def _any_kernel():
    """Never called: it knows where compiled kernels are kept."""


def forget_old_kernels() -> None:
    """Forget all compiled kernels if any source was changed since they were kept."""
    kept_in = _any_kernel.stats.cache_path
    if kept_in is not None:
        forget_if_changed(Path(__file__).parent, Path(kept_in))


def forget_if_changed(sources: Path, compiled: Path) -> None:
    """Forget what is compiled in a folder unless the sources are still the same.

    Where nothing can be written nothing is forgotten either: then Numba keeps nothing there.
    """
    states = sorted((path.name, path.stat()) for path in sources.glob("*.py"))
    now = "\n".join(f"{name} {state.st_mtime_ns} {state.st_size}" for name, state in states)
    stamp = compiled / _STAMP
    with suppress(OSError):
        if stamp.exists() and stamp.read_text() == now:
            return
        # Indices first: none may name what is gone.
        for kept in (*compiled.glob("*.nbi"), *compiled.glob("*.nbc")):
            kept.unlink(missing_ok=True)
        # In one go: another process may look at the same time.
        mine = compiled / f"{_STAMP}.{os.getpid()}"
        mine.write_text(now)
        mine.replace(stamp)
