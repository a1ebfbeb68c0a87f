"""Names in JSON: what is written of each, and what comes back.

Text, numbers, booleans and None are themselves; a tuple is a list; a date is {"date": "2024-05-01"} and a date with a
time {"datetime": "2024-05-01T12:00:00"}. Anything else is written as its text, and stays text when it is read: infinite
numbers too, unless the writer asks for their form, {"number": "inf"}.
"""

from __future__ import annotations

import json
import math
from datetime import date, datetime
from typing import Any

import numpy as np

from stablebn.graph.names import Node


def json_text(value: object) -> str:
    """A value with names in it as JSON."""
    return json.dumps(value, default=_form, ensure_ascii=False)


def name_from(value: Any) -> Node:
    """The name that a value of JSON stands for.

    >>> name_from(["age", 3]), name_from({"date": "2024-05-01"})
    (('age', 3), datetime.date(2024, 5, 1))

    Raises
    ------
    ValueError
        It stands for none.
    """
    if isinstance(value, list):
        return tuple(map(name_from, value))
    if isinstance(value, dict):
        (kind, told), *others = value.items() or [("", "")]
        if others or kind not in ("date", "datetime", "number") or not isinstance(told, str):
            raise ValueError(f"{json.dumps(value)[:80]} is no name")
        if kind == "number":
            return infinite_from(told)
        return date.fromisoformat(told) if kind == "date" else datetime.fromisoformat(told)
    name: Node = value
    return name


def comes_back(name: object) -> bool:
    """Whether a name that was written is read as the same; the others become text."""
    if isinstance(name, tuple):
        return all(map(comes_back, name))
    plain = isinstance(name, str | bool | int | np.number | np.bool_) or name is None
    return plain or (isinstance(name, float) and math.isfinite(name)) or isinstance(_form(name), dict)


def is_infinite(name: object) -> bool:
    """Whether a name is an infinite number."""
    return isinstance(name, float) and math.isinf(name)


def infinite_form(name: float) -> dict[str, str]:
    """Return what stands for an infinite number."""
    return {"number": str(float(name))}


def infinite_from(text: str) -> float:
    """Return the infinite number of a text; `ValueError` for any other text."""
    if text not in ("inf", "-inf"):
        raise ValueError(f"{text[:80]!r} is not an infinite number")
    return float(text)


def _form(name: object) -> object:
    """What stands for a name that JSON does not have."""
    # A timestamp of pandas may have nanoseconds, which Python's own has no place for.
    if isinstance(name, datetime) and not getattr(name, "nanosecond", 0):
        return {"datetime": name.isoformat()}
    if isinstance(name, date) and not isinstance(name, datetime):
        return {"date": name.isoformat()}
    # A number of NumPy is equal to that of Python.
    if isinstance(name, np.number | np.bool_):
        return name.item()
    return str(name)
