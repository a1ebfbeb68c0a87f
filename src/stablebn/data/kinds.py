"""Is a column categorical or continuous? By its type, or as the user says."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

import pyarrow as pa

from stablebn.data.integers import close_integers
from stablebn.data.reading import Columns
from stablebn.data.table import Name
from stablebn.data.wording import MOST_SHOWN, kinds_option, tallied
from stablebn.errors import DataError, OptionError, listed, one_of, spelled

Kind: TypeAlias = Literal["categorical", "continuous"]
Family: TypeAlias = Literal["text", "boolean", "integer", "float"]

# Integers with more distinct values than this may be categories or numbers: only the user knows.
MOST_INTEGER_LEVELS = 25


def family(type_: pa.DataType) -> Family | None:
    """Return the family of an Arrow type (of a dictionary's values); None if it cannot be used."""
    if pa.types.is_dictionary(type_):
        type_ = type_.value_type
    if str(type_) in ("string", "large_string", "string_view"):
        return "text"
    if pa.types.is_boolean(type_):
        return "boolean"
    if pa.types.is_integer(type_):
        return "integer"
    return "float" if pa.types.is_floating(type_) else None


def decide_kinds(columns: Columns, asked: Mapping[Name, Kind]) -> dict[Name, Kind]:
    """Kind of every column: what is `asked` for, else by type.

    Parameters
    ----------
    columns : dict of name to pyarrow.ChunkedArray
        The rows used, of usable types.
    asked : mapping of name to kind

    Returns
    -------
    dict of name to {"categorical", "continuous"}
    """
    _check_asked(columns, asked)
    undecided = {
        name: _distinct_integers(column)
        for name, column in columns.items()
        if name not in asked and pa.types.is_integer(column.type)
    }
    _ask_about({name: distinct for name, distinct in undecided.items() if distinct > MOST_INTEGER_LEVELS})
    return {name: asked.get(name) or _kind_of(column.type) for name, column in columns.items()}


def _distinct_integers(column: pa.ChunkedArray) -> int:
    close = close_integers(column)
    if close is not None:
        return close.occurring.size
    # Here and not above: it takes long to import, and few columns need it.
    import pyarrow.compute as pc

    distinct: int = pc.count_distinct(column).as_py()
    return distinct


def _kind_of(type_: pa.DataType) -> Kind:
    return "continuous" if pa.types.is_floating(type_) else "categorical"


def _check_asked(columns: Columns, asked: Mapping[Name, Kind]) -> None:
    if not isinstance(asked, Mapping):
        raise OptionError(f"kinds= must be a dict such as {kinds_option(['age'], 'continuous')}.")
    unknown = [name for name in asked if name not in columns]
    if unknown:
        raise OptionError(f"kinds= names {listed(unknown)}, not a variable. Variables: {listed(tuple(columns))}.")
    for name, kind in asked.items():
        one_of(f"kinds[{name!r}]", kind, get_args(Kind))
    text = [name for name, kind in asked.items() if kind == "continuous" and family(columns[name].type) == "text"]
    if text:
        raise DataError(
            f"kinds= says continuous of text: {tallied({name: _example(columns[name]) for name in text})}. "
            "Correct the values that are no numbers, or leave the column out of kinds=."
        )


def _example(text: pa.ChunkedArray) -> str:
    """Show a value that is no number: the least, so that row order does not choose."""
    values = [value for value in text.unique().to_pylist() if value is not None]
    return f"for example {min(values, key=lambda value: (_is_number(value), value))!r}" if values else "no values"


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _ask_about(distinct: Mapping[Name, int]) -> None:
    if not distinct:
        return
    names = list(distinct)
    if len(names) == 1:
        question = f"column {names[0]!r} has {distinct[names[0]]} distinct integers: is it a category or a number?"
    else:
        question = f"columns with many distinct integers: {tallied(distinct)}. Are they categories or numbers?"
    flags = " ".join(f"--continuous {shlex.quote(spelled(name))}" for name in names[:MOST_SHOWN])
    options = f"{kinds_option(names, 'continuous')} or {kinds_option(names, 'categorical')}"
    raise DataError(f"{question} Say {options} (CLI: {flags}).")
