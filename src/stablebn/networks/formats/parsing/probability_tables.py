"""The probabilities of one node as files write them: all in a row, or row by row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from stablebn.errors import FormatError, listed


class Family(NamedTuple):
    """A node and its parents, with their levels.

    Attributes
    ----------
    file : str
    line : int or None
        Of the node's table.
    node : str
    parents : tuple of str
    levels : tuple of tuple of str
        Of each parent and, last, of the node.
    """

    file: str
    line: int | None
    node: str
    parents: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]

    @property
    def configurations(self) -> int:
        """Number of configurations of the parents."""
        return math.prod(map(len, self.levels[:-1]))

    def error(self, problem: str, line: int | None = None) -> FormatError:
        """Return the error that something is wrong with the node's table."""
        return FormatError(self.file, line or self.line, f"the table of node {self.node!r} {problem}")


class Cells(NamedTuple):
    """A table in the order of a CPT.

    Attributes
    ----------
    probabilities : float64 array [configurations of the parents, levels of the node]
        The last parent changes fastest.
    lines : mapping of int to int
        Lines of the configurations that have one of their own.
    other_line : int, optional
        Line of the other configurations.
    """

    probabilities: NDArray[np.float64]
    lines: Mapping[int, int]
    other_line: int | None = None


class WrittenTable(Protocol):
    """Probabilities as they are written."""

    def cells(self, family: Family) -> Cells:
        """Put the probabilities in the order of a CPT; the family is small enough for it."""


class FlatTable(NamedTuple):
    """All probabilities in a row: the last parent changes faster than the others, and the node fastest or slowest."""

    numbers: Sequence[float]
    line: int
    node_slowest: bool = False

    def cells(self, family: Family) -> Cells:
        """Put the probabilities in the order of a CPT."""
        own = len(family.levels[-1])
        needed = family.configurations * own
        if len(self.numbers) != needed:
            sizes = " x ".join(str(len(levels)) for levels in family.levels)
            raise family.error(f"needs {needed} probabilities ({sizes} levels), got {len(self.numbers)}.", self.line)
        numbers = np.array(self.numbers)
        if self.node_slowest:
            return Cells(np.ascontiguousarray(numbers.reshape(own, -1).T), {}, self.line)
        return Cells(numbers.reshape(-1, own), {}, self.line)


class ProbabilityRow(NamedTuple):
    """Probabilities for one configuration of the parents, which is given by level."""

    configuration: Sequence[str]
    numbers: Sequence[float]
    line: int


class RowTable(NamedTuple):
    """Probabilities row by row, in any order.

    Attributes
    ----------
    rows : sequence of ProbabilityRow
    default : ProbabilityRow, optional
        Stands for the configurations that no row names.
    by_index : bool
        Whether rows give levels by their index, from 0, rather than by name.
    """

    rows: Sequence[ProbabilityRow]
    default: ProbabilityRow | None = None
    by_index: bool = False

    def cells(self, family: Family) -> Cells:
        """Put the probabilities in the order of a CPT."""
        needed = family.configurations
        if self.default is None and len(self.rows) < needed:
            raise family.error(f"needs {needed} rows, one a configuration of its parents, got {len(self.rows)}.")
        places = [
            {str(i) if self.by_index else level: i for i, level in enumerate(levels)} for levels in family.levels[:-1]
        ]
        own = len(family.levels[-1])
        probabilities = np.empty((needed, own))
        if self.default is not None:
            probabilities[:] = _numbers(self.default, own, family)
        lines: dict[int, int] = {}
        for row in self.rows:
            place = _place(row, places, family)
            if place in lines:
                raise family.error(f"has a second row for ({', '.join(row.configuration)}).", row.line)
            lines[place] = row.line
            probabilities[place] = _numbers(row, own, family)
        return Cells(probabilities, lines, self.default and self.default.line)


def _numbers(row: ProbabilityRow, needed: int, family: Family) -> Sequence[float]:
    if len(row.numbers) != needed:
        raise family.error(f"needs {needed} probabilities a row, got {len(row.numbers)}.", row.line)
    return row.numbers


def _place(row: ProbabilityRow, places: Sequence[Mapping[str, int]], family: Family) -> int:
    """Place of a row among the configurations."""
    if len(row.configuration) != len(places):
        raise family.error(
            f"needs a level of each of its {len(places)} parents a row, got {len(row.configuration)}.", row.line
        )
    place = 0
    for level, known, parent in zip(row.configuration, places, family.parents, strict=True):
        if level not in known:
            raise family.error(
                f"has a row for {level!r} of parent {parent!r}; expected one of {listed(tuple(known))}.", row.line
            )
        place = place * len(known) + known[level]
    return place
