"""Declared levels: the values that a categorical column can have, including those that do not occur."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import pyarrow as pa

from stablebn.columns.arrow.conversion import Columns
from stablebn.columns.arrow.type_conversion import as_supported
from stablebn.columns.column import CategoricalColumn, Column
from stablebn.columns.encode import values_of
from stablebn.errors import DataError, OptionError, listed, shown
from stablebn.options import is_iterable
from stablebn.table.table import Name

DECLARED = "declared"

Levels: TypeAlias = Mapping[Name, tuple[Hashable, ...]]

_EXAMPLE = 'levels={"smoke": ["no", "yes"]}, or levels="declared" for the categories of the table\'s own types'


def check_levels(name: str, value: object) -> None:
    """Raise `OptionError` if a value cannot declare levels; names are checked later by `parse_levels`."""
    if isinstance(value, str):
        if value == DECLARED:
            return
    elif isinstance(value, Mapping):
        if all(map(_is_list, value.values())):
            return
    elif isinstance(value, Sequence) and all(isinstance(t, str) and (t == DECLARED or "=" in t) for t in value):
        return
    raise OptionError(f"{name}={shown(value)} does not declare levels. Say {_EXAMPLE} (command line: smoke=no,yes).")


def _is_list(value: object) -> bool:
    return is_iterable(value) and not isinstance(value, str | bytes | Mapping)


def parse_levels(
    levels: object, columns: Collection[Name], categories: Levels, learned: Levels | None = None
) -> dict[Name, tuple[Hashable, ...]]:
    """Parse the option `levels`.

    Parameters
    ----------
    levels : mapping of name to values, "declared", list of texts such as "smoke=no,yes", or None
    columns : collection of names
    categories : mapping of name to values
        Categories of the columns whose type lists them.
    learned : mapping of name to values, optional
        Levels declared for another table. They apply to the columns for which the user declares none.
    """
    before = {name: values for name, values in (learned or {}).items() if name in columns}
    if levels is None:
        return before
    if not isinstance(levels, Mapping):
        texts = [levels] if isinstance(levels, str) else list(levels)  # type: ignore[call-overload]
        named = dict(_parted(text, columns) for text in texts if text != DECLARED)
        by_type = {name: values for name, values in categories.items() if name in columns}
        return {**before, **(by_type if DECLARED in texts else {}), **named}
    unknown = [name for name in levels if name not in columns]
    if unknown:
        raise OptionError(f"levels= names {listed(unknown)}, not a variable. Variables: {listed(tuple(columns))}.")
    return {**before, **{name: tuple(values) for name, values in levels.items()}}


def _parted(text: str, columns: Collection[Name]) -> tuple[Name, tuple[Hashable, ...]]:
    # A name may contain an equals sign.
    name = next((name for name in columns if text.startswith(f"{name}=")), None)
    if name is None:
        raise OptionError(
            f"levels={shown(text)} names no variable. Variables: {listed(tuple(columns))}. Say for example "
            "smoke=no,yes."
        )
    return name, tuple(part.strip() for part in text.removeprefix(f"{name}=").split(","))


def categories_of(columns: Columns, with_categories: Collection[Name]) -> dict[Name, tuple[Hashable, ...]]:
    """Return the categories of the columns whose type lists them."""
    return {name: _categories(column) for name, column in columns.items() if name in with_categories}


def _categories(column: pa.ChunkedArray) -> tuple[Hashable, ...]:
    dictionaries = [chunk.dictionary for chunk in as_supported(column).chunks]
    return tuple(dict.fromkeys(value for each in dictionaries for value in values_of(each) if value is not None))


def declare(
    columns: Mapping[Name, Column], levels: Levels
) -> tuple[dict[Name, Column], dict[Name, tuple[Hashable, ...]]]:
    """Give columns their declared levels, in sorted order, so that the user's order decides nothing.

    Parameters
    ----------
    columns : mapping of name to CategoricalColumn or NumericColumn
    levels : mapping of name to values
        Entries for unknown columns are ignored.

    Returns
    -------
    columns : dict of name to CategoricalColumn or NumericColumn
        A column with a single value is not changed, because it stays without edges.
    levels : dict of name to tuple of values
        All declared levels, with the type of the column.

    Raises
    ------
    DataError
        A column has other values.
    OptionError
        A column is continuous, or a level cannot be a value of its column.
    """
    result: dict[Name, Column] = dict(columns)
    declared: dict[Name, tuple[Hashable, ...]] = {}
    outside: dict[Name, tuple[tuple[Hashable, ...], tuple[Hashable, ...]]] = {}
    for name, values in levels.items():
        column = columns.get(name)
        if column is None:
            continue
        if not isinstance(column, CategoricalColumn):
            raise OptionError(f"levels= names {name!r}, which is continuous. Leave it out, or out of kinds=.")
        type_ = next((type(level) for level in column.levels if level is not None), str)
        known = {_value(name, level, type_) for level in values}
        unknown = tuple(level for level in column.levels if level is not None and level not in known)
        # The level None, for missing values, is the last.
        declared[name] = (*sorted(known), *(level for level in column.levels if level is None))  # type: ignore[type-var]
        if unknown:
            outside[name] = unknown, declared[name]
        elif not column.is_constant:
            result[name] = column.with_levels(declared[name])
    if outside:
        problems = "; ".join(
            f"{name!r} has {listed(unknown)}, and its levels are {listed(values)}"
            for name, (unknown, values) in outside.items()
        )
        raise DataError(
            f"values that are not among the declared levels: {problems}. Correct the values, or add them to levels=.",
            columns=tuple(outside),
        )
    return result, declared


def _value(name: Name, level: Any, type_: type) -> Hashable:
    """Convert a declared level, which is text on the command line, to the type of the values of its column."""
    value = level.item() if hasattr(level, "item") else level
    if type(value) is type_:
        return value
    try:
        if type_ is str and value is not None:
            return str(value)
        if type_ is bool and str(value).lower() in ("true", "false", "1", "0"):
            return str(value).lower() in ("true", "1")
        if type_ in (int, float) and type_(value) == float(value):
            return type_(value)
    except (TypeError, ValueError, OverflowError, RecursionError):
        pass
    raise OptionError(f"levels[{name!r}] has {shown(level)}, and the values of the column are {_PLURALS[type_]}.")


_PLURALS: Mapping[type, str] = {str: "text", bool: "true or false", int: "integers", float: "numbers"}


def named_categorical(levels: object, columns: Sequence[Name]) -> list[Name]:
    """Return the columns whose levels are declared by name, which must be categorical."""
    if isinstance(levels, Mapping):
        return [name for name in columns if name in levels]
    texts = [] if levels is None or isinstance(levels, str) else list(levels)  # type: ignore[call-overload]
    return [name for name in columns if any(str(text).startswith(f"{name}=") for text in texts)]
