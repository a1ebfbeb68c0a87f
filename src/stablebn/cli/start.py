"""Start the command: the entry point of the script `stablebn`."""

from __future__ import annotations

import os
import signal

# The same as in `stablebn.cli.exit_codes`, which is imported later.
_INTERRUPTED = 130


def main() -> None:
    """Import the command and run it.

    Before and after it runs, Ctrl-C ends the process at once and without a traceback, because there is nothing to clean
    up.
    """
    is_usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_usual:
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(_INTERRUPTED))
    from stablebn.cli.main import main as run

    try:
        if is_usual:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    except KeyboardInterrupt:
        raise SystemExit(_INTERRUPTED) from None
    finally:
        if is_usual:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
