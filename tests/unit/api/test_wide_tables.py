"""A graph over very many columns is scored and fitted without work for all pairs of them, or refused at once."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

import stablebn as sb
from stablebn.learners.shared import memory_estimate as memory
from stablebn.networks import fit as fitting
from stablebn.prepare.prepared import Prepared
from stablebn.stats.moments import Moments

COLUMNS = 60


@pytest.fixture
def moments_made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Of how many columns each moments were that `fit` has made."""
    made: list[int] = []

    class Recorded(Moments):
        def __init__(self, rows: Any, **options: Any) -> None:
            made.append(len(rows.names))
            super().__init__(rows, **options)

    monkeypatch.setattr(fitting, "Moments", Recorded)
    return made


def _looks_at(owner: type, name: str, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count how often a property is computed: it goes through all columns."""
    looks: list[int] = []
    own = vars(owner)[name]

    def counted(holder: object) -> object:
        looks.append(1)
        return own.fget(holder)

    monkeypatch.setattr(owner, name, property(counted))
    return looks


@pytest.mark.parametrize("kinds", ["continuous", "mixed"])
def test_a_sparse_graph_is_fitted_without_products_of_all_pairs(kinds: str, moments_made: list[int]) -> None:
    network = sb.random_network(COLUMNS, kinds=kinds, seed=1)
    sb.fit(network.dag, network.sample(200, seed=1))
    largest_family = 1 + max(len(network.dag.parents(node)) for node in network.nodes)
    assert 1 < max(moments_made) <= largest_family < COLUMNS


@pytest.mark.parametrize("do", ["score", "fit"])
@pytest.mark.parametrize(("owner", "name"), [(sb.DAG, "nodes"), (Prepared, "aside")])
def test_no_list_of_all_columns_is_made_for_every_column(
    do: str, owner: type, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = sb.random_network(COLUMNS, seed=1)
    table = network.sample(200, seed=1)
    looks = _looks_at(owner, name, monkeypatch)
    getattr(sb, do)(network.dag, table)
    assert len(looks) < COLUMNS // 2


@pytest.mark.parametrize("kinds", ["continuous", "mixed"])
@pytest.mark.parametrize("do", ["score", "learn"])
def test_too_many_pairs_for_the_memory_are_refused_before_any_is_made(
    kinds: str, do: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError("pairs are made, though there is no room")

    monkeypatch.setattr(memory, "_NEVER_CHECKED", 0)
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    for caller in ("build_problem", "score"):
        monkeypatch.setattr(import_module(f"stablebn.api.{caller}"), "forbidden_by_kind", refuse)
    table = sb.random_network(6, kinds=kinds, seed=1).sample(200, seed=1)
    arguments: list[Any] = [[], table] if do == "score" else [table, "tabu"]
    with pytest.raises(sb.DataError, match=r"6 variables need about .* of memory"):
        getattr(sb, do)(*arguments)


@pytest.mark.parametrize("kinds", ["continuous", "mixed"])
def test_families_by_themselves_and_all_pairs_give_the_same_parameters(
    kinds: str, moments_made: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    network = sb.random_network(8, kinds=kinds, seed=3)
    table = network.sample(300, seed=1)
    of_columns = fitting._FittedColumns.__init__
    fitted = []
    for products in (0, 1 << 20):
        with monkeypatch.context() as patched:
            # Whatever the graph needs.
            patched.setattr(
                fitting._FittedColumns, "__init__", lambda self, own, _, n=products: of_columns(self, own, n)
            )
            fitted.append(sb.fit(network.dag, table))
    assert fitted[0] == fitted[1]
    assert len(set(moments_made)) > 1
