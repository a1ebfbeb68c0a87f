"""The steps of a climb, in columns."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from stablebn.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


class StepTrace:
    """A trace with one entry per step in every column.

    Attributes
    ----------
    columns : tuple of str
        Names of the columns.
    variable_columns : tuple of str
        The columns that contain variables: numbers at first, and names once it is `renamed`.
    """

    columns: ClassVar[tuple[str, ...]]
    variable_columns: ClassVar[tuple[str, ...]]

    def __len__(self) -> int:
        return len(getattr(self, self.columns[0]))

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns by name."""
        return {column: list(getattr(self, column)) for column in self.columns}

    def renamed_columns(self, names: Sequence[Any]) -> dict[str, list[Any]]:
        """Return the columns with names in place of numbers of variables."""
        named: dict[int | None, Any] = {None: None, **dict(enumerate(names))}
        columns = self.to_dict()
        for column in self.variable_columns:
            columns[column] = [
                tuple([named[v] for v in entry]) if isinstance(entry, tuple) else named[entry]
                for entry in columns[column]
            ]
        return columns

    def to_json(self) -> str:
        """Return the columns as a JSON object."""
        return json.dumps(self.to_dict(), default=str)

    def to_csv(self) -> str:
        """Return the columns as CSV text with a header."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        columns = self.to_dict()
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
        return text.getvalue()

    def to_pandas(self) -> pd.DataFrame:
        """Return the columns as a pandas data frame."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtraError("pandas", "pandas") from None
        return pd.DataFrame(self.to_dict())

    def to_polars(self) -> pl.DataFrame:
        """Return the columns as a polars data frame; names that are not all text become text."""
        try:
            import polars as pl
        except ImportError:
            raise MissingExtraError("polars", "polars") from None
        columns = self.to_dict()
        for column in self.variable_columns:
            if not all(name is None or isinstance(name, str) for name in columns[column]):
                columns[column] = [None if name is None else str(name) for name in columns[column]]
        return pl.DataFrame(columns)


@dataclass
class Trace(StepTrace):
    """One entry per step in every column; the columns may be made when one is first used (`made_by`).

    Attributes
    ----------
    move : list of str
        "add", "delete" or "reverse".
    source, target : list
        The arc before the move (delete, reverse) or after it (add).
    delta, score : list of float
        Change of the score, and the score after it.
    next_move, next_source, next_target, next_delta : list
        The runner-up, the move with the second highest score; None if there was none.
    arbitrary : list of bool
        Whether the order decided the direction of an added arc: the other direction was allowed and scored the same.
    best : int
        Number of steps after which the graph was the learned one; a tabu search continues for a while.
    """

    columns = (
        "move",
        "source",
        "target",
        "delta",
        "score",
        "next_move",
        "next_source",
        "next_target",
        "next_delta",
        "arbitrary",
    )
    variable_columns = ("source", "target", "next_source", "next_target")

    move: list[str] = field(default_factory=list)
    source: list[Hashable] = field(default_factory=list)
    target: list[Hashable] = field(default_factory=list)
    delta: list[float] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    next_move: list[str | None] = field(default_factory=list)
    next_source: list[Hashable | None] = field(default_factory=list)
    next_target: list[Hashable | None] = field(default_factory=list)
    next_delta: list[float | None] = field(default_factory=list)
    arbitrary: list[bool] = field(default_factory=list)
    # A default of the class would be visible before the columns are made.
    best: int = field(default_factory=int)

    @classmethod
    def made_by(cls, make: Callable[[], Trace]) -> Trace:
        """Return a trace that `make` creates when one of its columns is first used, which is rare."""
        trace = cls.__new__(cls)
        vars(trace)["_make"] = make
        return trace

    def __getattr__(self, name: str) -> Any:
        state = vars(self)
        make = state.get("_make")
        if make is not None and name in self.__dataclass_fields__:
            # If several threads make it at once, the first one wins.
            for column, value in vars(make()).items():
                state.setdefault(column, value)
            state.pop("_make", None)
        if name in state:
            return state[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        # Pickle the columns, not the function that makes them.
        return {column: getattr(self, column) for column in self.__dataclass_fields__}

    def renamed(self, names: Sequence[Any]) -> Trace:
        """Return the same trace with names in place of numbers of variables."""
        columns: dict[str, Any] = self.renamed_columns(names)
        return replace(self, **columns)
