"""Why a learned graph is as it is: how strong every arc is, why one is there or not, why it points this way."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

from stablebn.errors import OptionError, listed, spelled
from stablebn.fixed_point import to_float
from stablebn.graph import DAG, PDAG, Reason, meek_reasons
from stablebn.graph.names import Edge
from stablebn.independence import independence_test
from stablebn.learners import Problem, TestTrace, define_problem
from stablebn.learners.graph_scores import GraphScores
from stablebn.learners.lone_test import tested_alone
from stablebn.learners.restricted import HybridTrace
from stablebn.naming import all_arcs_but, called_names, forbidden_by_kind
from stablebn.order import telling_key
from stablebn.scores.registry import ScoreConfig
from stablebn.search import Trace
from stablebn.search.operator_trace import OperatorTrace
from stablebn.stats.threads import cores
from stablebn.stats.variable_sets import bit

if TYPE_CHECKING:
    from stablebn.result import Result

CYCLE = "cycle"
NOT_ALLOWED = "not allowed"
REQUIRED = "required"
TOO_MANY_PARENTS = "too many parents"
TOO_FEW_ROWS = "too few rows"
NO_CANDIDATE = "no candidate"

_OBSTACLES = {
    CYCLE: "it would close a cycle",
    NOT_ALLOWED: "it is not allowed",
    REQUIRED: "it is required",
    TOO_MANY_PARENTS: "there would be too many parents",
    TOO_FEW_ROWS: "there are too few rows for it",
    NO_CANDIDATE: "the tests left it out of the candidates",
}
_KEYS = {
    "scores": "their scores differ",
    "values": "their scores tie, and the values of the columns decide",
    "other columns": "their own values tie, and what they have to do with the other columns decides",
    "names": "the data cannot tell the two columns apart, and names decide",
    "columns": "the order of the columns in the table decides",
}


@dataclass(frozen=True)
class Step:
    """A step of a search.

    Attributes
    ----------
    number, of : int
        The place of the step among those that led to the graph, from 1, and how many there were.
    move : str
        "add", "delete" or "reverse"; of fges "insert" or "delete".
    arc : (from, to)
        As it was added, or as it stood.
    gain : float
        What the score gained.
    others : tuple of names
        Of fges: T of Insert(x, y, T) or H of Delete(x, y, H).
    runner_up : tuple of (move, from, to, gain) or None
        The move that would have been made otherwise.
    """

    number: int
    of: int
    move: str
    arc: Edge
    gain: float
    others: tuple[Hashable, ...] = ()
    runner_up: tuple[str, Hashable, Hashable, float] | None = None


@dataclass(frozen=True)
class Change:
    """What a change of one arc would do to the score.

    Attributes
    ----------
    what : str
        "remove", "reverse" or "add".
    arc : (from, to)
        The arc that goes or comes.
    score : float or None
        Of the graph with that change, as `stablebn.score` has it; None where there is no such graph or score.
    difference : float or None
        That less the score of the graph.
    obstacle : str or None
        Why a search cannot make the change: "cycle", "not allowed", "required", "too many parents", "too few rows" or
        "no candidate" (the tests of a hybrid learner left it out).
    """

    what: str
    arc: Edge
    score: float | None
    difference: float | None
    obstacle: str | None


@dataclass(frozen=True)
class Tested:
    """The test of independence that decided on an edge.

    Attributes
    ----------
    test : str
    given : tuple of names
        The separating set; of an edge that was kept, the set with which it came closest to being removed.
    statistic, df, p_value : float
        As `stablebn.ci_test` has them.
    alpha : float
        Above it a p-value means independence.
    """

    test: str
    given: tuple[Hashable, ...]
    statistic: float
    df: float
    p_value: float
    alpha: float


@dataclass(frozen=True)
class Explanation:
    """Why two variables are joined as they are, or are not; `str` of it is a few plain sentences.

    Attributes
    ----------
    a, b : name
        The variables that were asked for.
    arc : (from, to) or None
        The arc of `result.dag` that joins them (without one, the directed edge of `result.pdag`); None if nothing does.
    mark : str
        How the outputs show the edge: "->" along `arc`, "--" without a direction, "" for none.
    direction : str or None
        "compelled": every DAG of the class has it so. "known": the other direction was not allowed. "data-driven": the
        score decided, which differs between the DAGs of a class. "arbitrary": neither data nor knowledge tell.
    rule : str or None
        What decided: "v-structure", "Meek's rule 1" to "4", "knowledge", "score"; of an arbitrary direction "order",
        "other arcs" (it suited those that were there when it came in), "start" or "extension".
    others : tuple of names
        The variables besides a and b by which the rule applies.
    key : str or None
        Where the rule is "order" or "extension", what tells the two variables apart in it: "scores", "values",
        "other columns", "names" or "columns".
    step : Step or None
        When the edge came in; of an absent one, when it went.
    turned : Step or None
        When the arc was turned for the last time since.
    score_name, score : str, float or None
        Of the graph.
    strength : float or None
        Of the arc: the score lost without it.
    changes : tuple of Change
        For an arc: without it, and reversed. Otherwise: added either way.
    test : Tested or None
        Of learners that test: what removed the edge, or came closest to it.
    apart : str or None
        Why one of the variables takes no part.
    """

    a: Hashable
    b: Hashable
    arc: Edge | None
    mark: str
    direction: str | None
    rule: str | None
    others: tuple[Hashable, ...]
    key: str | None
    step: Step | None
    turned: Step | None
    score_name: str
    score: float | None
    strength: float | None
    changes: tuple[Change, ...]
    test: Tested | None
    apart: str | None

    def to_dict(self) -> dict[str, Any]:
        """All fields, and the sentences, in types that JSON has."""
        own = {field.name: _plain(getattr(self, field.name)) for field in fields(self)}
        return {**own, "sentences": list(self.sentences)}

    @property
    def sentences(self) -> tuple[str, ...]:
        """What there is to say: how the edge came in, its direction, and what other graphs would score."""
        a, b = spelled(self.a), spelled(self.b)
        if self.apart is not None:
            return (f"Nothing joins {a} and {b}: {self.apart}.",)
        if not self.mark:
            without_score = () if self.changes else (self._nothing_to_compare(),)
            return (self._how_absent(), *(self._if_changed(change) for change in self.changes), *without_score)
        return (self._how_present(), self._why_so_directed(), *self._if_it_were_not())

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def _edge(self) -> str:
        if self.arc is None:
            return f"{spelled(self.a)} -- {spelled(self.b)}"
        return f"{spelled(self.arc[0])} {self.mark} {spelled(self.arc[1])}"

    def _how_present(self) -> str:
        sentence = f"{self._edge()} was in the graph from which the search started"
        if self.step is not None:
            sentence = f"{self._edge()} came in {self._when(self.step)}"
            if self.step.runner_up is not None:
                move, u, v, gain = self.step.runner_up
                sentence += f" (the runner-up was to {move} {spelled(u)} -> {spelled(v)}: {_signed(gain)})"
            if self.turned is not None:
                sentence += f", and was turned this way at step {self.turned.number}"
        elif self.test is not None:
            sentence = f"{self._edge()} stayed, as no test found the two independent"
        return f"{sentence}{self._closest()}."

    def _closest(self) -> str:
        if self.test is None:
            return ""
        if self.step is not None or self.test.p_value > self.test.alpha:
            return ""
        return f"; the one that came closest, {_given(self.test.given)}, has {_p_value(self.test)}"

    def _how_absent(self) -> str:
        pair = f"No edge joins {spelled(self.a)} and {spelled(self.b)}"
        if self.test is not None and self.test.p_value > self.test.alpha:
            return f"{pair}: they are independent {_given(self.test.given)}, with {_p_value(self.test)}."
        closest = "" if self.test is None else f" ({_given(self.test.given)}, {_p_value(self.test)})"
        if self.step is None:
            return f"{pair}, and none did on the way{closest}."
        u, v = self.step.arc
        return f"{pair}: {spelled(u)} -> {spelled(v)} was deleted {self._when(self.step)}{closest}."

    def _when(self, step: Step) -> str:
        with_others = f" with {', '.join(map(spelled, step.others))}" if step.others else ""
        gain = _moved(step.gain, "raised", "lowered", f"the {self.score_name}")
        return f"at step {step.number} of {step.of}{with_others}, which {gain}"

    def _why_so_directed(self) -> str:
        start = f"Its direction is {self.direction}: "
        others = [spelled(name) for name in self.others]
        if self.direction == "known":
            return f"{start}the other one is not allowed."
        if self.direction == "data-driven":
            return (
                f"{start}{self.score_name} is not the same for all graphs that imply the same independences, and this "
                "one scores best."
            )
        if self.direction == "compelled" and self.arc is not None:
            u, v = map(spelled, self.arc)
            why = {
                None: "it follows from tests that contradict each other",
                "v-structure": "{u} -> {v} <- {0} with {u} and {0} apart is a v-structure, which all graphs share that "
                "imply the same independences",
                "Meek's rule 1": "{0} -> {u}, and {0} and {v} are apart, so {v} -> {u} would make a new v-structure "
                "(Meek's rule 1)",
                "Meek's rule 2": "with {u} -> {0} -> {v}, {v} -> {u} would close a cycle (Meek's rule 2)",
                "Meek's rule 3": "with {0} -> {v} <- {1}, both joined to {u}, {v} -> {u} would make a cycle or a new "
                "v-structure (Meek's rule 3)",
                "Meek's rule 4": "with {0} -> {1} -> {v}, both joined to {u}, {v} -> {u} would make a cycle or a new "
                "v-structure (Meek's rule 4)",
            }[self.rule]
            return f"{start}{why.format(*others, u=u, v=v)}."
        why = {
            "order": "either way scored the same, and the processing order decided",
            "other arcs": "it suited the arcs that were there then, and in the finished graph the other one is as good",
            "start": "it is that of the graph from which the search started",
            "extension": "the learner leaves it open, and in the DAG the canonical order decides",
            None: "the learner leaves it open",
        }[self.rule]
        return f"{start}{why}{'' if self.key is None else f' ({_KEYS[self.key]})'}."

    def _nothing_to_compare(self) -> str:
        return f"The learned graph has no {self.score_name}, so other graphs cannot be compared with it."

    def _if_it_were_not(self) -> Iterator[str]:
        if self.score is None or not self.changes:
            yield self._nothing_to_compare()
            return
        removed, turned = self.changes
        alone = " alone, which leaves the class," if self.direction == "arbitrary" and turned.difference else ""
        if turned.difference is None:
            last = f"the other way round {_OBSTACLES[str(turned.obstacle)]}"
        else:
            last = f"reversed{alone} it would be {_compared(turned.difference)}{_but(turned)}"
        yield (
            f"Without it the {self.score_name} of {self.score:,.2f} would be {_compared(removed.difference or 0.0)}"
            f"{_but(removed)}; {last}."
        )

    def _if_changed(self, change: Change) -> str:
        arc = f"{spelled(change.arc[0])} -> {spelled(change.arc[1])}"
        if change.difference is None:
            reason = "the learned graph has no score" if change.obstacle is None else _OBSTACLES[change.obstacle]
            return f"What {arc} would add cannot be said: {reason}."
        gain = _moved(change.difference, "raise", "lower", f"the {self.score_name}")
        return f"Adding {arc} would {gain} (to {change.score:,.2f}){_but(change)}."


def _plain(value: Any) -> Any:
    """A field in types that JSON has."""
    if isinstance(value, Step | Change | Tested):
        return {name: _plain(own) for name, own in asdict(value).items()}
    return [_plain(own) for own in value] if isinstance(value, tuple) else value


def _amount(value: float) -> str:
    return f"{abs(value):,.2f}" if abs(value) >= 0.01 else f"{abs(value):.2g}"


def _signed(value: float) -> str:
    return f"{'-' if value < 0 else '+'}{_amount(value)}"


def _moved(gain: float, up: str, down: str, what: str) -> str:
    if not gain:
        return f"{'leaves' if up == 'raises' else 'leave' if up == 'raise' else 'left'} {what} as it is"
    return f"{up if gain > 0 else down} {what} by {_amount(gain)}"


def _compared(difference: float) -> str:
    if not difference:
        return "the same"
    return f"{_amount(difference)} {'higher' if difference > 0 else 'lower'}"


def _but(change: Change) -> str:
    return "" if change.obstacle is None else f", but {_OBSTACLES[change.obstacle]}"


def _given(names: Sequence[Hashable]) -> str:
    return f"given {', '.join(map(spelled, names))}" if names else "given nothing"


def _p_value(tested: Tested) -> str:
    return f"p-value {tested.p_value:.3g} ({tested.test}, alpha {tested.alpha:g})"


def strengths_of(result: Result) -> dict[Edge, float]:
    """The score lost without each arc of `dag`; of a graph without a score there are none."""
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
    """Why two variables of a learned graph are joined as they are, or are not.

    Raises
    ------
    OptionError
        There is no such variable, or another one stands for it.
    """
    _check_asked(result, a, b)
    learned = _Learned(result)
    arc, mark = _joined(result, a, b)
    apart = _apart(result, (a, b))
    direction, rule, others, key = (None, None, (), None) if not mark else _direction(learned, a, b, arc, mark)
    changes: tuple[Change, ...] = ()
    if apart is None:
        changes = tuple(_changes(learned, a, b, arc))
    step, turned = (None, None) if apart is not None else _steps(result, a, b)
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
    """A learned graph beside its table: what would have to be asked for again, and only if it is."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.table = result.prepared.table
        known = {option: value for option, value in result.config.items() if option in ScoreConfig.__dataclass_fields__}
        self.config = ScoreConfig(**known)
        self.unit_free = result.config["unit_free"] is True

    @cached_property
    def families(self) -> list[int]:
        """Parent set of each variable in `dag`, by numbers."""
        families = [0] * len(self.number)
        for u, v in () if self.result.dag is None else self.result.dag.arcs:
            families[self.number[v]] |= bit(self.number[u])
        return families

    @cached_property
    def scores(self) -> GraphScores:
        """Of graphs over the same variables."""
        return GraphScores.of_problem(self.problem)

    @cached_property
    def forbidden(self) -> set[Edge]:
        """Arcs that are not allowed, by knowledge or by the kinds of their ends."""
        kinds = {name: self.result.kinds[name] for name in self.table.names}
        return {*self.result.known_arcs.forbidden, *forbidden_by_kind(self.config, kinds)}

    @cached_property
    def problem(self) -> Problem:
        """The variables by number, as the learner saw them."""
        prepared = self.result.prepared
        return define_problem(
            self.table,
            self.config,
            unit_free=self.unit_free,
            allowed=all_arcs_but(self.forbidden, prepared),
            called=called_names(prepared),
            threads=cores(),
        )

    @cached_property
    def number(self) -> dict[Hashable, int]:
        """Number of each variable in the problem."""
        return {name: v for v, name in enumerate(self.problem.names)}

    def without(self, u: Hashable, v: Hashable) -> dict[int, int]:
        """The families that change without an arc."""
        return {self.number[v]: self.families[self.number[v]] & ~bit(self.number[u])}

    def with_arc(self, u: Hashable, v: Hashable) -> dict[int, int]:
        """The families that change with an arc, in place of its reverse if that is there."""
        family = self.families[self.number[v]] | bit(self.number[u])
        return {**self.without(v, u), self.number[v]: family}


def _either_way(edges: Sequence[Edge]) -> Iterator[Edge]:
    for a, b in edges:
        yield a, b
        yield b, a


def _check_asked(result: Result, a: Hashable, b: Hashable) -> None:
    merged = {name: stands for stands, group in result.merged.items() for name in group if name != stands}
    for name in (a, b):
        if name in merged:
            raise OptionError(f"{merged[name]!r} stands for {name!r}, as both are the same: ask for {merged[name]!r}.")
        if name not in set(result.nodes):
            raise OptionError(f"the learned graph has no variable {name!r}: it has {listed(result.nodes)}.")
    if a == b:
        raise OptionError(f"an arc joins two variables; {a!r} was asked for twice.")


def _apart(result: Result, names: Sequence[Hashable]) -> str | None:
    """Why some of these variables take no part."""
    for name in names:
        if name in result.constants:
            return f"{spelled(name)} has a single value and takes no part"
        if result.decisions[name].kind is None:
            return f"{spelled(name)} was set aside and takes no part"
    return None


def _joined(result: Result, a: Hashable, b: Hashable) -> tuple[Edge | None, str]:
    """The arc between two variables, if there is one, and the mark of their edge."""
    arc = next((pair for pair in ((a, b), (b, a)) if pair in set(result.arcs)), None)
    if (a, b) in set(_either_way(result.undirected)):
        return arc, "--"
    return arc, "" if arc is None else "->"


def _direction(
    learned: _Learned, a: Hashable, b: Hashable, arc: Edge | None, mark: str
) -> tuple[str, str | None, tuple[Hashable, ...], str | None]:
    """What an edge owes its direction to: the word for it, the rule, its other variables, and the key of the order."""
    result = learned.result
    if mark == "--":
        return "arbitrary", *_arbitrary_by(learned, a, b, arc)
    assert arc is not None
    if arc in result.known:
        return "known", "knowledge", (), None
    told = result.pdag if result.cpdag is None else result.cpdag
    if arc not in set(told.directed):
        return "data-driven", "score", (), None
    rule, others = _compelled_by(told, result.known, result.order, arc)
    return "compelled", rule, others, None


def _compelled_by(
    graph: PDAG, known: Collection[Edge], order: Sequence[Hashable], arc: Edge
) -> tuple[str | None, tuple[Hashable, ...]]:
    """The rule by which an arc is directed; of several the first, with the first variables in the processing order."""
    place = {name: at for at, name in enumerate(order)}
    settled = set(known)
    partner: dict[Edge, Hashable] = {}
    for child in graph.nodes:
        for p, q in combinations(graph.parents(child), 2):
            if not graph.adjacent(p, q):
                settled |= {(p, child), (q, child)}
                for one, other in ((p, q), (q, p)):
                    partner[one, child] = min(partner.get((one, child), other), other, key=place.__getitem__)
    if arc in partner:
        return "v-structure", (partner[arc],)
    rest = [edge for edge in (*graph.directed, *graph.undirected) if edge not in settled]
    start = PDAG(graph.nodes, [edge for edge in graph.directed if edge in settled], rest)
    reasons = meek_reasons(start, acyclic=True).get(arc)
    if reasons is None:
        # Only where tests contradict each other, and no DAG extends what they found.
        return None, ()

    def first(reason: Reason) -> tuple[int, list[int]]:
        return reason.rule, [place[name] for name in reason.others]

    best = min(reasons, key=first)
    return f"Meek's rule {best.rule}", best.others


def _arbitrary_by(
    learned: _Learned, a: Hashable, b: Hashable, arc: Edge | None
) -> tuple[str | None, tuple[Hashable, ...], str | None]:
    """What decided on an arbitrary direction, and by which key of the order."""
    result = learned.result
    if arc is None:
        return None, (), None
    if not isinstance(result.trace, Trace):
        # The extension is by canonical numbers, whatever the processing order.
        return "extension", (), _key(learned, a, b, canonical=True)
    added, turned = _places_of_steps(result.trace, arc)
    if added is None and turned is None:
        return "start", (), None
    if turned is None and added is not None and result.trace.arbitrary[added]:
        return "order", (), _key(learned, a, b, canonical=False)
    return "other arcs", (), None


def _key(learned: _Learned, a: Hashable, b: Hashable, *, canonical: bool) -> str:
    """What tells two variables apart in the processing order, or in the canonical one."""
    config = learned.result.config
    if not canonical and (config["algorithm"] in ("hc", "tabu") or config.get("order") == "given"):
        return "columns"
    problem = learned.problem
    x, y = learned.number[a], learned.number[b]
    key = telling_key(problem.statistics, problem.scores, x, y, unit_free=problem.statistics.unit_free)
    if key is not None:
        return key
    alike = [*map(set, problem.interchangeable), set(problem.undecided)]
    return "names" if any({x, y} <= group for group in alike) else "other columns"


def _places_of_steps(trace: Trace, arc: Edge) -> tuple[int | None, int | None]:
    """The last step that brought an edge or took it away, and the one that turned it since; None: there is none."""
    moved = turned = None
    for place in range(trace.best):
        if {trace.source[place], trace.target[place]} == set(arc):
            if trace.move[place] == "reverse":
                turned = place
            else:
                moved, turned = place, None
    return moved, turned


def _steps(result: Result, a: Hashable, b: Hashable) -> tuple[Step | None, Step | None]:
    """The step that brought an edge or took it away for good, and the one that turned it since."""
    trace = result.trace
    if isinstance(trace, OperatorTrace):
        places = [place for place in range(len(trace)) if {trace.x[place], trace.y[place]} == {a, b}]
        if not places:
            return None, None
        at = places[-1]
        move = "insert" if trace.phase[at] == "forward" else "delete"
        return Step(at + 1, len(trace), move, (trace.x[at], trace.y[at]), trace.delta[at], trace.others[at]), None
    if not isinstance(trace, Trace):
        return None, None
    moved, turned = _places_of_steps(trace, (a, b))
    return _step(trace, moved), _step(trace, turned)


def _step(trace: Trace, at: int | None) -> Step | None:
    if at is None:
        return None
    next_move, next_delta, runner_up = trace.next_move[at], trace.next_delta[at], None
    if next_move is not None and next_delta is not None:
        runner_up = (next_move, trace.next_source[at], trace.next_target[at], next_delta)
    arc = (trace.source[at], trace.target[at])
    return Step(at + 1, trace.best, trace.move[at], arc, trace.delta[at], runner_up=runner_up)


def _changes(learned: _Learned, a: Hashable, b: Hashable, arc: Edge | None) -> Iterator[Change]:
    """What would come of it if an arc went, were turned, or came."""
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
    """What keeps a search from a change, but for too few rows."""
    known, config = learned.result.known_arcs, learned.result.config
    u, v = arc
    if what == "remove":
        return REQUIRED if arc in known.required else None
    if _leads(dag, v, u, past=(v, u)):
        return CYCLE
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
    """Whether a directed path leads from one node to another without a certain arc."""
    seen, waiting = {start}, [start]
    while waiting:
        node = waiting.pop()
        below = [child for child in dag.children(node) if child not in seen and (node, child) != past]
        seen.update(below)
        waiting += below
    return end in seen


def _deciding_test(learned: _Learned, a: Hashable, b: Hashable, *, joined: bool) -> Tested | None:
    """The test that removed an edge, or the one that came closest to it; None of learners that do not test."""
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
    """The sets of variables whose subsets were given in the tests of a pair; None: it was not tested."""
    graph = result.pdag
    if not told.blankets:
        # PC: an edge that is gone has its separating set, unless it could not be there.
        around = [(*graph.parents(v), *graph.children(v), *graph.neighbours(v)) for v in (a, b)]
        pools = around if joined else None
    else:
        pools = [told.blankets[v] for v in (a, b)]
        if joined and not isinstance(result.trace, HybridTrace):
            # Of the two blankets the smaller one; both if neither is.
            least = min(len(set(pool) - {a, b}) for pool in pools)
            pools = [pool for pool in pools if len(set(pool) - {a, b}) == least]
    return None if pools is None else [tuple(v for v in pool if v not in (a, b)) for pool in pools]


def _closest_set(
    learned: _Learned, a: Hashable, b: Hashable, pools: Sequence[tuple[Hashable, ...]], *, whole: bool
) -> tuple[Hashable, ...]:
    """The set with the greatest p-value among the subsets of some pools, or the pools whole; of equals the first.

    Subsets are taken by growing size, those of one size in processing order.
    """
    result, number = learned.result, learned.number
    test = independence_test(learned.problem.statistics, str(result.config["test"]))
    place = {name: at for at, name in enumerate(result.order)}
    limit = result.config.get("max_condition")
    ordered = [sorted(pool, key=place.__getitem__) for pool in pools]
    # As the ends of a pair may be asked for either way round, so may the pools.
    ordered.sort(key=lambda pool: [place[name] for name in pool])
    sets: Iterator[tuple[Hashable, ...]] = map(tuple, ordered)
    if not whole:
        most = max(map(len, ordered))
        most = most if limit is None else min(most, int(limit))
        sets = chain.from_iterable(combinations(pool, size) for size in range(most + 1) for pool in ordered)

    def p_value(given: tuple[Hashable, ...]) -> float:
        return test.test(number[a], number[b], sum(bit(number[name]) for name in given)).p_value

    return max(sets, key=p_value)
