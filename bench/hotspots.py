"""Where the time of one Tabu-Stable run goes: shares of each function of the core, and of each folder of Python."""

from __future__ import annotations

import cProfile
import pstats
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cases import SEED

import stablebn as sb
from stablebn import _core

PACKAGE = Path(sb.__file__).parent
CORE = "the core"
"""As if it were a file."""
SHOWN = 0.01
"""Smaller shares are left out."""


def measure(directories: Sequence[str], *, quick: bool) -> list[dict[str, Any]]:
    """One thread, a small and a large table."""
    sizes = (1_000, 10_000) if quick else (1_000, 100_000)
    return [_profile("asia" if quick else "alarm", directories, rows) for rows in sizes]


def _profile(name: str, directories: Sequence[str], rows: int) -> dict[str, Any]:
    table = sb.read_network(name, directories=directories).sample(rows, seed=SEED)
    sb.learn(table, threads=1)
    began = time.perf_counter()
    sb.learn(table, threads=1)
    seconds = time.perf_counter() - began
    profile = cProfile.Profile()
    with _visible_core():
        profile.runcall(sb.learn, table, threads=1)
    shares: Counter[str] = Counter()
    for (file, _, function), (_, _, own, _, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        shares[_place(file, function)] += own
    whole = shares.total()
    return {
        "network": name,
        "rows": rows,
        "seconds": seconds,
        "shares": {place: own / whole for place, own in shares.most_common() if own > SHOWN * whole},
    }


def _place(file: str, function: str) -> str:
    path = Path(file)
    if file == CORE:
        return f"core: {function}"
    if not path.is_relative_to(PACKAGE):
        return "NumPy, Arrow and Python"
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@contextmanager
def _visible_core() -> Iterator[None]:
    """Every function, class and method of the core behind a function of Python: the profiler sees no others."""
    replaced: list[tuple[Any, str, Any]] = []
    for name, found in list(vars(_core).items()):
        if isinstance(found, type):
            replaced += [(found, own, method) for own, method in list(vars(found).items()) if _is_of_core(method, own)]
        if isinstance(found, type) or _is_of_core(found, name):
            replaced.append((_core, name, found))
    for owner, name, original in replaced:
        title = name if owner is _core else f"{owner.__name__}.{name}"
        setattr(owner, name, _visible(original, title))
    try:
        yield
    finally:
        for owner, name, original in replaced:
            setattr(owner, name, original)


def _is_of_core(found: object, name: str) -> bool:
    return type(found).__name__ in ("nb_func", "nb_method") and not name.startswith("_")


def _visible(original: Callable[..., Any], title: str) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        return original(*arguments, **options)

    call.__code__ = call.__code__.replace(co_name=title, co_filename=CORE)
    return call
