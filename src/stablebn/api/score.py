"""`stablebn.score`: score a graph against a table."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import replace
from typing import Any

from stablebn.api.arguments import ScoreArguments, changed_options, describe
from stablebn.api.build_problem import is_unit_free, with_usual_score
from stablebn.api.read_table import read_table, schema_of
from stablebn.errors import GraphError, listed
from stablebn.fixed_point import to_float
from stablebn.graph import DAG, PDAG
from stablebn.graph.convert import Graph
from stablebn.learners import AUTOMATIC
from stablebn.learners.shared.problem import WorkOnTable
from stablebn.options import options_of, takes
from stablebn.prepare.prepared import Prepared
from stablebn.prepare.read_options import with_own_reading
from stablebn.result.constraints_from_names import (
    check_rows,
    extended,
    forbidden_by_kind,
    parent_sets,
    read_as_graph,
    relation_of,
)
from stablebn.result.result import GraphScore, Result
from stablebn.scores.base import CompiledScores
from stablebn.scores.registry import ScoreConfig, family_scores, numbers_matter
from stablebn.threads import cores


@takes(ScoreArguments, describe)
def score(*arguments: Any, **options: Any) -> GraphScore:
    """Score a graph against a table; for a learned graph this is exactly its `score`.

    If the graph is a result that was learned with `discretise`, `levels` or `unit_free`, its cut points, levels and
    units are used, unless others are given. The options are the fields of `stablebn.api.arguments.ScoreArguments`;
    `help(stablebn.score)` describes them.

    Returns
    -------
    GraphScore
    """
    parsed = _with_score_of_result(with_own_reading(ScoreArguments.from_call("score", arguments, options)))
    config = parsed.part(ScoreConfig)
    table = read_table(parsed, schema_of(parsed.graph))
    work = WorkOnTable(table.table, threads=parsed.threads or cores())
    if numbers_matter(table.table, config):
        work.check_memory()
    graph = read_as_graph(parsed.graph, table.names)
    forbidden = forbidden_by_kind(config, {name: table.kinds[name] for name in table.table.names})
    dag = extended(graph, forbidden)
    _check_graph(dag, forbidden, table)
    scores, variables = _family_scores(parsed, config, table, graph, work)
    families = parent_sets(dag, table, variables)
    check_rows(families, variables, scores, table.table.total, "the graph")
    if not scores.score_equivalent and isinstance(graph, PDAG) and graph.undirected:
        raise GraphError(
            f"{config.score} differs between the DAGs of a class, so a PDAG has no {config.score} score. Give a DAG; "
            "stablebn learn --dag writes one."
        )
    exact = {name: scores.family(v, families[v]) for v, name in enumerate(variables)}
    by_node = {name: to_float(exact.get(name, 0)) for name in table.names}
    return GraphScore(to_float(sum(exact.values())), by_node, config.score)


def _with_score_of_result(parsed: ScoreArguments) -> ScoreArguments:
    """Score a result by the score and the units that it was learned with, unless others are given."""
    graph = parsed.graph
    if not isinstance(graph, Result):
        return with_usual_score(parsed)
    if parsed.score == AUTOMATIC:
        learned = {entry.name: graph.config[entry.name] for entry in options_of(ScoreConfig)}
        given = {name: value for name, value in changed_options(parsed, (ScoreConfig,)).items() if value != AUTOMATIC}
        parsed = parsed.as_used(**{**learned, **given})
    else:
        parsed = with_usual_score(parsed)
    if parsed.unit_free is None and graph.config.get("unit_free") is False:
        parsed = replace(parsed, unit_free=False)
    return parsed


def _check_graph(dag: DAG, forbidden: Collection[tuple[Hashable, Hashable]], table: Prepared) -> None:
    """Raise an error for arcs that the kinds of columns forbid, and for columns that the graph lacks."""
    arcs = set(dag.arcs)
    barred = [arc for arc in forbidden if arc in arcs]
    if barred:
        raise GraphError(
            f"the graph has arcs from continuous to categorical variables: {listed(barred)}. Conditional linear "
            'Gaussian networks have none; say arcs="any" (command line: --arcs any) for all arcs.'
        )
    nodes = set(dag.nodes)
    unknown = [name for name in table.kinds if name not in nodes]
    if unknown:
        raise GraphError(f"the graph lacks columns of the table: {listed(unknown)}. Leave them out of the table.")


def _family_scores(
    parsed: ScoreArguments, config: ScoreConfig, table: Prepared, graph: Graph, work: WorkOnTable
) -> tuple[CompiledScores, tuple[Hashable, ...]]:
    """Return the scores of families, and the names of the variables by number."""
    if not numbers_matter(table.table, config):
        # Counts are the same in any order: the variables need no canonical numbers.
        return family_scores(table.table, config, threads=parsed.threads or cores()), table.table.names
    relation = relation_of(graph, table.table.names)
    problem = work.problem_of_score(config, relation, unit_free=is_unit_free(parsed, table))
    return problem.scores, problem.names
