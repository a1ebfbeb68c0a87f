"""List the jobs of a study, and identify each by a hash of all that decides its outcome."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from stablebn import __version__
from stablebn.learners.registry import revision_of
from stablebn.study.definition import ConfiguredLearner, Study
from stablebn.study.study_networks import NamedNetwork


class TimingGroup(NamedTuple):
    """Network, rows and learner: jobs that share them take about the same time."""

    network: str
    nodes: int
    rows: int
    recipe: str


@dataclass(frozen=True)
class Job:
    """One learner on one layout of one sample.

    Attributes
    ----------
    network : NamedNetwork
    rows : int
    learner : ConfiguredLearner
    randomisation : int
        The number of the layout, from 1.
    seed : int
        The seed of the study.
    """

    network: NamedNetwork
    rows: int
    learner: ConfiguredLearner
    randomisation: int
    seed: int

    @property
    def timing_group(self) -> TimingGroup:
        """The group of jobs that take about the same time."""
        return TimingGroup(self.network.name, len(self.network.model), self.rows, self.learner.recipe)

    @property
    def sample_seed(self) -> int:
        """The seed of the sample: it depends on the seed of the study, the name of the network and the rows alone."""
        digest = hashlib.sha256(f"{self.seed} {self.network.name} {self.rows}".encode()).digest()
        return int.from_bytes(digest[:8], "little")

    @cached_property
    def sample_key(self) -> str:
        """A hash of all that decides the sample."""
        return _hashed("sample", __version__, self.network.fingerprint, self.rows, self.sample_seed)

    @cached_property
    def key(self) -> str:
        """A hash of all that decides the outcome. The label is not part of it, so that studies can share their jobs.

        The revisions of the algorithm and of its score and test are part of it: an outcome from before one of them was
        changed is never reused.
        """
        return _hashed(
            "job",
            self.sample_key,
            self.seed,
            self.learner.vary,
            self.randomisation,
            self.learner.recipe,
            revision_of(self.learner.algorithm, self.learner.options),
            self.learner.time_limit,
        )


def _hashed(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def jobs_of(study: Study) -> list[Job]:
    """Return all jobs by network, rows, randomisation and learner: neighbours share a sample and a layout."""
    most = max(learner.randomisations for learner in study.learners)
    return [
        Job(study.named_networks[network], rows, learner, randomisation, study.seed)
        for network in study.networks
        for rows in study.sizes
        for randomisation in range(1, most + 1)
        for learner in study.learners
        if network in learner.networks and rows in learner.sizes and randomisation <= learner.randomisations
    ]
