"""Learn one table with one tool in this process, and print what it took as JSON.

Usage: python bench/worker.py TOOL TABLE.parquet REPEATS

The first run is reported apart: some tools import or load in it what they need. After it come up to REPEATS warm runs,
until they have taken ENOUGH seconds; a peer that needs that long for the first run is not asked again.
"""

from __future__ import annotations

import json
import logging
import resource
import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

Arcs = list[tuple[str, str]]
Learn = Callable[[], "Arcs | None"]
"""Learns, and returns the arcs of a DAG, if there is one that fits."""

ENOUGH = 5.0
OTHERS = ("fges", "pc-stable", "gs", "inter-iamb", "mmhc", "h2pc")
"""Our learners besides those that climb."""


def stablebn(algorithm: str) -> Callable[[Any], Learn]:
    """One of our learners, from an Arrow table: encoding it is part of the time."""

    def prepare(table: Any) -> Learn:
        import stablebn as sb

        def learn() -> Arcs | None:
            dag = sb.learn(table, algorithm).dag
            return None if dag is None else [(str(u), str(v)) for u, v in dag.arcs]

        return learn

    return prepare


def pybnesian(table: Any) -> Learn:
    """PyBNesian's hill climbing with BIC, from a pandas frame of categories, floats or both."""
    import pybnesian as pb

    frame = _frame(table)
    kinds = {dtype == "float64" for dtype in frame.dtypes}
    network = pb.CLGNetwork if len(kinds) > 1 else pb.GaussianNetwork if _is_continuous(frame) else pb.DiscreteBN

    def learn() -> Arcs:
        start = network(list(frame.columns))
        return list(pb.GreedyHillClimbing().estimate(pb.ArcOperatorSet(), pb.BIC(frame), start).arcs())

    return learn


def pyagrum(table: Any) -> Learn:
    """PyAgrum's greedy hill climbing with BIC, categorical data only."""
    import pyagrum as gum

    frame = _frame(table).astype(str)

    def learn() -> Arcs:
        learner = gum.BNLearner(frame)
        learner.useGreedyHillClimbing()
        learner.useScoreBIC()
        learner.useNoPrior()
        names = learner.names()
        return [(names[u], names[v]) for u, v in learner.learnDAG().arcs()]

    return learn


def pgmpy(table: Any) -> Learn:
    """Pgmpy's hill climbing with BIC."""
    from pgmpy.estimators import HillClimbSearch

    frame = _frame(table)
    score = "bic-g" if _is_continuous(frame) else "bic-d"
    return lambda: list(HillClimbSearch(frame).estimate(scoring_method=score, show_progress=False).edges())


def causal_learn(table: Any) -> Learn:
    """Causal-learn's GES, with BIC for numbers and BDeu for categories, for which it has no BIC."""
    from causallearn.search.ScoreBased.GES import ges

    import stablebn as sb

    frame = _frame(table)
    continuous = _is_continuous(frame)
    values = frame.to_numpy() if continuous else frame.apply(lambda column: column.cat.codes).to_numpy()
    score = "local_score_BIC" if continuous else "local_score_BDeu"
    names = list(frame.columns)

    def learn() -> Arcs | None:
        marks = ges(values, score_func=score)["G"].graph
        tails = [(i, j) for i in range(len(names)) for j in range(len(names)) if marks[i, j] == -1]
        directed = [(names[i], names[j]) for i, j in tails if marks[j, i] == 1]
        undirected = [(names[i], names[j]) for i, j in tails if i < j and marks[j, i] == -1]
        extension = sb.PDAG(names, directed, undirected).extension()
        return None if extension is None else [(str(u), str(v)) for u, v in extension.arcs]

    return learn


TOOLS: dict[str, Callable[[Any], Learn]] = {
    "stablebn tabu-stable": stablebn("tabu-stable"),
    "stablebn tabu": stablebn("tabu"),
    "stablebn hc": stablebn("hc"),
    **{f"stablebn {algorithm}": stablebn(algorithm) for algorithm in OTHERS},
    "pybnesian hc": pybnesian,
    "pyagrum hc": pyagrum,
    "pgmpy hc": pgmpy,
    "causal-learn ges": causal_learn,
}


def _frame(table: Any) -> Any:
    """A pandas frame with the levels that occur; peers stumble over the others."""
    frame = table.to_pandas()
    for column in frame.columns:
        if frame[column].dtype != "float64":
            frame[column] = frame[column].astype("category").cat.remove_unused_categories()
    return frame


def _is_continuous(frame: Any) -> bool:
    return bool(frame.dtypes.iloc[0] == "float64")


def _peak_memory() -> int:
    """Most bytes this process ever held."""
    status = Path("/proc/self/status")
    if status.exists():
        # Linux hands ru_maxrss of the parent down to the child; VmHWM is the child's own.
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _timed(learn: Learn) -> tuple[float, Arcs | None]:
    began = time.perf_counter()
    arcs = learn()
    return time.perf_counter() - began, arcs


def main() -> None:
    """Learn once, then some times more, warm."""
    tool, path, repeats = sys.argv[1], sys.argv[2], int(sys.argv[3])
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    learn = TOOLS[tool](pq.read_table(path))
    cold, arcs = _timed(learn)
    peak = _peak_memory()
    warm: list[float] = []
    spent = 0.0 if tool.startswith("stablebn") else cold
    while len(warm) < repeats and spent + sum(warm) < ENOUGH:
        warm.append(_timed(learn)[0])
    answer = {"cold": cold, "warm": warm, "arcs": arcs, "version": version(tool.split()[0]), "peak": peak}
    sys.stdout.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
