"""Run one job, in this or another process: draw the sample, change its layout, learn, and compare with the network."""

from __future__ import annotations

import json
import signal
from collections.abc import Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from stablebn.api.learn import learn_without_signals
from stablebn.api.score import score as score_graph
from stablebn.columns.arrow.conversion import Columns
from stablebn.columns.kinds import Kind
from stablebn.errors import StableBNError
from stablebn.graph import DAG, PDAG, compare
from stablebn.io.sources import read
from stablebn.networks import random_network
from stablebn.prepare.prepare import prepare
from stablebn.prepare.read_options import ReadOptions
from stablebn.prepare.relayout import TableLayout, lay_out
from stablebn.resampling.learner_in_layout import LayoutOutcome, learn_from_layout
from stablebn.study.jobs import Job
from stablebn.study.record import Record, Sample, Status
from stablebn.study.study_networks import NamedNetwork


def work(job: Job) -> tuple[Sample | None, Record]:
    """Run a job. An error in it becomes its outcome.

    Returns
    -------
    sample : Sample or None
        None if no sample could be drawn.
    record : Record
    """
    sample = None
    try:
        drawn = _draw(job.network, job.rows, job.sample_seed)
        sample = drawn.sample
        layout = _lay_out(job.network, job.rows, job.sample_seed, job.learner.vary, job.seed, job.randomisation)
        _warm_up(drawn.sample.kind, job.rows, job.learner.recipe)
        options = {**job.learner.options, "threads": 1, "max_time": job.learner.time_limit}
        outcome = learn_from_layout(job.learner.algorithm, layout, options)
        if any(caution.code == "max-time" for caution in outcome.warnings):
            reason = f"not finished within {job.learner.time_limit:,g} seconds"
            return sample, _record(job, "timed out", reason, seconds=outcome.seconds)
        return sample, _record(job, "done", seconds=outcome.seconds, **_evaluated(job, outcome, drawn))
    except Exception as error:
        return sample, failed(job, _in_one_line(error))


def ignore_interrupts() -> None:
    """Ignore Ctrl-C in a worker: a terminal sends it to all processes, and the main process handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def failed(job: Job, reason: str) -> Record:
    """Return the record of a job that failed."""
    return _record(job, "failed", reason)


def _record(job: Job, status: Status, reason: str = "", *, seconds: float = 0.0, **fields: Any) -> Record:
    return Record(
        job.network.name, job.rows, job.learner.label, job.randomisation, status, reason, seconds=seconds, **fields
    )


def _in_one_line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".partition("\n")[0]


@dataclass(frozen=True)
class _Drawn:
    """A sample, and its table."""

    columns: Columns
    kinds: Mapping[Hashable, Kind]
    sample: Sample


# A worker gets jobs in order, so it mostly needs the last sample and the last layouts again.
@lru_cache(maxsize=2)
def _draw(named: NamedNetwork, rows: int, seed: int) -> _Drawn:
    network = named.model
    columns = read(network.sample(rows, seed=seed)).columns
    prepared = prepare(columns, ReadOptions(threads=1))
    sample = Sample(
        network=named.name,
        kind=network.kind,
        rows=rows,
        nodes=len(network),
        arcs=len(network.arcs),
        identical=sum(map(len, prepared.identical)),
        constants=len(prepared.constants),
        empty_score=_bic(DAG(network.nodes, ()), columns),
        true_score=_bic(network.dag, columns),
    )
    return _Drawn(columns, dict(zip(columns, network.kinds.values(), strict=True)), sample)


@lru_cache(maxsize=2)
def _lay_out(
    named: NamedNetwork, rows: int, sample_seed: int, vary: tuple[str, ...], seed: int, number: int
) -> TableLayout:
    drawn = _draw(named, rows, sample_seed)
    return lay_out(drawn.columns, drawn.kinds, vary, seed=seed, number=number)


@cache
def _warm_up(kind: str, rows: int, recipe: str) -> None:
    """Learn once from a small table with as many rows, so that the time of a job does not include imports."""
    algorithm, options = json.loads(recipe)
    network = random_network(8, levels=(2, 8), density=2.0, kinds=kind, seed=1)
    # The job itself reports wrong options.
    with suppress(StableBNError):
        learn_without_signals(network.sample(rows, seed=1), algorithm, **options, threads=1, max_time=60.0)


def _evaluated(job: Job, outcome: LayoutOutcome, drawn: _Drawn) -> Mapping[str, Any]:
    """Return the fields of a record that describe the learned graph."""
    graph = outcome.graph
    edges = [(u, v, "->") for u, v in graph.directed] + [(u, v, "--") for u, v in graph.undirected]
    fields = {"graph": json.dumps(sorted(edges)), "degree": graph.degree}
    if graph.extension() is None:
        return {**fields, "extendable": False}
    against_truth = compare(graph, job.network.model)
    return {
        **fields,
        "extendable": True,
        "score": outcome.score
        if _score_is_bic(job)
        else _bic(graph, drawn.columns, unit_free=job.learner.options.get("unit_free")),
        **{name: float(getattr(against_truth, name)) for name in ("precision", "recall", "f1", "bsf", "shd")},
    }


def _score_is_bic(job: Job) -> bool:
    """Check whether the score that the learner returns is the BIC of its graph on the sample as drawn."""
    options = job.learner.options
    other_score = options.get("score", "bic") != "bic" or options.get("k", 1) != 1
    return not other_score and options.get("duplicates") != "merge" and "units" not in job.learner.vary


def _bic(graph: DAG | PDAG, columns: Columns, unit_free: bool | None = None) -> float:
    """Compute the BIC, with `unit_free` as the learner has it, so that the last digits agree."""
    return score_graph(graph, columns, unit_free=unit_free, threads=1).total
