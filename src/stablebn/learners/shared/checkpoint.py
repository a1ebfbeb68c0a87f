"""A checkpoint file, from which a stopped search continues.

It contains the journal of the algorithm, by canonical numbers, and identifies the search: the algorithm, its options
and a digest of the table. So it fits the same table with any order of rows and columns, and no other search.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from stablebn.errors import OptionError
from stablebn.files import check_free, write_atomically
from stablebn.learners.registry import revision_of
from stablebn.learners.shared.problem import Problem
from stablebn.search.journal import Journal
from stablebn.table.blocks import AnyTable
from stablebn.table.row_digest import digest_of_rows

SECONDS_BETWEEN_WRITES = 5.0
# Writing takes at most a twentieth of the time.
_PATIENCE = 20
_MARK, _FORMAT = "stablebn checkpoint", 2

# Limits that end a search earlier or later, and do not change its course.
_LIMITS = ("max_time", "max_iter")
# Fields of a problem that do not change the course of a search, or that the digest of the table and the options cover.
# All other fields, also future ones, are compared.
_IGNORED_FIELDS = {
    "names",
    "statistics",
    "scores",
    "score_config",
    "given",
    "tied",
    "interchangeable",
    "undecided",
    "test",
    "deadline",
    "interruption",
    "watch",
    "journal",
    "resampling",
}


def read_checkpoint(path: Path, *, resume: bool | None) -> Mapping[str, Any] | None:
    """Return the contents of a checkpoint; None if there is none yet.

    Parameters
    ----------
    path : Path
    resume : bool or None
        True: the checkpoint must exist.

    Raises
    ------
    OptionError
        The path is another file, or a file cannot be written there.
    """
    check_free(path, force=True)
    if not path.exists() or (path.is_file() and not path.stat().st_size):
        if resume:
            raise OptionError(f"there is no checkpoint {path} to resume. Leave resume out to start a new search.")
        return None
    try:
        # Reading a device might never end.
        contents: Any = json.loads(path.read_bytes()) if path.is_file() else None
        if contents[_MARK] == _FORMAT and contents["digest"] == _digest(json.dumps(contents["records"])):
            return {"about": dict(contents["about"]), "records": dict(contents["records"])}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    raise OptionError(f"{path} is not a checkpoint of this version of stablebn, or it is damaged. Choose another name.")


def about_search(
    algorithm: str, options: Mapping[str, object], problem: Problem, table: AnyTable, *, by_columns: bool
) -> dict[str, Any]:
    """Describe a search in types that JSON has: searches with equal descriptions take the same course.

    Parameters
    ----------
    algorithm : str
    options : mapping of str to object
        The options that were used.
    problem : Problem
    table : Table or BlockTable
        The table of the problem.
    by_columns : bool
        Whether the order of the columns breaks ties.
    """
    compared = [
        (entry.name, getattr(problem, entry.name)) for entry in fields(problem) if entry.name not in _IGNORED_FIELDS
    ]
    about = {
        "algorithm": algorithm,
        "revision": revision_of(algorithm, options),
        "options": {name: value for name, value in options.items() if name not in _LIMITS},
        "variables": len(problem.names),
        "rows": problem.statistics.total,
        "table": digest_of_rows(table, problem.names),
        "order": _digest(repr(problem.given)) if by_columns else None,
        "asked": _digest(repr(compared)),
    }
    read: dict[str, Any] = json.loads(json.dumps(about, default=str))
    return read


class SearchCheckpoint:
    """Writes the journal of a search to a file at intervals.

    Parameters
    ----------
    path : Path
    about : mapping
        The description of the search.
    earlier : mapping or None
        The contents of the file, from `read_checkpoint`.
    resume : bool or None
        False: start again and ignore the contents.

    Attributes
    ----------
    journal : Journal
    failure : str or None
        Why the file could not be written the last time.

    Raises
    ------
    OptionError
        The file belongs to another search.
    """

    def __init__(
        self, path: Path, about: Mapping[str, Any], earlier: Mapping[str, Any] | None, *, resume: bool | None
    ) -> None:
        if earlier is not None and earlier["about"] != about:
            raise OptionError(
                f"the checkpoint {path} belongs to another search: {_difference(earlier['about'], about)}. It was not "
                "changed. Choose another name, or remove it."
            )
        records = {} if earlier is None or resume is False else earlier["records"]
        self.journal = Journal(records, self._perhaps_write)
        self.failure: str | None = None
        self._path = path
        self._about = about
        self._owner = threading.get_ident()
        self._next = time.monotonic() + SECONDS_BETWEEN_WRITES

    def write(self, *, finished: bool) -> None:
        """Write the journal; an error is recorded in `failure` and does not end the search."""
        records = json.dumps(self.journal.records())
        head = json.dumps({_MARK: _FORMAT, "about": self._about, "finished": finished, "digest": _digest(records)})
        try:
            # Records can be long: serialise them only once.
            write_atomically(self._path, f'{head.removesuffix("}")}, "records": {records}}}\n', force=True)
            self.failure = None
        except OptionError as error:
            self.failure = str(error)

    def _perhaps_write(self) -> None:
        # Only the thread that created the checkpoint writes; others only add records.
        began = time.monotonic()
        if began < self._next or threading.get_ident() != self._owner:
            return
        self.write(finished=False)
        ended = time.monotonic()
        self._next = ended + max(SECONDS_BETWEEN_WRITES, _PATIENCE * (ended - began))


def _difference(earlier: Mapping[str, Any], about: Mapping[str, Any]) -> str:
    """Say how a search differs from the one in the checkpoint."""
    if earlier.get("algorithm") != about["algorithm"]:
        return f"it was made by algorithm={earlier.get('algorithm')!r}, and this is {about['algorithm']!r}"
    if earlier.get("revision") != about["revision"]:
        return "it was made by another version of the algorithm, its score or its test"
    options: dict[str, Any] = {**about["options"], **earlier.get("options", {})}
    others = [name for name in options if earlier.get("options", {}).get(name) != about["options"].get(name)]
    if others:
        shown = [f"{name}={earlier.get('options', {}).get(name)!r}" for name in others]
        return f"it was made with {', '.join(shown)}"
    if any(earlier.get(part) != about[part] for part in ("variables", "rows", "table")):
        return (
            f"it was made from another table, with {earlier.get('variables')} variables and {earlier.get('rows')} rows"
        )
    if earlier.get("order") != about["order"]:
        return "the columns have another order, and this algorithm depends on it"
    return "it was made with another start graph or other constraints"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
