"""Means and standard deviations: first over randomisations, then over trials (specification, section 7)."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from stablebn.messages import counted
from stablebn.study.record import Record, Sample

Statistic = Literal["mean", "sd"]


def _normalised(record: Record) -> float | None:
    return None if record.score is None else record.score / record.rows


# What a run that has ended well says of each; None where no DAG extends the graph it learned.
METRIC_OF: dict[str, Callable[[Record], float | None]] = {
    "f1": lambda record: record.f1,
    "precision": lambda record: record.precision,
    "recall": lambda record: record.recall,
    "bsf": lambda record: record.bsf,
    "shd": lambda record: record.shd,
    "normalised_bic": _normalised,
    "degree": lambda record: record.degree,
    "seconds": lambda record: record.seconds,
}


class MeanSD(NamedTuple):
    """Mean and sample (n - 1) standard deviation; one value has no standard deviation."""

    mean: float
    sd: float | None


def mean_and_sd(values: Sequence[float]) -> MeanSD | None:
    """Of no values there is none.

    The module `statistics` adds exactly: the order of the values plays no part, and the deviation of equal ones is 0,
    not what the rounding of their mean leaves.

    >>> mean_and_sd([0.1] * 25)
    MeanSD(mean=0.1, sd=0.0)
    """
    if not values:
        return None
    return MeanSD(statistics.mean(values), statistics.stdev(values) if len(values) > 1 else None)


@dataclass(frozen=True)
class Trial:
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
    def mean_sd(self) -> dict[str, MeanSD | None]:
        """Of every metric, over the runs that have it."""
        found = {name: [metric(run) for run in self.done] for name, metric in METRIC_OF.items()}
        return {name: mean_and_sd([value for value in values if value is not None]) for name, values in found.items()}

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
    trials : iterable of Trial
        Of these samples.
    unshared : int
        How many more experiments there are that not all learners have run on.
    """

    def __init__(self, samples: Iterable[Sample], trials: Iterable[Trial], unshared: int = 0) -> None:
        self.samples = tuple(samples)
        self.unshared = unshared
        self._trials = {(trial.sample, trial.learner): trial for trial in trials}

    @classmethod
    def of(cls, samples: Iterable[Sample], records: Iterable[Record]) -> Experiments:
        """From what a study remembers; a sample of which no job has ended yet is no experiment."""
        by_name = {(sample.network, sample.rows): sample for sample in samples}
        runs: dict[tuple[Sample, str], list[Record]] = {}
        for record in records:
            runs.setdefault((by_name[record.network, record.rows], record.learner), []).append(record)
        begun = {sample for sample, _ in runs}
        trials = [Trial(sample, learner, tuple(own)) for (sample, learner), own in runs.items()]
        return cls([sample for sample in by_name.values() if sample in begun], trials)

    @property
    def learners(self) -> tuple[str, ...]:
        """In the order in which they first come."""
        return tuple(dict.fromkeys(learner for _, learner in self._trials))

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
        return Experiments(samples, [trial for trial in self._trials.values() if keep(trial.sample)])

    def without(self, learner: str) -> Experiments:
        """All but what one learner did."""
        return Experiments(self.samples, [trial for trial in self._trials.values() if trial.learner != learner])

    def of_networks(self, networks: Collection[str]) -> Experiments:
        """Those with samples of these networks."""
        return self.where(lambda sample: sample.network in networks)

    def of_size(self, rows: int) -> Experiments:
        """Those with samples of so many rows."""
        return self.where(lambda sample: sample.rows == rows)

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
        shared = self.where(lambda sample: all((sample, learner) in self._trials for learner in running))
        if not running:
            return Experiments((), ())
        return Experiments(
            shared.samples,
            [shared._trials[sample, learner] for sample in shared.samples for learner in running],
            unshared=len(self.samples) - len(shared.samples),
        )

    def trials(self, learner: str) -> list[Trial]:
        """Of one learner, in the order of the samples."""
        found = (self._trials.get((sample, learner)) for sample in self.samples)
        return [trial for trial in found if trial is not None]

    def on(self, sample: Sample) -> list[Trial]:
        """Of one sample, in the order of the learners."""
        found = (self._trials.get((sample, learner)) for learner in self.learners)
        return [trial for trial in found if trial is not None]

    def mean(self, learner: str, metric: str, statistic: Statistic = "mean") -> float | None:
        """Mean over the trials of a learner of the mean, or of the standard deviation, inside a trial."""
        return mean_of(self._figures(learner, metric, statistic))

    def known(self, learner: str, metric: str, statistic: Statistic = "mean") -> int:
        """In how many trials of a learner there is such a figure."""
        return sum(figure is not None for figure in self._figures(learner, metric, statistic))

    def is_complete(self, learner: str, metric: str, statistic: Statistic = "mean") -> bool:
        """Whether there is such a figure in every experiment: means over other networks do not compare."""
        return self.known(learner, metric, statistic) == len(self.samples)

    def _figures(self, learner: str, metric: str, statistic: Statistic) -> list[float | None]:
        mean_sd = [trial.mean_sd[metric] for trial in self.trials(learner)]
        return [None if own is None else getattr(own, statistic) for own in mean_sd]

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
        trials = [trial for learner in self.learners for trial in self.trials(learner)]
        runs = sum(len(trial.runs) for trial in trials)
        reasons = {
            "timed out": lambda trial: sum(run.status == "timed out" for run in trial.runs),
            "failed": lambda trial: sum(run.status == "failed" for run in trial.runs),
            "learned a graph that no DAG extends": lambda trial: trial.non_extendable,
        }
        counts = {reason: sum(map(count, trials)) for reason, count in reasons.items()}
        if not any(counts.values()):
            return f"No run of {runs:,} is left out."
        parts = [f"{count:,} {reason}" for reason, count in counts.items() if count]
        return f"Left out: {sum(counts.values()):,} of {counted(runs, 'run')}, of which {', '.join(parts)}."


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
