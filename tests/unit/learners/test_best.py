"""The best graph of many searches: never below others, and the optimum of small tables."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from numpy.typing import NDArray
from tests.drawn import CLIMBING, HYBRID, KINDS, SCORES, Combination, Streams, options_of, scores_for
from tests.preparing import prepare
from tests.shared import SHARED, needs_shared, sample
from tests.tables import categorical_columns, continuous_columns, mixed_columns, shuffled

import stablebn as sb
from stablebn import _core
from stablebn.learners import Problem, SearchConfig, define_problem
from stablebn.learners.best import EFFORTS, best, learned_by_others
from stablebn.learners.shared.interruption import Interruption
from stablebn.learners.tabu_stable import tabu_stable
from stablebn.scores.registry import ScoreConfig
from stablebn.search import Constraints
from stablebn.search.order_search import OrderSearch
from stablebn.stats.variable_sets import bit

MAKERS = {"categorical": categorical_columns, "continuous": continuous_columns, "mixed": mixed_columns}
OTHERS = ("tabu-stable", "hc-stable", "tabu-inc", "tabu-dec", "fges")
SMALL = [pytest.param(kind, score, id=f"{kind} {score}") for kind in KINDS for score in SCORES[kind]]


def _problem(kind: str, score: str, seed: int, n: int, rows: int) -> Problem:
    columns = MAKERS[kind](np.random.default_rng(seed), n, rows)
    table = prepare(columns, kinds=None if kind != "continuous" else "continuous").table
    return define_problem(table, ScoreConfig(score=score), unit_free=kind != "categorical" and score != "bge")


def _optimum(problem: Problem, constraints: Constraints) -> int:
    """The score of the best DAG that obeys, by looking at all orders and all families."""
    n = problem.scores.n

    def families(v: int, before: tuple[int, ...]) -> list[int]:
        sets = (sum(map(bit, some)) for size in range(len(before) + 1) for some in combinations(before, size))
        return [
            own
            for own in sets
            if problem.scores.is_candidate(v, own)
            and not own & ~constraints.allowed[v]
            and not constraints.required[v] & ~own
            and constraints.has_room(v, own.bit_count())
        ]

    def value(order: tuple[int, ...]) -> int | None:
        chosen = [families(v, order[:place]) for place, v in enumerate(order)]
        if not all(chosen):
            return None
        return sum(max(problem.scores.family(v, own) for own in sets) for v, sets in zip(order, chosen, strict=True))

    return max(found for order in permutations(range(n)) if (found := value(order)) is not None)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("kind", "score"), SMALL)
def test_of_a_small_table_it_is_the_optimum(kind: str, score: str, seed: int) -> None:
    problem = _problem(kind, score, seed, 5, 60)
    found = best(problem, SearchConfig())
    assert found.score == _optimum(problem, Constraints.of(problem.scores.n))
    assert found.score == problem.scores.dag(found.parents)
    assert found.finished


@pytest.mark.parametrize("seed", range(6))
def test_for_a_small_table_with_constraints_the_best_obeying_graph_is_returned(seed: int) -> None:
    problem = _problem("categorical", "bic", seed, 5, 200)
    u, v, w = np.random.default_rng(seed).permutation(5)[:3].tolist()
    constraints = Constraints.of(5, required=[(u, v)], forbidden=[(w, u), (v, w)], most_parents={w: 1})
    found = best(replace(problem, constraints=constraints), SearchConfig())
    assert found.score == _optimum(problem, constraints)
    assert found.parents[v] >> u & 1


@pytest.mark.parametrize("example", range(30))
def test_it_is_never_below_others(example: int) -> None:
    streams = Streams(f"best {example}")
    kind = streams["kind"].choice(KINDS)
    score = streams["score"].choice(scores_for("fges", kind))
    rng = np.random.default_rng(streams["values"].randint(0, 10**6))
    columns = MAKERS[kind](rng, streams["n"].randint(2, 12), streams["rows"].choice((30, 200, 800)))
    options = options_of(streams, Combination("best", kind, score), len(columns))
    shared = {name: value for name, value in options.items() if name != "effort"}
    found = sb.learn(columns, "best", score, **options)
    assert found.score is not None
    assert [name for name in OTHERS if _score(columns, name, score, **shared) > found.score] == []
    other = sb.learn(shuffled(columns, example), "best", score, **{**options, "threads": 1})
    assert (other.arcs, other.score, other.fingerprint) == (found.arcs, found.score, found.fingerprint)


def test_it_finds_more_than_others_where_they_are_stuck() -> None:
    table = sb.random_network(25, density=2.0, seed=4).sample(2000, seed=1)
    scores = [_score(table, algorithm) for algorithm in OTHERS]
    found = [_score(table, "best", effort=effort) for effort in EFFORTS]
    assert found[0] > max(scores)
    assert found == sorted(found)


@pytest.mark.parametrize("example", range(12))
def test_more_effort_never_gives_a_lower_score(example: int) -> None:
    streams = Streams(f"effort {example}")
    kind = KINDS[example % len(KINDS)]
    score = streams["score"].choice(scores_for("best", kind))
    # More variables than are proven in any case.
    columns = MAKERS[kind](np.random.default_rng(example), 14, streams["rows"].choice((60, 300)))
    scores = [_score(columns, "best", score, effort=effort, max_parents=4) for effort in EFFORTS]
    assert scores == sorted(scores)


def _dense_values(seed: int, n: int, rows: int, share: float = 0.5) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    arcs = np.triu(rng.random((n, n)) < share, 1) * rng.uniform(0.5, 2.0, (n, n)) * rng.choice((-1, 1), (n, n))
    values = np.zeros((rows, n))
    for v in range(n):
        values[:, v] = values @ arcs[:, v] + rng.normal(size=rows)
    return values


@pytest.mark.parametrize("seed", range(2))
def test_on_dense_continuous_tables_too_more_effort_never_gives_a_lower_score(seed: int) -> None:
    columns = {f"x{v}": own for v, own in enumerate(_dense_values(seed, 24, 400).T)}
    scores = [_score(columns, "best", effort=effort) for effort in ("low", "normal")]
    assert scores == sorted(scores)
    assert scores[0] >= _score(columns, "fges", phases="fges")
    assert scores[1] >= _score(columns, "fges")


def test_low_effort_on_continuous_tables_with_missing_values_is_accurate_and_scores_few_families() -> None:
    values = _dense_values(1, 14, 400, share=0.4)
    values[np.random.default_rng(1).random(values.shape) < 0.05] = np.nan
    table = prepare({f"x{v}": own for v, own in enumerate(values.T)}, missing="available").table
    config = ScoreConfig(prior="size")
    climbed, low, normal = (define_problem(table, config, unit_free=True) for _ in range(3))
    of_climb = tabu_stable(climbed, SearchConfig())
    of_low, of_normal = best(low, SearchConfig(effort="low")), best(normal, SearchConfig(effort="normal"))
    assert of_climb.score < of_low.score <= of_normal.score
    made = []
    for problem in (climbed, low, normal):
        compiled = problem.scores.compiled
        assert isinstance(compiled, _core.NodeAverageScores)
        made.append(compiled.gains_made)
    assert made[1] < 4 * made[0] < made[2]


@pytest.mark.parametrize("seed", range(3))
def test_on_dense_continuous_tables_it_is_not_below_the_true_graph(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, rows = 20, 500
    arcs = np.triu(rng.random((n, n)) < 0.5, 1) * rng.uniform(0.5, 2.0, (n, n)) * rng.choice((-1, 1), (n, n))
    values = np.zeros((rows, n))
    for v in range(n):
        values[:, v] = values @ arcs[:, v] + rng.normal(size=rows)
    problem = define_problem(prepare({f"x{v}": values[:, v] for v in range(n)}).table, ScoreConfig(), unit_free=True)
    # Variables have numbers of their own in the problem.
    number = {name: v for v, name in enumerate(problem.names)}
    truth = [0] * n
    for u, v in zip(*np.nonzero(arcs), strict=True):
        truth[number[f"x{v}"]] |= bit(number[f"x{u}"])
    assert best(problem, SearchConfig()).score >= problem.scores.dag(truth)


def _score(data: object, algorithm: str, *arguments: Any, **options: Any) -> float:
    score = sb.learn(data, algorithm, *arguments, **options).score
    assert score is not None
    return score


def test_more_work_looks_at_more_families() -> None:
    table = sb.random_network(25, density=2.0, seed=4).sample(2000, seed=1)
    problem = define_problem(prepare(table).table, ScoreConfig())
    sizes = []
    for effort in EFFORTS.values():
        search = OrderSearch(problem.scores, effort)
        search.look_for_families(lambda: False)
        search.search([problem.decreasing], lambda: False)
        sizes.append(search.families)
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


@needs_shared
@pytest.mark.parametrize(
    ("name", "optimum"), [("wine", -1258.445909), ("insurance1000", -14350.4714), ("alarm1000", -11783.0524)]
)
def test_it_reaches_known_optima(name: str, optimum: float) -> None:
    read = pa.csv.ReadOptions(autogenerate_column_names=True)
    columns = pa.csv.read_csv(SHARED / "optimum" / f"{name}.csv", read_options=read).columns
    # Every value is a level, numbers too.
    table = {f"X{place}": column.cast(pa.string()).to_pylist() for place, column in enumerate(columns)}
    digits = len(str(optimum).partition(".")[2])
    assert round(_score(table, "best"), digits) == optimum


@needs_shared
@pytest.mark.parametrize(
    ("name", "rows", "seed", "most", "optimum"),
    [
        pytest.param("hepar2", 100, 7, None, -3346.4080, id="two parents worth something only together"),
        pytest.param("pathfinder", 100, 7, None, -4346.8390, id="a family that the best order does without"),
        pytest.param("insurance", 1000, 8, None, -14664.1432, id="a long path that points the other way"),
        pytest.param("formed", 100, 7, 3, -4945.4123, id="several families that change at once"),
    ],
)
def test_of_a_small_table_the_second_search_finds_the_optimum(
    name: str, rows: int, seed: int, most: int | None, optimum: float
) -> None:
    [path] = (SHARED / "networks").glob(f"{name}.*")
    table = sb.read_network(path).sample(rows, seed=seed)
    assert round(_score(table, "best", max_parents=most), 4) == optimum
    assert _score(table, "best", max_parents=most, effort="low") < optimum - 0.01


@needs_shared
@pytest.mark.parametrize(
    ("name", "rows"),
    [("alarm", 1000), ("barley", 1000), ("hepar2", 10_000), ("property", 100), ("sachs_c", 1000)],
)
def test_on_samples_of_networks_no_other_learner_is_above_it(name: str, rows: int) -> None:
    table = sample(name, rows)
    found = _score(table, "best")
    others = {algorithm: sb.learn(table, algorithm).score for algorithm in (*CLIMBING, *HYBRID, "fges")}
    assert {algorithm: score for algorithm, score in others.items() if score is not None and score > found} == {}


def test_a_table_of_constants_has_no_arcs() -> None:
    result = sb.learn({"a": ["x"] * 5, "b": ["y"] * 5}, "best")
    assert (result.arcs, result.nodes, result.finished) == ((), ("a", "b"), True)


def test_interrupted_among_orders_it_is_not_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stablebn.search.order_search._SECONDS_AT_ONCE", 0.0)
    table = prepare(sb.random_network(25, density=2.0, seed=4).sample(2000, seed=1)).table
    asked = Interruption([])
    stages: list[str] = []

    def interrupt(stage: str, steps: int) -> None:
        stages.append(stage)
        if stage.startswith("orders"):
            asked.signal = 2

    problem = define_problem(table, ScoreConfig(), watch=interrupt)
    config = SearchConfig(effort="high")
    found = best(replace(problem, interruption=asked), config)
    assert [stage.split(" (")[0] for stage in stages].count("orders") == 1
    assert not found.finished
    others = max(problem.scores.dag(dag) for dag in learned_by_others(replace(problem, watch=None), config))
    assert found.score >= others


def test_without_time_an_order_has_its_best_parents() -> None:
    problem = _problem("categorical", "bic", 1, 12, 500)
    search = OrderSearch(problem.scores, EFFORTS["normal"])
    search.look_for_families(lambda: False)
    found = search.search([problem.decreasing], lambda: True)
    assert problem.scores.dag(found) > problem.scores.dag([0] * problem.scores.n)


def test_without_time_the_graph_of_another_algorithm_is_returned(tmp_path: Path, time_is_up: dict[str, Any]) -> None:
    table = sb.random_network(30, seed=4).sample(500, seed=1)
    result = sb.learn(table, "best", checkpoint=tmp_path / "best", **time_is_up)
    assert [caution.code for caution in result.warnings] == ["max-time"]
    assert set(result.nodes) == set(table.column_names)
