"""From what a learner found to graphs under names: the DAG, its score, its fingerprint, and what to worry about."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from stablebn.data import Caution, Prepared
from stablebn.data.wording import MOST_SHOWN
from stablebn.errors import listed
from stablebn.fixed_point import to_float
from stablebn.graph import DAG, PDAG
from stablebn.graph.names import name_key
from stablebn.learners import Pattern, Problem, SearchConfig, graph_score
from stablebn.learners.exact import BestDag
from stablebn.scores.available import NodeAverageScores
from stablebn.search import Climb
from stablebn.stats import MixedStatistics
from stablebn.stats.variable_sets import bit, members

_NO_DIRECTIONS = " It has no directions yet, and so no DAG, no score and no parameters."


@dataclass(frozen=True)
class LearnedGraph:
    """What a learner found, under the names of the variables; its parts are those of `Result`."""

    pdag: PDAG
    dag: DAG | None
    score: float | None
    fingerprint: str
    fewest_rows: int | None
    known: tuple[tuple[Hashable, Hashable], ...]
    conflicts: tuple[tuple[Hashable, Hashable, Hashable], ...] = ()
    warnings: tuple[Caution, ...] = ()


def learned_graph(found: Climb | Pattern, problem: Problem, nodes: Sequence[Hashable]) -> LearnedGraph:
    """Give names to what a learner found.

    Parameters
    ----------
    found : Climb or Pattern
    problem : Problem
        That it was found for.
    nodes : sequence of names
        Of the graph: also variables that took no part.

    Raises
    ------
    AssertionError
        The graph has an arc that is not allowed: the learner is wrong.
    """
    return _of_dag(found, problem, nodes) if isinstance(found, Climb) else _of_pattern(found, problem, nodes)


def _of_dag(found: Climb, problem: Problem, nodes: Sequence[Hashable]) -> LearnedGraph:
    parents = [members(family) for family in found.parents]
    numbered = [(u, v) for v, family in enumerate(parents) for u in family]
    known = _known(numbered, problem)
    arcs = _named(numbered, problem.names)
    score = to_float(graph_score(problem, found.parents))
    fewest, cautions = _fewest_rows(problem, found.parents)
    return LearnedGraph(
        pdag=PDAG(nodes, arcs, ()),
        dag=DAG(nodes, arcs),
        score=score,
        fingerprint=_fingerprint_of_dag(parents, score),
        fewest_rows=fewest,
        known=known,
        warnings=(*_warnings_of_rows(problem, found.parents), *cautions),
    )


def _of_pattern(found: Pattern, problem: Problem, nodes: Sequence[Hashable]) -> LearnedGraph:
    names = problem.names
    n = len(names)
    # By canonical numbers, so that no name has a say in which of the extensions it is.
    extension = PDAG(range(n), found.directed, found.undirected).extension() if found.has_directions else None
    families = [] if extension is None else [sum(bit(int(str(u))) for u in extension.parents(v)) for v in range(n)]
    scored = extension is not None and all(map(problem.scores.is_candidate, range(n), families))
    score = to_float(graph_score(problem, families)) if scored else None
    conflicts = tuple((names[a], names[c], names[b]) for a, c, b in found.conflicts)
    numbered = [(u, v) for v, family in enumerate(families) for u in members(family)]
    known = _known(numbered or found.directed, problem)
    arcs = _named(numbered, names)
    fewest, cautions = (None, ()) if extension is None else _fewest_rows(problem, families)
    return LearnedGraph(
        pdag=PDAG(nodes, _named(found.directed, names), _named(found.undirected, names)),
        dag=None if extension is None else DAG(nodes, arcs),
        score=score,
        fingerprint=_fingerprint_of_pattern(n, found, score),
        fewest_rows=fewest,
        known=known,
        conflicts=conflicts,
        warnings=(
            *_warnings_of_pattern(conflicts, extendable=extension is not None or not found.has_directions),
            *_warnings_of_rows(problem, families),
            *cautions,
        ),
    )


def _known(arcs: Sequence[tuple[int, int]], problem: Problem) -> tuple[tuple[Hashable, Hashable], ...]:
    """The arcs of a learned graph whose other direction is not allowed; one that is not allowed itself is no result."""
    allowed = problem.allowed
    if allowed is None:
        return ()
    barred = _named((arc for arc in arcs if arc not in allowed), problem.names)
    if barred:
        raise AssertionError(f"a fault of stablebn: the learned graph has arcs that are not allowed: {barred}.")
    return tuple(_named(((u, v) for u, v in arcs if (v, u) not in allowed), problem.names))


def _fewest_rows(problem: Problem, families: Sequence[int]) -> tuple[int, tuple[Caution, ...]]:
    """On how many rows that family of a DAG rests that has the fewest, and a word on it where values are missing."""
    scores, total = problem.scores, problem.statistics.total
    if not isinstance(scores, NodeAverageScores):
        return total, ()
    rows = [scores.complete_rows(v, family) for v, family in enumerate(families)]
    # Of several the first in canonical order: names and layout have no say.
    at = min(problem.decreasing, key=rows.__getitem__)
    child, parents = problem.names[at], [problem.names[u] for u in members(families[at])]
    with_parents = f"with parents {listed(sorted(parents, key=name_key))}" if parents else "without parents"
    message = f"the family with the fewest complete rows is {child!r} {with_parents}: {rows[at]:,} of {total:,}."
    return rows[at], (Caution("fewest-rows", (child, *parents), message),)


def _named(edges: Iterable[tuple[int, int]], names: Sequence[Hashable]) -> list[tuple[Hashable, Hashable]]:
    return [(names[u], names[v]) for u, v in edges]


def _warnings_of_pattern(
    conflicts: Sequence[tuple[Hashable, Hashable, Hashable]], *, extendable: bool
) -> Iterator[Caution]:
    if conflicts:
        shown = ", ".join(f"{a} -> {c} <- {b}" for a, c, b in conflicts[:3]) + (", ..." if len(conflicts) > 3 else "")
        columns = tuple(dict.fromkeys(c for _, c, _ in conflicts))
        yield Caution("conflicts", columns, f"The tests contradict each other: not followed {shown} (see conflicts).")
    if not extendable:
        yield Caution(
            "not-extendable",
            (),
            "No DAG extends the learned graph: it has no score, no CPDAG and no parameters. See pdag; "
            "a smaller alpha or a learner that climbs may help.",
        )


def _warnings_of_rows(problem: Problem, families: Sequence[int]) -> Iterator[Caution]:
    """What to say where rows are too few for families of mixed data: of the graph, and with one parent more.

    Which families a search looked at is up to threads; how many are next to the graph that it found is not.
    """
    if not isinstance(problem.statistics, MixedStatistics):
        return
    scores, allowed, names = problem.scores, problem.allowed, problem.names
    unscored = [v for v, family in enumerate(families) if not scores.is_candidate(v, family)]
    if unscored:
        yield Caution(
            "too-few-rows",
            tuple(names[v] for v in unscored),
            "The learned graph has no score: some configuration of categories has too few rows for the continuous "
            f"variables in the families of {listed(sorted((names[v] for v in unscored), key=name_key))}.",
        )
    barred = [
        (u, v)
        for v, family in enumerate(families)
        for u in range(scores.n)
        if u != v
        and not family >> u & 1
        and (allowed is None or (u, v) in allowed)
        and not scores.is_candidate(v, family | bit(u))
    ]
    if barred:
        columns = sorted({names[v] for _, v in barred}, key=name_key)
        yield Caution(
            "small-strata",
            tuple(columns),
            f"{len(barred)} larger families were no candidates, as some configuration of categories in them has too "
            f"few rows for their continuous variables: those of {listed(columns)}. Joining rare categories lets them "
            "in.",
        )


def order_warnings(problem: Problem, prepared: Prepared) -> Iterator[Caution]:
    """What to say where names have decided; of identical columns and copies it has been said."""
    said = [set(group) for group in (*prepared.identical, *prepared.copies)]
    groups = [sorted((problem.names[v] for v in group), key=name_key) for group in problem.interchangeable]
    told = sorted(
        (group for group in groups if not any(set(group) <= known for known in said)),
        key=lambda group: name_key(group[0]),
    )
    if told:
        shown = "; ".join(map(listed, told[:MOST_SHOWN])) + ("; ..." if len(told) > MOST_SHOWN else "")
        yield Caution(
            "interchangeable",
            tuple(name for group in told for name in group),
            f"only names decide between columns that can be exchanged without a change of the table: {shown}.",
        )
    if problem.undecided:
        names = sorted((problem.names[v] for v in problem.undecided), key=name_key)
        yield Caution(
            "names-decide",
            tuple(names),
            f"these columns look so much alike that names had to decide between them: {listed(names)}. Under other "
            "names the graph may be another.",
        )


def unfinished_warning(found: Climb | Pattern, config: SearchConfig) -> Caution:
    """What to say of a learner that has not finished."""
    if isinstance(found, BestDag):
        sets = [] if found.proof.most_parents is None else [f"max_sets={config.max_sets} parent sets"]
        late = [] if config.max_time is None else [f"max_time={config.max_time} seconds"]
        met = " or ".join([*sets, *late]) or "how large a part can be solved exactly"
        message = f"The graph is not proven to be the best: a limit was met, {met}."
        return Caution("max-time" if late else "not-proven", (), message)
    # Without a limit of time it can only have been the steps, perhaps those of a search for the order.
    if config.max_time is None or (isinstance(found, Climb) and len(found.steps) == config.max_iter):
        return Caution(
            "max-iter",
            (),
            f"A search was stopped at max_iter={config.max_iter} steps: more of them may improve the graph.",
        )
    return Caution(
        "max-time",
        (),
        f"The search was stopped by max_time={config.max_time} seconds: the graph is unfinished, and another run may "
        "stop elsewhere." + ("" if isinstance(found, Climb) or found.has_directions else _NO_DIRECTIONS),
    )


def _fingerprint_of_dag(parents: Sequence[Iterable[int]], score: float) -> str:
    """Eight hexadecimal digits of a hash of the arcs between canonical numbers, and the bits of the score."""
    arcs = [(u, v) for v, family in enumerate(parents) for u in sorted(family)]
    return _fingerprint(f"{len(parents)} {arcs} {float(score).hex()}")


def _fingerprint_of_pattern(n: int, pattern: Pattern, score: float | None) -> str:
    """The same for a graph with undirected edges."""
    bits = None if score is None else float(score).hex()
    return _fingerprint(f"{n} {pattern.directed} {pattern.undirected} {bits}")


def _fingerprint(text: str) -> str:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{digest[:4]}-{digest[4:8]}"
