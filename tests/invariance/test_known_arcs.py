"""One table, one graph, also among the graphs that obey what is known: every learner, every kind, knowledge by name."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.drawn import (
    KINDS,
    PURE,
    TESTING,
    UNSTABLE,
    Combination,
    Streams,
    combinations,
    holes_of,
    options_of,
    thinned,
)
from tests.drawn import LEARNERS as ALL
from tests.known import drawn_knowledge
from tests.tables import Columns, categorical_columns, continuous_columns, mixed_columns, renamed, shuffled

import stablebn as sb
from stablebn import _core
from stablebn.api.arguments import LearnArguments
from stablebn.api.learn import learn_from_request
from stablebn.api.request import LearnRequest
from stablebn.knowledge import KnownArcs

STABLE = tuple(name for name in ALL if name not in UNSTABLE)
MAKERS = {"categorical": categorical_columns, "continuous": continuous_columns, "mixed": mixed_columns}
EXAMPLES = 3


class Drawn:
    """A table, what is known of it, and how it is learned from."""

    def __init__(self, combination: Combination, seed: str, n: tuple[int, int] = (2, 7), copies: int = 0) -> None:
        self.streams = Streams(seed)
        self.shuffle = self.streams["shuffle"].randint(0, 10**6)
        rng = np.random.default_rng(self.streams["values"].randint(0, 10**6))
        self.columns = MAKERS[combination.kind](
            rng, self.streams["columns"].randint(*n), self.streams["rows"].randint(4, 60)
        )
        for copy in range(copies):
            self.columns[f"copy{copy}"] = list(self.columns[self.streams["copies"].choice(list(self.columns))])
        self._combination = combination
        self._options = options_of(self.streams, combination, len(self.columns))
        names, rows = list(self.columns), len(next(iter(self.columns.values())))
        holes = holes_of(self.streams, combination, len(names), rows)
        for column, row in holes:
            self.columns[names[column]][row] = None
        if holes:
            self._options["missing"] = "available"
        self.known = self._drawn_knowledge()

    def _drawn_knowledge(self) -> KnownArcs:
        """Knowledge that the learner can obey and the rows suffice for, mostly."""
        algorithm, kind, score = self._combination
        names = list(self.columns)
        drawn = drawn_knowledge(
            str(self.streams["known"].random()), len(names), most_required=1 if kind == "mixed" else 2
        )
        forbidden, required = ([(names[u], names[v]) for u, v in arcs] for arcs in drawn[:2])
        arcs = self._options.get("arcs", "any" if score in ("dg", "basis", "adaptive") else "clg")
        by_kind = kind == "mixed" and arcs == "clg"
        required = [
            (a, b)
            for a, b in required
            if all(len({*self.columns[end]} - {None}) > 1 for end in (a, b))
            and not (by_kind and _is_number(self.columns[a]) and not _is_number(self.columns[b]))
        ]
        most = {names[v]: most for v, most in drawn[2].items() if algorithm not in TESTING or most == 0}
        if "max_parents" in self._options:
            needed = max((sum(child == b for _, child in required) for _, b in required), default=0)
            self._options["max_parents"] = max(self._options["max_parents"], needed)
        return KnownArcs(tuple(required), tuple(forbidden), most)

    def learn(self, columns: Columns, known: KnownArcs, **others: Any) -> sb.Result | None:
        """Learn, always with the same options; None: too few rows for what is required, or a start contradicts it."""
        algorithm, _, score = self._combination
        options = {**self._options, **others}
        if algorithm not in UNSTABLE:
            options.pop("order", None)
        try:
            arguments = LearnArguments.of_learn((columns, algorithm, score), options)
            return learn_from_request(LearnRequest.of(arguments, known=known))
        except sb.GraphError as error:
            if (known.required or known.most_parents) and ("what is required" in str(error) or "start" in str(error)):
                return None
            raise

    def check(self, result: sb.Result | None) -> None:
        """See that a result obeys."""
        if result is None:
            return
        known = self.known
        assert set(known.required) <= set(result.pdag.directed)
        assert not set(known.forbidden) & set(result.pdag.directed)
        assert not set(known.forbidden) & {*result.pdag.undirected, *((b, a) for a, b in result.pdag.undirected)}
        if result.dag is not None:
            assert set(known.required) <= set(result.dag.arcs)
            assert not set(known.forbidden) & set(result.dag.arcs)
            assert all(len(result.dag.parents(name)) <= most for name, most in known.most_parents.items())
            assert result.cpdag is not None
            assert set(known.required) <= set(result.known) <= set(result.cpdag.directed)


def _is_number(column: Sequence[Any]) -> bool:
    return isinstance(column[0], float)


def _of(known: KnownArcs, new: Mapping[Hashable, Hashable]) -> KnownArcs:
    """The same under other names, said in another order."""
    required, forbidden = (
        tuple((new[a], new[b]) for a, b in reversed(arcs)) for arcs in (known.required, known.forbidden)
    )
    return KnownArcs(required, forbidden, {new[name]: most for name, most in reversed([*known.most_parents.items()])})


def cases(learners: tuple[str, ...], kinds: Sequence[str] = KINDS) -> list[Any]:
    return [
        thinned(combination, example, name=f"{' '.join(combination)} {example}", example=example)
        for combination in combinations(learners)
        if combination.kind in kinds
        for example in range(EXAMPLES)
    ]


def _graph(result: sb.Result | None, old: Mapping[Hashable, Hashable] | None = None) -> tuple[Any, ...] | None:
    if result is None:
        return None

    def named(edges: Sequence[tuple[Hashable, Hashable]]) -> set[tuple[Hashable, Hashable]]:
        return {(a, b) if old is None else (old[a], old[b]) for a, b in edges}

    undirected = {frozenset(edge) for edge in named(result.pdag.undirected)}
    return named(result.pdag.directed), undirected, named(result.arcs), named(result.known), _key(result)


def _key(result: sb.Result | None) -> tuple[Any, ...] | None:
    return None if result is None else (result.score, result.fingerprint, result.bound, result.ties)


@pytest.mark.parametrize(("combination", "example"), cases(ALL))
def test_every_learner_obeys_in_any_layout(combination: Combination, example: int) -> None:
    drawn = Drawn(combination, f"layouts {combination} {example}")
    first = drawn.learn(drawn.columns, drawn.known)
    drawn.check(first)
    other = shuffled(drawn.columns, drawn.shuffle, order=combination.algorithm not in UNSTABLE)
    same = _of(drawn.known, {name: name for name in drawn.columns})
    assert _graph(drawn.learn(other, same)) == _graph(first)


@pytest.mark.parametrize(("combination", "example"), cases(STABLE))
def test_other_names_give_the_same_graph(combination: Combination, example: int) -> None:
    drawn = Drawn(combination, f"names {combination} {example}")
    first = drawn.learn(drawn.columns, drawn.known)
    drawn.check(first)
    other, old = renamed(shuffled(drawn.columns, drawn.shuffle), drawn.shuffle)
    second = drawn.learn(other, _of(drawn.known, {name: alias for alias, name in old.items()}))
    assert _key(second) == _key(first)
    if first and second and [old[name] for name in second.order] == list(first.order):
        assert _graph(second, old) == _graph(first)


@pytest.mark.parametrize(("combination", "example"), cases(STABLE))
def test_what_is_known_tells_identical_columns_apart_before_names_do(combination: Combination, example: int) -> None:
    drawn = Drawn(combination, f"copies {combination} {example}", n=(2, 4), copies=3)
    first = drawn.learn(drawn.columns, drawn.known)
    drawn.check(first)
    other, old = renamed(shuffled(drawn.columns, drawn.shuffle), drawn.shuffle)
    second = drawn.learn(other, _of(drawn.known, {name: alias for alias, name in old.items()}))
    assert _key(second) == _key(first)


@pytest.mark.parametrize(
    ("combination", "example"),
    [case for case in cases(STABLE, ("continuous", "mixed")) if case.values[0].score != "bge"][::3],
)
def test_units_change_nothing_but_the_score(combination: Combination, example: int) -> None:
    drawn = Drawn(combination, f"units {combination} {example}")
    first = drawn.learn(drawn.columns, drawn.known, unit_free=None)
    units = {name: drawn.streams["units of columns"].choice((-8.0, -0.5, 0.25, 4.0)) for name in drawn.columns}
    other = {
        name: [None if x is None else x * units[name] for x in own] if _is_number(own) else own
        for name, own in shuffled(drawn.columns, drawn.shuffle).items()
    }
    second = drawn.learn(other, drawn.known, unit_free=None)
    graph, other_graph = _graph(first), _graph(second)
    assert (other_graph and other_graph[:-1]) == (graph and graph[:-1])


# Of a mixed table most starts that are drawn have arcs from numbers to categories, or too few rows.
@pytest.mark.parametrize(("combination", "example"), cases(("tabu-stable", "hc-dec", "fges"), PURE))
def test_a_start_and_what_is_known_tell_identical_columns_apart_together(
    combination: Combination, example: int
) -> None:
    drawn = Drawn(combination, f"starts {combination} {example}", n=(2, 4), copies=3)
    # A start may have no arcs at a column with a single value.
    varying = [name for name, own in drawn.columns.items() if len({*own} - {None}) > 1]
    start = [
        (a, b)
        for a, b in pairwise(drawn.streams["start"].sample(varying, min(4, len(varying))))
        if (a, b) not in drawn.known.forbidden and b not in drawn.known.most_parents and drawn.streams.often("arc", 0.7)
    ]
    first = drawn.learn(drawn.columns, drawn.known, start=start, max_parents=None)
    drawn.check(first)
    other, old = renamed(shuffled(drawn.columns, drawn.shuffle), drawn.shuffle)
    new = {name: alias for alias, name in old.items()}
    turned = [(new[a], new[b]) for a, b in start]
    second = drawn.learn(other, _of(drawn.known, new), start=turned, max_parents=None)
    assert _key(second) == _key(first)


def test_few_of_the_cases_are_refused_for_want_of_rows() -> None:
    drawn = [Drawn(combination, f"layouts {combination} 0") for combination in combinations(("hc-dec", "pc-stable"))]
    assert sum(own.learn(own.columns, own.known) is None for own in drawn) * 4 < len(drawn)
    assert sum(bool(own.known.required) for own in drawn) * 3 > len(drawn)
    assert sum(bool(own.known.most_parents) for own in drawn) * 8 > len(drawn)


@pytest.mark.parametrize("engine", _core.engines())
@pytest.mark.parametrize("algorithm", ALL)
def test_engines_and_threads_cannot_matter(engine: str, algorithm: str, forced_engine: str) -> None:
    before = _core.worth_a_thread()
    for kind in KINDS:
        drawn = Drawn(Combination(algorithm, kind, "bic"), f"engines {algorithm}", n=(8, 9))
        found = drawn.learn(drawn.columns, drawn.known, threads=3)
        _core.use_engine("portable")
        _core.set_worth_a_thread(0)
        try:
            right = drawn.learn(drawn.columns, drawn.known, threads=2)
        finally:
            _core.set_worth_a_thread(before)
            _core.use_engine(engine)
        assert _graph(found) == _graph(right)
        if found and right:
            assert found.trace == right.trace
