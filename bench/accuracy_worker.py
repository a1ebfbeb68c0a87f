"""Learn tables with one program, each named by a line of the standard input; answer with lines of JSON.

Usage: python bench/accuracy_worker.py SYSTEM [OPTIONS]

SYSTEM is a key of `SYSTEMS`, or "stablebn" with the options of `sb.learn` as JSON. A table is an .npz file with
`values` (rows x variables), `levels` (0 for a continuous variable) and `names`. Only NumPy and the program itself are
imported, so that every program may have an environment of its own. The first line of the output has the version.
"""

from __future__ import annotations

import json
import logging
import os
import random
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

Edge = tuple[int, int]


@dataclass(frozen=True)
class Input:
    """A table: its values, codes for categorical variables, the number of levels (0: continuous), and the names."""

    values: NDArray[np.float64]
    levels: NDArray[np.int64]
    names: list[str]

    @property
    def kind(self) -> str:
        """Return "continuous", "categorical" or "mixed"."""
        if not self.levels.any():
            return "continuous"
        return "categorical" if self.levels.all() else "mixed"

    def frame(self) -> Any:
        """Return a pandas frame with columns of floats and of categories."""
        import pandas as pd

        columns = {}
        for name, column, levels in zip(self.names, self.values.T, self.levels, strict=True):
            categories = [f"s{level}" for level in range(levels)]
            columns[name] = pd.Categorical.from_codes(column.astype(int), categories) if levels else column
        return pd.DataFrame(columns)


@dataclass(frozen=True)
class Output:
    """A graph: directed edges as (tail, head), and undirected ones, by variable numbers."""

    directed: list[Edge]
    undirected: list[Edge]


Learn = Callable[[Input], Output]


def flopsearch(table: Input) -> Output:
    """FLOP with the penalty and the 50 restarts of its documentation."""
    import flopsearch as package

    matrix = package.flop(np.ascontiguousarray(table.values), 2.0, restarts=50)
    return _marked(matrix, directed=lambda u, v: matrix[u][v] == 1, undirected=lambda u, v: matrix[u][v] == 2)


def xges(table: Input) -> Output:
    """XGES with its default penalty."""
    from xges import XGES

    graph = XGES().fit(table.values, verbose=0)
    n = len(table.names)
    return Output(
        [(int(u), v) for v in range(n) for u in graph.get_parents(v)],
        [(int(u), v) for v in range(n) for u in graph.get_neighbors(v) if u < v],
    )


def _causal_learn(search: str) -> Learn:
    """One of the searches of causal-learn among orders, with BIC for numbers and BDeu for categories."""

    def learn(table: Input) -> Output:
        if search == "boss":
            from causallearn.search.PermutationBased.BOSS import boss as run
        else:
            from causallearn.search.PermutationBased.GRaSP import grasp as run
        score = "local_score_BIC_from_cov" if table.kind == "continuous" else "local_score_BDeu"
        # Marks at the ends: [v, u] is the mark at v of the edge between u and v; -1 is a tail, 1 an arrowhead.
        marks = run(table.values, score_func=score, verbose=False).graph
        return _marked(
            marks,
            directed=lambda u, v: marks[v][u] == 1 and marks[u][v] == -1,
            undirected=lambda u, v: marks[v][u] == -1 and marks[u][v] == -1,
        )

    return learn


def pybnesian(table: Input) -> Output:
    """PyBNesian's hill climbing with BIC."""
    import pybnesian as package

    network = {
        "continuous": package.GaussianNetwork,
        "categorical": package.DiscreteBN,
        "mixed": package.CLGNetwork,
    }[table.kind]
    frame = table.frame()
    start = network(list(frame.columns))
    learned = package.GreedyHillClimbing().estimate(package.ArcOperatorSet(), package.BIC(frame), start)
    return _named(table, learned.arcs())


def _pyagrum(search: str) -> Learn:
    """Searches of pyAgrum with their default settings; tabu and greedy with BIC."""

    def learn(table: Input) -> Output:
        import pyagrum as package

        learner: Any = package.BNLearner(table.frame().astype(str))
        learner.setNumberOfThreads(1)
        place = {name: v for v, name in enumerate(table.names)}
        names = [place[name] for name in learner.names()]
        if search == "miic":
            learner.useMIIC()
            graph = learner.learnPDAG()
            undirected = [(names[u], names[v]) for u, v in graph.edges()]
        else:
            learner.useScoreBIC()
            learner.useNoPrior()
            if search == "tabu":
                learner.useLocalSearchWithTabuList()
            else:
                learner.useGreedyHillClimbing()
            graph = learner.learnDAG()
            undirected = []
        return Output([(names[u], names[v]) for u, v in graph.arcs()], undirected)

    return learn


def pgmpy(table: Input) -> Output:
    """Pgmpy's hill climbing with BIC."""
    from pgmpy.estimators import HillClimbSearch

    score = "bic-g" if table.kind == "continuous" else "bic-d"
    learned = HillClimbSearch(table.frame()).estimate(scoring_method=score, show_progress=False)
    return _named(table, learned.edges())


def stablebn(options: dict[str, Any]) -> Learn:
    """Our package, on one thread."""

    def learn(table: Input) -> Output:
        import stablebn as sb

        result = sb.learn(arrow(table), threads=1, **options)
        if result.dag is not None:
            return _named(table, result.dag.arcs)
        place = {name: v for v, name in enumerate(table.names)}
        graph = result.pdag
        return Output(
            [(place[str(u)], place[str(v)]) for u, v in graph.directed],
            [(place[str(u)], place[str(v)]) for u, v in graph.undirected],
        )

    return learn


def arrow(table: Input) -> Any:
    """Return the Arrow table."""
    import pyarrow as pa

    columns: dict[str, Any] = {}
    for name, column, levels in zip(table.names, table.values.T, table.levels, strict=True):
        if levels:
            names = pa.array([f"s{level:02d}" for level in range(levels)])
            columns[name] = pa.DictionaryArray.from_arrays(pa.array(column.astype(np.int32)), names)
        else:
            columns[name] = pa.array(np.ascontiguousarray(column))
    return pa.table(columns)


SYSTEMS: dict[str, tuple[str, Learn]] = {
    "flopsearch": ("flopsearch", flopsearch),
    "xges": ("xges", xges),
    "causal-learn boss": ("causal-learn", _causal_learn("boss")),
    "causal-learn grasp": ("causal-learn", _causal_learn("grasp")),
    "pybnesian hc": ("pybnesian", pybnesian),
    "pyagrum hc": ("pyagrum", _pyagrum("hc")),
    "pyagrum tabu": ("pyagrum", _pyagrum("tabu")),
    "pyagrum miic": ("pyagrum", _pyagrum("miic")),
    "pgmpy hc": ("pgmpy", pgmpy),
}
"""The distribution and the function of every program but ours."""


def _marked(matrix: Any, *, directed: Callable[[int, int], bool], undirected: Callable[[int, int], bool]) -> Output:
    n = len(matrix)
    pairs = [(u, v) for v in range(n) for u in range(n) if u != v]
    return Output(
        [(u, v) for u, v in pairs if directed(u, v)], [(u, v) for u, v in pairs if u < v and undirected(u, v)]
    )


def _named(table: Input, arcs: Any) -> Output:
    place = {name: v for v, name in enumerate(table.names)}
    return Output([(place[str(u)], place[str(v)]) for u, v in arcs], [])


def _warm_up(learn: Learn, kinds: list[str]) -> None:
    """Import and compile what the first call imports and compiles, so that it is not counted."""
    rng = np.random.default_rng(1)
    for kind in kinds:
        levels = {"continuous": [0, 0, 0, 0], "categorical": [2, 2, 2, 2], "mixed": [0, 2, 0, 2]}[kind]
        columns = [rng.integers(0, 2, 200) if size else rng.standard_normal(200) for size in levels]
        values = np.column_stack(columns).astype(np.float64)
        try:
            learn(Input(values, np.array(levels), list("abcd")))
        except Exception:
            logging.getLogger(__name__).debug("the warm-up failed", exc_info=True)


def main() -> None:
    """Answer one line for each table."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    # Some programs print; the answers are the only lines that are read.
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    system, kinds = sys.argv[1], sys.argv[2].split(",")
    package, learn = SYSTEMS[system] if system in SYSTEMS else ("stablebn", stablebn(json.loads(sys.argv[3])))
    _warm_up(learn, kinds)
    answers.write(json.dumps({"version": version(package)}) + "\n")
    for line in sys.stdin:
        with np.load(line.strip()) as stored:
            table = Input(stored["values"].astype(np.float64), stored["levels"], stored["names"].tolist())
        random.seed(1)
        np.random.seed(1)  # noqa: NPY002 - the generator that other packages draw from
        began = time.process_time()
        try:
            learned = learn(table)
        except Exception as error:
            answer: dict[str, Any] = {"error": f"{type(error).__name__}: {error}"[:200]}
        else:
            answer = {"directed": learned.directed, "undirected": learned.undirected}
        answer["cpu"] = time.process_time() - began
        answers.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
