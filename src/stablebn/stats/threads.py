"""Threads: how many there may be, and tasks in Python that run at once.

The core has threads of its own, which share the counting. These here ask several questions at once, each of which the
core answers without the interpreter's lock.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from functools import cache
from typing import TypeVar

Answer = TypeVar("Answer")


def cores() -> int:
    """How many cores this process may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_at_once(tasks: Sequence[Callable[[], Answer]], threads: int, give_up: Callable[[], None]) -> list[Answer]:
    """Do tasks at once, as far as there are threads.

    Parameters
    ----------
    tasks : sequence of callable
    threads : int
    give_up : callable
        Called when one fails or the caller is interrupted; the others should then end soon.
    """
    futures = [_executor(threads).submit(task) for task in tasks]
    try:
        done, _ = wait(futures, return_when=FIRST_EXCEPTION)
        for future in done:
            future.result()
        return [future.result() for future in futures]
    except BaseException:
        # The others must not go on unwatched.
        give_up()
        for future in futures:
            future.cancel()
        wait(futures)
        raise


@cache
def _executor(threads: int) -> ThreadPoolExecutor:
    """Threads that are kept, as to start them takes longer than much work."""
    return ThreadPoolExecutor(threads, thread_name_prefix="stablebn")


if hasattr(os, "register_at_fork"):
    # A forked process has none of these threads.
    os.register_at_fork(after_in_child=_executor.cache_clear)
