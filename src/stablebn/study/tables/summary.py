"""Compute means and standard deviations, first over randomisations, then over trials (specification, section 7)."""

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


# Each metric of a finished run; None if no DAG extends the learned graph.
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
    """Return mean and standard deviation, or None without any values.

    The module `statistics` adds exactly: the order of the values has no influence, and the deviation of equal values is
    exactly 0, without a rounding error of their mean.

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
        One per randomisation.
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
        """Mean and SD of every metric, over the runs that have it."""
        values_of = {name: [metric(run) for run in self.done] for name, metric in METRIC_OF.items()}
        return {
            name: mean_and_sd([value for value in values if value is not None]) for name, values in values_of.items()
        }

    @property
    def graphs(self) -> int:
        """The number of different learned graphs."""
        return len({run.graph for run in self.done})

    @property
    def non_extendable(self) -> int:
        """The number of runs in which no DAG extends the learned graph."""
        return sum(run.extendable is False for run in self.done)


class Experiments:
    """The samples of a study, and the trials of its learners on them.

    Parameters
    ----------
    samples : iterable of Sample
    trials : iterable of Trial
        Trials on these samples.
    unshared : int
        The number of experiments that were left out because not all learners have run on them.
    """

    def __init__(self, samples: Iterable[Sample], trials: Iterable[Trial], unshared: int = 0) -> None:
        self.samples = tuple(samples)
        self.unshared = unshared
        self._trials = {(trial.sample, trial.learner): trial for trial in trials}

    @classmethod
    def of(cls, samples: Iterable[Sample], records: Iterable[Record]) -> Experiments:
        """Group records into trials; samples without any record are left out."""
        by_name = {(sample.network, sample.rows): sample for sample in samples}
        runs: dict[tuple[Sample, str], list[Record]] = {}
        for record in records:
            runs.setdefault((by_name[record.network, record.rows], record.learner), []).append(record)
        begun = {sample for sample, _ in runs}
        trials = [Trial(sample, learner, tuple(records)) for (sample, learner), records in runs.items()]
        return cls([sample for sample in by_name.values() if sample in begun], trials)

    @property
    def learners(self) -> tuple[str, ...]:
        """The learners, in order of first occurrence."""
        return tuple(dict.fromkeys(learner for _, learner in self._trials))

    @property
    def networks(self) -> tuple[str, ...]:
        """The networks, in order of first occurrence."""
        return tuple(dict.fromkeys(sample.network for sample in self.samples))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of rows, increasing."""
        return tuple(sorted({sample.rows for sample in self.samples}))

    def where(self, keep: Callable[[Sample], bool]) -> Experiments:
        """Return the experiments with samples for which `keep` is true."""
        samples = [sample for sample in self.samples if keep(sample)]
        return Experiments(samples, [trial for trial in self._trials.values() if keep(trial.sample)])

    def without(self, learner: str) -> Experiments:
        """Return the experiments without the trials of one learner."""
        return Experiments(self.samples, [trial for trial in self._trials.values() if trial.learner != learner])

    def of_networks(self, networks: Collection[str]) -> Experiments:
        """Return the experiments with samples of these networks."""
        return self.where(lambda sample: sample.network in networks)

    def of_size(self, rows: int) -> Experiments:
        """Return the experiments with samples of this size."""
        return self.where(lambda sample: sample.rows == rows)

    def by_kind(self) -> dict[str, Experiments]:
        """Return the experiments of each kind of network that occurs."""
        kinds = dict.fromkeys(sample.kind for sample in self.samples)
        return {
            kind: self.of_networks({sample.network for sample in self.samples if sample.kind == kind}) for kind in kinds
        }

    def shared_by(self, learners: Iterable[str]) -> Experiments:
        """Return the experiments that all of these learners have run on, so that all have the same samples.

        Learners without any run are ignored; trials of other learners are left out.
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
        """Return the trials of a learner, in the order of the samples."""
        trials = (self._trials.get((sample, learner)) for sample in self.samples)
        return [trial for trial in trials if trial is not None]

    def on(self, sample: Sample) -> list[Trial]:
        """Return the trials on a sample, in the order of the learners."""
        trials = (self._trials.get((sample, learner)) for learner in self.learners)
        return [trial for trial in trials if trial is not None]

    def mean(self, learner: str, metric: str, statistic: Statistic = "mean") -> float | None:
        """Average a statistic of a metric (its mean or SD) over the trials of a learner."""
        return mean_of(self._figures(learner, metric, statistic))

    def known(self, learner: str, metric: str, statistic: Statistic = "mean") -> int:
        """Count the trials of a learner that have this statistic."""
        return sum(figure is not None for figure in self._figures(learner, metric, statistic))

    def is_complete(self, learner: str, metric: str, statistic: Statistic = "mean") -> bool:
        """Check whether a learner has this statistic in every experiment: otherwise its mean is over other networks."""
        return self.known(learner, metric, statistic) == len(self.samples)

    def _figures(self, learner: str, metric: str, statistic: Statistic) -> list[float | None]:
        mean_sd = [trial.mean_sd[metric] for trial in self.trials(learner)]
        return [None if pair is None else getattr(pair, statistic) for pair in mean_sd]

    def extent(self) -> str:
        """Return a few sentences that say what means are over, and what they leave out."""
        sizes = [f"{size:,}" for size in self.sizes]
        of = f"{counted(len(self.networks), 'network')}, {listed_words(sizes)} rows"
        sentences = [f"Over {counted(len(self.samples), 'experiment')}, the same for all learners: {of}."]
        if self.unshared:
            sentences.append(f"Left out: {counted(self.unshared, 'experiment')} that not all of them have run on.")
        return " ".join([*sentences, self.left_out()])

    def left_out(self) -> str:
        """Return a sentence that says how many runs are left out, and why."""
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
    """Join words by commas and "and".

    >>> listed_words(["10", "100", "1,000"])
    '10, 100 and 1,000'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def mean_of(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are not None; None without any."""
    present = [value for value in values if value is not None]
    return statistics.mean(present) if present else None
