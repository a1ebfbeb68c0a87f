"""The time a learner may take."""

from __future__ import annotations

import time
from collections.abc import Callable

from stablebn import _core


class Limit:
    """A limit of time for work that ends quietly when it is reached; what was found until then stays.

    Parameters
    ----------
    deadline : float or None
        In terms of `time.monotonic`; None: no limit.
    interrupted : callable, optional
        Whether it is to end before.

    Attributes
    ----------
    kept : bool
        Whether everything has come to its end in time.
    """

    def __init__(self, deadline: float | None, interrupted: Callable[[], bool] | None = None) -> None:
        self.deadline = deadline
        self.interrupted = interrupted
        self.kept = True

    def check(self) -> None:
        """Raise `TimeIsUp` if it is."""
        if self._is_reached():
            raise _core.TimeIsUp

    def run(self, work: Callable[[], None]) -> None:
        """Do some work until the limit is reached, also in the midst of long work of the core."""
        try:
            _core.within_time(self._is_reached, work)
        except _core.TimeIsUp:
            self.kept = False

    def _is_reached(self) -> bool:
        if self.deadline is not None and time.monotonic() > self.deadline:
            return True
        return self.interrupted is not None and self.interrupted()
