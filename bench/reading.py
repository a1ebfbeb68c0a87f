"""How long it takes to read and encode a table, from every kind of source, beside the search and beside others.

Usage: python bench/reading.py [--rows 1000000] [--file-rows 10000000] [--rounds 3] [--quick]

Tables are sampled from alarm, 37 categorical variables, and for numbers from 50 independent normal ones. Every figure
is of a process of its own, in which the imports are done before the clock starts; all sources take turns, and the least
of all rounds counts. Writes docs/reading-table.md, with --quick (20,000 rows, one round) build/bench/reading-table.md.
Needs about 6 GB of memory and 3 of disk for 10,000,000 rows.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
from machine import about
from processes import run
from pyarrow import feather, parquet

import stablebn as sb
from stablebn.prepare.prepare import prepare
from stablebn.prepare.read_options import ReadOptions
from stablebn.table.table import CategoricalTable, ContinuousTable

ROOT = Path(__file__).resolve().parents[1]
PIECE = 1_000_000
"""Rows that are sampled and written at once."""
LIMIT = 1200
MIB = 1 << 20

Make = Callable[[Path], Any]


def _as_text(table: pa.Table) -> pa.Table:
    return pa.table([column.cast("string") for column in table.columns], names=table.column_names)


def _categories(folder: Path) -> pa.Table:
    return parquet.read_table(folder / "categories.parquet")


def _frame(folder: Path) -> pd.DataFrame:
    return _categories(folder).to_pandas()


def _codes(folder: Path) -> pd.DataFrame:
    return _frame(folder).apply(lambda column: column.cat.codes)


def _polars_text(folder: Path) -> pl.DataFrame:
    return pl.DataFrame(pl.from_arrow(_as_text(_categories(folder))))


def _enums(folder: Path) -> pl.DataFrame:
    frame = _polars_text(folder)
    return frame.cast({name: pl.Enum(frame[name].unique().sort()) for name in frame.columns})


MADE: dict[str, Make] = {
    "Arrow, dictionaries": _categories,
    "Arrow, text": lambda folder: _as_text(_categories(folder)),
    "pandas, categories": _frame,
    "pandas, str": lambda folder: _frame(folder).astype("str"),
    "pandas, objects": lambda folder: _frame(folder).astype(object),
    "pandas, int8": _codes,
    "pandas, int64": lambda folder: _codes(folder).astype("int64"),
    "pandas, bool": lambda folder: _codes(folder) > 0,
    "polars, enums": _enums,
    "polars, categories": lambda folder: _polars_text(folder).cast(pl.Categorical),
    "polars, text": _polars_text,
    "NumPy, int8, by columns": lambda folder: np.asfortranarray(_codes(folder).to_numpy()),
    "NumPy, int8, by rows": lambda folder: np.ascontiguousarray(_codes(folder).to_numpy()),
    "Parquet, dictionaries": lambda folder: folder / "categories.parquet",
    "Parquet, text": lambda folder: folder / "text.parquet",
    "Feather, dictionaries": lambda folder: folder / "categories.feather",
    "Feather, text": lambda folder: folder / "text.feather",
    "CSV": lambda folder: folder / "text.csv",
    "Arrow, floats": lambda folder: parquet.read_table(folder / "floats.parquet"),
    "pandas, floats": lambda folder: parquet.read_table(folder / "floats.parquet").to_pandas(),
    "Parquet, floats": lambda folder: folder / "floats.parquet",
}
"""The sources, by name: made before the clock starts."""

OTHERS: dict[str, Callable[[Path], object]] = {
    "`pyarrow.parquet.read_table`, dictionaries": lambda folder: parquet.read_table(folder / "categories.parquet"),
    "`pyarrow.parquet.read_table`, text": lambda folder: parquet.read_table(folder / "text.parquet"),
    "`pyarrow.csv.read_csv`": lambda folder: pa.csv.read_csv(folder / "text.csv"),
    "`pandas.read_csv`": lambda folder: pd.read_csv(folder / "text.csv"),
    '`pandas.read_csv(dtype="category")`': lambda folder: pd.read_csv(folder / "text.csv", dtype="category"),
    "`polars.read_csv`": lambda folder: pl.read_csv(folder / "text.csv"),
}
"""What others need to read the same files, without encoding them."""

LEARNED = {"Parquet, dictionaries": "categories.parquet", "Parquet, text": "text.parquet"}


def main() -> None:
    """Measure, and write the table; or, called for that by itself, measure one source and print what was found."""
    parser = argparse.ArgumentParser(description="Measure how long it takes to read tables.")
    parser.add_argument("--rows", type=int, default=PIECE, help="rows of the table in every form [1000000]")
    parser.add_argument("--file-rows", type=int, default=10 * PIECE, help="rows of the file that is learned [10000000]")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="a smoke run, written to build/bench")
    parser.add_argument("--measure", nargs=3, metavar=("WHAT", "NAME", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        what, name, folder = options.measure
        figures = {"read": _read, "other": _other, "learn": _learn}[what](name, Path(folder))
        sys.stdout.write(json.dumps(figures) + "\n")
        return
    if options.quick:
        options.rows, options.file_rows, options.rounds = 20_000, 20_000, 1
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        _write(folder, options.rows)
        read = _in_turn("read", MADE, folder, options.rounds)
        other = _in_turn("other", OTHERS, folder, options.rounds)
        if options.file_rows != options.rows:
            _write_parquet(folder, options.file_rows)
        learned = _in_turn("learn", LEARNED, folder, options.rounds)
    target = ROOT / ("build/bench" if options.quick else "docs") / "reading-table.md"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(_report(learned, read, other, options)) + "\n", encoding="utf-8")


def _pieces(rows: int) -> Iterator[pa.Table]:
    network = sb.read_network("alarm")
    for seed, first in enumerate(range(0, rows, PIECE), start=1):
        yield network.sample(min(PIECE, rows - first), seed=seed)


def _write_parquet(folder: Path, rows: int) -> None:
    writers: dict[str, parquet.ParquetWriter] = {}
    for piece in _pieces(rows):
        for name, table in (("categories", piece), ("text", _as_text(piece))):
            if name not in writers:
                writers[name] = parquet.ParquetWriter(folder / f"{name}.parquet", table.schema)
            writers[name].write_table(table)
    for writer in writers.values():
        writer.close()


def _write(folder: Path, rows: int) -> None:
    _write_parquet(folder, rows)
    categories = _categories(folder)
    text = _as_text(categories)
    feather.write_feather(categories, folder / "categories.feather")
    feather.write_feather(text, folder / "text.feather")
    pa.csv.write_csv(text, folder / "text.csv")
    normal = np.random.default_rng(1).normal(size=(50, rows))
    parquet.write_table(pa.table(list(normal), names=[f"x{i}" for i in range(50)]), folder / "floats.parquet")


def _in_turn(what: str, names: Mapping[str, object], folder: Path, rounds: int) -> dict[str, dict[str, float]]:
    """The least of the figures of each name."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    for _ in range(rounds):
        for name, own in found.items():
            done = run([sys.executable, __file__, "--measure", what, name, str(folder)], limit=LIMIT)
            if done is None:
                raise RuntimeError("a source was not read; the log says why.")
            own.append(json.loads(done.output.splitlines()[-1]))
    return {name: {figure: min(one[figure] for one in own) for figure in own[0]} for name, own in found.items()}


def _timed(work: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """What it gives, and seconds by the clock and of the processors, and MiB of memory that it needed at most."""
    # So that the greatest size is that from here on.
    Path("/proc/self/clear_refs").write_text("5")
    held, began, cpu = _memory("VmRSS"), time.perf_counter(), _cpu()
    answer = work()
    seconds = {"clock": time.perf_counter() - began, "cpu": _cpu() - cpu}
    return answer, {**seconds, "peak": _memory("VmHWM") - held}


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _memory(what: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what)) * 1024 / MIB


def _warm_up(folder: Path) -> None:
    """Import what reading needs."""
    small = pa.table({"a": ["x", "y"], "b": [1, 2]})
    with tempfile.TemporaryDirectory(dir=folder) as own:
        parquet.write_table(small, f"{own}/small.parquet")
        pa.csv.write_csv(small, f"{own}/small.csv")
        sb.learn(f"{own}/small.parquet")
        sb.learn(f"{own}/small.csv")
    prepare(small.to_pandas())
    prepare(pl.DataFrame(pl.from_arrow(small)))


def _read(name: str, folder: Path) -> dict[str, float]:
    source = MADE[name](folder)
    names = list(range(source.shape[1])) if isinstance(source, np.ndarray) else None
    _warm_up(folder)
    prepared, figures = _timed(lambda: prepare(source, ReadOptions(names=names)))
    table = prepared.table
    if not isinstance(table, CategoricalTable | ContinuousTable):
        raise TypeError(f"{name} is mixed.")
    matrix = table.codes if isinstance(table, CategoricalTable) else table.values
    return {**figures, "cells": matrix.size, "encoded": matrix.nbytes / MIB}


def _other(name: str, folder: Path) -> dict[str, float]:
    frame, figures = _timed(lambda: OTHERS[name](folder))
    return {**figures, "cells": frame.shape[0] * frame.shape[1]}


def _learn(name: str, folder: Path) -> dict[str, float]:
    _warm_up(folder)
    result, figures = _timed(lambda: sb.learn(folder / LEARNED[name]))
    reading = result.timings["encode"]
    return {**figures, "reading": reading, "learning": result.timings["total"] - reading}


def _report(
    learned: Mapping[str, Mapping[str, float]],
    read: Mapping[str, Mapping[str, float]],
    other: Mapping[str, Mapping[str, float]],
    options: argparse.Namespace,
) -> list[str]:
    command = f"python bench/reading.py --rows {options.rows} --file-rows {options.file_rows} --rounds {options.rounds}"
    programs = ", ".join(f"{key} {value}" for key, value in about().items())
    return [
        "# Reading",
        "",
        f"{programs}, pandas {pd.__version__}, polars {pl.__version__}.",
        f"Made by `{command}`: the least of {options.rounds} processes each, which take turns.",
        f"In the end {os.getloadavg()[0]:.1f} processes wanted to run: with more of them than cores, look at the time",
        "of the processors, and not at that of the clock.",
        "",
        f"## A file of {options.file_rows:,} rows and 37 categorical columns",
        "",
        "Seconds of `sb.learn`: reading and encoding, and everything after that (orders and search); and MiB of memory",
        "that the process needed for all of it beyond what Python and its libraries hold.",
        "",
        *_table(
            ["file", "reading", "learning", "reading : learning", "peak, MiB"],
            (
                [
                    name,
                    f"{own['reading']:.2f}",
                    f"{own['learning']:.2f}",
                    f"{own['reading'] / own['learning']:.2f}",
                    f"{own['peak']:,.0f}",
                ]
                for name, own in learned.items()
            ),
        ),
        "",
        f"## Every kind of source, {options.rows:,} rows",
        "",
        "Nanoseconds a cell, by the clock and of the processors, to read, check and encode; MiB of memory besides the",
        "source, encoded table included, and the size of that table: a byte a cell, or eight for numbers.",
        "",
        *_table(
            ["source", "clock, ns", "processors, ns", "peak, MiB", "encoded, MiB"],
            ([name, *_figures(own), f"{own['encoded']:,.0f}"] for name, own in read.items()),
        ),
        "",
        "## Others reading the same files",
        "",
        "Into their own frames, without encoding.",
        "",
        *_table(
            ["reader", "clock, ns", "processors, ns", "peak, MiB"],
            ([name, *_figures(own)] for name, own in other.items()),
        ),
    ]


def _figures(own: Mapping[str, float]) -> list[str]:
    nanoseconds = [f"{own[what] / own['cells'] * 1e9:.2f}" for what in ("clock", "cpu")]
    return [*nanoseconds, f"{own['peak']:,.0f}"]


def _table(head: Sequence[str], rows: Iterator[list[str]]) -> list[str]:
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return ["| " + " | ".join(cells) + " |" for cells in (head, rule, *rows)]


if __name__ == "__main__":
    main()
