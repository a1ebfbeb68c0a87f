"""Files are written whole or not at all, where their names lead, and never over others unasked."""

from __future__ import annotations

import os
import pty
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from stablebn.errors import OptionError
from stablebn.files import check_free, make_folder, whole_file, write_atomically

ROOT = Path(__file__).resolve().parents[2]


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _python(program: str, *arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        [sys.executable, "-c", f"from pathlib import Path; import sys\n{program}", *map(str, arguments)],
        **{"capture_output": True, "text": True, "check": False, "cwd": ROOT, **options},
    )


def test_failed_write_leaves_no_trace(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"x\.txt: '\\ud800' in a name"):
        write_atomically(tmp_path / "x.txt", "half \ud800")
    assert _names(tmp_path) == []


def test_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    write_atomically(path, "old")
    with pytest.raises(OptionError):
        write_atomically(path, "half \ud800", force=True)
    assert path.read_text() == "old"
    assert _names(tmp_path) == ["x.txt"]


def test_existing_file_needs_force(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    write_atomically(path, "old")
    with pytest.raises(OptionError, match="exists"):
        write_atomically(path, "new")
    write_atomically(path, "new", force=True)
    assert path.read_text() == "new"


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    writing = whole_file(path)
    writing.__enter__().write_text("new")
    path.write_text("precious")
    with pytest.raises(OptionError, match="exists"):
        writing.__exit__(None, None, None)
    assert path.read_text() == "precious"
    assert _names(tmp_path) == ["x.txt"]


def test_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="directory"):
        write_atomically(tmp_path, "x", force=True)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o755])
def test_a_replaced_file_keeps_its_mode(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("old")
    path.chmod(mode)
    write_atomically(path, "new", force=True)
    assert (path.read_text(), _mode(path)) == ("new", mode)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_replaced_file_keeps_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("old")
    os.chown(path, 1234, 4321)
    write_atomically(path, "new", force=True)
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 4321)


def test_a_new_file_has_the_mode_that_new_files_have(tmp_path: Path) -> None:
    write_atomically(tmp_path / "ours.txt", "x")
    (tmp_path / "theirs.txt").write_text("x")
    assert _mode(tmp_path / "ours.txt") == _mode(tmp_path / "theirs.txt")


def test_a_link_stays_and_the_file_it_points_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to("elsewhere/target.txt")
    with pytest.raises(OptionError, match="exists"):
        write_atomically(link, "new")
    write_atomically(link, "new", force=True)
    assert link.is_symlink()
    assert (target.read_text(), _mode(target)) == ("new", 0o600)
    assert (_names(tmp_path), _names(target.parent)) == (["elsewhere", "link.txt"], ["target.txt"])


def test_a_link_to_no_file_makes_it(tmp_path: Path) -> None:
    link = tmp_path / "link.txt"
    link.symlink_to("target.txt")
    write_atomically(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "target.txt").read_text() == "new"


@pytest.mark.parametrize("points_to", ["link.txt", "no/such/folder/x.txt"])
def test_a_link_to_nowhere_is_a_message(points_to: str, tmp_path: Path) -> None:
    link = tmp_path / "link.txt"
    link.symlink_to(points_to)
    with pytest.raises(OptionError, match=r"cannot write .*link\.txt"):
        write_atomically(link, "new", force=True)
    assert link.is_symlink()


@pytest.mark.parametrize("force", [False, True])
def test_a_pipe_is_written_into(force: bool, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_atomically(pipe, "through", force=force)
    reader.join()
    assert read == ["through"]
    assert pipe.is_fifo()
    assert _names(tmp_path) == ["pipe"]


@pytest.mark.parametrize("force", [False, True])
def test_a_device_is_written_into(force: bool) -> None:
    # A terminal, not /dev/null: this device cannot be replaced, not even by root, should the test ever fail.
    master, slave = pty.openpty()
    path = Path(os.ttyname(slave))
    write_atomically(path, "shown", force=force)
    assert os.read(master, 100) == b"shown"
    assert path.is_char_device()
    os.close(master)
    os.close(slave)


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Their names must be short.
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as ear:
        ear.bind("ear")
        with pytest.raises(OptionError, match="neither a file nor a pipe"):
            write_atomically(Path("ear"), "x", force=True)


@pytest.mark.parametrize("redirected", [False, True])
def test_standard_output_can_be_named(redirected: bool, tmp_path: Path) -> None:
    program = (
        "from stablebn.files import write_atomically; sys.stdout.write('before\\n')\n"
        "write_atomically(Path('/dev/stdout'), 'content\\n'); sys.stdout.write('after\\n')"
    )
    if redirected:
        with (tmp_path / "said.txt").open("w") as file:
            assert _python(program, capture_output=False, stdout=file).returncode == 0
        said = (tmp_path / "said.txt").read_text()
    else:
        said = _python(program).stdout
    assert said == "before\ncontent\nafter\n"


def test_what_a_killed_process_has_left_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    killed = _python(
        "import os, signal; from stablebn.files import whole_file\n"
        "with whole_file(Path(sys.argv[1])) as temporary:\n"
        "    temporary.write_text('half'); os.kill(os.getpid(), signal.SIGKILL)",
        path,
    )
    assert killed.returncode == -signal.SIGKILL
    assert len(_names(tmp_path)) == 1
    (tmp_path / ".x.txt.mine.part").write_text("precious")
    (tmp_path / ".y.txt.abcdefgh.part").write_text("of another file")
    write_atomically(path, "whole")
    assert _names(tmp_path) == [".x.txt.mine.part", ".y.txt.abcdefgh.part", "x.txt"]


def test_what_another_process_is_writing_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    with whole_file(path, force=True) as first:
        first.write_text("first")
        write_atomically(path, "second", force=True)
        assert first.exists()
    assert path.read_text() == "first"
    assert _names(tmp_path) == ["x.txt"]


@pytest.mark.parametrize("length", [100, 240, 255])
def test_names_as_long_as_the_system_allows_are_written(length: int, tmp_path: Path) -> None:
    path = tmp_path / ("x" * length)
    write_atomically(path, "new")
    write_atomically(path, "newer", force=True)
    assert path.read_text() == "newer"


def test_a_name_that_is_too_long_is_a_message(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 300)
    with pytest.raises(OptionError, match=r"cannot write .*\.\.\.: File name too long") as refused:
        check_free(path, force=False)
    assert len(str(refused.value)) < 320
    with pytest.raises(OptionError, match="File name too long"):
        write_atomically(path, "x", force=True)


def test_a_file_in_place_of_a_folder_is_a_message(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("precious")
    with pytest.raises(OptionError, match="cannot write"):
        write_atomically(tmp_path / "x" / "y.txt", "new")
    with pytest.raises(OptionError, match="cannot write"):
        make_folder(tmp_path / "x")
    assert (tmp_path / "x").read_text() == "precious"


def test_no_room_for_a_file_is_a_message_and_the_old_one_stays(tmp_path: Path) -> None:
    """A limit on the size of files acts as a full disk does: writing stops half-way."""
    path = tmp_path / "x.txt"
    path.write_text("old")
    done = _python(
        "from stablebn.files import write_atomically; import resource, signal\n"
        "from stablebn.errors import OptionError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n    write_atomically(Path(sys.argv[1]), 'x' * 5000, force=True)\n"
        "except OptionError as error:\n    sys.exit(str(error))",
        path,
    )
    assert done.returncode == 1
    assert f"cannot write {path}: File too large." in done.stderr
    assert path.read_text() == "old"
    assert _names(tmp_path) == ["x.txt"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB, where one can be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    mounted = mount and subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        pytest.skip("nothing can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_a_message_and_the_old_file_stays(small_disk: Path) -> None:
    path = small_disk / "x.txt"
    path.write_text("old")
    with pytest.raises(OptionError, match=r"x\.txt: No space left on device"):
        write_atomically(path, "x" * 2**20, force=True)
    assert path.read_text() == "old"
    assert _names(small_disk) == ["x.txt"]


def test_a_read_only_disk_is_a_message(small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(OptionError, match="its directory is read-only"):
        check_free(small_disk / "x.txt", force=True)
    with pytest.raises(OptionError, match="its directory is read-only"):
        write_atomically(small_disk / "x.txt", "x")
    with pytest.raises(OptionError, match="Read-only file system"):
        make_folder(small_disk / "folder")


def test_a_read_only_folder_is_a_message() -> None:
    """Seen by a process that is not root, for whom there are no read-only folders."""
    # Other users cannot enter pytest's folder.
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "x.txt")
        path.write_text("old")
        Path(name).chmod(0o555)
        program = (
            "import os; from stablebn.files import check_free, write_atomically\n"
            "from stablebn.errors import OptionError\n"
            "os.getuid() == 0 and os.setuid(65534)\n"
            "for write in (lambda: write_atomically(Path(sys.argv[1]), 'new', force=True),\n"
            "              lambda: check_free(Path(sys.argv[1]), force=True)):\n"
            "    try:\n        write(); sys.exit('written')\n"
            "    except OptionError as error:\n        print(error)"
        )
        done = _python(program, path)
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("its directory is read-only") == 2
        assert path.read_text() == "old"
        Path(name).chmod(0o755)
