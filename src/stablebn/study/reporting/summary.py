"""Means and standard deviations: first over the randomisations of a cell, then over cells (SPEC, section 7)."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from stablebn.study.record import Record, Sample

Statistic = Literal["mean", "sd"]


def _normalised(record: Record) -> float | None:
    return None if record.score is None else record.score / record.rows


# What a run that has ended well says of each; None where no DAG extends the graph it learned.
METRICS: dict[str, Callable[[Record], float | None]] = {
    "f1": lambda record: record.f1,
    "precision": lambda record: record.precision,
    "recall": lambda record: record.recall,
    "bsf": lambda record: record.bsf,
    "shd": lambda record: record.shd,
    "normalised_bic": _normalised,
    "degree": lambda record: record.degree,
    "seconds": lambda record: record.seconds,
}


class Spread(NamedTuple):
    """Mean and sample (n - 1) standard deviation; one value has no standard deviation."""

    mean: float
    sd: float | None


def spread(values: Sequence[float]) -> Spread | None:
    """Of no values there is none.

    The module `statistics` adds exactly: the order of the values plays no part, and the deviation of equal ones is 0,
    not what the rounding of their mean leaves.

    >>> spread([0.1] * 25)
    Spread(mean=0.1, sd=0.0)
    """
    if not values:
        return None
    return Spread(statistics.mean(values), statistics.stdev(values) if len(values) > 1 else None)


@dataclass(frozen=True)
class Cell:
    """One learner on one sample.

    Attributes
    ----------
    sample : Sample
    learner : str
    runs : tuple of Record
        One a randomisation.
    """

    sample: Sample
    learner: str
    runs: tuple[Record, ...]

    @cached_property
    def done(self) -> tuple[Record, ...]:
        """The runs that learned a graph."""
        return tuple(run for run in self.runs if run.status == "done")

    @cached_property
    def spreads(self) -> dict[str, Spread | None]:
        """Of every metric, over the runs that have it."""
        found = {name: [metric(run) for run in self.done] for name, metric in METRICS.items()}
        return {name: spread([value for value in values if value is not None]) for name, values in found.items()}

    @property
    def graphs(self) -> int:
        """How many different graphs were learned."""
        return len({run.graph for run in self.done})

    @property
    def non_extendable(self) -> int:
        """In how many runs no DAG extends the learned graph."""
        return sum(run.extendable is False for run in self.done)


class Experiments:
    """The samples of a study, and what its learners made of them.

    Parameters
    ----------
    samples : iterable of Sample
    cells : iterable of Cell
        Of these samples.
    unshared : int
        How many more experiments there are that not all learners have run on.
    """

    def __init__(self, samples: Iterable[Sample], cells: Iterable[Cell], unshared: int = 0) -> None:
        self.samples = tuple(samples)
        self.unshared = unshared
        self._cells = {(cell.sample, cell.learner): cell for cell in cells}

    @classmethod
    def of(cls, samples: Iterable[Sample], records: Iterable[Record]) -> Experiments:
        """From what a study remembers; a sample of which no job has ended yet is no experiment."""
        by_name = {(sample.network, sample.rows): sample for sample in samples}
        runs: dict[tuple[Sample, str], list[Record]] = {}
        for record in records:
            runs.setdefault((by_name[record.network, record.rows], record.learner), []).append(record)
        begun = {sample for sample, _ in runs}
        cells = [Cell(sample, learner, tuple(own)) for (sample, learner), own in runs.items()]
        return cls([sample for sample in by_name.values() if sample in begun], cells)

    @property
    def learners(self) -> tuple[str, ...]:
        """In the order in which they first come."""
        return tuple(dict.fromkeys(learner for _, learner in self._cells))

    @property
    def networks(self) -> tuple[str, ...]:
        """In the order in which they first come."""
        return tuple(dict.fromkeys(sample.network for sample in self.samples))

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of rows, increasing."""
        return tuple(sorted({sample.rows for sample in self.samples}))

    def where(self, keep: Callable[[Sample], bool]) -> Experiments:
        """Those whose sample is to be kept."""
        samples = [sample for sample in self.samples if keep(sample)]
        return Experiments(samples, [cell for cell in self._cells.values() if keep(cell.sample)])

    def of_networks(self, networks: Collection[str]) -> Experiments:
        """Those with samples of these networks."""
        return self.where(lambda sample: sample.network in networks)

    def by_kind(self) -> dict[str, Experiments]:
        """Those with categorical and those with continuous samples, where there are any."""
        kinds = dict.fromkeys(sample.kind for sample in self.samples)
        return {
            kind: self.of_networks({sample.network for sample in self.samples if sample.kind == kind}) for kind in kinds
        }

    def shared_by(self, learners: Iterable[str]) -> Experiments:
        """Those that every one of these learners has run on, if it has run at all: all are judged by the same samples.

        Other learners are left out.
        """
        running = [learner for learner in learners if learner in self.learners]
        shared = self.where(lambda sample: all((sample, learner) in self._cells for learner in running))
        if not running:
            return Experiments((), ())
        return Experiments(
            shared.samples,
            [shared._cells[sample, learner] for sample in shared.samples for learner in running],
            unshared=len(self.samples) - len(shared.samples),
        )

    def cells(self, learner: str) -> list[Cell]:
        """Of one learner, in the order of the samples."""
        found = (self._cells.get((sample, learner)) for sample in self.samples)
        return [cell for cell in found if cell is not None]

    def on(self, sample: Sample) -> list[Cell]:
        """Of one sample, in the order of the learners."""
        found = (self._cells.get((sample, learner)) for learner in self.learners)
        return [cell for cell in found if cell is not None]

    def mean(self, learner: str, metric: str, statistic: Statistic = "mean") -> float | None:
        """Mean over the cells of a learner of the mean, or of the standard deviation, inside a cell."""
        return mean_of(self._figures(learner, metric, statistic))

    def known(self, learner: str, metric: str, statistic: Statistic = "mean") -> int:
        """In how many cells of a learner there is such a figure."""
        return sum(figure is not None for figure in self._figures(learner, metric, statistic))

    def is_complete(self, learner: str, metric: str, statistic: Statistic = "mean") -> bool:
        """Whether there is such a figure in every experiment: means over other networks do not compare."""
        return self.known(learner, metric, statistic) == len(self.samples)

    def _figures(self, learner: str, metric: str, statistic: Statistic) -> list[float | None]:
        spreads = [cell.spreads[metric] for cell in self.cells(learner)]
        return [None if own is None else getattr(own, statistic) for own in spreads]

    def extent(self) -> str:
        """What means are over, and what they leave out, in a few sentences."""
        sizes = [f"{size:,}" for size in self.sizes]
        of = f"{counted(len(self.networks), 'network')}, {listed_words(sizes)} rows"
        sentences = [f"Over {counted(len(self.samples), 'experiment')}, the same for all learners: {of}."]
        if self.unshared:
            sentences.append(f"Left out: {counted(self.unshared, 'experiment')} that not all of them have run on.")
        return " ".join([*sentences, self.left_out()])

    def left_out(self) -> str:
        """Which runs have no figures, and why, in a sentence."""
        cells = [cell for learner in self.learners for cell in self.cells(learner)]
        runs = sum(len(cell.runs) for cell in cells)
        reasons = {
            "timed out": lambda cell: sum(run.status == "timed out" for run in cell.runs),
            "failed": lambda cell: sum(run.status == "failed" for run in cell.runs),
            "learned a graph that no DAG extends": lambda cell: cell.non_extendable,
        }
        counts = {reason: sum(map(count, cells)) for reason, count in reasons.items()}
        if not any(counts.values()):
            return f"No run of {runs:,} is left out."
        parts = [f"{count:,} {reason}" for reason, count in counts.items() if count]
        return f"Left out: {sum(counts.values()):,} of {counted(runs, 'run')}, of which {', '.join(parts)}."


def counted(number: int, thing: str) -> str:
    """A number of things.

    >>> counted(1, "run"), counted(2000, "run")
    ('1 run', '2,000 runs')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def listed_words(words: Sequence[str]) -> str:
    """Words as they stand in a sentence.

    >>> listed_words(["10", "100", "1,000"])
    '10, 100 and 1,000'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def mean_of(values: Iterable[float | None]) -> float | None:
    """Mean of those that are there; None if none is."""
    present = [value for value in values if value is not None]
    return statistics.mean(present) if present else None
