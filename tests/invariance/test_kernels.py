"""The engine that counts cannot matter: every kernel, forced, gives the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from tests.shared import golden, needs_shared, oracle_cases, sample
from tests.tables import categorical_columns, random_categorical_table

import stablebn as sb
from stablebn.kernels.logarithm import m_ln_m_table
from stablebn.scores import set_terms
from stablebn.stats import counts
from stablebn.stats.counts import Counts

FORCED = {"histogram": -1, "bits": 10**9}


@pytest.mark.parametrize("rows", [3, 63, 64, 65, 1000])
@pytest.mark.parametrize("levels", [2, 5, 12])
@pytest.mark.parametrize("priors", [False, True])
def test_bits_and_histogram_sum_to_the_same_integers(
    rows: int, levels: int, priors: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = random_categorical_table(np.random.default_rng(rows + levels), 6, rows, levels)
    options = {"priors": np.linspace(0.1, 3, 6)} if priors else {"table": m_ln_m_table(rows + 1)}
    for base in ([], [2], [2, 4], [0, 2, 4]):
        candidates = np.array([v for v in range(6) if v not in base])
        found = []
        for most_cells in FORCED.values():
            monkeypatch.setattr(counts, "MOST_CELLS_FOR_BITS", most_cells)
            found.append(Counts(table).extension_sums(base, candidates, **options))
        assert np.array_equal(found[0], found[1])


@pytest.mark.parametrize("rows", [3, 64, 1000])
def test_bits_and_histogram_find_the_same_cells(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table = random_categorical_table(np.random.default_rng(rows), 5, rows, 4)
    found = []
    for most_cells in FORCED.values():
        monkeypatch.setattr(counts, "MOST_CELLS_FOR_BITS", most_cells)
        found.append(sorted(Counts(table).cells([0, 3, 4]).tolist()))
    assert found[0] == found[1]


@pytest.mark.parametrize("kernel", FORCED)
@pytest.mark.parametrize("dear_rows", [0, 10**9])
@pytest.mark.parametrize("threads", [1, 2])
def test_learning_is_the_same_with_every_kernel(
    kernel: str, dear_rows: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = categorical_columns(np.random.default_rng(5), 8, 400, levels=4)
    right = [sb.learn(columns, score=score) for score in ("bic", "bde", "k2")]
    monkeypatch.setattr(counts, "MOST_CELLS_FOR_BITS", FORCED[kernel])
    monkeypatch.setattr(counts, "_WORTH_A_THREAD", 0)
    monkeypatch.setattr(set_terms, "_DEAR_ROWS", dear_rows)
    for result in right:
        again = sb.learn(columns, score=result.config["score"], threads=threads)
        assert (again.arcs, again.score, again.trace) == (result.arcs, result.score, result.trace)


@needs_shared
@pytest.mark.parametrize("kernel", FORCED)
@pytest.mark.parametrize(("name", "rows"), [case for case in oracle_cases(0, 1000) if not case[0].endswith("_c")])
def test_oracle_is_reproduced_with_every_kernel(
    kernel: str, name: str, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts, "MOST_CELLS_FOR_BITS", FORCED[kernel])
    right = golden(f"oracle/{name}_{rows}.json")["algorithms"]["tabu-stable"]
    result = sb.learn(sample(name, rows))
    assert sorted(map(list, result.arcs)) == sorted(right["arcs"])
    assert result.score == pytest.approx(right["score"], rel=1e-9)
