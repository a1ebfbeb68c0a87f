"""Constraints are made and renumbered set by set, not pair by pair: a wide mixed table has a million pairs."""

from __future__ import annotations

import random
from typing import Any

import pytest

import stablebn as sb
from stablebn.knowledge import constraints
from stablebn.search import Constraints


def _drawn(n: int) -> tuple[list[tuple[int, int]], list[int], dict[int, int]]:
    rng = random.Random(n)
    forbidden = [(u, v) for u in range(n) for v in range(n) if rng.random() < 0.3]
    return forbidden, rng.sample(range(n), n), {v: v for v in range(0, n, 3)}


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 64, 65])
def test_renumbered_constraints_allow_the_same_arcs(n: int) -> None:
    forbidden, numbers, most = _drawn(n)
    own = Constraints.of(n, forbidden=forbidden, most_parents=most)
    barred = {*forbidden}
    assert all(own.allows(u, v) == ((u, v) not in barred) for u in range(n) for v in range(1, n) if v % 3)
    assert own.renumbered(numbers) == Constraints.of(
        n,
        forbidden=[(numbers[u], numbers[v]) for u, v in forbidden],
        most_parents={numbers[v]: limit for v, limit in most.items()},
    )


def test_nothing_is_done_for_each_pair_of_a_mixed_table(monkeypatch: pytest.MonkeyPatch) -> None:
    made = 0

    def counted(*arguments: object) -> int:
        nonlocal made
        made += 1
        return 0

    forbidden, numbers, _ = _drawn(100)
    monkeypatch.setattr(constraints, "bit", counted)
    monkeypatch.setattr(constraints, "members", counted)
    Constraints.of(100, forbidden=forbidden).renumbered(numbers)
    assert made < 100


def test_pairs_that_only_knowledge_keeps_apart_are_not_looked_for_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    table = sb.random_network(6, kinds="mixed", seed=1).sample(200, seed=1)
    of = Constraints.of
    made = 0

    def counted(*arguments: Any, **options: Any) -> Constraints:
        nonlocal made
        made += 1
        return of(*arguments, **options)

    monkeypatch.setattr(Constraints, "of", counted)
    sb.learn(table, "hc")
    assert made == 1
