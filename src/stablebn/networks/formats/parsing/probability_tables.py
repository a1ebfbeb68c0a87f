"""Probabilities of one node as files write them: as one list, or row by row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from stablebn.errors import FormatError, listed


class Family(NamedTuple):
    """Node and its parents, with their levels.

    Attributes
    ----------
    file : str
    line : int or None
        Line of the node's table.
    node : str
    parents : tuple of str
    levels : tuple of tuple of str
        Levels of each parent and, last, of the node.
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
        """Return an error about the node's table."""
        return FormatError(self.file, line or self.line, f"the table of node {self.node!r} {problem}")


class Cells(NamedTuple):
    """Table in the order of a CPT.

    Attributes
    ----------
    probabilities : float64 array [configurations of the parents, levels of the node]
        The last parent changes fastest.
    lines : mapping of int to int
        Line of each configuration that has its own line.
    other_line : int, optional
        Line of the other configurations.
    """

    probabilities: NDArray[np.float64]
    lines: Mapping[int, int]
    other_line: int | None = None


class WrittenTable(Protocol):
    """Probabilities in the form of a file."""

    def cells(self, family: Family) -> Cells:
        """Put the probabilities in the order of a CPT; the size of the family has been checked."""


class FlatTable(NamedTuple):
    """Probabilities as one list, in which the node changes fastest (or slowest), then the last parent."""

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
    """Probabilities for one configuration of the parents."""

    configuration: Sequence[str]
    numbers: Sequence[float]
    line: int


class RowTable(NamedTuple):
    """Probabilities row by row, in any order.

    Attributes
    ----------
    rows : sequence of ProbabilityRow
    default : ProbabilityRow, optional
        Row for all other configurations.
    by_index : bool
        Whether rows have the indices of levels, from 0, instead of their names.
    """

    rows: Sequence[ProbabilityRow]
    default: ProbabilityRow | None = None
    by_index: bool = False

    def cells(self, family: Family) -> Cells:
        """Put the probabilities in the order of a CPT."""
        needed = family.configurations
        if self.default is None and len(self.rows) < needed:
            raise family.error(f"needs {needed} rows, one a configuration of its parents, got {len(self.rows)}.")
        index_of = [
            {str(i) if self.by_index else level: i for i, level in enumerate(levels)} for levels in family.levels[:-1]
        ]
        own = len(family.levels[-1])
        probabilities = np.empty((needed, own))
        if self.default is not None:
            probabilities[:] = _numbers(self.default, own, family)
        lines: dict[int, int] = {}
        for row in self.rows:
            number = _configuration_number(row, index_of, family)
            if number in lines:
                raise family.error(f"has a second row for ({', '.join(row.configuration)}).", row.line)
            lines[number] = row.line
            probabilities[number] = _numbers(row, own, family)
        return Cells(probabilities, lines, self.default and self.default.line)


def _numbers(row: ProbabilityRow, needed: int, family: Family) -> Sequence[float]:
    if len(row.numbers) != needed:
        raise family.error(f"needs {needed} probabilities a row, got {len(row.numbers)}.", row.line)
    return row.numbers


def _configuration_number(row: ProbabilityRow, index_of: Sequence[Mapping[str, int]], family: Family) -> int:
    """Return the number of the configuration of a row."""
    if len(row.configuration) != len(index_of):
        raise family.error(
            f"needs a level of each of its {len(index_of)} parents a row, got {len(row.configuration)}.", row.line
        )
    number = 0
    for level, known, parent in zip(row.configuration, index_of, family.parents, strict=True):
        if level not in known:
            raise family.error(
                f"has a row for {level!r} of parent {parent!r}; expected one of {listed(tuple(known))}.", row.line
            )
        number = number * len(known) + known[level]
    return number
