"""Draws belong to rows: the same for ever, each row with its exact chance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from stablebn.canonical.row_draws import _below, drawn_counts


def _philox(key: tuple[int, int], n: int) -> list[int]:
    """Philox 4x64 with 10 rounds (Salmon, Moraes, Dror and Shaw 2011), counters 1, 2, ..., in plain integers."""
    mask = (1 << 64) - 1
    found: list[int] = []
    while len(found) < n:
        x = [len(found) // 4 + 1, 0, 0, 0]
        a, b = key
        for _ in range(10):
            first, second = x[0] * 0xD2E7470EE14C6C93, x[2] * 0xCA5A826395121157
            x = [second >> 64 ^ x[1] ^ a, second & mask, first >> 64 ^ x[3] ^ b, first & mask]
            a, b = (a + 0x9E3779B97F4A7C15) & mask, (b + 0xBB67AE8584CAA73B) & mask
        found += x
    return found[:n]


@pytest.mark.parametrize(("seed", "replicate"), [(0, 0), (0, 1), (1, 0), (2**63 - 1, 12345)])
def test_draws_are_those_of_the_generator_as_published(seed: int, replicate: int) -> None:
    places = [own % 13 for own in _philox((seed, replicate), 13)]
    drawn = drawn_counts(np.ones(13, dtype=np.int64), seed, replicate)
    assert drawn.tolist() == [places.count(place) for place in range(13)]


@pytest.mark.parametrize("counts", [[1] * 12, [3, 1, 0, 5, 1], [7], []])
def test_as_many_rows_are_drawn_as_there_are(counts: list[int]) -> None:
    own = np.array(counts, dtype=np.int64)
    for replicate in range(20):
        drawn = drawn_counts(own, 5, replicate)
        assert drawn.sum() == sum(counts)
        assert not drawn[own == 0].any()


def test_equal_rows_are_drawn_as_if_they_were_told_apart() -> None:
    together, apart = np.array([2, 3, 1], dtype=np.int64), np.ones(6, dtype=np.int64)
    for replicate in range(50):
        each = drawn_counts(apart, 1, replicate)
        assert drawn_counts(together, 1, replicate).tolist() == [each[:2].sum(), each[2:5].sum(), each[5]]


def test_more_than_a_block_is_drawn_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = np.array([400, 300, 300], dtype=np.int64)
    whole = drawn_counts(counts, 0, 0)
    monkeypatch.setattr("stablebn.canonical.row_draws._BLOCK", 7)
    assert drawn_counts(counts, 0, 0).tolist() == whole.tolist()


def test_every_row_has_its_chance() -> None:
    counts = np.array([1, 2, 3, 4, 10, 30], dtype=np.int64)
    draws = np.array([drawn_counts(counts, 3, replicate) for replicate in range(4000)])
    expected = counts * len(draws)
    statistic = float(((draws.sum(axis=0) - expected) ** 2 / expected).sum())
    assert 0.001 < chi2.sf(statistic, df=len(counts) - 1) < 0.999
    # Multinomial: the variance of a count is N p (1 - p), of two the covariance is -N p q.
    p = counts / counts.sum()
    covariance = counts.sum() * (np.diag(p) - np.outer(p, p))
    assert np.abs(np.cov(draws.T) - covariance).max() < 0.7


def test_replicates_have_nothing_to_do_with_each_other() -> None:
    ones = np.ones(2000, dtype=np.int64)
    draws = np.array([drawn_counts(ones, seed, replicate) for seed in range(3) for replicate in range(10)])
    correlations = np.corrcoef(draws)
    assert np.abs(correlations[np.triu_indices(len(draws), 1)]).max() < 4 / np.sqrt(2000)


def test_what_would_spoil_the_odds_is_left_out() -> None:
    # 2**64 is 1 more than a multiple of 3: without its last value all three are as likely.
    last = (1 << 64) - 1
    assert _below(3, np.array([last - 1, last, 4], dtype=np.uint64)).tolist() == [2, 1]
    assert _below(4, np.array([last], dtype=np.uint64)).tolist() == [3]
