"""Learners among allowed arcs, by canonical numbers and through the front door."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from tests.forbidden import drawn_forbidden, random_pairs
from tests.naive.equivalence_search import common, dags_of, obeying
from tests.tables import categorical_columns, continuous_columns, random_categorical_table

import stablebn as sb
from stablebn.api import learn_among
from stablebn.arguments import LearnArguments
from stablebn.data import prepare
from stablebn.graph import DAG, PDAG
from stablebn.independence import DSeparation
from stablebn.knowledge import KnownArcs
from stablebn.learned import learned_graph
from stablebn.learners import LEARNERS, Pattern, Problem, SearchConfig, define_problem, evidence
from stablebn.learners.orientation import oriented
from stablebn.networks import random_network
from stablebn.scores.registry import ScoreConfig
from stablebn.search import Constraints
from stablebn.search.greedy_equivalence import GreedyEquivalenceSearch

TESTING = ("pc-stable", "gs", "inter-iamb")
ASIA = sb.read_network("asia").sample(1000, seed=1)


def _learn(data: object, algorithm: str, forbidden: Iterable[tuple[Any, Any]], **options: Any) -> sb.Result:
    return learn_among(LearnArguments.of_learn((data, algorithm), options), KnownArcs(forbidden=tuple(forbidden)))


def _known(dag: DAG, forbidden: Iterable[tuple[int, int]]) -> Problem:
    """A problem with a test that knows the DAG, over 0 .. n - 1, and data that nobody looks at."""
    n = len(dag.nodes)
    anything = define_problem(random_categorical_table(np.random.default_rng(1), n, 20), ScoreConfig())
    return replace(
        anything,
        test=DSeparation(dag),
        given=tuple(range(n)),
        decreasing=tuple(range(n)),
        constraints=Constraints.of(n, forbidden=forbidden),
    )


def _random_dag(rng: random.Random, n: int) -> DAG:
    order = rng.sample(range(n), n)
    return DAG(range(n), [(order[i], order[j]) for j in range(n) for i in range(j) if rng.random() < 0.4])


def _pdag(pattern: Pattern, n: int) -> PDAG:
    return PDAG(range(n), pattern.directed, pattern.undirected)


def test_arcs_that_are_allowed_can_be_asked_for() -> None:
    allowed = Constraints.of(3, forbidden=[(0, 1), (1, 0), (2, 1)])
    assert [arc for arc in permutations(range(3), 2) if not allowed.allows(*arc)] == [(0, 1), (1, 0), (2, 1)]
    assert allowed.joinable == (0b100, 0b100, 0b011)
    assert allowed.renumbered([2, 0, 1]) == Constraints.of(3, forbidden=[(2, 0), (0, 2), (1, 0)])
    assert not allowed.is_everything
    assert Constraints.of(3).is_everything
    assert allowed.among([0b111, 0b111, 0b001]).allowed == (0b101, 0b010, 0b001)


@pytest.mark.parametrize("n", [2, 3])
def test_tiers_are_recognised(n: int) -> None:
    tiered = {
        frozenset((u, v) for u, v in permutations(range(n), 2) if tier[u] > tier[v])
        for tier in product(range(n), repeat=n)
    }
    arcs = list(permutations(range(n), 2))
    for size in range(len(arcs) + 1):
        for forbidden in combinations(arcs, size):
            assert Constraints.of(n, forbidden=forbidden).are_tiers == (frozenset(forbidden) in tiered)


def test_what_is_forbidden_to_a_merged_column_is_forbidden_to_the_one_that_stands_for_it() -> None:
    columns = {**ASIA.to_pydict(), "copy": ASIA["smoke"].to_pylist()}
    for names in (("copy", "smoke"), ("smoke", "copy")):
        renamed = {
            dict(zip(("copy", "smoke"), names, strict=True)).get(name, name): own for name, own in columns.items()
        }
        result = _learn(renamed, "tabu-stable", [("copy", "lung"), ("lung", "smoke")], duplicates="merge")
        assert not any({*arc} in ({"copy", "lung"}, {"smoke", "lung"}) for arc in result.arcs)


def test_arcs_follow_their_columns_into_the_canonical_numbers() -> None:
    table = prepare(ASIA).table
    column = {name: place for place, name in enumerate(table.names)}
    allowed = Constraints.of(8, forbidden=[(column["lung"], column["smoke"]), (column["xray"], column["asia"])])
    problem = define_problem(table, ScoreConfig(), constraints=allowed)
    assert problem.constraints is not None
    barred = [arc for arc in permutations(range(8), 2) if not problem.constraints.allows(*arc)]
    assert {(problem.names[u], problem.names[v]) for u, v in barred} == {("lung", "smoke"), ("xray", "asia")}
    assert define_problem(table, ScoreConfig(), constraints=Constraints.of(8)).constraints is None


@pytest.mark.parametrize("algorithm", TESTING)
@pytest.mark.parametrize("seed", range(60))
def test_tests_that_know_the_graph_find_all_that_its_class_and_the_arcs_tell(algorithm: str, seed: int) -> None:
    rng = random.Random(seed)
    dag = _random_dag(rng, rng.randint(3, 6))
    n = len(dag.nodes)
    drawn = {*drawn_forbidden(seed, n), *(random_pairs(seed, n, 0.7) if seed % 2 else ())}
    forbidden = [arc for arc in sorted(drawn) if arc not in dag.arcs]
    pattern = LEARNERS[algorithm].learn(_known(dag, forbidden), SearchConfig())
    assert isinstance(pattern, Pattern)
    assert _pdag(pattern, len(dag.nodes)) == common(obeying(dag.cpdag(), forbidden))
    assert pattern.conflicts == ()


def test_variables_that_no_arc_may_join_are_separated_only_to_find_colliders() -> None:
    # 0 -> 2 <- 1: both pairs are apart from the start, but only 0 and 1 share a neighbour.
    dag = DAG(range(5), [(0, 2), (1, 2), (2, 3)])
    problem = _known(dag, [(0, 1), (1, 0), (0, 4), (4, 0)])
    found = LEARNERS["pc-stable"].learn(problem, SearchConfig())
    assert isinstance(found, Pattern)
    assert found.directed == ((0, 2), (1, 2), (2, 3))
    separating = found.trace.to_dict()["separating"]
    assert [0, 1, []] in separating
    assert not any({x, y} == {0, 4} for x, y, _ in separating)


@pytest.mark.parametrize("algorithm", TESTING)
def test_variables_that_no_arc_may_join_are_no_neighbours(algorithm: str) -> None:
    free = _learn(ASIA, algorithm, [])
    a, b = "bronc", "dysp"
    assert free.pdag.adjacent(a, b)
    apart = _learn(ASIA, algorithm, [(a, b), (b, a)])
    assert not apart.pdag.adjacent(a, b)
    if algorithm != "pc-stable":
        # In each other's blankets they may be.
        assert apart.trace.blankets == free.trace.blankets
        assert b in apart.trace.blankets[a]


@pytest.mark.parametrize("algorithm", ["gs", "inter-iamb"])
def test_members_of_a_blanket_that_no_arc_may_join_are_not_tested_for_being_neighbours(algorithm: str) -> None:
    columns = random_network(10, density=2.0, continuous=True, seed=2).sample(500, seed=1)
    free = _learn(columns, algorithm, [])
    (a, b), *_ = free.trace.separating
    apart = _learn(columns, algorithm, [(a, b), (b, a)])
    assert set(free.trace.separating) - set(apart.trace.separating) == {(a, b)}
    assert apart.pdag.skeleton() == free.pdag.skeleton()
    assert apart.trace.tests < free.trace.tests


def test_collider_against_a_forbidden_arc_is_a_conflict() -> None:
    path = [0b010, 0b101, 0b010]
    directed, undirected, conflicts = oriented(path, {(0, 1, 2): 0.1}, Constraints.of(3, forbidden=[(0, 1)]))
    assert (directed, undirected, conflicts) == (((1, 0),), ((1, 2),), ((0, 1, 2),))


def test_directions_that_make_a_cycle_leave_no_dag() -> None:
    rng = np.random.default_rng(3)
    hidden = rng.normal(size=200)
    columns = {name: (hidden + rng.normal(size=200)).tolist() for name in "abc"}
    forbidden = [("b", "a"), ("c", "b"), ("a", "c")]
    result = _learn(columns, "pc-stable", forbidden)
    assert set(result.pdag.directed) == {("a", "b"), ("b", "c"), ("c", "a")}
    assert (result.dag, result.cpdag, result.score) == (None, None, None)
    assert "not-extendable" in {caution.code for caution in result.warnings}
    for algorithm in ("tabu-stable", "mmhc", "fges"):
        assert _learn(columns, algorithm, forbidden).dag is not None


@pytest.mark.parametrize("seed", range(60))
def test_fges_shows_what_all_obeying_dags_of_its_class_share(seed: int) -> None:
    rng = np.random.default_rng(seed)
    make = continuous_columns if seed % 2 else categorical_columns
    table = prepare(make(rng, int(rng.integers(2, 7)), 80)).table
    forbidden = drawn_forbidden(seed, len(table.names))
    problem = define_problem(table, ScoreConfig(), constraints=Constraints.of(len(table.names), forbidden=forbidden))
    pattern = LEARNERS["fges"].learn(problem, SearchConfig())
    assert isinstance(pattern, Pattern)
    shown = _pdag(pattern, problem.scores.n)
    barred = [(problem.given[u], problem.given[v]) for u, v in forbidden]
    assert shown == common(obeying(shown.cpdag(), barred))


@pytest.mark.parametrize("seed", range(40))
def test_what_forbids_nothing_that_is_visited_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    make = continuous_columns if seed % 2 else categorical_columns
    problem = define_problem(prepare(make(rng, int(rng.integers(3, 7)), 60)).table, ScoreConfig())
    n = problem.scores.n
    visited = []
    search = GreedyEquivalenceSearch(
        problem.scores,
        problem.decreasing,
        [0] * n,
        most_parents=n,
        watch=lambda phase, steps: visited.append(search.graph),
    )
    search.insert_edges()
    search.delete_edges()
    # Every arc that no DAG of a visited class has.
    used = {
        arc
        for graph in visited
        for dag in dags_of(PDAG(range(n), graph.directed(), graph.undirected()))
        for arc in dag.arcs
    }
    idle = Constraints.of(n, forbidden=[arc for arc in permutations(range(n), 2) if arc not in used])
    free, held = (LEARNERS["fges"].learn(replace(problem, constraints=own), SearchConfig()) for own in (None, idle))
    assert free == held


@pytest.mark.parametrize("algorithm", ["mmhc", "h2pc"])
def test_hybrid_learners_obey_both_the_tests_and_what_is_allowed(algorithm: str) -> None:
    free = _learn(ASIA, algorithm, [])
    u, v = free.arcs[0]
    turned = _learn(ASIA, algorithm, [(u, v)])
    apart = _learn(ASIA, algorithm, [(u, v), (v, u)])
    assert (u, v) not in turned.arcs
    assert not {(u, v), (v, u)} & set(apart.arcs)
    # The tests are the same: it is the climb that obeys.
    assert free.trace.restriction == turned.trace.restriction == apart.trace.restriction
    candidates = turned.trace.restriction.blankets
    assert all(b in candidates[a] for a, b in turned.arcs)


@pytest.mark.parametrize("algorithm", list(LEARNERS))
def test_what_is_forbidden_is_not_called_arbitrary(algorithm: str) -> None:
    names = ASIA.column_names
    tier = {name: int(name not in ("asia", "smoke")) for name in names}
    result = _learn(ASIA, algorithm, [(a, b) for a, b in permutations(names, 2) if tier[a] > tier[b]])
    assert result.dag is not None
    assert result.cpdag is not None
    assert set(result.known) == {(a, b) for a, b in result.arcs if tier[a] < tier[b]} != set()
    assert set(result.known) <= set(result.cpdag.directed)
    assert all(tier[a] == tier[b] for a, b in result.cpdag.undirected)
    assert result.to_dict()["cpdag"]["directed"] == [list(arc) for arc in result.cpdag.directed]
    # The plain class is still there, what is forbidden orients more than it does, and comparisons do not count that.
    assert set(result.dag.cpdag().directed) < set(result.cpdag.directed)
    assert sb.compare(result, result.dag.cpdag()).shd == 0


@pytest.mark.parametrize("algorithm", ["tabu-stable", "hc", "fges"])
def test_start_with_a_forbidden_arc_is_refused(algorithm: str) -> None:
    with pytest.raises(sb.GraphError, match=r"start has arcs that are not allowed: \('smoke', 'lung'\)"):
        _learn(ASIA, algorithm, [("smoke", "lung")], start=[("smoke", "lung"), ("asia", "tub")])


@pytest.mark.parametrize("algorithm", ["tabu-stable", "hc", "fges"])
def test_start_without_directions_gets_those_that_are_allowed(algorithm: str) -> None:
    start = PDAG(["smoke", "lung", "bronc"], [], [("smoke", "lung"), ("smoke", "bronc")])
    stopped = {"max_iter": 0} if algorithm != "fges" else {}
    # Of the chains and the fork that it stands for, only lung -> smoke -> bronc is left.
    result = _learn(ASIA, algorithm, [("smoke", "lung"), ("bronc", "smoke")], start=start, **stopped)
    assert not {("smoke", "lung"), ("bronc", "smoke")} & set(result.arcs)
    if stopped:
        assert set(result.arcs) == {("lung", "smoke"), ("smoke", "bronc")}
    with pytest.raises(sb.GraphError, match="only arcs that are allowed"):
        _learn(ASIA, algorithm, [("smoke", "lung"), ("smoke", "bronc")], start=start)


def test_a_forbidden_arc_in_a_result_is_never_silent() -> None:
    problem = define_problem(prepare(ASIA).table, ScoreConfig())
    for algorithm in ("tabu-stable", "fges", "gs"):
        found = LEARNERS[algorithm].learn(problem, SearchConfig())
        learned = learned_graph(found, problem, problem.names)
        u, v = (problem.names.index(name) for name in learned.pdag.directed[0])
        barred = replace(problem, constraints=Constraints.of(8, forbidden=[(u, v)]))
        with pytest.raises(AssertionError, match="fault of stablebn"):
            learned_graph(found, barred, problem.names)


@pytest.mark.parametrize("algorithm", [*TESTING, "mmhc"])
def test_threads_that_ask_at_once_find_the_same(algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "VALUES_FOR_THREADS", 0)
    forbidden = [
        ("lung", "smoke"),
        ("either", "lung"),
        ("xray", "dysp"),
        ("dysp", "xray"),
        ("tub", "lung"),
        ("lung", "tub"),
    ]
    one, three = (_learn(ASIA, algorithm, forbidden, threads=threads) for threads in (1, 3))
    assert (three.pdag, three.score, three.trace) == (one.pdag, one.score, one.trace)


def test_forbidden_arcs_of_columns_that_take_no_part_forbid_nothing() -> None:
    columns = {**ASIA.to_pydict(), "one": ["x"] * 1000}
    free, held = (_learn(columns, "tabu-stable", arcs) for arcs in ([], [("one", "lung"), ("lung", "one")]))
    assert (free.arcs, free.known) == (held.arcs, held.known)


def test_climb_and_pattern_have_the_scores_of_what_they_show() -> None:
    table = random_network(8, seed=4).sample(500, seed=1)
    names = list(table.column_names)
    forbidden = [(names[u], names[v]) for u, v in drawn_forbidden("scores", 8)]
    for algorithm in LEARNERS:
        result = _learn(table, algorithm, forbidden)
        if result.dag is not None:
            assert result.score == sb.score(result.dag, table).total
