"""Imports at the first use."""

from __future__ import annotations

import gc
import importlib
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType


def imported(name: str) -> ModuleType:
    """Import a module that is asked for now.

    Modules leave no garbage, and Python would look for it again and again while hundreds of them are imported: that
    takes a tenth of a short run.

    Ctrl-C takes effect when the import has ended: after an import that was interrupted, some packages cannot be
    imported again.
    """
    was_looking = gc.isenabled()
    gc.disable()
    try:
        with _interrupt_deferred():
            return importlib.import_module(name)
    finally:
        if was_looking:
            gc.enable()


@contextmanager
def interrupts_recognised() -> Iterator[None]:
    """Raise `KeyboardInterrupt` for every error that was caused by one.

    Python before 3.12 and some packages raise another error if Ctrl-C comes while they are imported.
    """
    try:
        yield
    except Exception as error:
        if _was_interrupted(error):
            raise KeyboardInterrupt from error
        raise


def _was_interrupted(error: BaseException | None) -> bool:
    return error is not None and (
        isinstance(error, KeyboardInterrupt)
        or _was_interrupted(error.__cause__)
        or (error.__context__ is not error.__cause__ and _was_interrupted(error.__context__))
    )


@contextmanager
def _interrupt_deferred() -> Iterator[None]:
    """Raise `KeyboardInterrupt` at the end instead of in between, unless the signal is handled in another way."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    came = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal came
        came = True

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if came:
            raise KeyboardInterrupt
