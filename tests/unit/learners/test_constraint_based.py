from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.preparing import prepare
from tests.tables import random_categorical_table, shuffled

import stablebn as sb
from stablebn.ci_tests import DSeparation
from stablebn.graph import DAG
from stablebn.learners import LEARNERS, Pattern, SearchConfig, define_problem
from stablebn.learners.constraint_based import ci_test_runner as evidence
from stablebn.learners.constraint_based.ci_test_runner import gather
from stablebn.learners.constraint_based.orientation import oriented
from stablebn.learners.gs import grow_shrink
from stablebn.learners.h2pc import controlled_blanket, hybrid_parents_and_children, neighbour_superset
from stablebn.learners.inter_iamb import interleaved_blanket
from stablebn.learners.mmhc import parents_and_children
from stablebn.learners.shared.problem import Problem
from stablebn.networks import random_network
from stablebn.scores.registry import ScoreConfig

TESTING = ("pc-stable", "gs", "inter-iamb")
HYBRID = ("mmhc", "h2pc")
CONTINUOUS = random_network(8, continuous=True, seed=3).sample(400, seed=1)
ASIA = sb.read_network("asia").sample(1000, seed=1)


def _known(dag: DAG) -> Problem:
    """A problem with an oracle test of the DAG; its data are not used."""
    n = len(dag.nodes)
    anything = define_problem(random_categorical_table(np.random.default_rng(1), n, 20), ScoreConfig())
    return replace(anything, test=DSeparation(dag), given=tuple(range(n)), decreasing=tuple(range(n)))


def _blanket(dag: DAG, v: int) -> int:
    return sum(1 << dag.nodes.index(name) for name in sb.graph.markov_blanket(dag, dag.nodes[v]))


def _neighbours(dag: DAG, v: int) -> int:
    name = dag.nodes[v]
    return sum(1 << dag.nodes.index(other) for other in (*dag.parents(name), *dag.children(name)))


def test_no_member_of_a_grown_and_shrunk_blanket_is_independent_given_the_others() -> None:
    table = random_network(12, continuous=True, seed=6).sample(60, seed=1)
    known = gather(define_problem(prepare(table).table, ScoreConfig()), SearchConfig(order="given"))
    for v in range(12):
        blanket = grow_shrink(known, v)
        members = known.ordered(blanket)
        assert all(p_value <= known.alpha for p_value in known.p_values_given_rest(v, members, blanket))


@pytest.mark.parametrize("seed", range(5))
def test_blankets_and_neighbours_of_a_known_graph_are_found(seed: int) -> None:
    dag = random_network(9, seed=seed).dag
    known = gather(_known(dag), SearchConfig())
    for v in range(9):
        assert grow_shrink(known, v) == _blanket(dag, v)
        assert interleaved_blanket(known, v) == _blanket(dag, v)
        everyone = ((1 << 9) - 1) & ~(1 << v)
        assert controlled_blanket(known, v, everyone) == _blanket(dag, v)
        # Without the symmetry correction MMPC may keep a descendant too.
        assert parents_and_children(known, v, everyone) & _neighbours(dag, v) == _neighbours(dag, v)
        assert neighbour_superset(known, v)[0] & _neighbours(dag, v) == _neighbours(dag, v)
        assert hybrid_parents_and_children(known, v, everyone) & _neighbours(dag, v) == _neighbours(dag, v)


def test_v_structure_that_contradicts_a_better_one_is_left_out_and_reported() -> None:
    # a - b - c - d: a -> b <- c is made first, so b -> c <- d cannot be.
    path = [0b0010, 0b0101, 0b1010, 0b0100]
    directed, undirected, conflicts = oriented(path, {(0, 1, 2): 0.1, (1, 2, 3): 0.2})
    assert directed == ((0, 1), (2, 1))
    assert undirected == ((2, 3),)
    assert conflicts == ((1, 2, 3),)
    assert oriented(path, {(0, 1, 2): 0.2, (1, 2, 3): 0.1})[2] == ((0, 1, 2),)


def test_v_structures_never_close_a_directed_cycle() -> None:
    # A ring 0 - 1 - 2 - 3 with a tail at each corner that makes it point on round the ring.
    ring = {(0, 1), (1, 2), (2, 3), (3, 0), (4, 1), (5, 2), (6, 3), (7, 0)}
    adjacent = [sum(1 << (b if v == a else a) for a, b in ring if v in (a, b)) for v in range(8)]
    triples = {(0, 1, 4): 0.1, (1, 2, 5): 0.2, (2, 3, 6): 0.3, (3, 0, 7): 0.4}
    directed, _, conflicts = oriented(adjacent, triples)
    assert conflicts == ((3, 0, 7),)
    assert not {(0, 1), (1, 2), (2, 3), (3, 0)} <= set(directed)


@pytest.mark.parametrize("algorithm", TESTING)
@pytest.mark.parametrize("data", [ASIA, CONTINUOUS])
def test_extendable_pattern_has_dag_cpdag_and_score(algorithm: str, data: object) -> None:
    result = sb.learn(data, algorithm)
    assert result.extendable
    assert result.dag is not None
    assert result.pdag.extension() is not None
    assert result.dag.cpdag() == result.cpdag == result.pdag.cpdag()
    assert result.score == sb.score(result.dag, data).total
    assert result.undirected == result.pdag.undirected


def test_graph_without_extension_says_so() -> None:
    # A hundred rows of a dense network: the tests contradict each other.
    table = random_network(10, density=2.0, continuous=True, seed=38).sample(100, seed=1)
    result = sb.learn(table, "pc-stable", unit_free=False)
    assert not result.extendable
    assert {caution.code for caution in result.warnings} >= {"conflicts", "not-extendable"}
    assert (result.dag, result.cpdag, result.score) == (None, None, None)
    assert result.arcs == result.pdag.directed
    assert result.undirected == result.pdag.undirected
    assert "no score" in result.summary()
    content = json.loads(result.to_json())
    assert (content["extendable"], content["score"], content["cpdag"]) == (False, None, None)
    assert content["undirected"] == [list(edge) for edge in result.undirected]
    with pytest.raises(sb.GraphError, match="no DAG extends"):
        result.fit()
    with pytest.raises(sb.GraphError, match="no DAG extends"):
        sb.compare(result, result)
    assert sb.compare(result, result, as_cpdag=False).shd == 0


@pytest.mark.parametrize("algorithm", TESTING)
def test_trace_tells_what_was_tested(algorithm: str) -> None:
    result = sb.learn(ASIA, algorithm)
    trace = result.trace
    assert isinstance(trace, sb.TestTrace)
    assert trace.tests > 0
    assert (algorithm == "pc-stable") == (not trace.blankets)
    for (x, y), given in trace.separating.items():
        assert sb.ci_test(ASIA, x, y, given).independent()
        assert not result.pdag.adjacent(x, y)
    assert json.loads(trace.to_json())["tests"] == trace.tests
    assert trace.to_csv().count("\n") == 1 + len(trace.separating)


@pytest.mark.parametrize("algorithm", HYBRID)
def test_hybrid_graph_has_only_edges_that_the_tests_left(algorithm: str) -> None:
    result = sb.learn(ASIA, algorithm)
    candidates = result.trace.restriction.blankets
    assert all(v in candidates[u] and u in candidates[v] for u, v in result.arcs)
    assert result.trace.restriction.tests > 0
    assert json.loads(result.trace.to_json())["restriction"]["tests"] == result.trace.restriction.tests


@pytest.mark.parametrize("algorithm", [*TESTING, *HYBRID])
def test_given_order_is_the_order_of_the_columns(algorithm: str) -> None:
    columns = ASIA.to_pydict()
    other = shuffled(columns, 1, rows=False)
    assert sb.learn(other, algorithm, order="given").order == tuple(other)
    assert sb.learn(other, algorithm).order == sb.learn(columns, algorithm).order


def test_skeleton_of_pc_stable_does_not_depend_on_the_order() -> None:
    columns = ASIA.to_pydict()
    skeletons = {
        sb.learn(shuffled(columns, seed, rows=False), "pc-stable", order="given").pdag.skeleton() for seed in range(5)
    }
    assert len(skeletons) == 1


@pytest.mark.parametrize("algorithm", list(LEARNERS))
def test_every_learner_honours_max_time(algorithm: str, time_is_up: dict[str, Any]) -> None:
    result = sb.learn(ASIA, algorithm, **time_is_up)
    assert set(result.nodes) == set(ASIA.column_names)
    assert any(caution.code == "max-time" for caution in result.warnings)


def test_a_skeleton_that_is_not_finished_has_no_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    # Time for the pairs alone, and not for what comes after: all are tested, and edges that no test removed are left.
    rounds: list[str] = []
    monkeypatch.setattr(time, "monotonic", lambda: 3600.0 * ("sets of 1" in rounds))
    result = sb.learn(ASIA, "pc-stable", max_time=1, progress=lambda stage, steps: rounds.append(stage))
    pairs_alone = sb.learn(ASIA, "pc-stable", max_condition=0)
    assert set(result.pdag.skeleton()) <= set(pairs_alone.pdag.skeleton())
    assert (result.pdag.directed, result.dag, result.score) == ((), None, None)
    assert [caution.code for caution in result.warnings] == ["max-time"]
    assert "no directions" in result.warnings[0].message


def test_a_pair_that_was_never_tested_is_no_edge(time_is_up: dict[str, Any]) -> None:
    assert sb.learn(ASIA, "pc-stable", **time_is_up).pdag.skeleton() == ()


@pytest.mark.parametrize("algorithm", [*TESTING, *HYBRID])
def test_threads_change_neither_graph_nor_count_of_tests(algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "VALUES_FOR_THREADS", 0)
    one, three = (sb.learn(ASIA, algorithm, threads=threads) for threads in (1, 3))
    assert (three.pdag, three.score, three.trace) == (one.pdag, one.score, one.trace)


def test_progress_of_the_tests_is_reported() -> None:
    told: list[tuple[str, int]] = []
    sb.learn(ASIA, "gs", progress=lambda stage, steps: told.append((stage, steps)))
    stages = list(dict.fromkeys(stage for stage, _ in told))
    assert stages[stages.index("ordering") + 1 :] == ["blankets", "neighbours", "v-structures"]
    assert max(steps for stage, steps in told if stage == "blankets") == 8


def test_enough_time_changes_nothing() -> None:
    for algorithm in LEARNERS:
        free, limited = sb.learn(ASIA, algorithm), sb.learn(ASIA, algorithm, max_time=1000)
        assert free.fingerprint == limited.fingerprint
        assert not any(caution.code == "max-time" for caution in limited.warnings)


def test_max_condition_limits_the_separating_sets() -> None:
    for algorithm in TESTING:
        trace = sb.learn(ASIA, algorithm, max_condition=1).trace
        assert all(len(given) <= 1 for given in trace.separating.values())
    none = sb.learn(ASIA, "pc-stable", max_condition=0)
    assert none.trace.tests == 8 * 7 // 2


def test_smaller_alpha_removes_edges() -> None:
    loose, strict = (sb.learn(ASIA, "pc-stable", alpha=alpha).pdag.skeleton() for alpha in (0.05, 1e-12))
    assert len(strict) < len(loose)


@pytest.mark.parametrize(
    ("algorithm", "options", "word"),
    [
        ("pc-stable", {"tabu": 5}, "tabu"),
        ("pc-stable", {"max_parents": 2}, "max_parents"),
        ("pc-stable", {"start": [("smoke", "lung")]}, "start"),
        ("tabu-stable", {"alpha": 0.1}, "alpha"),
        ("hc", {"test": "mi"}, "test"),
        ("gs", {"alpha": 0.0}, "alpha"),
        ("gs", {"alpha": 5}, "alpha"),
        ("gs", {"test": "cor"}, "categorical"),
        ("gs", {"order": "random"}, "order"),
        ("gs", {"max_condition": -1}, "max_condition"),
        ("gs", {"max_time": 0}, "max_time"),
        ("hc", {"max_time": "long"}, "max_time"),
    ],
)
def test_options_a_learner_has_not_are_refused(algorithm: str, options: dict[str, object], word: str) -> None:
    with pytest.raises(sb.OptionError, match=word):
        sb.learn(ASIA, algorithm, **options)  # type: ignore[arg-type]


def test_test_that_was_used_is_in_the_configuration() -> None:
    assert sb.learn(ASIA, "gs").config["test"] == "mi"
    assert sb.learn(CONTINUOUS, "gs").config["test"] == "cor"
    assert "test" not in sb.learn(ASIA, "hc").config


def test_pattern_of_two_columns_is_no_special_case() -> None:
    table = {"a": ["x", "y"] * 20, "b": ["p", "q"] * 20}
    for algorithm in (*TESTING, *HYBRID):
        result = sb.learn(table, algorithm)
        assert len(result.arcs) == 1
    assert isinstance(
        LEARNERS["gs"].learn(define_problem(prepare(table).table, ScoreConfig()), SearchConfig()), Pattern
    )
