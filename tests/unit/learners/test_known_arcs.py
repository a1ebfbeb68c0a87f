"""Algorithms with constraints, by canonical numbers and through `stablebn.learn`."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.known import drawn_forbidden, drawn_knowledge, random_pairs
from tests.naive.equivalence_search import common, dags_of, obeying
from tests.preparing import prepare
from tests.tables import categorical_columns, continuous_columns, random_categorical_table

import stablebn as sb
from stablebn.api.arguments import LearnArguments
from stablebn.api.learn import learn_from_request
from stablebn.api.request import LearnRequest
from stablebn.ci_tests import DSeparation
from stablebn.graph import DAG, PDAG
from stablebn.knowledge import KnownArcs
from stablebn.learners import LEARNERS, Pattern, Problem, SearchConfig, define_problem
from stablebn.learners.constraint_based import ci_test_runner as evidence
from stablebn.learners.constraint_based.orientation import oriented
from stablebn.networks import random_network
from stablebn.result.build import learned_graph
from stablebn.scores.registry import ScoreConfig
from stablebn.search import Constraints
from stablebn.search.greedy_equivalence import GreedyEquivalenceSearch

TESTING = ("pc-stable", "gs", "inter-iamb")
ASIA = sb.read_network("asia").sample(1000, seed=1)


def _learn(
    data: object,
    algorithm: str,
    forbidden: Iterable[tuple[Any, Any]] = (),
    required: Iterable[tuple[Any, Any]] = (),
    most_parents: Mapping[Any, int] | None = None,
    **options: Any,
) -> sb.Result:
    known = KnownArcs(tuple(required), tuple(forbidden), most_parents or {})
    return learn_from_request(LearnRequest.of(LearnArguments.of_learn((data, algorithm), options), known=known))


def _known(dag: DAG, forbidden: Iterable[tuple[int, int]], required: Iterable[tuple[int, int]] = ()) -> Problem:
    """A problem over 0 .. n - 1 with an oracle test of the DAG; its data are not used."""
    n = len(dag.nodes)
    anything = define_problem(random_categorical_table(np.random.default_rng(1), n, 20), ScoreConfig())
    return replace(
        anything,
        test=DSeparation(dag),
        given=tuple(range(n)),
        decreasing=tuple(range(n)),
        constraints=Constraints.of(n, forbidden=forbidden, required=required),
    )


def _random_dag(rng: random.Random, n: int) -> DAG:
    order = rng.sample(range(n), n)
    return DAG(range(n), [(order[i], order[j]) for j in range(n) for i in range(j) if rng.random() < 0.4])


def _pdag(pattern: Pattern, n: int) -> PDAG:
    return PDAG(range(n), pattern.directed, pattern.undirected)


def test_allowed_arcs_can_be_required() -> None:
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
    required: list[Any] = [arc for arc in dag.arcs if seed % 3 and rng.random() < 0.4]
    pattern = LEARNERS[algorithm].learn(_known(dag, forbidden, required), SearchConfig())
    assert isinstance(pattern, Pattern)
    assert _pdag(pattern, len(dag.nodes)) == common(obeying(dag.cpdag(), forbidden, required))
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
    forbidden, required, most_parents = drawn_knowledge(seed, len(table.names))
    constraints = Constraints.of(len(table.names), forbidden=forbidden, required=required, most_parents=most_parents)
    problem = define_problem(table, ScoreConfig(), constraints=constraints)
    pattern = LEARNERS["fges"].learn(problem, SearchConfig())
    assert isinstance(pattern, Pattern)
    shown = _pdag(pattern, problem.scores.n)
    barred, wanted = ([(problem.given[u], problem.given[v]) for u, v in arcs] for arcs in (forbidden, required))
    limits = {problem.given[v]: most for v, most in most_parents.items()}
    # Its class is that of any DAG of the same edges and colliders.
    assert shown == common(obeying(shown.cpdag(), barred, wanted, limits))


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
    # The tests are the same, as far as one direction is allowed: it is the climb that obeys.
    assert free.trace.restriction == turned.trace.restriction
    assert v not in apart.trace.restriction.blankets[u]
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
    stopped: dict[str, Any] = {"max_iter": 0} if algorithm != "fges" else {}
    # Of the chains and the fork that it stands for, only lung -> smoke -> bronc is left.
    result = _learn(ASIA, algorithm, [("smoke", "lung"), ("bronc", "smoke")], start=start, **stopped)
    assert not {("smoke", "lung"), ("bronc", "smoke")} & set(result.arcs)
    if stopped:
        assert set(result.arcs) == {("lung", "smoke"), ("smoke", "bronc")}
    with pytest.raises(sb.GraphError, match="only arcs that are allowed"):
        _learn(ASIA, algorithm, [("smoke", "lung"), ("smoke", "bronc")], start=start)


@pytest.mark.parametrize("algorithm", ["tabu-stable", "fges", "gs", "pc-stable", "mmhc"])
def test_a_graph_that_violates_constraints_always_has_a_warning(algorithm: str) -> None:
    problem = define_problem(prepare(ASIA).table, ScoreConfig())
    found = LEARNERS[algorithm].learn(problem, SearchConfig())
    learned = learned_graph(found, problem, problem.names)
    pdag = learned.pdag
    u, v = (problem.names.index(name) for name in pdag.directed[0])
    a, b = next(pair for pair in combinations(range(8), 2) if not pdag.adjacent(*(problem.names[end] for end in pair)))
    violated = {
        "not allowed": Constraints.of(8, forbidden=[(u, v)]),
        "lacks required arcs": Constraints.of(8, required=[(a, b)]),
        "too many parents": Constraints(((1 << 8) - 1,) * 8, (0,) * 8, tuple(0 if w == v else None for w in range(8))),
    }
    if pdag.undirected:
        p, q = (problem.names.index(name) for name in pdag.undirected[0])
        # As undirected edges they would say that both directions are possible.
        violated["not allowed "] = Constraints.of(8, forbidden=[(p, q)])
        violated["lacks required arcs "] = Constraints(
            ((1 << 8) - 1,) * 8, tuple(1 << p if w == q else 0 for w in range(8)), (None,) * 8
        )
    for words, constraints in violated.items():
        with pytest.raises(AssertionError, match=f"fault of stablebn.*{words.strip()}"):
            learned_graph(found, replace(problem, constraints=constraints), problem.names)


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


def test_what_follows_from_required_arcs_is_not_allowed() -> None:
    constraints = Constraints.of(4, required=[(0, 1), (1, 2)], most_parents={0: 0, 3: 2})
    assert [arc for arc in permutations(range(4), 2) if not constraints.allows(*arc)] == [
        (1, 0),
        (2, 0),
        (2, 1),
        (3, 0),
    ]
    assert constraints.joined == (0b010, 0b101, 0b010, 0)
    assert constraints.limited == [3]
    assert constraints.renumbered([3, 2, 1, 0]) == Constraints.of(
        4, required=[(3, 2), (2, 1)], most_parents={3: 0, 0: 2}
    )
    assert constraints.within(1).most_parents == (0, 1, 1, 2)
    for contradiction in (
        {"required": [(0, 1), (1, 0)]},
        {"required": [(0, 1)], "forbidden": [(0, 1)]},
        {"required": [(0, 1)], "most_parents": {1: 0}},
    ):
        with pytest.raises(ValueError, match="contradict"):
            Constraints.of(2, **contradiction)


@pytest.mark.parametrize("algorithm", list(LEARNERS))
def test_required_arcs_are_there_whatever_the_data_say(algorithm: str) -> None:
    # Against the truth: nothing joins asia and bronc, and an arc back from dysp, which both tests and scores find late.
    required = [("asia", "bronc"), ("dysp", "smoke")]
    result = _learn(ASIA, algorithm, required=required)
    assert set(required) <= set(result.pdag.directed)
    assert set(required) <= set(result.known)
    if result.dag is not None:
        assert set(required) <= set(result.dag.arcs)
        assert result.cpdag is not None
        assert set(required) <= set(result.cpdag.directed)


@pytest.mark.parametrize("algorithm", [name for name in LEARNERS if name not in TESTING])
def test_no_variable_has_more_parents_than_it_may_have(algorithm: str) -> None:
    limits = {"either": 1, "dysp": 1, "lung": 0}
    free = _learn(ASIA, algorithm)
    assert free.dag is not None
    assert any(len(free.dag.parents(name)) > most for name, most in limits.items())
    held = _learn(ASIA, algorithm, most_parents=limits)
    assert held.dag is not None
    assert all(len(held.dag.parents(name)) <= most for name, most in limits.items())
    # Others have as many as the option says, and these their own, even if that is more.
    bounded = _learn(ASIA, algorithm, most_parents={"dysp": 2}, max_parents=1)
    assert bounded.dag is not None
    assert all(len(bounded.dag.parents(name)) <= 1 + (name == "dysp") for name in bounded.dag.nodes)


def test_direction_that_limits_compel_is_known() -> None:
    # a - b - c - a: if two of them may have only one parent, the third is the last in the order.
    rng = np.random.default_rng(1)
    hidden = rng.normal(size=300)
    columns = {name: (hidden + 0.5 * rng.normal(size=300)).tolist() for name in "abc"}
    for algorithm in ("tabu-stable", "tabu-dec", "fges", "mmhc"):
        result = _learn(columns, algorithm, most_parents={"a": 1, "b": 1})
        assert result.cpdag is not None
        assert set(result.cpdag.directed) == {("a", "c"), ("b", "c")} == set(result.known)
        assert result.cpdag.undirected == (("a", "b"),)


@pytest.mark.parametrize("algorithm", TESTING)
def test_learners_that_only_test_refuse_to_bound_parents(algorithm: str) -> None:
    with pytest.raises(sb.OptionError, match=r"cannot bound how many parents.*'dysp'.*tabu-stable.*fges"):
        _learn(ASIA, algorithm, most_parents={"dysp": 1})
    # No parents at all, or as many as are allowed, is a matter of arcs.
    root = _learn(ASIA, algorithm, most_parents={"smoke": 0})
    assert not any(child == "smoke" for _, child in root.arcs)
    few = [(name, "dysp") for name in ASIA.column_names if name not in ("bronc", "either", "dysp")]
    _learn(ASIA, algorithm, forbidden=few, most_parents={"dysp": 2})


@pytest.mark.parametrize("algorithm", TESTING)
def test_required_edges_are_not_tested(algorithm: str) -> None:
    free = _learn(ASIA, algorithm)
    apart = next(pair for pair in combinations(sorted(ASIA.column_names), 2) if not free.pdag.adjacent(*pair))
    held = _learn(ASIA, algorithm, required=[apart])
    assert held.pdag.adjacent(*apart)
    assert not any(set(pair) == set(apart) for pair in held.trace.separating)


def test_collider_against_a_required_arc_is_a_conflict() -> None:
    dag = DAG(range(3), [(0, 1), (2, 1)])
    found = LEARNERS["pc-stable"].learn(_known(dag, [], [(1, 0)]), SearchConfig())
    assert isinstance(found, Pattern)
    assert (found.directed, found.undirected, found.conflicts) == (((1, 0),), ((1, 2),), ((0, 1, 2),))


def test_a_skeleton_stopped_by_the_time_limit_obeys_the_constraints(tmp_path: Path, time_is_up: dict[str, Any]) -> None:
    columns = random_network(30, density=2.0, seed=1).sample(2000, seed=1)
    a, b, c, *_ = columns.column_names
    # With a checkpoint the variables are put in order all the same.
    result = _learn(columns, "pc-stable", [(b, c)], [(a, b)], checkpoint=tmp_path / "skeleton", **time_is_up)
    assert (a, b) in result.pdag.directed
    assert not any({*edge} == {b, c} for edge in result.pdag.undirected)
    assert not result.extendable


@pytest.mark.parametrize("algorithm", list(LEARNERS))
def test_searches_stopped_by_the_time_limit_obey_the_constraints(
    algorithm: str, tmp_path: Path, time_is_up: dict[str, Any]
) -> None:
    columns = random_network(30, density=2.0, seed=1).sample(2000, seed=1)
    a, b, c, d, *_ = columns.column_names
    limits = {} if algorithm in TESTING else {d: 1}
    checkpoint = tmp_path / "graph"
    result = _learn(columns, algorithm, [(b, c), (d, c)], [(a, b)], limits, checkpoint=checkpoint, **time_is_up)
    assert (a, b) in result.pdag.directed
    assert not {(b, c), (d, c)} & set(result.arcs)
    assert "max-time" in {caution.code for caution in result.warnings}


@pytest.mark.parametrize("algorithm", ["mmhc", "h2pc"])
def test_required_arcs_are_candidates(algorithm: str) -> None:
    free = _learn(ASIA, algorithm)
    apart = ("asia", "bronc")
    assert apart[1] not in free.trace.restriction.blankets[apart[0]]
    held = _learn(ASIA, algorithm, required=[apart])
    assert apart in held.arcs
    assert apart[1] in held.trace.restriction.blankets[apart[0]]


def test_members_of_no_edge_are_not_tested_by_mmpc() -> None:
    names = sorted(ASIA.column_names)
    forbidden = [arc for arc in permutations(names, 2) if "dysp" in arc]
    assert _learn(ASIA, "mmhc", forbidden).trace.restriction.tests < _learn(ASIA, "mmhc").trace.restriction.tests


@pytest.mark.parametrize("algorithm", ["tabu-stable", "hc", "fges"])
def test_start_gets_the_required_arcs(algorithm: str) -> None:
    stopped: dict[str, Any] = {"max_iter": 0} if algorithm != "fges" else {}
    required = [("asia", "bronc")]
    result = _learn(ASIA, algorithm, required=required, start=[("smoke", "lung")], **stopped)
    assert set(required) <= set(result.arcs)
    if stopped:
        assert set(result.arcs) == {("asia", "bronc"), ("smoke", "lung")}


@pytest.mark.parametrize("algorithm", ["tabu-stable", "hc", "fges"])
def test_start_that_contradicts_is_refused(algorithm: str) -> None:
    with pytest.raises(sb.GraphError, match="start has arcs that are not allowed"):
        _learn(ASIA, algorithm, required=[("smoke", "lung")], start=[("lung", "smoke")])
    with pytest.raises(sb.GraphError, match=r"start contradicts what is required.*cycle: asia -> tub -> lung -> asia"):
        _learn(ASIA, algorithm, required=[("asia", "tub")], start=[("tub", "lung"), ("lung", "asia")])
    with pytest.raises(sb.GraphError, match="start gives these variables more than 1 parents: 'dysp'"):
        _learn(ASIA, algorithm, most_parents={"dysp": 1}, start=[("smoke", "dysp"), ("bronc", "dysp")])
    undirected = PDAG(["smoke", "lung", "bronc"], [], [("smoke", "lung"), ("smoke", "bronc")])
    with pytest.raises(sb.GraphError, match="only arcs that are allowed"):
        _learn(ASIA, algorithm, required=[("lung", "smoke"), ("bronc", "smoke")], start=undirected)


def test_required_arcs_that_cannot_be_there_are_refused() -> None:
    columns = {**ASIA.to_pydict(), "one": ["x"] * 1000, "copy": ASIA["smoke"].to_pylist()}
    for required, words in (
        ([("one", "lung")], "take no part.*'one'"),
        ([("smoke", "copy")], "identical and were merged"),
        ([("smoke", "lung"), ("lung", "copy")], "cannot all be there.*have two edges"),
    ):
        with pytest.raises(sb.OptionError, match=words):
            _learn(columns, "tabu-stable", required=required, duplicates="merge")
    with pytest.raises(sb.OptionError, match="both required and forbidden"):
        _learn(columns, "tabu-stable", [("smoke", "lung")], [("copy", "lung")], duplicates="merge")
    with pytest.raises(sb.OptionError, match="more parents are required than these may have: 'lung'"):
        _learn(columns, "hc", required=[("smoke", "lung"), ("asia", "lung")], most_parents={"lung": 1})
    with pytest.raises(sb.GraphError, match="what is required gives these variables more than 1 parents: 'lung'"):
        _learn(columns, "fges", required=[("smoke", "lung"), ("asia", "lung")], max_parents=1)
    held = _learn(columns, "tabu-stable", required=[("copy", "lung")], duplicates="merge")
    assert {("smoke", "lung"), ("copy", "lung")} & set(held.arcs)


def test_required_arc_from_a_number_to_a_category_needs_arcs_any() -> None:
    rng = np.random.default_rng(2)
    number = rng.normal(size=200)
    columns = {"x": number.tolist(), "c": ["pq"[int(value > 0)] for value in number + rng.normal(size=200)]}
    with pytest.raises(sb.OptionError, match=r"from continuous to categorical.*arcs=\"any\""):
        _learn(columns, "tabu-stable", required=[("x", "c")])
    for algorithm in LEARNERS:
        assert ("x", "c") in _learn(columns, algorithm, required=[("x", "c")], arcs="any").arcs


def test_too_few_rows_for_the_required_parents_are_reported() -> None:
    rng = np.random.default_rng(3)
    columns = {name: rng.normal(size=5).tolist() for name in "abcde"}
    required = [(name, "e") for name in "abcd"]
    with pytest.raises(sb.GraphError, match="for 5 rows what is required gives these variables more than"):
        _learn(columns, "tabu-stable", required=required)
    # Tests need no family.
    assert set(required) <= set(_learn(columns, "pc-stable", required=required).arcs)
