import random
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.known import random_forbidden
from tests.naive.equivalence_search import common, families_of, obeying, score_of
from tests.naive.perfect_score import correlations_of, perfect_scores
from tests.networks import KNOWN_NETWORKS
from tests.preparing import prepare
from tests.shared import SHARED, golden, needs_shared, sample
from tests.tables import Columns, categorical_columns, categorical_table, continuous_columns, renamed, shuffled
from tests.unit.search.test_equivalence_classes import as_dag, random_dag

import stablebn as sb
from stablebn.errors import OptionError
from stablebn.fixed_point import to_float
from stablebn.graph import DAG, PDAG
from stablebn.learners.fges import fges
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.pattern import Pattern
from stablebn.learners.shared.problem import Problem, define_problem
from stablebn.scores.base import FamilyScores
from stablebn.scores.registry import ScoreConfig
from stablebn.search import Constraints
from stablebn.stats.counts import Counts
from stablebn.stats.variable_sets import bit

seeds = st.integers(0, 10**6)
phases = st.sampled_from(["xges", "fges"])


def _problem(data: object, score: str = "bic") -> Problem:
    return define_problem(prepare(data).table, ScoreConfig(score))


def _columns(seed: int, n: int, rows: int) -> Columns:
    rng = np.random.default_rng(seed)
    return continuous_columns(rng, n, rows) if seed % 3 == 0 else categorical_columns(rng, n, rows)


def _posed(scores: FamilyScores) -> Problem:
    """A problem that has only scores."""
    order = tuple(range(scores.n))
    unused = Counts(categorical_table([[0, 1]]))
    return Problem(order, unused, scores, ScoreConfig(), order, order)  # type: ignore[arg-type]


def _named(pattern: Pattern, names: tuple[Any, ...]) -> PDAG:
    directed, undirected = (
        [(names[u], names[v]) for u, v in edges] for edges in (pattern.directed, pattern.undirected)
    )
    return PDAG(names, directed, undirected)


@given(seeds, st.integers(2, 8), st.integers(5, 60), seeds, st.booleans(), st.sampled_from(["bic", "aic"]), phases)
@settings(max_examples=150)
def test_other_layouts_and_names_give_the_same_pattern_and_trace(
    seed: int, n: int, rows: int, shuffle: int, faithfulness: bool, score: str, phases: str
) -> None:
    columns = _columns(seed, n, rows)
    config = SearchConfig(faithfulness=faithfulness, phases=phases)
    first = fges(_problem(columns, score), config)
    # Variables are numbered by the data alone, so patterns compare as numbers.
    assert fges(_problem(shuffled(columns, shuffle), score), config) == first
    assert fges(_problem(renamed(shuffled(columns, shuffle), shuffle)[0], score), config) == first


@given(seeds, st.integers(2, 5), st.integers(2, 6), seeds)
@settings(max_examples=100)
def test_tiny_tables_with_ties_everywhere_give_the_same_pattern(seed: int, n: int, rows: int, shuffle: int) -> None:
    rng = np.random.default_rng(seed)
    columns: Columns = {f"c{v}": rng.integers(0, 2, rows).tolist() for v in range(n)}
    assert fges(_problem(shuffled(columns, shuffle)), SearchConfig()) == fges(_problem(columns), SearchConfig())


def test_given_order_decides_between_equal_operators_by_column() -> None:
    # Two pairs of equal columns: both joins gain the same, and the columns decide which comes first.
    rng = np.random.default_rng(1)
    one, other = rng.permutation([0, 1] * 20).tolist(), rng.permutation([0, 1] * 20).tolist()
    columns: Columns = {"d": one, "a": other, "c": one, "b": other}
    problem = _problem(columns)
    trace = fges(problem, SearchConfig(order="given")).trace.renamed(problem.names).to_dict()
    assert list(zip(trace["x"], trace["y"], strict=True))[:2] == [("d", "c"), ("a", "b")]


@given(seeds, st.integers(2, 7), st.integers(20, 80))
@settings(max_examples=40)
def test_pattern_is_a_cpdag_whose_extension_has_the_traced_score(seed: int, n: int, rows: int) -> None:
    problem = _problem(_columns(seed, n, rows))
    pattern = fges(problem, SearchConfig())
    cpdag = _named(pattern, tuple(range(problem.scores.n)))
    dag = cpdag.extension()
    assert dag is not None
    assert dag.cpdag() == cpdag
    empty = score_of(problem.scores, DAG(dag.nodes, []))
    assert [to_float(empty), *pattern.trace.to_dict()["score"]][-1] == to_float(score_of(problem.scores, dag))
    assert pattern.finished
    assert pattern.conflicts == ()


@given(seeds, st.integers(3, 6), st.sampled_from([0.2, 0.4, 0.6]), st.sampled_from([0.1, 0.3, 0.6]))
@settings(max_examples=100)
def test_perfect_score_finds_the_true_class_whatever_is_known_of_it(
    seed: int, n: int, density: float, share: float
) -> None:
    families = random_dag(seed, n, density)
    dag = as_dag(families)
    forbidden = [arc for arc in random_forbidden(seed, n, share) if arc not in dag.arcs]
    rng = random.Random(seed)
    required: Any = [arc for arc in dag.arcs if rng.random() < share]
    limits = {v: family.bit_count() for v, family in enumerate(families) if rng.random() < share}
    problem = _posed(perfect_scores(correlations_of(families, seed)))
    constraints = Constraints.of(n, forbidden=forbidden, required=required, most_parents=limits)
    pattern = fges(replace(problem, constraints=constraints), SearchConfig())
    assert _named(pattern, tuple(range(n))) == common(obeying(dag.cpdag(), forbidden, required, limits))


# With these coefficients no dependence of any network is too weak for the score.
_SEED = 2


def _networks() -> list[Path]:
    return sorted((SHARED / "networks").iterdir()) if SHARED.is_dir() else []


@needs_shared
@pytest.mark.parametrize("path", _networks(), ids=lambda path: path.name.split(".")[0])
def test_perfect_score_finds_the_true_class_of_every_network(path: Path) -> None:
    _assert_found(sb.read_network(path).dag)


@pytest.mark.parametrize("name", KNOWN_NETWORKS)
def test_perfect_score_finds_the_true_class_of_known_networks(name: str) -> None:
    _assert_found(sb.read_network(name).dag)


def _assert_found(true: DAG) -> None:
    number = {name: v for v, name in enumerate(true.nodes)}
    families = [sum(bit(number[parent]) for parent in true.parents(name)) for name in true.nodes]
    pattern = fges(_posed(perfect_scores(correlations_of(families, _SEED))), SearchConfig())
    assert _named(pattern, true.nodes) == true.cpdag()


@needs_shared
@pytest.mark.parametrize(
    ("name", "rows", "faithfulness"),
    [
        ("asia", 1_000, False),
        ("asia", 10_000, True),
        ("sports", 1_000, False),
        ("alarm", 10_000, False),
        ("alarm", 10_000, True),
        ("alarm", 100_000, True),
        ("hepar2", 1_000, True),
        ("hepar2", 10_000, True),
    ],
)
def test_graph_is_that_of_tetrad_where_its_score_counts_alike(name: str, rows: int, faithfulness: bool) -> None:
    problem = _problem(sample(name, rows))
    theirs = golden(f"fges/{name}_{rows}_{'faith' if faithfulness else 'nofaith'}.json")
    config = SearchConfig(faithfulness=faithfulness, phases="fges")
    ours = _named(fges(problem, config), problem.names)
    assert ours == PDAG(problem.names, map(tuple, theirs["directed"]), map(tuple, theirs["undirected"]))


def test_faithfulness_leaves_variables_apart_that_are_independent_by_themselves() -> None:
    problem = _problem(sb.read_network("asia").sample(100, seed=26))
    free, faithful = (
        _named(fges(problem, SearchConfig(faithfulness=faithfulness)), problem.names) for faithfulness in (False, True)
    )
    u, v = (problem.names.index(name) for name in ("smoke", "bronc"))
    assert problem.scores.family(v, bit(u)) <= problem.scores.family(v, 0)
    assert free.adjacent("smoke", "bronc")
    assert not faithful.adjacent("smoke", "bronc")


def test_start_is_where_the_search_starts() -> None:
    problem = _problem(_columns(7, 5, 60))
    found = fges(problem, SearchConfig())
    dag = _named(found, tuple(range(5))).extension()
    assert dag is not None
    started = fges(replace(problem, start=tuple(families_of(dag))), SearchConfig())
    assert (started.directed, started.undirected) == (found.directed, found.undirected)
    assert started.trace.to_dict()["delta"] == []


def test_max_time_stops_and_says_so() -> None:
    problem = replace(_problem(_columns(7, 6, 60)), deadline=time.monotonic())
    found = fges(problem, SearchConfig())
    assert not found.finished
    assert (found.directed, found.undirected) == ((), ())


def test_trace_names_its_variables() -> None:
    problem = _problem({"a": [0, 1] * 20, "b": [0, 1] * 20})
    trace = fges(problem, SearchConfig()).trace.renamed(problem.names).to_dict()
    assert {*trace["x"], *trace["y"]} == {"a", "b"}
    assert trace["phase"] == ["forward"]
    assert trace["others"] == [()]


@pytest.mark.parametrize("score", ["k2", "bds"])
def test_score_that_differs_inside_a_class_is_refused(score: str) -> None:
    with pytest.raises(OptionError, match="fges needs a score"):
        fges(_problem({"a": [0, 1] * 5, "b": [0, 1, 1, 0, 1] * 2}, score), SearchConfig())


@pytest.mark.parametrize("options", [{"order": "name"}, {"max_parents": -1}, {"max_time": 0}, {"max_time": "soon"}])
def test_options_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=next(iter(options))):
        SearchConfig(**options)
