"""Who has the rows cannot matter: from blocks of any size the same graph is learned, compared with ==.

Every learner, kind of data and score, with options drawn from streams of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from tests.drawn import FROM_ANYWHERE, Combination, Streams, combinations, options_of
from tests.tables import categorical_columns, continuous_columns, mixed_columns

import stablebn as sb
from stablebn.learners import LEARNERS, Problem, define_problem
from stablebn.learners.shared.config import SearchConfig
from stablebn.prepare.dask.workers import DaskCluster, Partitions
from stablebn.scores.registry import ScoreConfig
from stablebn.stats import Counts
from stablebn.stats.engines.device import Device
from stablebn.stats.engines.disk import BlockSource
from stablebn.stats.engines.gpu import GpuSource
from stablebn.stats.engines.memory import TableSource
from stablebn.stats.remote_counts import RemoteCounts
from stablebn.stats.row_source import RowSource
from stablebn.table.blocks import BlockTable, in_blocks
from stablebn.table.table import Table

MAKERS = {"categorical": categorical_columns, "continuous": continuous_columns, "mixed": mixed_columns}
CASES = [(combination, example) for combination in combinations(FROM_ANYWHERE) for example in range(2)]


def _part(config: type[Any], options: dict[str, Any]) -> Any:
    own = {entry.name for entry in fields(config)}
    return config(**{name: value for name, value in options.items() if name in own})


def _learned(table: Table | BlockTable | RowSource, algorithm: str, options: dict[str, Any]) -> tuple[Problem, Any]:
    problem = define_problem(
        table, _part(ScoreConfig, options), unit_free=options["unit_free"], threads=options["threads"]
    )
    return problem, LEARNERS[algorithm].learn(problem, _part(SearchConfig, options))


@pytest.fixture(scope="module")
def cluster() -> Iterator[DaskCluster]:
    """Workers of Dask, in this process: what they are asked, and what they answer, is sent all the same."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    workers = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", memory_limit=0, dashboard_address=":0"
    )
    with workers, distributed.Client(workers) as client:
        yield DaskCluster(client)


@dataclass(frozen=True)
class _Drawn:
    """A table, how it is learned from, and what that gives in memory."""

    streams: Streams
    algorithm: str
    table: Table
    options: dict[str, Any]
    blocks: BlockTable
    in_memory: Problem
    right: Any

    def assert_same_from(self, source: BlockTable | RowSource) -> None:
        """The same numbers of variables, and the same steps."""
        in_parts, found = _learned(source, self.algorithm, self.options)
        in_memory = self.in_memory
        assert (in_parts.names, in_parts.decreasing, in_parts.interchangeable) == (
            in_memory.names,
            in_memory.decreasing,
            in_memory.interchangeable,
        )
        assert found.trace == self.right.trace
        assert found.order == self.right.order


def _drawn(combination: Combination, example: int) -> _Drawn:
    streams = Streams(f"sources {combination} {example}")
    algorithm, kind, score = combination
    rng = np.random.default_rng(streams["values"].randint(0, 10**6))
    n, rows = streams["columns"].randint(2, 7), streams["rows"].randint(40, 300)
    columns = MAKERS[kind](rng, n, rows)
    weights = rng.integers(1, 5, rows).tolist() if streams.often("weights", 0.3) else None
    prepared = sb.learn(columns, "hc", max_iter=0, weights=weights).prepared
    assert prepared is not None
    table = prepared.table
    options = {
        "unit_free": kind != "categorical" and score != "bge",
        **options_of(streams, combination, len(table.names)),
        "score": score,
    }
    in_memory, right = _learned(table, algorithm, options)
    blocks = in_blocks(table, streams["block"].choice((7, 64, 99, 1000)))
    return _Drawn(streams, algorithm, table, options, blocks, in_memory, right)


@pytest.mark.parametrize(("combination", "example"), CASES, ids=str)
def test_the_same_is_learned_from_blocks_and_a_device(combination: Combination, example: int) -> None:
    drawn = _drawn(combination, example)
    drawn.assert_same_from(drawn.blocks)
    base = BlockSource(drawn.blocks) if drawn.streams.often("device, blocks", 0.5) else TableSource(drawn.table)
    drawn.assert_same_from(GpuSource(base, Device.twin()))


# What a cluster is asked depends on the learner and the kind, and then on the score: so every learner and kind is met
# with some scores, and every kind and score with some learners, within minutes; and all of them by `make test-all`.
@pytest.mark.parametrize(
    "combination",
    [
        pytest.param(combination, marks=() if number % 5 == 0 else pytest.mark.slow)
        for number, combination in enumerate(combinations(FROM_ANYWHERE))
    ],
    ids=str,
)
def test_the_same_is_learned_from_a_cluster(combination: Combination, cluster: DaskCluster) -> None:
    drawn = _drawn(combination, 0)
    drawn.assert_same_from(replace(drawn.blocks, remote=Partitions.of(cluster, drawn.blocks.blocks())))


def test_clusters_are_asked_by_every_learner_and_for_every_score() -> None:
    every = list(combinations(FROM_ANYWHERE))
    soon = every[::5]
    assert {(own.algorithm, own.kind) for own in soon} == {(own.algorithm, own.kind) for own in every}
    assert {(own.kind, own.score) for own in soon} == {(own.kind, own.score) for own in every}


def test_the_first_look_takes_two_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = categorical_columns(np.random.default_rng(3), 14, 500, levels=4)
    prepared = sb.learn(columns, "hc", max_iter=0).prepared
    assert prepared is not None
    passes = []
    count = BlockSource.count

    def counted(self: BlockSource, *asked: Any) -> Any:
        passes.append([len(own) for own in asked[:3]])
        return count(self, *asked)

    monkeypatch.setattr(BlockSource, "count", counted)
    define_problem(in_blocks(prepared.table, 100), ScoreConfig(), threads=2)
    # Levels of every variable; then all pairs.
    assert passes == [[0, 14, 0], [14, 0, 0]]


def test_few_distinct_rows_are_fetched_once() -> None:
    columns = categorical_columns(np.random.default_rng(3), 3, 6000, levels=2)
    prepared = sb.learn(columns, "hc", max_iter=0).prepared
    assert prepared is not None
    statistics = define_problem(in_blocks(prepared.table, 1000), ScoreConfig()).statistics
    assert isinstance(statistics, Counts)
    assert not isinstance(statistics, RemoteCounts)


def test_what_a_source_cannot_answer_reaches_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise OSError("the disk is gone")

    columns = categorical_columns(np.random.default_rng(3), 8, 500, levels=4)
    prepared = sb.learn(columns, "hc", max_iter=0).prepared
    assert prepared is not None
    monkeypatch.setattr(BlockSource, "count", broken)
    with pytest.raises(OSError, match="the disk is gone"):
        define_problem(in_blocks(prepared.table, 100), ScoreConfig(), threads=2)


def test_without_cupy_the_extra_is_named() -> None:
    if find_spec("cupy") is not None:
        pytest.skip("CuPy is installed")
    with pytest.raises(sb.MissingExtraError, match="gpu"):
        sb.learn({"a": ["x", "y"] * 20, "b": ["p", "q"] * 20}, engine="gpu")


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("weighted", [False, True])
def test_learning_on_the_gpu_is_the_same(kind: str, weighted: bool) -> None:
    pytest.importorskip("cupy", reason="CuPy is not installed (extra gpu)")
    rng = np.random.default_rng(5)
    columns = MAKERS[kind](rng, 12, 3000)
    weights = rng.integers(1, 1 << 12, 3000).tolist() if weighted else None
    right = sb.learn(columns, weights=weights)
    found = sb.learn(columns, weights=weights, engine="gpu")
    assert (found.to_dict(), found.trace) == (right.to_dict(), right.trace)
