"""The explanation of one pair of variables in a learned graph, as data and as sentences."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from stablebn.errors import spelled
from stablebn.graph.names import Edge

CYCLE = "cycle"
NOT_ALLOWED = "not allowed"
NOT_IN_MODEL = "not in the model"
REQUIRED = "required"
TOO_MANY_PARENTS = "too many parents"
TOO_FEW_ROWS = "too few rows"
NO_CANDIDATE = "no candidate"

_OBSTACLES = {
    CYCLE: "it would close a cycle",
    NOT_ALLOWED: "it is not allowed",
    NOT_IN_MODEL: "the model has no arc from a continuous to a categorical variable",
    REQUIRED: "it is required",
    TOO_MANY_PARENTS: "there would be too many parents",
    TOO_FEW_ROWS: "there are too few rows for it",
    NO_CANDIDATE: "the tests left it out of the candidates",
}
START = "start"
WHOLE_GRAPH = "whole graph"

_ORIGINS = {
    REQUIRED: "is required",
    START: "was in the graph from which the search started",
    WHOLE_GRAPH: "came with the whole graph, the best that was found, and by no step of its own",
}
_KEYS = {
    "higher own score": "because its own {score} is higher",
    "lower own score": "because its own {score} is lower and the order is increasing",
    "higher gain": "because single parents raise its {score} more on average",
    "lower gain": "because single parents raise its {score} less on average and the order is increasing",
    "values": "because of the values of the two columns, as their scores are the same",
    "other columns": "because of their relations to the other columns, as their own scores and values are the same",
    "names": "by its name: the data cannot tell the two columns apart, and names decide",
    "columns": "in the table",
    "earlier graph": "as in the graph from which the order was read",
}


@dataclass(frozen=True)
class Step:
    """A step of a search.

    Attributes
    ----------
    number, of : int
        The number of the step among those that led to the graph, from 1, and the number of all these steps.
    move : str
        "add", "delete" or "reverse"; for fges "insert", "delete" or "turn".
    arc : (from, to)
        The arc that was added, deleted or reversed.
    gain : float
        The gain in score.
    others : tuple of names
        For fges: T of Insert(x, y, T), H of Delete(x, y, H) or C of Turn(x, y, C).
    runner_up : tuple of (move, from, to, gain) or None
        The second best move.
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
    """The effect of changing one arc on the score.

    Attributes
    ----------
    what : str
        "remove", "reverse" or "add".
    arc : (from, to)
        The arc that is removed or added.
    score : float or None
        The `stablebn.score` of the changed graph; `None` if there is no such graph or score.
    difference : float or None
        That score minus the score of the graph.
    obstacle : str or None
        Why a search cannot make the change: "cycle", "not in the model" (from a continuous to a categorical variable),
        "not allowed" (by background knowledge), "required", "too many parents", "too few rows" or "no candidate" (the
        tests of a hybrid algorithm excluded it).
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
        The separating set; for an edge that was kept, the set with the largest p-value.
    statistic, df, p_value : float
        As in `stablebn.ci_test`.
    alpha : float
        A p-value above alpha means independence.
    """

    test: str
    given: tuple[Hashable, ...]
    statistic: float
    df: float
    p_value: float
    alpha: float


@dataclass(frozen=True)
class Explanation:
    """Why two variables are adjacent and in which direction, or why they are not; `str` returns a few sentences.

    Attributes
    ----------
    a, b : name
        The two variables.
    arc : (from, to) or None
        The arc of `result.dag` between them (without a DAG, the directed edge of `result.pdag`).
    mark : str
        How outputs show the edge: "->" along `arc`, "--" without a direction, "" without an edge.
    direction : str or None
        "compelled": every DAG of the class has it. "known": the other direction is not allowed. "model": the model has
        no arc from a continuous to a categorical variable. "data-driven": the score decides, which differs between the
        DAGs of a class. "arbitrary": neither data nor knowledge decide. "not determined": the class has too many DAGs
        to compare.
    rule : str or None
        What decides the direction: "v-structure", "Meek's rule 1" to "4", "knowledge", "model", "score". For an
        arbitrary direction: "order", "other arcs" (the arcs of the graph at that step), "start", "whole graph" or
        "extension".
    others : tuple of names
        The variables besides a and b that the rule involves.
    key : str or None
        If the rule is "order" or "extension", why the first variable of `arc` comes first: "higher own score", "lower
        own score" (without parents; lower if the order is increasing), "higher gain", "lower gain" (the mean gain from
        single parents), "values", "other columns", "names", "columns" (the order of the columns in the table) or
        "earlier graph" (it comes first in the graph from which the order was read). For an extension also "other
        edges": the direction follows from these.
    origin : str or None
        The origin of an edge that no step added and no test kept: it is "required", was in the graph of "start", or
        came with the "whole graph" of an algorithm that does not add single arcs.
    step : Step or None
        The step that added the edge; for an absent edge, the step that deleted it.
    turned : Step or None
        The last step that reversed the arc since.
    score_name, score : str, float or None
        The name of the score, and the score of the graph.
    strength : float or None
        The strength of the arc: the score lost without it.
    changes : tuple of Change
        For an arc: removing and reversing it. Otherwise: adding either arc.
    test : Tested or None
        For algorithms that test independence: the test that removed the edge, or that came closest to it.
    apart : (name, why) or None
        The variable that takes no part: it "has a single value" or "was set aside".
    """

    a: Hashable
    b: Hashable
    arc: Edge | None
    mark: str
    direction: str | None
    rule: str | None
    others: tuple[Hashable, ...]
    key: str | None
    origin: str | None
    step: Step | None
    turned: Step | None
    score_name: str
    score: float | None
    strength: float | None
    changes: tuple[Change, ...]
    test: Tested | None
    apart: tuple[Hashable, str] | None

    def to_dict(self) -> dict[str, Any]:
        """Return all fields and the sentences in types that JSON has."""
        own = {field.name: _plain(getattr(self, field.name)) for field in fields(self)}
        return {**own, "sentences": list(self.sentences)}

    @property
    def sentences(self) -> tuple[str, ...]:
        """The explanation in sentences: how the edge was found, its direction, and the scores of other graphs."""
        a, b = spelled(self.a), spelled(self.b)
        if self.apart is not None:
            return (f"Nothing joins {a} and {b}: {spelled(self.apart[0])} {self.apart[1]} and takes no part.",)
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
        if self.origin is not None:
            return f"{self._edge()} {_ORIGINS[self.origin]}{self._against()}."
        sentence = f"{self._edge()} stayed, as no test found the two independent"
        if self.step is not None:
            sentence = f"{self._edge()} came in {self._when(self.step)}"
            if self.step.runner_up is not None:
                move, u, v, gain = self.step.runner_up
                sentence += f" (the runner-up was to {move} {spelled(u)} -> {spelled(v)}: {_signed(gain)})"
            if self.turned is not None:
                sentence += f", and was turned this way at step {self.turned.number}"
        return f"{sentence}{self._closest()}."

    def _against(self) -> str:
        """Describe the test that would have removed a required arc, if there is one."""
        if self.test is None or self.test.p_value <= self.test.alpha:
            return ""
        return f"; a test {_given(self.test.given)} finds the two independent, with {_p_value(self.test)}"

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
            return f"{pair}{'' if self.origin == WHOLE_GRAPH else ', and none did on the way'}{closest}."
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
        if self.direction == "model":
            return "Its direction is decided by the model (no arc from a continuous to a categorical variable)."
        if self.direction == "data-driven":
            return (
                f"{start}{self.score_name} is not the same for all graphs that imply the same independences, and those "
                "with the other direction score less."
            )
        if self.direction == "not determined":
            return (
                f"Its direction was not determined: {self.score_name} is not the same for all graphs that imply the "
                "same independences, and they are too many to compare."
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
            "order": f"both directions scored the same when it was added; {self._comes_first()}",
            "other arcs": "when the edge got this one, the other one was not possible or scored less; now a graph "
            "of the same class with the other one scores no less",
            "start": "it is that of the graph from which the search started",
            WHOLE_GRAPH: "it is that of the best graph that was found, and one of the same class with the other one "
            "scores no less",
            "extension": f"the learner leaves it open; {self._comes_first()}",
            None: "the learner leaves it open",
        }[self.rule]
        return f"{start}{why}."

    def _comes_first(self) -> str:
        """Say which variable comes first in the order that decides, and why."""
        if self.arc is None or self.key is None:
            return ""
        if self.key == "other edges":
            return "in the DAG it follows from the directions of other edges"
        first = spelled(self.arc[0])
        place = "" if self.rule == "order" else " in the order by which the DAG is directed"
        return f"{first} comes first{place} {_KEYS[self.key].format(score=self.score_name)}"

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
            if self.score is not None and change.obstacle in (NOT_ALLOWED, NOT_IN_MODEL, NO_CANDIDATE):
                reason = f"{_OBSTACLES[TOO_FEW_ROWS]}, and {reason}"
            return f"What {arc} would add cannot be said: {reason}."
        gain = _moved(change.difference, "raise", "lower", f"the {self.score_name}")
        return f"Adding {arc} would {gain} (to {change.score:,.2f}){_but(change)}."


def _plain(value: Any) -> Any:
    """Return a field in types that JSON has."""
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
