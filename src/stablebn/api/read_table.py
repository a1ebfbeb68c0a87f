"""Read the table of a public function as its arguments say."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeAlias

from stablebn.api.arguments import (
    CheckArguments,
    CITestArguments,
    FitArguments,
    LearnArguments,
    ScoreArguments,
    about_the_table,
)
from stablebn.api.request import LearnRequest
from stablebn.columns.kinds import Kind
from stablebn.errors import DataError
from stablebn.learners import AUTOMATIC, learner_of
from stablebn.learners.shared.config import EQUIVALENCE_CLASSES
from stablebn.prepare.prepare import prepare
from stablebn.prepare.prepared import Prepared, Schema
from stablebn.prepare.read_options import ReadOptions, Storage, with_own_reading
from stablebn.result.result import Result
from stablebn.scores.registry import WITH_MISSING

TableArguments: TypeAlias = LearnArguments | ScoreArguments | CheckArguments | FitArguments | CITestArguments

_ANY_SCHEMA = Schema()


def read_table(arguments: TableArguments, like: Schema = _ANY_SCHEMA) -> Prepared:
    """Read a table as the arguments say, and as `like` says if they say nothing.

    The rows are in memory, except for learning, which needs only sums over them. If reading fails, the options that
    solve the problem include the given ones.
    """
    is_learning = isinstance(arguments, LearnArguments)
    try:
        table = prepare(
            arguments.data,
            arguments.part(ReadOptions),
            arguments.part(Storage),
            like=like,
            progress=arguments.progress if isinstance(arguments, LearnArguments) else None,
            offer_available=_takes_incomplete(arguments),
        )
    except DataError as error:
        if error.remedy:
            error.remedy = {**about_the_table(arguments), **error.remedy}
        raise
    return table if is_learning else table.held()


def prepare_table(request: LearnRequest) -> Prepared:
    """Read the table of a request within its time limit, unless it has been read before."""
    if request.table is not None:
        return request.table
    return request.in_time(lambda: read_table(request.options), latest=request.clock.latest())


def read_table_again(arguments: LearnArguments, result: Result) -> Prepared:
    """Read the table that a result was learned from, with the kinds and levels that its columns had then."""
    return read_table(with_own_reading(arguments), schema_of(result, with_cuts=False))


def schema_of(graph: object, *, with_cuts: bool = True) -> Schema:
    """Return the kinds, levels and cut points that a graph was learned with.

    Only a result has kinds and levels, and only a result or a network has cut points. Columns with cut points have no
    decision: they were continuous.
    """
    cuts = (getattr(graph, "cuts", None) or {}) if with_cuts else {}
    if not isinstance(graph, Result):
        return Schema(cuts=cuts)
    decisions = {name: decision for name, decision in graph.decisions.items() if name not in graph.cuts}
    return Schema(decisions, graph.levels, cuts)


def kinds_before_binning(table: Prepared) -> dict[Hashable, Kind]:
    """Return the kinds of the columns that were not made categorical by cut points."""
    return {name: kind for name, kind in table.kinds.items() if name not in table.cuts}


def _takes_incomplete(arguments: TableArguments) -> bool:
    """Return whether the score and the algorithm work with missing="available"."""
    if not isinstance(arguments, LearnArguments | ScoreArguments):
        return True
    is_by_class = (
        isinstance(arguments, LearnArguments) and EQUIVALENCE_CLASSES in learner_of(arguments.algorithm).traits
    )
    return arguments.score in (AUTOMATIC, *WITH_MISSING) and not is_by_class
