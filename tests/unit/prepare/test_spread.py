"""Rows that the workers of a Dask cluster read and keep give what the same rows in memory give."""

from __future__ import annotations

import copy
import logging
import os
import pickle
import random
import signal
import sys
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.preparing import prepare
from tests.tables import categorical_columns, continuous_columns, mixed_columns
from tests.unit.prepare.comparing import assert_same_table
from tests.unit.prepare.strange_tables import draw_options, draw_table, limits_for_small_tables

import stablebn as sb
from stablebn.cli.main import app
from stablebn.errors import DataError, MissingExtraError, OptionError
from stablebn.io.batches import open_file_parts, parts_of_files
from stablebn.prepare.dask.workers import DaskCluster, Partitions, cluster_of
from stablebn.prepare.prepared import Prepared
from stablebn.stats.engines.dask import DaskSource

if TYPE_CHECKING:
    from distributed import Client

distributed = pytest.importorskip("distributed", reason="Dask is not installed")
frames = pytest.importorskip("dask.dataframe", reason="Dask has no dataframes without pandas")

MAKERS = {"categorical": categorical_columns, "continuous": continuous_columns, "mixed": mixed_columns}


def _started(workers: int, *, processes: bool = True) -> Any:
    return distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=processes,
        protocol="tcp",
        memory_limit=0,
        dashboard_address=":0",
        silence_logs=logging.CRITICAL,
        # On a busy machine a worker takes long to start; a nanny that gives up would leave the cluster without workers.
        **({"death_timeout": 600} if processes else {}),
    )


@pytest.fixture(scope="module", params=[1, 2, pytest.param(4, marks=pytest.mark.slow)])
def client(request: pytest.FixtureRequest) -> Iterator[Client]:
    """Workers, each a process."""
    with _started(request.param) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def client_here() -> Iterator[Client]:
    """Workers in this process, so that what is changed for a test is changed for them."""
    with _started(2, processes=False) as cluster, distributed.Client(cluster) as client:
        yield client


def _write(table: pa.Table, folder: Path, rng: random.Random) -> Path:
    """A table in files of any length, with row groups of any length."""
    folder.mkdir()
    first = number = 0
    while first < table.num_rows or not number:
        rows = rng.choice([1, 50, 300])
        pq.write_table(table.slice(first, rows), folder / f"{number:04d}.parquet", row_group_size=rng.choice([7, 99]))
        first, number = first + rows, number + 1
    return folder


def _assert_same_result(found: sb.Result, right: sb.Result) -> None:
    assert found.to_dict() == right.to_dict()
    assert found.trace == right.trace
    assert found.fingerprint == right.fingerprint


@pytest.mark.parametrize("algorithm", ["tabu-stable", "pc-stable", "hc"])
@pytest.mark.parametrize("kind", MAKERS)
def test_what_is_learned_is_the_same(client: Client, kind: str, algorithm: str, tmp_path: Path) -> None:
    rng = random.Random(f"spread {kind} {algorithm}")
    columns = MAKERS[kind](np.random.default_rng(rng.randrange(10**6)), 6, 700)
    columns["weight"] = [rng.choice([0, 1, 1, 3]) for _ in range(700)]
    table = pa.table(columns)
    right = sb.learn(columns, algorithm, weights="weight")
    from_files = sb.learn(_write(table, tmp_path / "rows", rng), algorithm, weights="weight", client=client)
    _assert_same_result(from_files, right)
    frame = frames.from_pandas(table.to_pandas(), npartitions=rng.choice([1, 3, 11]))
    _assert_same_result(sb.learn(frame, algorithm, weights="weight", engine="dask", client=client), right)


@pytest.mark.parametrize("kind", MAKERS)
def test_a_worker_that_is_killed_changes_nothing(
    client: Client, kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    columns = MAKERS[kind](np.random.default_rng(7), 8, 900)
    right = sb.learn(columns)
    folder = _write(pa.table(columns), tmp_path / "rows", random.Random(1))
    killed: list[int] = []

    def then_one_dies(ask: Any) -> Any:
        def asked(self: DaskSource, *arguments: Any) -> Any:
            answer = ask(self, *arguments)
            answer = answer if isinstance(answer, tuple) else iter([*answer])
            if not killed:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)
            return answer

        return asked

    monkeypatch.setattr(DaskSource, "map_blocks", then_one_dies(DaskSource.map_blocks))
    monkeypatch.setattr(DaskSource, "count", then_one_dies(DaskSource.count))
    found = sb.learn(folder, client=client)
    assert killed
    assert killed[0] not in client.run(os.getpid).values()
    _assert_same_result(found, right)


def test_a_cluster_that_has_lost_all_workers_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = _write(pa.table(continuous_columns(np.random.default_rng(8), 4, 300)), tmp_path / "rows", random.Random(2))
    # Not at once: a worker that comes back is waited for.
    monkeypatch.setattr("stablebn.prepare.dask.workers._SECONDS_WITHOUT_WORKERS", 0.2)
    with _started(1, processes=False) as cluster, distributed.Client(cluster) as client:
        sums = DaskSource.sums

        def then_all_are_gone(self: DaskSource, *arguments: Any) -> Any:
            cluster.scale(0)
            while client.nthreads():
                pass
            return sums(self, *arguments)

        monkeypatch.setattr(DaskSource, "sums", then_all_are_gone)
        with pytest.raises(DataError, match=r"lost all of its workers.*Start workers"):
            sb.learn(folder, "tabu-stable", client=client)


def _outcome(source: object, **options: Any) -> Prepared | tuple[object, ...]:
    try:
        return prepare(source, **options)
    except (DataError, OptionError) as error:
        return type(error), str(error), getattr(error, "remedy", None)


FIELDS = (
    *("names", "left_out", "kinds", "decisions", "constants", "identical", "copies", "merged", "cuts", "levels"),
    *("rows", "warnings"),
)


def _assert_same_prepared(whole: Prepared | tuple[object, ...], spread: Prepared | tuple[object, ...]) -> None:
    if not isinstance(whole, Prepared) or not isinstance(spread, Prepared):
        assert whole == spread
        return
    for field in FIELDS:
        assert repr(getattr(whole, field)) == repr(getattr(spread, field)), field
    assert_same_table(whole.table, spread.held().table)


@pytest.mark.parametrize("example", range(25))
def test_decisions_levels_codes_and_warnings_are_those_of_the_table_in_memory(
    client_here: Client, example: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(f"spread {example}")
    limits_for_small_tables(rng, monkeypatch)
    table = draw_table(rng)
    options = draw_options(rng, table)
    folder = _write(table, tmp_path / "rows", rng)
    _assert_same_prepared(_outcome(folder, **options), _outcome(folder, engine="dask", client=client_here, **options))


@pytest.mark.parametrize("example", range(15))
def test_a_frame_is_decided_as_it_is_in_memory(client_here: Client, example: int) -> None:
    rng = random.Random(f"spread frame {example}")
    table = draw_table(rng)
    options = draw_options(rng, table)
    frame = table.to_pandas()
    parts = frames.from_pandas(frame, npartitions=rng.choice([1, 3, 9]))
    _assert_same_prepared(
        _outcome(parts.compute(), **options), _outcome(parts, engine="dask", client=client_here, **options)
    )


def test_the_client_is_no_part_of_the_result(client_here: Client, tmp_path: Path) -> None:
    table = sb.read_network("asia").sample(300, seed=1)
    folder = _write(table, tmp_path / "rows", random.Random(1))
    result = sb.learn(folder, client=client_here)
    assert {"client", "engine"}.isdisjoint(result.config)
    assert client_here.status == "running"


def test_a_result_is_copied_and_pickled_without_the_rows(client_here: Client, tmp_path: Path) -> None:
    folder = _write(sb.read_network("asia").sample(300, seed=1), tmp_path / "rows", random.Random(1))
    result = sb.learn(folder, client=client_here)
    copied, sent = copy.deepcopy(result), pickle.loads(pickle.dumps(result))
    assert copied == sent == result
    assert copied.prepared is not None
    assert copied.prepared.held().table.rows == 300
    with pytest.raises(DataError, match="did not come along"):
        sent.prepared.held()


def test_replicates_are_learned_from_by_workers(client: Client, tmp_path: Path) -> None:
    table = sb.read_network("asia").sample(400, seed=1)
    folder = _write(table, tmp_path / "rows", random.Random(1))
    right = sb.bootstrap(table, replicates=8, seed=3)
    told: list[tuple[int, int]] = []
    found = sb.bootstrap(
        folder,
        replicates=8,
        seed=3,
        client=client,
        checkpoint=tmp_path / "kept",
        progress=lambda *own: told.append(own),
    )
    assert found.graphs == right.graphs
    assert found.learned == right.learned
    assert told == [(done, 8) for done in range(1, 9)]


def test_the_command_learns_the_same(client_here: Client, tmp_path: Path) -> None:
    folder = _write(sb.read_network("asia").sample(500, seed=1), tmp_path / "rows", random.Random(1))
    address = client_here.scheduler_info()["address"]
    for name, options in (("here", []), ("there", ["--dask", address])):
        app(["learn", str(folder), "--out", str(tmp_path / name), "--quiet", *options], standalone_mode=False)
    assert (tmp_path / "here").read_text() == (tmp_path / "there").read_text()


def test_a_checkpoint_of_one_goes_on_with_the_other(client_here: Client, tmp_path: Path) -> None:
    folder = _write(sb.read_network("asia").sample(500, seed=1), tmp_path / "rows", random.Random(1))
    right = sb.learn(folder, "tabu-stable")
    sb.learn(folder, "tabu-stable", max_iter=1, checkpoint=tmp_path / "search", client=client_here)
    found = sb.learn(folder, "tabu-stable", checkpoint=tmp_path / "search", resume=True)
    _assert_same_result(found, right)


def test_what_a_worker_does_not_survive_is_told_of(client_here: Client) -> None:
    parts = Partitions.of(DaskCluster(client_here), [1, 2, 3])
    with pytest.raises(DataError, match="column 'a' is broken"):
        list(parts.each(_broken))
    assert sorted(parts.each(_itself)) == [1, 2, 3]


def _itself(part: int) -> int:
    return part


def _broken(part: int) -> int:
    raise DataError(f"column 'a' is broken{part and ''}")


def test_what_nobody_waits_for_any_more_is_taken_back(client_here: Client) -> None:
    go_on = distributed.Event("go on", client_here)
    parts = Partitions.of(DaskCluster(client_here), [False, True])
    assert len(parts.in_order(_itself)) == 2
    answers = parts.one_by_one(_waiting)
    try:
        assert next(answers) == (0, False)
        [waited_for] = [key for key, own in client_here.futures.items() if own.status == "pending"]
    finally:
        # So Ctrl-C leaves it too.
        answers.close()  # type: ignore[attr-defined]
        left = set(client_here.futures)
        go_on.set()
    assert waited_for not in left


def _waiting(part: bool) -> bool:
    if part:
        distributed.Event("go on").wait()
    return part


def test_ctrl_c_returns_what_the_search_has(
    client_here: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A step at a time.
    monkeypatch.setattr(import_module("stablebn.search.hill_climbing"), "_SECONDS_AT_ONCE", 1e-9)
    folder = _write(sb.read_network("asia").sample(400, seed=1), tmp_path / "rows", random.Random(1))

    def interrupt(stage: str, count: int) -> None:
        # Once there is a search.
        if stage not in ("reading", "encoding", "counting", "ordering", "telling columns apart") and count == 2:
            signal.raise_signal(signal.SIGINT)

    result = sb.learn(folder, "hc", threads=1, client=client_here, progress=interrupt)
    assert not result.finished
    assert result.warnings[-1].code == "interrupted"
    assert client_here.submit(_itself, 5).result() == 5


def test_parts_that_no_worker_survives_are_told_of() -> None:
    import dask

    # Dask would try so many workers more.
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        _started(1) as cluster,
        distributed.Client(cluster) as client,
    ):
        parts = Partitions.of(DaskCluster(client), [1])
        with pytest.raises(DataError, match=r"have died again and again .* short of memory"):
            list(parts.each(_deadly))
        assert list(parts.each(_itself)) == [1]


def _deadly(part: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return part


def test_answers_are_added_up_by_each_worker(client_here: Client) -> None:
    parts = Partitions.of(DaskCluster(client_here), range(20))
    sums = list(parts.reduced(sum, _itself))
    assert sum(sums) == 190
    assert len(sums) == 2


def test_what_cannot_be_is_refused(client_here: Client, tmp_path: Path) -> None:
    folder = _write(sb.read_network("asia").sample(50, seed=1), tmp_path / "rows", random.Random(1))
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    learn = partial(sb.learn, client=client_here)
    for source, options, told in (
        (tmp_path / "table.csv", {}, "reads Parquet and Arrow files, and '.*csv' is none"),
        ({"a": [1, 2]}, {}, "reads Parquet and Arrow files or a Dask dataframe, not dict"),
        (folder, {"engine": "gpu"}, "client= goes with engine=\"dask\", not with engine='gpu'"),
        (folder, {"cache": tmp_path / "cache"}, "cache= goes with memory="),
        (folder, {"sep": ";"}, "sep= is for text files"),
        (folder, {"discretise": "quantile"}, "discretise= needs all values of a column at once"),
        (folder, {"weights": [1] * 50}, "weights= .* must be the name of one of its columns"),
        (tmp_path / "none", {}, "there is no file '.*none'"),
        (f"{tmp_path}/none-*.parquet", {}, "there is no file '.*none-.*': check the pattern"),
    ):
        with pytest.raises((DataError, OptionError), match=told):
            learn(source, **options)


def test_files_that_change_meanwhile_are_told_of(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(sb.read_network("asia").sample(50, seed=1), path)
    found = parts_of_files(str(path))
    assert next(open_file_parts(found.parts).parts(list(found.types), 100))["smoke"].length() == 50
    pq.write_table(sb.read_network("asia").sample(50, seed=2), path)
    with pytest.raises(DataError, match=r"files changed while the program was reading them: '.*rows.parquet'"):
        open_file_parts(found.parts)


def test_other_types_in_partitions_are_told_of(client_here: Client) -> None:
    import pandas as pd
    from dask.delayed import delayed

    parts = [pd.DataFrame({"a": ["x", "y"] * 20, "b": own}) for own in ([1, 2] * 20, ["p", "q"] * 20)]
    frame = frames.from_delayed([delayed(own) for own in parts], verify_meta=False)
    with pytest.raises(DataError, match="column 'b' has different types in partitions"):
        sb.learn(frame, client=client_here)


@pytest.mark.parametrize(
    ("given", "told"),
    [("tcp://127.0.0.1:9", "no Dask scheduler answers"), (7, "must be a distributed.Client, or the address")],
)
def test_a_client_that_is_none_is_refused(given: object, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stablebn.prepare.dask.workers._SECONDS_TO_CONNECT", 1)
    with pytest.raises(OptionError, match=told):
        cluster_of(given)


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"stablebn\[dask\]"):
        sb.learn("rows", engine="dask")
