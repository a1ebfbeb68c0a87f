"""Candidate parent sets: of each variable the sets that can be its parents in some best DAG."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from stablebn import _core
from stablebn.fixed_point import integers, limbs
from stablebn.knowledge.constraints import Constraints
from stablebn.scores.base import CompiledScores
from stablebn.stats.variable_sets import bit

logger = logging.getLogger(__name__)

# Seconds: no longer is Ctrl-C, or the end of the time, left unheard.
_SECONDS_AT_ONCE = 0.05

MOST_SCORED = 50_000_000
"""Parent sets that are scored at most unless more are asked for: more than 22 variables have, whatever the score."""

MOST_FOUND = 400_000
"""After more candidates than this larger sets are not listed, unless there are few variables."""

# With no more, dynamic programming over subsets can do with any number of candidates.
_FEW_VARIABLES = 25

# Of incomplete lists that are longer in all, so many candidates of each variable are kept.
_MOST_INCOMPLETE = 150_000
_MOST_KEPT = 3_000

# And so many if the time is up: nothing is searched among them.
_MOST_KEPT_LATE = 100

# About what bounds of the sets that were not looked at may take, in nanoseconds, if the time is up.
_NANOSECONDS_LATE = 5e7


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
    found_too_many : bool
        Whether larger sets were left out because of the number of candidates, and not because of the sets to be scored.
    """

    sets: tuple[tuple[int, ...], ...]
    scores: tuple[tuple[int, ...], ...]
    most_parents: int
    complete: bool
    beyond: tuple[int | None, ...] = field(default=())
    scored: int = 0
    found_too_many: bool = False

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

    Sets are scored in batches by the core. Bounds exclude most of them (`src/core/scores/likelihood_bounds.hpp`,
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
        each of their subsets less the margin (proof: `src/core/exact/candidates.hpp`). By default those that score
        more than all their subsets: some best DAG is made of these.
    most_scored : int
        Sets that are scored at most, counted and not timed: a level that would need more is not begun, in any layout.
        With more than 25 variables nor is one after more than `MOST_FOUND` candidates were found.
    time_is_up : callable, optional
        Asked again and again whether to stop; then only levels that are done count.
    watch : callable, optional
        Called now and then with the name of what is under way and the number of sets that were scored.

    References
    ----------
    de Campos and Ji, "Efficient structure learning of Bayesian networks using constraints", 2011.
    de Campos, Scanagatta, Corani and Zaffalon, "Entropy-based pruning for learning Bayesian networks using BIC", 2018.
    """
    search = listed(
        scores,
        max_parents=max_parents,
        constraints=constraints,
        within=within,
        most_scored=most_scored,
        time_is_up=time_is_up,
        watch=watch,
    )
    return found_by(search, scores)


def listed(
    scores: CompiledScores,
    *,
    max_parents: int | None = None,
    constraints: Constraints | None = None,
    within: int | None = None,
    most_scored: int = MOST_SCORED,
    most_found: int | None = None,
    time_is_up: Callable[[], bool] | None = None,
    watch: Callable[[str, int], None] | None = None,
) -> _core.CandidateSearch:
    """Do the search of `candidate_sets` and leave what it finds in the core.

    No level is begun after more than `most_found` candidates; by default `MOST_FOUND` with more than 25 variables.
    """
    n = scores.n
    limits = constraints or Constraints.of(n)
    search = _core.CandidateSearch(
        scores.compiled,
        None if constraints is None else list(constraints.allowed),
        limits.required,
        limits.limits(max_parents),
        most_scored,
        most_found if most_found is not None else MOST_FOUND if n > _FEW_VARIABLES else most_scored,
        limbs(0 if within is None else within + 1),
    )
    is_late = time_is_up or _never

    def tell() -> None:
        if watch is not None:
            watch("candidate parent sets", search.scored)

    # Levels that are done stay.
    with suppress(_core.TimeIsUp):
        while not is_late() and not _core.within_time(is_late, partial(search.go_on, _SECONDS_AT_ONCE)):
            tell()
    tell()
    logger.debug("%d parent sets were scored", search.scored)
    return search


def _never() -> bool:
    return False


def found_by(
    search: _core.CandidateSearch, scores: CompiledScores, *, time_is_up: Callable[[], bool] | None = None
) -> CandidateSets:
    """Return the candidate sets of a search that has ended; of an incomplete one only few once the time is up."""
    n = scores.n
    gains = [] if search.complete else _most_beyond(search, n, time_is_up or _never)
    is_late = time_is_up is not None and time_is_up()
    alone, _ = scores.without_parents
    most = None
    if not search.complete and (is_late or search.found > _MOST_INCOMPLETE):
        most = _MOST_KEPT_LATE if is_late else _MOST_KEPT
    found = [_sorted(search, v, alone[v], most) for v in range(n)]
    beyond: tuple[int | None, ...] = ()
    if not search.complete:
        beyond = tuple(None if own is None else own + alone[v] for v, own in enumerate(gains))
        if most is not None:
            # What is left out scores no more than the last of the best that are kept.
            last = [own[most - 1] if len(own) >= most else None for _, own in found]
            beyond = tuple(
                own if own is None or left_out is None else max(own, left_out)
                for own, left_out in zip(beyond, last, strict=True)
            )
    return CandidateSets(
        sets=tuple(sets for sets, _ in found),
        scores=tuple(own for _, own in found),
        most_parents=search.level,
        complete=search.complete,
        beyond=beyond,
        scored=search.scored,
        found_too_many=search.found_too_many,
    )


def _most_beyond(search: _core.CandidateSearch, n: int, time_is_up: Callable[[], bool]) -> list[int | None]:
    """Bound what each variable gains with sets that were not looked at; once the time is up, by a looser bound."""

    def bounds(nanoseconds: float) -> list[int | None]:
        return [search.most_beyond(v, nanoseconds) for v in range(n)]

    if not time_is_up():
        with suppress(_core.TimeIsUp):
            return _core.within_time(time_is_up, partial(bounds, math.inf))
    return bounds(_NANOSECONDS_LATE / max(n, 1))


def _sorted(
    search: _core.CandidateSearch, child: int, alone: int, most: int | None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    sizes, members, gains = search.candidates(child)
    ends = np.cumsum(sizes)
    kept = list(range(len(sizes)))
    if most is not None and len(sizes) > most:
        # The best, ties by their places, and the first: that of the required parents.
        best = np.lexsort((np.arange(len(sizes)), -gains[:, 1], -gains[:, 0]))[:most]
        kept = sorted({0, *best.tolist()})
    sets = [sum(map(bit, members[ends[at] - sizes[at] : ends[at]].tolist())) for at in kept]
    own = integers(gains[kept])
    return _by_score([(alone + gain, parents) for gain, parents in zip(own, sets, strict=True)])


def _by_score(families: Sequence[tuple[int, int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Scores and parent sets, the best first: the sets, and the scores."""
    found = sorted(families, key=lambda own: (-own[0], own[1].bit_count(), own[1]))
    return tuple(parents for _, parents in found), tuple(score for score, _ in found)
