"""Build the result of learning: the graph under the names of the variables, its warnings, and its proof."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from stablebn.api.arguments import LearnArguments, about_the_table, changed_options
from stablebn.api.build_problem import LearningTask
from stablebn.api.read_table import kinds_before_binning
from stablebn.api.request import LearnRequest
from stablebn.graph.json_names import json_text
from stablebn.learners import Pattern, Problem, SearchConfig
from stablebn.messages import Caution
from stablebn.prepare.prepared import Prepared
from stablebn.result.build import (
    LearnedGraph,
    has_proof,
    learned_graph,
    order_warnings,
    rounded_warning,
    unfinished_warning,
    unjoinable_warnings,
)
from stablebn.result.constraints_from_names import merged_away, unjoinable_pairs
from stablebn.result.result import Result
from stablebn.scores.registry import ScoreConfig
from stablebn.search import Climb
from stablebn.table.data_kinds import kind_of

if TYPE_CHECKING:
    from stablebn.exact.certificate import GraphProof
    from stablebn.learners.shared.best_dag import BestDag
    from stablebn.learners.shared.checkpoint import SearchCheckpoint

logger = logging.getLogger(__name__)

# Options of a table that its user gives again with the table, so that a certificate does not need them.
_GIVEN_AGAIN = ("names", "sep", "decimal", "encoding")


def build_result(found: Climb | Pattern, task: LearningTask, table: Prepared, request: LearnRequest) -> Result:
    """Name the variables of the graph that was found, score it, and report everything that led to it."""
    clock, problem = request.clock, task.problem
    merged = merged_away(table)
    nodes = [name for name in table.names if name not in merged]
    learned = learned_graph(found, problem, nodes, clock.latest(0.5))
    clock.mark("search")
    is_searched = found.finished and not task.decided_by_names
    result = Result(
        pdag=learned.pdag,
        dag=learned.dag,
        score=learned.score,
        order=tuple(problem.names[v] for v in found.order),
        trace=found.named_trace(problem.names),
        conflicts=learned.conflicts,
        warnings=_warnings(found, learned, task, table, is_searched=is_searched),
        kinds=table.kinds,
        decisions=table.decisions,
        constants=tuple(table.constants),
        merged=table.merged,
        cuts=table.cuts,
        levels=table.levels,
        rows=table.whole.total,
        fewest_rows=learned.fewest_rows,
        config=task.options.recorded(),
        chosen=task.chosen,
        fingerprint=learned.fingerprint,
        finished=is_searched and learned.has_all_digits,
        known=learned.known,
        known_arcs=task.known,
        strengths_at_hand=learned.strengths,
        tied_arcs=learned.tied_arcs,
        undetermined_arcs=learned.undetermined_arcs,
        order_source=found.order_source(problem.names) if isinstance(found, Climb) else None,
        canonical=tuple(problem.names[v] for v in problem.decreasing),
        prepared=table,
        problem=_kept_problem(task, request),
        proof=_proof(found, learned, task, table),
        timings={**clock.timings, "total": clock.total},
    )
    logger.info("%s: %d arcs, score %s, %.3f s", task.options.algorithm, len(result.arcs), result.score, clock.total)
    return result


def _warnings(
    found: Climb | Pattern, learned: LearnedGraph, task: LearningTask, table: Prepared, *, is_searched: bool
) -> tuple[Caution, ...]:
    """Collect the warnings of the table, the order, the graph and the search."""
    problem, checkpoint = task.problem, task.checkpoint
    unfinished: tuple[Caution, ...] = ()
    if not is_searched:
        has_checkpoint = checkpoint is not None and checkpoint.failure is None
        unfinished = (unfinished_warning(found, problem, task.search, has_checkpoint=has_checkpoint),)
    rounded = () if learned.has_all_digits else (rounded_warning(task.search),)
    return (
        *table.warnings,
        *task.warnings,
        *order_warnings(problem, table),
        *learned.warnings,
        *unjoinable_warnings(problem, learned, unjoinable_pairs(task.known, task.forbidden_by_kind, table)),
        *unfinished,
        *rounded,
        *_checkpoint_warning(checkpoint),
    )


def _checkpoint_warning(checkpoint: SearchCheckpoint | None) -> tuple[Caution, ...]:
    """Warn if the checkpoint could not be written."""
    if checkpoint is None or checkpoint.failure is None:
        return ()
    return (Caution("checkpoint", (), f"The checkpoint is not up to date: {checkpoint.failure}"),)


def _kept_problem(task: LearningTask, request: LearnRequest) -> Problem | None:
    """Return the problem for the explanations of the result, without what belongs to one run.

    `None` if explanations must number the variables again: a start graph or other names took part, time was up while
    they were ordered, or the statistics are in the memory of a GPU.
    """
    if task.started_from_graph or request.called is not None or task.problem.undecided:
        return None
    if task.options.engine == "gpu":
        return None
    return replace(
        task.problem, start=None, deadline=None, interruption=None, watch=None, journal=None, resampling=None
    )


def _proof(found: Climb | Pattern, learned: LearnedGraph, task: LearningTask, table: Prepared) -> GraphProof | None:
    """Return what is proven of the graph, with its certificate; `None` if nothing is."""
    if learned.score is None or not has_proof(found):
        return None
    # Imported here because it takes time, and few algorithms prove.
    from stablebn.exact.certificate import Certificate, graph_proof

    certificate = Certificate(
        # In the form that they have in a file.
        options=json.loads(json_text(_options_of_certificate(found, task.options, table))),
        known=task.known,
        variables=task.problem.names,
        parents=found.parents,
        score=found.proof.score,
        bound=found.proof.bound,
        trees=found.proof.trees,
        besides=found.besides,
    )
    return graph_proof(found.proof, learned.score, certificate)


def _options_of_certificate(found: BestDag, used: LearnArguments, table: Prepared) -> dict[str, object]:
    """Return the options that decide which graphs there are and how they are scored."""
    entries = {**about_the_table(used), **changed_options(used, (ScoreConfig, SearchConfig)), **found.limits}
    # The time that the search took proves nothing.
    for name in (*_GIVEN_AGAIN, *(() if isinstance(used.weights, str) else ("weights",)), "max_time"):
        entries.pop(name, None)
    if not kind_of(table.table).has_units:
        entries.pop("unit_free", None)
    if not used.kinds:
        entries.pop("kinds", None)
    elif isinstance(used.kinds, Mapping):
        entries["kinds"] = list(kinds_before_binning(table).items())
    if used.levels is not None:
        entries["levels"] = list(table.levels.items())
    return entries
