"""Candidate parent sets: of each variable the sets that can be its parents in some best DAG."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from stablebn import _core
from stablebn.fixed_point import integers, limbs
from stablebn.scores.families import CompiledScores
from stablebn.search.constraints import Constraints
from stablebn.stats.variable_sets import bit

logger = logging.getLogger(__name__)

# Seconds: no longer is Ctrl-C, or the end of the time, left unheard.
_SECONDS_AT_ONCE = 0.05

MOST_SCORED = 10_000_000
"""Parent sets that are scored at most unless more are asked for."""

MOST_FOUND = 50_000
"""Where more candidates than this have been found, larger sets are not looked at."""

# With no more, dynamic programming over subsets does not mind how many candidates there are.
_FEW_VARIABLES = 18


@dataclass(frozen=True)
class CandidateSets:
    """For each variable the parent sets that score more than all their subsets, among those that may be.

    A best DAG needs no others: if a subset of a variable's parents scores as much, the rest can be left out.

    Attributes
    ----------
    sets : tuple of tuples of int
        By variable, the best first: by decreasing score; of equal ones the smaller set first, and of equally large ones
        that with the smaller bits. The set of the required parents, mostly the empty one, is always among them.
    scores : tuple of tuples of int
        The scores of these families, in units of 2**-62.
    most_parents : int
        Sets of up to so many parents, besides the required ones, were looked at.
    complete : bool
        Whether no other set can be a candidate. If not, the limit on sets or the time was met.
    beyond : tuple of int or None
        Where they are not complete: by variable, an upper bound of the scores of all sets that were not looked at, in
        the same units; None where no bound is known.
    scored : int
        Number of sets that were scored.
    """

    sets: tuple[tuple[int, ...], ...]
    scores: tuple[tuple[int, ...], ...]
    most_parents: int
    complete: bool
    beyond: tuple[int | None, ...] = field(default=())
    scored: int = 0

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.sets)

    def __len__(self) -> int:
        """Number of sets of all variables, empty ones included."""
        return sum(map(len, self.sets))

    def with_families(self, parents: Sequence[int], scores: CompiledScores) -> CandidateSets:
        """The same with the families of a DAG, unless a subset of their parents scores as much.

        Where candidates are complete, it has no others.
        """
        if self.complete:
            return self
        sets, own_scores = list(self.sets), list(self.scores)
        for v, family in enumerate(parents):
            score = scores.family(v, family)
            if any(not of & ~family and score <= own for of, own in zip(sets[v], own_scores[v], strict=True)):
                continue
            more = [*zip(own_scores[v], sets[v], strict=True), (score, family)]
            sets[v], own_scores[v] = _by_score(more)
        return replace(self, sets=tuple(sets), scores=tuple(own_scores))


def candidate_sets(
    scores: CompiledScores,
    *,
    max_parents: int | None = None,
    constraints: Constraints | None = None,
    within: int | None = None,
    most_scored: int = MOST_SCORED,
    time_is_up: Callable[[], bool] | None = None,
    watch: Callable[[str, int], None] | None = None,
) -> CandidateSets:
    """Find every parent set that scores more than all its subsets, level by level.

    Sets are scored in batches by the core. Bounds spare the looking at most of them (`src/core/likelihood_bounds.hpp`,
    `DirichletScores::most_with_more`); of scores without a bound (bge, those of mixed data and of tables with holes)
    all sets of up to `max_parents` are looked at.

    Parameters
    ----------
    scores : CompiledScores
    max_parents : int, optional
        Most parents of a variable of which the constraints say nothing; as many as there are by default.
    constraints : Constraints, optional
        What a graph must obey. Sets without required parents are no candidates.
    within : int, optional
        Every set that can be in a DAG within this margin of a best one, in units of 2**-62: all that score no less than
        each of their subsets less the margin (the proof is in `src/core/candidates.hpp`). By default those that score
        more than all their subsets: some best DAG is made of these.
    most_scored : int
        Sets that are scored at most, counted and not timed: a level that would need more is not begun, in any layout.
        With more than 18 variables nor is one after more than `MOST_FOUND` candidates were found.
    time_is_up : callable, optional
        Asked again and again whether to stop; then only levels that are done count.
    watch : callable, optional
        Called now and then with the name of what is under way and the number of sets that were scored.

    References
    ----------
    de Campos and Ji, "Efficient structure learning of Bayesian networks using constraints", 2011.
    de Campos, Scanagatta, Corani and Zaffalon, "Entropy-based pruning for learning Bayesian networks using BIC", 2018.
    """
    n = scores.n
    limits = constraints or Constraints.of(n)
    search = _core.CandidateSearch(
        scores.compiled,
        None if constraints is None else list(constraints.allowed),
        limits.required,
        limits.limits(max_parents),
        most_scored,
        MOST_FOUND if n > _FEW_VARIABLES else most_scored,
        limbs(0 if within is None else within + 1),
    )
    ended = late = False
    while not (ended or late):
        late = time_is_up is not None and time_is_up()
        ended = search.go_on(0.0 if late else _SECONDS_AT_ONCE)
        if watch is not None:
            watch("candidate parent sets", search.scored)
    alone, _ = scores.without_parents
    found = [_sorted(search, v, alone[v]) for v in range(n)]
    beyond: tuple[int | None, ...] = ()
    if not search.complete:
        most = [search.most_beyond(v) for v in range(n)]
        beyond = tuple(None if own is None else own + alone[v] for v, own in enumerate(most))
    result = CandidateSets(
        sets=tuple(sets for sets, _ in found),
        scores=tuple(own for _, own in found),
        most_parents=search.level,
        complete=search.complete,
        beyond=beyond,
        scored=search.scored,
    )
    logger.debug("%d candidate parent sets of %d that were scored", len(result), result.scored)
    return result


def _sorted(search: _core.CandidateSearch, child: int, alone: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    sizes, members, gains = search.candidates(child)
    sets = []
    flat, at = members.tolist(), 0
    for size in sizes.tolist():
        sets.append(sum(map(bit, flat[at : at + size])))
        at += size
    return _by_score([(alone + gain, parents) for gain, parents in zip(integers(gains), sets, strict=True)])


def _by_score(families: Sequence[tuple[int, int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Scores and parent sets, the best first: the sets, and the scores."""
    found = sorted(families, key=lambda own: (-own[0], own[1].bit_count(), own[1]))
    return tuple(parents for _, parents in found), tuple(score for score, _ in found)
