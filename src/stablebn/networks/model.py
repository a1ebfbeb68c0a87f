"""Bayesian networks: a DAG with a distribution for every node.

Categorical nodes have conditional probability tables; continuous nodes have a linear Gaussian for each configuration of
their categorical parents. A network with both kinds is a conditional linear Gaussian network, in which a categorical
node has only categorical parents.
"""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stablebn.columns.cut_points import Cuts
from stablebn.columns.kinds import Kind
from stablebn.errors import GraphError, listed, shown
from stablebn.graph import DAG
from stablebn.graph.names import name_key
from stablebn.messages import Caution
from stablebn.options import (
    checked_arguments,
    file_path,
    flag,
    is_hashable,
    is_iterable,
    list_of_names,
    mapping,
    method_takes,
    text,
)
from stablebn.prepare.read_options import TableReading

if TYPE_CHECKING:
    import pyarrow as pa

Name: TypeAlias = Hashable
Level: TypeAlias = Hashable

SUM_TOLERANCE = 1e-3
"""Largest allowed difference between 1 and the sum of the probabilities of a parent configuration."""


@dataclass(frozen=True, eq=False)
class CPT:
    """Conditional probability table of a categorical node: the probability of each level given the parents' levels.

    Attributes
    ----------
    levels : tuple
        Levels of the node, in the network's order.
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
        """Number of levels minus one, times the number of configurations of the parents."""
        return math.prod(self.probabilities.shape[:-1]) * (len(self.levels) - 1)


@dataclass(frozen=True)
class LinearGaussian:
    """Distribution of a continuous node with continuous parents.

    The node is intercept + sum of coefficient * parent + normal noise with standard deviation sd.
    """

    parents: tuple[Name, ...]
    coefficients: tuple[float, ...]
    intercept: float
    sd: float

    @property
    def free_parameters(self) -> int:
        """One coefficient per parent, the intercept and the standard deviation."""
        return len(self.parents) + 2

    def conditional(self) -> ConditionalGaussian:
        """Return the same distribution as a `ConditionalGaussian` without categorical parents."""
        arrays = (np.array(part, dtype=np.float64) for part in (self.intercept, self.coefficients, self.sd))
        return ConditionalGaussian((), self.parents, *arrays)


@dataclass(frozen=True, eq=False)
class ConditionalGaussian:
    """Distribution of a continuous node with categorical parents: a linear Gaussian per configuration of their levels.

    Attributes
    ----------
    categorical_parents, continuous_parents : tuple of names
    intercepts, sds : float64 array [levels of categorical parent 1, ..., levels of categorical parent k]
    coefficients : float64 array [levels of categorical parent 1, ..., continuous parents]
    """

    categorical_parents: tuple[Name, ...]
    continuous_parents: tuple[Name, ...]
    intercepts: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    sds: NDArray[np.float64]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConditionalGaussian):
            return NotImplemented
        same_parents = (self.categorical_parents, self.continuous_parents) == (
            other.categorical_parents,
            other.continuous_parents,
        )
        return same_parents and all(map(np.array_equal, self._arrays, other._arrays))

    __hash__ = None  # type: ignore[assignment]

    @property
    def _arrays(self) -> tuple[NDArray[np.float64], ...]:
        return self.intercepts, self.coefficients, self.sds

    @property
    def parents(self) -> tuple[Name, ...]:
        """All parents, the categorical ones first."""
        return (*self.categorical_parents, *self.continuous_parents)

    @property
    def free_parameters(self) -> int:
        """One coefficient per continuous parent, the intercept and the standard deviation, for each configuration."""
        return self.intercepts.size * (len(self.continuous_parents) + 2)

    def conditional(self) -> ConditionalGaussian:
        """Return itself, so that both classes of continuous nodes can be treated alike."""
        return self

    def terms(self) -> Iterator[tuple[Name, NDArray[np.float64]]]:
        """Yield each continuous parent with its coefficients [levels of categorical parent 1, ...].

        Parents are in the order of their names, so that the order in a file does not change the last bit of a sum.
        """
        for parent in sorted(self.continuous_parents, key=name_key):
            yield parent, self.coefficients[..., self.continuous_parents.index(parent)]


Distribution: TypeAlias = CPT | LinearGaussian | ConditionalGaussian


class Network(Mapping[Name, Distribution]):
    """A Bayesian network; a mapping from its nodes, in order, to their distributions.

    Parameters
    ----------
    distributions : mapping of name to CPT, LinearGaussian or ConditionalGaussian
    name : str
    warnings : sequence of Caution
        Warnings about the parameters, for example configurations of parents that do not occur in the data.
    cuts : mapping of name to tuple of float
        Cut points of the categorical nodes whose levels are bins of numbers: `log_likelihood` puts numbers into bins.

    Raises
    ------
    GraphError
        Unknown parents, a cycle, tables of a wrong shape, invalid probabilities, or a continuous parent of a
        categorical node.
    """

    @checked_arguments(distributions=mapping, name=text, warnings=list_of_names, cuts=mapping)
    def __init__(
        self,
        distributions: Mapping[Name, Distribution],
        name: str = "",
        warnings: Sequence[Caution] = (),
        cuts: Mapping[Name, Sequence[float]] | None = None,
    ) -> None:
        self.name = name
        self.warnings = tuple(warnings)
        _check_parts(distributions)
        self.cuts: Cuts = {node: _points(node, points) for node, points in (cuts or {}).items()}
        self._distributions = dict(distributions)
        self.dag = DAG(
            list(distributions), [(parent, node) for node, own in distributions.items() for parent in own.parents]
        )
        check_categorical_parents(self.dag, self.kinds)
        for node, own in distributions.items():
            _check(node, own, self._distributions)
        _check_cuts(self.cuts, self.kinds)

    def __getitem__(self, node: Name) -> Distribution:
        return self._distributions[node]

    def __iter__(self) -> Iterator[Name]:
        return iter(self._distributions)

    def __len__(self) -> int:
        return len(self._distributions)

    def __repr__(self) -> str:
        return f"<Network {self.name!r}: {len(self)} {self.kind} nodes, {len(self.dag.arcs)} arcs>"

    @property
    def nodes(self) -> tuple[Name, ...]:
        """The nodes, in the network's order."""
        return tuple(self._distributions)

    @property
    def arcs(self) -> tuple[tuple[Name, Name], ...]:
        """The arcs, sorted."""
        return self.dag.arcs

    @cached_property
    def kinds(self) -> dict[Name, Kind]:
        """Whether each node is categorical or continuous."""
        return {
            node: "categorical" if isinstance(own, CPT) else "continuous" for node, own in self._distributions.items()
        }

    @property
    def kind(self) -> Literal["categorical", "continuous", "mixed"]:
        """Kind of all nodes, or "mixed"."""
        found = set(self.kinds.values())
        return "mixed" if len(found) > 1 else found.pop() if found else "categorical"

    @property
    def is_continuous(self) -> bool:
        """Whether all nodes are continuous."""
        return self.kind == "continuous"

    @property
    def free_parameters(self) -> int:
        """Number of free parameters."""
        return sum(own.free_parameters for own in self._distributions.values())

    def sample(self, n: int, *, seed: int) -> pa.Table:
        """Draw rows. The result is the same on every machine and for every order of the nodes.

        A smaller sample with the same seed is the beginning of a larger one.

        Parameters
        ----------
        n : int
        seed : int
            At least 0. Each node has its own random stream.

        Returns
        -------
        pyarrow.Table
            Columns in the network's order; categorical ones are dictionaries in the order of the levels, continuous
            ones numbers.
        """
        from stablebn.networks.sample import sample

        return sample(self, n, seed=seed)

    @method_takes(TableReading)
    def log_likelihood(self, *arguments: Any, **options: Any) -> float:
        """Compute the log-likelihood of a table's rows under these parameters.

        On rows that were not used for fitting, this is the held-out log-likelihood. It is -inf if a row is impossible,
        for example if it has a level that the network does not know (`UnseenLevelWarning`).

        The columns that are used must be the nodes; those of an array without names must be in the order of the nodes.
        Levels are matched as values, or else as text. The network determines the kinds: `kinds` cannot contradict it.
        Numbers for nodes that have `cuts` are put into the bins. A row with a missing value has no likelihood:
        `missing="available"` is refused if there are missing values.

        Returns
        -------
        float

        Examples
        --------
        >>> import stablebn as sb
        >>> asia = sb.read_network("asia")
        >>> table = asia.sample(100, seed=1)
        >>> numbered = table.append_column("row", [list(range(100))])
        >>> asia.log_likelihood(numbered, drop="row") == asia.log_likelihood(table)
        True
        """
        from stablebn.networks.likelihood import log_likelihood

        return log_likelihood(self, TableReading.from_call("log_likelihood", arguments, options))

    def to_pgmpy(self) -> Any:
        """Return the network as a pgmpy model."""
        from stablebn.networks.export import to_pgmpy

        return to_pgmpy(self)

    def to_pyagrum(self) -> Any:
        """Return the network as a pyAgrum model.

        Do not pass the network to pyAgrum as an XDSL file: pyAgrum reads the parents of a node in reverse order.
        """
        from stablebn.networks.export import to_pyagrum

        return to_pyagrum(self)

    def as_text(self) -> Network:
        """Return the network with names and levels as text."""
        names = {node: str(node) for node in self}
        if len(set(names.values())) < len(self):
            raise GraphError(f"some names are the same as text: {listed(self.nodes)}.")
        return renamed(
            self, names, {node: tuple(map(str, own.levels)) for node, own in self.items() if isinstance(own, CPT)}
        )

    @checked_arguments(path=file_path, force=flag)
    def write(self, path: str | os.PathLike[str], *, force: bool = False) -> Caution | None:
        """Write a file, whose ending determines the format. An existing file is replaced only with `force`.

        JSON keeps names and levels that are numbers, booleans, dates or tuples; other formats store them as text.

        Returns
        -------
        Caution or None
            A warning about names that were changed: in BIF, those that not all programs read.
        """
        from stablebn.files import write_atomically
        from stablebn.networks.formats import encode, keeps_values, names_in_file, network_text

        name = os.fspath(path)
        texts = self if keeps_values(name) else self.as_text()
        write_atomically(Path(name), encode(network_text(texts, name), name), force=force)
        return names_in_file(texts, name)


def _points(node: Name, points: object) -> tuple[float, ...]:
    if not is_iterable(points) or not all(map(_is_real, own := tuple(points))):
        raise GraphError(f"the cut points of node {node!r} must be a list of numbers.")
    return own


def _is_real(value: object) -> bool:
    # The limit is for integers with thousands of digits, which no float can hold.
    return isinstance(value, float | np.integer | np.floating) or (isinstance(value, int) and abs(value) < 2**1023)


def _check_parts(distributions: Mapping[Name, object]) -> None:
    """Raise `GraphError` if a value is not a distribution, or has parts of other types than it declares."""
    for node, own in distributions.items():
        if not isinstance(own, CPT | LinearGaussian | ConditionalGaussian):
            raise GraphError(
                f"node {node!r} has no distribution but {type(own).__name__}; give a CPT, LinearGaussian or "
                "ConditionalGaussian."
            )
        lists: list[object] = []
        if isinstance(own, ConditionalGaussian):
            lists += [own.categorical_parents, own.continuous_parents]
        elif isinstance(own, LinearGaussian):
            lists += [own.parents, own.coefficients]
        else:
            lists += [own.parents, own.levels]
        for value in lists:
            if not isinstance(value, tuple | list) or not all(map(is_hashable, value)):
                raise GraphError(f"node {node!r} needs tuples of parents, levels or coefficients; got {shown(value)}.")
        probabilities = own.probabilities if isinstance(own, CPT) else np.zeros(())
        if not _is_array_of_numbers(probabilities):
            raise GraphError(f"the probabilities of node {node!r} must be a NumPy array of numbers.")
        if isinstance(own, ConditionalGaussian) and not all(map(_is_array_of_numbers, own._arrays)):
            raise GraphError(f"node {node!r} needs NumPy arrays of intercepts, coefficients and standard deviations.")
        if isinstance(own, LinearGaussian) and not all(map(_is_real, (*own.coefficients, own.intercept, own.sd))):
            raise GraphError(f"node {node!r} has a coefficient, intercept or standard deviation that is no number.")


def _is_array_of_numbers(value: object) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "biuf"


def renamed(network: Network, names: Mapping[Name, Name], levels: Mapping[Name, Sequence[Level]]) -> Network:
    """Return a network with other names and levels.

    Parameters
    ----------
    network : Network
    names : mapping
        From every node to its new name.
    levels : mapping
        From the old names of categorical nodes to their new levels, in the same order; other nodes keep their levels.
    """
    found: dict[Name, Distribution] = {}
    for node, own in network.items():
        parents = tuple(names[parent] for parent in own.parents)
        if isinstance(own, CPT):
            found[names[node]] = CPT(tuple(levels.get(node, own.levels)), parents, own.probabilities)
        elif isinstance(own, LinearGaussian):
            found[names[node]] = replace(own, parents=parents)
        else:
            categorical = len(own.categorical_parents)
            found[names[node]] = replace(
                own, categorical_parents=parents[:categorical], continuous_parents=parents[categorical:]
            )
    return Network(
        found, network.name, network.warnings, {names[node]: points for node, points in network.cuts.items()}
    )


def check_categorical_parents(dag: DAG, kinds: Mapping[Name, Kind]) -> None:
    """Raise `GraphError` if a categorical node has continuous parents, for which there is no distribution."""
    for node in dag.nodes:
        unfit = [
            parent for parent in dag.parents(node) if (kinds[parent], kinds[node]) == ("continuous", "categorical")
        ]
        if unfit:
            raise GraphError(
                f"node {node!r} is categorical and has continuous parents: {listed(unfit)}. Conditional linear "
                'Gaussian networks have no distribution for that: reverse the arcs (learn with arcs="clg"), or '
                "make categories of the parents (stablebn.discretise)."
            )


def _check(node: Name, own: Distribution, distributions: Mapping[Name, Distribution]) -> None:
    if isinstance(own, CPT):
        _check_table(node, own, distributions)
        return
    gaussian = own.conditional()
    if isinstance(own, ConditionalGaussian) and not own.categorical_parents:
        raise GraphError(f"node {node!r} has no categorical parents: it is a LinearGaussian.")
    wrong = [
        parent
        for parents, categorical in ((gaussian.categorical_parents, True), (gaussian.continuous_parents, False))
        for parent in parents
        if isinstance(distributions[parent], CPT) != categorical
    ]
    if wrong:
        raise GraphError(
            f"node {node!r} has parents of the other kind: {listed(wrong)}. A continuous node with categorical parents "
            "is a ConditionalGaussian, which lists its categorical and its continuous parents separately."
        )
    shape = tuple(len(_levels(distributions[parent])) for parent in gaussian.categorical_parents)
    fits = (
        gaussian.intercepts.shape == gaussian.sds.shape == shape
        and gaussian.coefficients.shape == (*shape, len(gaussian.continuous_parents))
        and all(np.isfinite(part).all() for part in (gaussian.intercepts, gaussian.coefficients, gaussian.sds))
        and (gaussian.sds >= 0).all()
    )
    if not fits:
        each = " for each configuration of the levels of its categorical parents" if shape else ""
        raise GraphError(
            f"node {node!r} needs a finite intercept, a finite coefficient per continuous parent and a finite standard "
            f"deviation of at least 0{each}."
        )


def _check_table(node: Name, own: CPT, distributions: Mapping[Name, Distribution]) -> None:
    if not own.levels or len(set(own.levels)) != len(own.levels):
        raise GraphError(f"the levels of node {node!r} must be at least one, and differ: {listed(own.levels)}.")
    shape = (*(len(_levels(distributions[parent])) for parent in own.parents), len(own.levels))
    if own.probabilities.shape != shape:
        raise GraphError(f"the table of node {node!r} has shape {own.probabilities.shape}; its levels ask for {shape}.")
    if not (own.probabilities >= 0).all() or not (abs(own.probabilities.sum(axis=-1) - 1) <= SUM_TOLERANCE).all():
        raise GraphError(
            f"the probabilities of node {node!r} must be at least 0 and sum to 1 (within {SUM_TOLERANCE})."
        )


def _check_cuts(cuts: Cuts, kinds: Mapping[Name, Kind]) -> None:
    unfit = [
        node
        for node, points in cuts.items()
        if kinds.get(node) != "categorical" or not all(a < b for a, b in pairwise((-math.inf, *points, math.inf)))
    ]
    if unfit:
        raise GraphError(f"cut points are finite, ascending, and of categorical nodes; not those of {listed(unfit)}.")


def _levels(own: Distribution) -> tuple[Level, ...]:
    return own.levels if isinstance(own, CPT) else ()
