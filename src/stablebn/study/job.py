"""One job, in whatever process: draw the sample, lay it out, learn, compare."""

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
    """Do a job. Whatever goes wrong in it is its outcome.

    Returns
    -------
    sample : Sample or None
        None if there was none to be had.
    record : Record
    """
    sample = None
    try:
        drawn = _draw(job.network, job.rows, job.sample_seed)
        sample = drawn.sample
        layout = _lay_out(job.network, job.rows, job.sample_seed, job.learner.vary, job.seed, job.randomisation)
        _warm_up(drawn.sample.kind, job.rows, job.learner.recipe)
        options = {**job.learner.options, "threads": 1, "max_time": job.learner.time_limit}
        found = learn_from_layout(job.learner.algorithm, layout, options)
        if any(caution.code == "max-time" for caution in found.warnings):
            reason = f"not finished within {job.learner.time_limit:,g} seconds"
            return sample, _record(job, "timed out", reason, seconds=found.seconds)
        return sample, _record(job, "done", seconds=found.seconds, **_judged(job, found, drawn))
    except Exception as error:
        return sample, failed(job, _in_one_line(error))


def ignore_interrupts() -> None:
    """Ctrl-C in a terminal goes to all processes: it is not the workers' to answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def failed(job: Job, reason: str) -> Record:
    """The record of a job that came to nothing."""
    return _record(job, "failed", reason)


def _record(job: Job, status: Status, reason: str = "", *, seconds: float = 0.0, **found: Any) -> Record:
    return Record(
        job.network.name, job.rows, job.learner.label, job.randomisation, status, reason, seconds=seconds, **found
    )


def _in_one_line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".partition("\n")[0]


@dataclass(frozen=True)
class _Drawn:
    """A sample as a table."""

    columns: Columns
    kinds: Mapping[Hashable, Kind]
    sample: Sample


# A worker gets jobs in order: it needs the last sample and the last layouts again, and hardly any other.
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
    """Learn once from a small table of as many rows, so that no job's time has that of loading in it."""
    algorithm, options = json.loads(recipe)
    network = random_network(8, levels=(2, 8), density=2.0, kinds=kind, seed=1)
    # What is wrong with the options, the job itself will say.
    with suppress(StableBNError):
        learn_without_signals(network.sample(rows, seed=1), algorithm, **options, threads=1, max_time=60.0)


def _judged(job: Job, found: LayoutOutcome, drawn: _Drawn) -> Mapping[str, Any]:
    """What a record tells of a learned graph."""
    graph = found.graph
    edges = [(u, v, "->") for u, v in graph.directed] + [(u, v, "--") for u, v in graph.undirected]
    found_anyway = {"graph": json.dumps(sorted(edges)), "degree": graph.degree}
    if graph.extension() is None:
        return {**found_anyway, "extendable": False}
    against_truth = compare(graph, job.network.model)
    return {
        **found_anyway,
        "extendable": True,
        "score": found.score
        if _tells_bic(job)
        else _bic(graph, drawn.columns, unit_free=job.learner.options.get("unit_free")),
        **{name: float(getattr(against_truth, name)) for name in ("precision", "recall", "f1", "bsf", "shd")},
    }


def _tells_bic(job: Job) -> bool:
    """Whether the score that the learner gives is the BIC of its graph on the sample as drawn."""
    options = job.learner.options
    other_score = options.get("score", "bic") != "bic" or options.get("k", 1) != 1
    return not other_score and options.get("duplicates") != "merge" and "units" not in job.learner.vary


def _bic(graph: DAG | PDAG, columns: Columns, unit_free: bool | None = None) -> float:
    """The BIC, with the last digits that a learner with this option gives."""
    return score_graph(graph, columns, unit_free=unit_free, threads=1).total
