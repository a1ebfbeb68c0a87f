"""Networks: a DAG with a conditional probability table or a linear Gaussian for every node."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stablebn.errors import GraphError, listed
from stablebn.graph import DAG

Name: TypeAlias = Hashable
Level: TypeAlias = Hashable

SUM_TOLERANCE = 1e-3
"""How far the probabilities of one parent configuration may sum from 1."""


@dataclass(frozen=True, eq=False)
class CPT:
    """A categorical node: the probability of each of its levels, given its parents' levels.

    Attributes
    ----------
    levels : tuple
        Of the node, in the network's order.
    parents : tuple of names
    probabilities : float64 array [levels of parent 1, ..., levels of parent k, levels of the node]
    """

    levels: tuple[Level, ...]
    parents: tuple[Name, ...]
    probabilities: NDArray[np.float64]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CPT):
            return NotImplemented
        same_shape = (self.levels, self.parents) == (other.levels, other.parents)
        return same_shape and np.array_equal(self.probabilities, other.probabilities)

    __hash__ = None  # type: ignore[assignment]

    @property
    def free_parameters(self) -> int:
        """Levels less one, for each configuration of the parents."""
        return math.prod(self.probabilities.shape[:-1]) * (len(self.levels) - 1)


@dataclass(frozen=True)
class LinearGaussian:
    """A continuous node: intercept + sum of coefficient * parent + noise with standard deviation sd."""

    parents: tuple[Name, ...]
    coefficients: tuple[float, ...]
    intercept: float
    sd: float

    @property
    def free_parameters(self) -> int:
        """A coefficient a parent, the intercept and the standard deviation."""
        return len(self.parents) + 2


Distribution: TypeAlias = CPT | LinearGaussian


class Network(Mapping[Name, Distribution]):
    """A Bayesian network; a mapping from its nodes, in order, to their distributions.

    Parameters
    ----------
    distributions : mapping of name to CPT or LinearGaussian
        All of one kind.
    name : str

    Raises
    ------
    GraphError
        Unknown parents, a cycle, tables of a wrong shape, probabilities that are not, or a mix of kinds.
    """

    def __init__(self, distributions: Mapping[Name, Distribution], name: str = "") -> None:
        self.name = name
        self._distributions = dict(distributions)
        self.dag = DAG(
            list(distributions), [(parent, node) for node, own in distributions.items() for parent in own.parents]
        )
        if len({type(own) for own in distributions.values()}) > 1:
            raise GraphError("a network is all categorical or all continuous; this one is mixed.")
        for node, own in distributions.items():
            _check(node, own, self._distributions)

    def __getitem__(self, node: Name) -> Distribution:
        return self._distributions[node]

    def __iter__(self) -> Iterator[Name]:
        return iter(self._distributions)

    def __len__(self) -> int:
        return len(self._distributions)

    def __repr__(self) -> str:
        kind = "continuous" if self.is_continuous else "categorical"
        return f"<Network {self.name!r}: {len(self)} {kind} nodes, {len(self.dag.arcs)} arcs>"

    @property
    def nodes(self) -> tuple[Name, ...]:
        """The nodes, in the network's order."""
        return tuple(self._distributions)

    @property
    def arcs(self) -> tuple[tuple[Name, Name], ...]:
        """The arcs, sorted."""
        return self.dag.arcs

    @cached_property
    def is_continuous(self) -> bool:
        """Whether the nodes are linear Gaussians."""
        return any(isinstance(own, LinearGaussian) for own in self._distributions.values())

    @property
    def free_parameters(self) -> int:
        """Number of free parameters."""
        return sum(own.free_parameters for own in self._distributions.values())


def _check(node: Name, own: Distribution, distributions: Mapping[Name, Distribution]) -> None:
    if isinstance(own, LinearGaussian):
        numbers = (*own.coefficients, own.intercept, own.sd)
        if len(own.coefficients) != len(own.parents) or not all(map(math.isfinite, numbers)) or own.sd < 0:
            raise GraphError(
                f"node {node!r} needs a finite coefficient a parent and a standard deviation of at least 0."
            )
        return
    if not own.levels or len(set(own.levels)) != len(own.levels):
        raise GraphError(f"the levels of node {node!r} must be at least one, and differ: {listed(own.levels)}.")
    shape = (*(len(_levels(distributions[parent])) for parent in own.parents), len(own.levels))
    if own.probabilities.shape != shape:
        raise GraphError(f"the table of node {node!r} has shape {own.probabilities.shape}; its levels ask for {shape}.")
    if not (own.probabilities >= 0).all() or not (abs(own.probabilities.sum(axis=-1) - 1) <= SUM_TOLERANCE).all():
        raise GraphError(
            f"the probabilities of node {node!r} must be at least 0 and sum to 1 (within {SUM_TOLERANCE})."
        )


def _levels(own: Distribution) -> tuple[Level, ...]:
    return own.levels if isinstance(own, CPT) else ()
