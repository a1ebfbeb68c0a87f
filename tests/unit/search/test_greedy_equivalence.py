from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.known import drawn_knowledge
from tests.naive.equivalence_search import NaiveSearch, Step
from tests.naive.perfect_score import correlations_of, perfect_scores
from tests.preparing import prepare
from tests.tables import Columns, categorical_columns, continuous_columns, random_categorical_table
from tests.unit.search.test_equivalence_classes import as_dag, as_pdag, random_dag

from stablebn.fixed_point import to_float
from stablebn.scores.base import CompiledScores
from stablebn.scores.registry import ScoreConfig, family_scores
from stablebn.search import Constraints
from stablebn.search.greedy_equivalence import GreedyEquivalenceSearch
from stablebn.stats.variable_sets import bit, members

seeds = st.integers(0, 10**6)


def _assert_same(fast: GreedyEquivalenceSearch, naive: NaiveSearch) -> None:
    trace = fast.trace
    made = list(zip(trace.phase, trace.x, trace.y, trace.others, trace.delta, strict=True))
    assert made == [(*step[:4], to_float(step.delta)) for step in naive.steps]
    assert as_pdag(fast.graph) == naive.cpdag


def _scores(seed: int, n: int, rows: int) -> CompiledScores:
    """Scores of a table with dependences, and with ties if there are few rows."""
    rng = np.random.default_rng(seed)
    if seed % 3 == 0:
        table, names = prepare(continuous_columns(rng, n, rows)).table, ("bic", "aic", "bge")
    else:
        table, names = prepare(categorical_columns(rng, n, rows)).table, ("bic", "aic", "bde")
    return family_scores(table, ScoreConfig(names[seed % 9 // 3]))


def _searched(
    scores: CompiledScores, order: list[int], most_parents: int, constraints: Constraints | None = None
) -> GreedyEquivalenceSearch:
    start = [0] * scores.n if constraints is None else constraints.required
    search = GreedyEquivalenceSearch(scores, order, start, most_parents=most_parents, constraints=constraints)
    search.insert_edges()
    search.delete_edges()
    return search


@given(seeds, st.integers(2, 5), st.integers(5, 60), st.sampled_from([1, 2, 5]))
@settings(max_examples=150)
def test_search_is_the_naive_search_operator_for_operator(seed: int, n: int, rows: int, most_parents: int) -> None:
    scores = _scores(seed, n, rows)
    order = np.random.default_rng(seed).permutation(scores.n).tolist()
    fast = _searched(scores, order, most_parents)
    _assert_same(fast, NaiveSearch(scores, order, most_parents).two_phases())


@given(seeds, st.integers(2, 5), st.integers(5, 60), st.sampled_from([1, 2, 5]))
@settings(max_examples=150)
def test_search_that_obeys_is_the_naive_search_operator_for_operator(
    seed: int, n: int, rows: int, most_parents: int
) -> None:
    scores = _scores(seed, n, rows)
    order = np.random.default_rng(seed).permutation(scores.n).tolist()
    forbidden, required, own_limits = drawn_knowledge(seed, scores.n, most_required=1)
    constraints = Constraints.of(scores.n, forbidden=forbidden, required=required, most_parents=own_limits)
    fast = _searched(scores, order, most_parents, constraints)
    _assert_same(fast, NaiveSearch(scores, order, most_parents, forbidden, required, own_limits).two_phases())


@given(seeds, st.integers(2, 5), st.integers(5, 60), st.sampled_from([1, 2, 5]))
@settings(max_examples=40)
def test_extended_search_is_the_naive_one_operator_for_operator(seed: int, n: int, rows: int, most: int) -> None:
    scores = _scores(seed, n, rows)
    order = np.random.default_rng(seed).permutation(scores.n).tolist()
    fast = GreedyEquivalenceSearch(scores, order, [0] * scores.n, most_parents=most)
    fast.improve()
    _assert_same(fast, NaiveSearch(scores, order, most).extended())


@given(seeds, st.integers(2, 5), st.integers(5, 60), st.sampled_from([1, 2, 5]))
@settings(max_examples=40)
def test_extended_search_that_obeys_is_the_naive_one_operator_for_operator(
    seed: int, n: int, rows: int, most_parents: int
) -> None:
    scores = _scores(seed, n, rows)
    order = np.random.default_rng(seed).permutation(scores.n).tolist()
    forbidden, required, own_limits = drawn_knowledge(seed, scores.n, most_required=1)
    constraints = Constraints.of(scores.n, forbidden=forbidden, required=required, most_parents=own_limits)
    fast = GreedyEquivalenceSearch(
        scores, order, constraints.required, most_parents=most_parents, constraints=constraints
    )
    fast.improve()
    _assert_same(fast, NaiveSearch(scores, order, most_parents, forbidden, required, own_limits).extended())


@given(
    seeds, st.integers(3, 5), st.sampled_from([0.3, 0.5, 0.7, 1.0]), st.sampled_from(["forward", "backward", "turning"])
)
@settings(max_examples=150)
def test_best_operator_from_any_class_is_the_naive_one(seed: int, n: int, density: float, phase: str) -> None:
    # A likelihood of noise without a penalty, or with a large one: from a random class most operators improve it.
    scores = family_scores(
        prepare(continuous_columns(np.random.default_rng(seed), n, 30)).table,
        ScoreConfig("aic", k=(0.1, 1.0, 2.0)[seed % 3]),
    )
    dag = random_dag(seed, n, density)
    naive = NaiveSearch(scores, range(n))
    expected = [step for _, step, _ in naive.ranked(phase, as_dag(dag).cpdag()) if step.delta > 0][:1]
    search = GreedyEquivalenceSearch(scores, range(n), dag, most_parents=n)
    made = search.core.step([("backward", "turning", "forward").index(phase)], lambda: False)
    found = [] if made is None else [Step(phase, made[1], made[2], tuple(sorted(made[3])), made[4])]
    assert found == expected


@given(seeds, st.integers(2, 7), st.sampled_from([0.2, 0.4, 0.6]), st.integers(2, 4))
@settings(max_examples=150)
def test_perfect_score_finds_the_true_class_among_tiers(seed: int, n: int, density: float, tiers: int) -> None:
    dag = random_dag(seed, n, density)
    # The tiers are those of some order of the true graph: it obeys.
    order = [v for layer in as_dag(dag).layers() for v in layer]
    place = {v: p * tiers // n for p, v in enumerate(order)}
    constraints = Constraints.of(n, forbidden=[(u, v) for u in range(n) for v in range(n) if place[u] > place[v]])
    search = _searched(perfect_scores(correlations_of(dag, seed)), list(range(n)), n, constraints)
    assert as_pdag(search.graph) == as_dag(dag).cpdag()


@given(seeds, st.integers(2, 9), st.integers(5, 80))
@settings(max_examples=60)
def test_every_visited_graph_is_a_cpdag_with_the_reported_score(seed: int, n: int, rows: int) -> None:
    scores = _scores(seed, n, rows)
    watched: list[int] = []

    def check(phase: str, operators: int) -> None:
        watched.append(operators)
        cpdag = as_pdag(search.graph)
        assert cpdag.cpdag() == cpdag
        assert search.score == sum(scores.family(v, family) for v, family in enumerate(search.graph.dag))
        assert search.trace.score[-1] == to_float(search.score)

    search = GreedyEquivalenceSearch(scores, range(scores.n), [0] * scores.n, most_parents=4, watch=check)
    search.insert_edges()
    search.delete_edges()
    assert watched == list(range(1, len(search.trace) + 1))


@given(seeds, st.integers(2, 9), st.integers(20, 80), st.integers(0, 3))
@settings(max_examples=40)
def test_no_dag_of_the_class_has_more_parents_than_allowed(seed: int, n: int, rows: int, most_parents: int) -> None:
    scores = _scores(seed, n, rows)
    graph = _searched(scores, list(range(scores.n)), most_parents).graph
    # The parents of v in a DAG of the class are those of the CPDAG and a clique of its neighbours.
    for v in range(scores.n):
        around = members(graph.neighbours[v])
        cliques = (
            size
            for size in range(len(around) + 1)
            for own in combinations(around, size)
            if all(graph.adjacent[a] & bit(b) for a, b in combinations(own, 2))
        )
        assert graph.parents[v].bit_count() + max(cliques) <= most_parents


@given(seeds, st.integers(2, 7), st.sampled_from([0.2, 0.4, 0.6]))
@settings(max_examples=100)
def test_perfect_score_finds_the_true_class(seed: int, n: int, density: float) -> None:
    dag = random_dag(seed, n, density)
    search = _searched(perfect_scores(correlations_of(dag, seed)), list(range(n)), n)
    assert as_pdag(search.graph) == as_dag(dag).cpdag()


def test_start_is_where_the_search_starts() -> None:
    dag = random_dag(5, 6, 0.5)
    scores = perfect_scores(correlations_of(dag, 5))
    search = GreedyEquivalenceSearch(scores, range(6), dag, most_parents=6)
    search.insert_edges()
    search.delete_edges()
    assert len(search.trace) == 0
    assert search.score == sum(scores.family(v, family) for v, family in enumerate(dag))


def test_only_partners_are_joined() -> None:
    scores = perfect_scores(correlations_of([0, 0b1, 0b10, 0b100], 1))
    search = GreedyEquivalenceSearch(scores, range(4), [0] * 4, most_parents=4)
    search.insert_edges([0b0010, 0b0001, 0b1000, 0b0100])
    assert search.graph.undirected() == ((0, 1), (2, 3))


def test_dependent_variables_are_those_with_an_open_path() -> None:
    # 0 -> 2 <- 1, and 3 alone.
    scores = perfect_scores(correlations_of([0, 0, 0b11, 0], 1))
    search = GreedyEquivalenceSearch(scores, range(4), [0] * 4, most_parents=4)
    assert search.dependent() == [0b0100, 0b0100, 0b0011, 0b0000]


def test_deadline_stops_and_says_so() -> None:
    scores = _scores(3, 6, 50)
    search = GreedyEquivalenceSearch(scores, range(6), [0] * 6, most_parents=6, time_is_up=lambda: True)
    search.insert_edges()
    search.delete_edges()
    assert not search.finished
    assert len(search.trace) == 0


def test_extended_search_beats_two_phases_on_dense_data() -> None:
    phases, higher = set(), 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        values: list[Any] = []
        for _ in range(12):
            noise = rng.normal(size=300)
            values.append(noise + sum((rng.uniform(0.3, 1) * own for own in values if rng.random() < 0.4), 0 * noise))
        columns: Columns = {f"x{v}": own.tolist() for v, own in enumerate(values)}
        scores = family_scores(prepare(columns).table, ScoreConfig("bic"))
        search = GreedyEquivalenceSearch(scores, range(12), [0] * 12, most_parents=12)
        search.improve()
        phases |= set(search.trace.phase)
        higher += search.score > _searched(scores, list(range(12)), 12).score
    assert phases == {"forward", "backward", "turning"}
    assert higher >= 4


@pytest.mark.parametrize("n", [0, 1])
def test_nothing_to_join_is_no_error(n: int) -> None:
    table = random_categorical_table(np.random.default_rng(1), 2, 10).select(range(n))
    assert _searched(family_scores(table, ScoreConfig("bic")), list(range(n)), n).graph.undirected() == ()
