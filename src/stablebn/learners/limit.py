"""The time a learner may take."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType


class TimeIsUp(Exception):  # noqa: N818
    """Raised inside `with limit:`, and ends it."""


class Limit:
    """A limit of time: `with limit:` ends quietly when it is reached, and what was found until then stays.

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
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise TimeIsUp
        if self.interrupted is not None and self.interrupted():
            raise TimeIsUp

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> bool:
        if kind is TimeIsUp:
            self.kept = False
            return True
        return False
