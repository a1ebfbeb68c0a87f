"""Model averaging: keep the edges that most bootstrap samples have, then search among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from stablebn import _core
from stablebn.errors import DataError
from stablebn.learners.fges import fges
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.pattern import Pattern
from stablebn.learners.shared.problem import Problem
from stablebn.learners.tabu_stable import tabu_stable
from stablebn.search import Climb, Constraints
from stablebn.stats.variable_sets import bit, members
from stablebn.threads import run_at_once

Edges = list[tuple[int, int]]


def averaged(problem: Problem, config: SearchConfig) -> Climb | Pattern:
    """Learn from bootstrap samples of the rows, then search among the edges that most samples have.

    A graph is learned from each of `resamples` samples, by `fges` or, if the score differs between the DAGs of a Markov
    equivalence class, by `tabu-stable`. An edge is kept if more than half of the graphs have it, in whichever
    direction; required arcs are kept too. Then the same algorithm learns from all rows, with no other edges allowed. So
    the result always has a DAG. Directions follow from all the data, not from a vote per edge, which may contradict
    itself.

    The samples are drawn from the rows in canonical order, so they do not depend on the row and column order of the
    table.

    References
    ----------
    Friedman, Goldszmidt and Wyner, "Data analysis with Bayesian networks: a bootstrap approach", 1999.
    Broom, Do and Subramanian, "Model averaging strategies for structure learning in Bayesian networks with limited
    data", 2012.
    """
    samples = _edges_of_samples(problem, config)
    counts = Counter(edge for edges in samples.values() for edge in edges)
    n = problem.scores.n
    candidates = [0] * n
    for (u, v), count in counts.items():
        if 2 * count > len(samples):
            candidates[u] |= bit(v)
            candidates[v] |= bit(u)
    # If there was no time for any sample, no edge is excluded.
    allowed_edges = candidates if samples else [bit(n) - 1] * n
    constraints = (problem.constraints or Constraints.of(n)).among(allowed_edges)
    result = _learn(replace(problem, constraints=constraints), config)
    return replace(result, finished=result.finished and len(samples) == config.resamples)


def _learn(problem: Problem, config: SearchConfig) -> Climb | Pattern:
    """Learn with FGES, or with Tabu-Stable if FGES cannot use the score."""
    if problem.statistics.has_missing or not problem.scores.score_equivalent:
        return tabu_stable(problem, config)
    return fges(problem, config)


def _edges_of_samples(problem: Problem, config: SearchConfig) -> Mapping[int, Edges]:
    """Return the sorted edges (u, v), u < v, that were learned from each bootstrap sample, by the number of the sample.

    If the time was up before rows could be drawn (`resampling` is None), return only the samples of an earlier run. A
    sample has no edges if nothing can be learned from it: a column has too few values in it, or it has too few rows for
    the required parents.
    """
    edges_of: dict[int, Edges] = {}
    number = {name: v for v, name in enumerate(problem.names)}
    journal = problem.journal
    if journal is not None:
        edges_of = {replicate: [(u, v) for u, v in edges] for replicate, edges in journal.recall("samples") or []}
        journal.note("samples", lambda: [[replicate, edges] for replicate, edges in list(edges_of.items())])
    resampling = problem.resampling
    if resampling is None:
        return edges_of

    def learn(replicate: int) -> None:
        if problem.time_is_up():
            return
        try:
            draw = partial(resampling.problem, config.resample_seed, replicate)
            drawn = _core.within_time(problem.time_is_up, draw)
        except _core.TimeIsUp:
            return
        except DataError:
            edges_of[replicate] = []
            return
        sample = replace(drawn, deadline=problem.deadline, interruption=problem.interruption)
        required = [] if sample.constraints is None else sample.constraints.required
        if not all(sample.scores.is_candidate(v, family) for v, family in enumerate(required)):
            edges_of[replicate] = []
            return
        graph = _learn(sample, config)
        if not graph.finished:
            return
        if isinstance(graph, Pattern):
            arcs = [*graph.directed, *graph.undirected]
        else:
            arcs = [(u, v) for v, family in enumerate(graph.parents) for u in members(family)]
        pairs = [sorted((number[sample.names[u]], number[sample.names[v]])) for u, v in arcs]
        edges_of[replicate] = sorted((u, v) for u, v in pairs)
        if problem.watch is not None:
            problem.watch("samples", len(edges_of))
        if journal is not None:
            journal.something_is_new()

    missing = [replicate for replicate in range(config.resamples) if replicate not in edges_of]
    run_at_once([partial(learn, replicate) for replicate in missing], resampling.threads, lambda: None)
    return edges_of
