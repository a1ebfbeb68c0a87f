from pathlib import Path

import pytest

from stablebn.errors import OptionError
from stablebn.output import write_atomically


def test_failed_write_leaves_no_trace(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        write_atomically(tmp_path / "x.txt", "half \ud800")
    assert list(tmp_path.iterdir()) == []


def test_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    write_atomically(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "half \ud800", force=True)
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_existing_file_needs_force(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    write_atomically(path, "old")
    with pytest.raises(OptionError, match="exists"):
        write_atomically(path, "new")
    write_atomically(path, "new", force=True)
    assert path.read_text() == "new"


def test_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="directory"):
        write_atomically(tmp_path, "x", force=True)
