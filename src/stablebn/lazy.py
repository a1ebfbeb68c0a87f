"""Import modules at their first use."""

from __future__ import annotations

import gc
import importlib
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType


def imported(name: str) -> ModuleType:
    """Import a module with the garbage collector off, and delay Ctrl-C until the import has ended.

    Importing creates no garbage, and collecting while many modules are imported takes a tenth of a short run. After
    an interrupted import, some packages cannot be imported again.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        with _interrupt_deferred():
            return importlib.import_module(name)
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def interrupts_recognised() -> Iterator[None]:
    """Raise `KeyboardInterrupt` in place of an error that it caused.

    Python before 3.12 and some packages raise another error if Ctrl-C is pressed while they are imported.
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
    """Raise `KeyboardInterrupt` at the end of the block, unless SIGINT has another handler."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    is_interrupted = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal is_interrupted
        is_interrupted = True

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if is_interrupted:
            raise KeyboardInterrupt
