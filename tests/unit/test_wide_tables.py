"""Scoring and fitting a graph over very many columns takes time in proportion to them, or is refused at once."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import stablebn as sb
from stablebn import api
from stablebn.learners import memory
from stablebn.networks import fitting
from stablebn.stats.moments import Moments

COLUMNS = 6_000


def _wide(kinds: str) -> pa.Table:
    random = np.random.default_rng(1)
    own = {"categorical": ["c"], "continuous": ["x"], "mixed": ["c", "x"]}[kinds]
    columns = {
        f"{kind}{i}": random.permutation(["a", "a", "b", "b", "b"]) if kind == "c" else random.normal(size=5)
        for kind in own
        for i in range(COLUMNS // len(own))
    }
    return pa.table(columns)


@pytest.mark.parametrize("kinds", ["categorical", "continuous", "mixed"])
def test_a_sparse_graph_of_many_columns_is_fitted_soon(kinds: str) -> None:
    table = _wide(kinds)
    names = table.column_names
    began = time.process_time()
    network = sb.fit([(names[0], names[1])], table)
    assert len(network.nodes) == COLUMNS
    # All pairs of columns took ten seconds and three gigabytes.
    assert time.process_time() - began < 5


def test_many_categorical_columns_are_scored_soon() -> None:
    table = _wide("categorical")
    names = table.column_names
    began = time.process_time()
    assert sb.score([(names[0], names[1])], table).total < 0
    assert time.process_time() - began < 4


@pytest.mark.parametrize("kinds", ["continuous", "mixed"])
@pytest.mark.parametrize("do", ["score", "learn"])
def test_too_many_pairs_for_the_memory_are_refused_before_any_is_made(
    kinds: str, do: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError("pairs are made, though there is no room")

    monkeypatch.setattr(memory, "_LITTLE", 0)
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    monkeypatch.setattr(api, "forbidden_by_kind", refuse)
    table = sb.random_network(6, kinds=kinds, seed=1).sample(200, seed=1)
    arguments: list[Any] = [[], table] if do == "score" else [table, "tabu"]
    with pytest.raises(sb.DataError, match=r"6 variables need about .* of memory"):
        getattr(sb, do)(*arguments)


@pytest.mark.parametrize("kinds", ["continuous", "mixed"])
def test_families_by_themselves_and_all_pairs_give_the_same_parameters(
    kinds: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = sb.random_network(8, kinds=kinds, seed=3)
    table = network.sample(300, seed=1)
    made = []

    class Recorded(Moments):
        def __init__(self, rows: Any, **options: Any) -> None:
            made.append(len(rows.names))
            super().__init__(rows, **options)

    monkeypatch.setattr(fitting, "Moments", Recorded)
    of_columns = fitting._Columns.__init__
    fitted = []
    for products in (0, 1 << 20):
        with monkeypatch.context() as patched:
            # Whatever the graph needs.
            patched.setattr(fitting._Columns, "__init__", lambda self, own, _, n=products: of_columns(self, own, n))
            fitted.append(sb.fit(network.dag, table))
    assert fitted[0] == fitted[1]
    assert len(set(made)) > 1
