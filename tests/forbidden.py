"""Arcs to forbid: at random, or by tiers."""

from __future__ import annotations

import random
from itertools import combinations, permutations


def random_forbidden(seed: int | str, n: int, share: float) -> list[tuple[int, int]]:
    """About a share of all arcs between n variables."""
    rng = random.Random(f"{seed}: forbidden")
    return [arc for arc in permutations(range(n), 2) if rng.random() < share]


def against_tiers(seed: int | str, n: int, tiers: int) -> list[tuple[int, int]]:
    """The arcs from a later to an earlier tier, each variable in one at random."""
    rng = random.Random(f"{seed}: tiers")
    tier = [rng.randrange(tiers) for _ in range(n)]
    return [(u, v) for u, v in permutations(range(n), 2) if tier[u] > tier[v]]


def random_pairs(seed: int | str, n: int, share: float) -> list[tuple[int, int]]:
    """About a share of all pairs of n variables, forbidden both ways."""
    rng = random.Random(f"{seed}: pairs")
    pairs = [pair for pair in combinations(range(n), 2) if rng.random() < share]
    return [arc for u, v in pairs for arc in ((u, v), (v, u))]


def drawn_forbidden(seed: int | str, n: int) -> list[tuple[int, int]]:
    """Two or three tiers, few forbidden arcs or many, forbidden pairs, or both of these."""
    way = random.Random(f"{seed}: way").randrange(6)
    if way < 2:
        return against_tiers(seed, n, way + 2)
    arcs = random_forbidden(seed, n, (0.1, 0.4, 0.0, 0.2)[way - 2])
    return [*arcs, *(arc for arc in random_pairs(seed, n, (0.0, 0.0, 0.4, 0.2)[way - 2]) if arc not in arcs)]
