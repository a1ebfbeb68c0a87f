"""What a program shows on a terminal."""

import os


def read_terminal(terminal: int) -> bytes:
    """What is new on a terminal: nothing when the last one who wrote there has ended."""
    try:
        return os.read(terminal, 100_000)
    except OSError:
        # Linux says so with an error.
        return b""
