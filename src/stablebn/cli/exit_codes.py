"""Exit codes of the commands."""

from __future__ import annotations

from collections.abc import Mapping

DONE = 0
ANSWER_IS_NO = 1
MISTAKE = 2
BUG = 70
INTERRUPTED = 130
PIPE_CLOSED = 141
TERMINATED = 143

EVERYWHERE: Mapping[int, str] = {
    DONE: "Success.",
    MISTAKE: "An error in the command line, a file or the table; the message says what to do.",
    BUG: "A bug in stablebn. Please report it, with the output of --debug.",
    INTERRUPTED: "Interrupted by Ctrl-C.",
    PIPE_CLOSED: "The reader of the output has ended, for example head.",
}
"""The exit codes that all commands have; `EXIT_CODES` in the module of a command adds others."""
