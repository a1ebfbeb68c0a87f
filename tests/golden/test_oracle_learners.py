"""With a test that knows the true graph, the learners that test find its CPDAG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from tests.networks import KNOWN_NETWORKS
from tests.shared import SHARED, needs_shared
from tests.tables import categorical_table

from stablebn.ci_tests import DSeparation
from stablebn.graph import DAG, PDAG
from stablebn.learners import LEARNERS, Pattern, SearchConfig, define_problem
from stablebn.learners.shared.problem import Problem
from stablebn.networks import random_network, read_network
from stablebn.scores.registry import ScoreConfig

TESTING = ("pc-stable", "gs", "inter-iamb")
# Every subset of the neighbours of a hub (pc-stable), or of a large blanket (gs, inter-iamb), is tried before an edge
# is kept: here there are too many. Degrees and blankets are up to 106 and 107 (pathfinder), 20 and 22 (arth150).
_LARGE_BLANKETS = {"arth150_c", "hepar2", "magic-irri_c", "magic-niab_c", "win95pts", "win95pts2"}
LEFT_OUT = {
    "pc-stable": {
        *("arth150_c", "barley", "diarrhoea", "formed", "hailfinder", "hailfinder2", "hepar2"),
        *("magic-irri_c", "magic-niab_c", "pathfinder", "water"),
    },
    "gs": _LARGE_BLANKETS,
    "inter-iamb": _LARGE_BLANKETS,
}
LARGE = {"ecoli70", "hailfinder"}
SLOW = {"diarrhoea", "formed", "pathfinder", "water"}
NETWORKS = sorted(path.name.split(".")[0] for path in (SHARED / "networks").glob("*")) if SHARED.is_dir() else []


def _problem(dag: DAG, order: Sequence[int]) -> Problem:
    """A problem whose data nobody looks at."""
    anything = define_problem(categorical_table([[0, 1]] * len(dag.nodes)), ScoreConfig())
    return replace(anything, test=DSeparation(dag), given=tuple(order), decreasing=tuple(order))


def _learned(algorithm: str, dag: DAG, order: Sequence[int]) -> PDAG:
    found = LEARNERS[algorithm].learn(_problem(dag, order), SearchConfig())
    assert isinstance(found, Pattern)
    assert found.conflicts == ()
    names = dag.nodes
    return PDAG(
        names, [(names[u], names[v]) for u, v in found.directed], [(names[u], names[v]) for u, v in found.undirected]
    )


CASES = [
    pytest.param(algorithm, name, marks=[pytest.mark.slow] if name in SLOW else [])
    for algorithm in TESTING
    for name in NETWORKS
    if name not in LEFT_OUT[algorithm]
]


@needs_shared
@pytest.mark.parametrize(("algorithm", "name"), CASES)
def test_true_cpdag_is_found(algorithm: str, name: str) -> None:
    dag = read_network(name, directories=[SHARED / "networks"], normalise=True).dag
    assert _learned(algorithm, dag, range(len(dag.nodes))) == dag.cpdag()


@pytest.mark.parametrize("algorithm", TESTING)
@pytest.mark.parametrize("name", [name for name in KNOWN_NETWORKS if name not in LARGE])
def test_true_cpdag_of_known_networks_is_found(algorithm: str, name: str) -> None:
    dag = read_network(name).dag
    assert _learned(algorithm, dag, range(len(dag.nodes))) == dag.cpdag()


@pytest.mark.parametrize("algorithm", TESTING)
@pytest.mark.parametrize("order", [list, lambda places: list(places)[::-1]])
def test_true_cpdag_of_random_networks_is_found(algorithm: str, order: Callable[[range], list[int]]) -> None:
    for seed in range(10):
        dag = random_network(10, seed=seed).dag
        assert _learned(algorithm, dag, order(range(10))) == dag.cpdag()
