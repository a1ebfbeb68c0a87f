"""Read weights: the number of rows that each row stands for.

Weights are counts and are never rounded, because the total number of rows determines significance and penalties.
docs/weights.md describes what to do with the weights of a survey, which are not counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.columns.arrow.conversion import Columns, arrow_column, is_column
from stablebn.columns.encode import plain
from stablebn.columns.kinds import family
from stablebn.columns.requirements import MOST_ROWS
from stablebn.errors import DataError, OptionError, listed, shown
from stablebn.options import is_hashable
from stablebn.table.table import Name, Weights

_SURVEY = (
    "Weights of a survey are no counts, and rounded or multiplied they would change the number of rows, and with it "
    "every score and test: draw rows in proportion to them, with replacement, and learn from each draw, or do so for "
    "each set of replicate weights (docs/weights.md shows how)."
)


def split_weights(columns: Columns, weights: object) -> tuple[Columns, pa.ChunkedArray | None]:
    """Split a table into variables and weights.

    Parameters
    ----------
    columns : dict of name to pyarrow.ChunkedArray
    weights : name of a column, or column of whole numbers, or None

    Returns
    -------
    columns : dict of name to pyarrow.ChunkedArray
    weights : pyarrow.ChunkedArray of int64, or None
        No weight is negative or missing, and not all are 0.
    """
    if weights is None:
        return columns, None
    if is_hashable(weights) and weights in columns:
        rest = {name: column for name, column in columns.items() if name != weights}
        return rest, _counts(f"column {weights!r}, the weights,", columns[weights])
    if not is_column(weights):
        raise OptionError(f"weights={shown(weights)} is not a column. Columns: {listed(tuple(columns))}.")
    column = arrow_column("weights=", weights)
    rows = len(next(iter(columns.values()))) if columns else len(column)
    if len(column) != rows:
        raise DataError(f"there are {len(column)} weights for {rows} rows: give one for each row.")
    return columns, _counts("weights=", column)


def rows_with_weight(columns: Columns, weights: pa.ChunkedArray | None) -> tuple[Columns, Weights | None]:
    """Leave out the rows of weight 0.

    Parameters
    ----------
    columns : dict of name to pyarrow.ChunkedArray
    weights : pyarrow.ChunkedArray of int64, or None
        As returned by `split_weights`.

    Returns
    -------
    columns : dict of name to pyarrow.ChunkedArray
    weights : int64 array [rows left], all positive, or None
    """
    if weights is None:
        return columns, None
    counts = weights.to_numpy()
    used = counts > 0
    if not used.all():
        columns = {name: column.filter(pa.array(used)) for name, column in columns.items()}
    return columns, counts[used]


@dataclass
class WeightColumn:
    """Weights of a table that is read in parts.

    Attributes
    ----------
    name : name
    is_integer : bool
        Whether the type of the column is an integer type.
    any_positive : bool
        Whether some weight so far is above 0.
    """

    name: Name
    is_integer: bool
    _faults: dict[str, _Fault] = field(default_factory=dict)
    any_positive: bool = False

    @property
    def _label(self) -> str:
        return f"column {self.name!r}, the weights,"

    def add(self, weights: pa.ChunkedArray, first: int) -> Weights:
        """Check some weights, starting at row `first`; return them as counts (0 if there are faults)."""
        numbers = plain(weights).to_numpy()
        faults = _faults_in(numbers, first)
        for what, fault in faults.items():
            before = self._faults.get(what)
            self._faults[what] = fault if before is None else replace(before, count=before.count + fault.count)
        counts: Weights = np.zeros(len(numbers), dtype=np.int64) if faults else numbers.astype(np.int64)
        self.any_positive = self.any_positive or bool(counts.any())
        return counts

    @classmethod
    def of_all(cls, parts: Sequence[tuple[WeightColumn, int]]) -> WeightColumn:
        """Combine the checks of consecutive parts; each part comes with its number of rows."""
        combined = cls(parts[0][0].name, parts[0][0].is_integer)
        first = 0
        for part, rows in parts:
            for what, fault in part._faults.items():
                before = combined._faults.get(what)
                combined._faults[what] = (
                    replace(fault, row=first + fault.row)
                    if before is None
                    else replace(before, count=before.count + fault.count)
                )
            combined.any_positive = combined.any_positive or part.any_positive
            first += rows
        return combined

    def check(self, rows: int) -> None:
        """Raise `DataError` if some weights are not counts, or none is above 0."""
        faults = self._faults
        if self.is_integer and "missing" in faults:
            # The error shows integers beside missing values as floats, as for a table in memory.
            faults = {what: replace(fault, value=np.float64(fault.value)) for what, fault in faults.items()}
        _refuse(self._label, {what: faults[what] for what in _REMEDIES if what in faults}, rows)
        if rows and not self.any_positive:
            raise DataError(f"{self._label} are all 0, which leaves no rows: give some row a weight.")


def weight_column(weights: object, types: Mapping[Name, pa.DataType]) -> WeightColumn | None:
    """Return the column of weights of a table that is read in parts; None if it has none.

    Parameters
    ----------
    weights : name of a column, or None
    types : mapping of name to pyarrow.DataType
    """
    if weights is None:
        return None
    if is_hashable(weights) and weights in types:
        _check_type(f"column {weights!r}, the weights,", types[weights])
        return WeightColumn(weights, family(types[weights]) == "integer")
    if is_column(weights):
        raise OptionError("weights= of a table that is read in parts must be the name of one of its columns.")
    raise OptionError(f"weights={shown(weights)} is not a column. Columns: {listed(tuple(types))}.")


def _check_type(label: str, type_: pa.DataType) -> None:
    if family(type_) not in ("integer", "float"):
        values = type_.value_type if pa.types.is_dictionary(type_) else type_
        raise DataError(f"{label} must be whole numbers, not {values}: they say how many rows each row stands for.")


def _counts(label: str, weights: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert weights to int64; `label` names them in errors."""
    _check_type(label, weights.type)
    # NaN passes as missing, because it is neither negative, infinite nor whole.
    numbers = plain(weights).to_numpy()
    _refuse(label, _faults_in(numbers), len(numbers))
    counts = numbers.astype(np.int64)
    if len(counts) and not counts.any():
        raise DataError(f"{label} are all 0, which leaves no rows: give some row a weight.")
    return pa.chunked_array([counts])


_REMEDIES = {
    "missing": "Give every row a weight, 0 to leave it out.",
    "negative": "Give a row that is to be left out the weight 0.",
    "infinite": "Correct them.",
    "too large": f"A table stands for {MOST_ROWS:,} rows at most.",
    "not whole": _SURVEY,
}


@dataclass(frozen=True)
class _Fault:
    """Weights that are not counts: their number, and the row and value of the first one."""

    count: int
    row: int
    value: Any


def _faults_in(
    weights: NDArray[np.int64] | NDArray[np.uint64] | NDArray[np.float64], first: int = 0
) -> dict[str, _Fault]:
    """Return the faults of weights, which start at row `first`."""
    infinite = np.isinf(weights)
    finite = ~infinite
    faults = {
        "missing": np.isnan(weights),
        "negative": finite & (weights < 0),
        "infinite": infinite,
        "too large": finite & (weights > MOST_ROWS),
        "not whole": finite & (weights >= 0) & (weights != np.floor(weights)),
    }
    return {
        what: _Fault(int(wrong.sum()), first + row, weights[row])
        for what, wrong in faults.items()
        if wrong.any()
        for row in [int(np.argmax(wrong))]
    }


def _refuse(label: str, faults: Mapping[str, _Fault], rows: int) -> None:
    """Raise `DataError` if there are faults, with their numbers, first rows and remedies."""
    if faults:
        wrong = ", ".join(
            f"{fault.count} {what} (the first in row {fault.row + 1}{'' if what == 'missing' else f': {fault.value}'})"
            for what, fault in faults.items()
        )
        raise DataError(
            f"{label} must be whole numbers, 0 or more, that say how many rows each row stands for. Of {rows}, "
            f"these are not: {wrong}. {' '.join(_REMEDIES[what] for what in faults)}"
        )
