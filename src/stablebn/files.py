"""Writing files: whole or not at all, and never over another one unasked.

A name may lead elsewhere: through a symbolic link to the file it points to, which is what is written, and the link
stays; to a pipe or a device such as /dev/stdout, which is written into.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from stablebn.errors import OptionError

if sys.platform != "win32":
    import fcntl

# Of the name of a file, in that of the temporary one: file systems allow 255 bytes.
_LONGEST_PREFIX = 50


def check_free(path: Path, *, force: bool) -> None:
    """Raise `OptionError` if a file could not be written here, before any work is done for it."""
    with _told(path):
        _check_free(path, force=force)


@contextmanager
def whole_file(path: Path, *, force: bool = False) -> Iterator[Path]:
    """A temporary file to write to, which takes the place of `path` when all has gone well, and vanishes otherwise.

    Raises
    ------
    OptionError
        The file exists, or cannot be written.
    """
    with _told(path):
        _check_free(path, force=force)
        if _takes_what_comes(path):
            with tempfile.TemporaryDirectory(prefix="stablebn-") as folder:
                temporary = Path(folder, path.name)
                yield temporary
                _pour(temporary, path)
            return
        target = Path(os.path.realpath(path))
        _remove_left_over(target)
        descriptor, temporary = _temporary(target)
        try:
            yield temporary
            os.fsync(descriptor)
            _set_mode(temporary, target)
            if force:
                temporary.replace(target)
            else:
                _move_unless_taken(temporary, target)
        finally:
            os.close(descriptor)
            temporary.unlink(missing_ok=True)


def write_atomically(path: Path, content: str | bytes, *, force: bool = False) -> None:
    """Write a file so that it is there whole or not at all, also if the machine stops half-way."""
    with whole_file(path, force=force) as temporary:
        temporary.write_bytes(_encoded(path, content) if isinstance(content, str) else content)


def make_folder(path: Path) -> None:
    """Make a folder, and those around it, where there is none."""
    with _told(path):
        path.mkdir(parents=True, exist_ok=True)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say what a system says that will not write: the disk is full, the folder is read-only, the name too long."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise OptionError(f"cannot write {_cut(path)}: {reason}. Mend that, or choose another place.") from error


def _check_free(path: Path, *, force: bool) -> None:
    folder = Path(os.path.realpath(path)).parent
    if path.is_dir() or not folder.is_dir():
        raise OptionError(f"cannot write {_cut(path)}: it is a directory, or its directory does not exist.")
    if _takes_what_comes(path):
        return
    exists = path.exists()
    if exists and not path.is_file():
        raise OptionError(f"cannot write {path}: it is neither a file nor a pipe. Choose another name.")
    if exists and not force:
        raise _exists(path)
    if not os.access(folder, os.W_OK):
        raise OptionError(f"cannot write {_cut(path)}: its directory is read-only. Choose another place.")


def _exists(path: Path) -> OptionError:
    return OptionError(f"{path} exists. Say --force (force=True) to replace it, or choose another name.")


def _takes_what_comes(path: Path) -> bool:
    """Whether what is written there replaces nothing: a pipe, a terminal, /dev/null, or our own standard output."""
    try:
        there = path.stat()
    except FileNotFoundError:
        return False
    return stat.S_ISFIFO(there.st_mode) or stat.S_ISCHR(there.st_mode) or _is_standard_output(there)


def _is_standard_output(there: os.stat_result) -> bool:
    try:
        return os.path.samestat(there, os.fstat(1))
    except OSError:
        # It is closed.
        return False


def _pour(content: Path, path: Path) -> None:
    """Write all of a file into what takes it."""
    standard = _is_standard_output(path.stat())
    if standard:
        sys.stdout.flush()
    # Opened a second time, a file that standard output is redirected to would be written from its beginning.
    with content.open("rb") as source, open(os.dup(1) if standard else path, "wb") as sink:
        shutil.copyfileobj(source, sink)


def _temporary(target: Path) -> tuple[int, Path]:
    """A new file beside another one, locked as long as it is being written."""
    while True:
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=_prefix(target), suffix=".part")
        if sys.platform != "win32":
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_nlink:
            return descriptor, Path(name)
        # Before it was locked, another process has taken it for one that was left over.
        os.close(descriptor)


def _remove_left_over(target: Path) -> None:
    """Remove what a process that was killed has left of the same file: nobody has it locked."""
    # As `mkstemp` names them.
    left_over = re.compile(re.escape(_prefix(target)) + r"[a-z0-9_]{8}\.part")
    for entry in list(os.scandir(target.parent)):
        if not (left_over.fullmatch(entry.name) and entry.is_file(follow_symlinks=False)):
            continue
        # Where it cannot be removed it does no harm. Windows does not remove a file that is open.
        with suppress(OSError):
            descriptor = os.open(entry.path, os.O_RDWR)
            try:
                if sys.platform != "win32":
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.unlink(entry.path)
            finally:
                os.close(descriptor)
            if sys.platform == "win32":
                os.unlink(entry.path)


def _prefix(target: Path) -> str:
    return f".{target.name[:_LONGEST_PREFIX]}."


def _set_mode(temporary: Path, target: Path) -> None:
    """Give a new file the mode and the owner of the one it replaces; `mkstemp` lets only its owner read it."""
    try:
        old = target.stat()
    except FileNotFoundError:
        temporary.chmod(0o666 & ~_umask())
        return
    if sys.platform != "win32":
        # Only root may give files away.
        with suppress(OSError):
            os.chown(temporary, old.st_uid, old.st_gid)
    temporary.chmod(stat.S_IMODE(old.st_mode))


def _move_unless_taken(temporary: Path, target: Path) -> None:
    """A hard link fails where a file has appeared meanwhile; file systems without links get a second look."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise _exists(target) from None
    except OSError:
        if target.exists():
            raise _exists(target) from None
        temporary.replace(target)


def _encoded(path: Path, text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        unfit = text[error.start]
        raise OptionError(f"cannot write {path}: {unfit!r} in a name is no character that UTF-8 has.") from None


def _cut(path: Path) -> str:
    """A path in a message; of one that is too long, the beginning."""
    text = str(path)
    return text if len(text) <= 200 else f"{text[:200]}..."


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
