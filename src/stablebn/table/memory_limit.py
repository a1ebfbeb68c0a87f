"""Parse the option `memory`: how much memory the rows of a table may take."""

from __future__ import annotations

import re

from stablebn.errors import OptionError, shown

LEAST_MEMORY = 16 << 20
USUAL_MEMORY = 2 << 30

_UNITS = {"": 1, "B": 1, **{f"{letter}B": 1000**power for power, letter in enumerate("KMGT", start=1)}}
_UNITS |= {f"{letter}IB": 1 << 10 * power for power, letter in enumerate("KMGT", start=1)}
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*")


def bytes_of(memory: object) -> int | None:
    """Return the number of bytes of a size such as "2GiB", "512 MB" or 1000000; None if it is not a size.

    >>> bytes_of("2GiB"), bytes_of("1.5 GB"), bytes_of("much")
    (2147483648, 1500000000, None)
    """
    if isinstance(memory, int) and not isinstance(memory, bool):
        return memory
    found = _SIZE.fullmatch(memory) if isinstance(memory, str) else None
    unit = None if found is None else _UNITS.get(found.group(2).upper())
    return None if found is None or unit is None else int(float(found.group(1)) * unit)


def check_memory(name: str, value: object) -> None:
    """Raise `OptionError` if a value is not a size, or is too small."""
    size = bytes_of(value)
    if size is None:
        raise OptionError(f"{name}={shown(value)} is no size. Say for example 2GiB, 512MB, or a number of bytes.")
    if size < LEAST_MEMORY:
        raise OptionError(f"{name}={shown(value)} is too little: say at least {LEAST_MEMORY >> 20}MiB.")
