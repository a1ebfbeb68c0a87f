"""Learn one table with one tool in this process, and print how long it took as JSON.

Usage: python bench/worker.py TOOL TABLE.parquet REPEATS
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
from typing import Any

import pyarrow.parquet as pq

Arcs = list[tuple[str, str]]


def stablebn(algorithm: str) -> Callable[[Any], Callable[[], Arcs]]:
    """One of our learners, from an Arrow table."""

    def prepare(table: Any) -> Callable[[], Arcs]:
        import stablebn as sb

        return lambda: [(str(u), str(v)) for u, v in sb.learn(table, algorithm).arcs]

    return prepare


def pybnesian(table: Any) -> Callable[[], Arcs]:
    """PyBNesian's hill climbing with BIC, from a pandas frame of categories or floats."""
    import pybnesian as pb

    frame = _frame(table)
    continuous = frame.dtypes.iloc[0] == "float64"

    def learn() -> Arcs:
        start = (pb.GaussianNetwork if continuous else pb.DiscreteBN)(list(frame.columns))
        model = pb.GreedyHillClimbing().estimate(pb.ArcOperatorSet(), pb.BIC(frame), start)
        return list(model.arcs())

    return learn


def pyagrum(table: Any) -> Callable[[], Arcs]:
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


def pgmpy(table: Any) -> Callable[[], Arcs]:
    """Pgmpy's hill climbing with BIC."""
    from pgmpy.estimators import HillClimbSearch

    frame = _frame(table)
    score = "bic-g" if frame.dtypes.iloc[0] == "float64" else "bic-d"
    return lambda: list(HillClimbSearch(frame).estimate(scoring_method=score, show_progress=False).edges())


TOOLS: dict[str, Callable[[Any], Callable[[], Arcs]]] = {
    "stablebn tabu-stable": stablebn("tabu-stable"),
    "stablebn tabu": stablebn("tabu"),
    "stablebn hc": stablebn("hc"),
    "pybnesian hc": pybnesian,
    "pyagrum hc": pyagrum,
    "pgmpy hc": pgmpy,
}


def _frame(table: Any) -> Any:
    """A pandas frame with the levels that occur; peers stumble over the others."""
    frame = table.to_pandas()
    for column in frame.columns:
        if str(frame[column].dtype) != "float64":
            frame[column] = frame[column].astype("category").cat.remove_unused_categories()
    return frame


def main() -> None:
    """Warm up once, then measure."""
    tool, path, repeats = sys.argv[1], sys.argv[2], int(sys.argv[3])
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    learn = TOOLS[tool](pq.read_table(path))
    began = time.perf_counter()
    arcs = learn()
    times = [time.perf_counter() - began]
    # The first run of ours compiles or loads what is compiled; that of a slow peer is long enough.
    while len(times) <= repeats and sum(times) < 20:
        began = time.perf_counter()
        arcs = learn()
        times.append(time.perf_counter() - began)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    measured = times[1:] or times
    print(json.dumps({"seconds": min(measured), "arcs": arcs, "version": version(tool.split()[0]), "peak": peak}))  # noqa: T201


if __name__ == "__main__":
    main()
