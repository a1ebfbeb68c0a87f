from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.tables import Columns, renamed, shuffled

import stablebn as sb
from stablebn.errors import OptionError

ASIA: Columns = sb.read_network("asia").sample(200, seed=1).to_pydict()


def _numbers(seed: int, rows: int = 60) -> Columns:
    rng = np.random.default_rng(seed)
    values: list[Any] = []
    for _ in range(6):
        values.append(rng.normal(size=rows) + sum((own for own in values if rng.random() < 0.4), np.zeros(rows)))
    return {f"x{v}": own.tolist() for v, own in enumerate(values)}


@pytest.mark.parametrize(
    ("data", "base", "options"),
    [
        (ASIA, "fges", {}),
        (ASIA, "fges", {"score": "bde", "iss": 3}),
        (ASIA, "tabu-stable", {"score": "k2", "max_parents": 3}),
        (_numbers(1), "fges", {}),
        (_numbers(2), "fges", {"prior": "size"}),
    ],
)
def test_graph_is_learned_among_the_edges_of_most_bootstrap_graphs(
    data: Any, base: Any, options: dict[str, Any]
) -> None:
    samples = sb.bootstrap(data, base, replicates=9, seed=4, threads=1, **options)
    joined = Counter(frozenset(edge) for graph in samples.graphs if graph for edge in graph.skeleton())
    kept = {edge for edge, count in joined.items() if 2 * count > 9}
    nodes = samples.learned.nodes
    forbidden = [arc for arc in permutations(nodes, 2) if frozenset(arc) not in kept]
    among = sb.learn(data, base, forbidden=forbidden, **options)
    found = sb.learn(data, "averaged", resamples=9, resample_seed=4, **options)
    assert set(found.pdag.skeleton()) == set(among.pdag.skeleton())
    assert found.score == among.score
    assert found.dag is not None
    assert found.finished
    if base == "fges":
        assert found.cpdag == found.dag.cpdag()


@pytest.mark.parametrize("data", [ASIA, _numbers(3)], ids=["categorical", "continuous"])
def test_layout_names_and_threads_change_nothing(data: Any) -> None:
    whole = sb.learn(data, "averaged", resamples=5, threads=1)
    other, names = renamed(shuffled(data, 3), 4)
    found = sb.learn(other, "averaged", resamples=5, threads=2)
    assert (found.score, found.fingerprint) == (whole.score, whole.fingerprint)
    assert {(names[u], names[v]) for u, v in found.arcs} == set(whole.arcs)


def test_seed_and_number_of_samples_belong_to_the_answer() -> None:
    table = _numbers(5, rows=25)
    found = {
        sb.learn(table, "averaged", resamples=count, resample_seed=seed).fingerprint
        for count in (1, 5)
        for seed in range(6)
    }
    assert len(found) > 1
    one = sb.learn(table, "averaged", resamples=1, resample_seed=2)
    assert one == sb.learn(table, "averaged", resamples=1, resample_seed=2)
    assert one.config["resamples"] == 1


def test_required_arcs_stay_and_forbidden_ones_stay_away() -> None:
    free = sb.learn(ASIA, "averaged", resamples=5)
    away = next(iter(free.arcs))
    found = sb.learn(ASIA, "averaged", resamples=5, required=[("asia", "xray")], forbidden=[away, away[::-1]])
    assert ("asia", "xray") in found.arcs
    assert not found.pdag.adjacent(*away)


def test_missing_values_are_used_as_the_score_uses_them() -> None:
    columns: dict[Any, Any] = {name: list(column) for name, column in ASIA.items()}
    columns["smoke"][::7] = [None] * len(columns["smoke"][::7])
    assert sb.learn(columns, "averaged", missing="available", resamples=3).score is not None


def test_rows_on_disk_are_fetched_if_they_fit(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    columns = {f"x{v}": rng.normal(size=1_100_000) for v in range(2)}
    pq.write_table(pa.table(columns), tmp_path / "rows.parquet", row_group_size=20_000)
    with pytest.raises(OptionError, match='algorithm="averaged" needs all rows in memory'):
        sb.learn(tmp_path / "rows.parquet", "averaged", memory="16 MiB")
    pq.write_table(pa.table(ASIA), tmp_path / "asia.parquet")
    path = tmp_path / "asia.parquet"
    assert (
        sb.learn(path, "averaged", resamples=3, memory="16 MiB").score == sb.learn(path, "averaged", resamples=3).score
    )


def test_time_that_is_up_leaves_a_graph_and_says_so(tmp_path: Path, time_is_up: dict[str, Any]) -> None:
    found = sb.learn(ASIA, "averaged", checkpoint=tmp_path / "averaged", **time_is_up)
    assert not found.finished
    assert found.dag is not None


@pytest.mark.parametrize("threads", [1, 3])
def test_search_goes_on_from_a_checkpoint(tmp_path: Path, threads: int) -> None:
    path = tmp_path / "checkpoint"
    whole = sb.learn(ASIA, "averaged", resamples=8)
    told = 0

    def stop(stage: str, _: int) -> None:
        nonlocal told
        told += stage == "samples"
        if told == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sb.learn(ASIA, "averaged", resamples=8, checkpoint=path, progress=stop, threads=threads)
    told = 10
    assert sb.learn(ASIA, "averaged", resamples=8, checkpoint=path, progress=stop, threads=threads) == whole
    assert told <= 10 + 8 - 3


@pytest.mark.parametrize("learn", ["averaged", "bootstrap"])
def test_signs_change_nothing_if_units_matter_and_columns_are_mirror_images(learn: str) -> None:
    # Every column equals its reflection, but a sample of its rows does not: then bge depends on the zero point.
    design = np.array([[3, 8, 8, 3], [8, 8, 3, 3], [3, 3, 8, 8], [3, 8, 3, 8]]) / 10

    def graphs(*signs: int) -> Any:
        table = {name: (own * sign).tolist() for name, own, sign in zip("abcd", design, signs, strict=True)}
        options: Any = {"score": "bge", "kinds": "continuous", "max_parents": 3}
        if learn == "bootstrap":
            return sb.bootstrap(table, "fges", replicates=6, **options).graphs
        return sb.learn(table, "averaged", resamples=3, **options).pdag

    there = graphs(1, 1, 1, 1)
    assert [graphs(1, -1, 1, -1), graphs(1, 1, -1, 1), graphs(-1, 1, 1, 1)] == [there] * 3
