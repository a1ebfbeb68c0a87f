"""Networks: a DAG with a conditional probability table or a linear Gaussian for every node."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stablebn.data.wording import Caution
from stablebn.errors import GraphError, listed
from stablebn.graph import DAG

if TYPE_CHECKING:
    import pyarrow as pa

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
    warnings : sequence of Caution
        What the one who made it should know, such as configurations that no data spoke of.

    Raises
    ------
    GraphError
        Unknown parents, a cycle, tables of a wrong shape, probabilities that are not, or a mix of kinds.
    """

    def __init__(
        self, distributions: Mapping[Name, Distribution], name: str = "", warnings: Sequence[Caution] = ()
    ) -> None:
        self.name = name
        self.warnings = tuple(warnings)
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

    def sample(self, n: int, *, seed: int) -> pa.Table:
        """Draw rows: the same on every machine, whatever the order of the nodes, and fewer are the first of more.

        Parameters
        ----------
        n : int
        seed : int
            At least 0. Every node has a random stream of its own.

        Returns
        -------
        pyarrow.Table
            Columns in the network's order; categorical ones are dictionaries in the order of the levels.
        """
        from stablebn.networks.sampling import sample

        return sample(self, n, seed=seed)

    def log_likelihood(self, data: object, *, missing: str = "error", weights: object = None) -> float:
        """Logarithm of the probability, or density, of a table's rows under these parameters.

        On rows that were not used to fit them this is the held-out log-likelihood; -inf where a row is impossible.

        Parameters
        ----------
        data, missing, weights
            As in `stablebn.learn`. The columns are the nodes; levels are matched as values or else as text.
        """
        from stablebn.networks.likelihood import log_likelihood

        return log_likelihood(self, data, missing=missing, weights=weights)

    def to_pgmpy(self) -> Any:
        """The network as a pgmpy model."""
        from stablebn.networks.exporting import to_pgmpy

        return to_pgmpy(self)

    def to_pyagrum(self) -> Any:
        """The network as a pyAgrum model."""
        from stablebn.networks.exporting import to_pyagrum

        return to_pyagrum(self)

    def as_text(self) -> Network:
        """The network with names and levels as text."""
        texts: dict[Name, Distribution] = {}
        for node, own in self._distributions.items():
            parents = tuple(map(str, own.parents))
            if isinstance(own, CPT):
                texts[str(node)] = CPT(tuple(map(str, own.levels)), parents, own.probabilities)
            else:
                texts[str(node)] = LinearGaussian(parents, own.coefficients, own.intercept, own.sd)
        if len(texts) < len(self):
            raise GraphError(f"some names are the same as text: {listed(self.nodes)}.")
        return Network(texts, self.name, self.warnings)

    def write(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write a file; the end of its name tells the format. A file that exists stays unless `force`.

        Names and levels that are not text are written as text.
        """
        from stablebn.networks.formats import encode, network_text
        from stablebn.output import write_atomically

        name = os.fspath(path)
        write_atomically(Path(name), encode(network_text(self.as_text(), name), name), force=force)


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
