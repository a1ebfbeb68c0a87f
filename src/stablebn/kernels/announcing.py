"""A word in the log before the first compilation, which takes seconds."""

from __future__ import annotations

import logging

from numba.core import event

logger = logging.getLogger("stablebn")

COMPILING = "compiling for this machine, which takes some seconds the first time"


class FirstCompilation(event.Listener):
    """Speaks up once in a process, when one of our kernels is compiled that no cache has."""

    def __init__(self) -> None:
        self.announced = False

    def on_start(self, event: event.Event) -> None:
        """Say it."""
        if not self.announced and event.data["dispatcher"].py_func.__module__.startswith("stablebn."):
            self.announced = True
            logger.info(COMPILING)

    def on_end(self, event: event.Event) -> None:
        """Nothing."""
