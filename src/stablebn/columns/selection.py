"""The columns that the user wants of a table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from stablebn.errors import OptionError, listed, shown
from stablebn.options import is_hashable, is_iterable
from stablebn.table.table import Name


@dataclass(frozen=True)
class ColumnSelection:
    """Columns by name.

    Attributes
    ----------
    columns : sequence of names, or text with commas between names; None: all
    drop : the same; None: none
    keep : the same; None: none
        Columns that are not to be set aside.
    besides : object
        The name of a column that need not be named to be kept, that of the weights; or anything else.
    """

    columns: object = None
    drop: object = None
    keep: object = None
    besides: object = None

    def __post_init__(self) -> None:
        for option in ("columns", "drop", "keep"):
            value = getattr(self, option)
            if is_iterable(value) and not isinstance(value, (str, Mapping)):
                # An iterator gives its names once only.
                object.__setattr__(self, option, tuple(value))

    def of(self, names: Sequence[Name]) -> list[Name]:
        """Those of the names that are wanted, in their order; `OptionError` for a name that is not among them."""
        wanted = set(names) if self.columns is None else _named("columns", self.columns, names)
        left_out = set() if self.drop is None else _named("drop", self.drop, names)
        for option, asked in (("columns", self.columns), ("keep", self.keep)):
            if asked is None:
                continue
            if both := [name for name in names if name in _named(option, asked, names) & left_out]:
                raise OptionError(f"{option}= and drop= both name {listed(both)}. Leave them out of one.")
        if is_hashable(self.besides):
            wanted = wanted | {self.besides}
        return [name for name in names if name in wanted and name not in left_out]

    def kept(self, names: Sequence[Name]) -> set[Name]:
        """Those of the names that are not to be set aside."""
        return set() if self.keep is None else _named("keep", self.keep, names) & set(self.of(names))

    def without(self, out: Collection[Name], names: Sequence[Name]) -> dict[str, object]:
        """The options that choose the same columns but for some."""
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
        # On the command line an option that is repeated may have commas too.
        value = [part for own in value for part in (_parted(own, known) if isinstance(own, str) else [own])]
    asked = list(value)
    unknown = [name for name in asked if not is_hashable(name) or name not in known]
    if unknown:
        raise OptionError(f"{option}= names {listed(unknown)}, not a column. {_advice(unknown, names)}")
    return set(asked)


def _parted(text: str, known: Collection[Name]) -> list[str]:
    # A name may have commas of its own.
    return [text] if text in known else [part.strip() for part in text.split(",")]


def _advice(unknown: Sequence[object], names: Sequence[Name]) -> str:
    import difflib

    texts = {str(name): name for name in names}
    asked = [name if isinstance(name, str) else shown(name) for name in unknown]
    near = dict.fromkeys(texts[match] for text in asked for match in difflib.get_close_matches(text, texts, n=2))
    return f"Did you mean {listed(tuple(near))}?" if near else f"Columns: {listed(names)}."
