"""Write files atomically, and replace an existing file only if the user allows it.

If the path is a symbolic link, the file that it points to is written, and the link stays. Pipes and devices such as
/dev/stdout are written to directly.
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

# Characters of the file name that the temporary name begins with: file systems allow 255 bytes.
_LONGEST_PREFIX = 50


def check_free(path: Path, *, force: bool) -> None:
    """Raise `OptionError` if a file cannot be written here; called before any work is done for it."""
    with _system_errors_explained(path):
        _check_free(path, force=force)


@contextmanager
def whole_file(path: Path, *, force: bool = False) -> Iterator[Path]:
    """Yield a temporary file to write to; it replaces `path` when the block ends, and is removed after an error.

    Raises
    ------
    OptionError
        The file exists, or cannot be written.
    """
    with _system_errors_explained(path):
        _check_free(path, force=force)
        if _is_stream(path):
            with tempfile.TemporaryDirectory(prefix="stablebn-") as folder:
                temporary = Path(folder, path.name)
                yield temporary
                _copy_to_stream(temporary, path)
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
    """Write a file completely or not at all, even if the machine stops before the end."""
    with whole_file(path, force=force) as temporary:
        temporary.write_bytes(_encoded(path, content) if isinstance(content, str) else content)


def make_folder(path: Path) -> None:
    """Create a folder and its parents if they do not exist."""
    with _system_errors_explained(path):
        path.mkdir(parents=True, exist_ok=True)


@contextmanager
def _system_errors_explained(path: Path) -> Iterator[None]:
    """Raise `OptionError` for errors of the system: a full disk, a read-only folder, a name that is too long."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise OptionError(f"cannot write {_cut(path)}: {reason}. Mend that, or choose another place.") from error


def _check_free(path: Path, *, force: bool) -> None:
    folder = Path(os.path.realpath(path)).parent
    if path.is_dir() or not folder.is_dir():
        raise OptionError(f"cannot write {_cut(path)}: it is a directory, or its directory does not exist.")
    if _is_stream(path):
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


def _is_stream(path: Path) -> bool:
    """Return whether writing replaces nothing: a pipe, a terminal, /dev/null, or the standard output."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return False
    return stat.S_ISFIFO(status.st_mode) or stat.S_ISCHR(status.st_mode) or _is_standard_output(status)


def _is_standard_output(status: os.stat_result) -> bool:
    try:
        return os.path.samestat(status, os.fstat(1))
    except OSError:
        # The standard output is closed.
        return False


def _copy_to_stream(content: Path, path: Path) -> None:
    """Copy a file to a pipe, a device or the standard output."""
    standard = _is_standard_output(path.stat())
    if standard:
        sys.stdout.flush()
    # If standard output is redirected to a file, opening that file again would overwrite its beginning.
    with content.open("rb") as source, open(os.dup(1) if standard else path, "wb") as sink:
        shutil.copyfileobj(source, sink)


def _temporary(target: Path) -> tuple[int, Path]:
    """Create a file beside another one, locked while it is being written."""
    while True:
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=_prefix(target), suffix=".part")
        if sys.platform != "win32":
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_nlink:
            return descriptor, Path(name)
        # Before it was locked, another process removed it as a left-over file.
        os.close(descriptor)


def _remove_left_over(target: Path) -> None:
    """Remove temporary files of the same target that a killed process left: they are not locked."""
    # The pattern of `mkstemp`.
    left_over = re.compile(re.escape(_prefix(target)) + r"[a-z0-9_]{8}\.part")
    for entry in list(os.scandir(target.parent)):
        if not (left_over.fullmatch(entry.name) and entry.is_file(follow_symlinks=False)):
            continue
        # A file that cannot be removed does no harm. Windows does not remove a file that is open.
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
    """Give a new file the mode and the owner of the file it replaces: `mkstemp` lets only the owner read."""
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
    """Move a file unless the target exists: a hard link fails then; without hard links, check again."""
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
    """Write a path for a message; if it is too long, only its beginning."""
    text = str(path)
    return text if len(text) <= 200 else f"{text[:200]}..."


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
