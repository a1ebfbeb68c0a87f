"""A time limit for work whose results so far are kept."""

from __future__ import annotations

import time
from collections.abc import Callable

from stablebn import _core


class Limit:
    """A time limit for work that ends without an error when the limit is reached; results so far are kept.

    Parameters
    ----------
    deadline : float or None
        In terms of `time.monotonic`; None: no limit.
    interrupted : callable, optional
        Returns whether to end earlier.

    Attributes
    ----------
    kept : bool
        Whether all work ended in time.
    """

    def __init__(self, deadline: float | None, interrupted: Callable[[], bool] | None = None) -> None:
        self.deadline = deadline
        self.interrupted = interrupted
        self.kept = True

    def check(self) -> None:
        """Raise `TimeIsUp` if the limit is reached."""
        if self._is_reached():
            raise _core.TimeIsUp

    def run(self, work: Callable[[], None]) -> None:
        """Do some work until the limit is reached, also within long calls of the compiled core."""
        try:
            _core.within_time(self._is_reached, work)
        except _core.TimeIsUp:
            self.kept = False

    def _is_reached(self) -> bool:
        if self.deadline is not None and time.monotonic() > self.deadline:
            return True
        return self.interrupted is not None and self.interrupted()
