"""A table with too many variables for the memory is refused before anything is allocated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.preparing import prepare

import stablebn as sb
from stablebn.errors import DataError, OptionError
from stablebn.learners.shared import memory_estimate as memory
from stablebn.learners.shared import problem

TABLES: Mapping[str, Any] = {
    kind: sb.random_network(12, kinds=kind, seed=1).sample(30, seed=1)
    for kind in ("categorical", "continuous", "mixed")
}


@pytest.mark.parametrize("kind", TABLES)
def test_too_many_variables_are_refused_with_an_estimate(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_NEVER_CHECKED", 0)
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)

    def counted(*arguments: object, **options: object) -> None:
        raise AssertionError("counted, though there is no room")

    monkeypatch.setattr(problem, "statistics_of", counted)
    with pytest.raises(
        DataError, match=r"12 variables need about .* GiB of memory, and .* GiB are available.*columns or drop"
    ):
        sb.learn(TABLES[kind], "tabu-stable")


def test_the_estimate_grows_with_the_square_of_the_variables() -> None:
    [few, many] = (
        memory.bytes_needed(prepare(sb.random_network(n, seed=1).sample(200, seed=1)).table) for n in (10, 20)
    )
    assert many == 4 * few
    # 20,000 columns do not fit into 8 GiB.
    assert few * 2000**2 > 8 << 30


@pytest.mark.parametrize("kind", TABLES)
def test_a_failed_allocation_is_an_error_that_says_what_to_do(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise MemoryError("std::bad_alloc")

    monkeypatch.setattr(problem, "statistics_of", fail)
    with pytest.raises(DataError, match="12 variables need about"):
        sb.learn(TABLES[kind], "tabu-stable")


def test_enough_memory_is_never_too_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_NEVER_CHECKED", 0)
    for available in (None, 1 << 40):
        monkeypatch.setattr(memory, "available_memory", lambda available=available: available)
        assert sb.learn(TABLES["categorical"], "tabu-stable").finished


def test_what_the_system_says_is_a_number_of_bytes() -> None:
    available = memory.available_memory()
    assert available is None or available > 0


def test_a_random_network_has_a_bound() -> None:
    with pytest.raises(OptionError, match=r"at most 20,000 nodes; n=1,000,000,000"):
        sb.random_network(10**9, seed=1)
    with pytest.raises(OptionError, match="fewer levels"):
        sb.random_network(30, density=9.0, levels=1000, max_parents=9, seed=1)
