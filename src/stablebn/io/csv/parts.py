"""Read text files in parts: a first pass infers the types of the columns, a second one reads the values.

The code that reads a text file into memory (`inference`, `column_types`) makes all decisions, on the same blocks.
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
    """Text files that form one table, after the first pass.

    Attributes
    ----------
    typings : dict of name to Typing
    cautions : list of Caution
        Warnings about how the files were read.
    """

    typings: dict[Name, Typing]
    cautions: list[Caution]
    _files: list[tuple[str, ScannedFile, tuple[int, int]]]
    _threads: int

    def parts(self, names: Sequence[Name]) -> Iterator[Columns]:
        """Read some columns, in parts."""
        for path, file, written in self._files:
            with file_errors(path):
                if _written(path) != written:
                    raise DataError(f"{path!r} has changed while it was read. Learn again.")
                for batch in file.batches(names, use_threads=self._threads > 1):
                    yield {
                        name: pa.chunked_array([self.typings[name].typed(batch.column(i))])
                        for i, name in enumerate(names)
                    }


def scan_text_files(paths: Sequence[str], requested: Dialect, threads: int) -> TextFiles:
    """Read all fields of text files once, and infer the types of the columns from all files together.

    Parameters
    ----------
    paths : sequence of str
        Files with the same columns. Each may have its own separator and encoding.
    requested : Dialect
        The user's options for text files.
    threads : int
        If more than 1, PyArrow chooses the number of threads.
    """
    files: list[tuple[str, ScannedFile, tuple[int, int]]] = []
    for path in paths:
        with file_errors(path):
            written = _written(path)
            files.append((path, scan_csv(path, requested, threads, _check_encoding, hold=False), written))
    # A first column that only numbers the rows is left out.
    firsts = [int(file.first_counts_rows()) for _, file, _ in files]
    path, file, _ = files[0]
    names = file.names[firsts[0] :]
    for (other, scanned, _), first in zip(files, firsts, strict=True):
        names_there = dict.fromkeys(scanned.names[first:], pa.string())
        check_same_columns(repr(other), names_there, repr(path), dict.fromkeys(names, pa.string()))
    if len(files) == 1:
        every, columns = file.names, file.columns
    else:
        every = names
        columns = [TextColumn.of_all([own.columns[own.names.index(name)] for _, own, _ in files]) for name in names]
    # One label stands for all files in errors.
    label = repr(path) if len(files) == 1 else f"{path!r} and {len(files) - 1} more"
    typings, decimal = decide_columns(label, every, columns, requested.decimal)
    check_unique(names)
    # One warning stands for all files with the same separator and encoding.
    cautions: dict[tuple[str, str, str], Caution] = {}
    for other, scanned, _ in files:
        for caution in cautions_of(other, scanned, requested, decimal):
            cautions.setdefault((caution.code, scanned.sep, scanned.encoding), caution)
    found = dict(zip(every, typings, strict=True))
    return TextFiles({name: found[name] for name in names}, list(cautions.values()), files, threads)


def _check_encoding(scanned: ScannedFile) -> None:
    for name, column in zip(scanned.names, scanned.columns, strict=True):
        column.decide(name, ".")


def _written(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns
