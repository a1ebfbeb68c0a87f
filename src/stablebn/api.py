"""The front door: `learn`, `score` and `fit`."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from stablebn.data import Caution, ContinuousTable, Kind, Prepared, prepare
from stablebn.errors import GraphError, OptionError, listed, one_of
from stablebn.graph import DAG, PDAG, as_graph
from stablebn.independence import independence_test, name_of_test
from stablebn.fixed_point import to_float
from stablebn.learners import LEARNERS, Pattern, Problem, SearchConfig, define_problem
from stablebn.learners.config import at_least
from stablebn.networks.fitting import fit as fit_parameters
from stablebn.networks.model import Network
from stablebn.result import Result, fingerprint, pattern_fingerprint
from stablebn.scores.registry import ScoreConfig, scores_from
from stablebn.search import Climb
from stablebn.stats import statistics_of
from stablebn.stats.threads import cores
from stablebn.stats.variable_sets import bit, members

logger = logging.getLogger(__name__)


def learn(
    data: object,
    algorithm: str = "tabu-stable",
    score: str = "bic",
    *,
    k: float = 1.0,
    iss: float = 1.0,
    iss_mu: float = 1.0,
    iss_w: int | None = None,
    tabu: int | None = None,
    noinc: int | None = None,
    max_parents: int | None = None,
    max_iter: int | None = None,
    start: object = None,
    order_search: str | None = None,
    test: str | None = None,
    alpha: float | None = None,
    max_condition: int | None = None,
    order: str | None = None,
    faithfulness: bool | None = None,
    max_time: float | None = None,
    unit_free: bool = False,
    names: Sequence[Hashable] | None = None,
    kinds: Mapping[Hashable, Kind] | None = None,
    missing: str = "error",
    duplicates: str = "keep",
    weights: object = None,
    threads: int | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> Result:
    """Learn the structure of a Bayesian network from a table.

    Parameters
    ----------
    data : frame, array, dict or path
        pandas, polars, PyArrow, a NumPy array with `names`, a dict of columns, or the path of a CSV, CSV.gz,
        Parquet or Feather file.
    algorithm : str
        `tabu-stable`, `hc-stable`, `tabu`, `hc`, `tabu-dec`, `tabu-inc`, `hc-dec` or `hc-inc`, which climb;
        `pc-stable`, `gs` or `inter-iamb`, which test; `mmhc` or `h2pc`, which do both; `fges`, which climbs among
        equivalence classes.
    score : str
        Of those that only test, the score with which their graph is judged.
        `bic`, `aic` or `loglik`; `bde`, `bds` or `k2` for categorical data; `bge` for continuous data.
    k : float
        Multiplier of the penalty of `bic` and `aic`.
    iss : float
        Imaginary sample size of `bde` and `bds`.
    iss_mu, iss_w : float, int
        Imaginary sample sizes of `bge`; `iss_w` is by default the number of variables + 2.
    tabu, noinc : int
        Length of the tabu list (10), and how many moves without improvement are tolerated (as `tabu`).
    max_parents, max_iter : int
        Most parents of a variable, and most steps of a search.
    start : DAG or arcs
        Where every search starts; by default at the empty graph.
    order_search : {"hc", "tabu"}
        The search that finds the stable order; "hc" as in the paper.
    test : str
        The test of independence, as in `ci_test`.
    alpha : float
        Variables count as independent if the p-value of the test is above it; 0.05 by default.
    max_condition : int
        Most variables to condition on in a test.
    order : {"stable", "given"}
        Of learners that test, and `fges`: whether the choices that the data leave open follow the canonical order of
        the data, or the order of the columns, as in other tools. By default "stable".
    faithfulness : bool
        `fges`: at first join only variables that depend on each other by themselves.
    max_time : float
        Seconds after which the search returns what it has, and says so. What that is depends on the machine.
    unit_free : bool
        Continuous data: compute the order from standardised columns, so that a change of units cannot change the graph.
    names : sequence
        Column names of a NumPy array.
    kinds : mapping
        "categorical" or "continuous", for columns where the type does not say.
    missing : {"error", "drop", "level"}
        What to do with missing values.
    duplicates : {"keep", "merge", "error"}
        What to do with identical columns.
    weights : column name or integers
        How many rows each row stands for.
    threads : int
        By default the number of cores. The answer does not depend on it.
    progress : callable
        Called with the name of a search under way and its number of steps, not always from the same thread.

    Returns
    -------
    Result

    Examples
    --------
    >>> import stablebn as sb
    >>> result = sb.learn(sb.read_network("asia").sample(1000, seed=1))
    >>> ("smoke", "lung") in result.arcs or ("lung", "smoke") in result.arcs
    True
    """
    began = time.perf_counter()
    one_of("algorithm", algorithm, tuple(LEARNERS))
    learner = LEARNERS[algorithm]
    own = {
        "tabu": tabu,
        "noinc": noinc,
        "max_parents": max_parents,
        "max_iter": max_iter,
        "start": start,
        "order_search": order_search,
        "test": test,
        "alpha": alpha,
        "max_condition": max_condition,
        "order": order,
        "faithfulness": faithfulness,
    }
    alien = [option for option, value in own.items() if value is not None and option not in learner.options]
    if alien:
        raise OptionError(f"algorithm={algorithm!r} has no option {listed(alien)}. Leave it out.")
    config = SearchConfig(
        max_time=max_time,
        **{option: value for option, value in own.items() if value is not None and option != "start"},  # type: ignore[arg-type]
    )
    score_config = ScoreConfig(score, k=k, iss=iss, iss_mu=iss_mu, iss_w=iss_w)

    prepared = prepare(data, names=names, kinds=kinds, missing=missing, duplicates=duplicates, weights=weights)
    if unit_free and (score == "bge" or not isinstance(prepared.table, ContinuousTable)):
        raise OptionError("unit_free=True is for continuous data with bic, aic or loglik. Leave it out.")
    encoded = time.perf_counter()
    problem = define_problem(prepared.table, score_config, unit_free=unit_free, threads=_threads(threads))
    if "test" in learner.options:
        config = replace(config, test=name_of_test(problem.statistics, config.test))
    problem = replace(
        problem,
        start=_start(start, prepared, problem, max_parents),
        deadline=None if max_time is None else time.monotonic() + max_time,
        watch=progress,
    )
    ordered = time.perf_counter()
    found = learner.learn(problem, config)
    learned = _learned(found, problem, [name for name in prepared.names if name not in _absorbed(prepared)])
    done = time.perf_counter()

    cautions = [*prepared.warnings, *learned.cautions]
    if not found.finished:
        cautions.append(_why_stopped(found, config))
    result = Result(
        pdag=learned.pdag,
        dag=learned.dag,
        score=learned.score,
        order=tuple(problem.names[v] for v in found.order),
        trace=found.trace.renamed(problem.names),
        conflicts=learned.conflicts,
        warnings=tuple(cautions),
        kinds=prepared.kinds,
        constants=tuple(prepared.constants),
        merged=prepared.merged,
        rows=prepared.table.total,
        config={
            "algorithm": algorithm,
            **asdict(score_config),
            **{
                option: value
                for option, value in asdict(config).items()
                if option not in own or option in learner.options
            },
            "unit_free": unit_free,
            "missing": missing,
            "duplicates": duplicates,
        },
        fingerprint=learned.fingerprint,
        prepared=prepared,
        timings={
            "encode": encoded - began,
            "order": ordered - encoded,
            "search": done - ordered,
            "total": done - began,
        },
    )
    logger.info("%s: %d arcs, score %s, %.3f s", algorithm, len(result.arcs), result.score, done - began)
    return result


@dataclass(frozen=True)
class _Learned:
    """What a learner found, under the names of the variables."""

    pdag: PDAG
    dag: DAG | None
    score: float | None
    fingerprint: str
    conflicts: tuple[tuple[Hashable, Hashable, Hashable], ...] = ()
    cautions: tuple[Caution, ...] = ()


def _learned(found: Climb | Pattern, problem: Problem, nodes: Sequence[Hashable]) -> _Learned:
    names = problem.names

    def named(edges: Iterable[tuple[int, int]]) -> list[tuple[Hashable, Hashable]]:
        return [(names[u], names[v]) for u, v in edges]

    if isinstance(found, Climb):
        parents = [members(family) for family in found.parents]
        arcs = named((u, v) for v, family in enumerate(parents) for u in family)
        score = to_float(found.score)
        return _Learned(PDAG(nodes, arcs, ()), DAG(nodes, arcs), score, fingerprint(parents, score))

    n = len(names)
    # By canonical numbers, so that no name has a say in which of the extensions it is.
    extension = PDAG(range(n), found.directed, found.undirected).extension()
    families = [] if extension is None else [sum(bit(int(str(u))) for u in extension.parents(v)) for v in range(n)]
    scored = extension is not None and all(family.bit_count() <= problem.scores.most_parents for family in families)
    pattern_score = to_float(problem.scores.dag(families)) if scored else None
    conflicts = tuple((names[a], names[c], names[b]) for a, c, b in found.conflicts)
    return _Learned(
        pdag=PDAG(nodes, named(found.directed), named(found.undirected)),
        dag=None
        if extension is None
        else DAG(nodes, named((u, v) for v, family in enumerate(families) for u in members(family))),
        score=pattern_score,
        fingerprint=pattern_fingerprint(n, found, pattern_score),
        conflicts=conflicts,
        cautions=tuple(_cautions_of_pattern(conflicts, extendable=extension is not None)),
    )


def _cautions_of_pattern(
    conflicts: Sequence[tuple[Hashable, Hashable, Hashable]], *, extendable: bool
) -> Iterator[Caution]:
    if conflicts:
        shown = ", ".join(f"{a} -> {c} <- {b}" for a, c, b in conflicts[:3]) + (", ..." if len(conflicts) > 3 else "")
        columns = tuple(dict.fromkeys(c for _, c, _ in conflicts))
        yield Caution("conflicts", columns, f"The tests contradict each other: not followed {shown} (see conflicts).")
    if not extendable:
        yield Caution(
            "not-extendable",
            (),
            "No DAG extends the learned graph: it has no score, no CPDAG and no parameters. See pdag; "
            "a smaller alpha or a learner that climbs may help.",
        )


@dataclass(frozen=True)
class GraphScore:
    """The score of a graph.

    Attributes
    ----------
    total : float
    by_node : dict of name to float
        Each variable's part, given its parents. A column with a single value has no part: 0.
    """

    total: float
    by_node: Mapping[Hashable, float]

    def __float__(self) -> float:
        return self.total


def score(
    graph: object,
    data: object,
    score: str = "bic",
    *,
    k: float = 1.0,
    iss: float = 1.0,
    iss_mu: float = 1.0,
    iss_w: int | None = None,
    names: Sequence[Hashable] | None = None,
    kinds: Mapping[Hashable, Kind] | None = None,
    missing: str = "error",
    weights: object = None,
    threads: int | None = None,
) -> GraphScore:
    """Score a graph against a table; for a learned graph this is exactly its `score`.

    Parameters
    ----------
    graph : DAG, Result, networkx DiGraph, or arcs
        A PDAG is scored by a DAG that extends it.
    data, names, kinds, missing, weights, threads
        As in `learn`.
    score, k, iss, iss_mu, iss_w
        As in `learn`.

    Returns
    -------
    GraphScore
    """
    config = ScoreConfig(score, k=k, iss=iss, iss_mu=iss_mu, iss_w=iss_w)
    prepared = prepare(data, names=names, kinds=kinds, missing=missing, weights=weights)
    dag = _as_dag(graph, prepared.names)
    unknown = [name for name in prepared.names if name not in set(dag.nodes)]
    if unknown:
        raise GraphError(f"the graph lacks columns of the table: {listed(unknown)}. Leave them out of the table.")
    if isinstance(prepared.table, ContinuousTable):
        problem = define_problem(prepared.table, config, threads=_threads(threads))
        scores, variables = problem.scores, problem.names
    else:
        # Counts have no order: there is nothing to number.
        scores, variables = (
            scores_from(statistics_of(prepared.table, threads=_threads(threads)), config),
            prepared.table.names,
        )
    families = _families(dag, prepared, variables)
    if not scores.score_equivalent and isinstance(graph, PDAG) and graph.undirected:
        raise GraphError(f"{config.score} differs between the DAGs of a class, so a PDAG has no {config.score} score.")
    exact = {name: scores.family(v, families[v]) for v, name in enumerate(variables)}
    return GraphScore(to_float(sum(exact.values())), {name: to_float(exact.get(name, 0)) for name in prepared.names})


def fit(
    graph: object,
    data: object,
    *,
    method: str = "ml",
    iss: float = 1.0,
    unseen: str = "uniform",
    names: Sequence[Hashable] | None = None,
    kinds: Mapping[Hashable, Kind] | None = None,
    missing: str = "error",
    weights: object = None,
) -> Network:
    """Estimate the parameters of a graph.

    Parameters
    ----------
    graph : DAG, Result, networkx DiGraph, or list of arcs
    data, names, kinds, missing, weights
        As in `learn`.
    method : {"ml", "bde"}
        Maximum likelihood, or for categorical data the mean of the posterior with the BDeu prior of `iss`.
        Continuous data: least squares, noise variance RSS / (N - 1).
    iss : float
        Imaginary sample size of "bde".
    unseen : {"uniform", "marginal", "error"}
        With "ml", the distribution of a node where its parents' configuration does not occur in the data:
        the network's `warnings` say where that was so.

    Returns
    -------
    Network
    """
    prepared = prepare(data, names=names, kinds=kinds, missing=missing, weights=weights)
    return fit_parameters(_as_dag(graph, prepared.names), prepared, method=method, iss=iss, unseen=unseen)


@dataclass(frozen=True)
class CITest:
    """A test of conditional independence.

    Attributes
    ----------
    x, y, given : name, name, tuple of names
    test : str
    statistic, df, p_value : float
    """

    x: Hashable
    y: Hashable
    given: tuple[Hashable, ...]
    test: str
    statistic: float
    df: float
    p_value: float

    def independent(self, alpha: float = 0.05) -> bool:
        """Whether the data do not speak against independence: the p-value is above alpha."""
        return self.p_value > alpha


def ci_test(
    data: object,
    x: Hashable,
    y: Hashable,
    given: Sequence[Hashable] = (),
    test: str | None = None,
    *,
    names: Sequence[Hashable] | None = None,
    kinds: Mapping[Hashable, Kind] | None = None,
    missing: str = "error",
    weights: object = None,
) -> CITest:
    """Test whether two variables are independent given some others.

    Parameters
    ----------
    data, names, kinds, missing, weights
        As in `learn`.
    x, y : name
    given : sequence of names
    test : str
        Categorical data: `mi` (G2, the default), `mi-adf` (G2 with adjusted degrees of freedom) or `x2` (Pearson).
        Continuous data: `cor` (exact t test of the partial correlation, the default), `zf` (Fisher's z) or `mi-g`
        (Gaussian mutual information).

    Returns
    -------
    CITest

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(1000, seed=1)
    >>> sb.ci_test(table, "smoke", "xray", given=["either"]).independent()
    True
    """
    prepared = prepare(data, names=names, kinds=kinds, missing=missing, weights=weights)
    asked = (x, y, *given)
    unknown = [name for name in asked if name not in prepared.kinds]
    if unknown:
        raise OptionError(f"the table has no columns {listed(unknown)}.")
    if len(set(asked)) < len(asked):
        raise OptionError(f"x, y and given must be different columns; got {listed(asked, most=99)}.")
    # A constant says nothing; and with only the columns that matter there are fewer to number.
    column = {name: place for place, name in enumerate(prepared.table.names)}
    problem = define_problem(prepared.table.select([column[name] for name in asked if name in column]), ScoreConfig())
    name = name_of_test(problem.statistics, test)
    if x not in column or y not in column:
        return CITest(x, y, tuple(given), name, 0.0, 0.0, 1.0)
    number = {variable: v for v, variable in enumerate(problem.names)}
    outcome = independence_test(problem.statistics, name).test(
        number[x], number[y], sum(bit(number[variable]) for variable in given if variable in number)
    )
    return CITest(x, y, tuple(given), name, *outcome)


def _threads(threads: int | None) -> int:
    if threads is None:
        return cores()
    at_least("threads", threads, 1)
    return threads


def _why_stopped(found: Climb | Pattern, config: SearchConfig) -> Caution:
    """What to say of a learner that has not finished."""
    # Without a limit of time it can only have been the steps, perhaps those of a search for the order.
    if config.max_time is None or (isinstance(found, Climb) and len(found.steps) == config.max_iter):
        return Caution(
            "max-iter",
            (),
            f"A search was stopped at max_iter={config.max_iter} steps: more of them may improve the graph.",
        )
    return Caution(
        "max-time",
        (),
        f"The search was stopped by max_time={config.max_time} seconds: the graph is unfinished, and another run may "
        "stop elsewhere.",
    )


def _as_dag(graph: object, names: Sequence[Hashable]) -> DAG:
    """A graph in any accepted form as a DAG; arcs alone are a graph over all names."""
    if isinstance(graph, list | tuple):
        return DAG(names, [tuple(arc) for arc in graph])
    known = as_graph(graph)
    if isinstance(known, DAG):
        return known
    extension = known.extension()
    if extension is None:
        raise GraphError("no DAG extends this PDAG, so it has no score.")
    return extension


def _families(dag: DAG, prepared: Prepared, variables: Sequence[Hashable]) -> list[int]:
    """Parent set of each variable that takes part. Arcs of a categorical constant say nothing and are left out."""
    unknown = [name for name in dag.nodes if name not in prepared.kinds]
    if unknown:
        raise GraphError(f"the graph has nodes that are not columns of the table: {listed(unknown)}.")
    number = {name: v for v, name in enumerate(variables)}
    alone = [name for name in dag.nodes if name not in number and (dag.parents(name) or dag.children(name))]
    if alone and isinstance(prepared.table, ContinuousTable):
        raise GraphError(f"these columns have a single value and can have no arcs: {listed(alone)}.")
    return [sum(bit(number[parent]) for parent in dag.parents(name) if parent in number) for name in variables]


def _start(start: object, prepared: Prepared, problem: Problem, max_parents: int | None) -> tuple[int, ...] | None:
    """Parent sets of the graph to start from."""
    if start is None:
        return None
    dag = _as_dag(start, prepared.names)
    idle = [
        name
        for name in (*prepared.constants, *_absorbed(prepared))
        if name in dag.nodes and (dag.parents(name) or dag.children(name))
    ]
    if idle:
        raise GraphError(
            f"start has arcs at columns that take no part in the search: {listed(idle)}. Leave these arcs out."
        )
    families = _families(dag, prepared, problem.names)
    limit = problem.scores.most_parents if max_parents is None else min(max_parents, problem.scores.most_parents)
    crowded = [name for name, family in zip(problem.names, families, strict=True) if family.bit_count() > limit]
    if crowded:
        raise GraphError(f"start gives these variables more than {limit} parents: {listed(crowded)}.")
    return tuple(families)


def _absorbed(prepared: Prepared) -> list[Hashable]:
    """Columns for which an identical one stands."""
    return [name for stands, group in prepared.merged.items() for name in group if name != stands]
