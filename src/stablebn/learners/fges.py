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
    """Insert, delete and turn edges of an equivalence class as long as its score improves.

    With `phases="xges"`, the default, a step deletes an edge if that improves the score, else turns one, else inserts
    one; at the end every edge is deleted once, and the search goes on from there as far as that leads to a higher
    score (`GreedyEquivalenceSearch.improve`). With `phases="fges"` it inserts edges as long as that improves the score,
    and then deletes edges: that is FGES as published, and as Tetrad has it.

    Every step makes the valid operator with the greatest gain; among equal ones the first by the places of x and y,
    and then of T, H or C, in the processing order. The result is the CPDAG of a class, so it always has an extension.

    With `faithfulness`, what is independent by itself is taken to be independent given anything (the "one-edge
    faithfulness" of Tetrad's documentation). All phases are first made for the dependent pairs only: x and y of which
    x -> y improves the score of the empty graph. Then all are made once more, for these pairs and those that share an
    adjacent variable after the first round: parents of one child may have to be joined for a while. Other pairs are
    never joined. Without the assumption, the default, the search finds the true class in the limit of many rows.

    Where there are constraints, every class on the way has a DAG that obeys, from that of the required arcs on, and the
    result is the last one directed where all its DAGs that obey agree. If the truth obeys tiers, such a search finds it
    in the limit of many rows all the same (Larsen et al.). With other constraints it need not: then a search that is
    free of them is made besides, and its class is the result if it scores more and has a DAG that obeys, as the true
    class has.

    All cliques among the neighbours of a variable are tried, however many: at worst their number grows exponentially
    with the largest one. `max_parents` bounds their size, and `max_time` the search.

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
    if problem.statistics.has_holes:
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
        # Constraints can bar all ways to the best class that obeys: perhaps a search that is free of them finds it.
        free = searched(problem, config, order, None, "classes, free")
        finished &= free.finished
        if free.score > search.score and free.graph.obeying_dag(constraints) is not None:
            search = free
    directed, undirected = oriented_class(search.graph, constraints)
    return Pattern(directed, undirected, tuple(order), search.trace, finished, conflicts=())


def searched(
    problem: Problem, config: SearchConfig, order: Sequence[int], constraints: Constraints | None, name: str
) -> GreedyEquivalenceSearch:
    """A search among the classes that have a DAG that obeys; it has a name in the journal."""
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
    """Directed and undirected edges of a class: directed where all its DAGs that obey agree."""
    if constraints is None:
        return graph.directed(), graph.undirected()
    obeying = graph.obeying_dag(constraints)
    if obeying is None:
        raise AssertionError("a fault of stablebn: no DAG of the learned class obeys the constraints.")
    arcs = [(u, v) for v, family in enumerate(obeying) for u in members(family)]
    pdag = DAG(range(len(obeying)), arcs).cpdag(known_arcs(obeying, constraints))
    return numbered(pdag.directed), numbered(pdag.undirected)
