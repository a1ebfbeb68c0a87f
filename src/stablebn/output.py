"""Writing files: whole or not at all, and never over another one unasked."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stablebn.errors import OptionError


def check_free(path: Path, *, force: bool) -> None:
    """Raise `OptionError` if a file could not be written here, before any work is done for it."""
    if path.is_dir() or not path.parent.is_dir():
        raise OptionError(f"cannot write {path}: it is a directory, or its directory does not exist.")
    if path.exists() and not force:
        raise OptionError(f"{path} exists. Say --force (force=True) to replace it, or choose another name.")


@contextmanager
def whole_file(path: Path, *, force: bool = False) -> Iterator[Path]:
    """A temporary file to write to, which takes the place of `path` when all has gone well, and vanishes otherwise."""
    check_free(path, force=force)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    temporary = Path(name)
    try:
        yield temporary
        os.fsync(descriptor)
        # mkstemp makes files that only their owner can read.
        temporary.chmod(0o666 & ~_umask())
        if force:
            temporary.replace(path)
        else:
            _move_unless_taken(temporary, path)
    finally:
        os.close(descriptor)
        temporary.unlink(missing_ok=True)


def write_atomically(path: Path, content: str | bytes, *, force: bool = False) -> None:
    """Write a file so that it is there whole or not at all, also if the machine stops half-way."""
    with whole_file(path, force=force) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


def _move_unless_taken(temporary: Path, path: Path) -> None:
    """A hard link fails where a file has appeared meanwhile; file systems without links get a second look."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        check_free(path, force=False)
    except OSError:
        check_free(path, force=False)
        temporary.replace(path)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
