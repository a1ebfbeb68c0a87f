import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.known import drawn_knowledge
from tests.naive.equivalence_search import common, obeying

from stablebn.errors import GraphError
from stablebn.graph import DAG, PDAG
from stablebn.search import Constraints
from stablebn.search.equivalence_classes import EquivalenceClass, known_arcs
from stablebn.stats.variable_sets import bit, members


def random_dag(seed: int, n: int, density: float) -> list[int]:
    """Parent set of each variable, numbers without an order."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n).tolist()
    dag = [0] * n
    for place, v in enumerate(order):
        for u in order[:place]:
            if rng.random() < density:
                dag[v] |= bit(u)
    return dag


def as_pdag(graph: EquivalenceClass) -> PDAG:
    """The CPDAG as the graph module knows it."""
    return PDAG(range(len(graph.dag)), graph.directed(), graph.undirected())


def as_dag(parents: list[int]) -> DAG:
    """The DAG as the graph module knows it."""
    return DAG(range(len(parents)), [(u, v) for v, family in enumerate(parents) for u in members(family)])


seeds = st.integers(0, 10**6)
densities = st.sampled_from([0.1, 0.3, 0.5, 0.7, 1.0])


@given(seeds, st.integers(0, 12), densities)
@settings(max_examples=150)
def test_class_of_a_dag_is_its_cpdag(seed: int, n: int, density: float) -> None:
    dag = random_dag(seed, n, density)
    graph = EquivalenceClass(dag, [0] * n)
    assert as_pdag(graph) == as_dag(dag).cpdag()
    assert [a | b for a, b in zip(graph.parents, graph.neighbours, strict=True)] == [
        sum(bit(u) for u in range(n) if graph.adjacent[v] & bit(u) and not graph.parents[u] & bit(v)) for v in range(n)
    ]


@given(seeds, st.integers(0, 12), densities)
@settings(max_examples=100)
def test_class_of_a_cpdag_is_itself(seed: int, n: int, density: float) -> None:
    graph = EquivalenceClass(random_dag(seed, n, density), [0] * n)
    again = EquivalenceClass(graph.parents, graph.neighbours)
    assert as_pdag(again) == as_pdag(graph)
    assert as_pdag(graph) == as_dag(graph.dag).cpdag()


def test_graph_without_extension_is_refused() -> None:
    square = [0b1010, 0b0101, 0b1010, 0b0101]
    with pytest.raises(GraphError, match="no DAG extends"):
        EquivalenceClass([0] * 4, square)


@given(seeds, st.integers(2, 6), densities)
@settings(max_examples=150)
def test_class_has_an_obeying_dag_exactly_if_one_of_its_dags_obeys(seed: int, n: int, density: float) -> None:
    graph = EquivalenceClass(random_dag(seed, n, density), [0] * n)
    forbidden, required, most_parents = drawn_knowledge(seed, n)
    # Half of what is required is in the class, so that it has a DAG that obeys more often.
    required = [(u, v) for u, v in required if graph.adjacent[u] >> v & 1 or seed % 2]
    constraints = Constraints.of(n, forbidden=forbidden, required=required, most_parents=most_parents)
    found = graph.obeying_dag(constraints)
    right = obeying(as_pdag(graph), forbidden, required, most_parents)
    assert (found is None) == (not right)
    if found is not None:
        assert as_dag(found) in right
        assert as_dag(found).cpdag(known_arcs(found, constraints)) == common(right)
        for u, v in as_pdag(graph).undirected:
            with_it = graph.obeying_dag(constraints, known=(int(str(u)), int(str(v))))
            assert (with_it is not None) == any((u, v) in dag.arcs for dag in right)


def test_two_steps_away_are_those_that_share_an_adjacent_variable() -> None:
    # 0 - 1 - 2 - 3, and 4 alone.
    graph = EquivalenceClass([0, 0b1, 0b10, 0b100, 0], [0] * 5)
    assert graph.two_steps_away() == [0b00101, 0b01010, 0b00101, 0b01010, 0]
