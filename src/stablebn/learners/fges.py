"""FGES: fast greedy equivalence search."""

from __future__ import annotations

from collections.abc import Sequence

from stablebn.errors import OptionError
from stablebn.graph import DAG
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.pattern import Edges, Pattern, numbered
from stablebn.learners.shared.problem import Problem
from stablebn.search import Constraints
from stablebn.search.equivalence_classes import EquivalenceClass, known_arcs
from stablebn.search.greedy_equivalence import GreedyEquivalenceSearch
from stablebn.stats.variable_sets import members


def fges(problem: Problem, config: SearchConfig) -> Pattern:
    """Insert, delete and turn edges of a Markov equivalence class as long as its score improves.

    With `phases="xges"`, the default, a step deletes an edge if that improves the score, else turns one, else inserts
    one. At the end every edge is deleted once, and the search continues from there if this leads to a higher score
    (`GreedyEquivalenceSearch.improve`). With `phases="fges"` the search inserts edges as long as this improves the
    score, and then deletes edges: this is FGES as published, and as in Tetrad.

    Every step applies the valid operator with the greatest gain. Equal gains are decided by the positions of x and y in
    the processing order, then by those of the variables in T, H or C. The result is a CPDAG, so it always has a
    consistent extension.

    With `faithfulness`, variables that are marginally independent are taken to be independent given any set ("one-edge
    faithfulness" in Tetrad's documentation). All phases first consider the dependent pairs only: x and y for which x ->
    y improves the score of the empty graph. Then all phases run once more, for these pairs and for pairs that have a
    common neighbour after the first round, because parents of one child may have to be adjacent for a while. Other
    pairs never become adjacent. Without this assumption, the default, the search finds the true class in the limit of
    many rows.

    With constraints, every visited class has a DAG that obeys them, starting with the DAG of the required arcs. Edges
    of the result are directed if all DAGs of the class that obey agree. If the constraints are tiers that the true
    graph obeys, the search still finds the true class in the limit of many rows (Larsen et al.). With other constraints
    it may not. So a second search ignores them, and its class is the result if it scores more and has a DAG that obeys.

    All cliques among the neighbours of a variable are tried, and their number may grow exponentially with the largest
    clique. `max_parents` bounds their size, `max_time` the search.

    References
    ----------
    Chickering, "Optimal structure identification with greedy search", 2002.
    Ramsey, Glymour, Sanchez-Romero and Glymour, "A million variables and more: the Fast Greedy Equivalence Search
    algorithm for learning high-dimensional graphical causal models", 2017.
    Nazaret and Blei, "Extremely greedy equivalence search", 2024.
    Hauser and Buehlmann, "Characterization and greedy learning of interventional Markov equivalence classes of directed
    acyclic graphs", 2012: turns.
    Larsen, Ekstrom and Petersen, "Score-based causal discovery with temporal background information", 2025.

    Raises
    ------
    OptionError
        The score differs between the DAGs of a class.
    """
    if problem.statistics.has_missing:
        raise OptionError(
            'fges needs a score that all DAGs of a class share, and with missing="available" there is none. Choose '
            'another algorithm, for instance best; or say missing="drop".'
        )
    if not problem.scores.score_equivalent:
        raise OptionError(
            "fges needs a score that all DAGs of a class share: bic, aic, loglik, bde, bge or dg, or basis with "
            'basis_form="block".'
        )
    order = problem.decreasing if config.order == "stable" else problem.given
    constraints = None if problem.constraints is None else problem.constraints.within(config.most_parents)
    search = searched(problem, config, order, constraints, "classes")
    finished = search.finished
    if constraints is not None and not constraints.are_tiers:
        # Constraints can block every path to the best class that obeys; a search without them may find it.
        free = searched(problem, config, order, None, "classes, free")
        finished &= free.finished
        if free.score > search.score and free.graph.obeying_dag(constraints) is not None:
            search = free
    directed, undirected = oriented_class(search.graph, constraints)
    return Pattern(directed, undirected, tuple(order), search.trace, finished, conflicts=())


def searched(
    problem: Problem, config: SearchConfig, order: Sequence[int], constraints: Constraints | None, name: str
) -> GreedyEquivalenceSearch:
    """Search among the classes that have a DAG that obeys the constraints; `name` is the key in the journal."""
    n = problem.scores.n
    required = [0] * n if problem.constraints is None else problem.constraints.required
    search = GreedyEquivalenceSearch(
        problem.scores,
        order,
        start=required if problem.start is None else problem.start,
        most_parents=n if config.most_parents is None else config.most_parents,
        constraints=constraints,
        time_is_up=problem.time_is_up,
        watch=problem.watch,
        journal=problem.journal,
        name=name,
    )

    def run(partners: Sequence[int] | None) -> None:
        if config.phases == "xges":
            search.improve(partners)
        else:
            search.insert_edges(partners)
            search.delete_edges()

    if config.faithfulness:
        dependent = search.dependent()
        run(dependent)
        run([a | b for a, b in zip(dependent, search.graph.two_steps_away(), strict=True)])
    else:
        run(None)
    return search


def oriented_class(graph: EquivalenceClass, constraints: Constraints | None) -> tuple[Edges, Edges]:
    """Return the directed and undirected edges of a class: an edge is directed if all DAGs that obey agree."""
    if constraints is None:
        return graph.directed(), graph.undirected()
    dag = graph.obeying_dag(constraints)
    if dag is None:
        raise AssertionError("a fault of stablebn: no DAG of the learned class obeys the constraints.")
    arcs = [(u, v) for v, family in enumerate(dag) for u in members(family)]
    pdag = DAG(range(len(dag)), arcs).cpdag(known_arcs(dag, constraints))
    return numbered(pdag.directed), numbered(pdag.undirected)
