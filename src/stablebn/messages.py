"""Warnings about the data or a run, and phrases that warnings and errors share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from stablebn.graph.names import name_key
from stablebn.table.table import Name

MOST_SHOWN = 8


@dataclass(frozen=True)
class Caution:
    """A warning about the data or the run, which does not stop learning.

    Attributes
    ----------
    code : str
        The kind of warning.
    columns : tuple of hashable
        The columns concerned.
    message : str
        One sentence that names the columns and what to do.
    """

    code: Literal[
        "constant",
        "identical",
        "copies",
        "interchangeable",
        "names-decide",
        "dropped-rows",
        "missing-level",
        "holes",
        "fewest-rows",
        "max-iter",
        "max-time",
        "interrupted",
        "checkpoint",
        "not-proven",
        "conflicts",
        "not-extendable",
        "small-strata",
        "too-few-rows",
        "unjoinable",
        "units",
        "unseen",
        "dialect",
        "index",
        "markers",
        "quoted-markers",
        "set-aside",
        "kinds",
        "numbers-as-text",
        "many-levels",
        "few-rows",
        "uncertain-score",
        "renamed",
        "failed-replicates",
    ]
    columns: tuple[Name, ...]
    message: str

    def __str__(self) -> str:
        return self.message


def tallied(tally: Mapping[Name, object]) -> str:
    """Write names, each with its value in brackets: sorted by name, at most eight of them.

    >>> tallied({"b": 1, "a": 2})
    "'a' (2), 'b' (1)"
    """
    shown = ", ".join(f"{name!r} ({tally[name]})" for name in sorted(tally, key=name_key)[:MOST_SHOWN])
    rest = len(tally) - MOST_SHOWN
    return f"{shown} and {rest} more" if rest > 0 else shown


def counted(number: int, thing: str, things: str | None = None) -> str:
    """Write a number with the noun in the singular or the plural.

    >>> counted(1, "row"), counted(2000, "row"), counted(2, "class", "classes")
    ('1 row', '2,000 rows', '2 classes')
    """
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"


def kinds_option(names: Sequence[Name], kind: str) -> str:
    """Write the Python option that sets the kind of some columns.

    >>> kinds_option(["age"], "continuous")
    'kinds={"age": "continuous"}'
    """
    entries = [f'{_literal(name)}: "{kind}"' for name in names[:MOST_SHOWN]]
    return f"kinds={{{', '.join(entries)}{', ...' if len(names) > MOST_SHOWN else ''}}}"


def _literal(name: Name) -> str:
    return json.dumps(name, ensure_ascii=False) if isinstance(name, str) else repr(name)
