"""The file of a bootstrap that can be interrupted: a line of JSON for every replicate that is done.

The first line says of which bootstrap it is. A line is written by one call of the system, at the end of the file; of
a process that was killed, or a disk that was full, at most the last line is torn, and that one is cut off.
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
    """What was learned from a replicate in one of its layouts.

    Attributes
    ----------
    number, layout : int
    directed, undirected : tuple of pairs of int
        The edges, by the place of their ends among the sorted names.
    failure : str
        Why nothing was learned; empty if something was.
    """

    number: int
    layout: int
    directed: tuple[tuple[int, int], ...] = ()
    undirected: tuple[tuple[int, int], ...] = ()
    failure: str = ""

    def to_line(self) -> str:
        """Return the line of the file: the fields, and a digest of them."""
        fields = [self.number, self.layout, self.directed, self.undirected, self.failure]
        return json.dumps([*fields, _digest(fields)]) + "\n"

    @classmethod
    def from_line(cls, line: str, nodes: int) -> Replicate:
        """Return what a line says; `ValueError` if it is not as it was written."""
        *fields, digest = json.loads(line)
        if digest != _digest(fields):
            raise ValueError("a line is not as it was written")
        number, layout, directed, undirected, failure = fields
        edges = [tuple((int(u), int(v)) for u, v in own) for own in (directed, undirected)]
        if not all(0 <= end < nodes for own in edges for edge in own for end in edge):
            raise ValueError("no such node")
        return cls(int(number), int(layout), edges[0], edges[1], str(failure))


class Checkpoint:
    """Replicates in a file.

    Parameters
    ----------
    path : Path
        Is made if it is not there.
    key : str
        What the bootstrap is of; see `key_of`.
    nodes : int
        How many there are.

    Raises
    ------
    OptionError
        The file is something else, of another bootstrap, in use, or cannot be written.
    """

    def __init__(self, path: Path, key: str, nodes: int) -> None:
        self.path = path
        head = json.dumps({"format": _FORMAT, "key": key}) + "\n"
        try:
            # Windows would make two characters of the end of a line.
            how = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
            self._descriptor = os.open(path, how, 0o666)
        except OSError as error:
            raise OptionError(f"cannot write {path}: {error.strerror}. Choose another checkpoint.") from error
        try:
            if not path.is_file():
                raise OptionError(f"cannot write {path}: it is a pipe or a device. Choose another checkpoint.")
            self._lock()
            text = path.read_bytes()
            whole = text[: text.rfind(b"\n") + 1]
            lines = whole.decode(errors="replace").splitlines()
            self._check(lines, head, text)
            os.truncate(self._descriptor, len(whole))
            if not lines:
                self._write(head)
            self.done = self._read(lines[1:], nodes)
        except OSError as error:
            self.close()
            raise OptionError(f"cannot read {path}: {error.strerror}. Choose another checkpoint.") from error
        except BaseException:
            self.close()
            raise

    def add(self, replicate: Replicate) -> None:
        """Write down a replicate that is done; several threads may."""
        self._write(replicate.to_line())

    def close(self) -> None:
        """Close the file, all of it on disk."""
        with suppress(OSError):
            os.fsync(self._descriptor)
        os.close(self._descriptor)

    def _write(self, line: str) -> None:
        content = line.encode()
        try:
            whole = os.write(self._descriptor, content) == len(content)
            reason = "the disk is full"
        except OSError as error:
            whole, reason = False, error.strerror or str(error)
        if not whole:
            raise OptionError(
                f"cannot write {self.path}: {reason}. What it has is kept; mend that, and say the same again."
            )

    def _lock(self) -> None:
        if sys.platform == "win32":
            return
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OptionError(f"{self.path} is in use by another run. Wait for it, or choose another file.") from None
        except OSError:
            # A file system without locks.
            return

    def _check(self, lines: Sequence[str], head: str, text: bytes) -> None:
        if lines and lines[0] + "\n" == head:
            return
        # A first line may be torn too; anything else is not ours to write over.
        if not lines and head.encode().startswith(text):
            return
        try:
            ours = json.loads(lines[0])["format"].startswith(_NAME)
        except (IndexError, ValueError, TypeError, KeyError, AttributeError):
            ours = False
        if ours:
            raise OptionError(
                f"{self.path} belongs to another bootstrap: of other data, another learner, other options, another "
                "seed or another version of stablebn. Choose another checkpoint, or remove the file."
            )
        raise OptionError(f"{self.path} exists and is no checkpoint of a bootstrap. Choose another name.")

    def _read(self, lines: Iterable[str], nodes: int) -> dict[tuple[int, int], Replicate]:
        try:
            found = [Replicate.from_line(line, nodes) for line in lines]
        except (ValueError, TypeError) as error:
            raise OptionError(f"{self.path} is damaged ({error}). Remove it, or choose another checkpoint.") from error
        return {(replicate.number, replicate.layout): replicate for replicate in found}


def key_of(parts: Mapping[str, Any], arrays: Iterable[Any]) -> str:
    """A hash of what a bootstrap is of: texts and numbers, and arrays in an order that has to be fixed."""
    digest = sha256(json.dumps(parts, sort_keys=True, default=repr).encode())
    for array in arrays:
        digest.update(f"{array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _digest(fields: Sequence[object]) -> str:
    """Return a digest of the fields of a line: so no changed digit is taken for another graph."""
    return sha256(json.dumps(fields).encode()).hexdigest()[:16]
