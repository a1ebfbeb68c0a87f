"""What is said to the user: cautions, and the phrases that cautions and errors share."""

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
    """Something about the data that the user should know; learning goes on.

    Attributes
    ----------
    code : str
        A word for what it is about.
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
    """Names with what was found in each, in the order of names, a long list cut short.

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
    """Write the option that gives these columns this kind, ready to be pasted.

    >>> kinds_option(["age"], "continuous")
    'kinds={"age": "continuous"}'
    """
    entries = [f'{_literal(name)}: "{kind}"' for name in names[:MOST_SHOWN]]
    return f"kinds={{{', '.join(entries)}{', ...' if len(names) > MOST_SHOWN else ''}}}"


def _literal(name: Name) -> str:
    return json.dumps(name, ensure_ascii=False) if isinstance(name, str) else repr(name)
