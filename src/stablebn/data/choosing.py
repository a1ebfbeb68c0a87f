"""The columns that the user wants of a table."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from stablebn.data.table import Name
from stablebn.errors import OptionError, listed


@dataclass(frozen=True)
class Choice:
    """Columns by name.

    Attributes
    ----------
    columns : sequence of names, or text with commas between names; None: all
    drop : the same; None: none
    besides : object
        The name of a column that need not be named to be kept, that of the weights; or anything else.
    """

    columns: object = None
    drop: object = None
    besides: object = None

    def of(self, names: Sequence[Name]) -> list[Name]:
        """Those of the names that are wanted, in their order; `OptionError` for a name that is not among them."""
        kept = set(names) if self.columns is None else _named("columns", self.columns, names)
        left_out = set() if self.drop is None else _named("drop", self.drop, names)
        if self.columns is not None and (both := [name for name in names if name in kept & left_out]):
            raise OptionError(f"columns= and drop= both name {listed(both)}. Leave them out of one.")
        if isinstance(self.besides, Hashable):
            kept = kept | {self.besides}
        return [name for name in names if name in kept and name not in left_out]


def _named(option: str, value: object, names: Sequence[Name]) -> set[Name]:
    if isinstance(value, str):
        # A name may have commas of its own.
        value = [value] if value in set(names) else [part.strip() for part in value.split(",")]
    if not isinstance(value, Iterable):
        raise OptionError(f"{option}={value!r} must be a list of column names.")
    asked, known = list(value), set(names)
    unknown = [name for name in asked if not isinstance(name, Hashable) or name not in known]
    if unknown:
        raise OptionError(f"{option}= names {listed(unknown)}, not a column. {_advice(unknown, names)}")
    return set(asked)


def _advice(unknown: Sequence[object], names: Sequence[Name]) -> str:
    import difflib

    texts = {str(name): name for name in names}
    near = dict.fromkeys(texts[match] for name in unknown for match in difflib.get_close_matches(str(name), texts, n=2))
    return f"Did you mean {listed(tuple(near))}?" if near else f"Columns: {listed(names)}."
