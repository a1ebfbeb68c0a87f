"""Parse JSON objects from untrusted files, and find the lines of keys."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from stablebn.errors import FormatError, listed
from stablebn.graph.json_names import comes_back

# Matches all strings, not only keys of objects, so that a closing quote is never taken for an opening one.
_STRING = re.compile(r'(?P<string>"(?:[^"\\]|\\.)*")(?P<opens>\s*:\s*\{)?')
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_object(text: str, file: str) -> dict[str, Any]:
    """Parse a JSON object; raise `FormatError` for duplicate keys and for infinite numbers or NaN."""
    try:
        found = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refused)
    except json.JSONDecodeError as error:
        raise FormatError(file, error.lineno, f"expected JSON: {error.msg}.") from None
    except ValueError as error:
        raise FormatError(file, None, f"{str(error)[:200]}.") from None
    except RecursionError:
        raise FormatError(file, None, "expected JSON that is less deeply nested.") from None
    if not isinstance(found, dict):
        raise FormatError(file, 1, "expected a JSON object, which starts with '{'.")
    return found


class KeyLines(dict[str, int | None]):
    """Maps keys whose values start with the bracket `opening` to their lines, which are found on access."""

    def __init__(self, text: str, opening: str) -> None:
        super().__init__()
        self._text = text
        self._value = rf"\s*:\s*{re.escape(opening)}"

    def __missing__(self, key: str) -> int | None:
        found = re.search(re.escape(json.dumps(key, ensure_ascii=False)) + self._value, self._text)
        return found and self._text.count("\n", 0, found.start()) + 1


def object_lines(text: str) -> dict[str, int]:
    """Return the line of the first occurrence of each key whose value is an object."""
    lines: dict[str, int] = {}
    line, counted = 1, 0
    for found in _STRING.finditer(text):
        if found["opens"]:
            line += text.count("\n", counted, found.start())
            counted = found.start()
            lines.setdefault(json.loads(found["string"], strict=False), line)
    return lines


def is_name(value: object) -> bool:
    """Return whether a value can be a node's name: text, a finite number, or a result of `name_from`."""
    if isinstance(value, tuple):
        return all(map(is_name, value))
    return not _SURROGATE.search(value) if isinstance(value, str) else comes_back(value)


def is_pairs(value: object) -> bool:
    """Return whether a value is a list of pairs of names."""
    return isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(map(is_name, pair)) for pair in value
    )


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    twice = [key for key, times in Counter(key for key, _ in pairs).items() if times > 1]
    if twice:
        raise ValueError(f"expected keys that differ, got twice: {listed(twice)}")
    return dict(pairs)


def _refused(constant: str) -> None:
    raise ValueError(f"expected a finite number, got {constant}")
