"""Which arcs an equally good DAG of the class reverses: beside brute force over all DAGs of the class."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import pytest

from stablebn.errors import GraphError
from stablebn.graph import DAG
from stablebn.search import Constraints, reversible
from stablebn.search.reversible import reversibility
from stablebn.stats.variable_sets import bit, members

N = 5


class _DrawnScores:
    """Scores of families drawn from a few values, so that many DAGs score the same; few families are no candidates."""

    score_equivalent = False

    def __init__(self, seed: str, values: int) -> None:
        self._seed, self._values = seed, values
        self.scored = 0

    def is_candidate(self, v: int, parents: int) -> bool:
        return random.Random(f"{self._seed} candidate {v} {parents}").random() < 0.9

    def cached_family(self, v: int, parents: int) -> int:
        self.scored += 1
        return random.Random(f"{self._seed} {v} {parents}").randrange(self._values)


def _drawn_dag(rng: random.Random) -> list[int]:
    order = rng.sample(range(N), N)
    return [sum(bit(u) for u in range(N) if order.index(u) < order.index(v) and rng.random() < 0.55) for v in range(N)]


def _arcs(parents: Sequence[int]) -> list[tuple[int, int]]:
    return [(u, v) for v, family in enumerate(parents) for u in members(family)]


def _class(parents: Sequence[int], constraints: Constraints | None) -> Iterator[list[int]]:
    """All DAGs of the class that obey."""
    arcs, cpdag = _arcs(parents), DAG(range(N), _arcs(parents)).cpdag()
    for turned in product((False, True), repeat=len(arcs)):
        families = [0] * N
        for (u, v), turn in zip(arcs, turned, strict=True):
            families[u if turn else v] |= bit(v if turn else u)
        try:
            same = DAG(range(N), _arcs(families)).cpdag() == cpdag
        except GraphError:
            continue
        if same and (constraints is None or _obeys(families, constraints)):
            yield families


def _obeys(families: Sequence[int], constraints: Constraints) -> bool:
    return all(constraints.allows(u, v) for u, v in _arcs(families)) and all(
        constraints.has_room(v, family.bit_count()) for v, family in enumerate(families)
    )


def _drawn_constraints(rng: random.Random, dag: Sequence[int]) -> Constraints:
    """Some that a DAG obeys."""
    arcs = _arcs(dag)
    forbidden = [(v, u) for u, v in arcs if rng.random() < 0.15]
    most = {v: dag[v].bit_count() for v in range(N) if rng.random() < 0.3}
    return Constraints.of(N, forbidden=forbidden, most_parents=most)


@pytest.mark.parametrize("constrained", [False, True])
def test_an_arc_is_reversible_if_a_dag_of_the_class_that_scores_no_less_reverses_it(constrained: bool) -> None:
    several = 0
    for seed in range(150):
        rng = random.Random(f"reversible {seed}")
        dag = _drawn_dag(rng)
        constraints = _drawn_constraints(rng, dag) if constrained else None
        scores: Any = _DrawnScores(f"{seed}", 2 + seed % 3)

        def score(families: Sequence[int], scores: Any = scores) -> int | None:
            if not all(map(scores.is_candidate, range(N), families)):
                return None
            return int(sum(map(scores.cached_family, range(N), families)))

        own = score(dag)
        if own is None:
            continue
        expected = {
            (u, v)
            for families in _class(dag, constraints)
            if (other := score(families)) is not None and other >= own
            for u, v in _arcs(dag)
            if families[u] >> v & 1
        }
        found = reversibility(dag, scores, constraints)
        assert set(found.reversible) == expected
        assert found.undetermined == ()
        alone = {(u, v) for u, v in expected if dag[v] == dag[u] | bit(u)}
        several += alone != expected
    # Not only arcs that can be reversed alone.
    assert several > 5


@pytest.mark.parametrize("limit", ["MOST_ARCS_READ", "MOST_FAMILIES"])
def test_the_work_is_bounded_and_what_is_left_is_not_determined(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    n = 9
    clique = [bit(v) - 1 for v in range(n)]

    class FirstOrderIsBest(_DrawnScores):
        def is_candidate(self, v: int, parents: int) -> bool:
            return True

        def cached_family(self, v: int, parents: int) -> int:
            self.scored += 1
            return int(parents == clique[v])

    scores: Any = FirstOrderIsBest("clique", 2)
    monkeypatch.setattr(reversible, limit, 200)
    found = reversibility(clique, scores, None)
    assert (found.reversible, len(found.undetermined)) == ((), n * (n - 1) // 2)
    assert scores.scored <= 200 + n
