"""Signals that ask a search to end early, and return what it has."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

# What these do where nobody has asked for anything else: only then is it ours to change.
_USUAL: dict[signal.Signals, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}


class Interruption:
    """Whether a signal has asked a search to end.

    Parameters
    ----------
    signals : sequence of signal
        Those that ask for it: SIGINT, which Ctrl-C sends, or SIGTERM.

    Attributes
    ----------
    signal : int or None
        The one that has come.
    """

    def __init__(self, signals: Sequence[signal.Signals]) -> None:
        self.signal: int | None = None
        self._signals = signals

    def is_asked(self) -> bool:
        """Whether a search should end."""
        return self.signal is not None

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Listen for a while. The first signal asks, a second one raises `KeyboardInterrupt`.

        Python hears signals in the main thread alone, so in another one nothing is changed; nor is it for a signal that
        somebody else listens for, or ignores.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        ours = [number for number in self._signals if signal.getsignal(number) is _USUAL[number]]
        try:
            for number in ours:
                signal.signal(number, self._hear)
            yield
        finally:
            for number in ours:
                signal.signal(number, _USUAL[number])

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.is_asked():
            raise KeyboardInterrupt
        self.signal = number
