"""Select columns of a table by the options `columns`, `drop` and `keep`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from stablebn.errors import OptionError, listed, shown
from stablebn.options import is_hashable, is_iterable
from stablebn.table.table import Name


@dataclass(frozen=True)
class ColumnSelection:
    """Selection of columns by name.

    Attributes
    ----------
    columns : sequence of names, or text with commas between names, or None
        Columns to select; None: all.
    drop : as `columns`; None: none
        Columns to leave out.
    keep : as `columns`; None: none
        Columns that must not be excluded from learning.
    besides : object
        If this is the name of a column (that of the weights), the column is selected without being named.
    """

    columns: object = None
    drop: object = None
    keep: object = None
    besides: object = None

    def __post_init__(self) -> None:
        for option in ("columns", "drop", "keep"):
            value = getattr(self, option)
            if is_iterable(value) and not isinstance(value, (str, Mapping)):
                # An iterator can be read only once.
                object.__setattr__(self, option, tuple(value))

    def of(self, names: Sequence[Name]) -> list[Name]:
        """Return the selected names, in their order; raise `OptionError` if an option names an unknown column."""
        wanted = set(names) if self.columns is None else _named("columns", self.columns, names)
        left_out = set() if self.drop is None else _named("drop", self.drop, names)
        for option, value in (("columns", self.columns), ("keep", self.keep)):
            if value is None:
                continue
            if both := [name for name in names if name in _named(option, value, names) & left_out]:
                raise OptionError(f"{option}= and drop= both name {listed(both)}. Leave them out of one.")
        if is_hashable(self.besides):
            wanted = wanted | {self.besides}
        return [name for name in names if name in wanted and name not in left_out]

    def kept(self, names: Sequence[Name]) -> set[Name]:
        """Return the names that must not be excluded from learning."""
        return set() if self.keep is None else _named("keep", self.keep, names) & set(self.of(names))

    def without(self, out: Collection[Name], names: Sequence[Name]) -> dict[str, object]:
        """Return the options that select the same columns except those in `out`."""
        options: dict[str, object] = {}
        if self.columns is not None:
            options["columns"] = [name for name in self.of(names) if name not in out and name != self.besides]
        else:
            left_out = set() if self.drop is None else _named("drop", self.drop, names)
            options["drop"] = [name for name in names if name in left_out or name in out]
        if self.keep is not None:
            options["keep"] = [name for name in names if name in self.kept(names) and name not in out]
        return options


def _named(option: str, value: object, names: Sequence[Name]) -> set[Name]:
    known = set(names)
    if isinstance(value, str):
        value = _parted(value, known)
    elif isinstance(value, Mapping) or not is_iterable(value):
        raise OptionError(f"{option}={shown(value)} must be a list of column names.")
    else:
        # On the command line a repeated option may have commas too.
        value = [part for item in value for part in (_parted(item, known) if isinstance(item, str) else [item])]
    selected = list(value)
    unknown = [name for name in selected if not is_hashable(name) or name not in known]
    if unknown:
        raise OptionError(f"{option}= names {listed(unknown)}, not a column. {_advice(unknown, names)}")
    return set(selected)


def _parted(text: str, known: Collection[Name]) -> list[str]:
    # A name may contain commas.
    return [text] if text in known else [part.strip() for part in text.split(",")]


def _advice(unknown: Sequence[object], names: Sequence[Name]) -> str:
    import difflib

    texts = {str(name): name for name in names}
    wrong = [name if isinstance(name, str) else shown(name) for name in unknown]
    near = dict.fromkeys(texts[match] for text in wrong for match in difflib.get_close_matches(text, texts, n=2))
    return f"Did you mean {listed(tuple(near))}?" if near else f"Columns: {listed(names)}."
