"""What is known of a graph: arcs to forbid, at random or by tiers, arcs to require, and the most parents of some."""

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


Arcs = list[tuple[int, int]]


def drawn_knowledge(seed: int | str, n: int, most_required: int = 2) -> tuple[Arcs, Arcs, dict[int, int]]:
    """Forbidden arcs, required arcs, and the most parents of some variables, each in half the cases; some DAG obeys.

    No variable has more than so many required parents.
    """
    forbidden = drawn_forbidden(seed, n) if random.Random(f"{seed}: forbids").random() < 0.6 else []
    required = (
        drawn_required(seed, n, forbidden, most_required) if random.Random(f"{seed}: requires").random() < 0.7 else []
    )
    if random.Random(f"{seed}: limits").random() < 0.5:
        return forbidden, required, {}
    rng = random.Random(f"{seed}: most")
    limits = {v: rng.choice((0, 1, 1, 2, 3)) for v in range(n) if rng.random() < 0.5}
    must = {v: sum(child == v for _, child in required) for v in limits}
    return forbidden, required, {v: max(most, must[v]) for v, most in limits.items()}


def drawn_required(seed: int | str, n: int, forbidden: Arcs, most: int = 2) -> Arcs:
    """A few arcs of a DAG without forbidden ones, in no order."""
    rng = random.Random(f"{seed}: required")
    order = rng.sample(range(n), n)
    arcs = [(order[i], order[j]) for j in range(n) for i in rng.sample(range(j), min(j, most))]
    share = rng.choice((0.15, 0.4, 0.8))
    found = [arc for arc in arcs if arc not in forbidden and rng.random() < share]
    return rng.sample(found, len(found))
