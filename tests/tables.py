"""Random tables small enough to see, and other layouts of a table."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stablebn.table.table import CategoricalTable, ContinuousTable, MixedTable

Columns = dict[Hashable, list[Any]]


def categorical_codes(rng: np.random.Generator, n: int, rows: int, levels: int = 3) -> list[NDArray[np.int64]]:
    """Columns of codes; each depends on an earlier one, so that there is something to learn."""
    codes: list[Any] = []
    for v in range(n):
        own = rng.integers(0, rng.integers(2, levels + 1), rows)
        if v and rng.random() < 0.7:
            own = np.where(rng.random(rows) < 0.6, codes[rng.integers(0, v)], own)
        codes.append(own)
    return codes


def categorical_columns(rng: np.random.Generator, n: int, rows: int, levels: int = 3) -> Columns:
    """The same with letters."""
    codes = categorical_codes(rng, n, rows, levels)
    return {f"c{v}": ["pqrstuvwxyz"[code] for code in own] for v, own in enumerate(codes)}


def relabelled_codes(rng: np.random.Generator, n: int, rows: int) -> NDArray[np.int64]:
    """Columns that are one or two others in other labels; all levels are equally frequent."""
    levels = int(rng.integers(3, 6))
    level = np.arange(levels * -(-rows // levels)) % levels
    others = [rng.permutation(level) for _ in range(int(rng.integers(1, 3)))]
    return np.array([rng.permutation(levels)[others[rng.integers(0, len(others))]] for _ in range(n)])


def continuous_values(rng: np.random.Generator, n: int, rows: int) -> list[NDArray[np.float64]]:
    """Columns of numbers on several scales; each depends on an earlier one."""
    values: list[Any] = []
    for v in range(n):
        own = rng.normal(size=rows)
        if v and rng.random() < 0.7:
            own = own + rng.normal() * values[rng.integers(0, v)]
        values.append(own)
    return [own * 10.0 ** rng.integers(-2, 3) + rng.integers(-5, 6) for own in values]


def continuous_columns(rng: np.random.Generator, n: int, rows: int) -> Columns:
    """The same as lists under names."""
    return {f"x{v}": own.tolist() for v, own in enumerate(continuous_values(rng, n, rows))}


def shuffled(columns: Columns, seed: int, *, rows: bool = True, order: bool = True) -> Columns:
    """The same table with its rows and its columns in another order."""
    shuffle = random.Random(seed)
    names = list(columns)
    places = list(range(len(columns[names[0]])))
    if order:
        shuffle.shuffle(names)
    if rows:
        shuffle.shuffle(places)
    return {name: [columns[name][place] for place in places] for name in names}


def renamed(columns: Columns, seed: int) -> tuple[Columns, dict[Hashable, Hashable]]:
    """The same table under other names, in another order of names, and old name by new one."""
    aliases = [f"n{place:03d}" for place in range(len(columns))]
    # A stream of its own: in that of `shuffled` the aliases would have the order of the names.
    random.Random(f"aliases {seed}").shuffle(aliases)
    old: dict[Hashable, Hashable] = dict(zip(aliases, columns, strict=True))
    return {alias: columns[name] for alias, name in old.items()}, old


def categorical_table(codes: Sequence[Sequence[int]], weights: Sequence[int] | None = None) -> CategoricalTable:
    """A table from codes 0, 1, ..., each of which must occur."""
    array = np.array(codes, dtype=np.uint8)
    return CategoricalTable(
        names=tuple(f"v{place}" for place in range(len(codes))),
        codes=array,
        levels=tuple(tuple(str(level) for level in range(int(own.max()) + 1)) for own in array),
        weights=None if weights is None else np.array(weights, dtype=np.int64),
    )


def random_categorical_table(rng: np.random.Generator, n: int, rows: int, levels: int = 3) -> CategoricalTable:
    """A random table of codes without constant columns."""
    codes = []
    for _ in range(n):
        drawn = rng.integers(0, levels, rows)
        drawn[:2] = [0, 1]
        codes.append(np.unique(drawn, return_inverse=True)[1].tolist())
    return categorical_table(codes)


def with_holes(table: Any, rng: np.random.Generator, share: float, columns: Sequence[int] | None = None) -> Any:
    """The same table with values missing by chance, in some columns; never in the first four rows."""
    numbers = isinstance(table, ContinuousTable)
    cells = (table.values if numbers else table.codes).copy()
    holes = rng.random(cells.shape) < share
    holes[:, :4] = False
    holes[[v for v in range(len(cells)) if columns is not None and v not in columns]] = False
    for v, own in enumerate(holes):
        cells[v, own] = np.nan if numbers else len(table.levels[v])
    places = frozenset(np.flatnonzero(holes.any(axis=1)).tolist())
    if numbers:
        return ContinuousTable(table.names, cells, table.weights, places)
    return CategoricalTable(table.names, cells, table.levels, table.weights, places)


def continuous_table(values: Any, weights: Sequence[int] | None = None) -> ContinuousTable:
    """A table of numbers, one row of `values` a variable."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    return ContinuousTable(
        names=tuple(f"v{place}" for place in range(array.shape[0])),
        values=array,
        weights=None if weights is None else np.array(weights, dtype=np.int64),
    )


def mixed_table(
    codes: Sequence[Sequence[int]], values: Any, weights: Sequence[int] | None = None, names: Sequence[str] = ()
) -> MixedTable:
    """A table of codes and numbers, the categorical variables first unless other names are given in another order."""
    categorical, continuous = categorical_table(codes, weights), continuous_table(values, weights)
    categorical = replace(categorical, names=tuple(f"c{place}" for place in range(len(codes))))
    continuous = replace(continuous, names=tuple(f"x{place}" for place in range(len(values))))
    return MixedTable(tuple(names) or (*categorical.names, *continuous.names), categorical, continuous)


def random_mixed_table(
    rng: np.random.Generator, rows: int, categories: int = 2, numbers: int = 3, weights: Sequence[int] | None = None
) -> MixedTable:
    """Numbers whose means and slopes depend on categories, and categories that depend on each other."""
    codes = [np.arange(rows) % 2]
    for _ in range(categories - 1):
        codes.append((codes[-1] + (rng.random(rows) < 0.3) + (rng.random(rows) < 0.1)) % 3)
    values = [rng.normal(size=rows)]
    for v in range(numbers - 1):
        values.append(rng.normal(size=rows) + values[-1] * (codes[v % categories] + 1) + codes[(v + 1) % categories])
    own = [np.unique(column, return_inverse=True)[1].tolist() for column in codes]
    return mixed_table(own, np.array(values) * 10.0 ** rng.integers(-3, 4, (numbers, 1)), weights)


def mixed_columns(rng: np.random.Generator, n: int, rows: int) -> Columns:
    """Columns of both kinds as lists under names, one at least of each; each depends on an earlier one."""
    kinds = ["categorical", "continuous", *rng.choice(["categorical", "continuous"], max(n - 2, 0)).tolist()]
    rng.shuffle(kinds)
    columns: Columns = {}
    raw: list[NDArray[np.float64]] = []
    for v, kind in enumerate(kinds):
        signal = raw[rng.integers(0, v)] * rng.choice([-1.0, 1.0]) if v and rng.random() < 0.7 else np.zeros(rows)
        own = signal + rng.normal(size=rows)
        if kind == "categorical":
            own = np.digitize(own, np.sort(rng.normal(size=rng.integers(1, 3)))).astype(np.float64)
            own[:2] = 0.0, 1.0
            columns[f"c{v}"] = ["pqrs"[int(code)] for code in own]
        else:
            # Some columns have steps, so that in some strata they have a single value; but they are no integers.
            own = np.round(2 * own) * 0.3 + 0.1 if rng.random() < 0.3 else own
            own[0] += 0.3 * (own == own[0]).all()
            columns[f"x{v}"] = (own * 10.0 ** rng.integers(-2, 3)).tolist()
        raw.append(own)
    return columns
