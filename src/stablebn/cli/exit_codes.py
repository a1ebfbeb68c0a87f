"""What the commands answer to the shell."""

from __future__ import annotations

from collections.abc import Mapping

DONE = 0
ANSWER_IS_NO = 1
MISTAKE = 2
BUG = 70
INTERRUPTED = 130
NOBODY_READS = 141
TERMINATED = 143

EVERYWHERE: Mapping[int, str] = {
    DONE: "All went well.",
    MISTAKE: "The command, a file or a table is not as it must be; the message says what to do.",
    BUG: "A mistake of stablebn's own. Please report it, with what --debug shows.",
    INTERRUPTED: "Ctrl-C has ended it.",
    NOBODY_READS: "What reads its output has ended, such as head.",
}
"""The exit codes of all commands; what a command has besides stands in its module, as `EXIT_CODES`."""
