"""Save the replicates of a bootstrap to a file, so that an interrupted bootstrap can go on: one line of JSON each.

The first line identifies the bootstrap. One system call appends each line. After a killed process or a full disk only
the last line can be incomplete, and it is cut off.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from stablebn.errors import OptionError

if sys.platform != "win32":
    import fcntl

_NAME = "stablebn bootstrap"
_FORMAT = f"{_NAME} 2"


@dataclass(frozen=True)
class Replicate:
    """The graph learned from a replicate in one of its layouts.

    Attributes
    ----------
    number, layout : int
    directed, undirected : tuple of pairs of int
        The edges, by the indices of their ends in the sorted names.
    failure : str
        Why learning failed; empty if it did not.
    """

    number: int
    layout: int
    directed: tuple[tuple[int, int], ...] = ()
    undirected: tuple[tuple[int, int], ...] = ()
    failure: str = ""

    def to_line(self) -> str:
        """Write the line of the file: the fields, and a digest of them."""
        fields = [self.number, self.layout, self.directed, self.undirected, self.failure]
        return json.dumps([*fields, _digest(fields)]) + "\n"

    @classmethod
    def from_line(cls, line: str, nodes: int) -> Replicate:
        """Read a line; raise `ValueError` if it is not as it was written."""
        *fields, digest = json.loads(line)
        if digest != _digest(fields):
            raise ValueError("a line is not as it was written")
        number, layout, directed, undirected, failure = fields
        edges = [tuple((int(u), int(v)) for u, v in pairs) for pairs in (directed, undirected)]
        if not all(0 <= end < nodes for pairs in edges for pair in pairs for end in pair):
            raise ValueError("no such node")
        return cls(int(number), int(layout), edges[0], edges[1], str(failure))


class BootstrapCheckpoint:
    """The file of a bootstrap and the replicates in it.

    Parameters
    ----------
    path : Path
        Created if it does not exist.
    key : str
        Identifies the bootstrap; see `key_of`.
    nodes : int
        The number of variables.

    Attributes
    ----------
    done : dict of (number, layout) to Replicate

    Raises
    ------
    OptionError
        The file is no checkpoint, belongs to another bootstrap, is in use, or cannot be written.
    """

    def __init__(self, path: Path, key: str, nodes: int) -> None:
        self.path = path
        head = json.dumps({"format": _FORMAT, "key": key}) + "\n"
        try:
            # Without O_BINARY Windows writes two characters at the end of a line.
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
            self._descriptor = os.open(path, flags, 0o666)
        except OSError as error:
            raise OptionError(f"cannot write {path}: {error.strerror}. Choose another checkpoint.") from error
        try:
            if not path.is_file():
                raise OptionError(f"cannot write {path}: it is a pipe or a device. Choose another checkpoint.")
            self._lock()
            text = path.read_bytes()
            complete = text[: text.rfind(b"\n") + 1]
            lines = complete.decode(errors="replace").splitlines()
            self._check(lines, head, text)
            os.truncate(self._descriptor, len(complete))
            if not lines:
                self._write(head)
            self.done: Mapping[tuple[int, int], Replicate] = self._read(lines[1:], nodes)
        except OSError as error:
            self.close()
            raise OptionError(f"cannot read {path}: {error.strerror}. Choose another checkpoint.") from error
        except BaseException:
            self.close()
            raise

    def add(self, outcome: Replicate) -> None:
        """Append a replicate; several threads may call this at once."""
        self._write(outcome.to_line())

    def close(self) -> None:
        """Write all of the file to the disk and close it."""
        with suppress(OSError):
            os.fsync(self._descriptor)
        os.close(self._descriptor)

    def _write(self, line: str) -> None:
        content = line.encode()
        try:
            complete = os.write(self._descriptor, content) == len(content)
            reason = "the disk is full"
        except OSError as error:
            complete, reason = False, error.strerror or str(error)
        if not complete:
            raise OptionError(
                f"cannot write {self.path}: {reason}. Its replicates are kept: fix the cause, then run the same again."
            )

    def _lock(self) -> None:
        if sys.platform == "win32":
            return
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OptionError(f"{self.path} is in use by another run. Wait for it, or choose another file.") from None
        except OSError:
            # The file system has no locks.
            return

    def _check(self, lines: Sequence[str], head: str, text: bytes) -> None:
        if lines and lines[0] + "\n" == head:
            return
        # The first line can be incomplete too. Any other file must not be overwritten.
        if not lines and head.encode().startswith(text):
            return
        try:
            is_checkpoint = json.loads(lines[0])["format"].startswith(_NAME)
        except (IndexError, ValueError, TypeError, KeyError, AttributeError):
            is_checkpoint = False
        if is_checkpoint:
            raise OptionError(
                f"{self.path} belongs to another bootstrap: with other data, another algorithm, other options, another "
                "seed or another version of stablebn. Choose another checkpoint, or remove the file."
            )
        raise OptionError(f"{self.path} exists and is no checkpoint of a bootstrap. Choose another name.")

    def _read(self, lines: Iterable[str], nodes: int) -> dict[tuple[int, int], Replicate]:
        try:
            replicates = [Replicate.from_line(line, nodes) for line in lines]
        except (ValueError, TypeError) as error:
            raise OptionError(f"{self.path} is damaged ({error}). Remove it, or choose another checkpoint.") from error
        return {(replicate.number, replicate.layout): replicate for replicate in replicates}


def key_of(parts: Mapping[str, Any], arrays: Iterable[Any]) -> str:
    """Hash what identifies a bootstrap: texts and numbers, and arrays in a fixed order."""
    digest = sha256(json.dumps(parts, sort_keys=True, default=repr).encode())
    for array in arrays:
        digest.update(f"{array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _digest(fields: Sequence[object]) -> str:
    """Hash the fields of a line, so that a changed digit is noticed."""
    return sha256(json.dumps(fields).encode()).hexdigest()[:16]
