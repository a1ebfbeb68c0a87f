"""Collect the problems of a table, and raise one error with the options that fix them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from stablebn.columns.selection import ColumnSelection
from stablebn.errors import DataError, DataProblem
from stablebn.table.table import Name

if TYPE_CHECKING:
    from typing_extensions import Self


class ErrorCollector:
    """Collects the problems of a table.

    The remedy of a problem is a mapping of options to values. `drop` has columns to leave out; `kinds` has kinds of
    columns, None to remove an entry of the user; other options have their values.
    """

    def __init__(self) -> None:
        self.found: list[DataProblem] = []

    def collected(self) -> Self:
        """Return a context manager that collects a `DataError` instead of raising it."""
        return self

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, DataError):
            return False
        self.found += error.problems
        return True

    @property
    def helpless(self) -> bool:
        """Whether some problem cannot be fixed by an option."""
        return not all(problem.remedy for problem in self.found)

    def raise_all(self, names: Sequence[Name], choice: ColumnSelection, kinds: Mapping[Name, str]) -> None:
        """Raise one `DataError` for all problems, if there are any.

        Parameters
        ----------
        names : sequence of names
            All columns of the source.
        choice : ColumnSelection
        kinds : mapping of name to kind
            The user's kinds, which the remedy repeats.
        """
        if not self.found:
            return
        remedy = _merged([problem.remedy for problem in self.found], names, choice, kinds)
        message = self.found[0].message
        if len(self.found) > 1:
            lines = [f"  {number}. {problem.message}" for number, problem in enumerate(self.found, start=1)]
            message = "\n".join([f"{len(self.found)} things to mend or to decide:", *lines])
        raise DataError(message, remedy=remedy, problems=self.found)


def _merged(
    remedies: Sequence[Mapping[str, object]], names: Sequence[Name], choice: ColumnSelection, kinds: Mapping[Name, str]
) -> dict[str, object]:
    """Merge all remedies into one set of options; empty if some problem has no remedy."""
    if not all(remedies):
        return {}
    merged: dict[str, object] = {}
    out: set[Name] = set()
    all_kinds: dict[Name, str | None] = dict(kinds)
    for remedy in remedies:
        for option, value in remedy.items():
            if option == "drop":
                assert isinstance(value, Sequence)
                out.update(value)
            elif option == "kinds":
                assert isinstance(value, Mapping)
                all_kinds.update(value)
            else:
                merged[option] = value
    if out:
        merged |= choice.without(out, names)
    remaining = {name: kind for name, kind in all_kinds.items() if kind is not None and name not in out}
    if remaining != dict(kinds):
        merged["kinds"] = remaining
    return merged
