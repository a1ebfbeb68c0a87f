"""The file from which a search goes on that was stopped.

It has what the learner noted in its journal, by canonical numbers, and what the search was: the learner, its options
and a digest of the table. So it fits the same table in any layout, and nothing else.
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
from stablebn.search.search_log import Journal
from stablebn.table.blocks import AnyTable
from stablebn.table.row_digest import digest_of_rows

SECONDS_BETWEEN_WRITES = 5.0
# No more than a twentieth of the time is spent on writing.
_PATIENCE = 20
_MARK, _FORMAT = "stablebn checkpoint", 2

# Limits that end a search sooner or later, and do not lead it elsewhere.
_LIMITS = ("max_time", "max_iter")
# What of a problem does not lead a search anywhere, or is in the digest of the table and the options. All else does,
# and whatever may be added to problems.
_NOT_ASKED = {
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
    """What a checkpoint has; None where there is none yet.

    Parameters
    ----------
    path : Path
    resume : bool or None
        Whether there must be one.

    Raises
    ------
    OptionError
        There is something else in this place, or a file cannot be written there.
    """
    check_free(path, force=True)
    if not path.exists() or (path.is_file() and not path.stat().st_size):
        if resume:
            raise OptionError(f"there is no checkpoint {path} to go on from. Leave resume out to begin one.")
        return None
    try:
        # A device could be read without end.
        found: Any = json.loads(path.read_bytes()) if path.is_file() else None
        if found[_MARK] == _FORMAT and found["digest"] == _digest(json.dumps(found["records"])):
            return {"about": dict(found["about"]), "records": dict(found["records"])}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    raise OptionError(f"{path} is no checkpoint of this version of stablebn, or it is damaged. Choose another name.")


def about_search(
    algorithm: str, options: Mapping[str, object], problem: Problem, table: AnyTable, *, by_columns: bool
) -> dict[str, Any]:
    """What a search is, in types that JSON has: equal ones go the same way.

    Parameters
    ----------
    algorithm : str
    options : mapping of str to object
        The options that were used.
    problem : Problem
    table : Table or BlockTable
        Of the problem.
    by_columns : bool
        Whether the order of the columns decides between equals.
    """
    asked = [(own.name, getattr(problem, own.name)) for own in fields(problem) if own.name not in _NOT_ASKED]
    about = {
        "algorithm": algorithm,
        "revision": revision_of(algorithm, options),
        "options": {name: value for name, value in options.items() if name not in _LIMITS},
        "variables": len(problem.names),
        "rows": problem.statistics.total,
        "table": digest_of_rows(table, problem.names),
        "order": _digest(repr(problem.given)) if by_columns else None,
        "asked": _digest(repr(asked)),
    }
    read: dict[str, Any] = json.loads(json.dumps(about, default=str))
    return read


class Checkpoint:
    """Writes what a search has found so far to a file, now and then.

    Parameters
    ----------
    path : Path
    about : mapping
        What the search is.
    earlier : mapping or None
        What the file has, as `read_checkpoint` gives it.
    resume : bool or None
        False: begin anew all the same.

    Attributes
    ----------
    journal : Journal
    failure : str or None
        Why the file could not be written the last time.

    Raises
    ------
    OptionError
        The file is of another search.
    """

    def __init__(
        self, path: Path, about: Mapping[str, Any], earlier: Mapping[str, Any] | None, *, resume: bool | None
    ) -> None:
        if earlier is not None and earlier["about"] != about:
            raise OptionError(
                f"the checkpoint {path} is of another search: {_difference(earlier['about'], about)}. It stays as it "
                "is. Choose another name, or remove it."
            )
        records = {} if earlier is None or resume is False else earlier["records"]
        self.journal = Journal(records, self._perhaps_write)
        self.failure: str | None = None
        self._path = path
        self._about = about
        self._owner = threading.get_ident()
        self._next = time.monotonic() + SECONDS_BETWEEN_WRITES

    def write(self, *, finished: bool) -> None:
        """Write all that there is; what keeps the file from being written must not end the search."""
        records = json.dumps(self.journal.records())
        head = json.dumps({_MARK: _FORMAT, "about": self._about, "finished": finished, "digest": _digest(records)})
        try:
            # Records can be long: they are put into words once.
            write_atomically(self._path, f'{head.removesuffix("}")}, "records": {records}}}\n', force=True)
            self.failure = None
        except OptionError as error:
            self.failure = str(error)

    def _perhaps_write(self) -> None:
        # One thread writes; others only find things out.
        began = time.monotonic()
        if began < self._next or threading.get_ident() != self._owner:
            return
        self.write(finished=False)
        ended = time.monotonic()
        self._next = ended + max(SECONDS_BETWEEN_WRITES, _PATIENCE * (ended - began))


def _difference(earlier: Mapping[str, Any], about: Mapping[str, Any]) -> str:
    """In which way a search is another one."""
    if earlier.get("algorithm") != about["algorithm"]:
        return f"it was made by algorithm={earlier.get('algorithm')!r}, and this is {about['algorithm']!r}"
    if earlier.get("revision") != about["revision"]:
        return "it was made by another version of the learner, its score or its test"
    options: dict[str, Any] = {**about["options"], **earlier.get("options", {})}
    others = [name for name in options if earlier.get("options", {}).get(name) != about["options"].get(name)]
    if others:
        told = [f"{name}={earlier.get('options', {}).get(name)!r}" for name in others]
        return f"it was made with {', '.join(told)}"
    if any(earlier.get(part) != about[part] for part in ("variables", "rows", "table")):
        return (
            f"it was made from another table, with {earlier.get('variables')} columns that take part and "
            f"{earlier.get('rows')} rows"
        )
    if earlier.get("order") != about["order"]:
        return "the columns stand in another order, by which this learner goes"
    return "it was made with another start, or other arcs were allowed"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
