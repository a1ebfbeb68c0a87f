"""Collect the declarations and tables of a network file, check them, and build a `Network`."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from stablebn.errors import FormatError, GraphError, listed
from stablebn.graph import DAG
from stablebn.networks.formats.parsing.probability_tables import Cells, Family, WrittenTable
from stablebn.networks.model import (
    CPT,
    SUM_TOLERANCE,
    ConditionalGaussian,
    Distribution,
    LinearGaussian,
    Network,
)

# NumPy 1 has at most 32 dimensions, one of which is that of the node.
_MOST_PARENTS = 31
# In a short file, rows that a default fills may have this many cells.
_MOST_CELLS_BY_DEFAULT = 2**22


class Formula(Protocol):
    """Distribution of a continuous node in the form of the file."""

    def gaussian(
        self, levels: Mapping[str, tuple[str, ...]], continuous: Sequence[str]
    ) -> LinearGaussian | ConditionalGaussian:
        """Convert it to a distribution, or raise `FormatError`.

        Parameters
        ----------
        levels : mapping of str to tuple of str
            The categorical parents with their levels; the number of configurations has been checked.
        continuous : sequence of str
            The continuous parents.
        """


class Draft:
    """Collects the nodes of a network file, and builds the network.

    Parameters
    ----------
    file : str
        Name of the file, for messages.
    text : str
        Text of the file, whose length bounds the size of the tables.
    normalise : bool
        Whether to rescale probabilities that do not sum to 1; otherwise they are refused.
    """

    def __init__(self, file: str, text: str, *, normalise: bool) -> None:
        self._file = file
        # Tables written in full have fewer cells than the text has characters.
        self._room = max(len(text), _MOST_CELLS_BY_DEFAULT)
        self._normalise = normalise
        self._levels: dict[str, tuple[str, ...]] = {}
        self._declared: dict[str, int | None] = {}
        self._parents: dict[str, tuple[str, ...]] = {}
        self._tables: dict[str, WrittenTable] = {}
        self._formulas: dict[str, Formula] = {}
        self._defined: dict[str, int | None] = {}

    def declare(self, node: str, levels: Sequence[str], line: int | None) -> None:
        """Add a categorical node and its levels."""
        check_new(node, self._declared, line, self._file)
        if not levels:
            raise FormatError(self._file, line, f"node {node!r} has no levels; expected at least one.")
        twice = [level for level, times in Counter(levels).items() if times > 1]
        if twice:
            raise FormatError(self._file, line, f"node {node!r} has a level twice; expected others: {listed(twice)}.")
        self._levels[node] = tuple(levels)
        self._declared[node] = line

    def define(self, node: str, parents: Sequence[str], table: WrittenTable, line: int | None) -> None:
        """Add the table of a categorical node, which may be declared later."""
        if node in self._defined:
            first = self._defined[node]
            raise FormatError(self._file, line, f"node {node!r} has a second table; the first is in line {first}.")
        self._parents[node] = tuple(parents)
        self._tables[node] = table
        self._defined[node] = line

    def define_continuous(self, node: str, parents: Sequence[str], formula: Formula, line: int | None) -> None:
        """Add a continuous node."""
        check_new(node, self._declared, line, self._file)
        self._parents[node] = tuple(parents)
        self._formulas[node] = formula
        self._declared[node] = self._defined[node] = line

    def network(self, name: str, cuts: Mapping[str, Sequence[float]] | None = None) -> Network:
        """Build the network after all nodes have been added."""
        for node, line in self._defined.items():
            if node not in self._declared:
                raise FormatError(self._file, line, f"there is a table for {node!r}, which is not declared as a node.")
        for node, line in self._declared.items():
            if node not in self._defined:
                raise FormatError(self._file, line, f"node {node!r} has no probabilities; expected a table for it.")
        check_parents(self._parents, self._defined, self._file)
        made = {node: self._cpt(node) if node in self._levels else self._gaussian(node) for node in self._declared}
        return checked_network(made, self._defined, self._file, name, cuts)

    def _cpt(self, node: str) -> CPT:
        parents = self._parents[node]
        unfit = [parent for parent in parents if parent not in self._levels]
        if unfit:
            raise FormatError(
                self._file,
                self._defined[node],
                f"node {node!r} is categorical and has continuous parents: {listed(unfit)}; expected a conditional "
                "linear Gaussian network, in which it has categorical ones only.",
            )
        levels = tuple(self._levels[member] for member in (*parents, node))
        family = Family(self._file, self._defined[node], node, parents, levels)
        self._take_room(node, map(len, levels))
        cells = self._tables[node].cells(family)
        probabilities = _probabilities(cells, family, normalise=self._normalise)
        return CPT(levels[-1], parents, probabilities.reshape(tuple(map(len, levels))))

    def _gaussian(self, node: str) -> LinearGaussian | ConditionalGaussian:
        levels = {parent: self._levels[parent] for parent in self._parents[node] if parent in self._levels}
        continuous = [parent for parent in self._parents[node] if parent not in levels]
        self._take_room(node, [*map(len, levels.values()), len(continuous) + 2])
        return self._formulas[node].gaussian(levels, continuous)

    def _take_room(self, node: str, sizes: Iterable[int]) -> None:
        """Raise `FormatError` if a table of these sizes has more numbers than the file can have."""
        parents = len([parent for parent in self._parents[node] if parent in self._levels])
        line = self._defined[node]
        if parents > _MOST_PARENTS:
            raise FormatError(
                self._file,
                line,
                f"the table of node {node!r} has {parents} parents; expected at most {_MOST_PARENTS}.",
            )
        cells = 1
        for size in sizes:
            cells *= size
            # Checked inside the loop, before the product becomes a huge integer.
            if cells > self._room:
                raise FormatError(
                    self._file,
                    line,
                    f"the table of node {node!r} would have more numbers than this file can hold; expected fewer "
                    "parents.",
                )
        self._room -= cells


def check_new(node: str, declared: Mapping[str, int | None], line: int | None, file: str) -> None:
    """Raise `FormatError` if a node is already declared."""
    if node in declared:
        raise FormatError(file, line, f"node {node!r} is declared a second time; first in line {declared[node]}.")


def check_parents(parents: Mapping[str, Sequence[Hashable]], lines: Mapping[str, int | None], file: str) -> None:
    """Raise `FormatError` if parents are not nodes, occur twice, or are the node itself."""
    for node, own in parents.items():
        unknown = [parent for parent in own if parent not in parents]
        if unknown:
            raise FormatError(file, lines[node], f"node {node!r} has a parent that is not a node: {listed(unknown)}.")
        if node in own or len(set(own)) < len(own):
            raise FormatError(
                file, lines[node], f"the parents of node {node!r} must differ, and from it: {listed(own)}."
            )


def checked_network(
    distributions: Mapping[str, Distribution],
    lines: Mapping[str, int | None],
    file: str,
    name: str,
    cuts: Mapping[str, Sequence[float]] | None = None,
) -> Network:
    """Build a network, or raise `FormatError` with the line whose arcs close a cycle.

    The name "unknown" stands for a network without a name.
    """
    if not distributions:
        raise FormatError(file, None, "expected at least one node.")
    try:
        return Network(dict(distributions.items()), "" if name == "unknown" else name, cuts=dict((cuts or {}).items()))
    except GraphError as error:
        families = [(node, own.parents) for node, own in distributions.items()]

        def build(some: int) -> DAG:
            return DAG(distributions, [(parent, node) for node, parents in families[:some] for parent in parents])

        wrong = first_wrong(build, len(families))
        raise FormatError(file, None if wrong is None else lines[families[wrong][0]], str(error)) from None


def first_wrong(build: Callable[[int], object], parts: int) -> int | None:
    """Bisect for the first part with which `build(n)`, the graph of the first n parts, fails; None if none does."""

    def fails(some: int) -> bool:
        try:
            build(some)
        except GraphError:
            return True
        return False

    parts_that_fail = bisect_left(range(parts + 1), True, key=fails)
    return parts_that_fail - 1 if 0 < parts_that_fail <= parts else None


def _probabilities(cells: Cells, family: Family, *, normalise: bool) -> NDArray[np.float64]:
    """Check that rows are probabilities and sum to 1, or rescale them with `normalise`."""
    written = cells.probabilities
    with np.errstate(over="ignore", invalid="ignore"):
        sums = written.sum(axis=1, keepdims=True)
    # A comparison with NaN is false, so that NaN is refused.
    numbers: NDArray[np.bool_] = np.all((written >= 0) & (written < np.inf), axis=1)
    fit = numbers & ((sums > 0) & (sums < np.inf) if normalise else abs(sums - 1) <= SUM_TOLERANCE)[:, 0]
    if fit.all():
        return written / sums if normalise else written
    wrong = int(np.argmin(fit))
    shown = ", ".join(map(repr, written[wrong, :8].tolist())) + ", ..." * (written.shape[1] > 8)
    expected = (
        f"they sum to {float(sums[wrong, 0])!r}; expected 1, within {SUM_TOLERANCE} (normalise=True rescales them)."
        if numbers[wrong]
        else "expected numbers from 0 to 1."
    )
    line = cells.lines.get(wrong, cells.other_line)
    raise family.error(f"has the probabilities {shown}{_configuration(wrong, family)}: {expected}", line)


def _configuration(number: int, family: Family) -> str:
    """Describe a configuration of the parents; empty if there are none."""
    if not family.parents:
        return ""
    indices = np.unravel_index(number, [len(levels) for levels in family.levels[:-1]])
    named = zip(family.parents, family.levels, indices, strict=False)
    return " for " + ", ".join(f"{parent}={levels[index]}" for parent, levels, index in named)
