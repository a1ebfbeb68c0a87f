"""The front door: `learn`, `check`, `score`, `fit` and `ci_test`."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stablebn.arguments import (
    CheckArguments,
    LearnArguments,
    ScoreArguments,
    about_the_table,
    changed_options,
    describe,
)
from stablebn.certificate import Certificate, GraphProof, graph_proof
from stablebn.checking import Check, checked
from stablebn.data import (
    Asked,
    Binning,
    CategoricalTable,
    Caution,
    Decision,
    MixedTable,
    Prepared,
    prepare,
)
from stablebn.data.cut_points import USUAL_BINS
from stablebn.data.wording import tallied
from stablebn.errors import DataError, GraphError, OptionError, listed
from stablebn.fixed_point import to_float
from stablebn.graph import PDAG
from stablebn.graph.names import name_key
from stablebn.independence import independence_test, name_of_test
from stablebn.knowledge import KnownArcs
from stablebn.learned import LearnedGraph, learned_graph, order_warnings, unfinished_warning
from stablebn.learners import LEARNERS, Pattern, Problem, SearchConfig, define_problem, measured, number_variables
from stablebn.learners.config import EQUIVALENCE_CLASSES
from stablebn.learners.exact import BestDag
from stablebn.naming import (
    all_arcs_but,
    as_dag,
    check_rows,
    extended,
    forbidden_by_kind,
    merged_away,
    parent_sets,
    read_as_graph,
    relation_of,
    start_graph,
    start_parent_sets,
)
from stablebn.options import takes
from stablebn.result import CITest, GraphScore, Result
from stablebn.scores.registry import WITH_HOLES, ScoreConfig, family_scores, numbers_matter
from stablebn.search import Climb
from stablebn.stats import statistics_of
from stablebn.stats.threads import cores
from stablebn.stats.variable_sets import bit

if TYPE_CHECKING:
    from stablebn.networks.model import Network

logger = logging.getLogger(__name__)

Search = Callable[[Problem, SearchConfig], Climb | Pattern]
"""What finds a graph."""


@takes(LearnArguments, describe)
def learn(*arguments: Any, **options: Any) -> Result:
    """Learn the structure of a Bayesian network from a table.

    The options are the fields of `stablebn.arguments.LearnArguments`; `help(stablebn.learn)` describes them.

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
    return learn_among(LearnArguments.of_learn(arguments, options))


def learn_among(asked: LearnArguments, known: KnownArcs | None = None, search_by: Search | None = None) -> Result:
    """Learn as asked, among the graphs that obey what is known.

    Parameters
    ----------
    asked : LearnArguments
    known : KnownArcs, optional
        What it forbids to columns that take no part forbids nothing.
    search_by : callable, optional
        What finds the graph, in place of the learner: for instance one that checks what another has found.
    """
    known = known or KnownArcs()
    began = time.perf_counter()
    learner = LEARNERS[asked.algorithm]
    deadline = None if asked.max_time is None else time.monotonic() + asked.max_time

    prepared = _prepared(asked, _binning(asked), duplicates=asked.duplicates)
    depends_on_units = _units_warning(asked, prepared)
    asked = replace(asked, unit_free=_is_unit_free(asked, prepared))
    encoded = time.perf_counter()
    start = start_graph(asked.start, prepared)
    kinds = {name: prepared.kinds[name] for name in prepared.table.names}
    config = asked.part(ScoreConfig)
    problem = define_problem(
        prepared.table,
        config,
        unit_free=asked.unit_free is True,
        relation=None if start is None else relation_of(start, prepared.table.names),
        allowed=all_arcs_but([*known.forbidden, *forbidden_by_kind(config, kinds)], prepared),
        called={stands: min((stands, *others), key=name_key) for stands, others in prepared.merged.items()},
        threads=asked.threads or cores(),
        deadline=deadline,
    )
    if "test" in asked.recorded():
        asked = replace(asked, test=name_of_test(problem.statistics, asked.test))
    if isinstance(prepared.table, MixedTable):
        asked = replace(asked, arcs=config.arcs_as_used)
    search = asked.part(SearchConfig)
    problem = replace(problem, start=start_parent_sets(start, problem, search.max_parents), watch=asked.progress)
    ordered = time.perf_counter()
    found = (search_by or learner.learn)(problem, search)
    apart = merged_away(prepared)
    learned = learned_graph(found, problem, [name for name in prepared.names if name not in apart])
    done = time.perf_counter()

    # Names that decided for want of time are no end of the work either.
    finished = found.finished and not (problem.undecided and problem.time_is_up())
    unfinished = () if finished else (unfinished_warning(found, search),)
    result = Result(
        pdag=learned.pdag,
        dag=learned.dag,
        score=learned.score,
        order=tuple(problem.names[v] for v in found.order),
        trace=found.trace.renamed(problem.names),
        conflicts=learned.conflicts,
        warnings=(
            *prepared.warnings,
            *depends_on_units,
            *order_warnings(problem, prepared),
            *learned.warnings,
            *unfinished,
        ),
        kinds=prepared.kinds,
        decisions=prepared.decisions,
        constants=tuple(prepared.constants),
        merged=prepared.merged,
        cuts=prepared.cuts,
        rows=prepared.table.total,
        fewest_rows=learned.fewest_rows,
        config=asked.recorded(),
        fingerprint=learned.fingerprint,
        known=learned.known,
        prepared=prepared,
        proof=_proof(found, learned, problem, prepared, asked, known),
        timings={
            "encode": encoded - began,
            "order": ordered - encoded,
            "search": done - ordered,
            "total": done - began,
        },
    )
    logger.info("%s: %d arcs, score %s, %.3f s", asked.algorithm, len(result.arcs), result.score, done - began)
    return result


def _proof(
    found: Climb | Pattern,
    learned: LearnedGraph,
    problem: Problem,
    prepared: Prepared,
    asked: LearnArguments,
    known: KnownArcs,
) -> GraphProof | None:
    """What is proven of what was found, with a certificate of it."""
    if not isinstance(found, BestDag) or learned.score is None:
        return None
    options = {**about_the_table(asked), **changed_options(asked, (ScoreConfig, SearchConfig)), **found.limits}
    # What was given with the table is given with it again; and how long it took proves nothing.
    for name in ("names", "max_time", *(() if isinstance(asked.weights, str) else ("weights",))):
        options.pop(name, None)
    if isinstance(prepared.table, CategoricalTable):
        options.pop("unit_free", None)
    if isinstance(asked.kinds, Mapping):
        options["kinds"] = [[name, kind] for name, kind in prepared.kinds.items()]
    certificate = Certificate(
        options=options,
        forbidden=known.forbidden,
        variables=problem.names,
        parents=found.parents,
        score=found.proof.score,
        bound=found.proof.bound,
        trees=found.proof.trees,
    )
    return graph_proof(found.proof, learned.score, certificate)


def _prepared(
    asked: LearnArguments | ScoreArguments | CheckArguments,
    discretise: Binning | Mapping[Hashable, tuple[float, ...]] | None,
    duplicates: str = "keep",
    learned: Mapping[Hashable, Decision] | None = None,
) -> Prepared:
    """The table, read as the options say; an error offers those of them again that are about the table."""
    try:
        return prepare(
            asked.data,
            names=asked.names,
            kinds=asked.kinds,
            missing=asked.missing,
            duplicates=duplicates,
            weights=asked.weights,
            discretise=discretise,
            columns=asked.columns,
            drop=asked.drop,
            keep=asked.keep,
            sep=asked.sep,
            decimal=asked.decimal,
            encoding=asked.encoding,
            learned=learned,
            holes_will_do=_takes_holes(asked),
            threads=asked.threads or cores(),
        )
    except DataError as error:
        if error.remedy:
            error.remedy = {**about_the_table(asked), **error.remedy}
        raise


def _takes_holes(asked: LearnArguments | ScoreArguments | CheckArguments) -> bool:
    """Whether a table with holes can be learned from, or scored, as asked."""
    if isinstance(asked, CheckArguments):
        return True
    by_classes = isinstance(asked, LearnArguments) and EQUIVALENCE_CLASSES in LEARNERS[asked.algorithm].traits
    return asked.score in WITH_HOLES and not by_classes


def _is_unit_free(asked: LearnArguments | ScoreArguments, prepared: Prepared) -> bool:
    """Whether units are kept out, as they are unless it is said otherwise; categorical data have none."""
    if asked.score == "bge" and asked.unit_free:
        raise OptionError(
            "score='bge' has a prior in the units of the columns, so unit_free=True cannot be kept. Leave it out, or "
            "say score='bic'."
        )
    return not isinstance(prepared.table, CategoricalTable) and asked.score != "bge" and asked.unit_free is not False


def _units_warning(asked: LearnArguments, prepared: Prepared) -> tuple[Caution, ...]:
    """What to say where units take part and nobody has asked for it."""
    if isinstance(prepared.table, CategoricalTable) or asked.score != "bge" or asked.unit_free is not None:
        return ()
    return (
        Caution(
            "units",
            (),
            "bge has a prior in the units of the columns: in other units the graph may be another. Say unit_free=False "
            "if that is meant.",
        ),
    )


def _binning(asked: LearnArguments | ScoreArguments | CheckArguments) -> Binning | None:
    if asked.discretise is None:
        if asked.bins is not None:
            raise OptionError(
                'bins= goes with discretise=, for example discretise="quantile". Say both, or leave it out.'
            )
        return None
    return Binning(asked.discretise, USUAL_BINS if asked.bins is None else asked.bins)


def _cuts_of(graph: object) -> Mapping[Hashable, tuple[float, ...]] | None:
    """The cut points with which a graph was learned: those of a result or a network."""
    cuts: Mapping[Hashable, tuple[float, ...]] | None = getattr(graph, "cuts", None)
    return cuts or None


def _decisions_of(graph: object) -> Mapping[Hashable, Decision] | None:
    """What the columns were taken for when a graph was learned; those with cut points are numbers."""
    if not isinstance(graph, Result):
        return None
    return {name: own for name, own in graph.decisions.items() if name not in graph.cuts}


@takes(CheckArguments, describe)
def check(*arguments: Any, **options: Any) -> Check:
    """Say what there is to know of a table before anything is learned from it.

    What each column is taken for and why, what keeps the table from being learned from, missing values, constants,
    copies, columns that follow from others, ids, rare levels, nearly collinear columns, and about how long learning
    takes. The options are the fields of `stablebn.arguments.CheckArguments`; `help(stablebn.check)` describes them.

    Returns
    -------
    Check

    Examples
    --------
    >>> import stablebn as sb
    >>> found = sb.check({"sex": ["f", "m"] * 20, "code": [1, 2] * 20, "site": ["x"] * 40})
    >>> [(finding.code, finding.columns) for finding in found.findings]
    [('constant', ('site',)), ('relabelled', ('code', 'sex'))]
    >>> found.exit_code
    1
    """
    asked = CheckArguments.from_call("check", arguments, options)
    binning = _binning(asked)
    try:
        return checked(_prepared(asked, binning), None)
    except DataError as error:
        if not error.remedy:
            return checked(None, error)
        # What there is besides is told as it will be.
        mended: dict[str, Any] = dict(error.remedy)
        try:
            return checked(_prepared(replace(asked, **mended), binning), error)
        except DataError:
            return checked(None, error)


@takes(ScoreArguments, describe)
def score(*arguments: Any, **options: Any) -> GraphScore:
    """Score a graph against a table; for a learned graph this is exactly its `score`.

    A table for a result that was learned with `discretise` gets the result's cut points, and the last digits are those
    of its `unit_free`, unless others are asked for. The options are the fields of `stablebn.arguments.ScoreArguments`;
    `help(stablebn.score)` describes them.

    Returns
    -------
    GraphScore
    """
    asked = ScoreArguments.from_call("score", arguments, options)
    if asked.unit_free is None and isinstance(asked.graph, Result) and asked.graph.config.get("unit_free") is False:
        asked = replace(asked, unit_free=False)
    config = asked.part(ScoreConfig)
    threads = asked.threads or cores()
    prepared = _prepared(asked, _binning(asked) or _cuts_of(asked.graph), learned=_decisions_of(asked.graph))
    graph = read_as_graph(asked.graph, prepared.names)
    forbidden = forbidden_by_kind(config, {name: prepared.kinds[name] for name in prepared.table.names})
    dag = extended(graph, forbidden)
    barred = [arc for arc in forbidden if arc in set(dag.arcs)]
    if barred:
        raise GraphError(
            f"the graph has arcs from continuous to categorical variables: {listed(barred)}. Conditional linear "
            'Gaussian networks have none; say arcs="any" (command line: --arcs any) for all arcs.'
        )
    unknown = [name for name in prepared.kinds if name not in set(dag.nodes)]
    if unknown:
        raise GraphError(f"the graph lacks columns of the table: {listed(unknown)}. Leave them out of the table.")
    relation = relation_of(graph, prepared.table.names)
    if numbers_matter(prepared.table, config):
        statistics = statistics_of(prepared.table, unit_free=_is_unit_free(asked, prepared), threads=threads)
        problem = number_variables(measured(statistics), config, [relation])
        scores, variables = problem.scores, problem.names
    else:
        # Counts have no order: there is nothing to number.
        scores, variables = family_scores(prepared.table, config, threads=threads), prepared.table.names
    families = parent_sets(dag, prepared, variables)
    check_rows(families, variables, scores, prepared.table.total, "the graph")
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
    kinds: Asked = None,
    missing: str = "error",
    weights: object = None,
) -> Network:
    """Estimate the parameters of a graph.

    A table for a result that was learned with `discretise` gets the result's cut points, and so do rows whose
    likelihood under the network is asked for.

    Parameters
    ----------
    graph : DAG, Result, networkx DiGraph, or list of arcs
        No arc may go from a continuous column to a categorical one: there is no distribution for it.
    data, names, kinds, missing, weights
        As in `learn`.
    method : {"ml", "bde"}
        Maximum likelihood, or for categorical nodes the mean of the posterior with the BDeu prior of `iss`.
        Continuous nodes: least squares, for each configuration of the categorical parents apart. The noise variance
        is RSS / (N - 1) if all columns that vary are continuous, and RSS / n of the n rows of the configuration in a
        mixed table: in both the log-likelihood of these rows is the `loglik` of the graph.
    iss : float
        Imaginary sample size of "bde".
    unseen : {"uniform", "marginal", "error"}
        With "ml", the distribution of a categorical node where its parents' configuration does not occur in the data.
        A continuous node has the regression of all rows where a configuration of its categorical parents has too few
        for its own, or with "error" an error. The network's `warnings` say where that was so.

    Returns
    -------
    Network
    """
    from stablebn.networks.fitting import fit as fit_parameters

    prepared = prepare(
        data,
        names=names,
        kinds=kinds,
        missing=missing,
        weights=weights,
        discretise=_cuts_of(graph),
        learned=_decisions_of(graph),
        threads=cores(),
    )
    return fit_parameters(as_dag(graph, prepared.names), prepared, method=method, iss=iss, unseen=unseen)


def ci_test(
    data: object,
    x: Hashable,
    y: Hashable,
    given: Sequence[Hashable] = (),
    test: str | None = None,
    *,
    names: Sequence[Hashable] | None = None,
    kinds: Asked = None,
    missing: str = "error",
    weights: object = None,
    unit_free: bool = True,
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
        (Gaussian mutual information). Mixed data: `mi-cg` (conditional Gaussian mutual information).
    unit_free : bool
        Continuous data: test rounded correlations, as `learn` does, so that units change nothing, and signs only the
        sign of the statistic. If not, they have all their digits.

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
    prepared = prepare(data, names=names, kinds=kinds, missing=missing, weights=weights, threads=cores())
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise OptionError(f"given={given!r} must be a list of columns: say given=[{given!r}] for one.")
    asked = (x, y, *given)
    unknown = [name for name in asked if not isinstance(name, Hashable) or name not in prepared.decisions]
    if unknown:
        raise OptionError(f"the table has no columns {listed(unknown)}.")
    aside = {name: prepared.decisions[name].why for name in asked if name in prepared.aside}
    if aside:
        raise OptionError(f"columns that were set aside: {tallied(aside)}. Say kinds= for them.")
    if len(set(asked)) < len(asked):
        raise OptionError(f"x, y and given must be different columns; got {listed(asked, most=99)}.")
    # A constant says nothing; and with only the columns that matter there are fewer to number.
    column = {name: place for place, name in enumerate(prepared.table.names)}
    table = prepared.table.select([column[name] for name in asked if name in column])
    if test is None and isinstance(prepared.table, MixedTable):
        # Columns of one kind are tested as a learner would, who sees both.
        test = "mi-cg"
    # Among interchangeable columns, which two are tested tells them apart.
    tested = relation_of(PDAG(asked, [], [(x, y)]), table.names)
    problem = define_problem(table, ScoreConfig(), unit_free=unit_free, relation=tested)
    name = name_of_test(problem.statistics, test)
    if x not in column or y not in column:
        return CITest(x, y, tuple(given), name, 0.0, 0.0, 1.0)
    number = {variable: v for v, variable in enumerate(problem.names)}
    outcome = independence_test(problem.statistics, name).test(
        number[x], number[y], sum(bit(number[variable]) for variable in given if variable in number)
    )
    return CITest(x, y, tuple(given), name, *outcome)
