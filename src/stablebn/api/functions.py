"""The front door: `learn`, `check`, `score`, `fit`, `compare` and `ci_test`."""

from __future__ import annotations

import inspect
import json
import logging
import os
import signal
import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from stablebn import _core
from stablebn.api.arguments import (
    CheckArguments,
    CITestArguments,
    FitArguments,
    LearnArguments,
    ScoreArguments,
    StatisticsArguments,
    about_the_table,
    changed_options,
    describe,
)
from stablebn.api.checks import Check, checked
from stablebn.ci_tests import name_of_test
from stablebn.columns.cut_points import USUAL_BINS, Binning
from stablebn.columns.kinds import Decision, Kind
from stablebn.columns.levels import Levels
from stablebn.errors import DataError, GraphError, OptionError, listed
from stablebn.exact.certificate import Certificate, GraphProof, graph_proof
from stablebn.fixed_point import to_float
from stablebn.graph import PDAG, Comparison
from stablebn.graph import compare as compare_graphs
from stablebn.graph.json_names import json_text
from stablebn.knowledge import KnownArcs
from stablebn.learners import (
    AUTOMATIC,
    LEARNERS,
    Pattern,
    Problem,
    SearchConfig,
    learner_of,
)
from stablebn.learners.registry import MOST_ACCURATE
from stablebn.learners.shared.automatic import CHOSEN_EFFORT, USUAL_EFFORT, USUAL_PRIOR, USUAL_SCORE, score_for
from stablebn.learners.shared.best_dag import BestDag
from stablebn.learners.shared.checkpoint import SearchCheckpoint, about_search, read_checkpoint
from stablebn.learners.shared.config import AVERAGES, EQUIVALENCE_CLASSES, TESTS_INDEPENDENCE
from stablebn.learners.shared.graph_scores import needs_numbers
from stablebn.learners.shared.interruption import Interruption
from stablebn.learners.shared.problem import WorkOnTable, within_time
from stablebn.learners.shared.single_ci_test import tested_alone
from stablebn.messages import Caution, tallied
from stablebn.options import checked_arguments, file_path, flag, is_hashable, is_iterable, options_of, takes
from stablebn.prepare.dask.workers import cluster_of
from stablebn.prepare.incremental import GrowingTable, given_reading, with_own_reading
from stablebn.prepare.prepare import prepare_as
from stablebn.prepare.prepared import Prepared
from stablebn.result.build import (
    LearnedGraph,
    learned_graph,
    order_warnings,
    rounded_warning,
    unfinished_warning,
    unjoinable_warnings,
)
from stablebn.result.constraints_from_names import (
    as_dag,
    called_names,
    check_rows,
    check_start,
    constraints_of,
    extended,
    forbidden_by_kind,
    known_among,
    merged_away,
    parent_sets,
    read_as_graph,
    relation_of,
    start_graph,
    start_parent_sets,
    unjoinable_pairs,
)
from stablebn.result.result import CITest, GraphScore, Result
from stablebn.scores.registry import WITH_HOLES, ScoreConfig, family_scores, numbers_matter
from stablebn.search import Climb, climb
from stablebn.stats import source_of
from stablebn.table.memory_limit import USUAL_MEMORY, bytes_of
from stablebn.table.table import CategoricalTable, MixedTable
from stablebn.threads import cores

if TYPE_CHECKING:
    from stablebn.networks.model import Network

logger = logging.getLogger(__name__)

Scored = TypeVar("Scored", LearnArguments, ScoreArguments)

TableArguments: TypeAlias = LearnArguments | ScoreArguments | CheckArguments | FitArguments | CITestArguments

Made = TypeVar("Made")

# Of the time left for a search, at most this part is kept for the score of the graph; that takes so many times as long
# as the order: measured on one table of 2,000 continuous columns, 500 rows.
_MOST_RESERVED = 1 / 4
_TIMES_OF_ORDERING = 3

Search = Callable[[Problem, SearchConfig], Climb | Pattern]
"""What finds a graph."""


@takes(LearnArguments, describe)
def learn(*arguments: Any, **options: Any) -> Result:
    """Learn the structure of a Bayesian network from a table.

    The options are the fields of `stablebn.api.arguments.LearnArguments`; `help(stablebn.learn)` describes them.

    Returns
    -------
    Result

    Examples
    --------
    >>> import stablebn as sb
    >>> result = sb.learn(sb.read_network("asia").sample(1000, seed=1))
    >>> ("smoke", "lung") in result.arcs or ("lung", "smoke") in result.arcs
    True
    """
    return learn_until(Interruption([signal.Signals.SIGINT]), *arguments, **options)


def learn_in_a_loop(*arguments: Any, **options: Any) -> Result:
    """Learn as `learn` does, but let Ctrl-C end it as Python does: so it ends a loop of many."""
    return learn_until(None, *arguments, **options)


def learn_until(interruption: Interruption | None, *arguments: Any, **options: Any) -> Result:
    """Learn as `learn` does, and return what the search has so far at some signals."""
    return learn_among(LearnArguments.of_learn(arguments, options), interruption=interruption)


def learn_among(
    asked: LearnArguments,
    known: KnownArcs | None = None,
    interruption: Interruption | None = None,
    prepared: Prepared | None = None,
    called: Mapping[Hashable, Hashable] | None = None,
    search_by: Search | None = None,
) -> Result:
    """Learn as asked, among the graphs that obey what is known.

    Parameters
    ----------
    asked : LearnArguments
    known : KnownArcs, optional
        By default what the options say. What it forbids to columns that take no part forbids nothing; a required arc
        at one is refused.
    interruption : Interruption, optional
        The signals at which to return what the search has so far.
    prepared : Prepared, optional
        The table, where it has been read before: other rows of it, for instance.
    called : mapping of name to name, optional
        The names to decide by where not their own, see `canonical_order`.
    search_by : callable, optional
        What finds the graph, in place of the learner: for instance one that checks what another has found.

    Raises
    ------
    OptionError
        What is known cannot be kept: a required arc cannot be there, or the learner cannot bound the parents.
    """
    asked = with_own_reading(asked)
    said = asked.said()
    began = time.perf_counter()
    deadline = None if asked.max_time is None else time.monotonic() + asked.max_time
    path = None if asked.checkpoint is None else Path(asked.checkpoint)
    earlier = None if path is None else read_checkpoint(path, resume=asked.resume)

    latest = None if deadline is None or asked.max_time is None else deadline + _grace(asked.max_time)
    prepared = prepared or _in_time(
        asked, latest, lambda: _prepared(asked, _binning(asked), duplicates=asked.duplicates)
    )
    threads = asked.threads or cores()
    source = source_of(prepared.whole, asked.engine, threads=threads) if asked.engine == "gpu" else prepared.whole
    # What a checkpoint holds is about this score and this order: another run must find both again.
    until = deadline if path is None else None
    work = WorkOnTable(source, threads=threads, deadline=until, latest=latest, watch=asked.progress)
    # Before anything is made of all pairs: the arcs that kinds forbid are such pairs too.
    work.check_memory()
    asked, chosen, uncertain = _in_time(asked, None, partial(_with_choices, asked, prepared, work))
    learner = LEARNERS[asked.algorithm]
    depends_on_units = _units_warning(asked, prepared)
    unit_free = _is_unit_free(asked, prepared)
    encoded = time.perf_counter()
    start = start_graph(asked.start, prepared)
    kinds = {name: prepared.kinds[name] for name in prepared.table.names}
    config = asked.part(ScoreConfig)
    known = known_among(said, prepared, config) if known is None else known
    by_kind = forbidden_by_kind(config, kinds)
    problem = _in_time(
        asked,
        None,
        lambda: work.problem(
            config,
            unit_free=unit_free,
            relation=None if start is None else relation_of(start, prepared.table.names),
            constraints=constraints_of(known, by_kind, prepared),
            called=called or called_names(prepared),
        ),
    )
    test = name_of_test(problem.statistics, asked.test) if TESTS_INDEPENDENCE in learner.traits else asked.test
    asked = asked.as_used(
        unit_free=unit_free,
        arcs=config.arcs_as_used if isinstance(prepared.table, MixedTable) else asked.arcs,
        test=test,
        knowledge=said.to_dict() if said else None,
        max_parents=asked.most_parents,
    )
    search = asked.part(SearchConfig)
    problem = replace(
        problem,
        constraints=problem.constraints and problem.constraints.within(search.most_parents),
        start=start_parent_sets(start, problem),
        deadline=deadline,
        interruption=interruption,
    )
    # If names decided because the time was up, another time they will not: there is nothing to go on from.
    names_decided = bool(problem.undecided) and problem.time_is_up()
    if deadline is not None and needs_numbers(problem):
        # The score of the graph, which comes after the search, takes a multiple of the time that the order took.
        left = deadline - time.monotonic()
        reserve = min(work.seconds_of_ordering * _TIMES_OF_ORDERING, left * _MOST_RESERVED)
        problem = replace(problem, deadline=deadline - max(0.0, reserve))
    if AVERAGES in learner.traits and not names_decided:
        # What draws rows takes time to import, and only this algorithm needs it.
        from stablebn.learners.shared.resampled import resampled_rows

        problem = replace(problem, resampling=resampled_rows(prepared, problem, unit_free=unit_free, threads=threads))
    if learner.scores_families:
        check_start(problem, search.most_parents, "what is required" if start is None else "start")
    elif problem.constraints and problem.constraints.limited:
        limited = listed([problem.names[v] for v in problem.constraints.limited])
        raise OptionError(
            f"algorithm={asked.algorithm!r} cannot bound how many parents some variables have: {limited}. Choose one "
            f"that searches by a score: {listed([name for name in LEARNERS if LEARNERS[name].scores_families], 99)}."
        )
    checkpoint = None
    if path is not None and not names_decided:
        by_columns = not learner.stable or asked.recorded().get("order") == "given"
        about = about_search(asked.algorithm, asked.recorded(), problem, prepared.whole, by_columns=by_columns)
        checkpoint = SearchCheckpoint(path, about, earlier, resume=asked.resume)
    ordered = time.perf_counter()
    # Without an order there is no time for a search either.
    learn_by = _start_of if names_decided else learner.learn
    with nullcontext() if interruption is None else interruption.heard():
        found = _searched(search_by or learn_by, problem, search, checkpoint)
    apart = merged_away(prepared)
    nodes = [name for name in prepared.names if name not in apart]
    latest = None if deadline is None or asked.max_time is None else deadline + _grace(asked.max_time) / 2
    learned = learned_graph(found, problem, nodes, latest)
    done = time.perf_counter()

    # Names that decided for want of time are no end of the work either.
    is_searched = found.finished and not names_decided
    finished = is_searched and learned.has_all_digits
    has_checkpoint = checkpoint is not None and checkpoint.failure is None
    unfinished = () if is_searched else (unfinished_warning(found, problem, search, has_checkpoint=has_checkpoint),)
    rounded = () if learned.has_all_digits else (rounded_warning(search),)
    result = Result(
        pdag=learned.pdag,
        dag=learned.dag,
        score=learned.score,
        order=tuple(problem.names[v] for v in found.order),
        trace=found.named_trace(problem.names),
        conflicts=learned.conflicts,
        warnings=(
            *prepared.warnings,
            *depends_on_units,
            *uncertain,
            *order_warnings(problem, prepared),
            *learned.warnings,
            *unjoinable_warnings(problem, learned, unjoinable_pairs(known, by_kind, prepared)),
            *unfinished,
            *rounded,
            *_checkpoint_warning(checkpoint),
        ),
        kinds=prepared.kinds,
        decisions=prepared.decisions,
        constants=tuple(prepared.constants),
        merged=prepared.merged,
        cuts=prepared.cuts,
        levels=prepared.levels,
        rows=prepared.whole.total,
        fewest_rows=learned.fewest_rows,
        config=asked.recorded(),
        chosen=chosen,
        fingerprint=learned.fingerprint,
        finished=finished,
        known=learned.known,
        known_arcs=known,
        strengths_at_hand=learned.strengths,
        tied_arcs=learned.tied_arcs,
        undetermined_arcs=learned.undetermined_arcs,
        order_source=found.order_source(problem.names) if isinstance(found, Climb) else None,
        canonical=tuple(problem.names[v] for v in problem.decreasing),
        prepared=prepared,
        proof=_proof(found, learned, problem, prepared, asked, known),
        timings={
            "encode": encoded - began,
            "order": ordered - encoded,
            "search": done - ordered,
            "total": done - began,
        },
    )
    logger.info("%s: %d arcs, score %s, %.3f s", asked.algorithm, len(result.arcs), result.score, done - began)
    return result


def _grace(max_time: float) -> float:
    """How much longer than max_time reading and counting may take, to return what has no order yet rather than fail."""
    return max(0.8, max_time / 12)


def _in_time(asked: LearnArguments, latest: float | None, work: Callable[[], Made]) -> Made:
    """Do some work without which there is no graph at all."""
    try:
        return work() if latest is None else within_time(latest, work)
    except _core.TimeIsUp:
        raise OptionError(
            f"max_time={asked.max_time} seconds were over while the table was read and counted, so there is no graph. "
            "Allow more time, or use fewer columns or rows."
        ) from None


def _with_choices(
    asked: LearnArguments, prepared: Prepared, work: WorkOnTable
) -> tuple[LearnArguments, dict[str, str], tuple[Caution, ...]]:
    """Choose the algorithm and the score that were left to the library; return why by option, and any doubt."""
    chosen = {}
    uncertain: tuple[Caution, ...] = ()
    if asked.algorithm == AUTOMATIC:
        algorithm, chosen["algorithm"] = MOST_ACCURATE, "the most accurate one"
        if asked.score == AUTOMATIC:
            choice = score_for(prepared.whole, work, k=asked.k, arcs=asked.arcs)
            if choice.uncertain is not None:
                uncertain = (Caution("uncertain-score", (), choice.uncertain),)
            chosen["score"] = choice.why
            if choice.algorithm != algorithm:
                algorithm, chosen["algorithm"] = choice.algorithm, "the table is large"
            asked = asked.as_used(score=choice.score)
            if asked.prior == AUTOMATIC:
                chosen["prior"] = choice.why_prior
                asked = asked.as_used(prior=choice.prior)
        asked = asked.as_used(algorithm=algorithm)
        if asked.effort == AUTOMATIC and algorithm == MOST_ACCURATE:
            asked = asked.as_used(effort=CHOSEN_EFFORT)
            chosen["effort"] = "as accurate as more of it, and faster"
    if asked.effort == AUTOMATIC:
        asked = asked.as_used(effort=USUAL_EFFORT)
    return _with_usual_score(asked), chosen, uncertain


def _with_usual_score(asked: Scored) -> Scored:
    """Replace what is left of `AUTOMATIC` by the usual score and prior."""
    return asked.as_used(
        score=USUAL_SCORE if asked.score == AUTOMATIC else asked.score,
        prior=USUAL_PRIOR if asked.prior == AUTOMATIC else asked.prior,
    )


def _start_of(problem: Problem, config: SearchConfig) -> Climb:
    """The DAG that a search would start from."""
    [found] = climb(
        problem.scores,
        [problem.decreasing],
        start=problem.start,
        constraints=problem.constraints,
        time_is_up=problem.time_is_up,
    )
    return found


def _searched(
    search: Search, problem: Problem, config: SearchConfig, checkpoint: SearchCheckpoint | None
) -> Climb | Pattern:
    """What a learner finds; whatever ends it, a checkpoint is written."""
    if checkpoint is None:
        return search(problem, config)
    finished = False
    try:
        found = search(replace(problem, journal=checkpoint.journal), config)
        finished = found.finished
    finally:
        checkpoint.write(finished=finished)
    return found


def _checkpoint_warning(checkpoint: SearchCheckpoint | None) -> tuple[Caution, ...]:
    """What to say where the checkpoint could not be written."""
    if checkpoint is None or checkpoint.failure is None:
        return ()
    return (Caution("checkpoint", (), f"The checkpoint is not up to date: {checkpoint.failure}"),)


def _proof(
    found: Climb | Pattern,
    learned: LearnedGraph,
    problem: Problem,
    prepared: Prepared,
    asked: LearnArguments,
    known: KnownArcs,
) -> GraphProof | None:
    """What is proven of what was found, with a certificate of it."""
    if not isinstance(found, BestDag) or learned.score is None:
        return None
    options = {**about_the_table(asked), **changed_options(asked, (ScoreConfig, SearchConfig)), **found.limits}
    # What was given with the table is given with it again; and how long it took proves nothing.
    given_again = ("names", "sep", "decimal", "encoding", *(() if isinstance(asked.weights, str) else ("weights",)))
    for name in (*given_again, "max_time"):
        options.pop(name, None)
    if isinstance(prepared.table, CategoricalTable):
        options.pop("unit_free", None)
    if not asked.kinds:
        options.pop("kinds", None)
    elif isinstance(asked.kinds, Mapping):
        options["kinds"] = list(kinds_before_binning(prepared).items())
    if asked.levels is not None:
        options["levels"] = list(prepared.levels.items())
    certificate = Certificate(
        # As they are in a file.
        options=json.loads(json_text(options)),
        known=known,
        variables=problem.names,
        parents=found.parents,
        score=found.proof.score,
        bound=found.proof.bound,
        trees=found.proof.trees,
        besides=found.besides,
    )
    return graph_proof(found.proof, learned.score, certificate)


def _prepared(
    asked: TableArguments,
    discretise: Binning | Mapping[Hashable, tuple[float, ...]] | None,
    duplicates: str = "keep",
    learned: Mapping[Hashable, Decision] | None = None,
    learned_levels: Levels | None = None,
) -> Prepared:
    """The table, read as the options say; an error offers those of them again that are about the table."""
    try:
        prepared = prepare_as(
            asked,
            asked,
            duplicates=duplicates,
            discretise=discretise,
            learned=learned,
            learned_levels=learned_levels,
            holes_will_do=_takes_holes(asked),
            watch=asked.progress if isinstance(asked, LearnArguments) else None,
            memory=bytes_of(asked.memory) if isinstance(asked, LearnArguments) else None,
            cache=Path(asked.cache) if isinstance(asked, LearnArguments) and asked.cache is not None else None,
            cluster=cluster_of(asked.client) if isinstance(asked, LearnArguments) and asked.engine == "dask" else None,
        )
    except DataError as error:
        if error.remedy:
            error.remedy = {**about_the_table(asked), **error.remedy}
        raise
    # Only learning asks for nothing but sums.
    return prepared if isinstance(asked, LearnArguments) else prepared.held()


def prepared_again(asked: LearnArguments, result: Result) -> Prepared:
    """Read a table, its columns taken for what they were when a graph was learned, unless specified otherwise."""
    asked = with_own_reading(asked)
    return _prepared(
        asked,
        _binning(asked),
        duplicates=asked.duplicates,
        learned=_decisions_of(result),
        learned_levels=_levels_of(result),
    )


def kinds_before_binning(prepared: Prepared) -> dict[Hashable, Kind]:
    """Return the kinds of the columns that were not made categorical by cut points."""
    return {name: kind for name, kind in prepared.kinds.items() if name not in prepared.cuts}


def _takes_holes(asked: TableArguments) -> bool:
    """Whether an incomplete table can be used as specified."""
    if not isinstance(asked, LearnArguments | ScoreArguments):
        return True
    by_classes = isinstance(asked, LearnArguments) and EQUIVALENCE_CLASSES in learner_of(asked.algorithm).traits
    return asked.score in (AUTOMATIC, *WITH_HOLES) and not by_classes


def _is_unit_free(asked: LearnArguments | ScoreArguments, prepared: Prepared) -> bool:
    """Whether units are kept out, as they are unless it is said otherwise; categorical data have none."""
    if asked.score == "bge" and asked.unit_free:
        raise OptionError(
            "score='bge' has a prior in the units of the columns, so unit_free=True cannot be kept. Leave it out, or "
            "say score='bic'."
        )
    return not isinstance(prepared.table, CategoricalTable) and asked.score != "bge" and asked.unit_free is not False


def _units_warning(asked: LearnArguments, prepared: Prepared) -> tuple[Caution, ...]:
    """What to say where units take part and nobody has asked for it."""
    if isinstance(prepared.table, CategoricalTable) or asked.score != "bge" or asked.unit_free is not None:
        return ()
    return (
        Caution(
            "units",
            (),
            "bge has a prior in the units of the columns: in other units the graph may be another. Say unit_free=False "
            "if that is meant.",
        ),
    )


def _binning(asked: TableArguments) -> Binning | None:
    if asked.discretise is None:
        if asked.bins is not None:
            raise OptionError(
                'bins= goes with discretise=, for example discretise="quantile". Say both, or leave it out.'
            )
        return None
    return Binning(asked.discretise, USUAL_BINS if asked.bins is None else asked.bins)


def _cuts_of(graph: object) -> Mapping[Hashable, tuple[float, ...]] | None:
    """The cut points with which a graph was learned: those of a result or a network."""
    cuts: Mapping[Hashable, tuple[float, ...]] | None = getattr(graph, "cuts", None)
    return cuts or None


def _levels_of(graph: object) -> Levels | None:
    """The levels that were declared when a graph was learned."""
    return graph.levels if isinstance(graph, Result) else None


def _decisions_of(graph: object) -> Mapping[Hashable, Decision] | None:
    """What the columns were taken for when a graph was learned; those with cut points are numbers."""
    if not isinstance(graph, Result):
        return None
    return {name: own for name, own in graph.decisions.items() if name not in graph.cuts}


@takes(StatisticsArguments, describe)
def statistics(*arguments: Any, **options: Any) -> GrowingTable:
    """Read a table to which rows will be added, for `learn`.

    What is learned from it is what is learned from all its rows at once, to the last bit. The options are the fields of
    `stablebn.api.arguments.StatisticsArguments`; `help(stablebn.statistics)` describes them.

    Returns
    -------
    GrowingTable
        With `update(more)`, which adds rows, and `save(path)`.

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(1000, seed=1)
    >>> found = sb.statistics(table.slice(0, 400))
    >>> found.update(table.slice(400))
    >>> sb.learn(found) == sb.learn(table)
    True
    """
    asked = StatisticsArguments.from_call("statistics", arguments, options)
    if asked.discretise is not None or asked.bins is not None:
        raise OptionError("statistics cannot be made with discretise=: where the bins are depends on rows to come.")
    return GrowingTable(asked.data, given_reading(asked), *_room(asked), asked.threads or cores())


@checked_arguments(path=file_path)
def load_statistics(
    path: str | os.PathLike[str], *, memory: str | int | None = None, cache: str | os.PathLike[str] | None = None
) -> GrowingTable:
    """Read statistics that were saved to a file.

    Parameters
    ----------
    path : path
        As `save` of what `stablebn.statistics` returns has written it.
    memory, cache
        As in `stablebn.learn`.

    Returns
    -------
    GrowingTable
    """
    return GrowingTable.load(path, *_room(StatisticsArguments(None, memory=memory, cache=cache)), cores())


def _room(asked: StatisticsArguments) -> tuple[int, Path | None]:
    """How much memory there is for rows, and where they are on disk."""
    return bytes_of(asked.memory) or USUAL_MEMORY, None if asked.cache is None else Path(asked.cache)


@takes(CheckArguments, describe)
def check(*arguments: Any, **options: Any) -> Check:
    """Say what there is to know of a table before anything is learned from it.

    What each column is taken for and why, what keeps the table from being learned from, missing values, constants,
    copies, columns that follow from others, ids, rare levels, nearly collinear columns, and about how long learning
    takes. The options are the fields of `stablebn.api.arguments.CheckArguments`; `help(stablebn.check)` describes them.

    Returns
    -------
    Check

    Examples
    --------
    >>> import stablebn as sb
    >>> found = sb.check({"sex": ["f", "m"] * 20, "code": [1, 2] * 20, "site": ["x"] * 40})
    >>> [(finding.code, finding.columns) for finding in found.findings]
    [('constant', ('site',)), ('relabelled', ('code', 'sex'))]
    >>> found.exit_code
    1
    """
    asked = with_own_reading(CheckArguments.from_call("check", arguments, options))
    binning = _binning(asked)
    try:
        return checked(_prepared(asked, binning), None)
    except DataError as error:
        if not error.remedy:
            return checked(None, error)
        # What there is besides is told as it will be.
        mended: dict[str, Any] = dict(error.remedy)
        try:
            return checked(_prepared(replace(asked, **mended), binning), error)
        except DataError:
            return checked(None, error)


@takes(ScoreArguments, describe)
def score(*arguments: Any, **options: Any) -> GraphScore:
    """Score a graph against a table; for a learned graph this is exactly its `score`.

    A table for a result that was learned with `discretise` or `levels` gets the result's cut points and levels, and the
    last digits are those of its `unit_free`, unless others are asked for. The options are the fields of
    `stablebn.api.arguments.ScoreArguments`; `help(stablebn.score)` describes them.

    Returns
    -------
    GraphScore
    """
    asked = _scored_as_learned(with_own_reading(ScoreArguments.from_call("score", arguments, options)))
    if asked.unit_free is None and isinstance(asked.graph, Result) and asked.graph.config.get("unit_free") is False:
        asked = replace(asked, unit_free=False)
    config = asked.part(ScoreConfig)
    threads = asked.threads or cores()
    prepared = _prepared(
        asked,
        _binning(asked) or _cuts_of(asked.graph),
        learned=_decisions_of(asked.graph),
        learned_levels=_levels_of(asked.graph),
    )
    has_numbers = numbers_matter(prepared.table, config)
    work = WorkOnTable(prepared.table, threads=threads)
    if has_numbers:
        work.check_memory()
    graph = read_as_graph(asked.graph, prepared.names)
    forbidden = forbidden_by_kind(config, {name: prepared.kinds[name] for name in prepared.table.names})
    dag = extended(graph, forbidden)
    arcs = set(dag.arcs)
    barred = [arc for arc in forbidden if arc in arcs]
    if barred:
        raise GraphError(
            f"the graph has arcs from continuous to categorical variables: {listed(barred)}. Conditional linear "
            'Gaussian networks have none; say arcs="any" (command line: --arcs any) for all arcs.'
        )
    nodes = set(dag.nodes)
    unknown = [name for name in prepared.kinds if name not in nodes]
    if unknown:
        raise GraphError(f"the graph lacks columns of the table: {listed(unknown)}. Leave them out of the table.")
    relation = relation_of(graph, prepared.table.names)
    if has_numbers:
        problem = work.problem_of_score(config, relation, unit_free=_is_unit_free(asked, prepared))
        scores, variables = problem.scores, problem.names
    else:
        # Counts have no order: there is nothing to number.
        scores, variables = family_scores(prepared.table, config, threads=threads), prepared.table.names
    families = parent_sets(dag, prepared, variables)
    check_rows(families, variables, scores, prepared.table.total, "the graph")
    if not scores.score_equivalent and isinstance(graph, PDAG) and graph.undirected:
        raise GraphError(
            f"{config.score} differs between the DAGs of a class, so a PDAG has no {config.score} score. Give a DAG; "
            "stablebn learn --dag writes one."
        )
    exact = {name: scores.family(v, families[v]) for v, name in enumerate(variables)}
    by_node = {name: to_float(exact.get(name, 0)) for name in prepared.names}
    return GraphScore(to_float(sum(exact.values())), by_node, config.score)


def _scored_as_learned(asked: ScoreArguments) -> ScoreArguments:
    """Let a result be scored by the score that it was learned by, unless another one is named."""
    if asked.score != AUTOMATIC or not isinstance(asked.graph, Result):
        return _with_usual_score(asked)
    own = {entry.name: asked.graph.config[entry.name] for entry in options_of(ScoreConfig)}
    given = {name: value for name, value in changed_options(asked, (ScoreConfig,)).items() if value != AUTOMATIC}
    return asked.as_used(**{**own, **given})


@takes(FitArguments, describe)
def fit(*arguments: Any, **options: Any) -> Network:
    """Estimate the parameters of a graph.

    A table for a result that was learned with `discretise` or `levels` gets the result's cut points and levels, unless
    others are specified; so do rows whose likelihood under the network is computed. A declared level that no row has
    gets the probability 0 with "ml".

    Returns
    -------
    Network

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(1000, seed=1)
    >>> sb.fit([("smoke", "lung"), ("smoke", "bronc")], table, columns=["smoke", "lung", "bronc"])
    <Network '': 3 categorical nodes, 2 arcs>
    """
    from stablebn.networks.fit import fit as fit_parameters

    asked = with_own_reading(FitArguments.from_call("fit", arguments, options))
    prepared = _prepared(
        asked,
        _binning(asked) or _cuts_of(asked.graph),
        learned=_decisions_of(asked.graph),
        learned_levels=_levels_of(asked.graph),
    )
    dag = as_dag(asked.graph, prepared.names)
    return fit_parameters(dag, prepared, method=asked.method, iss=asked.iss, unseen=asked.unseen)


@checked_arguments(as_cpdag=flag, sid=flag)
def compare(learned: object, true: object, *, as_cpdag: bool = True, sid: bool = False) -> Comparison:
    """Compare a learned graph with the true one, nodes matched by name.

    Parameters
    ----------
    learned, true : DAG, PDAG, result, network, networkx graph, path or name
        The path of a file that `stablebn.read_graph` reads, or the name of a network, such as "alarm".
    as_cpdag : bool
        Compare the CPDAGs of both graphs; otherwise the edges as they stand.
    sid : bool
        Whether to tell the structural intervention distance too: always of the DAGs as they stand. It needs the extra
        `sid`.

    Returns
    -------
    Comparison
        Counts and ratios of edges, of the skeleton and of arrowheads, and the edges that differ.

    Examples
    --------
    >>> import stablebn as sb
    >>> result = sb.learn(sb.read_network("asia").sample(1000, seed=1))
    >>> found = sb.compare(result, "asia")
    >>> found.skeleton.precision, found.skeleton.recall
    (1.0, 0.875)
    """
    # File formats take time to import, and learning does not need them.
    from stablebn.networks import graph_of

    return compare_graphs(graph_of(learned), graph_of(true), as_cpdag=as_cpdag, sid=sid)


@takes(CITestArguments, describe)
def ci_test(*arguments: Any, **options: Any) -> CITest:
    """Test whether two variables are independent given some others.

    Returns
    -------
    CITest

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(1000, seed=1)
    >>> sb.ci_test(table, "smoke", "xray", given="either").independent()
    True
    """
    asked = with_own_reading(CITestArguments.from_call("ci_test", arguments, options))
    prepared = _prepared(asked, _binning(asked))
    # None may be a name: here it does not stand for the default.
    bound = inspect.signature(ci_test).bind(*arguments, **options).arguments
    given = _columns_given(bound.get("given", ()), prepared)
    tested = (asked.x, asked.y, *given)
    unknown = [name for name in tested if not is_hashable(name) or name not in prepared.decisions]
    if unknown:
        raise OptionError(f"the table has no columns {listed(unknown)}.")
    aside = {name: prepared.decisions[name].why for name in tested if name in prepared.aside}
    if aside:
        raise OptionError(f"columns that were set aside: {tallied(aside)}. Say kinds= for them.")
    if len(set(tested)) < len(tested):
        raise OptionError(f"x, y and given must be different columns; got {listed(tested, most=99)}.")
    unit_free = asked.unit_free is not False
    name, outcome = tested_alone(prepared.table, asked.x, asked.y, given, asked.test, unit_free=unit_free)
    return CITest(asked.x, asked.y, given, name, *outcome)


def _columns_given(given: Iterable[Hashable] | Hashable, prepared: Prepared) -> tuple[Hashable, ...]:
    """The columns to condition on; what is itself the name of a column is that one, be it text or a tuple."""
    if isinstance(given, str) or not is_iterable(given):
        return (given,)
    return (given,) if isinstance(given, tuple) and given in prepared.decisions else tuple(given)
