"""One table, one graph, also among the graphs that are allowed: every learner, every kind, arcs forbidden by name."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.drawn import KINDS, PURE, UNSTABLE, Combination, Streams, combinations, options_of
from tests.drawn import LEARNERS as ALL
from tests.forbidden import drawn_forbidden
from tests.tables import Columns, categorical_columns, continuous_columns, mixed_columns, renamed, shuffled

import stablebn as sb
from stablebn import _core
from stablebn.api import learn_among
from stablebn.arguments import LearnArguments
from stablebn.knowledge import KnownArcs

Arcs = list[tuple[Hashable, Hashable]]
STABLE = tuple(name for name in ALL if name not in UNSTABLE)
MAKERS = {"categorical": categorical_columns, "continuous": continuous_columns, "mixed": mixed_columns}
EXAMPLES = 3


class Drawn:
    """A table, what is forbidden in it, and how it is learned from."""

    def __init__(self, combination: Combination, seed: str, n: tuple[int, int] = (2, 7), copies: int = 0) -> None:
        self.streams = Streams(seed)
        self.shuffle = self.streams["shuffle"].randint(0, 10**6)
        rng = np.random.default_rng(self.streams["values"].randint(0, 10**6))
        self.columns = MAKERS[combination.kind](
            rng, self.streams["columns"].randint(*n), self.streams["rows"].randint(4, 60)
        )
        for copy in range(copies):
            self.columns[f"copy{copy}"] = list(self.columns[self.streams["copies"].choice(list(self.columns))])
        names = list(self.columns)
        arcs = drawn_forbidden(str(self.streams["forbidden"].random()), len(names))
        self.forbidden = [(names[u], names[v]) for u, v in arcs]
        self._combination = combination
        self._options = options_of(self.streams, combination, len(self.columns))

    def learn(self, columns: Columns, forbidden: Arcs, **others: Any) -> sb.Result:
        """Learn, always with the same options."""
        algorithm, _, score = self._combination
        options = {**self._options, **others}
        if algorithm not in UNSTABLE:
            options.pop("order", None)
        return learn_among(
            LearnArguments.of_learn((columns, algorithm, score), options), KnownArcs(forbidden=tuple(forbidden))
        )


def cases(learners: tuple[str, ...], kinds: Sequence[str] = KINDS) -> list[Any]:
    return [
        pytest.param(combination, example, id=f"{' '.join(combination)} {example}")
        for combination in combinations(learners)
        if combination.kind in kinds
        for example in range(EXAMPLES)
    ]


def _graph(result: sb.Result, old: dict[Hashable, Hashable] | None = None) -> tuple[Any, ...]:
    def name(given: Hashable) -> Hashable:
        return given if old is None else old[given]

    directed = {(name(a), name(b)) for a, b in result.pdag.directed}
    undirected = {frozenset((name(a), name(b))) for a, b in result.pdag.undirected}
    return directed, undirected, {(name(a), name(b)) for a, b in result.arcs}, result.score, result.fingerprint


@pytest.mark.parametrize(("combination", "example"), cases(ALL))
def test_no_learner_finds_a_forbidden_arc_in_any_layout(combination: Combination, example: int) -> None:
    drawn = Drawn(combination, f"layouts {combination} {example}")
    first = drawn.learn(drawn.columns, drawn.forbidden)
    assert not {*first.arcs, *first.pdag.directed} & set(drawn.forbidden)
    other = shuffled(drawn.columns, drawn.shuffle, order=combination.algorithm not in UNSTABLE)
    assert _graph(drawn.learn(other, drawn.forbidden[::-1])) == _graph(first)


@pytest.mark.parametrize(("combination", "example"), cases(STABLE))
def test_other_names_give_the_same_graph(combination: Combination, example: int) -> None:
    drawn = Drawn(combination, f"names {combination} {example}")
    first = drawn.learn(drawn.columns, drawn.forbidden)
    other, old = renamed(shuffled(drawn.columns, drawn.shuffle), drawn.shuffle)
    new = {name: alias for alias, name in old.items()}
    second = drawn.learn(other, [(new[a], new[b]) for a, b in drawn.forbidden])
    assert (second.score, second.fingerprint) == (first.score, first.fingerprint)
    if [old[name] for name in second.order] == list(first.order):
        assert _graph(second, old) == _graph(first)


@pytest.mark.parametrize(("combination", "example"), cases(STABLE))
def test_what_is_forbidden_tells_identical_columns_apart_before_names_do(
    combination: Combination, example: int
) -> None:
    drawn = Drawn(combination, f"copies {combination} {example}", n=(2, 4), copies=3)
    first = drawn.learn(drawn.columns, drawn.forbidden)
    other, old = renamed(shuffled(drawn.columns, drawn.shuffle), drawn.shuffle)
    new = {name: alias for alias, name in old.items()}
    second = drawn.learn(other, [(new[a], new[b]) for a, b in drawn.forbidden])
    assert (second.score, second.fingerprint) == (first.score, first.fingerprint)


# Of a mixed table most starts that are drawn have arcs from numbers to categories, or too few rows.
@pytest.mark.parametrize(("combination", "example"), cases(("tabu-stable", "hc-dec", "fges"), PURE))
def test_a_start_and_what_is_forbidden_tell_identical_columns_apart_together(
    combination: Combination, example: int
) -> None:
    drawn = Drawn(combination, f"starts {combination} {example}", n=(2, 4), copies=3)
    # A start may have no arcs at a column with a single value.
    varying = [name for name, own in drawn.columns.items() if len(set(own)) > 1]
    start = [
        (a, b)
        for a, b in pairwise(drawn.streams["start"].sample(varying, min(4, len(varying))))
        if (a, b) not in drawn.forbidden and drawn.streams.often("arc", 0.7)
    ]
    first = drawn.learn(drawn.columns, drawn.forbidden, start=start, max_parents=None)
    other, old = renamed(shuffled(drawn.columns, drawn.shuffle), drawn.shuffle)
    new = {name: alias for alias, name in old.items()}
    forbidden, turned = ([(new[a], new[b]) for a, b in arcs] for arcs in (drawn.forbidden, start))
    second = drawn.learn(other, forbidden, start=turned, max_parents=None)
    assert (second.score, second.fingerprint) == (first.score, first.fingerprint)


@pytest.mark.parametrize("engine", _core.engines())
@pytest.mark.parametrize("algorithm", ALL)
def test_engines_and_threads_cannot_matter(engine: str, algorithm: str, forced_engine: str) -> None:
    before = _core.worth_a_thread()
    for kind in KINDS:
        drawn = Drawn(Combination(algorithm, kind, "bic"), f"engines {algorithm}", n=(8, 9))
        found = drawn.learn(drawn.columns, drawn.forbidden, threads=3)
        _core.use_engine("portable")
        _core.set_worth_a_thread(0)
        try:
            right = drawn.learn(drawn.columns, drawn.forbidden, threads=2)
        finally:
            _core.set_worth_a_thread(before)
            _core.use_engine(engine)
        assert _graph(found) == _graph(right)
        assert found.trace == right.trace
