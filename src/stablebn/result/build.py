"""Turn the graph of an algorithm, which has numbers, into graphs under names, with score, fingerprint and warnings."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stablebn import _core
from stablebn.errors import listed, spelled
from stablebn.fixed_point import NOT_A_CANDIDATE, joined, to_float
from stablebn.graph import DAG, PDAG
from stablebn.graph.names import name_key
from stablebn.graph.pdag import as_pdag
from stablebn.learners import Pattern, Problem, SearchConfig
from stablebn.learners.shared.graph_scores import GraphScores
from stablebn.learners.shared.pattern import extension, numbered
from stablebn.learners.shared.problem import within_time
from stablebn.messages import MOST_SHOWN, Caution
from stablebn.prepare.prepared import Prepared
from stablebn.scores.incomplete import NodeAverageScores
from stablebn.search import Climb
from stablebn.search.equivalence_classes import known_arcs
from stablebn.search.reversible import reversibility
from stablebn.stats import MixedStatistics
from stablebn.stats.variable_sets import bit, members

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from stablebn.learners.shared.best_dag import BestDag

_GO_ON = " With the same checkpoint it goes on from here."
_NO_DIRECTIONS = " It has no directions yet, and so no DAG, no score and no parameters."


@dataclass(frozen=True)
class LearnedGraph:
    """A learned graph under the names of the variables; the fields are those of `Result`.

    Attributes
    ----------
    has_all_digits : bool
        Whether the score equals that of `stablebn.score` to the last digit.
    """

    pdag: PDAG
    dag: DAG | None
    score: float | None
    fingerprint: str
    fewest_rows: int | None
    known: tuple[tuple[Hashable, Hashable], ...]
    strengths: Mapping[tuple[Hashable, Hashable], float] | None
    has_all_digits: bool = True
    tied_arcs: tuple[tuple[Hashable, Hashable], ...] | None = None
    undetermined_arcs: tuple[tuple[Hashable, Hashable], ...] = ()
    conflicts: tuple[tuple[Hashable, Hashable, Hashable], ...] = ()
    warnings: tuple[Caution, ...] = ()


def learned_graph(
    found: Climb | Pattern, problem: Problem, nodes: Sequence[Hashable], latest: float | None = None
) -> LearnedGraph:
    """Name the variables of a learned graph, and score it.

    Parameters
    ----------
    found : Climb or Pattern
    problem : Problem
    nodes : sequence of names
        The nodes of the graph, including variables that took no part.
    latest : float, optional
        After this time (`time.monotonic`), the score of the search is used, whose last digits may differ.

    Raises
    ------
    AssertionError
        The graph violates the constraints of the problem: the algorithm is wrong.
    """
    if isinstance(found, Climb):
        return _of_dag(found, problem, nodes, latest)
    return _of_pattern(found, problem, nodes, latest)


def _of_dag(found: Climb, problem: Problem, nodes: Sequence[Hashable], latest: float | None) -> LearnedGraph:
    parents = [members(family) for family in found.parents]
    numbered_arcs = [(u, v) for v, family in enumerate(parents) for u in family]
    _check(numbered_arcs, (), problem)
    dag = DAG(nodes, _named(numbered_arcs, problem.names))
    score, strengths, has_all_digits = _scored(problem, found.parents, dag, latest)
    assert score is not None
    fewest, cautions = _fewest_rows(problem, found.parents)
    tied, undetermined = _reversibility(problem, found.parents)
    return LearnedGraph(
        pdag=as_pdag(dag),
        dag=dag,
        score=score,
        fingerprint=_fingerprint_of_dag(parents, score),
        fewest_rows=fewest,
        known=_known(found.parents, problem),
        strengths=strengths,
        has_all_digits=has_all_digits,
        tied_arcs=tied,
        undetermined_arcs=undetermined,
        warnings=(*_warnings_of_rows(problem, found.parents), *cautions),
    )


def has_proof(found: Climb | Pattern) -> TypeIs[BestDag]:
    """Return whether a graph was found with a proof: if so, the module of its class has been imported."""
    best_dag = sys.modules.get("stablebn.learners.shared.best_dag")
    return best_dag is not None and isinstance(found, best_dag.BestDag)


def _of_pattern(found: Pattern, problem: Problem, nodes: Sequence[Hashable], latest: float | None) -> LearnedGraph:
    names = problem.names
    n = len(names)
    _check(found.directed, found.undirected, problem)
    extended = _extension(found, problem) if found.has_directions else None
    arcs = [] if extended is None else numbered(extended.arcs)
    families = [] if extended is None else _families(arcs, n)
    dag = None if extended is None else DAG(nodes, _named(arcs, names))
    score, strengths, has_all_digits = (None, {}, True) if dag is None else _scored(problem, families, dag, latest)
    conflicts = tuple((names[a], names[c], names[b]) for a, c, b in found.conflicts)
    fewest, cautions = (None, ()) if dag is None else _fewest_rows(problem, families)
    return LearnedGraph(
        pdag=PDAG(nodes, _named(found.directed, names), _named(found.undirected, names)),
        dag=dag,
        score=score,
        fingerprint=_fingerprint_of_pattern(n, found, score),
        fewest_rows=fewest,
        known=_known(families or _families(found.directed, n), problem),
        strengths=strengths,
        has_all_digits=has_all_digits,
        conflicts=conflicts,
        warnings=(
            *_warnings_of_pattern(
                conflicts,
                extendable=dag is not None or not found.has_directions,
                free=problem.constraints is None,
            ),
            *_warnings_of_rows(problem, families),
            *cautions,
        ),
    )


def _extension(found: Pattern, problem: Problem) -> DAG | None:
    """Extend a pattern to a DAG, and check its arcs; `None` if there is no extension."""
    dag = extension(found, problem)
    if dag is not None:
        _check(numbered(dag.arcs), (), problem)
    return dag


def _known(parents: Sequence[int], problem: Problem) -> tuple[tuple[Hashable, Hashable], ...]:
    """Return the arcs of a learned graph whose direction the constraints decide."""
    if problem.constraints is None:
        return ()
    return tuple(_named(known_arcs(parents, problem.constraints), problem.names))


def _check(directed: Sequence[tuple[int, int]], undirected: Sequence[tuple[int, int]], problem: Problem) -> None:
    """Raise `AssertionError` if a learned graph violates constraints; an undirected edge counts as both of its arcs."""
    constraints = problem.constraints
    if constraints is None:
        return
    n = len(problem.names)
    parents = _families(directed, n)
    either_way = [*undirected, *((v, u) for u, v in undirected)]
    barred = [(u, v) for u, v in [*directed, *either_way] if not constraints.allows(u, v)]
    missing = [(u, v) for v in range(n) for u in members(constraints.required[v] & ~parents[v])]
    crowded = [problem.names[v] for v in range(n) if not constraints.has_room(v, parents[v].bit_count())]
    for what, found in (
        ("has arcs that are not allowed", _named(barred, problem.names)),
        ("lacks required arcs", _named(missing, problem.names)),
        ("has too many parents", crowded),
    ):
        if found:
            raise AssertionError(f"a fault of stablebn: the learned graph {what}: {listed(found)}.")


def _families(arcs: Iterable[tuple[int, int]], n: int) -> list[int]:
    """Return the parent set of each variable."""
    parents = [0] * n
    for u, v in arcs:
        parents[v] |= bit(u)
    return parents


def _scored(
    problem: Problem, families: Sequence[int], dag: DAG, latest: float | None
) -> tuple[float | None, dict[tuple[Hashable, Hashable], float] | None, bool]:
    """Return the score of a DAG, the strength of each arc, and whether the score has full precision.

    The score is `None` if there are too few rows, the strengths are `None` if they would take long. The DAG is given
    by the parent set of each variable, and by names.
    """

    def scored() -> tuple[GraphScores, int | None]:
        scores = GraphScores.of_problem(problem)
        return scores, scores.of_dag(families)

    has_all_digits = True
    try:
        scores, exact = scored() if latest is None else within_time(latest, scored)
    except _core.TimeIsUp:
        scores = GraphScores.by_numbers_of(problem, families)
        exact, has_all_digits = scores.of_dag(families), False
    if exact is None:
        return None, {}, has_all_digits
    score = to_float(exact)
    if scores.depend_on_ties(families):
        return score, None, has_all_digits
    number = {name: v for v, name in enumerate(problem.names)}
    strengths = {}
    for a, b in dag.arcs:
        u, v = number[a], number[b]
        own, without = scores.of_family(v, families[v]), scores.of_family(v, families[v] & ~bit(u))
        # Fewer parents never need more rows.
        if own is not None and without is not None:
            strengths[a, b] = score - to_float(exact + without - own)
    return score, strengths, has_all_digits


def _reversibility(
    problem: Problem, families: Sequence[int]
) -> tuple[tuple[tuple[Hashable, Hashable], ...] | None, tuple[tuple[Hashable, Hashable], ...]]:
    """Return the `tied_arcs` and the `undetermined_arcs` of a result."""
    if problem.scores.score_equivalent:
        return None, ()
    found = reversibility(families, problem.scores, problem.constraints)
    return tuple(_named(found.reversible, problem.names)), tuple(_named(found.undetermined, problem.names))


def _fewest_rows(problem: Problem, families: Sequence[int]) -> tuple[int, tuple[Caution, ...]]:
    """Return the smallest number of complete rows of a family, with a warning if values are missing."""
    scores, total = problem.scores, problem.statistics.total
    if not isinstance(scores, NodeAverageScores):
        return total, ()
    rows = [scores.complete_rows(v, family) for v, family in enumerate(families)]
    # Of several families, the first in canonical order, which does not depend on names and layout.
    at = min(problem.decreasing, key=rows.__getitem__)
    child, parents = problem.names[at], [problem.names[u] for u in members(families[at])]
    with_parents = f"with parents {listed(sorted(parents, key=name_key))}" if parents else "without parents"
    message = f"the family with the fewest complete rows is {child!r} {with_parents}: {rows[at]:,} of {total:,}."
    return rows[at], (Caution("fewest-rows", (child, *parents), message),)


def _named(edges: Iterable[tuple[int, int]], names: Sequence[Hashable]) -> list[tuple[Hashable, Hashable]]:
    return [(names[u], names[v]) for u, v in edges]


def _warnings_of_pattern(
    conflicts: Sequence[tuple[Hashable, Hashable, Hashable]], *, extendable: bool, free: bool
) -> Iterator[Caution]:
    if conflicts:
        shown = ", ".join(f"{a} -> {c} <- {b}" for a, c, b in conflicts[:3]) + (", ..." if len(conflicts) > 3 else "")
        columns = tuple(dict.fromkeys(c for _, c, _ in conflicts))
        contradicted = "each other" if free else "each other, or the arcs that are allowed or required"
        message = f"The tests contradict {contradicted}: not followed {shown} (see conflicts)."
        yield Caution("conflicts", columns, message)
    if not extendable:
        yield Caution(
            "not-extendable",
            (),
            "No DAG extends the learned graph: it has no score, no CPDAG and no parameters. See pdag; "
            "a smaller alpha or a learner that climbs may help.",
        )


def _warnings_of_rows(problem: Problem, families: Sequence[int]) -> Iterator[Caution]:
    """Warn if mixed data have too few rows for families of the graph, or for these with one more parent.

    The families that a search visits depend on the threads; the neighbours of the graph that it finds do not.
    """
    if not isinstance(problem.statistics, MixedStatistics):
        return
    scores, constraints, names = problem.scores, problem.constraints, problem.names
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
        for u in _perhaps_barred(problem, v, family)
        if u != v
        and not family >> u & 1
        and (constraints is None or constraints.allows(u, v))
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


def unjoinable_warnings(
    problem: Problem, learned: LearnedGraph, pairs: Sequence[tuple[Hashable, Hashable]]
) -> Iterator[Caution]:
    """Warn of pairs (a, b) that cannot be adjacent although an arc would raise the score of the learned graph.

    a is continuous and b categorical: see `unjoinable_pairs`. The arc is a -> b, or b -> a if the graph has a
    path from b to a: a -> b would close a cycle, and would gain what the path explains already. If there are too few
    rows to score that arc, it is the other one, unless that closes a cycle. If neither can be scored, the pair is
    named without a gain, unless the two are independent by the score without other parents.
    """
    number = {name: v for v, name in enumerate(problem.names)}
    arcs, order = ((), ()) if learned.dag is None else (learned.dag.arcs, learned.dag.topological_order())
    families = _families([(number[u], number[v]) for u, v in arcs], len(number))
    ancestors = [0] * len(number)
    for v in (number[name] for name in order if name in number):
        for u in members(families[v]):
            ancestors[v] |= bit(u) | ancestors[u]
    pairs_by_number = [(number[a], number[b]) for a, b in pairs]
    arc_of = {(a, b): (b, a) if ancestors[a] >> b & 1 else (a, b) for a, b in pairs_by_number}
    gain_of = _gains_of(arc_of.values(), problem, families)
    turned = [(v, u) for (u, v), gain in gain_of.items() if gain is None and not ancestors[v] >> u & 1]
    gain_of_turned = _gains_of(turned, problem, families)
    gains: list[tuple[int, int, int]] = []
    unscored: list[tuple[int, int]] = []
    for pair, arc in arc_of.items():
        gain = gain_of[arc]
        if gain is None:
            gain = gain_of_turned.get(arc[::-1])
        if gain is None:
            unscored.append(pair)
        elif gain > 0:
            gains.append((-gain, *pair))
    if problem.scores.compiled.knows_first:
        alone = _gains_of(unscored, problem, [0] * len(number))
        unscored = [pair for pair in unscored if (gain := alone[pair]) is None or gain > 0]
    gains.sort()
    unscored.sort()
    told = []
    if gains:
        told.append(
            f"{_pairs_are(len(gains))} not adjacent because no arc between them is allowed, although one would raise "
            f"the {problem.score_config.score.upper()}: "
            + _shown_pairs([(u, v, f" (+{to_float(-loss):,.2f})") for loss, u, v in gains], problem.names)
        )
    if unscored:
        told.append(
            f"{_pairs_are(len(unscored))} not adjacent because no arc between them is allowed, and there are too few "
            f"rows to say what one would add: {_shown_pairs([(u, v, '') for u, v in unscored], problem.names)}"
        )
    if told:
        yield Caution(
            "unjoinable",
            tuple(dict.fromkeys(problem.names[v] for *_, u, w in [*gains, *unscored] for v in (u, w))),
            f"{'. '.join(told)}. What you know forbids the arc into the continuous variable, and the model has none "
            "from a continuous to a categorical variable. That they are not adjacent does not mean that they are "
            "independent. "
            'Say arcs="any" (command line: --arcs any), or discretise the continuous variables.',
        )


def _gains_of(
    arcs: Iterable[tuple[int, int]], problem: Problem, families: Sequence[int]
) -> dict[tuple[int, int], int | None]:
    """Return the score gain of adding each arc alone to a graph; `None` if there are too few rows."""
    gains: dict[tuple[int, int], int | None] = dict.fromkeys(arcs)
    into: dict[int, list[int]] = {}
    for u, v in gains:
        into.setdefault(v, []).append(u)
    for v, candidates in into.items():
        if problem.scores.is_candidate(v, families[v]):
            changes = problem.scores.changes(v, families[v]).tolist()
            gains.update({(u, v): joined(*changes[u]) for u in candidates if changes[u][0] != NOT_A_CANDIDATE})
    return gains


def _pairs_are(count: int) -> str:
    return "1 pair of variables is" if count == 1 else f"{count:,} pairs of variables are"


def _shown_pairs(pairs: Sequence[tuple[int, int, str]], names: Sequence[Hashable]) -> str:
    """Write the first pairs, each with its comment, and the number of the others."""
    shown = ", ".join(f"{spelled(names[u])} - {spelled(names[v])}{more}" for u, v, more in pairs[:MOST_SHOWN])
    return shown + (f" and {len(pairs) - MOST_SHOWN:,} more" if len(pairs) > MOST_SHOWN else "")


def _perhaps_barred(problem: Problem, child: int, parents: int) -> list[int]:
    """Return the variables that, as a further parent, may leave a family with too few rows."""
    if not problem.scores.is_candidate(child, parents):
        return list(range(problem.scores.n))
    if not parents and not problem.scores.compiled.knows_first:
        # Time was up before a search scored single parents.
        return []
    barred: list[int] = (problem.scores.changes(child, parents)[:, 0] == NOT_A_CANDIDATE).nonzero()[0].tolist()
    return barred


def order_warnings(problem: Problem, prepared: Prepared) -> Iterator[Caution]:
    """Warn if names decided between columns; identical columns and copies have their own warnings."""
    reported = [set(group) for group in (*prepared.identical, *prepared.copies)]
    all_groups = [sorted((problem.names[v] for v in group), key=name_key) for group in problem.interchangeable]
    groups = sorted(
        (group for group in all_groups if not any(set(group) <= known for known in reported)),
        key=lambda group: name_key(group[0]),
    )
    if groups:
        shown = "; ".join(map(listed, groups[:MOST_SHOWN])) + ("; ..." if len(groups) > MOST_SHOWN else "")
        yield Caution(
            "interchangeable",
            tuple(name for group in groups for name in group),
            f"only names decide between columns that can be exchanged without a change of the table: {shown}.",
        )
    if problem.undecided:
        names = sorted((problem.names[v] for v in problem.undecided), key=name_key)
        cause = (
            "these columns look so much alike that names had to decide between them"
            if problem.tied
            else "there was no time to order the columns by their data, so their names did"
        )
        yield Caution(
            "names-decide", tuple(names), f"{cause}: {listed(names)}. Under other names the graph may be another."
        )


def unfinished_warning(
    found: Climb | Pattern, problem: Problem, config: SearchConfig, *, has_checkpoint: bool
) -> Caution:
    """Warn that a search has not finished; `has_checkpoint`: whether another run can continue it."""
    no_directions = "" if isinstance(found, Climb) or found.has_directions else _NO_DIRECTIONS
    go_on = _GO_ON if has_checkpoint else ""
    if problem.is_interrupted():
        return Caution(
            "interrupted",
            (),
            f"The search was interrupted: the graph is the best so far, and unfinished.{no_directions}{go_on}",
        )
    if has_proof(found):
        is_late = problem.time_is_up()
        largest = found.proof.most_parents
        limits = " and ".join(found.proof.limits) or "the accuracy of the solver"
        limit = f"max_time={config.max_time} seconds" if is_late else limits
        left_out = "" if largest is None else f" Sets of more than {largest} parents were not all scored."
        message = f"The graph is not proven to be the best: a limit was met, {limit}.{left_out}"
        return Caution("max-time" if is_late else "not-proven", (), message)
    # Without a time limit, the limit of steps ended the search, perhaps the search for the order.
    if config.max_time is None or (isinstance(found, Climb) and len(found.steps) == config.max_iter):
        return Caution(
            "max-iter",
            (),
            f"A search was stopped at max_iter={config.max_iter} steps: more of them may improve the graph.{go_on}",
        )
    return Caution(
        "max-time",
        (),
        f"The search was stopped by max_time={config.max_time} seconds: the graph is unfinished, and another run may "
        f"stop elsewhere.{no_directions}{go_on}",
    )


def rounded_warning(config: SearchConfig) -> Caution:
    """Warn that there was no time for the last digits of the score."""
    return Caution(
        "max-time",
        (),
        f"max_time={config.max_time} seconds were over before all digits of the score were known: its last digits may "
        "differ from those of stablebn.score, and the fingerprint from that of another run.",
    )


def _fingerprint_of_dag(parents: Sequence[Iterable[int]], score: float) -> str:
    """Return eight hexadecimal digits of a hash of the arcs, by canonical numbers, and the bits of the score."""
    arcs = [(u, v) for v, family in enumerate(parents) for u in sorted(family)]
    return _fingerprint(f"{len(parents)} {arcs} {float(score).hex()}")


def _fingerprint_of_pattern(n: int, pattern: Pattern, score: float | None) -> str:
    """Return the fingerprint of a graph with undirected edges."""
    bits = None if score is None else float(score).hex()
    return _fingerprint(f"{n} {pattern.directed} {pattern.undirected} {bits}")


def _fingerprint(text: str) -> str:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{digest[:4]}-{digest[4:8]}"
