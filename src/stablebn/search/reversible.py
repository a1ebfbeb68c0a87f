"""Find the arcs of a DAG that an equally good DAG of the same Markov equivalence class reverses.

Only a score that differs between the DAGs of a class needs this: otherwise the CPDAG has the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stablebn.fixed_point import to_float
from stablebn.graph import DAG
from stablebn.knowledge.constraints import Constraints
from stablebn.scores.base import CompiledScores
from stablebn.search.equivalence_classes import known_arcs
from stablebn.stats.variable_sets import bit, members

Arc = tuple[int, int]

MOST_ARCS_READ = 500_000
"""Most arcs of other DAGs that are compared; in a larger class some directions remain undetermined."""

MOST_FAMILIES = 1_000
"""Most families that are scored."""


@dataclass(frozen=True)
class Reversibility:
    """Which arcs of a DAG other DAGs of its class reverse; both tuples are sorted.

    Attributes
    ----------
    reversible : tuple of (from, to)
        Another DAG of the class that obeys the constraints reverses the arc, and `stablebn.score` gives it at least the
        same score. Scores that are equal as real numbers may differ in the last bits in fixed point.
    undetermined : tuple of (from, to)
        Some DAGs of the class were not compared, and none of the others reverses the arc.
    """

    reversible: tuple[Arc, ...]
    undetermined: tuple[Arc, ...]


def reversibility(parents: Sequence[int], scores: CompiledScores, constraints: Constraints | None) -> Reversibility:
    """Compare a DAG with the others of its class.

    The undirected edges of the CPDAG form components, which the DAGs of the class direct independently. So the
    components are searched one by one, small ones first.

    Parameters
    ----------
    parents : sequence of int
        Parent set of each variable.
    scores : CompiledScores
    constraints : Constraints or None
        The DAG obeys them.
    """
    comparison = _ScoredClass(parents, scores, constraints)
    reversible: list[Arc] = []
    undetermined: list[Arc] = []
    components = _undirected_components(parents, constraints)
    for component in sorted(components, key=lambda arcs: (len(arcs), arcs)):
        found, is_complete = comparison.reversed_in(component)
        reversible += [arc for arc in component if arc in found]
        if not is_complete:
            undetermined += [arc for arc in component if arc not in found]
    return Reversibility(tuple(sorted(reversible)), tuple(sorted(undetermined)))


class _ScoredClass:
    """Compares a DAG with others of its class, within the limits."""

    def __init__(self, parents: Sequence[int], scores: CompiledScores, constraints: Constraints | None) -> None:
        self._parents = parents
        self._scores = scores
        self._constraints = constraints
        self._scored: dict[Arc, int | None] = {}
        self._arcs_left = MOST_ARCS_READ
        own = list(map(self._local_score, range(len(parents)), parents))
        self._total = sum(score for score in own if score is not None)

    def reversed_in(self, component: Sequence[Arc]) -> tuple[set[Arc], bool]:
        """Return the arcs of a component that equally good DAGs reverse, and whether all DAGs were compared."""
        reversed_arcs: set[Arc] = set()
        least = self._score({v: self._parents[v] for arc in component for v in arc})
        for families in _directions_of(component, self._parents):
            if len(reversed_arcs) == len(component):
                return reversed_arcs, True
            self._arcs_left -= len(component)
            if self._arcs_left < 0 or len(self._scored) >= MOST_FAMILIES:
                return reversed_arcs, False
            score = self._score(families)
            if score is not None and (least is None or self._is_no_less(score - least)):
                reversed_arcs.update((u, v) for u, v in component if families[u] >> v & 1)
        return reversed_arcs, True

    def _is_no_less(self, difference: int) -> bool:
        """Return whether a score that differs by `difference` is no less than that of the given DAG, both as floats."""
        return difference >= 0 or to_float(self._total + difference) == to_float(self._total)

    def _score(self, families: dict[int, int]) -> int | None:
        """Return the sum of the scores of some families; None if one of them is not allowed."""
        total = 0
        for family in families.items():
            if family not in self._scored:
                self._scored[family] = self._local_score(*family)
            score = self._scored[family]
            if score is None:
                return None
            total += score
        return total

    def _local_score(self, v: int, family: int) -> int | None:
        """Return the score of a family; None if it is not allowed."""
        has_room = self._constraints is None or self._constraints.has_room(v, family.bit_count())
        if not has_room or not self._scores.is_candidate(v, family):
            return None
        return self._scores.cached_family(v, family)


def _undirected_components(parents: Sequence[int], constraints: Constraints | None) -> list[list[Arc]]:
    """Return the arcs of a DAG that are undirected in its CPDAG, by connected component, each sorted."""
    arcs = [(u, v) for v, family in enumerate(parents) for u in members(family)]
    known = [] if constraints is None else known_arcs(parents, constraints)
    undirected = {frozenset(edge) for edge in DAG(range(len(parents)), arcs).cpdag(known).undirected}
    components: list[tuple[int, list[Arc]]] = []
    for u, v in arcs:
        if frozenset((u, v)) in undirected:
            ends = bit(u) | bit(v)
            touching = [component for component in components if component[0] & ends]
            components = [component for component in components if not component[0] & ends]
            joined = [(u, v)]
            for variables, others in touching:
                ends |= variables
                joined += others
            components.append((ends, joined))
    return [sorted(component) for _, component in components]


def _directions_of(component: Sequence[Arc], parents: Sequence[int]) -> Iterator[dict[int, int]]:
    """Yield the families of a component's variables in every DAG of the class, starting with the given DAG.

    From one DAG of a class to another leads a sequence of reversals of covered arcs that the two do not have in common
    (Chickering 1995). So if two DAGs obey the constraints, all DAGs between them have allowed arcs only.
    """
    variables = sorted({end for arc in component for end in arc})
    start = tuple(parents[v] for v in variables)
    seen = {start}
    waiting = [start]
    for state in waiting:
        families = dict(zip(variables, state, strict=True))
        yield families
        for a, b in component:
            u, v = (a, b) if families[b] >> a & 1 else (b, a)
            if families[v] == families[u] | bit(u):
                turned = {**families, u: families[u] | bit(v), v: families[u]}
                other = tuple(turned[w] for w in variables)
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
