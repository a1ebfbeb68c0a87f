"""Keep encoded tables on disk, and find them again by the contents of their files and the reading options."""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from stablebn import __version__
from stablebn.columns.kinds import Decision
from stablebn.errors import DataError
from stablebn.io.batches import contents_of
from stablebn.messages import Caution
from stablebn.options import is_iterable, options_of
from stablebn.prepare.out_of_core import size_class
from stablebn.prepare.prepared import Prepared
from stablebn.prepare.read_options import ReadOptions, Storage
from stablebn.table.block_files import BlockFiles, BlockLayout
from stablebn.table.file_digest import digest_of_bytes
from stablebn.table.temporary_folders import Folder, disk_errors

logger = logging.getLogger(__name__)

FORMAT = 4

_TABLE = "stablebn-table-"

# The header has a digest of the rest, a newline, and JSON.
_HEADER = "header"


class Cache:
    """The encoded tables in a folder, and the place of one of them.

    Parameters
    ----------
    folder : Path
    contents : tuple of str
        Path, size, time and digest of each file of the table.
    options : mapping of str to object
        All options that decide which table is read from the files.
    """

    def __init__(self, folder: Path, contents: tuple[str, ...], options: Mapping[str, object]) -> None:
        self._folder, self._contents = folder, contents
        # Another version may infer other kinds of columns.
        text = repr((FORMAT, __version__, contents, _in_full(dict(sorted(options.items())))))
        self._path = folder / f"{_TABLE}{digest_of_bytes(text.encode())}"

    def find(self, memory: int) -> Prepared | None:
        """Return the table if it exists and is not damaged; computing on it may take `memory` bytes."""
        self._tidy()
        if not self._path.exists():
            return None
        try:
            return _read(self._path, memory)
        except (OSError, ValueError, LookupError, TypeError) as error:
            logger.info("a table in the folder of cache= is damaged, and made again: %s", error)
            shutil.rmtree(self._path, ignore_errors=True)
            return None

    def keep(self, source: object, files: BlockFiles, prepared: Prepared) -> None:
        """Keep the table of a source, unless its files have changed while they were read."""
        try:
            if contents_of(source) != self._contents:
                return
        except DataError:
            # The files were removed.
            return
        header = json.dumps(
            {"table": self._path.name, "contents": self._contents, **_written(files, prepared)}, allow_nan=True
        ).encode()
        with disk_errors(self._folder), (files.folder.path / _HEADER).open("wb") as file:
            file.write(digest_of_bytes(header).encode() + b"\n" + header)
            file.flush()
            os.fsync(file.fileno())
        files.folder.keep_as(self._path)

    def _tidy(self) -> None:
        """Remove tables whose files have changed or were removed."""
        for own in self._folder.glob(f"{_TABLE}*"):
            if own != self._path and not self._is_current(own):
                shutil.rmtree(own, ignore_errors=True)

    def _is_current(self, table: Path) -> bool:
        """Return whether the files of a table are unchanged: by digest files of this table, others by size and time."""
        now = {own.rsplit(" ", 3)[0]: own for own in self._contents}
        try:
            return all(_is_unchanged(own, now) for own in _header(table)["contents"])
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return False


def cache_for(source: object, read: ReadOptions, storage: Storage, *, allow_few_rows: bool) -> Cache | None:
    """Return the cache for a source and the options by which it is read; `None` if the source is no file."""
    contents = contents_of(source)
    if contents is None:
        return None
    options: dict[str, object] = {entry.name: getattr(read, entry.name) for entry in options_of(ReadOptions)}
    # The number of threads does not change the table. Of the memory, only the size of a block depends on it.
    del options["threads"]
    options |= {"few_rows": allow_few_rows, "memory": size_class(storage.row_memory)}
    assert storage.folder is not None
    return Cache(storage.folder, contents, options)


def _in_full(value: object) -> object:
    """Return a value as tuples of texts: the `repr` of a long array or series leaves out its middle."""
    if isinstance(value, Mapping):
        return "mapping", tuple((_in_full(key), _in_full(own)) for key, own in value.items())
    if isinstance(value, AbstractSet):
        return tuple(sorted(map(repr, map(_in_full, value))))
    if is_iterable(value) and not isinstance(value, str | bytes):
        return tuple(map(_in_full, value))
    return repr(value)


def _is_unchanged(contents: str, now: Mapping[str, str]) -> bool:
    path, size, time, _ = contents.rsplit(" ", 3)
    if path in now:
        return now[path] == contents
    status = os.stat(path)
    return (status.st_size, status.st_mtime_ns) == (int(size), int(time))


def _header(table: Path) -> dict[str, Any]:
    """Return the header of a table; raise `ValueError` if it is damaged."""
    if not (table / _HEADER).is_file():
        raise ValueError("it has no header")
    digest, _, header = (table / _HEADER).read_bytes().partition(b"\n")
    if digest_of_bytes(header).encode() != digest:
        raise ValueError("its header is not as it was written")
    found: dict[str, Any] = json.loads(header)
    return found


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
        "digests": files.digests(),
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
    found = _header(path)
    if found["table"] != path.name:
        raise ValueError("it is another table")
    own = found["layout"]
    layout = BlockLayout(
        names=tuple(own["names"]),
        categorical=tuple(own["categorical"]),
        levels=tuple(map(tuple, own["levels"])),
        codes=np.dtype(own["codes"]),
        continuous=tuple(own["continuous"]),
        holes=frozenset(own["holes"]),
        weighted=own["weighted"],
    )
    files = BlockFiles(Folder.kept(path), layout, tuple(found["block_rows"]))
    if not files.are_undamaged(found["digests"]):
        raise ValueError("a block is not as it was written")
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
