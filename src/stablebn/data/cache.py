"""Tables in blocks that are kept in a folder, and found again by what they were made of."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from stablebn.data.block_files import BlockFiles, Layout
from stablebn.data.folder import Folder, told_of_disk
from stablebn.data.kinds import Decision
from stablebn.data.prepared import Prepared
from stablebn.data.wording import Caution

FORMAT = 2

_TABLE = "stablebn-table-"
_HEADER = "table.json"


class Cache:
    """A folder with tables in blocks.

    Parameters
    ----------
    folder : Path
    contents : tuple of str
        What tells the files of the table from others.
    options : mapping of str to object
        All that was said of how to read it.
    """

    def __init__(self, folder: Path, contents: tuple[str, ...], options: Mapping[str, object]) -> None:
        self._folder, self._contents = folder, contents
        text = repr((FORMAT, contents, sorted(options.items())))
        self._path = folder / f"{_TABLE}{hashlib.blake2b(text.encode(), digest_size=16).hexdigest()}"

    def find(self, memory: int) -> Prepared | None:
        """The table, if it is there and whole; what is made of it may take so many bytes of memory."""
        self._tidy()
        try:
            found = _read(self._path, memory)
        except (OSError, ValueError, LookupError, TypeError):
            # What is damaged is made anew.
            shutil.rmtree(self._path, ignore_errors=True)
            return None
        return found

    def keep(self, files: BlockFiles, prepared: Prepared) -> None:
        """Keep a table for the next time."""
        header = json.dumps({"contents": self._contents, **_written(files, prepared)}, allow_nan=True)
        with told_of_disk(self._folder), (files.folder.path / _HEADER).open("w", encoding="utf-8") as file:
            file.write(header)
            file.flush()
            os.fsync(file.fileno())
        files.folder.keep_as(self._path)

    def _tidy(self) -> None:
        """Remove tables of files that have changed or are gone."""
        for own in self._folder.glob(f"{_TABLE}*"):
            if own != self._path and not _is_current(own):
                shutil.rmtree(own, ignore_errors=True)


def _is_current(table: Path) -> bool:
    """Whether the files of which a table was made are as they were, as far as their size and time tell."""
    try:
        contents = json.loads((table / _HEADER).read_bytes())["contents"]
        for own in contents:
            path, size, time, _ = own.rsplit(" ", 3)
            status = os.stat(path)
            if (status.st_size, status.st_mtime_ns) != (int(size), int(time)):
                return False
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False
    return True


def _written(files: BlockFiles, prepared: Prepared) -> dict[str, Any]:
    layout = files.layout
    blocks = prepared.blocks
    assert blocks is not None
    return {
        "format": FORMAT,
        "layout": {
            "names": layout.names,
            "categorical": layout.categorical,
            "levels": layout.levels,
            "codes": layout.codes.str,
            "continuous": layout.continuous,
            "holes": sorted(layout.holes),
            "weighted": layout.weighted,
        },
        "block_rows": files.block_rows,
        "total": blocks.total,
        "columns": [layout.names.index(name) for name in blocks.names],
        "names": prepared.names,
        "left_out": prepared.left_out,
        "kinds": list(prepared.kinds.items()),
        "decisions": [(name, own.kind, own.why, own.plain) for name, own in prepared.decisions.items()],
        "constants": list(prepared.constants.items()),
        "identical": prepared.identical,
        "copies": prepared.copies,
        "merged": list(prepared.merged.items()),
        "declared": list(prepared.levels.items()),
        "rows": prepared.rows,
        "warnings": [(own.code, own.columns, own.message) for own in prepared.warnings],
    }


def _read(path: Path, memory: int) -> Prepared:
    found = json.loads((path / _HEADER).read_bytes())
    if found["format"] != FORMAT:
        raise ValueError("another format")
    own = found["layout"]
    layout = Layout(
        names=tuple(own["names"]),
        categorical=tuple(own["categorical"]),
        levels=tuple(map(tuple, own["levels"])),
        codes=np.dtype(own["codes"]),
        continuous=tuple(own["continuous"]),
        holes=frozenset(own["holes"]),
        weighted=own["weighted"],
    )
    files = BlockFiles(Folder.kept(path), layout, tuple(found["block_rows"]))
    if not files.are_whole():
        raise ValueError("blocks are missing")
    blocks = replace(files.table(found["total"]).select(found["columns"]), memory=memory)
    return Prepared(
        names=tuple(found["names"]),
        left_out=tuple(found["left_out"]),
        table=blocks.like,
        kinds=dict(found["kinds"]),
        decisions={name: Decision(*rest) for name, *rest in found["decisions"]},
        constants=dict(found["constants"]),
        identical=tuple(map(tuple, found["identical"])),
        copies=tuple(map(tuple, found["copies"])),
        merged={name: tuple(others) for name, others in found["merged"]},
        cuts={},
        levels={name: tuple(levels) for name, levels in found["declared"]},
        rows=found["rows"],
        warnings=tuple(Caution(code, tuple(columns), message) for code, columns, message in found["warnings"]),
        blocks=blocks,
    )
