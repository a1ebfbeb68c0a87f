"""Files that hold several tables: `data.db::patients` names one."""

from __future__ import annotations

from collections.abc import Sequence

from stablebn.errors import DataError, listed


def chosen_table(path: str, asked: str | None, tables: Sequence[str], what: str = "table") -> str:
    """The table that the user names, or the only one; `what` is the word for it."""
    if asked is None and len(tables) == 1:
        return tables[0]
    if asked is not None and asked in tables:
        return asked
    if not tables:
        raise DataError(f"{path!r} has no {what}s: check that it is complete and what its name says.")
    problem = f"has several {what}s" if asked is None else f"has no {what} {asked!r}"
    raise DataError(f"{path!r} {problem}. Name one of {listed(tables)}, for example {f'{path}::{tables[0]}'!r}.")


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'
