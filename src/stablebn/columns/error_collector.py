"""All that is wrong with a table, in one error, with the options that mend it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from stablebn.columns.selection import Choice
from stablebn.errors import DataError, DataProblem
from stablebn.table.table import Name

if TYPE_CHECKING:
    from typing_extensions import Self


class Problems:
    """What was found to be wrong with a table so far.

    The remedy of a problem has some of these: `drop`, columns to leave out; `kinds`, kinds of columns, None to take
    back what was said; and other options with their values.
    """

    def __init__(self) -> None:
        self.found: list[DataProblem] = []

    def collected(self) -> Self:
        """Keep a `DataError` for later, in a with statement: there may be more to say."""
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
        """Whether no option mends one of them."""
        return not all(problem.remedy for problem in self.found)

    def raise_all(self, names: Sequence[Name], choice: Choice, kinds: Mapping[Name, str]) -> None:
        """Raise one error for all of them, if there are any.

        Parameters
        ----------
        names : sequence of names
            All columns of the source.
        choice : Choice
        kinds : mapping of name to kind
            What the user has said: the remedy has that too.
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
    remedies: Sequence[Mapping[str, object]], names: Sequence[Name], choice: Choice, kinds: Mapping[Name, str]
) -> dict[str, object]:
    """Options that do what all remedies ask for; none if one of them is helpless."""
    if not all(remedies):
        return {}
    merged: dict[str, object] = {}
    out: set[Name] = set()
    said: dict[Name, str | None] = dict(kinds)
    for remedy in remedies:
        for option, value in remedy.items():
            if option == "drop":
                assert isinstance(value, Sequence)
                out.update(value)
            elif option == "kinds":
                assert isinstance(value, Mapping)
                said.update(value)
            else:
                merged[option] = value
    if out:
        merged |= choice.without(out, names)
    own = {name: kind for name, kind in said.items() if kind is not None and name not in out}
    if own != dict(kinds):
        merged["kinds"] = own
    return merged
