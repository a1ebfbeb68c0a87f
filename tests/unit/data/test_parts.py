"""A table that is read in parts is decided, encoded and learned from as the same rows in memory are."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.unit.data.comparing import assert_same_table
from tests.unit.data.strange_tables import draw_batches, draw_options, draw_table, limits_for_small_tables

import stablebn as sb
from stablebn.data import Prepared, prepare
from stablebn.errors import DataError, OptionError


def _outcome(source: object, **options: Any) -> Prepared | tuple[object, ...]:
    try:
        return prepare(source, **options)
    except (DataError, OptionError) as error:
        return type(error), str(error), getattr(error, "remedy", None)


FIELDS = (
    *(
        "names",
        "left_out",
        "kinds",
        "decisions",
        "constants",
        "identical",
        "copies",
        "merged",
        "cuts",
        "levels",
        "rows",
    ),
    "warnings",
)


def _assert_same(whole: Prepared | tuple[object, ...], parts: Prepared | tuple[object, ...]) -> None:
    if not isinstance(whole, Prepared) or not isinstance(parts, Prepared):
        assert whole == parts
        return
    assert parts.blocks is not None
    for field in FIELDS:
        assert repr(getattr(whole, field)) == repr(getattr(parts, field)), field
    held = parts.held()
    assert_same_table(whole.table, held.table)


@pytest.fixture(params=range(60))
def drawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> random.Random:
    """Chance, and small limits, so that small tables come in many pieces and blocks."""
    rng = random.Random(f"parts {request.param}")
    limits_for_small_tables(rng, monkeypatch)
    return rng


def test_decisions_levels_codes_and_warnings_are_those_of_the_table_in_memory(drawn: random.Random) -> None:
    for _ in range(10):
        table = draw_table(drawn)
        options = draw_options(drawn, table)
        batches = draw_batches(drawn, table)
        parts = _outcome(pa.RecordBatchReader.from_batches(table.schema, batches), **options)
        _assert_same(_outcome(table, **options), parts)


def test_files_in_parts_are_the_table_in_memory(drawn: random.Random, tmp_path: Path) -> None:
    table = draw_table(drawn)
    options = draw_options(drawn, table)
    first = number = 0
    while first < table.num_rows:
        rows = drawn.choice([1, 50, 300])
        pq.write_table(
            table.slice(first, rows), tmp_path / f"{number:04d}.parquet", row_group_size=drawn.choice([7, 99])
        )
        first, number = first + rows, number + 1
    _assert_same(_outcome(tmp_path, **options), _outcome(tmp_path, memory=10**8, **options))
    _assert_same(_outcome(tmp_path, **options), _outcome(f"{tmp_path}/*.parquet", **options))


def _learned(source: object, **options: Any) -> object:
    try:
        return sb.learn(source, **options)
    except (DataError, OptionError) as error:
        return str(error)


def test_what_is_learned_is_the_same(drawn: random.Random) -> None:
    table = draw_table(drawn)
    options = draw_options(drawn, table)
    whole = _learned(table, **options)
    parts = _learned(iter(draw_batches(drawn, table)), **options)
    assert whole == parts
    if isinstance(whole, sb.Result) and isinstance(parts, sb.Result):
        assert whole.fingerprint == parts.fingerprint
