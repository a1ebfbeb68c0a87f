"""Bootstrap: draw rows with replacement, learn again, and count how often each edge occurs."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from stablebn import __version__
from stablebn.api.arguments import LearnArguments
from stablebn.canonical.row_draws import drawn_counts
from stablebn.errors import DataError, OptionError, listed, shown
from stablebn.graph import PDAG
from stablebn.graph.names import rank_names
from stablebn.learners import AUTOMATIC
from stablebn.messages import Caution
from stablebn.options import at_least, callback, checked_arguments, choice, file_path
from stablebn.resampling.bootstrap_checkpoint import BootstrapCheckpoint, Replicate, key_of
from stablebn.resampling.bootstrap_result import Bootstrap
from stablebn.resampling.builtin_learner import BuiltinLearner
from stablebn.resampling.external_learner import CallableLearner
from stablebn.resampling.runner import LearnerLike, ResampledLearner, run_jobs

NOT_HERE = ("max_time", "resume")
"""Options of `learn` that a bootstrap does not have."""


@checked_arguments(
    replicates=at_least(1, most=1_000_000),
    seed=at_least(0, most=2**63 - 1),
    layouts=choice((1, 2)),
    checkpoint=file_path,
    progress=callback,
)
def bootstrap(
    data: object,
    algorithm: LearnerLike = AUTOMATIC,
    *,
    replicates: int = 200,
    seed: int = 0,
    layouts: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Bootstrap:
    """Estimate how certain the edges of a learned graph are: learn again from rows drawn with replacement.

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
    learner = _learner(data, algorithm, options)
    layouts = layouts or (1 if learner.stable else 2)

    began = time.perf_counter()
    jobs = [(number, layout) for number in range(replicates) for layout in range(layouts)]
    if checkpoint is None:
        learned = _learn_replicates(jobs, learner, seed, None, progress)
    else:
        is_callable = not isinstance(algorithm, str)
        identity = {"version": __version__, "seed": seed, "callable": is_callable, **learner.identity()}
        key = key_of(identity, learner.contents())
        with closing(BootstrapCheckpoint(Path(checkpoint), key, len(learner.learned.nodes))) as saved:
            learned = _learn_replicates(jobs, learner, seed, saved, progress)
    seconds = time.perf_counter() - began

    failures = [replicate.failure for replicate in learned if replicate.failure]
    if len(failures) == len(jobs):
        raise DataError(f"nothing was learned from any replicate: {failures[0]}")
    names = list(rank_names(learner.learned.nodes))
    graphs = [_graph(replicate, learner.learned.nodes, names) for replicate in learned]
    return Bootstrap(
        learner=learner.title,
        rows=learner.rows,
        seed=seed,
        stable=learner.stable,
        learned=learner.learned,
        result=learner.result,
        graphs=tuple(graphs[::layouts]),
        relaid=tuple(graphs[1::2]) if layouts == 2 else (),
        canonical=learner.canonical,
        warnings=(*(() if learner.result is None else learner.result.warnings), *_failed(failures, len(jobs))),
        seconds=seconds,
    )


def _learner(data: object, algorithm: LearnerLike, options: dict[str, Any]) -> ResampledLearner:
    if not isinstance(algorithm, str):
        if not callable(algorithm):
            raise OptionError(f"algorithm={shown(algorithm)} is neither the name of a learner nor a callable.")
        return CallableLearner(algorithm, data, options)
    barred = [name for name in NOT_HERE if options.get(name) is not None]
    if "resume" in barred:
        raise OptionError("bootstrap has no option 'resume': if the file of checkpoint= exists, it goes on from it.")
    if barred:
        raise OptionError(
            f"bootstrap has no option {listed(barred)}: the graph of a replicate that is stopped by the clock "
            "depends on the machine. Leave it out. To interrupt long runs use checkpoint; to shorten them use max_iter."
        )
    return BuiltinLearner(LearnArguments.of_learn((data, algorithm), options))


def _learn_replicates(
    jobs: Sequence[tuple[int, int]],
    learner: ResampledLearner,
    seed: int,
    checkpoint: BootstrapCheckpoint | None,
    progress: Callable[[int, int], None] | None,
) -> list[Replicate]:
    """Learn every replicate in every layout, on the threads or the cluster of the learner."""
    return run_jobs(
        jobs,
        _learn_replicate,
        *(learner, seed, rank_names(learner.learned.nodes)),
        threads=learner.threads,
        cluster=learner.cluster,
        checkpoint=checkpoint,
        progress=progress,
    )


def _learn_replicate(
    job: tuple[int, int], learner: ResampledLearner, seed: int, rank: dict[Hashable, int]
) -> Replicate:
    number, layout = job
    times = drawn_counts(learner.distinct.counts, seed, number)
    # Seeded by text: Python makes the same numbers of it in every process.
    shuffle = random.Random(f"{seed} {number} {layout}")
    columns = None
    if not learner.stable or layout:
        columns = list(learner.canonical)
        shuffle.shuffle(columns)
    try:
        graph = learner.learn(times, columns, shuffle)
    except learner.failures as error:
        return Replicate(number, layout, failure=f"{type(error).__name__}: {error}")
    return Replicate(
        number,
        layout,
        tuple((rank[u], rank[v]) for u, v in graph.directed),
        tuple((rank[u], rank[v]) for u, v in graph.undirected),
    )


def _graph(replicate: Replicate, nodes: Sequence[Hashable], names: Sequence[Hashable]) -> PDAG | None:
    if replicate.failure:
        return None
    directed, undirected = (
        [(names[u], names[v]) for u, v in edges] for edges in (replicate.directed, replicate.undirected)
    )
    return PDAG(nodes, directed, undirected)


def _failed(failures: Sequence[str], jobs: int) -> tuple[Caution, ...]:
    if not failures:
        return ()
    return (
        Caution(
            "failed-replicates",
            (),
            f"learning failed for {len(failures)} of {jobs} graphs: frequencies are over the other replicates. The "
            f"first error: {failures[0]}",
        ),
    )
