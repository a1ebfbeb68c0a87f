"""Text files that are read in parts: once to tell what their columns are, and again for the values.

All is decided by the code that reads a text file into memory (`csv_text`, `text_columns`), of the same blocks of text.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from stablebn.columns.arrow.conversion import Columns
from stablebn.errors import DataError
from stablebn.io.csv.column_types import TextColumn, Typing, decide_columns
from stablebn.io.csv.dialect import Dialect
from stablebn.io.csv.inference import ScannedFile, cautions_of, scan_csv
from stablebn.io.registry import check_same_columns, file_errors
from stablebn.io.sources import check_unique
from stablebn.messages import Caution
from stablebn.table.table import Name


@dataclass(frozen=True)
class TextFiles:
    """Text files that have been looked at, together one table.

    Attributes
    ----------
    typings : dict of name to Typing
        What the columns are.
    cautions : list of Caution
        How the files were read.
    """

    typings: dict[Name, Typing]
    cautions: list[Caution]
    _files: list[tuple[str, ScannedFile, tuple[int, int]]]
    _threads: int

    def parts(self, names: Sequence[Name]) -> Iterator[Columns]:
        """Some columns, some rows at a time."""
        for path, file, written in self._files:
            with file_errors(path):
                if _written(path) != written:
                    raise DataError(f"{path!r} has changed while it was read. Learn again.")
                for batch in file.batches(names, use_threads=self._threads > 1):
                    yield {
                        name: pa.chunked_array([self.typings[name].typed(batch.column(place))])
                        for place, name in enumerate(names)
                    }


def scan_text_files(paths: Sequence[str], asked: Dialect, threads: int) -> TextFiles:
    """Look at all fields of text files: what columns are is decided by all of them together.

    Parameters
    ----------
    paths : sequence of str
        All with the same columns. Each may have a separator and an encoding of its own.
    asked : Dialect
        What the user says of them.
    threads : int
        With more than one, PyArrow takes as many as it likes.
    """
    files: list[tuple[str, ScannedFile, tuple[int, int]]] = []
    for path in paths:
        with file_errors(path):
            written = _written(path)
            files.append((path, scan_csv(path, asked, threads, _check_encoding, hold=False), written))
    # An index that has no name is none of the columns.
    firsts = [int(file.first_counts_rows()) for _, file, _ in files]
    path, file, _ = files[0]
    names = file.names[firsts[0] :]
    for (other, own, _), first in zip(files, firsts, strict=True):
        check_same_columns(
            repr(other), dict.fromkeys(own.names[first:], pa.string()), repr(path), dict.fromkeys(names, pa.string())
        )
    if len(files) == 1:
        every, columns = file.names, file.columns
    else:
        every = names
        columns = [TextColumn.of_all([own.columns[own.names.index(name)] for _, own, _ in files]) for name in names]
    label = repr(path) if len(files) == 1 else f"{path!r} and {len(files) - 1} more"
    typings, decimal = decide_columns(label, every, columns, asked.decimal)
    check_unique(names)
    # What is said of one file is said of all that are written so.
    cautions: dict[tuple[str, str, str], Caution] = {}
    for other, own, _ in files:
        for caution in cautions_of(other, own, asked, decimal):
            cautions.setdefault((caution.code, own.sep, own.encoding), caution)
    found = dict(zip(every, typings, strict=True))
    return TextFiles({name: found[name] for name in names}, list(cautions.values()), files, threads)


def _check_encoding(found: ScannedFile) -> None:
    for name, own in zip(found.names, found.columns, strict=True):
        own.decide(name, ".")


def _written(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns
