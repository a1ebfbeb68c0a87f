"""Weights that add up to as many as 2**40 rows: the same is learned in every layout, from any source, compared with ==.

Totals are next to where integers of 28, 31, 32, 33, 39 and 40 bits end. Every learner, kind of data and score, with
options drawn from streams of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from numpy.typing import NDArray
from tests.drawn import FROM_ANYWHERE, UNSTABLE, Combination, Streams, combinations, options_of
from tests.tables import categorical_columns, continuous_columns, mixed_columns

import stablebn as sb
from stablebn.learners import LEARNERS, define_problem
from stablebn.learners.shared.config import SearchConfig
from stablebn.scores.registry import ScoreConfig
from stablebn.stats.engines.device import Device
from stablebn.stats.engines.gpu import GpuSource
from stablebn.stats.engines.memory import TableSource
from stablebn.table.blocks import in_blocks

MAKERS = {"categorical": categorical_columns, "continuous": continuous_columns, "mixed": mixed_columns}
TOTALS = (2**28 + 1, 2**31 - 1, 2**31, 2**32 + 5, 2**33 - 1, 2**39, 2**40)
CASES = [(combination, TOTALS[place % len(TOTALS)]) for place, combination in enumerate(combinations(FROM_ANYWHERE))]


def weights_of(rng: np.random.Generator, rows: int, total: int) -> NDArray[np.int64]:
    """Positive weights that add up to a total: few are heavy, many are 1."""
    shares = rng.random(rows) ** 4
    weights: NDArray[np.int64] = np.maximum((shares / shares.sum() * (total - rows)).astype(np.int64), 1)
    weights[np.argmax(weights)] += total - int(weights.sum())
    assert weights.min() > 0
    assert weights.sum() == total
    return weights


def _drawn(
    combination: Combination, total: int
) -> tuple[dict[Any, list[Any]], NDArray[np.int64], dict[str, Any], np.random.Generator]:
    streams = Streams(f"many rows {combination} {total}")
    rng = np.random.default_rng(streams["values"].randint(0, 10**6))
    n, rows = streams["columns"].randint(2, 6), streams["rows"].randint(40, 120)
    columns = {name: list(own) for name, own in MAKERS[combination.kind](rng, n, rows).items()}
    options = {**options_of(streams, combination, n), "score": combination.score}
    return columns, weights_of(rng, rows, total), options, rng


def _taken(columns: dict[Any, list[Any]], names: Sequence[Any], places: Sequence[int]) -> dict[Any, list[Any]]:
    return {name: [columns[name][i] for i in places] for name in names}


def _told(result: sb.Result) -> tuple[Any, ...]:
    return result, result.fingerprint, result.score


@pytest.mark.parametrize(("combination", "total"), CASES, ids=str)
def test_layouts_threads_and_split_weights_change_nothing(combination: Combination, total: int) -> None:
    columns, weights, options, rng = _drawn(combination, total)
    if combination.algorithm in UNSTABLE or options.get("order") == "given":
        names: list[Any] = list(columns)
    else:
        names = [list(columns)[v] for v in rng.permutation(len(columns))]
    rows = len(weights)
    right = sb.learn(columns, combination.algorithm, weights=weights, **options)
    # Each row twice, its weight split anywhere; a share of nothing leaves the row out.
    first = (rng.random(rows) * (weights + 1)).astype(np.int64)
    split = np.concatenate([first, weights - first])
    order = rng.permutation(2 * rows)
    turned = _taken(columns, names, [i % rows for i in order.tolist()])
    found = sb.learn(turned, combination.algorithm, weights=split[order], **{**options, "threads": 2})
    assert _told(found) == _told(right)


def _part(config: type[Any], options: dict[str, Any]) -> Any:
    own = {entry.name for entry in fields(config)}
    return config(**{name: value for name, value in options.items() if name in own})


@pytest.mark.parametrize(("combination", "total"), CASES, ids=str)
def test_blocks_and_a_device_learn_the_same(combination: Combination, total: int) -> None:
    columns, weights, options, _ = _drawn(combination, total)
    unit_free = options.get("unit_free", combination.kind != "categorical" and combination.score != "bge")
    prepared = sb.learn(columns, "hc", max_iter=0, weights=weights).prepared
    assert prepared is not None
    table = prepared.table
    found = []
    for source in (table, in_blocks(table, 17), GpuSource(TableSource(table), Device.twin())):
        problem = define_problem(source, _part(ScoreConfig, options), unit_free=unit_free, threads=options["threads"])
        learned = LEARNERS[combination.algorithm].learn(problem, _part(SearchConfig, options))
        found.append((problem.names, problem.decreasing, learned.trace, learned.order))
    assert found[1] == found[0]
    assert found[2] == found[0]


@pytest.mark.parametrize("kind", MAKERS)
def test_files_in_blocks_and_growing_data_learn_the_same(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    columns = MAKERS[kind](rng, 5, 90)
    weights = weights_of(rng, 90, 2**40)
    whole = pa.table({**{name: list(own) for name, own in columns.items()}, "w": weights})
    right = sb.learn(whole, weights="w")
    pa.parquet.write_table(whole, tmp_path / "all.parquet")
    assert _told(sb.learn(tmp_path / "all.parquet", weights="w", memory="64MiB")) == _told(right)
    growing = sb.statistics(whole.slice(0, 30), weights="w")
    growing.update(whole.slice(30))
    assert _told(sb.learn(growing)) == _told(right)
    growing.save(tmp_path / "rows.statistics")
    assert _told(sb.learn(sb.load_statistics(tmp_path / "rows.statistics"))) == _told(right)
