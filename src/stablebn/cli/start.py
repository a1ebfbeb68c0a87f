"""The entry point of the command."""

from __future__ import annotations

import os
import signal

# As in `stablebn.cli.exit_codes`, which is imported later.
_INTERRUPTED = 130


def main() -> None:
    """Import the command and run it.

    Until it runs, and after it has run, Ctrl-C ends the process at once and without a traceback: there is nothing to
    clean up.
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
