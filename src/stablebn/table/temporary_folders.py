"""Folders for tables on disk, which are removed when nobody needs them any more."""

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
"""How the names of folders begin that are not for good."""

_LOCK = "lock"


class Folder:
    """A folder for a table on disk, removed with all that is in it when nobody has it any more.

    Parameters
    ----------
    parent : Path or None
        Where; None: where temporary files are. What processes have left there that were killed is removed.
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
        """A folder that is there, and stays."""
        folder = cls.__new__(cls)
        folder.path = path
        return folder

    def __reduce__(self) -> tuple[Callable[[Path], Folder], tuple[Path]]:
        """Another process may look at what is there, and does not remove it."""
        return Folder.kept, (self.path,)

    def keep_as(self, path: Path) -> None:
        """Give the folder a name for good, unless another process was faster."""
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
    """Lock a folder for as long as the process lives: so others know that it is needed; None: there are no locks."""
    if sys.platform == "win32":
        return None
    # It has its name only once it is locked.
    unlocked = folder / f"{_LOCK}.part"
    lock = unlocked.open("w")
    _is_locked_now(lock)
    unlocked.rename(folder / _LOCK)
    return lock


def _is_locked_now(lock: IO[str]) -> bool:
    """Lock a file, unless somebody else has."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def remove_left_over(where: Path) -> None:
    """Remove the folders of processes that were killed: nobody has them locked."""
    for folder in where.glob(f"{PART}*"):
        # One without a lock is just being made; one of somebody else is not ours to remove.
        with suppress(OSError), (folder / _LOCK).open("r+") as lock:
            if _is_locked_now(lock):
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """Raise `DataError` where nothing can be written."""
    try:
        yield
    except OSError as error:
        reason = "no space is left there" if error.errno == errno.ENOSPC else (error.strerror or str(error))
        raise DataError(
            f"the table cannot be written to {str(folder)!r}: {reason}. Say cache= (command line: --cache) to name a "
            "folder with room for it."
        ) from error
