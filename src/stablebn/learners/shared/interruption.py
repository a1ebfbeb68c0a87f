"""Handle signals that stop a search early, so that it returns its result so far."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

# The default handlers: only these are replaced.
_USUAL: dict[signal.Signals, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}


class Interruption:
    """Records whether a signal has stopped a search.

    Parameters
    ----------
    signals : sequence of signal
        The signals that stop it: SIGINT, which Ctrl-C sends, or SIGTERM.

    Attributes
    ----------
    signal : int or None
        The signal that was received.
    """

    def __init__(self, signals: Sequence[signal.Signals]) -> None:
        self.signal: int | None = None
        self._signals = signals

    def is_asked(self) -> bool:
        """Return whether a signal has arrived."""
        return self.signal is not None

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Handle the signals here: the first asks the search to end, a second raises `KeyboardInterrupt`.

        Python handles signals in the main thread only, so in another thread nothing changes. A signal that is ignored
        or has a handler other than the default keeps it.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        replaced = [number for number in self._signals if signal.getsignal(number) is _USUAL[number]]
        try:
            for number in replaced:
                signal.signal(number, self._hear)
            yield
        finally:
            for number in replaced:
                signal.signal(number, _USUAL[number])

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.is_asked():
            raise KeyboardInterrupt
        self.signal = number
