"""How much work something is, where the promise is that it is little."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def little_work(cpu_seconds: float) -> Iterator[None]:
    """Fail if what is done inside takes more time of the processor, in this thread, than it could with any right.

    Neighbours on the machine do not count. Give at least 50 times what it takes: only work that grows with the square
    of the input, or faster, should ever be noticed.
    """
    began = time.thread_time()
    yield
    spent = time.thread_time() - began
    assert spent < cpu_seconds, f"{spent:.1f} s of the processor's time"
