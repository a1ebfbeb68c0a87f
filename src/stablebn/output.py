"""Writing files: whole or not at all, and never over another one unasked."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from stablebn.errors import OptionError


def check_free(path: Path, *, force: bool) -> None:
    """Raise `OptionError` if a file could not be written here, before any work is done for it."""
    if path.is_dir() or not path.parent.is_dir():
        raise OptionError(f"cannot write {path}: it is a directory, or its directory does not exist.")
    if path.exists() and not force:
        raise OptionError(f"{path} exists. Say --force to replace it, or choose another name.")


def write_atomically(path: Path, text: str, *, force: bool = False) -> None:
    """Write a text so that the file is there whole or not at all, also if the machine stops half-way."""
    check_free(path, force=force)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes files that only their owner can read.
        os.chmod(temporary, 0o666 & ~_umask())
        if force:
            os.replace(temporary, path)
        else:
            _move_unless_taken(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def _move_unless_taken(temporary: str, path: Path) -> None:
    """A hard link fails where a file has appeared meanwhile; file systems without links get a second look."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        check_free(path, force=False)
    except OSError:
        check_free(path, force=False)
        os.replace(temporary, path)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
