"""Build the problem that an algorithm solves: numbered variables, scores, constraints, start and limits."""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from stablebn import _core
from stablebn.api.arguments import LearnArguments, ScoreArguments
from stablebn.api.request import LearnRequest
from stablebn.ci_tests import name_of_test
from stablebn.errors import OptionError, listed
from stablebn.graph.convert import Graph
from stablebn.knowledge import KnownArcs
from stablebn.learners import AUTOMATIC, LEARNERS, Problem, SearchConfig
from stablebn.learners.registry import MOST_ACCURATE, Learner
from stablebn.learners.shared.automatic import CHOSEN_EFFORT, USUAL_EFFORT, USUAL_PRIOR, USUAL_SCORE, score_for
from stablebn.learners.shared.config import AVERAGES, TESTS_INDEPENDENCE
from stablebn.learners.shared.graph_scores import needs_numbers
from stablebn.learners.shared.problem import WorkOnTable
from stablebn.messages import Caution
from stablebn.prepare.prepared import Prepared
from stablebn.result.constraints_from_names import (
    called_names,
    check_start,
    constraints_of,
    forbidden_by_kind,
    known_among,
    relation_of,
    start_graph,
    start_parent_sets,
)
from stablebn.scores.registry import ScoreConfig
from stablebn.stats.engines.registry import source_of
from stablebn.table.data_kinds import kind_of

if TYPE_CHECKING:
    from stablebn.learners.shared.checkpoint import SearchCheckpoint

Scored = TypeVar("Scored", LearnArguments, ScoreArguments)

# The time reserved for scoring the graph after the search: a multiple of the time that ordering the variables took
# (measured on a table of 2,000 continuous columns and 500 rows), but at most this share of the time that is left.
_TIMES_OF_ORDERING = 3
_MOST_RESERVED = 1 / 4


@dataclass(frozen=True)
class LearningTask:
    """A problem, the algorithm that solves it, and what the result must report of both.

    Attributes
    ----------
    problem : Problem
    learner : Learner
    options : LearnArguments
        As they are used: every automatic choice is made.
    search : SearchConfig
    known : KnownArcs
    forbidden_by_kind : list of arcs
        From continuous to categorical variables, if the model has none of these.
    chosen : mapping of option to str
        The options that were chosen for the table, and why.
    warnings : tuple of Caution
    started_from_graph : bool
        Whether a graph to start from took part in numbering the variables.
    decided_by_names : bool
        Whether time was up before the variables were in canonical order, so that names decided: there is no search.
    checkpoint : SearchCheckpoint or None
    """

    problem: Problem
    learner: Learner
    options: LearnArguments
    search: SearchConfig
    known: KnownArcs
    forbidden_by_kind: Sequence[tuple[Hashable, Hashable]]
    chosen: Mapping[str, str]
    warnings: tuple[Caution, ...]
    started_from_graph: bool
    decided_by_names: bool
    checkpoint: SearchCheckpoint | None


def build_problem(table: Prepared, request: LearnRequest) -> LearningTask:
    """Choose what is left to the library, number the variables, and set constraints, start and limits."""
    work = _statistics(table, request)
    # Before anything is computed for all pairs of variables.
    work.check_memory()
    options, chosen, uncertain = request.in_time(lambda: _with_choices(request.options, table, work))
    learner = LEARNERS[options.algorithm]
    warnings = (*_units_warning(options, table), *uncertain)
    unit_free = is_unit_free(options, table)
    request.clock.mark("encode")
    start = start_graph(options.start, table)
    config = options.part(ScoreConfig)
    known = known_among(request.knowledge, table, config) if request.known is None else request.known
    by_kind = forbidden_by_kind(config, {name: table.kinds[name] for name in table.table.names})
    constraints = constraints_of(known, by_kind, table)
    relation = None if start is None else relation_of(start, table.table.names)
    called = request.called or called_names(table)
    number = partial(work.problem, config, unit_free=unit_free, relation=relation, called=called)
    problem = request.in_time(lambda: number(constraints=constraints))
    options = _as_used(options, table, problem, request, unit_free=unit_free)
    search = options.part(SearchConfig)
    problem = _with_start_and_limits(problem, search, start, request)
    decided_by_names = bool(problem.undecided) and problem.time_is_up()
    problem = _with_time_for_score(problem, work)
    if AVERAGES in learner.traits and not decided_by_names:
        problem = _with_resampling(problem, table, request, unit_free=unit_free)
    _check_limits(problem, learner, options, search, start)
    # If names decided because time was up, another run will not go on from here.
    checkpoint = None if decided_by_names else _checkpoint(problem, learner, options, table, request)
    request.clock.mark("order")
    return LearningTask(
        problem=problem,
        learner=learner,
        options=options,
        search=search,
        known=known,
        forbidden_by_kind=by_kind,
        chosen=chosen,
        warnings=warnings,
        started_from_graph=start is not None,
        decided_by_names=decided_by_names,
        checkpoint=checkpoint,
    )


def with_usual_score(options: Scored) -> Scored:
    """Replace an automatic score and prior by the usual ones."""
    return options.as_used(
        score=USUAL_SCORE if options.score == AUTOMATIC else options.score,
        prior=USUAL_PRIOR if options.prior == AUTOMATIC else options.prior,
    )


def is_unit_free(options: LearnArguments | ScoreArguments, table: Prepared) -> bool:
    """Return whether units take no part, as by default; categorical data have no units."""
    if options.score == "bge" and options.unit_free:
        raise OptionError(
            "score='bge' has a prior in the units of the columns, so unit_free=True cannot be kept. Leave it out, or "
            "say score='bic'."
        )
    return kind_of(table.table).has_units and options.score != "bge" and options.unit_free is not False


def _statistics(table: Prepared, request: LearnRequest) -> WorkOnTable:
    """Return the statistics of the table, computed when first used, on the engine of the request."""
    options, clock, threads = request.options, request.clock, request.threads
    source = source_of(table.whole, options.engine, threads=threads)
    # A checkpoint is valid for one order of the variables: every run must reach the same one.
    deadline = clock.deadline if options.checkpoint is None else None
    return WorkOnTable(source, threads=threads, deadline=deadline, latest=clock.latest(), watch=options.progress)


def _with_choices(
    options: LearnArguments, table: Prepared, work: WorkOnTable
) -> tuple[LearnArguments, dict[str, str], tuple[Caution, ...]]:
    """Choose the algorithm and the score that were left to the library.

    Returns
    -------
    options : LearnArguments
    chosen : dict of option to str
        The reason for each choice.
    warnings : tuple of Caution
    """
    chosen = {}
    warnings: tuple[Caution, ...] = ()
    if options.algorithm == AUTOMATIC:
        algorithm, chosen["algorithm"] = MOST_ACCURATE, "the most accurate one"
        if options.score == AUTOMATIC:
            choice = score_for(table.whole, work, k=options.k, arcs=options.arcs)
            if choice.uncertain is not None:
                warnings = (Caution("uncertain-score", (), choice.uncertain),)
            chosen["score"] = choice.why
            if choice.algorithm != algorithm:
                algorithm, chosen["algorithm"] = choice.algorithm, "the table is large"
            options = options.as_used(score=choice.score)
            if options.prior == AUTOMATIC:
                chosen["prior"] = choice.why_prior
                options = options.as_used(prior=choice.prior)
        options = options.as_used(algorithm=algorithm)
        if options.effort == AUTOMATIC and algorithm == MOST_ACCURATE:
            options = options.as_used(effort=CHOSEN_EFFORT)
            chosen["effort"] = "as accurate as more of it, and faster"
    if options.effort == AUTOMATIC:
        options = options.as_used(effort=USUAL_EFFORT)
    return with_usual_score(options), chosen, warnings


def _units_warning(options: LearnArguments, table: Prepared) -> tuple[Caution, ...]:
    """Warn if units take part although the user did not ask for it."""
    if not kind_of(table.table).has_units or options.score != "bge" or options.unit_free is not None:
        return ()
    return (
        Caution(
            "units",
            (),
            "bge has a prior in the units of the columns: in other units the graph may be another. Say unit_free=False "
            "if that is meant.",
        ),
    )


def _as_used(
    options: LearnArguments, table: Prepared, problem: Problem, request: LearnRequest, *, unit_free: bool
) -> LearnArguments:
    """Return the options as they take effect for this table, for the `config` of the result."""
    is_testing = TESTS_INDEPENDENCE in LEARNERS[options.algorithm].traits
    return options.as_used(
        unit_free=unit_free,
        arcs=options.part(ScoreConfig).arcs_as_used if table.table.kind == "mixed" else options.arcs,
        test=name_of_test(problem.statistics, options.test) if is_testing else options.test,
        knowledge=request.knowledge.to_dict() if request.knowledge else None,
        max_parents=options.most_parents,
    )


def _with_start_and_limits(
    problem: Problem, search: SearchConfig, start: Graph | None, request: LearnRequest
) -> Problem:
    return replace(
        problem,
        constraints=problem.constraints and problem.constraints.within(search.most_parents),
        start=start_parent_sets(start, problem),
        deadline=request.clock.deadline,
        interruption=request.interruption,
    )


def _with_time_for_score(problem: Problem, work: WorkOnTable) -> Problem:
    """End the search earlier if scoring its graph takes a multiple of the time that ordering the variables took."""
    if problem.deadline is None or not needs_numbers(problem):
        return problem
    left = problem.deadline - time.monotonic()
    reserve = min(work.seconds_of_ordering * _TIMES_OF_ORDERING, left * _MOST_RESERVED)
    return replace(problem, deadline=problem.deadline - max(0.0, reserve))


def _with_resampling(problem: Problem, table: Prepared, request: LearnRequest, *, unit_free: bool) -> Problem:
    # Imported here because it takes time, and only one algorithm needs it.
    from stablebn.learners.shared.resampled import resampled_rows

    rows = partial(resampled_rows, table, problem, unit_free=unit_free, threads=request.threads)
    # If there is no time for the rows, there is none for a sample.
    with suppress(_core.TimeIsUp):
        return replace(problem, resampling=_core.within_time(problem.time_is_up, rows))
    return problem


def _check_limits(
    problem: Problem, learner: Learner, options: LearnArguments, search: SearchConfig, start: Graph | None
) -> None:
    """Raise an error if the start has too many parents, or the algorithm cannot limit parents by variable."""
    if learner.scores_families:
        check_start(problem, search.most_parents, "what is required" if start is None else "start")
    elif problem.constraints and problem.constraints.limited:
        limited = listed([problem.names[v] for v in problem.constraints.limited])
        raise OptionError(
            f"algorithm={options.algorithm!r} cannot bound how many parents some variables have: {limited}. Choose one "
            f"that searches by a score: {listed([name for name in LEARNERS if LEARNERS[name].scores_families], 99)}."
        )


def _checkpoint(
    problem: Problem, learner: Learner, options: LearnArguments, table: Prepared, request: LearnRequest
) -> SearchCheckpoint | None:
    """Open the checkpoint of the search, if the user named one."""
    if options.checkpoint is None:
        return None
    # Imported here because it takes time, and few runs have a checkpoint.
    from stablebn.learners.shared.checkpoint import SearchCheckpoint, about_search

    by_columns = not learner.stable or options.recorded().get("order") == "given"
    about = about_search(options.algorithm, options.recorded(), problem, table.whole, by_columns=by_columns)
    return SearchCheckpoint(Path(options.checkpoint), about, request.saved, resume=options.resume)
