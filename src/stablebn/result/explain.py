"""Explain a learned graph: the strength of every arc, why it is present or absent, and why it has its direction."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, combinations
from typing import TYPE_CHECKING, NamedTuple

from stablebn.canonical import telling_key
from stablebn.ci_tests import independence_test
from stablebn.errors import OptionError, is_among, listed, shown
from stablebn.fixed_point import to_float
from stablebn.graph import DAG, PDAG, Reason, meek_reasons
from stablebn.graph.names import Edge
from stablebn.learners import LEARNERS, Problem, TestTrace, define_problem
from stablebn.learners.shared.config import CLIMBS, EQUIVALENCE_CLASSES, TESTS_INDEPENDENCE
from stablebn.learners.shared.graph_scores import GraphScores
from stablebn.learners.shared.hybrid_trace import HybridTrace
from stablebn.learners.shared.single_ci_test import tested_alone
from stablebn.options import is_hashable
from stablebn.result.constraints_from_names import called_names, constraints_of, forbidden_by_kind
from stablebn.result.explanation import (
    CYCLE,
    NO_CANDIDATE,
    NOT_ALLOWED,
    NOT_IN_MODEL,
    REQUIRED,
    START,
    TOO_FEW_ROWS,
    TOO_MANY_PARENTS,
    WHOLE_GRAPH,
    Change,
    Explanation,
    Step,
    Tested,
)
from stablebn.scores.registry import ScoreConfig
from stablebn.search import Trace
from stablebn.search.operator_trace import OperatorTrace
from stablebn.stats.variable_sets import bit
from stablebn.threads import cores

if TYPE_CHECKING:
    from stablebn.result.result import Result


def strengths_of(result: Result) -> dict[Edge, float]:
    """Return the score lost without each arc of `dag`; empty for a graph without a score."""
    if result.dag is None or result.score is None:
        return {}
    learned = _Learned(result)
    changes = [learned.without(*arc) for arc in result.dag.arcs]
    scores = learned.scores.beside(learned.families, changes)
    return {
        arc: result.score - to_float(score)
        for arc, score in zip(result.dag.arcs, scores, strict=True)
        # Fewer parents never need more rows.
        if score is not None
    }


def explanation(result: Result, a: Hashable, b: Hashable) -> Explanation:
    """Explain why two variables of a learned graph are adjacent and in which direction, or why they are not.

    Raises
    ------
    OptionError
        There is no such variable, or another one represents it.
    """
    _check_asked(result, a, b)
    return _explained(_Learned(result), a, b)


def explanations(result: Result, pairs: Iterable[Edge]) -> Iterator[Explanation]:
    """Explain many pairs of variables of a graph, with the shared computations done once."""
    learned = _Learned(result)
    for a, b in pairs:
        yield _explained(learned, a, b)


class FamilyScore(NamedTuple):
    """The local score of a variable with its parents, and without parents; `None` if there are too few rows."""

    score: float | None
    alone: float | None


def family_scores_of(result: Result) -> dict[Hashable, FamilyScore]:
    """Return the local scores of the variables that took part; empty for a graph without a score."""
    if result.dag is None or result.score is None:
        return {}
    learned = _Learned(result)
    own, alone = learned.scores.of_families(learned.families)
    parts = zip(own, alone, strict=True)
    return {
        name: FamilyScore(*(None if part is None else to_float(part) for part in both))
        for name, both in zip(learned.problem.names, parts, strict=True)
    }


def _explained(learned: _Learned, a: Hashable, b: Hashable) -> Explanation:
    result = learned.result
    arc, mark = _joined(result, a, b)
    apart = _apart(result, (a, b))
    direction, rule, others, key = (None, None, (), None) if not mark else _direction(learned, a, b, arc)
    changes: tuple[Change, ...] = ()
    if apart is None:
        changes = tuple(_changes(learned, a, b, arc))
    step, turned = (None, None) if apart is not None else _steps(result, a, b)
    origin = None if apart is not None or step is not None else _origin(result, arc)
    removed = next((change for change in changes if change.what == "remove"), None)
    return Explanation(
        a=a,
        b=b,
        arc=arc,
        mark=mark,
        direction=direction,
        rule=rule,
        others=others,
        key=key,
        origin=origin,
        step=step,
        turned=turned,
        score_name=str(result.config["score"]).upper(),
        score=result.score,
        strength=None if removed is None or removed.difference is None else -removed.difference,
        changes=changes,
        test=None if apart is not None else _deciding_test(learned, a, b, joined=bool(mark)),
        apart=apart,
    )


class _Learned:
    """A learned graph with its table: everything that explanations share, computed when first used."""

    def __init__(self, result: Result) -> None:
        self.result = result
        if result.prepared is None:
            raise OptionError(
                "this result was read from a file, without its table. Learn it again from the table, with the options "
                "in its config, to have it explained."
            )
        self.prepared = result.prepared
        self.table = result.prepared.whole
        known = {option: value for option, value in result.config.items() if option in ScoreConfig.__dataclass_fields__}
        self.config = ScoreConfig(**known)
        self.unit_free = result.config["unit_free"] is True

    @cached_property
    def families(self) -> list[int]:
        """The parent set of each variable in `dag`, by numbers."""
        families = [0] * len(self.number)
        for u, v in () if self.result.dag is None else self.result.dag.arcs:
            families[self.number[v]] |= bit(self.number[u])
        return families

    @cached_property
    def scores(self) -> GraphScores:
        """The scores of graphs over the same variables."""
        return GraphScores.of_problem(self.problem)

    @cached_property
    def barred_by_kind(self) -> dict[Edge, None]:
        """The arcs that the kinds of their variables forbid."""
        kinds = {name: self.result.kinds[name] for name in self.table.names}
        return dict.fromkeys(forbidden_by_kind(self.config, kinds))

    @cached_property
    def forbidden(self) -> set[Edge]:
        """The arcs that background knowledge forbids."""
        return set(self.result.known_arcs.forbidden)

    @property
    def told(self) -> PDAG:
        """The graph with only the certain directions."""
        return self.result.pdag if self.result.cpdag is None else self.result.cpdag

    @cached_property
    def compelling(self) -> tuple[dict[Edge, Hashable], Mapping[Edge, Collection[Reason]], dict[Hashable, int]]:
        """What directs arcs.

        For an arc of a v-structure, the other parent, the first one in the processing order; for other arcs, the rules
        that apply; and the index of each variable in the processing order.
        """
        graph, place = self.told, {name: at for at, name in enumerate(self.result.order)}
        settled = set(self.result.known)
        partner: dict[Edge, Hashable] = {}
        for child in graph.nodes:
            for p, q in combinations(graph.parents(child), 2):
                if not graph.adjacent(p, q):
                    settled |= {(p, child), (q, child)}
                    for one, other in ((p, q), (q, p)):
                        partner[one, child] = min(partner.get((one, child), other), other, key=place.__getitem__)
        rest = [edge for edge in (*graph.directed, *graph.undirected) if edge not in settled]
        start = PDAG(graph.nodes, [edge for edge in graph.directed if edge in settled], rest)
        return partner, meek_reasons(start, acyclic=True), place

    @cached_property
    def problem(self) -> Problem:
        """The problem of the search; built again from the table if the result does not have it."""
        if self.result.problem is not None:
            return self.result.problem
        return define_problem(
            self.table,
            self.config,
            unit_free=self.unit_free,
            constraints=constraints_of(self.result.known_arcs, self.barred_by_kind, self.prepared),
            called=called_names(self.prepared),
            threads=cores(),
        )

    @cached_property
    def number(self) -> dict[Hashable, int]:
        """The number of each variable in the problem."""
        return {name: v for v, name in enumerate(self.problem.names)}

    def without(self, u: Hashable, v: Hashable) -> dict[int, int]:
        """Return the parent sets that change if an arc is removed."""
        return {self.number[v]: self.families[self.number[v]] & ~bit(self.number[u])}

    def with_arc(self, u: Hashable, v: Hashable) -> dict[int, int]:
        """Return the parent sets that change if an arc is added, or its reverse is reversed."""
        family = self.families[self.number[v]] | bit(self.number[u])
        return {**self.without(v, u), self.number[v]: family}


def _either_way(edges: Sequence[Edge]) -> Iterator[Edge]:
    for a, b in edges:
        yield a, b
        yield b, a


def _check_asked(result: Result, a: Hashable, b: Hashable) -> None:
    merged = {name: stands for stands, group in result.merged.items() for name in group if name != stands}
    for name in (a, b):
        if is_hashable(name) and name in merged:
            raise OptionError(f"{merged[name]!r} stands for {name!r}, as both are the same: ask for {merged[name]!r}.")
        if not is_among(name, result.nodes):
            raise OptionError(f"the learned graph has no variable {shown(name)}: it has {listed(result.nodes)}.")
    if a == b:
        raise OptionError(f"an arc joins two variables; {shown(a)} was asked for twice.")


def _apart(result: Result, names: Sequence[Hashable]) -> tuple[Hashable, str] | None:
    """Return the first of these variables that takes no part, and why."""
    for name in names:
        if name in result.constants:
            return name, "has a single value"
        if result.decisions[name].kind is None:
            return name, "was set aside"
    return None


def _joined(result: Result, a: Hashable, b: Hashable) -> tuple[Edge | None, str]:
    """Return the arc between two variables, if there is one, and the mark of their edge."""
    arc = next((pair for pair in ((a, b), (b, a)) if pair in set(result.arcs)), None)
    if (a, b) in set(_either_way(result.undirected)):
        return arc, "--"
    return arc, "" if arc is None else "->"


def _direction(
    learned: _Learned, a: Hashable, b: Hashable, arc: Edge | None
) -> tuple[str, str | None, tuple[Hashable, ...], str | None]:
    """Return why an edge has its direction: the reason, the rule, its other variables, and the key of the order."""
    reasons = learned.result.direction_reasons
    reason = next(reasons[edge] for edge in (arc, (a, b), (b, a)) if edge is not None and edge in reasons)
    if reason == "arbitrary":
        return reason, *_arbitrary_by(learned, a, b, arc)
    if reason == "compelled":
        assert arc is not None
        return reason, *_compelled_by(learned, arc), None
    rules = {"known": "knowledge", "model": "model", "data-driven": "score"}
    return reason, rules.get(reason), (), None


def _compelled_by(learned: _Learned, arc: Edge) -> tuple[str | None, tuple[Hashable, ...]]:
    """Return the rule that directs an arc: the first rule, with the first variables in the processing order."""
    partner, reasons_of, place = learned.compelling
    if arc in partner:
        return "v-structure", (partner[arc],)
    reasons = reasons_of.get(arc)
    if reasons is None:
        # This happens only if tests contradict each other and no DAG extends the graph.
        return None, ()

    def first(reason: Reason) -> tuple[int, list[int]]:
        return reason.rule, [place[name] for name in reason.others]

    best = min(reasons, key=first)
    return f"Meek's rule {best.rule}", best.others


def _arbitrary_by(
    learned: _Learned, a: Hashable, b: Hashable, arc: Edge | None
) -> tuple[str | None, tuple[Hashable, ...], str | None]:
    """Return the rule that decided an arbitrary direction, and the key of the order."""
    result = learned.result
    if arc is None:
        return None, (), None
    if not isinstance(result.trace, Trace):
        return "extension", (), _key_of_extension(learned, *arc)
    if _is_by_order(result.trace, arc):
        return "order", (), _key_of_order(learned, *arc)
    if _places_of_steps(result.trace, arc) == (None, None):
        return _origin(result, arc), (), None
    return "other arcs", (), None


def _is_by_order(trace: Trace, arc: Edge) -> bool:
    """Return whether the processing order decided the direction in which a search added an arc that stayed."""
    added, turned = _places_of_steps(trace, arc)
    return added is not None and turned is None and trace.arbitrary[added] and trace.source[added] == arc[0]


def _origin(result: Result, arc: Edge | None) -> str | None:
    """Return the origin of an arc that no step added; without an arc, whether the algorithm adds single arcs."""
    if arc is not None and arc in result.known_arcs.required:
        return REQUIRED
    traits = LEARNERS[str(result.config["algorithm"])].traits
    if not traits & {CLIMBS, EQUIVALENCE_CLASSES, TESTS_INDEPENDENCE}:
        return WHOLE_GRAPH
    return START if arc is not None and TESTS_INDEPENDENCE not in traits else None


def _key_of_order(learned: _Learned, first: Hashable, second: Hashable) -> str:
    """Return why one variable comes before another in the processing order."""
    result, source = learned.result, learned.result.order_source
    if result.config["algorithm"] in ("hc", "tabu") or result.config.get("order") == "given":
        return "columns"
    order = result.order if source is None else source.order
    if order not in (result.canonical, result.canonical[::-1]):
        return "earlier graph"
    if source is not None and not _is_by_order(source.trace, (first, second)):
        layer = {name: place for place, layer in enumerate(source.dag.layers()) for name in layer}
        if layer[first] != layer[second]:
            return "earlier graph"
    return _telling_key(learned, first, second, unit_free=learned.problem.statistics.unit_free)


def _key_of_extension(learned: _Learned, first: Hashable, second: Hashable) -> str:
    """Return why a DAG that extends a pattern has an arc: extensions follow canonical numbers."""
    if learned.number[first] > learned.number[second]:
        return "other edges"
    statistics = learned.problem.statistics
    unit_free = statistics.unit_free or statistics.kind != "categorical"
    return _telling_key(learned, first, second, unit_free=unit_free)


def _telling_key(learned: _Learned, first: Hashable, second: Hashable, *, unit_free: bool) -> str:
    """Return the key that distinguishes two variables in the canonical order."""
    problem = learned.problem
    u, v = learned.number[first], learned.number[second]
    key = telling_key(problem.statistics, problem.scores, u, v, unit_free=unit_free)
    if key is not None:
        return key
    alike = [*map(set, problem.interchangeable), set(problem.undecided)]
    return "names" if any({u, v} <= group for group in alike) else "other columns"


def _places_of_steps(trace: Trace, arc: Edge) -> tuple[int | None, int | None]:
    """Return the last step that added or deleted an edge, and the last one that reversed it since."""
    moved = turned = None
    for place in range(trace.best):
        if {trace.source[place], trace.target[place]} == set(arc):
            if trace.move[place] == "reverse":
                turned = place
            else:
                moved, turned = place, None
    return moved, turned


def _steps(result: Result, a: Hashable, b: Hashable) -> tuple[Step | None, Step | None]:
    """Describe the last step that added or deleted an edge, and the last one that reversed it since."""
    trace = result.trace
    if isinstance(trace, OperatorTrace):
        moved: Step | None = None
        turned: Step | None = None
        for place in range(len(trace)):
            if {trace.x[place], trace.y[place]} == {a, b}:
                step = _operator_step(trace, place)
                moved, turned = (moved, step) if trace.phase[place] == "turning" else (step, None)
        return moved, turned
    if not isinstance(trace, Trace):
        return None, None
    added, reversed_later = _places_of_steps(trace, (a, b))
    return _step(trace, added), _step(trace, reversed_later)


def _operator_step(trace: OperatorTrace, at: int) -> Step:
    move = {"forward": "insert", "backward": "delete", "turning": "turn"}[trace.phase[at]]
    return Step(at + 1, len(trace), move, (trace.x[at], trace.y[at]), trace.delta[at], trace.others[at])


def _step(trace: Trace, at: int | None) -> Step | None:
    if at is None:
        return None
    next_move, next_delta, runner_up = trace.next_move[at], trace.next_delta[at], None
    if next_move is not None and next_delta is not None:
        runner_up = (next_move, trace.next_source[at], trace.next_target[at], next_delta)
    arc = (trace.source[at], trace.target[at])
    return Step(at + 1, trace.best, trace.move[at], arc, trace.delta[at], runner_up=runner_up)


def _changes(learned: _Learned, a: Hashable, b: Hashable, arc: Edge | None) -> Iterator[Change]:
    """Yield the effects of removing and reversing an arc, or of adding either arc."""
    result, dag = learned.result, learned.result.dag
    if dag is None:
        return
    asked = [("add", (a, b)), ("add", (b, a))] if arc is None else [("remove", arc), ("reverse", (arc[1], arc[0]))]
    for what, (u, v) in asked:
        change = learned.without(u, v) if what == "remove" else learned.with_arc(u, v)
        obstacle = _obstacle(learned, dag, what, (u, v), change)
        score = None
        if obstacle != CYCLE:
            exact = next(learned.scores.beside(learned.families, [change]))
            score = None if exact is None else to_float(exact)
            if score is None and obstacle is None:
                obstacle = TOO_FEW_ROWS
        difference = None if score is None or result.score is None else score - result.score
        yield Change(what, (u, v), score, difference, obstacle)


def _obstacle(learned: _Learned, dag: DAG, what: str, arc: Edge, change: Mapping[int, int]) -> str | None:
    """Return why a search cannot make a change, apart from too few rows."""
    known, config = learned.result.known_arcs, learned.result.config
    u, v = arc
    if what == "remove":
        return REQUIRED if arc in known.required else None
    if _leads(dag, v, u, past=(v, u)):
        return CYCLE
    if arc in learned.barred_by_kind:
        return NOT_IN_MODEL
    if arc in learned.forbidden:
        return NOT_ALLOWED
    parents = change[learned.number[v]].bit_count()
    limits = (config.get("max_parents"), known.most_parents.get(v))
    if any(most is not None and parents > most for most in limits):
        return TOO_MANY_PARENTS
    trace = learned.result.trace
    if isinstance(trace, HybridTrace) and u not in trace.restriction.blankets[v]:
        return NO_CANDIDATE
    return None


def _leads(dag: DAG, start: Hashable, end: Hashable, past: Edge) -> bool:
    """Return whether a directed path leads from one node to another without the arc `past`."""
    seen, waiting = {start}, [start]
    while waiting:
        node = waiting.pop()
        below = [child for child in dag.children(node) if child not in seen and (node, child) != past]
        seen.update(below)
        waiting += below
    return end in seen


def _deciding_test(learned: _Learned, a: Hashable, b: Hashable, *, joined: bool) -> Tested | None:
    """Return the test that removed an edge, or came closest to it; `None` if the algorithm does not test."""
    result = learned.result
    told = result.trace.restriction if isinstance(result.trace, HybridTrace) else result.trace
    if not isinstance(told, TestTrace):
        return None
    given = next((told.separating[pair] for pair in ((a, b), (b, a)) if pair in told.separating), None)
    if given is None:
        pools = _pools(result, told, a, b, joined=joined)
        if pools is None:
            return None
        given = _closest_set(learned, a, b, pools, whole=not joined and not isinstance(result.trace, HybridTrace))
    test, alpha = str(result.config["test"]), float(result.config["alpha"])
    name, outcome = tested_alone(learned.table, a, b, given, test, unit_free=learned.unit_free)
    return Tested(name, tuple(given), *outcome, alpha)


def _pools(
    result: Result, told: TestTrace, a: Hashable, b: Hashable, *, joined: bool
) -> list[tuple[Hashable, ...]] | None:
    """Return the sets whose subsets were conditioned on in the tests of a pair; `None` if it was not tested."""
    graph = result.pdag
    if not told.blankets:
        # PC: a removed edge has a separating set, unless it was not allowed.
        around = [(*graph.parents(v), *graph.children(v), *graph.neighbours(v)) for v in (a, b)]
        pools = around if joined else None
    else:
        pools = [told.blankets[v] for v in (a, b)]
        if joined and not isinstance(result.trace, HybridTrace):
            # Use the smaller of the two blankets, or both if they have equal size.
            least = min(len(set(pool) - {a, b}) for pool in pools)
            pools = [pool for pool in pools if len(set(pool) - {a, b}) == least]
    return None if pools is None else [tuple(v for v in pool if v not in (a, b)) for pool in pools]


def _closest_set(
    learned: _Learned, a: Hashable, b: Hashable, pools: Sequence[tuple[Hashable, ...]], *, whole: bool
) -> tuple[Hashable, ...]:
    """Return the set with the largest p-value among the subsets of the pools (or the pools themselves).

    Subsets are compared by increasing size, then in processing order; the first of equal ones is returned.
    """
    result, number = learned.result, learned.number
    test = independence_test(learned.problem.statistics, str(result.config["test"]))
    place = {name: at for at, name in enumerate(result.order)}
    limit = result.config.get("max_condition")
    ordered = [sorted(pool, key=place.__getitem__) for pool in pools]
    # The answer must not depend on the order of the two variables.
    ordered.sort(key=lambda pool: [place[name] for name in pool])
    sets: Iterator[tuple[Hashable, ...]] = map(tuple, ordered)
    if not whole:
        most = max(map(len, ordered))
        most = most if limit is None else min(most, int(limit))
        sets = chain.from_iterable(combinations(pool, size) for size in range(most + 1) for pool in ordered)

    def p_value(given: tuple[Hashable, ...]) -> float:
        return test.test(number[a], number[b], sum(bit(number[name]) for name in given)).p_value

    return max(sets, key=p_value)
