"""Model averaging: the edges that most bootstrap samples confirm, directed by a search among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from stablebn.errors import DataError
from stablebn.learners.fges import fges
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.pattern import Pattern
from stablebn.learners.shared.problem import Problem, Resampling
from stablebn.learners.tabu_stable import tabu_stable
from stablebn.search import Climb, Constraints
from stablebn.stats.variable_sets import bit, members
from stablebn.threads import run_at_once

Edges = list[tuple[int, int]]


def averaged(problem: Problem, config: SearchConfig) -> Climb | Pattern:
    """Learn from bootstrap samples of the rows, and search once more among the edges that most of them have.

    A graph is learned from each of `resamples` samples, by `fges` or, if the score differs between the DAGs of a class,
    by `tabu-stable`. An edge is kept if more than half of these graphs have it, in whichever direction; required arcs
    are kept too. Then the same algorithm learns from all rows, with no other edges allowed. So the result always has a
    DAG, and directions follow from all the data and not from a vote edge by edge, which may contradict itself.

    The samples belong to the rows in canonical order, so every layout of a table has the same ones.

    References
    ----------
    Friedman, Goldszmidt and Wyner, "Data analysis with Bayesian networks: a bootstrap approach", 1999.
    Broom, Do and Subramanian, "Model averaging strategies for structure learning in Bayesian networks with limited
    data", 2012.
    """
    assert problem.resampling is not None, "the problem has no rows to draw from"
    samples = _edges_of_samples(problem, problem.resampling, config)
    joined = Counter(edge for edges in samples.values() for edge in edges)
    n = problem.scores.n
    candidates = [0] * n
    for (u, v), count in joined.items():
        if 2 * count > len(samples):
            candidates[u] |= bit(v)
            candidates[v] |= bit(u)
    # If there was no time for a sample, nothing is known against an edge.
    among = candidates if samples else [bit(n) - 1] * n
    constraints = (problem.constraints or Constraints.of(n)).among(among)
    found = _learn(replace(problem, constraints=constraints), config)
    return replace(found, finished=found.finished and len(samples) == config.resamples)


def _learn(problem: Problem, config: SearchConfig) -> Climb | Pattern:
    if problem.statistics.has_holes or not problem.scores.score_equivalent:
        return tabu_stable(problem, config)
    return fges(problem, config)


def _edges_of_samples(problem: Problem, resampling: Resampling, config: SearchConfig) -> Mapping[int, Edges]:
    """Return, by number of the sample, the edges (u, v), u < v, of the graph of each bootstrap sample that was learned.

    A sample from which nothing can be learned has no edges: it has too few values of a column, or too few rows for the
    families that are required.
    """
    found: dict[int, Edges] = {}
    number = {name: v for v, name in enumerate(problem.names)}
    journal = problem.journal
    if journal is not None:
        found = {replicate: [(u, v) for u, v in edges] for replicate, edges in journal.recall("samples") or []}
        journal.note("samples", lambda: [[replicate, edges] for replicate, edges in list(found.items())])

    def learn(replicate: int) -> None:
        if problem.time_is_up():
            return
        try:
            sample = replace(
                resampling.problem(config.resample_seed, replicate),
                deadline=problem.deadline,
                interruption=problem.interruption,
            )
        except DataError:
            found[replicate] = []
            return
        required = [] if sample.constraints is None else sample.constraints.required
        if not all(sample.scores.is_candidate(v, family) for v, family in enumerate(required)):
            found[replicate] = []
            return
        graph = _learn(sample, config)
        if not graph.finished:
            return
        if isinstance(graph, Pattern):
            arcs = [*graph.directed, *graph.undirected]
        else:
            arcs = [(u, v) for v, family in enumerate(graph.parents) for u in members(family)]
        pairs = [sorted((number[sample.names[u]], number[sample.names[v]])) for u, v in arcs]
        found[replicate] = sorted((u, v) for u, v in pairs)
        if problem.watch is not None:
            problem.watch("samples", len(found))
        if journal is not None:
            journal.something_is_new()

    missing = [replicate for replicate in range(config.resamples) if replicate not in found]
    run_at_once([partial(learn, replicate) for replicate in missing], resampling.threads, lambda: None)
    return found
