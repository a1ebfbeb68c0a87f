"""Random tables with columns of every kind, whole and in parts."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

Maker = Callable[[random.Random, int], pa.Array]


def _text(rng: random.Random, rows: int) -> pa.Array:
    words = ["no", "yes", "perhaps", "ÄÖ", "a b", "3", "", "NA"][: rng.randint(1, 8)]
    return pa.array([rng.choice(words) for _ in range(rows)])


def _many_texts(rng: random.Random, rows: int) -> pa.Array:
    few = rng.choice([2, 1.2, 1.05])
    return pa.array([f"k{rng.randrange(max(1, int(rows / few)))}" for _ in range(rows)])


def _ids(rng: random.Random, rows: int) -> pa.Array:
    pattern = rng.choice(["id-{}", "note {} is a long free text", "2024-01-{}", "{}"])
    order = list(range(1, rows + 1))
    rng.shuffle(order)
    return pa.array([pattern.format(own) for own in order])


def _numbers_as_text(rng: random.Random, rows: int) -> pa.Array:
    rest = rng.choice([["?"], ["?", "-"], ["x"], []])
    return pa.array(
        [rng.choice(rest) if rest and rng.random() < 0.1 else f"{rng.gauss(0, 9):.1f}" for _ in range(rows)]
    )


def _integers(rng: random.Random, rows: int) -> pa.Array:
    most = rng.choice([2, 5, 12, 24, 60, 10**6, 10**12])
    type_ = rng.choice([pa.int64(), pa.uint64()] if most > 127 else [pa.int8(), pa.int32(), pa.int64(), pa.uint16()])
    least = 0 if pa.types.is_unsigned_integer(type_) else rng.choice([0, -3])
    return pa.array([least + rng.randrange(most) for _ in range(rows)], type_)


def _row_numbers(rng: random.Random, rows: int) -> pa.Array:
    step, group, first = (
        rng.choice([1, 1, 7]),
        rng.choice([1, 1, 2]),
        rng.choice([0, 1, 2**53, -(2**62), 2**63 - 20_000]),
    )
    order = [first + step * (own // group) for own in range(rows)]
    rng.shuffle(order)
    return pa.array(order) if rng.random() < 0.7 else pa.array([float(own) for own in order])


def _floats(rng: random.Random, rows: int) -> pa.Array:
    how = rng.randrange(6)
    if how == 0:
        return pa.array([float(rng.randrange(rng.choice([3, 20]))) for _ in range(rows)])
    if how == 1:
        return pa.array([rng.choice([-0.0, 0.0, 0.5]) for _ in range(rows)])
    if how == 2:
        return pa.array([float(rng.randrange(10**5)) for _ in range(rows)])
    if how == 3:
        return pa.array([rng.gauss(5, 2) if rng.random() > 0.01 else rng.choice([np.inf, np.nan]) for _ in range(rows)])
    return pa.array([rng.gauss(5, 2) for _ in range(rows)], rng.choice([pa.float64(), pa.float64(), pa.float32()]))


def _booleans(rng: random.Random, rows: int) -> pa.Array:
    return pa.array([rng.random() < 0.3 for _ in range(rows)])


def _decimals(rng: random.Random, rows: int) -> pa.Array:
    return pa.array([Decimal(rng.randrange(999)) / 100 for _ in range(rows)], pa.decimal128(10, 2))


def _times(rng: random.Random, rows: int) -> pa.Array:
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=rng.randrange(40)) for _ in range(rows)]
    type_ = rng.choice([pa.date32(), pa.timestamp("ns"), pa.timestamp("s")])
    return pa.array(days, pa.date32()).cast(type_)


def _categories(rng: random.Random, rows: int) -> pa.Array:
    values: list[Any] = rng.choice([["b", "a", "unused", "c"], [3, 1, 2, 9], [0.5, -0.0, 2.5, 7.0]])
    places = pa.array([rng.choice([0, 1, 3]) for _ in range(rows)], pa.int8())
    return pa.DictionaryArray.from_arrays(places, pa.array(values), ordered=rng.random() < 0.5)


def _constant(rng: random.Random, rows: int) -> pa.Array:
    return pa.array([rng.choice(["same", 7, 2.5])] * rows)


def _empty(rng: random.Random, rows: int) -> pa.Array:
    return pa.array([None] * rows, rng.choice([pa.null(), pa.string(), pa.float64(), pa.int64()]))


def _lists(_: random.Random, rows: int) -> pa.Array:
    return pa.array([[1]] * rows)


MAKERS: list[Maker] = [
    *(_text, _many_texts, _ids, _numbers_as_text, _integers, _integers, _row_numbers, _floats, _floats, _booleans),
    *(_decimals, _times, _categories, _categories, _constant, _empty, _lists),
]


def _with_holes(rng: random.Random, array: pa.Array) -> pa.Array:
    if rng.random() < 0.7 or isinstance(array, pa.DictionaryArray):
        return array
    share = rng.choice([0.01, 0.2, 0.6])
    there = pa.array([rng.random() > share for _ in range(len(array))])
    return array.filter(there) if not len(array) else pc.if_else(there, array, pa.scalar(None, array.type))


def draw_table(rng: random.Random) -> pa.Table:
    """A table of few columns, some with weights."""
    rows = rng.choice([1, 3, 30, 200, 700])
    arrays = [_with_holes(rng, rng.choice(MAKERS)(rng, rows)) for _ in range(rng.randint(2, 7))]
    if rng.random() < 0.3:
        arrays.append(rng.choice(arrays))
    numbers = next((own for own in arrays if own.type == pa.float64()), None)
    if numbers is not None and rng.random() < 0.5:
        arrays.append(pc.add(pc.multiply(numbers, rng.choice([-1.0, 2.54, 9.0])), 32.0))
    table = pa.table(arrays, names=[f"c{place}" for place in range(len(arrays))])
    if rng.random() < 0.4:
        most = rng.choice([2, 2, 9])
        weights = [rng.randrange(most) for _ in range(rows)]
        if rng.random() < 0.1:
            weights[rng.randrange(rows)] = rng.choice([-1, 2**40])
        own = pa.array(weights, pa.int64()) if rng.random() < 0.7 else pa.array([float(w) for w in weights])
        table = table.append_column("weight", own)
    return table


def draw_options(rng: random.Random, table: pa.Table) -> dict[str, Any]:
    """What may be said of it."""
    names = [name for name in table.column_names if name != "weight"]
    options: dict[str, Any] = {"missing": rng.choice(["error", "drop", "level", "available"])}
    if "weight" in table.column_names:
        options["weights"] = "weight"
    if rng.random() < 0.3:
        some = rng.sample(names, rng.randint(1, len(names)))
        options["kinds"] = {name: rng.choice(["categorical", "continuous"]) for name in some}
    elif rng.random() < 0.2:
        options["kinds"] = rng.choice(["categorical", "continuous"])
    if rng.random() < 0.3:
        options["keep"] = rng.sample(names, 1)
    if rng.random() < 0.2:
        options["drop"] = rng.sample(names, 1)
        options.pop("keep", None)
        options.pop("kinds", None)
    if rng.random() < 0.3:
        options["levels"] = "declared"
    if rng.random() < 0.3:
        options["duplicates"] = rng.choice(["merge", "error"])
    return options


def draw_batches(rng: random.Random, table: pa.Table) -> list[pa.RecordBatch]:
    """Its rows in parts of any size."""
    found: list[pa.RecordBatch] = []
    first = 0
    while first < table.num_rows:
        rows = rng.choice([1, 2, 7, 50, 300])
        found += table.slice(first, rows).to_batches()
        first += rows
    return found


def limits_for_small_tables(rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
    """So small that small tables come in many pieces and blocks, and take many passes."""
    monkeypatch.setattr("stablebn.prepare.out_of_core._MOST_BATCH_ROWS", rng.choice([3, 40, 1000]))
    monkeypatch.setattr("stablebn.prepare.out_of_core.MOST_BLOCK_ROWS", rng.choice([5, 64, 1000]))
    monkeypatch.setattr("stablebn.prepare.out_of_core._FEWEST_ROWS", 1)
    monkeypatch.setattr("stablebn.prepare.out_of_core._BYTES_IN_PASS", rng.choice([1, 10**7]))
    monkeypatch.setattr("stablebn.prepare.spooled_columns.MOST_LISTED", rng.choice([1, 4, 30, 4096]))
