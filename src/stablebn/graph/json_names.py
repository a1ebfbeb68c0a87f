"""Names in JSON, written and read.

Text, numbers, booleans and None are written as they are; a tuple becomes a list, a date {"date": "2024-05-01"}, and a
date with a time {"datetime": "2024-05-01T12:00:00"}. Anything else is written as text and read as text, also infinite
numbers, unless the writer uses their form, {"number": "inf"}.
"""

from __future__ import annotations

import json
import math
from datetime import date, datetime
from typing import Any

import numpy as np

from stablebn.graph.names import Node


def json_text(value: object) -> str:
    """Return a value that contains names as JSON text."""
    return json.dumps(value, default=_form, ensure_ascii=False)


def name_from(value: Any) -> Node:
    """Return the name that a JSON value stands for.

    >>> name_from(["age", 3]), name_from({"date": "2024-05-01"})
    (('age', 3), datetime.date(2024, 5, 1))

    Raises
    ------
    ValueError
        The value is not a name.
    """
    if isinstance(value, list):
        return tuple(map(name_from, value))
    if isinstance(value, dict):
        (kind, text), *others = value.items() or [("", "")]
        if others or kind not in ("date", "datetime", "number") or not isinstance(text, str):
            raise ValueError(f"{json.dumps(value)[:80]} is not a name")
        if kind == "number":
            return infinite_from(text)
        return date.fromisoformat(text) if kind == "date" else datetime.fromisoformat(text)
    name: Node = value
    return name


def comes_back(name: object) -> bool:
    """Return whether a name that is written and read stays the same; other names become text."""
    if isinstance(name, tuple):
        return all(map(comes_back, name))
    plain = isinstance(name, str | bool | int | np.number | np.bool_) or name is None
    return plain or (isinstance(name, float) and math.isfinite(name)) or isinstance(_form(name), dict)


def is_infinite(name: object) -> bool:
    """Return whether a name is an infinite number."""
    return isinstance(name, float) and math.isinf(name)


def infinite_form(name: float) -> dict[str, str]:
    """Return the JSON form of an infinite number."""
    return {"number": str(float(name))}


def infinite_from(text: str) -> float:
    """Return the infinite number of a text; raise `ValueError` for any other text."""
    if text not in ("inf", "-inf"):
        raise ValueError(f"{text[:80]!r} is not an infinite number")
    return float(text)


def _form(name: object) -> object:
    """Return the JSON form of a name that JSON has no type for."""
    # A pandas timestamp may have nanoseconds, which `datetime` cannot represent.
    if isinstance(name, datetime) and not getattr(name, "nanosecond", 0):
        return {"datetime": name.isoformat()}
    if isinstance(name, date) and not isinstance(name, datetime):
        return {"date": name.isoformat()}
    # A NumPy number equals the Python number.
    if isinstance(name, np.number | np.bool_):
        return name.item()
    return str(name)
