"""Tables that a few words describe: drawn from networks, then spoilt in ways that have names.

A recipe is a dictionary that JSON can hold. A machine with nothing but the repository makes the same table from it,
bit for bit; `table_hash` tells whether it did.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from tests.shared import sample

import stablebn as sb

Recipe = Mapping[str, Any]


def small(name: str) -> Any:
    """A file of right answers that the repository holds."""
    return json.loads((Path(__file__).parent / "small" / f"{name}.json").read_text())


def table_of(recipe: Recipe) -> pa.Table:
    """The table of a recipe.

    Parameters
    ----------
    recipe : mapping
        `network` (a name), `random` (arguments of `sb.random_network`) or `shared` (a sample beside the repository);
        `rows` and `seed`. Then, in this order: `copies` (so many columns again, from the first on), `constants` (so
        many columns of a single value), `near` (for every number a column that is the sum of the first two and that
        much of the third), `gaps` (every so many-th value of every column is missing).
    """
    if "shared" in recipe:
        return sample(recipe["shared"], recipe["rows"])
    drawn = _network(recipe).sample(recipe["rows"], seed=recipe["seed"])
    columns: dict[str, Any] = dict(zip(drawn.column_names, drawn.columns, strict=True))
    first = list(columns)
    for copy in range(recipe.get("copies", 0)):
        columns[f"copy of {first[copy]}"] = columns[first[copy]]
    for constant in range(recipe.get("constants", 0)):
        value = 0.1 if pa.types.is_floating(drawn.schema.types[0]) else "only"
        columns[f"constant {constant}"] = pa.array([value] * recipe["rows"])
    for share in recipe.get("near", ()):
        a, b, c = (columns[name].to_numpy() for name in first[:3])
        columns[f"near {share}"] = pa.array(a + b + share * c)
    if "gaps" in recipe:
        for place, (name, column) in enumerate(columns.items()):
            every = recipe["gaps"]
            values = [None if (row + place) % every == 0 else value for row, value in enumerate(column.to_pylist())]
            columns[name] = pa.array(values)
    return pa.table(columns)


def weights_of(rows: int, kind: int) -> list[int]:
    """How many rows each row stands for: 0 to `kind`, without a pattern that columns could share."""
    return [(row * row + 3 * row + row // 7) % (kind + 1) for row in range(rows)]


@lru_cache(maxsize=8)
def _network_of(name: str, options: tuple[tuple[str, Any], ...]) -> sb.Network:
    return sb.random_network(**dict(options)) if name == "random" else sb.read_network(name)


def _network(recipe: Recipe) -> sb.Network:
    if "network" in recipe:
        return _network_of(recipe["network"], ())
    options = {option: tuple(value) if isinstance(value, list) else value for option, value in recipe["random"].items()}
    return _network_of("random", tuple(options.items()))


def table_hash(table: pa.Table) -> str:
    """Sixteen hexadecimal digits of a hash of names and values."""
    digest = hashlib.sha256()
    for name, column in zip(table.column_names, table.columns, strict=True):
        digest.update(f"\n{name}\n".encode())
        values = column.combine_chunks()
        if pa.types.is_floating(column.type):
            digest.update(np.ascontiguousarray(values.to_numpy(zero_copy_only=False), dtype="<f8").tobytes())
        elif pa.types.is_dictionary(column.type):
            digest.update(repr(values.dictionary.to_pylist()).encode())
            digest.update(np.ascontiguousarray(values.indices.to_numpy(zero_copy_only=False), dtype="<i4").tobytes())
        else:
            digest.update(repr(values.to_pylist()).encode())
    return digest.hexdigest()[:16]
