"""Temporary folders for tables on disk, which are removed when no object uses them any more."""

from __future__ import annotations

import errno
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from stablebn.errors import DataError

if sys.platform != "win32":
    import fcntl

PART = "stablebn-part-"
"""Prefix of the names of temporary folders."""

_LOCK = "lock"


class Folder:
    """Folder for a table on disk; it is removed with its contents when this object is garbage-collected.

    Parameters
    ----------
    parent : Path or None
        The folder in which to create it; None: the system's folder for temporary files. Folders that killed processes
        have left there are removed.
    """

    def __init__(self, parent: Path | None = None) -> None:
        where = parent or Path(tempfile.gettempdir())
        with disk_errors(where):
            where.mkdir(parents=True, exist_ok=True)
            remove_left_over(where)
            self.path = Path(tempfile.mkdtemp(prefix=PART, dir=where))
            lock = _locked(self.path)
        self._remove = weakref.finalize(self, _remove, self.path, lock)

    @classmethod
    def kept(cls, path: Path) -> Folder:
        """Return an object for an existing folder, which is not removed."""
        folder = cls.__new__(cls)
        folder.path = path
        return folder

    def __reduce__(self) -> tuple[Callable[[Path], Folder], tuple[Path]]:
        """Unpickle as a folder that is not removed: another process may read it."""
        return Folder.kept, (self.path,)

    def keep_as(self, path: Path) -> None:
        """Make the folder permanent under this name, unless another process has created it first."""
        try:
            self.path.rename(path)
        except OSError:
            return
        _, _, (_, lock), _ = self._remove.detach()  # type: ignore[misc]
        if lock is not None:
            lock.close()
        (path / _LOCK).unlink(missing_ok=True)
        self.path = path


def _remove(folder: Path, lock: IO[str] | None) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if lock is not None:
        lock.close()


def _locked(folder: Path) -> IO[str] | None:
    """Lock a folder for the lifetime of the process, so that others do not remove it; None: the system has no locks."""
    if sys.platform == "win32":
        return None
    # The file gets its final name only after it is locked.
    unlocked = folder / f"{_LOCK}.part"
    lock = unlocked.open("w")
    _is_locked_now(lock)
    unlocked.rename(folder / _LOCK)
    return lock


def _is_locked_now(lock: IO[str]) -> bool:
    """Try to lock a file; return False if another process has locked it."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def remove_left_over(where: Path) -> None:
    """Remove the folders of processes that were killed, which are no longer locked."""
    for folder in where.glob(f"{PART}*"):
        # Errors are ignored: a folder without a lock file is being created, and one of another user cannot be removed.
        with suppress(OSError), (folder / _LOCK).open("r+") as lock:
            if _is_locked_now(lock):
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """Convert errors from writing to a folder to `DataError`."""
    try:
        yield
    except OSError as error:
        reason = "no space is left there" if error.errno == errno.ENOSPC else (error.strerror or str(error))
        raise DataError(
            f"the table cannot be written to {str(folder)!r}: {reason}. Say cache= (command line: --cache) to name a "
            "folder with room for it."
        ) from error
