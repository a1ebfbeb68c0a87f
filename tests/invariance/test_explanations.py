"""Marks, strengths and explanations are those of the data: layouts and names change none of them, compared with ==."""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping
from itertools import combinations as pairs_of
from typing import Any

import pytest
from tests.drawn import LEARNERS, UNSTABLE, Combination, combinations
from tests.invariance.test_layouts import Drawn
from tests.known import drawn_forbidden
from tests.tables import renamed, shuffled

import stablebn as sb
from stablebn.api.arguments import LearnArguments
from stablebn.api.learn import learn_from_request
from stablebn.api.request import LearnRequest
from stablebn.knowledge import KnownArcs

STABLE = tuple(name for name in LEARNERS if name not in UNSTABLE)
_CASES = random.Random("explanations").sample(list(combinations(STABLE)), 70)
_NOT_OF_NAMES = ("sentences", "a", "b")


def _back(content: Any, old: Mapping[Hashable, Hashable]) -> Any:
    """The content of an explanation under the old names."""
    if isinstance(content, dict):
        return {field: _back(own, old) for field, own in content.items() if field not in _NOT_OF_NAMES}
    if isinstance(content, list):
        return [_back(own, old) for own in content]
    return old.get(content, content) if isinstance(content, str) else content


@pytest.mark.parametrize("combination", _CASES, ids=map(" ".join, _CASES))
def test_explanations_do_not_depend_on_layout_and_names(combination: Combination) -> None:
    drawn = Drawn(combination, f"explanations {combination}", stable=True)
    columns = drawn.table((2, 6), (10, 80))
    learn = drawn.learner(columns)
    other, old = renamed(shuffled(columns, drawn.shuffle), drawn.shuffle)
    first, second = learn(columns), learn(other)
    new = {name: alias for alias, name in old.items()}
    if [old[name] for name in second.order] != list(first.order):
        # Names had to decide between columns that the data cannot tell apart.
        assert sorted(first.strengths.values()) == sorted(second.strengths.values())
        assert len(first.undirected) == len(second.undirected)
        return
    assert first.strengths == {(old[u], old[v]): own for (u, v), own in second.strengths.items()}
    assert set(map(frozenset, first.undirected)) == {frozenset((old[u], old[v])) for u, v in second.undirected}
    for a, b in pairs_of(first.nodes, 2):
        one, two = first.explain(a, b), second.explain(new[a], new[b])
        assert _back(one.to_dict(), {}) == _back(two.to_dict(), old)


_KNOWN = random.Random("known").sample(list(combinations(STABLE)), 24)


@pytest.mark.parametrize("combination", _KNOWN, ids=map(" ".join, _KNOWN))
def test_explanations_with_knowledge_do_not_depend_on_layout_and_names(combination: Combination) -> None:
    drawn = Drawn(combination, f"explanations with knowledge {combination}", stable=True)
    columns = drawn.table((3, 6), (20, 80))
    other, old = renamed(shuffled(columns, drawn.shuffle), drawn.shuffle)
    new = {name: alias for alias, name in old.items()}
    names = list(columns)
    forbidden = [(names[u], names[v]) for u, v in drawn_forbidden(str(combination), len(names))]
    options = {**drawn.options(len(names)), "missing": "available"}

    def learn(data: object, arcs: list[tuple[Hashable, Hashable]]) -> sb.Result:
        asked = LearnArguments.of_learn((data, combination.algorithm, combination.score), options)
        return learn_from_request(LearnRequest.of(asked, known=KnownArcs(forbidden=tuple(arcs))))

    first, second = learn(columns, forbidden), learn(other, [(new[u], new[v]) for u, v in forbidden])
    if [old[name] for name in second.order] != list(first.order):
        return
    assert first.strengths == {(old[u], old[v]): own for (u, v), own in second.strengths.items()}
    for a, b in pairs_of(first.nodes, 2):
        one, two = first.explain(a, b), second.explain(new[a], new[b])
        assert _back(one.to_dict(), {}) == _back(two.to_dict(), old)
        if one.mark == "--":
            # Either way is allowed.
            assert not {(a, b), (b, a)} & set(forbidden)
        for change in one.changes:
            u, v = (first.kinds.get(name) for name in change.arc)
            by_model = ["not in the model"] if (u, v) == ("continuous", "categorical") else []
            assert change.arc not in forbidden or change.obstacle in ("not allowed", "cycle", *by_model)


def test_every_learner_and_kind_is_met() -> None:
    assert {case.algorithm for case in _CASES} == set(STABLE)
    assert len({(case.kind, case.score) for case in _CASES}) == 21


def test_the_marked_graph_of_a_pattern_is_its_class() -> None:
    met = 0
    for combination in combinations(("pc-stable", "gs", "inter-iamb", "fges")):
        drawn = Drawn(combination, f"marked {combination}", stable=True)
        columns = drawn.table((3, 8), (20, 60))
        result = drawn.learner(columns)(columns)
        if result.extendable:
            met += 1
            assert result.marked == result.pdag == result.cpdag
    assert met > 40


def test_column_order_decides_nothing_in_strengths() -> None:
    table = sb.read_network("asia").sample(300, seed=2)
    result = sb.learn(table, "hc")
    for seed in range(3):
        names = random.Random(seed).sample(table.column_names, 8)
        again = sb.learn(table.select(names), "hc", start=result.dag)
        assert again.dag == result.dag
        assert again.strengths == result.strengths
