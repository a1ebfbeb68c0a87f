"""The loop of the bootstrap: draw rows, learn, and remember the graph."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import closing
from functools import partial
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
from stablebn.prepare.dask.workers import Partitions
from stablebn.resampling.bootstrap_checkpoint import Checkpoint, Replicate, key_of
from stablebn.resampling.bootstrap_result import Bootstrap
from stablebn.resampling.builtin_learner import OurLearner
from stablebn.resampling.external_learner import CallableLearner
from stablebn.resampling.learner_in_layout import LearnerLike
from stablebn.threads import run_at_once

NOT_HERE = ("max_time", "resume")
"""Options of one search that many of them do not have."""


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
    """Find out how sure the edges of a learned graph are: learn again from rows drawn with replacement.

    The rows that are drawn are a function of the table and the seed: the same in every layout, for every learner. A
    graph that is stable, the same for every layout, need not be certain: this tells how far another sample might have
    given another one.

    Parameters
    ----------
    data
        As in `learn`.
    algorithm : str or callable
        One of our learners by its name, or any callable that takes a frame of the kind of `data` (a pandas DataFrame
        for other tables, a PyArrow Table where pandas is not installed) and returns edges as (from, to) pairs or a
        graph: DAG, PDAG, result, networkx. A pair both ways round is an edge without a direction.
    replicates : int
        How many samples are drawn.
    seed : int
        The same seed draws the same samples, on every machine.
    layouts : {1, 2}, optional
        With 2 every replicate is learned from twice, with its columns and rows in two random orders, so that what the
        layout decides is told from what the sample decides. By default 1 for our stable learners, which no layout can
        change, and 2 for others.
    checkpoint : path, optional
        A file to which every replicate is written when it is done. Where it is there, those in it are not learned
        again, and the answer is the same as without an interruption.
    progress : callable
        Called with how many graphs are learned and how many there will be, not always from the same thread.
    **options
        Those of `learn` but `max_time`. `threads` are as many replicates at once; with `client` the workers of a Dask
        cluster learn from them, as many at once as they have threads. For a callable those that say how
        to read the table: names, weights, kinds, columns, drop, keep, sep, decimal, encoding, na_values; and threads,
        by default one.

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
    wanted = [(number, layout) for number in range(replicates) for layout in range(layouts)]
    if checkpoint is None:
        found = _learned(learner, wanted, seed, None, progress)
    else:
        told = {"version": __version__, "seed": seed, "callable": not isinstance(algorithm, str), **learner.told()}
        key = key_of(told, learner.contents())
        with closing(Checkpoint(Path(checkpoint), key, len(learner.learned.nodes))) as kept:
            found = _learned(learner, wanted, seed, kept, progress)
    seconds = time.perf_counter() - began

    failures = [found[place].failure for place in wanted if found[place].failure]
    if len(failures) == len(wanted):
        raise DataError(f"nothing was learned from any replicate: {failures[0]}")
    names = list(rank_names(learner.learned.nodes))
    graphs = [_graph(found[place], learner.learned.nodes, names) for place in wanted]
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
        warnings=(*(() if learner.result is None else learner.result.warnings), *_failed(failures, len(wanted))),
        seconds=seconds,
    )


def _learner(data: object, algorithm: LearnerLike, options: dict[str, Any]) -> OurLearner | CallableLearner:
    if not isinstance(algorithm, str):
        if not callable(algorithm):
            raise OptionError(f"algorithm={shown(algorithm)} is neither the name of a learner nor a callable.")
        return CallableLearner(algorithm, data, options)
    barred = [name for name in NOT_HERE if options.get(name) is not None]
    if "resume" in barred:
        raise OptionError("bootstrap has no option 'resume': if the file of checkpoint= is there, it goes on from it.")
    if barred:
        raise OptionError(
            f"bootstrap has no option {listed(barred)}: a replicate that is stopped by the clock would tell of the "
            "machine. Leave it out; a checkpoint makes long runs go on, and max_iter makes searches short."
        )
    return OurLearner(LearnArguments.of_learn((data, algorithm), options))


def _learned(
    learner: OurLearner | CallableLearner,
    wanted: Sequence[tuple[int, int]],
    seed: int,
    kept: Checkpoint | None,
    progress: Callable[[int, int], None] | None,
) -> dict[tuple[int, int], Replicate]:
    """The graph of every replicate in every layout, by its number and that of the layout."""
    found = dict(kept.done) if kept is not None else {}
    place = rank_names(learner.learned.nodes)
    done = [None for one in wanted if one in found]

    def take(replicate: Replicate) -> None:
        if kept is not None:
            kept.add(replicate)
        found[replicate.number, replicate.layout] = replicate
        # Of a list, as several threads count.
        done.append(None)
        if progress is not None:
            progress(len(done), len(wanted))

    def learn(one: tuple[int, int]) -> None:
        take(_replicate(one, learner, seed, place))

    rest = [one for one in wanted if one not in found]
    if isinstance(learner, OurLearner) and learner.cluster is not None:
        for _, replicate in Partitions.of(learner.cluster, rest).one_by_one(_replicate, learner, seed, place):
            take(replicate)
    else:
        run_at_once([partial(learn, one) for one in rest], learner.threads, lambda: None)
    return found


def _replicate(
    one: tuple[int, int], learner: OurLearner | CallableLearner, seed: int, place: dict[Hashable, int]
) -> Replicate:
    number, layout = one
    times = drawn_counts(learner.distinct.counts, seed, number)
    # From text, because Python makes the same numbers of it in every process.
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
        tuple((place[u], place[v]) for u, v in graph.directed),
        tuple((place[u], place[v]) for u, v in graph.undirected),
    )


def _graph(replicate: Replicate, nodes: Sequence[Hashable], names: Sequence[Hashable]) -> PDAG | None:
    if replicate.failure:
        return None
    directed, undirected = (
        [(names[u], names[v]) for u, v in own] for own in (replicate.directed, replicate.undirected)
    )
    return PDAG(nodes, directed, undirected)


def _failed(failures: Sequence[str], wanted: int) -> tuple[Caution, ...]:
    if not failures:
        return ()
    return (
        Caution(
            "failed-replicates",
            (),
            f"learning failed {len(failures)} times of {wanted}: frequencies are of the other replicates. The first "
            f"time: {failures[0]}",
        ),
    )
