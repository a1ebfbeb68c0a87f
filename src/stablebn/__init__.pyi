"""stablebn: one table, one graph.

Generated from the table of options by `python -m tests.stubs`.
"""

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from stablebn import study
from stablebn.api.check import Check
from stablebn.api.estimators import (
    FGES,
    GS,
    H2PC,
    HC,
    MMHC,
    Averaged,
    Best,
    Exact,
    HCDec,
    HCInc,
    HCStable,
    InterIAMB,
    PCStable,
    Tabu,
    TabuDec,
    TabuInc,
    TabuStable,
)
from stablebn.api.near_optimal import NearClass, NearOptimal
from stablebn.api.proofs import Distance, Verified
from stablebn.columns.column import Kind
from stablebn.errors import (
    CertificateError,
    Conflict,
    DataError,
    FormatError,
    GraphError,
    KnowledgeError,
    MissingExtraError,
    OptionError,
    StableBNError,
    UnseenLevelWarning,
)
from stablebn.exact.certificate import Certificate
from stablebn.graph import DAG, PDAG, Agreement, Comparison
from stablebn.knowledge import Knowledge
from stablebn.learners.shared.pattern import TestTrace
from stablebn.networks import CPT, ConditionalGaussian, LinearGaussian, Network
from stablebn.prepare.discretize import Discretised
from stablebn.prepare.incremental import GrowingTable
from stablebn.resampling.bootstrap_result import Bootstrap
from stablebn.resampling.cross_validation import CrossValidation, Difference, Fold
from stablebn.resampling.edge_frequencies import EdgeConfidence, EdgeFrequency
from stablebn.resampling.runner import LearnerLike
from stablebn.resampling.stability_result import Spread, Stability
from stablebn.result.explanation import Explanation
from stablebn.result.result import CITest, GraphScore, Result
from stablebn.search.operator_trace import OperatorTrace
from stablebn.search.trace import Trace
from stablebn.table.table import Name

__version__: str

__all__ = [
    "CPT",
    "DAG",
    "FGES",
    "GS",
    "H2PC",
    "HC",
    "MMHC",
    "PDAG",
    "Agreement",
    "Averaged",
    "Best",
    "Bootstrap",
    "CITest",
    "Certificate",
    "CertificateError",
    "Check",
    "Comparison",
    "ConditionalGaussian",
    "Conflict",
    "CrossValidation",
    "DataError",
    "Difference",
    "Discretised",
    "EdgeConfidence",
    "EdgeFrequency",
    "Exact",
    "Explanation",
    "Fold",
    "FormatError",
    "GraphError",
    "GraphScore",
    "HCDec",
    "HCInc",
    "HCStable",
    "InterIAMB",
    "Knowledge",
    "KnowledgeError",
    "LinearGaussian",
    "MissingExtraError",
    "NearClass",
    "NearOptimal",
    "Network",
    "OperatorTrace",
    "OptionError",
    "PCStable",
    "Result",
    "Spread",
    "Stability",
    "StableBNError",
    "Tabu",
    "TabuDec",
    "TabuInc",
    "TabuStable",
    "TestTrace",
    "Trace",
    "UnseenLevelWarning",
    "bootstrap",
    "check",
    "ci_test",
    "compare",
    "cross_validate",
    "discretise",
    "fit",
    "learn",
    "load_statistics",
    "near_optimal",
    "prove",
    "random_network",
    "read_graph",
    "read_network",
    "score",
    "stability",
    "statistics",
    "study",
    "verify",
]

def bootstrap(
    data: object,
    algorithm: LearnerLike = "auto",
    *,
    replicates: int = 200,
    seed: int = 0,
    layouts: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    score: str = "auto",
    names: Sequence[Hashable] | None = None,
    weights: object = None,
    memory: str | int | None = None,
    cache: str | os.PathLike[str] | None = None,
    k: float = 1.0,
    iss: float = 1.0,
    iss_mu: float = 1.0,
    iss_w: int | None = None,
    prior: str = "auto",
    arcs: str | None = None,
    basis_form: str | None = None,
    basis_degree: int | None = None,
    basis_transform: str = "rank",
    tabu: int = 10,
    noinc: int | None = None,
    max_parents: int | Mapping[Hashable, int] | None = None,
    max_iter: int | None = None,
    order_search: str = "hc",
    test: str | None = None,
    alpha: float = 0.05,
    max_condition: int | None = None,
    order: str = "stable",
    faithfulness: bool = False,
    phases: str = "xges",
    effort: str = "auto",
    max_sets: int = 50000000,
    resamples: int = 50,
    resample_seed: int = 0,
    kinds: Mapping[Hashable, Kind] | Kind | None = None,
    levels: Mapping[Any, Sequence[Any]] | Sequence[str] | str | None = None,
    missing: str = "error",
    columns: Sequence[Hashable] | str | None = None,
    drop: Sequence[Hashable] | str | None = None,
    keep: Sequence[Hashable] | str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    na_values: Sequence[str] | str | None = None,
    threads: int | None = None,
    discretise: str | None = None,
    bins: int | None = None,
    unit_free: bool | None = None,
    start: object = None,
    required: object = None,
    forbidden: object = None,
    tiers: Sequence[Sequence[Hashable]] | None = None,
    knowledge: object = None,
    duplicates: str = "keep",
    engine: str | None = None,
    client: object = None,
) -> Bootstrap:
    r"""Estimate how certain the edges of a learned graph are: learn again from rows drawn with replacement.

    The drawn rows are a function of the table and the seed: the same in every layout, for every learner. A graph that
    is stable (the same for every layout) need not be certain: the bootstrap shows how different the graph of another
    sample could be.

    Parameters
    ----------
    data
        As in `learn`.
    algorithm : str or callable
        The name of an algorithm, or any callable that takes a frame of the same type as `data` (for other data a
        pandas DataFrame, or a PyArrow Table if pandas is not installed) and returns edges as (from, to) pairs or a
        graph: DAG, PDAG, result, networkx. A pair in both directions is an undirected edge.
    replicates : int
        How many samples are drawn.
    seed : int
        The same seed draws the same samples, on every machine.
    layouts : {1, 2}, optional
        With 2 every replicate is learned twice, with its columns and rows in two random orders. This separates the
        influence of the layout from that of the sample. By default 1 for the stable algorithms, which no layout can
        change, and 2 for others.
    checkpoint : path, optional
        A file that gets every replicate when it is done. If the file exists, its replicates are not learned again,
        and the result is the same as without an interruption.
    progress : callable
        Called with how many graphs are learned and how many there will be, not always from the same thread.
    **options
        Those of `learn` except `max_time`. `threads` is how many replicates are learned at once; with `client` the
        workers of a Dask cluster learn them, as many at once as the workers have threads. For a callable the options
        that say how to read the table: names, weights, kinds, columns, drop, keep, sep, decimal, encoding, na_values;
        and threads, by default 1.
    score : str
        The score (for constraint-based algorithms, the score of the learned graph): bic, aic or loglik; dg (degenerate
        Gaussian) and adaptive (the best of several models per family), for mixed data; bde, bds, k2 or qnml for
        categorical data; bge for continuous data; basis, for data with nonlinear relations. Or auto: that of a result
        that is scored; without an algorithm by the table; else bic; by default auto.
    names : Sequence[Hashable] | None
        Column names of a NumPy array.
    weights : object
        The number of rows that each row stands for: integers, or the name of a column.
    memory : str | int | None
        Read the table in parts and learn from it in blocks, with at most this memory for its rows: 2GiB, 512MB, or a
        number of bytes. For text (CSV), Parquet and Arrow files that are larger than memory, and folders and patterns
        of them. The answer does not depend on it.
    cache : str | os.PathLike[str] | None
        A folder that keeps a table which is read in parts, so that it need not be read again. By default a temporary
        folder, which is removed.
    k : float
        Multiplier of the penalty of bic, aic, dg, basis and adaptive; by default 1.0.
    iss : float
        Imaginary sample size of bde and bds; by default 1.0.
    iss_mu : float
        Imaginary sample size of bge for the mean; by default 1.0.
    iss_w : int | None
        Imaginary sample size of bge for the precision matrix, by default the number of variables + 2.
    prior : str
        The prior over graphs: uniform, or size: every arc costs ln p nats, where p is the number of variables that are
        not constant, because p variables compete to be a parent. Or auto: that of a result that is scored; without an
        algorithm by the table; else uniform; by default auto.
    arcs : str | None
        Mixed data: clg, no arc from a continuous to a categorical variable (conditional linear Gaussian networks), or
        any; by default clg, with the scores dg, basis and adaptive any. It has no effect on other data, which have no
        such arcs.
    basis_form : str | None
        The score basis: additive, a continuous variable is regressed on functions of each of its parents (not score
        equivalent); or block, variables with all their functions are jointly Gaussian (score equivalent). By default
        additive for continuous data, block for mixed data.
    basis_degree : int | None
        Degree of the polynomials of the score basis, by default 5 for the additive form and 3 for the block form.
    basis_transform : str
        The transformation before the polynomials of the score basis: rank, normal scores of the ranks, which no
        monotone function of a column changes; or bounded, x / sqrt(1 + x**2 / 4) of standardised values x; by default
        rank.
    tabu : int
        Length of the tabu list; by default 10. Only of tabu-stable, tabu, tabu-dec, tabu-inc.
    noinc : int | None
        Moves without improvement that are tolerated, by default the value of tabu. Only of tabu-stable, tabu, tabu-dec,
        tabu-inc.
    max_parents : int | Mapping[Hashable, int] | None
        Most parents of a variable: a number for all, or a dict by name, in which ... stands for all others; on the
        command line 3 or name=3. Only of tabu-stable, hc-stable, tabu, hc, tabu-dec, tabu-inc, hc-dec, hc-inc, mmhc,
        h2pc, fges, best, averaged, exact.
    max_iter : int | None
        Most steps of a search. Only of tabu-stable, hc-stable, tabu, hc, tabu-dec, tabu-inc, hc-dec, hc-inc, mmhc,
        h2pc.
    order_search : str
        The search that finds the stable order: hc, as in the paper, or tabu; by default hc. Only of tabu-stable, hc-
        stable.
    test : str | None
        The test of independence: mi, mi-adf or x2 for categorical data, by default mi; cor, zf or mi-g for continuous
        data, by default cor; mi-cg for mixed data, which equals mi or mi-g for columns of one kind. Only of pc-stable,
        gs, inter-iamb, mmhc, h2pc.
    alpha : float
        Variables count as independent if the p-value of the test is above it; by default 0.05. Only of pc-stable, gs,
        inter-iamb, mmhc, h2pc.
    max_condition : int | None
        Most variables to condition on in a test. Only of pc-stable, gs, inter-iamb, mmhc, h2pc.
    order : str
        Whether ties are broken by the canonical order of the data (stable), or by the order of the columns, as in other
        tools (given); by default stable. Only of pc-stable, gs, inter-iamb, mmhc, h2pc, fges.
    faithfulness : bool
        In the first round, insert only edges between variables that are marginally dependent. Only of fges.
    phases : str
        How FGES uses its operators. xges: deletions first, then turns, then insertions, and at the end every edge is
        deleted once to search on from there, as in XGES; fges: all insertions, then all deletions, as in Tetrad; by
        default xges. Only of fges.
    effort : str
        Amount of work of the search for the best graph: low, normal or high. Or auto: without an algorithm low; else
        normal; by default auto. Only of best.
    max_sets : int
        Most parent sets to score. If more are needed, larger sets are left out, and a warning says so; by default
        50000000. Only of exact.
    resamples : int
        Number of bootstrap samples of the rows that are averaged over; by default 50. Only of averaged.
    resample_seed : int
        Seed of the bootstrap samples; the same seed draws the same rows on every machine. Only of averaged.
    kinds : Mapping[Hashable, Kind] | Kind | None
        The kinds of columns, categorical or continuous, if types and values do not determine them: a dict by name, in
        which ... stands for all others; or one kind for all columns that can have it.
    levels : Mapping[Any, Sequence[Any]] | Sequence[str] | str | None
        Levels that count in scores and parameters even if no row has them: a dict of lists by name (on the command line
        smoke=no,yes,unknown), or declared, for the categories of pandas, Arrow or polars Enum columns. By default
        levels are the values that occur.
    missing : str
        Missing values: error, drop (the rows), level (a level of its own) or available (each variable is learned from
        the rows in which it and its parents are known); by default error.
    columns : Sequence[Hashable] | str | None
        The columns to use, with commas between their names; by default all.
    drop : Sequence[Hashable] | str | None
        Columns to leave out, with commas between their names.
    keep : Sequence[Hashable] | str | None
        Columns to learn from even if they look like ids, free text or dates, with commas between their names.
    sep : str | None
        The separator of a text file, for instance ; or \t for a tab; by default recognised.
    decimal : str | None
        The decimal mark of a text file, a point or a comma; by default recognised.
    encoding : str | None
        The encoding of a text file, for instance utf-8 or cp1252; by default recognised.
    na_values : Sequence[str] | str | None
        The texts of a file that stand for a missing value, in quotes or not, with commas between them. An empty field
        is always missing; "" means that no text is. By default NA, NULL, NaN and similar texts, unless they are in
        quotes, and ?, - or . on their own.
    threads : int | None
        The number of threads, by default one per core. The answer does not depend on it.
    discretise : str | None
        Make continuous columns categorical: by quantile (equal counts), interval (equal widths) or information (which
        keeps the mutual information of columns).
    bins : int | None
        With discretise: the number of bins per column, from 2 to 100; by default 3.
    unit_free : bool | None
        Continuous data: learn only from rounded correlations, so that no change of units or signs can change the graph;
        the trace has the scores of standardised columns. By default yes, except for bge, whose prior has units. If not,
        variances take part in ordering the variables, as in the paper, and the last digits of scores differ.
    start : object
        The graph from which every search starts: a DAG, arcs or the file of a graph; by default the empty graph. Only
        of tabu-stable, hc-stable, tabu, hc, tabu-dec, tabu-inc, hc-dec, hc-inc, fges.
    required : object
        Arcs that the graph must have: pairs (from, to), a frame with columns from and to, a graph or a CSV file; on the
        command line from:to, or from->to if a name has a colon, or the CSV file.
    forbidden : object
        Arcs that the graph must not have, written like required arcs.
    tiers : Sequence[Sequence[Hashable]] | None
        Lists of variables, the earliest first: no arc goes from a later list to an earlier one. On the command line,
        repeat the option for each list, with commas between the names.
    knowledge : object
        More background knowledge of the graph: a stablebn.Knowledge, a dict of its parts, a TOML or CSV file, a frame
        with columns from and to, a networkx graph, or a list of these.
    duplicates : str
        Identical columns, and copies in another unit: keep, merge or error; by default keep.
    engine : str | None
        Where to count: gpu, on the GPU of this machine (extra gpu), or dask, on the workers of a Dask cluster, which
        read the table and keep its rows (extra dask). By default on the processor. The answer does not depend on it.
    client : object
        With engine dask: the distributed.Client of the cluster, or the address of its scheduler. On the command line
        the address is enough. The table is a Dask dataframe, or Parquet or Arrow files that the workers can read.

    Returns
    -------
    Bootstrap

    Examples
    --------
    >>> import stablebn as sb
    >>> found = sb.bootstrap(sb.read_network("asia").sample(500, seed=1), replicates=50)
    >>> found.edge("smoke", "lung").frequency > found.threshold
    True
    """

def check(
    data: object,
    *,
    names: Sequence[Hashable] | None = None,
    weights: object = None,
    kinds: Mapping[Hashable, Kind] | Kind | None = None,
    levels: Mapping[Any, Sequence[Any]] | Sequence[str] | str | None = None,
    missing: str = "error",
    columns: Sequence[Hashable] | str | None = None,
    drop: Sequence[Hashable] | str | None = None,
    keep: Sequence[Hashable] | str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    na_values: Sequence[str] | str | None = None,
    threads: int | None = None,
    discretise: str | None = None,
    bins: int | None = None,
    unit_free: bool | None = None,
) -> Check:
    r"""Check a table for problems before learning.

    Report the kind of each column with the reason, problems that prevent learning, missing values, constants, copies,
    columns that are functions of others, ids, rare levels, nearly collinear columns, and an estimate of the time that
    learning takes. The options are the fields of `stablebn.api.arguments.CheckArguments`; `help(stablebn.check)`
    describes them.

    Parameters
    ----------
    data : object
        The table: pandas, polars, PyArrow, a NumPy array with names, a dict of columns, or the path of a file: CSV and
        other text, Excel, JSON lines, SQLite, DuckDB, Parquet, Feather. A folder or pattern of Parquet or CSV files, or
        an iterator of PyArrow batches, is read in parts; a Dask dataframe is read by its cluster.
    names : Sequence[Hashable] | None
        Column names of a NumPy array.
    weights : object
        The number of rows that each row stands for: integers, or the name of a column.
    kinds : Mapping[Hashable, Kind] | Kind | None
        The kinds of columns, categorical or continuous, if types and values do not determine them: a dict by name, in
        which ... stands for all others; or one kind for all columns that can have it.
    levels : Mapping[Any, Sequence[Any]] | Sequence[str] | str | None
        Levels that count in scores and parameters even if no row has them: a dict of lists by name (on the command line
        smoke=no,yes,unknown), or declared, for the categories of pandas, Arrow or polars Enum columns. By default
        levels are the values that occur.
    missing : str
        Missing values: error, drop (the rows), level (a level of its own) or available (each variable is learned from
        the rows in which it and its parents are known); by default error.
    columns : Sequence[Hashable] | str | None
        The columns to use, with commas between their names; by default all.
    drop : Sequence[Hashable] | str | None
        Columns to leave out, with commas between their names.
    keep : Sequence[Hashable] | str | None
        Columns to learn from even if they look like ids, free text or dates, with commas between their names.
    sep : str | None
        The separator of a text file, for instance ; or \t for a tab; by default recognised.
    decimal : str | None
        The decimal mark of a text file, a point or a comma; by default recognised.
    encoding : str | None
        The encoding of a text file, for instance utf-8 or cp1252; by default recognised.
    na_values : Sequence[str] | str | None
        The texts of a file that stand for a missing value, in quotes or not, with commas between them. An empty field
        is always missing; "" means that no text is. By default NA, NULL, NaN and similar texts, unless they are in
        quotes, and ?, - or . on their own.
    threads : int | None
        The number of threads, by default one per core. The answer does not depend on it.
    discretise : str | None
        Make continuous columns categorical: by quantile (equal counts), interval (equal widths) or information (which
        keeps the mutual information of columns).
    bins : int | None
        With discretise: the number of bins per column, from 2 to 100; by default 3.
    unit_free : bool | None
        Continuous data: learn only from rounded correlations, so that no change of units or signs can change the graph;
        the trace has the scores of standardised columns. By default yes, except for bge, whose prior has units. If not,
        variances take part in ordering the variables, as in the paper, and the last digits of scores differ.

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

def ci_test(
    data: object,
    x: Hashable,
    y: Hashable,
    given: Iterable[Hashable] | Hashable = (),
    test: str | None = None,
    *,
    names: Sequence[Hashable] | None = None,
    weights: object = None,
    kinds: Mapping[Hashable, Kind] | Kind | None = None,
    levels: Mapping[Any, Sequence[Any]] | Sequence[str] | str | None = None,
    missing: str = "error",
    columns: Sequence[Hashable] | str | None = None,
    drop: Sequence[Hashable] | str | None = None,
    keep: Sequence[Hashable] | str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    na_values: Sequence[str] | str | None = None,
    threads: int | None = None,
    discretise: str | None = None,
    bins: int | None = None,
    unit_free: bool | None = None,
) -> CITest:
    r"""Test whether two variables are conditionally independent given other variables.

    Parameters
    ----------
    data : object
        The table: pandas, polars, PyArrow, a NumPy array with names, a dict of columns, or the path of a file: CSV and
        other text, Excel, JSON lines, SQLite, DuckDB, Parquet, Feather. A folder or pattern of Parquet or CSV files, or
        an iterator of PyArrow batches, is read in parts; a Dask dataframe is read by its cluster.
    x : Hashable
        A column.
    y : Hashable
        Another column.
    given : Iterable[Hashable] | Hashable
        The columns to condition on, or the name of one column; by default ().
    test : str | None
        Categorical data: mi (G2, the default), mi-adf (G2 with adjusted degrees of freedom) or x2 (Pearson). Continuous
        data: cor (exact t test of the partial correlation, the default), zf (Fisher's z) or mi-g (Gaussian mutual
        information). Mixed data: mi-cg (conditional Gaussian mutual information).
    names : Sequence[Hashable] | None
        Column names of a NumPy array.
    weights : object
        The number of rows that each row stands for: integers, or the name of a column.
    kinds : Mapping[Hashable, Kind] | Kind | None
        The kinds of columns, categorical or continuous, if types and values do not determine them: a dict by name, in
        which ... stands for all others; or one kind for all columns that can have it.
    levels : Mapping[Any, Sequence[Any]] | Sequence[str] | str | None
        Levels that count in scores and parameters even if no row has them: a dict of lists by name (on the command line
        smoke=no,yes,unknown), or declared, for the categories of pandas, Arrow or polars Enum columns. By default
        levels are the values that occur.
    missing : str
        Missing values: error, drop (the rows), level (a level of its own) or available (each variable is learned from
        the rows in which it and its parents are known); by default error.
    columns : Sequence[Hashable] | str | None
        The columns to use, with commas between their names; by default all.
    drop : Sequence[Hashable] | str | None
        Columns to leave out, with commas between their names.
    keep : Sequence[Hashable] | str | None
        Columns to learn from even if they look like ids, free text or dates, with commas between their names.
    sep : str | None
        The separator of a text file, for instance ; or \t for a tab; by default recognised.
    decimal : str | None
        The decimal mark of a text file, a point or a comma; by default recognised.
    encoding : str | None
        The encoding of a text file, for instance utf-8 or cp1252; by default recognised.
    na_values : Sequence[str] | str | None
        The texts of a file that stand for a missing value, in quotes or not, with commas between them. An empty field
        is always missing; "" means that no text is. By default NA, NULL, NaN and similar texts, unless they are in
        quotes, and ?, - or . on their own.
    threads : int | None
        The number of threads, by default one per core. The answer does not depend on it.
    discretise : str | None
        Make continuous columns categorical: by quantile (equal counts), interval (equal widths) or information (which
        keeps the mutual information of columns).
    bins : int | None
        With discretise: the number of bins per column, from 2 to 100; by default 3.
    unit_free : bool | None
        Continuous data: test rounded correlations, so that no change of units can change the answer, and a change of
        sign only the sign of the statistic. By default yes; otherwise correlations have all their digits.

    Returns
    -------
    CITest

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(1000, seed=1)
    >>> sb.ci_test(table, "smoke", "xray", given="either").independent()
    True
    """

def compare(
    learned: object,
    true: object,
    *,
    as_cpdag: bool = True,
    sid: bool = False,
) -> Comparison:
    """Compare a learned graph with the true one; nodes are matched by name.

    Parameters
    ----------
    learned, true : DAG, PDAG, result, network, networkx graph, path or name
        The path of a file that `stablebn.read_graph` reads, or the name of a network, such as "alarm".
    as_cpdag : bool
        Compare the CPDAGs of both graphs; if false, compare the graphs themselves.
    sid : bool
        Compute the structural intervention distance too, always of the DAGs themselves. This needs the extra `sid`.

    Returns
    -------
    Comparison
        Counts and ratios for edges, the skeleton and arrowheads, and the edges that differ.

    Examples
    --------
    >>> import stablebn as sb
    >>> result = sb.learn(sb.read_network("asia").sample(1000, seed=1))
    >>> found = sb.compare(result, "asia")
    >>> found.skeleton.precision, found.skeleton.recall
    (1.0, 0.875)
    """

def cross_validate(
    data: object,
    algorithm: str = "auto",
    *,
    folds: int = 10,
    seed: int = 0,
    smoothing: float = 1.0,
    progress: Callable[[int, int], None] | None = None,
    score: str = "auto",
    names: Sequence[Hashable] | None = None,
    weights: object = None,
    memory: str | int | None = None,
    cache: str | os.PathLike[str] | None = None,
    k: float = 1.0,
    iss: float = 1.0,
    iss_mu: float = 1.0,
    iss_w: int | None = None,
    prior: str = "auto",
    arcs: str | None = None,
    basis_form: str | None = None,
    basis_degree: int | None = None,
    basis_transform: str = "rank",
    tabu: int = 10,
    noinc: int | None = None,
    max_parents: int | Mapping[Hashable, int] | None = None,
    max_iter: int | None = None,
    order_search: str = "hc",
    test: str | None = None,
    alpha: float = 0.05,
    max_condition: int | None = None,
    order: str = "stable",
    faithfulness: bool = False,
    phases: str = "xges",
    effort: str = "auto",
    max_sets: int = 50000000,
    resamples: int = 50,
    resample_seed: int = 0,
    kinds: Mapping[Hashable, Kind] | Kind | None = None,
    levels: Mapping[Any, Sequence[Any]] | Sequence[str] | str | None = None,
    missing: str = "error",
    columns: Sequence[Hashable] | str | None = None,
    drop: Sequence[Hashable] | str | None = None,
    keep: Sequence[Hashable] | str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    na_values: Sequence[str] | str | None = None,
    threads: int | None = None,
    discretise: str | None = None,
    bins: int | None = None,
    unit_free: bool | None = None,
    start: object = None,
    required: object = None,
    forbidden: object = None,
    tiers: Sequence[Sequence[Hashable]] | None = None,
    knowledge: object = None,
    duplicates: str = "keep",
    checkpoint: str | os.PathLike[str] | None = None,
    engine: str | None = None,
    client: object = None,
) -> CrossValidation:
    r"""Estimate how well a learned network predicts: learn without some rows, and compute how likely these rows are.

    The folds are a function of the table and the seed: the same in every layout, under all names, labels and units, for
    every algorithm and score. So results of several algorithms can be compared fold by fold.

    Parameters
    ----------
    data
        As in `learn`.
    algorithm : str
        The name of an algorithm.
    folds : int
        The number of parts into which the rows are split; their sizes differ by at most one.
    seed : int
        The same seed makes the same folds, on every machine.
    smoothing : float
        The imaginary sample size with which probabilities are estimated, as in ``fit(method="bde", iss=smoothing)``:
        no held-out row is impossible. The levels of a column are those of the complete table, or those declared.
    progress : callable
        Called with how many folds are done and how many there are, not always from the same thread.
    **options
        Those of `learn` except `max_time`. `threads` is how many folds are learned at once. `discretise` cuts the
        complete table once: the likelihood is that of the bins.
    score : str
        The score (for constraint-based algorithms, the score of the learned graph): bic, aic or loglik; dg (degenerate
        Gaussian) and adaptive (the best of several models per family), for mixed data; bde, bds, k2 or qnml for
        categorical data; bge for continuous data; basis, for data with nonlinear relations. Or auto: that of a result
        that is scored; without an algorithm by the table; else bic; by default auto.
    names : Sequence[Hashable] | None
        Column names of a NumPy array.
    weights : object
        The number of rows that each row stands for: integers, or the name of a column.
    memory : str | int | None
        Read the table in parts and learn from it in blocks, with at most this memory for its rows: 2GiB, 512MB, or a
        number of bytes. For text (CSV), Parquet and Arrow files that are larger than memory, and folders and patterns
        of them. The answer does not depend on it.
    cache : str | os.PathLike[str] | None
        A folder that keeps a table which is read in parts, so that it need not be read again. By default a temporary
        folder, which is removed.
    k : float
        Multiplier of the penalty of bic, aic, dg, basis and adaptive; by default 1.0.
    iss : float
        Imaginary sample size of bde and bds; by default 1.0.
    iss_mu : float
        Imaginary sample size of bge for the mean; by default 1.0.
    iss_w : int | None
        Imaginary sample size of bge for the precision matrix, by default the number of variables + 2.
    prior : str
        The prior over graphs: uniform, or size: every arc costs ln p nats, where p is the number of variables that are
        not constant, because p variables compete to be a parent. Or auto: that of a result that is scored; without an
        algorithm by the table; else uniform; by default auto.
    arcs : str | None
        Mixed data: clg, no arc from a continuous to a categorical variable (conditional linear Gaussian networks), or
        any; by default clg, with the scores dg, basis and adaptive any. It has no effect on other data, which have no
        such arcs.
    basis_form : str | None
        The score basis: additive, a continuous variable is regressed on functions of each of its parents (not score
        equivalent); or block, variables with all their functions are jointly Gaussian (score equivalent). By default
        additive for continuous data, block for mixed data.
    basis_degree : int | None
        Degree of the polynomials of the score basis, by default 5 for the additive form and 3 for the block form.
    basis_transform : str
        The transformation before the polynomials of the score basis: rank, normal scores of the ranks, which no
        monotone function of a column changes; or bounded, x / sqrt(1 + x**2 / 4) of standardised values x; by default
        rank.
    tabu : int
        Length of the tabu list; by default 10. Only of tabu-stable, tabu, tabu-dec, tabu-inc.
    noinc : int | None
        Moves without improvement that are tolerated, by default the value of tabu. Only of tabu-stable, tabu, tabu-dec,
        tabu-inc.
    max_parents : int | Mapping[Hashable, int] | None
        Most parents of a variable: a number for all, or a dict by name, in which ... stands for all others; on the
        command line 3 or name=3. Only of tabu-stable, hc-stable, tabu, hc, tabu-dec, tabu-inc, hc-dec, hc-inc, mmhc,
        h2pc, fges, best, averaged, exact.
    max_iter : int | None
        Most steps of a search. Only of tabu-stable, hc-stable, tabu, hc, tabu-dec, tabu-inc, hc-dec, hc-inc, mmhc,
        h2pc.
    order_search : str
        The search that finds the stable order: hc, as in the paper, or tabu; by default hc. Only of tabu-stable, hc-
        stable.
    test : str | None
        The test of independence: mi, mi-adf or x2 for categorical data, by default mi; cor, zf or mi-g for continuous
        data, by default cor; mi-cg for mixed data, which equals mi or mi-g for columns of one kind. Only of pc-stable,
        gs, inter-iamb, mmhc, h2pc.
    alpha : float
        Variables count as independent if the p-value of the test is above it; by default 0.05. Only of pc-stable, gs,
        inter-iamb, mmhc, h2pc.
    max_condition : int | None
        Most variables to condition on in a test. Only of pc-stable, gs, inter-iamb, mmhc, h2pc.
    order : str
        Whether ties are broken by the canonical order of the data (stable), or by the order of the columns, as in other
        tools (given); by default stable. Only of pc-stable, gs, inter-iamb, mmhc, h2pc, fges.
    faithfulness : bool
        In the first round, insert only edges between variables that are marginally dependent. Only of fges.
    phases : str
        How FGES uses its operators. xges: deletions first, then turns, then insertions, and at the end every edge is
        deleted once to search on from there, as in XGES; fges: all insertions, then all deletions, as in Tetrad; by
        default xges. Only of fges.
    effort : str
        Amount of work of the search for the best graph: low, normal or high. Or auto: without an algorithm low; else
        normal; by default auto. Only of best.
    max_sets : int
        Most parent sets to score. If more are needed, larger sets are left out, and a warning says so; by default
        50000000. Only of exact.
    resamples : int
        Number of bootstrap samples of the rows that are averaged over; by default 50. Only of averaged.
    resample_seed : int
        Seed of the bootstrap samples; the same seed draws the same rows on every machine. Only of averaged.
    kinds : Mapping[Hashable, Kind] | Kind | None
        The kinds of columns, categorical or continuous, if types and values do not determine them: a dict by name, in
        which ... stands for all others; or one kind for all columns that can have it.
    levels : Mapping[Any, Sequence[Any]] | Sequence[str] | str | None
        Levels that count in scores and parameters even if no row has them: a dict of lists by name (on the command line
        smoke=no,yes,unknown), or declared, for the categories of pandas, Arrow or polars Enum columns. By default
        levels are the values that occur.
    missing : str
        Missing values: error, drop (the rows), level (a level of its own) or available (each variable is learned from
        the rows in which it and its parents are known); by default error.
    columns : Sequence[Hashable] | str | None
        The columns to use, with commas between their names; by default all.
    drop : Sequence[Hashable] | str | None
        Columns to leave out, with commas between their names.
    keep : Sequence[Hashable] | str | None
        Columns to learn from even if they look like ids, free text or dates, with commas between their names.
    sep : str | None
        The separator of a text file, for instance ; or \t for a tab; by default recognised.
    decimal : str | None
        The decimal mark of a text file, a point or a comma; by default recognised.
    encoding : str | None
        The encoding of a text file, for instance utf-8 or cp1252; by default recognised.
    na_values : Sequence[str] | str | None
        The texts of a file that stand for a missing value, in quotes or not, with commas between them. An empty field
        is always missing; "" means that no text is. By default NA, NULL, NaN and similar texts, unless they are in
        quotes, and ?, - or . on their own.
    threads : int | None
        The number of threads, by default one per core. The answer does not depend on it.
    discretise : str | None
        Make continuous columns categorical: by quantile (equal counts), interval (equal widths) or information (which
        keeps the mutual information of columns).
    bins : int | None
        With discretise: the number of bins per column, from 2 to 100; by default 3.
    unit_free : bool | None
        Continuous data: learn only from rounded correlations, so that no change of units or signs can change the graph;
        the trace has the scores of standardised columns. By default yes, except for bge, whose prior has units. If not,
        variances take part in ordering the variables, as in the paper, and the last digits of scores differ.
    start : object
        The graph from which every search starts: a DAG, arcs or the file of a graph; by default the empty graph. Only
        of tabu-stable, hc-stable, tabu, hc, tabu-dec, tabu-inc, hc-dec, hc-inc, fges.
    required : object
        Arcs that the graph must have: pairs (from, to), a frame with columns from and to, a graph or a CSV file; on the
        command line from:to, or from->to if a name has a colon, or the CSV file.
    forbidden : object
        Arcs that the graph must not have, written like required arcs.
    tiers : Sequence[Sequence[Hashable]] | None
        Lists of variables, the earliest first: no arc goes from a later list to an earlier one. On the command line,
        repeat the option for each list, with commas between the names.
    knowledge : object
        More background knowledge of the graph: a stablebn.Knowledge, a dict of its parts, a TOML or CSV file, a frame
        with columns from and to, a networkx graph, or a list of these.
    duplicates : str
        Identical columns, and copies in another unit: keep, merge or error; by default keep.
    checkpoint : str | os.PathLike[str] | None
        A file to which the search writes its progress, every few seconds and when it ends. If the file exists, the same
        search continues from it and gives the same answer.
    engine : str | None
        Where to count: gpu, on the GPU of this machine (extra gpu), or dask, on the workers of a Dask cluster, which
        read the table and keep its rows (extra dask). By default on the processor. The answer does not depend on it.
    client : object
        With engine dask: the distributed.Client of the cluster, or the address of its scheduler. On the command line
        the address is enough. The table is a Dask dataframe, or Parquet or Arrow files that the workers can read.

    Returns
    -------
    CrossValidation

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(500, seed=1)
    >>> tabu, empty = sb.cross_validate(table, "tabu"), sb.cross_validate(table, "tabu", max_iter=0)
    >>> found = tabu.difference(empty)
    >>> found.mean > 10 * found.standard_error
    True
    """

def discretise(
    data: object,
    method: str = "quantile",
    bins: int = 3,
    *,
    names: Sequence[Hashable] | None = None,
    weights: object = None,
    kinds: Mapping[Hashable, Kind] | Kind | None = None,
    levels: Mapping[Any, Sequence[Any]] | Sequence[str] | str | None = None,
    missing: str = "available",
    columns: Sequence[Hashable] | str | None = None,
    drop: Sequence[Hashable] | str | None = None,
    keep: Sequence[Hashable] | str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    na_values: Sequence[str] | str | None = None,
    threads: int | None = None,
    cuts: Mapping[Name, Sequence[float]] | None = None,
) -> Discretised:
    r"""Make the continuous columns of a table categorical.

    The bin of a value depends only on the values, not on the order of rows and columns, the names or the machine.
    Equal values share a bin, no bin is empty, and missing values stay missing. A column with at most `bins` distinct
    values has a bin for each of them. Cut points are rounded to as few digits as possible without moving a value to
    another bin. Categorical columns, and columns of other types, stay unchanged; columns that are not used are left
    out.

    Parameters
    ----------
    data : object
        The table: pandas, polars, PyArrow, a NumPy array with names, a dict of columns, or the path of a file: CSV and
        other text, Excel, JSON lines, SQLite, DuckDB, Parquet, Feather. A folder or pattern of Parquet or CSV files, or
        an iterator of PyArrow batches, is read in parts; a Dask dataframe is read by its cluster.
    method : str
        quantile: bins of equally many rows, as nearly as equal values allow; if many values are equal, there may be
        fewer bins. interval: bins of equal width between the least and the greatest value, without empty ones.
        information: start with quantiles, 20 or twice bins if that is more, and merge neighbours so that the columns,
        categorical ones included, keep as much mutual information as possible (Hartemink's method); by default
        quantile.
    bins : int
        The number of bins, from 2 to 100. Three are low, middle and high: the number of cells is a product over
        parents, so that few bins find more arcs in all but large tables; by default 3.
    names : Sequence[Hashable] | None
        Column names of a NumPy array.
    weights : object
        The number of rows that each row stands for: integers, or the name of a column.
    kinds : Mapping[Hashable, Kind] | Kind | None
        The kinds of columns, categorical or continuous, if types and values do not determine them: a dict by name, in
        which ... stands for all others; or one kind for all columns that can have it.
    levels : Mapping[Any, Sequence[Any]] | Sequence[str] | str | None
        Levels that count in scores and parameters even if no row has them: a dict of lists by name (on the command line
        smoke=no,yes,unknown), or declared, for the categories of pandas, Arrow or polars Enum columns. By default
        levels are the values that occur.
    missing : str
        Missing values: available (they stay missing), level (they stay missing, and count as a level of categorical
        columns for the method information), drop (leave out their rows) or error; by default available.
    columns : Sequence[Hashable] | str | None
        The columns to use, with commas between their names; by default all.
    drop : Sequence[Hashable] | str | None
        Columns to leave out, with commas between their names.
    keep : Sequence[Hashable] | str | None
        Columns to learn from even if they look like ids, free text or dates, with commas between their names.
    sep : str | None
        The separator of a text file, for instance ; or \t for a tab; by default recognised.
    decimal : str | None
        The decimal mark of a text file, a point or a comma; by default recognised.
    encoding : str | None
        The encoding of a text file, for instance utf-8 or cp1252; by default recognised.
    na_values : Sequence[str] | str | None
        The texts of a file that stand for a missing value, in quotes or not, with commas between them. An empty field
        is always missing; "" means that no text is. By default NA, NULL, NaN and similar texts, unless they are in
        quotes, and ?, - or . on their own.
    threads : int | None
        The number of threads, by default one per core. The answer does not depend on it.
    cuts : Mapping[Name, Sequence[float]] | None
        Cut points by column, for instance cuts of a result, in place of a method. Only these columns are changed.

    Returns
    -------
    Discretised
        Its `data` is a table of the given type: pandas, polars and PyArrow tables have a column of categories for each
        continuous one, dicts have lists of text. A file becomes a PyArrow table, a NumPy array becomes a dict.

    References
    ----------
    Hartemink, "Principled computational methods for the validation and discovery of genetic regulatory networks",
    MIT 2001, on discretisation that keeps pairwise mutual information.

    Examples
    --------
    >>> import stablebn as sb
    >>> table = {"age": [31.5, 22.0, 64.2, 47.0], "smoker": ["no", "no", "yes", "no"]}
    >>> found = sb.discretise(table, bins=2)
    >>> found.data
    {'age': ['1: below 40', '1: below 40', '2: 40 or more', '2: 40 or more'], 'smoker': ['no', 'no', 'yes', 'no']}
    >>> found.cuts
    {'age': (40.0,)}
    >>> found.apply({"age": [50.0]})
    {'age': ['2: 40 or more']}
    """

def fit(
    graph: object,
    data: object,
    *,
    names: Sequence[Hashable] | None = None,
    weights: object = None,
    kinds: Mapping[Hashable, Kind] | Kind | None = None,
    levels: Mapping[Any, Sequence[Any]] | Sequence[str] | str | None = None,
    missing: str = "error",
    columns: Sequence[Hashable] | str | None = None,
    drop: Sequence[Hashable] | str | None = None,
    keep: Sequence[Hashable] | str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    na_values: Sequence[str] | str | None = None,
    threads: int | None = None,
    discretise: str | None = None,
    bins: int | None = None,
    method: str = "ml",
    iss: float = 1.0,
    unseen: str = "uniform",
) -> Network:
    r"""Estimate the parameters of a graph.

    If a result was learned with `discretise` or `levels`, its cut points and levels are used for the table, unless
    others are given; also for rows whose likelihood under the network is computed. With "ml", a declared level that no
    row has gets probability 0.

    Parameters
    ----------
    graph : object
        A DAG, Result, networkx DiGraph, or list of arcs. No arc may go from a continuous column to a categorical one:
        there is no distribution for it.
    data : object
        The table: pandas, polars, PyArrow, a NumPy array with names, a dict of columns, or the path of a file: CSV and
        other text, Excel, JSON lines, SQLite, DuckDB, Parquet, Feather. A folder or pattern of Parquet or CSV files, or
        an iterator of PyArrow batches, is read in parts; a Dask dataframe is read by its cluster.
    names : Sequence[Hashable] | None
        Column names of a NumPy array.
    weights : object
        The number of rows that each row stands for: integers, or the name of a column.
    kinds : Mapping[Hashable, Kind] | Kind | None
        The kinds of columns, categorical or continuous, if types and values do not determine them: a dict by name, in
        which ... stands for all others; or one kind for all columns that can have it.
    levels : Mapping[Any, Sequence[Any]] | Sequence[str] | str | None
        Levels that count in scores and parameters even if no row has them: a dict of lists by name (on the command line
        smoke=no,yes,unknown), or declared, for the categories of pandas, Arrow or polars Enum columns. By default
        levels are the values that occur.
    missing : str
        Missing values: error, drop (the rows), level (a level of its own) or available (each variable is learned from
        the rows in which it and its parents are known); by default error.
    columns : Sequence[Hashable] | str | None
        The columns to use, with commas between their names; by default all.
    drop : Sequence[Hashable] | str | None
        Columns to leave out, with commas between their names.
    keep : Sequence[Hashable] | str | None
        Columns to learn from even if they look like ids, free text or dates, with commas between their names.
    sep : str | None
        The separator of a text file, for instance ; or \t for a tab; by default recognised.
    decimal : str | None
        The decimal mark of a text file, a point or a comma; by default recognised.
    encoding : str | None
        The encoding of a text file, for instance utf-8 or cp1252; by default recognised.
    na_values : Sequence[str] | str | None
        The texts of a file that stand for a missing value, in quotes or not, with commas between them. An empty field
        is always missing; "" means that no text is. By default NA, NULL, NaN and similar texts, unless they are in
        quotes, and ?, - or . on their own.
    threads : int | None
        The number of threads, by default one per core. The answer does not depend on it.
    discretise : str | None
        Make continuous columns categorical: by quantile (equal counts), interval (equal widths) or information (which
        keeps the mutual information of columns).
    bins : int | None
        With discretise: the number of bins per column, from 2 to 100; by default 3.
    method : str
        ml, maximum likelihood, or bde, for categorical nodes the mean of the posterior with the BDeu prior of iss.
        Continuous nodes have least squares in each configuration of their categorical parents. The noise variance is
        RSS / (N - 1) if all columns that vary are continuous, and RSS / n of the n rows of the configuration in a mixed
        table: in both the log-likelihood of these rows is the loglik score of the graph; by default ml.
    iss : float
        Imaginary sample size of bde; by default 1.0.
    unseen : str
        With ml, the distribution of a categorical node if no row has the configuration of its parents: uniform,
        marginal, or error. A continuous node has the regression of all rows if a configuration of its categorical
        parents has too few rows, or with error an error. The warnings of the network name these nodes; by default
        uniform.

    Returns
    -------
    Network

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(1000, seed=1)
    >>> sb.fit([("smoke", "lung"), ("smoke", "bronc")], table, columns=["smoke", "lung", "bronc"])
    <Network '': 3 categorical nodes, 2 arcs>
    """

def learn(
    data: object,
    algorithm: str = "auto",
    score: str = "auto",
    *,
    names: Sequence[Hashable] | None = None,
    weights: object = None,
    memory: str | int | None = None,
    cache: str | os.PathLike[str] | None = None,
    k: float = 1.0,
    iss: float = 1.0,
    iss_mu: float = 1.0,
    iss_w: int | None = None,
    prior: str = "auto",
    arcs: str | None = None,
    basis_form: str | None = None,
    basis_degree: int | None = None,
    basis_transform: str = "rank",
    tabu: int = 10,
    noinc: int | None = None,
    max_parents: int | Mapping[Hashable, int] | None = None,
    max_iter: int | None = None,
    order_search: str = "hc",
    test: str | None = None,
    alpha: float = 0.05,
    max_condition: int | None = None,
    order: str = "stable",
    faithfulness: bool = False,
    phases: str = "xges",
    effort: str = "auto",
    max_sets: int = 50000000,
    resamples: int = 50,
    resample_seed: int = 0,
    max_time: float | None = None,
    kinds: Mapping[Hashable, Kind] | Kind | None = None,
    levels: Mapping[Any, Sequence[Any]] | Sequence[str] | str | None = None,
    missing: str = "error",
    columns: Sequence[Hashable] | str | None = None,
    drop: Sequence[Hashable] | str | None = None,
    keep: Sequence[Hashable] | str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    na_values: Sequence[str] | str | None = None,
    threads: int | None = None,
    discretise: str | None = None,
    bins: int | None = None,
    unit_free: bool | None = None,
    start: object = None,
    required: object = None,
    forbidden: object = None,
    tiers: Sequence[Sequence[Hashable]] | None = None,
    knowledge: object = None,
    duplicates: str = "keep",
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool | None = None,
    engine: str | None = None,
    client: object = None,
    progress: Callable[[str, int], None] | None = None,
) -> Result:
    r"""Learn the structure of a Bayesian network from a table.

    The options are the fields of `stablebn.api.arguments.LearnArguments`; `help(stablebn.learn)` describes them.

    Parameters
    ----------
    data : object
        The table: pandas, polars, PyArrow, a NumPy array with names, a dict of columns, or the path of a file: CSV and
        other text, Excel, JSON lines, SQLite, DuckDB, Parquet, Feather. A folder or pattern of Parquet or CSV files, or
        an iterator of PyArrow batches, is read in parts; a Dask dataframe is read by its cluster.
    algorithm : str
        The algorithm: tabu-stable, hc-stable, tabu, hc, tabu-dec, tabu-inc, hc-dec, hc-inc, pc-stable, gs, inter-iamb,
        mmhc, h2pc, fges, best, averaged, exact; or auto, the most accurate one, best, with a score and a prior that are
        chosen for the table unless they are given (the result says which, and why); by default auto.
    score : str
        The score (for constraint-based algorithms, the score of the learned graph): bic, aic or loglik; dg (degenerate
        Gaussian) and adaptive (the best of several models per family), for mixed data; bde, bds, k2 or qnml for
        categorical data; bge for continuous data; basis, for data with nonlinear relations. Or auto: that of a result
        that is scored; without an algorithm by the table; else bic; by default auto.
    names : Sequence[Hashable] | None
        Column names of a NumPy array.
    weights : object
        The number of rows that each row stands for: integers, or the name of a column.
    memory : str | int | None
        Read the table in parts and learn from it in blocks, with at most this memory for its rows: 2GiB, 512MB, or a
        number of bytes. For text (CSV), Parquet and Arrow files that are larger than memory, and folders and patterns
        of them. The answer does not depend on it.
    cache : str | os.PathLike[str] | None
        A folder that keeps a table which is read in parts, so that it need not be read again. By default a temporary
        folder, which is removed.
    k : float
        Multiplier of the penalty of bic, aic, dg, basis and adaptive; by default 1.0.
    iss : float
        Imaginary sample size of bde and bds; by default 1.0.
    iss_mu : float
        Imaginary sample size of bge for the mean; by default 1.0.
    iss_w : int | None
        Imaginary sample size of bge for the precision matrix, by default the number of variables + 2.
    prior : str
        The prior over graphs: uniform, or size: every arc costs ln p nats, where p is the number of variables that are
        not constant, because p variables compete to be a parent. Or auto: that of a result that is scored; without an
        algorithm by the table; else uniform; by default auto.
    arcs : str | None
        Mixed data: clg, no arc from a continuous to a categorical variable (conditional linear Gaussian networks), or
        any; by default clg, with the scores dg, basis and adaptive any. It has no effect on other data, which have no
        such arcs.
    basis_form : str | None
        The score basis: additive, a continuous variable is regressed on functions of each of its parents (not score
        equivalent); or block, variables with all their functions are jointly Gaussian (score equivalent). By default
        additive for continuous data, block for mixed data.
    basis_degree : int | None
        Degree of the polynomials of the score basis, by default 5 for the additive form and 3 for the block form.
    basis_transform : str
        The transformation before the polynomials of the score basis: rank, normal scores of the ranks, which no
        monotone function of a column changes; or bounded, x / sqrt(1 + x**2 / 4) of standardised values x; by default
        rank.
    tabu : int
        Length of the tabu list; by default 10. Only of tabu-stable, tabu, tabu-dec, tabu-inc.
    noinc : int | None
        Moves without improvement that are tolerated, by default the value of tabu. Only of tabu-stable, tabu, tabu-dec,
        tabu-inc.
    max_parents : int | Mapping[Hashable, int] | None
        Most parents of a variable: a number for all, or a dict by name, in which ... stands for all others; on the
        command line 3 or name=3. Only of tabu-stable, hc-stable, tabu, hc, tabu-dec, tabu-inc, hc-dec, hc-inc, mmhc,
        h2pc, fges, best, averaged, exact.
    max_iter : int | None
        Most steps of a search. Only of tabu-stable, hc-stable, tabu, hc, tabu-dec, tabu-inc, hc-dec, hc-inc, mmhc,
        h2pc.
    order_search : str
        The search that finds the stable order: hc, as in the paper, or tabu; by default hc. Only of tabu-stable, hc-
        stable.
    test : str | None
        The test of independence: mi, mi-adf or x2 for categorical data, by default mi; cor, zf or mi-g for continuous
        data, by default cor; mi-cg for mixed data, which equals mi or mi-g for columns of one kind. Only of pc-stable,
        gs, inter-iamb, mmhc, h2pc.
    alpha : float
        Variables count as independent if the p-value of the test is above it; by default 0.05. Only of pc-stable, gs,
        inter-iamb, mmhc, h2pc.
    max_condition : int | None
        Most variables to condition on in a test. Only of pc-stable, gs, inter-iamb, mmhc, h2pc.
    order : str
        Whether ties are broken by the canonical order of the data (stable), or by the order of the columns, as in other
        tools (given); by default stable. Only of pc-stable, gs, inter-iamb, mmhc, h2pc, fges.
    faithfulness : bool
        In the first round, insert only edges between variables that are marginally dependent. Only of fges.
    phases : str
        How FGES uses its operators. xges: deletions first, then turns, then insertions, and at the end every edge is
        deleted once to search on from there, as in XGES; fges: all insertions, then all deletions, as in Tetrad; by
        default xges. Only of fges.
    effort : str
        Amount of work of the search for the best graph: low, normal or high. Or auto: without an algorithm low; else
        normal; by default auto. Only of best.
    max_sets : int
        Most parent sets to score. If more are needed, larger sets are left out, and a warning says so; by default
        50000000. Only of exact.
    resamples : int
        Number of bootstrap samples of the rows that are averaged over; by default 50. Only of averaged.
    resample_seed : int
        Seed of the bootstrap samples; the same seed draws the same rows on every machine. Only of averaged.
    max_time : float | None
        Seconds after which the search returns its result so far, with a warning. It depends on the machine.
    kinds : Mapping[Hashable, Kind] | Kind | None
        The kinds of columns, categorical or continuous, if types and values do not determine them: a dict by name, in
        which ... stands for all others; or one kind for all columns that can have it.
    levels : Mapping[Any, Sequence[Any]] | Sequence[str] | str | None
        Levels that count in scores and parameters even if no row has them: a dict of lists by name (on the command line
        smoke=no,yes,unknown), or declared, for the categories of pandas, Arrow or polars Enum columns. By default
        levels are the values that occur.
    missing : str
        Missing values: error, drop (the rows), level (a level of its own) or available (each variable is learned from
        the rows in which it and its parents are known); by default error.
    columns : Sequence[Hashable] | str | None
        The columns to use, with commas between their names; by default all.
    drop : Sequence[Hashable] | str | None
        Columns to leave out, with commas between their names.
    keep : Sequence[Hashable] | str | None
        Columns to learn from even if they look like ids, free text or dates, with commas between their names.
    sep : str | None
        The separator of a text file, for instance ; or \t for a tab; by default recognised.
    decimal : str | None
        The decimal mark of a text file, a point or a comma; by default recognised.
    encoding : str | None
        The encoding of a text file, for instance utf-8 or cp1252; by default recognised.
    na_values : Sequence[str] | str | None
        The texts of a file that stand for a missing value, in quotes or not, with commas between them. An empty field
        is always missing; "" means that no text is. By default NA, NULL, NaN and similar texts, unless they are in
        quotes, and ?, - or . on their own.
    threads : int | None
        The number of threads, by default one per core. The answer does not depend on it.
    discretise : str | None
        Make continuous columns categorical: by quantile (equal counts), interval (equal widths) or information (which
        keeps the mutual information of columns).
    bins : int | None
        With discretise: the number of bins per column, from 2 to 100; by default 3.
    unit_free : bool | None
        Continuous data: learn only from rounded correlations, so that no change of units or signs can change the graph;
        the trace has the scores of standardised columns. By default yes, except for bge, whose prior has units. If not,
        variances take part in ordering the variables, as in the paper, and the last digits of scores differ.
    start : object
        The graph from which every search starts: a DAG, arcs or the file of a graph; by default the empty graph. Only
        of tabu-stable, hc-stable, tabu, hc, tabu-dec, tabu-inc, hc-dec, hc-inc, fges.
    required : object
        Arcs that the graph must have: pairs (from, to), a frame with columns from and to, a graph or a CSV file; on the
        command line from:to, or from->to if a name has a colon, or the CSV file.
    forbidden : object
        Arcs that the graph must not have, written like required arcs.
    tiers : Sequence[Sequence[Hashable]] | None
        Lists of variables, the earliest first: no arc goes from a later list to an earlier one. On the command line,
        repeat the option for each list, with commas between the names.
    knowledge : object
        More background knowledge of the graph: a stablebn.Knowledge, a dict of its parts, a TOML or CSV file, a frame
        with columns from and to, a networkx graph, or a list of these.
    duplicates : str
        Identical columns, and copies in another unit: keep, merge or error; by default keep.
    checkpoint : str | os.PathLike[str] | None
        A file to which the search writes its progress, every few seconds and when it ends. If the file exists, the same
        search continues from it and gives the same answer.
    resume : bool | None
        With checkpoint: continue from the file, which must exist (True), or start from the beginning even if it exists
        (False). By default the search continues from the file if it exists.
    engine : str | None
        Where to count: gpu, on the GPU of this machine (extra gpu), or dask, on the workers of a Dask cluster, which
        read the table and keep its rows (extra dask). By default on the processor. The answer does not depend on it.
    client : object
        With engine dask: the distributed.Client of the cluster, or the address of its scheduler. On the command line
        the address is enough. The table is a Dask dataframe, or Parquet or Arrow files that the workers can read.
    progress : Callable[[str, int], None] | None
        A function that is called with the name of the current stage and a count, for instance the steps of a search;
        not always from the same thread.

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

def load_statistics(
    path: str | os.PathLike[str],
    *,
    memory: str | int | None = None,
    cache: str | os.PathLike[str] | None = None,
) -> GrowingTable:
    """Read statistics that were saved to a file.

    Parameters
    ----------
    path : path
        A file written by `GrowingTable.save`.
    memory, cache
        As in `stablebn.learn`.

    Returns
    -------
    GrowingTable
    """

def near_optimal(
    data: object,
    *,
    within: float | None = None,
    factor: float | None = None,
    limit: int = 100000,
    score: str = "auto",
    names: Sequence[Hashable] | None = None,
    weights: object = None,
    memory: str | int | None = None,
    cache: str | os.PathLike[str] | None = None,
    k: float = 1.0,
    iss: float = 1.0,
    iss_mu: float = 1.0,
    iss_w: int | None = None,
    prior: str = "auto",
    arcs: str | None = None,
    basis_form: str | None = None,
    basis_degree: int | None = None,
    basis_transform: str = "rank",
    max_parents: int | Mapping[Hashable, int] | None = None,
    max_sets: int = 50000000,
    kinds: Mapping[Hashable, Kind] | Kind | None = None,
    levels: Mapping[Any, Sequence[Any]] | Sequence[str] | str | None = None,
    missing: str = "error",
    columns: Sequence[Hashable] | str | None = None,
    drop: Sequence[Hashable] | str | None = None,
    keep: Sequence[Hashable] | str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    na_values: Sequence[str] | str | None = None,
    threads: int | None = None,
    discretise: str | None = None,
    bins: int | None = None,
    unit_free: bool | None = None,
    required: object = None,
    forbidden: object = None,
    tiers: Sequence[Sequence[Hashable]] | None = None,
    knowledge: object = None,
    duplicates: str = "keep",
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool | None = None,
    engine: str | None = None,
    client: object = None,
) -> NearOptimal:
    r"""List all graphs that score nearly as much as the best one.

    Parameters
    ----------
    data : table
        As in `learn`.
    within : float, optional
        List DAGs that score at most this many nats less than the best.
    factor : float, optional
        The same as a Bayes factor, within=ln(factor): DAGs under which the data are up to so many times less likely, as
        the score has it. By default 3.
    limit : int
        The largest number of DAGs to list. If there are more, those within a smaller margin are listed: see `covered`.
    **options
        Of the table and the score, `max_parents`, `max_sets` and `threads`: as in `learn` with `algorithm="exact"`.
    score : str
        The score (for constraint-based algorithms, the score of the learned graph): bic, aic or loglik; dg (degenerate
        Gaussian) and adaptive (the best of several models per family), for mixed data; bde, bds, k2 or qnml for
        categorical data; bge for continuous data; basis, for data with nonlinear relations. Or auto: that of a result
        that is scored; without an algorithm by the table; else bic; by default auto.
    names : Sequence[Hashable] | None
        Column names of a NumPy array.
    weights : object
        The number of rows that each row stands for: integers, or the name of a column.
    memory : str | int | None
        Read the table in parts and learn from it in blocks, with at most this memory for its rows: 2GiB, 512MB, or a
        number of bytes. For text (CSV), Parquet and Arrow files that are larger than memory, and folders and patterns
        of them. The answer does not depend on it.
    cache : str | os.PathLike[str] | None
        A folder that keeps a table which is read in parts, so that it need not be read again. By default a temporary
        folder, which is removed.
    k : float
        Multiplier of the penalty of bic, aic, dg, basis and adaptive; by default 1.0.
    iss : float
        Imaginary sample size of bde and bds; by default 1.0.
    iss_mu : float
        Imaginary sample size of bge for the mean; by default 1.0.
    iss_w : int | None
        Imaginary sample size of bge for the precision matrix, by default the number of variables + 2.
    prior : str
        The prior over graphs: uniform, or size: every arc costs ln p nats, where p is the number of variables that are
        not constant, because p variables compete to be a parent. Or auto: that of a result that is scored; without an
        algorithm by the table; else uniform; by default auto.
    arcs : str | None
        Mixed data: clg, no arc from a continuous to a categorical variable (conditional linear Gaussian networks), or
        any; by default clg, with the scores dg, basis and adaptive any. It has no effect on other data, which have no
        such arcs.
    basis_form : str | None
        The score basis: additive, a continuous variable is regressed on functions of each of its parents (not score
        equivalent); or block, variables with all their functions are jointly Gaussian (score equivalent). By default
        additive for continuous data, block for mixed data.
    basis_degree : int | None
        Degree of the polynomials of the score basis, by default 5 for the additive form and 3 for the block form.
    basis_transform : str
        The transformation before the polynomials of the score basis: rank, normal scores of the ranks, which no
        monotone function of a column changes; or bounded, x / sqrt(1 + x**2 / 4) of standardised values x; by default
        rank.
    max_parents : int | Mapping[Hashable, int] | None
        Most parents of a variable: a number for all, or a dict by name, in which ... stands for all others; on the
        command line 3 or name=3. Only of tabu-stable, hc-stable, tabu, hc, tabu-dec, tabu-inc, hc-dec, hc-inc, mmhc,
        h2pc, fges, best, averaged, exact.
    max_sets : int
        Most parent sets to score. If more are needed, larger sets are left out, and a warning says so; by default
        50000000. Only of exact.
    kinds : Mapping[Hashable, Kind] | Kind | None
        The kinds of columns, categorical or continuous, if types and values do not determine them: a dict by name, in
        which ... stands for all others; or one kind for all columns that can have it.
    levels : Mapping[Any, Sequence[Any]] | Sequence[str] | str | None
        Levels that count in scores and parameters even if no row has them: a dict of lists by name (on the command line
        smoke=no,yes,unknown), or declared, for the categories of pandas, Arrow or polars Enum columns. By default
        levels are the values that occur.
    missing : str
        Missing values: error, drop (the rows), level (a level of its own) or available (each variable is learned from
        the rows in which it and its parents are known); by default error.
    columns : Sequence[Hashable] | str | None
        The columns to use, with commas between their names; by default all.
    drop : Sequence[Hashable] | str | None
        Columns to leave out, with commas between their names.
    keep : Sequence[Hashable] | str | None
        Columns to learn from even if they look like ids, free text or dates, with commas between their names.
    sep : str | None
        The separator of a text file, for instance ; or \t for a tab; by default recognised.
    decimal : str | None
        The decimal mark of a text file, a point or a comma; by default recognised.
    encoding : str | None
        The encoding of a text file, for instance utf-8 or cp1252; by default recognised.
    na_values : Sequence[str] | str | None
        The texts of a file that stand for a missing value, in quotes or not, with commas between them. An empty field
        is always missing; "" means that no text is. By default NA, NULL, NaN and similar texts, unless they are in
        quotes, and ?, - or . on their own.
    threads : int | None
        The number of threads, by default one per core. The answer does not depend on it.
    discretise : str | None
        Make continuous columns categorical: by quantile (equal counts), interval (equal widths) or information (which
        keeps the mutual information of columns).
    bins : int | None
        With discretise: the number of bins per column, from 2 to 100; by default 3.
    unit_free : bool | None
        Continuous data: learn only from rounded correlations, so that no change of units or signs can change the graph;
        the trace has the scores of standardised columns. By default yes, except for bge, whose prior has units. If not,
        variances take part in ordering the variables, as in the paper, and the last digits of scores differ.
    required : object
        Arcs that the graph must have: pairs (from, to), a frame with columns from and to, a graph or a CSV file; on the
        command line from:to, or from->to if a name has a colon, or the CSV file.
    forbidden : object
        Arcs that the graph must not have, written like required arcs.
    tiers : Sequence[Sequence[Hashable]] | None
        Lists of variables, the earliest first: no arc goes from a later list to an earlier one. On the command line,
        repeat the option for each list, with commas between the names.
    knowledge : object
        More background knowledge of the graph: a stablebn.Knowledge, a dict of its parts, a TOML or CSV file, a frame
        with columns from and to, a networkx graph, or a list of these.
    duplicates : str
        Identical columns, and copies in another unit: keep, merge or error; by default keep.
    checkpoint : str | os.PathLike[str] | None
        A file to which the search writes its progress, every few seconds and when it ends. If the file exists, the same
        search continues from it and gives the same answer.
    resume : bool | None
        With checkpoint: continue from the file, which must exist (True), or start from the beginning even if it exists
        (False). By default the search continues from the file if it exists.
    engine : str | None
        Where to count: gpu, on the GPU of this machine (extra gpu), or dask, on the workers of a Dask cluster, which
        read the table and keep its rows (extra dask). By default on the processor. The answer does not depend on it.
    client : object
        With engine dask: the distributed.Client of the cluster, or the address of its scheduler. On the command line
        the address is enough. The table is a Dask dataframe, or Parquet or Arrow files that the workers can read.

    Returns
    -------
    NearOptimal

    Raises
    ------
    OptionError
        There are too many such graphs even within the smallest margin, or too many variables are connected.

    References
    ----------
    Liao, Sharma, Cussens and van Beek, "Finding all Bayesian network structures within a factor of optimal", 2019.

    Examples
    --------
    >>> import stablebn as sb
    >>> found = sb.near_optimal(sb.read_network("asia").sample(500, seed=1))
    >>> found.complete, found.dags >= len(found.classes)
    (True, True)
    """

def prove(
    result: Any,
    data: object,
    *,
    names: Sequence[Hashable] | None = None,
    weights: object = None,
    kinds: Mapping[Hashable, Kind] | Kind | None = None,
    levels: Mapping[Any, Sequence[Any]] | Sequence[str] | str | None = None,
    missing: str | None = None,
    columns: Sequence[Hashable] | str | None = None,
    drop: Sequence[Hashable] | str | None = None,
    keep: Sequence[Hashable] | str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    na_values: Sequence[str] | str | None = None,
    threads: int | None = None,
    max_parents: int | None = None,
    max_sets: int | None = None,
    max_time: float | None = None,
) -> Distance:
    r"""Bound the distance of a learned graph from the best graph for the same score and table.

    The table is the one that the graph was learned from. It is read as when the graph was learned, except for the
    options that are specified here.

    Parameters
    ----------
    result : Any
        The Result of any algorithm. The best graph is searched among those that respect the background knowledge with
        which the result was learned.
    data : object
        The table: pandas, polars, PyArrow, a NumPy array with names, a dict of columns, or the path of a file: CSV and
        other text, Excel, JSON lines, SQLite, DuckDB, Parquet, Feather. A folder or pattern of Parquet or CSV files, or
        an iterator of PyArrow batches, is read in parts; a Dask dataframe is read by its cluster.
    names : Sequence[Hashable] | None
        Column names of a NumPy array.
    weights : object
        The number of rows that each row stands for: integers, or the name of a column.
    kinds : Mapping[Hashable, Kind] | Kind | None
        The kinds of columns, categorical or continuous, if types and values do not determine them: a dict by name, in
        which ... stands for all others; or one kind for all columns that can have it.
    levels : Mapping[Any, Sequence[Any]] | Sequence[str] | str | None
        Levels that count in scores and parameters even if no row has them: a dict of lists by name (on the command line
        smoke=no,yes,unknown), or declared, for the categories of pandas, Arrow or polars Enum columns. By default
        levels are the values that occur.
    missing : str
        Missing values: error, drop (the rows), level (a level of its own) or available (each variable is learned from
        the rows in which it and its parents are known); by default as when the graph was learned.
    columns : Sequence[Hashable] | str | None
        The columns to use, with commas between their names; by default all.
    drop : Sequence[Hashable] | str | None
        Columns to leave out, with commas between their names.
    keep : Sequence[Hashable] | str | None
        Columns to learn from even if they look like ids, free text or dates, with commas between their names.
    sep : str | None
        The separator of a text file, for instance ; or \t for a tab; by default recognised.
    decimal : str | None
        The decimal mark of a text file, a point or a comma; by default recognised.
    encoding : str | None
        The encoding of a text file, for instance utf-8 or cp1252; by default recognised.
    na_values : Sequence[str] | str | None
        The texts of a file that stand for a missing value, in quotes or not, with commas between them. An empty field
        is always missing; "" means that no text is. By default NA, NULL, NaN and similar texts, unless they are in
        quotes, and ?, - or . on their own.
    threads : int | None
        The number of threads, by default one per core. The answer does not depend on it.
    max_parents : int | None
        Most parents of a variable; by default the limit with which the graph was learned.
    max_sets : int | None
        As in stablebn.learn with the algorithm exact.
    max_time : float | None
        As in stablebn.learn with the algorithm exact.

    Returns
    -------
    Distance

    Raises
    ------
    GraphError
        The graph has no score, or cannot have been learned from this table.

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(500, seed=1)
    >>> print(sb.prove(sb.learn(table, "hc"), table))
    This is the best graph: it is proven.
    """

def random_network(
    n: int,
    *,
    density: float = 1.5,
    levels: int | tuple[int, int] = (2, 4),
    max_parents: int = 4,
    continuous: bool = False,
    kinds: str | None = None,
    categorical_share: float = 0.5,
    seed: int,
) -> Network:
    """Generate a random network, which is the same on every machine.

    Parameters
    ----------
    n : int
        Number of nodes, at most 20,000. They are called X0, X1, ...; the topological order is random.
    density : float
        Mean number of parents.
    levels : int or (least, most)
        Number of levels of a categorical node.
    max_parents : int
    continuous : bool
        The same as kinds="continuous".
    kinds : {"categorical", "continuous", "mixed"}
        "categorical", the default: tables of uniform random distributions. "continuous": linear Gaussians with
        coefficients of size 0.5 to 1.5. "mixed": both kinds of nodes, and no arc from a continuous to a categorical
        one. In a mixed network the continuous nodes have variances of about 1: 0.35 comes from categorical
        parents (through the intercepts) and 0.4 from continuous ones (through coefficients of random signs). All
        parameters are drawn independently for each configuration of the categorical parents.
    categorical_share : float
        Share of categorical nodes in a mixed network, which has at least one node of each kind.
    seed : int

    Returns
    -------
    Network

    Examples
    --------
    >>> random_network(6, kinds="mixed", seed=1)
    <Network 'random mixed 6, seed 1': 6 mixed nodes, 5 arcs>
    """

def read_graph(
    name: str | os.PathLike[str],
    *,
    directories: Sequence[str | os.PathLike[str]] = (),
) -> DAG | PDAG:
    """Read the graph of a file, or of a network by its name in the catalogue.

    Parameters
    ----------
    name : str or path
        A file with or without parameters: a result, network or graph as JSON, an edge list as CSV, DOT, GraphML, BIF,
        XDSL and the like, also compressed (".gz"); or a name such as "alarm" (`stablebn networks` lists them).
    directories : sequence of paths
        Folders with networks that are searched before all others.

    Returns
    -------
    DAG or PDAG
        A DAG when all edges are directed.

    Examples
    --------
    >>> read_graph("asia").parents("lung")
    ('smoke',)
    """

def read_network(
    name: str | os.PathLike[str],
    *,
    directories: Sequence[str | os.PathLike[str]] = (),
    normalise: bool = False,
) -> Network:
    """Read a network by its name in the catalogue or by the path of its file.

    Parameters
    ----------
    name : str or path
        For example "alarm", "alarm.bif" or "models/alarm.xdsl.gz".
    directories : sequence of paths
        Folders that are searched before all others.
    normalise : bool
        Whether to rescale probabilities that do not sum to 1.

    Examples
    --------
    >>> read_network("asia").nodes[:3]
    ('asia', 'tub', 'smoke')
    """

def score(
    graph: object,
    data: object,
    score: str = "auto",
    *,
    names: Sequence[Hashable] | None = None,
    weights: object = None,
    k: float = 1.0,
    iss: float = 1.0,
    iss_mu: float = 1.0,
    iss_w: int | None = None,
    prior: str = "auto",
    arcs: str | None = None,
    basis_form: str | None = None,
    basis_degree: int | None = None,
    basis_transform: str = "rank",
    kinds: Mapping[Hashable, Kind] | Kind | None = None,
    levels: Mapping[Any, Sequence[Any]] | Sequence[str] | str | None = None,
    missing: str = "error",
    columns: Sequence[Hashable] | str | None = None,
    drop: Sequence[Hashable] | str | None = None,
    keep: Sequence[Hashable] | str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    na_values: Sequence[str] | str | None = None,
    threads: int | None = None,
    discretise: str | None = None,
    bins: int | None = None,
    unit_free: bool | None = None,
) -> GraphScore:
    r"""Score a graph against a table; for a learned graph this is exactly its `score`.

    If the graph is a result that was learned with `discretise`, `levels` or `unit_free`, its cut points, levels and
    units are used, unless others are given. The options are the fields of `stablebn.api.arguments.ScoreArguments`;
    `help(stablebn.score)` describes them.

    Parameters
    ----------
    graph : object
        A DAG, result, networkx DiGraph, arcs or the file of a graph. A PDAG is scored by a DAG that extends it.
    data : object
        The table: pandas, polars, PyArrow, a NumPy array with names, a dict of columns, or the path of a file: CSV and
        other text, Excel, JSON lines, SQLite, DuckDB, Parquet, Feather. A folder or pattern of Parquet or CSV files, or
        an iterator of PyArrow batches, is read in parts; a Dask dataframe is read by its cluster.
    score : str
        The score (for constraint-based algorithms, the score of the learned graph): bic, aic or loglik; dg (degenerate
        Gaussian) and adaptive (the best of several models per family), for mixed data; bde, bds, k2 or qnml for
        categorical data; bge for continuous data; basis, for data with nonlinear relations. Or auto: that of a result
        that is scored; without an algorithm by the table; else bic; by default auto.
    names : Sequence[Hashable] | None
        Column names of a NumPy array.
    weights : object
        The number of rows that each row stands for: integers, or the name of a column.
    k : float
        Multiplier of the penalty of bic, aic, dg, basis and adaptive; by default 1.0.
    iss : float
        Imaginary sample size of bde and bds; by default 1.0.
    iss_mu : float
        Imaginary sample size of bge for the mean; by default 1.0.
    iss_w : int | None
        Imaginary sample size of bge for the precision matrix, by default the number of variables + 2.
    prior : str
        The prior over graphs: uniform, or size: every arc costs ln p nats, where p is the number of variables that are
        not constant, because p variables compete to be a parent. Or auto: that of a result that is scored; without an
        algorithm by the table; else uniform; by default auto.
    arcs : str | None
        Mixed data: clg, no arc from a continuous to a categorical variable (conditional linear Gaussian networks), or
        any; by default clg, with the scores dg, basis and adaptive any. It has no effect on other data, which have no
        such arcs.
    basis_form : str | None
        The score basis: additive, a continuous variable is regressed on functions of each of its parents (not score
        equivalent); or block, variables with all their functions are jointly Gaussian (score equivalent). By default
        additive for continuous data, block for mixed data.
    basis_degree : int | None
        Degree of the polynomials of the score basis, by default 5 for the additive form and 3 for the block form.
    basis_transform : str
        The transformation before the polynomials of the score basis: rank, normal scores of the ranks, which no
        monotone function of a column changes; or bounded, x / sqrt(1 + x**2 / 4) of standardised values x; by default
        rank.
    kinds : Mapping[Hashable, Kind] | Kind | None
        The kinds of columns, categorical or continuous, if types and values do not determine them: a dict by name, in
        which ... stands for all others; or one kind for all columns that can have it.
    levels : Mapping[Any, Sequence[Any]] | Sequence[str] | str | None
        Levels that count in scores and parameters even if no row has them: a dict of lists by name (on the command line
        smoke=no,yes,unknown), or declared, for the categories of pandas, Arrow or polars Enum columns. By default
        levels are the values that occur.
    missing : str
        Missing values: error, drop (the rows), level (a level of its own) or available (each variable is learned from
        the rows in which it and its parents are known); by default error.
    columns : Sequence[Hashable] | str | None
        The columns to use, with commas between their names; by default all.
    drop : Sequence[Hashable] | str | None
        Columns to leave out, with commas between their names.
    keep : Sequence[Hashable] | str | None
        Columns to learn from even if they look like ids, free text or dates, with commas between their names.
    sep : str | None
        The separator of a text file, for instance ; or \t for a tab; by default recognised.
    decimal : str | None
        The decimal mark of a text file, a point or a comma; by default recognised.
    encoding : str | None
        The encoding of a text file, for instance utf-8 or cp1252; by default recognised.
    na_values : Sequence[str] | str | None
        The texts of a file that stand for a missing value, in quotes or not, with commas between them. An empty field
        is always missing; "" means that no text is. By default NA, NULL, NaN and similar texts, unless they are in
        quotes, and ?, - or . on their own.
    threads : int | None
        The number of threads, by default one per core. The answer does not depend on it.
    discretise : str | None
        Make continuous columns categorical: by quantile (equal counts), interval (equal widths) or information (which
        keeps the mutual information of columns).
    bins : int | None
        With discretise: the number of bins per column, from 2 to 100; by default 3.
    unit_free : bool | None
        Continuous data: learn only from rounded correlations, so that no change of units or signs can change the graph;
        the trace has the scores of standardised columns. By default yes, except for bge, whose prior has units. If not,
        variances take part in ordering the variables, as in the paper, and the last digits of scores differ.

    Returns
    -------
    GraphScore
    """

def stability(
    data: object,
    learner: LearnerLike = "auto",
    *,
    repeats: int = 25,
    vary: Sequence[str] | None = None,
    seed: int = 0,
    truth: object = None,
    names: Sequence[Hashable] | None = None,
    progress: Callable[[int], None] | None = None,
    score: str | None = "auto",
    weights: object = None,
    k: float = 1.0,
    iss: float = 1.0,
    iss_mu: float = 1.0,
    iss_w: int | None = None,
    prior: str = "auto",
    arcs: str | None = None,
    basis_form: str | None = None,
    basis_degree: int | None = None,
    basis_transform: str = "rank",
    tabu: int = 10,
    noinc: int | None = None,
    max_parents: int | Mapping[Hashable, int] | None = None,
    max_iter: int | None = None,
    order_search: str = "hc",
    test: str | None = None,
    alpha: float = 0.05,
    max_condition: int | None = None,
    order: str = "stable",
    faithfulness: bool = False,
    phases: str = "xges",
    effort: str = "auto",
    max_sets: int = 50000000,
    resamples: int = 50,
    resample_seed: int = 0,
    max_time: float | None = None,
    kinds: Mapping[Hashable, Kind] | Kind | None = None,
    levels: Mapping[Any, Sequence[Any]] | Sequence[str] | str | None = None,
    missing: str = "error",
    columns: Sequence[Hashable] | str | None = None,
    drop: Sequence[Hashable] | str | None = None,
    keep: Sequence[Hashable] | str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    na_values: Sequence[str] | str | None = None,
    threads: int | None = None,
    discretise: str | None = None,
    bins: int | None = None,
    unit_free: bool | None = None,
    start: object = None,
    required: object = None,
    forbidden: object = None,
    tiers: Sequence[Sequence[Hashable]] | None = None,
    knowledge: object = None,
    duplicates: str = "keep",
) -> Stability:
    r"""Measure how much of a learned graph depends on the layout of the table.

    Parameters
    ----------
    data, names
        As in `learn`.
    learner : str or callable
        The name of an algorithm, by default the one that `learn` chooses, or any callable that takes a pandas DataFrame
        (a PyArrow Table if pandas is not installed) with columns of the types of the table, and returns edges as
        (from, to) pairs or a graph: DAG, PDAG, result, networkx. A pair in both directions is an undirected edge.
    repeats : int
        How many layouts. The first is the table as given.
    vary : sequence of str, optional
        What differs between layouts: "columns" and "rows" (their order), "names" (of the columns), "levels" (labels
        of categorical levels), "units" (scale, sign and zero of continuous columns), "threads" (algorithms by name
        only), "hash" (every layout in a new Python process with another hash seed). By default columns, rows and names,
        and units if some columns are learned from as continuous. Empty: the learner runs repeatedly on the same table.
    seed : int
        The same seed gives the same layouts, on every machine.
    truth : network, DAG, PDAG, path or name of a network, optional
        The true graph, for F1.
    progress : callable
        Called with the number of finished layouts.
    **options
        Those of `learn`. For a callable those of `score`, which scores its graphs; with score=None they get no score.
    score : str
        The score (for constraint-based algorithms, the score of the learned graph): bic, aic or loglik; dg (degenerate
        Gaussian) and adaptive (the best of several models per family), for mixed data; bde, bds, k2 or qnml for
        categorical data; bge for continuous data; basis, for data with nonlinear relations. Or auto: that of a result
        that is scored; without an algorithm by the table; else bic; by default auto.
    weights : object
        The number of rows that each row stands for: integers, or the name of a column.
    k : float
        Multiplier of the penalty of bic, aic, dg, basis and adaptive; by default 1.0.
    iss : float
        Imaginary sample size of bde and bds; by default 1.0.
    iss_mu : float
        Imaginary sample size of bge for the mean; by default 1.0.
    iss_w : int | None
        Imaginary sample size of bge for the precision matrix, by default the number of variables + 2.
    prior : str
        The prior over graphs: uniform, or size: every arc costs ln p nats, where p is the number of variables that are
        not constant, because p variables compete to be a parent. Or auto: that of a result that is scored; without an
        algorithm by the table; else uniform; by default auto.
    arcs : str | None
        Mixed data: clg, no arc from a continuous to a categorical variable (conditional linear Gaussian networks), or
        any; by default clg, with the scores dg, basis and adaptive any. It has no effect on other data, which have no
        such arcs.
    basis_form : str | None
        The score basis: additive, a continuous variable is regressed on functions of each of its parents (not score
        equivalent); or block, variables with all their functions are jointly Gaussian (score equivalent). By default
        additive for continuous data, block for mixed data.
    basis_degree : int | None
        Degree of the polynomials of the score basis, by default 5 for the additive form and 3 for the block form.
    basis_transform : str
        The transformation before the polynomials of the score basis: rank, normal scores of the ranks, which no
        monotone function of a column changes; or bounded, x / sqrt(1 + x**2 / 4) of standardised values x; by default
        rank.
    tabu : int
        Length of the tabu list; by default 10. Only of tabu-stable, tabu, tabu-dec, tabu-inc.
    noinc : int | None
        Moves without improvement that are tolerated, by default the value of tabu. Only of tabu-stable, tabu, tabu-dec,
        tabu-inc.
    max_parents : int | Mapping[Hashable, int] | None
        Most parents of a variable: a number for all, or a dict by name, in which ... stands for all others; on the
        command line 3 or name=3. Only of tabu-stable, hc-stable, tabu, hc, tabu-dec, tabu-inc, hc-dec, hc-inc, mmhc,
        h2pc, fges, best, averaged, exact.
    max_iter : int | None
        Most steps of a search. Only of tabu-stable, hc-stable, tabu, hc, tabu-dec, tabu-inc, hc-dec, hc-inc, mmhc,
        h2pc.
    order_search : str
        The search that finds the stable order: hc, as in the paper, or tabu; by default hc. Only of tabu-stable, hc-
        stable.
    test : str | None
        The test of independence: mi, mi-adf or x2 for categorical data, by default mi; cor, zf or mi-g for continuous
        data, by default cor; mi-cg for mixed data, which equals mi or mi-g for columns of one kind. Only of pc-stable,
        gs, inter-iamb, mmhc, h2pc.
    alpha : float
        Variables count as independent if the p-value of the test is above it; by default 0.05. Only of pc-stable, gs,
        inter-iamb, mmhc, h2pc.
    max_condition : int | None
        Most variables to condition on in a test. Only of pc-stable, gs, inter-iamb, mmhc, h2pc.
    order : str
        Whether ties are broken by the canonical order of the data (stable), or by the order of the columns, as in other
        tools (given); by default stable. Only of pc-stable, gs, inter-iamb, mmhc, h2pc, fges.
    faithfulness : bool
        In the first round, insert only edges between variables that are marginally dependent. Only of fges.
    phases : str
        How FGES uses its operators. xges: deletions first, then turns, then insertions, and at the end every edge is
        deleted once to search on from there, as in XGES; fges: all insertions, then all deletions, as in Tetrad; by
        default xges. Only of fges.
    effort : str
        Amount of work of the search for the best graph: low, normal or high. Or auto: without an algorithm low; else
        normal; by default auto. Only of best.
    max_sets : int
        Most parent sets to score. If more are needed, larger sets are left out, and a warning says so; by default
        50000000. Only of exact.
    resamples : int
        Number of bootstrap samples of the rows that are averaged over; by default 50. Only of averaged.
    resample_seed : int
        Seed of the bootstrap samples; the same seed draws the same rows on every machine. Only of averaged.
    max_time : float | None
        Seconds after which the search returns its result so far, with a warning. It depends on the machine.
    kinds : Mapping[Hashable, Kind] | Kind | None
        The kinds of columns, categorical or continuous, if types and values do not determine them: a dict by name, in
        which ... stands for all others; or one kind for all columns that can have it.
    levels : Mapping[Any, Sequence[Any]] | Sequence[str] | str | None
        Levels that count in scores and parameters even if no row has them: a dict of lists by name (on the command line
        smoke=no,yes,unknown), or declared, for the categories of pandas, Arrow or polars Enum columns. By default
        levels are the values that occur.
    missing : str
        Missing values: error, drop (the rows), level (a level of its own) or available (each variable is learned from
        the rows in which it and its parents are known); by default error.
    columns : Sequence[Hashable] | str | None
        The columns to use, with commas between their names; by default all.
    drop : Sequence[Hashable] | str | None
        Columns to leave out, with commas between their names.
    keep : Sequence[Hashable] | str | None
        Columns to learn from even if they look like ids, free text or dates, with commas between their names.
    sep : str | None
        The separator of a text file, for instance ; or \t for a tab; by default recognised.
    decimal : str | None
        The decimal mark of a text file, a point or a comma; by default recognised.
    encoding : str | None
        The encoding of a text file, for instance utf-8 or cp1252; by default recognised.
    na_values : Sequence[str] | str | None
        The texts of a file that stand for a missing value, in quotes or not, with commas between them. An empty field
        is always missing; "" means that no text is. By default NA, NULL, NaN and similar texts, unless they are in
        quotes, and ?, - or . on their own.
    threads : int | None
        The number of threads, by default one per core. The answer does not depend on it.
    discretise : str | None
        Make continuous columns categorical: by quantile (equal counts), interval (equal widths) or information (which
        keeps the mutual information of columns).
    bins : int | None
        With discretise: the number of bins per column, from 2 to 100; by default 3.
    unit_free : bool | None
        Continuous data: learn only from rounded correlations, so that no change of units or signs can change the graph;
        the trace has the scores of standardised columns. By default yes, except for bge, whose prior has units. If not,
        variances take part in ordering the variables, as in the paper, and the last digits of scores differ.
    start : object
        The graph from which every search starts: a DAG, arcs or the file of a graph; by default the empty graph. Only
        of tabu-stable, hc-stable, tabu, hc, tabu-dec, tabu-inc, hc-dec, hc-inc, fges.
    required : object
        Arcs that the graph must have: pairs (from, to), a frame with columns from and to, a graph or a CSV file; on the
        command line from:to, or from->to if a name has a colon, or the CSV file.
    forbidden : object
        Arcs that the graph must not have, written like required arcs.
    tiers : Sequence[Sequence[Hashable]] | None
        Lists of variables, the earliest first: no arc goes from a later list to an earlier one. On the command line,
        repeat the option for each list, with commas between the names.
    knowledge : object
        More background knowledge of the graph: a stablebn.Knowledge, a dict of its parts, a TOML or CSV file, a frame
        with columns from and to, a networkx graph, or a list of these.
    duplicates : str
        Identical columns, and copies in another unit: keep, merge or error; by default keep.

    Returns
    -------
    Stability

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(200, seed=1)
    >>> sb.stability(table, "tabu-stable", repeats=5).verdict
    'One table, one graph: 5 layouts gave the same graph.'

    A learner that depends on the order of the columns alone:

    >>> sb.stability(table, lambda frame: [tuple(frame.columns[:2])], repeats=5).graphs
    5
    """

def statistics(
    data: object,
    *,
    names: Sequence[Hashable] | None = None,
    weights: object = None,
    memory: str | int | None = None,
    cache: str | os.PathLike[str] | None = None,
    kinds: Mapping[Hashable, Kind] | Kind | None = None,
    levels: Mapping[Any, Sequence[Any]] | Sequence[str] | str | None = None,
    missing: str = "error",
    columns: Sequence[Hashable] | str | None = None,
    drop: Sequence[Hashable] | str | None = None,
    keep: Sequence[Hashable] | str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    na_values: Sequence[str] | str | None = None,
    threads: int | None = None,
    discretise: str | None = None,
    bins: int | None = None,
    unit_free: bool | None = None,
) -> GrowingTable:
    r"""Read a table to which rows can be added later, for `learn`.

    The result of learning from it is bit for bit the result of learning from all rows at once. The options are the
    fields of `stablebn.api.arguments.StatisticsArguments`; `help(stablebn.statistics)` describes them.

    Parameters
    ----------
    data : object
        The table: pandas, polars, PyArrow, a NumPy array with names, a dict of columns, or the path of a file: CSV and
        other text, Excel, JSON lines, SQLite, DuckDB, Parquet, Feather. A folder or pattern of Parquet or CSV files, or
        an iterator of PyArrow batches, is read in parts; a Dask dataframe is read by its cluster.
    names : Sequence[Hashable] | None
        Column names of a NumPy array.
    weights : object
        The number of rows that each row stands for: integers, or the name of a column.
    memory : str | int | None
        Read the table in parts and learn from it in blocks, with at most this memory for its rows: 2GiB, 512MB, or a
        number of bytes. For text (CSV), Parquet and Arrow files that are larger than memory, and folders and patterns
        of them. The answer does not depend on it.
    cache : str | os.PathLike[str] | None
        A folder that keeps a table which is read in parts, so that it need not be read again. By default a temporary
        folder, which is removed.
    kinds : Mapping[Hashable, Kind] | Kind | None
        The kinds of columns, categorical or continuous, if types and values do not determine them: a dict by name, in
        which ... stands for all others; or one kind for all columns that can have it.
    levels : Mapping[Any, Sequence[Any]] | Sequence[str] | str | None
        Levels that count in scores and parameters even if no row has them: a dict of lists by name (on the command line
        smoke=no,yes,unknown), or declared, for the categories of pandas, Arrow or polars Enum columns. By default
        levels are the values that occur.
    missing : str
        Missing values: error, drop (the rows), level (a level of its own) or available (each variable is learned from
        the rows in which it and its parents are known); by default error.
    columns : Sequence[Hashable] | str | None
        The columns to use, with commas between their names; by default all.
    drop : Sequence[Hashable] | str | None
        Columns to leave out, with commas between their names.
    keep : Sequence[Hashable] | str | None
        Columns to learn from even if they look like ids, free text or dates, with commas between their names.
    sep : str | None
        The separator of a text file, for instance ; or \t for a tab; by default recognised.
    decimal : str | None
        The decimal mark of a text file, a point or a comma; by default recognised.
    encoding : str | None
        The encoding of a text file, for instance utf-8 or cp1252; by default recognised.
    na_values : Sequence[str] | str | None
        The texts of a file that stand for a missing value, in quotes or not, with commas between them. An empty field
        is always missing; "" means that no text is. By default NA, NULL, NaN and similar texts, unless they are in
        quotes, and ?, - or . on their own.
    threads : int | None
        The number of threads, by default one per core. The answer does not depend on it.
    discretise : str | None
        Make continuous columns categorical: by quantile (equal counts), interval (equal widths) or information (which
        keeps the mutual information of columns).
    bins : int | None
        With discretise: the number of bins per column, from 2 to 100; by default 3.
    unit_free : bool | None
        Continuous data: learn only from rounded correlations, so that no change of units or signs can change the graph;
        the trace has the scores of standardised columns. By default yes, except for bge, whose prior has units. If not,
        variances take part in ordering the variables, as in the paper, and the last digits of scores differ.

    Returns
    -------
    GrowingTable
        With `update(more)`, which adds rows, and `save(path)`.

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(1000, seed=1)
    >>> found = sb.statistics(table.slice(0, 400))
    >>> found.update(table.slice(400))
    >>> sb.learn(found) == sb.learn(table)
    True
    """

def verify(
    certificate: Any,
    data: object,
    *,
    names: Sequence[Hashable] | None = None,
    weights: object = None,
    kinds: Mapping[Hashable, Kind] | Kind | None = None,
    levels: Mapping[Any, Sequence[Any]] | Sequence[str] | str | None = None,
    missing: str | None = None,
    columns: Sequence[Hashable] | str | None = None,
    drop: Sequence[Hashable] | str | None = None,
    keep: Sequence[Hashable] | str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    na_values: Sequence[str] | str | None = None,
    threads: int | None = None,
) -> Verified:
    r"""Check a certificate against a table, in integers and without the solver that created it.

    Candidate parent sets and their scores are computed again from the table; then every bound of the certificate. The
    table is the one that the graph was learned from, in any layout. It is read as when the graph was learned, except
    for the options that are specified here.

    Parameters
    ----------
    certificate : Any
        A Certificate, or the path of its file.
    data : object
        The table: pandas, polars, PyArrow, a NumPy array with names, a dict of columns, or the path of a file: CSV and
        other text, Excel, JSON lines, SQLite, DuckDB, Parquet, Feather. A folder or pattern of Parquet or CSV files, or
        an iterator of PyArrow batches, is read in parts; a Dask dataframe is read by its cluster.
    names : Sequence[Hashable] | None
        Column names of a NumPy array.
    weights : object
        The number of rows that each row stands for: integers, or the name of a column.
    kinds : Mapping[Hashable, Kind] | Kind | None
        The kinds of columns, categorical or continuous, if types and values do not determine them: a dict by name, in
        which ... stands for all others; or one kind for all columns that can have it.
    levels : Mapping[Any, Sequence[Any]] | Sequence[str] | str | None
        Levels that count in scores and parameters even if no row has them: a dict of lists by name (on the command line
        smoke=no,yes,unknown), or declared, for the categories of pandas, Arrow or polars Enum columns. By default
        levels are the values that occur.
    missing : str
        Missing values: error, drop (the rows), level (a level of its own) or available (each variable is learned from
        the rows in which it and its parents are known); by default as when the graph was learned.
    columns : Sequence[Hashable] | str | None
        The columns to use, with commas between their names; by default all.
    drop : Sequence[Hashable] | str | None
        Columns to leave out, with commas between their names.
    keep : Sequence[Hashable] | str | None
        Columns to learn from even if they look like ids, free text or dates, with commas between their names.
    sep : str | None
        The separator of a text file, for instance ; or \t for a tab; by default recognised.
    decimal : str | None
        The decimal mark of a text file, a point or a comma; by default recognised.
    encoding : str | None
        The encoding of a text file, for instance utf-8 or cp1252; by default recognised.
    na_values : Sequence[str] | str | None
        The texts of a file that stand for a missing value, in quotes or not, with commas between them. An empty field
        is always missing; "" means that no text is. By default NA, NULL, NaN and similar texts, unless they are in
        quotes, and ?, - or . on their own.
    threads : int | None
        The number of threads, by default one per core. The answer does not depend on it.

    Returns
    -------
    Verified

    Raises
    ------
    CertificateError
        It does not hold: it is damaged, or belongs to another table.

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(500, seed=1)
    >>> certificate = sb.learn(table, "exact").certificate
    >>> sb.verify(certificate, table).optimal
    True
    """
