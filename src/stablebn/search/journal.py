"""What searches have found so far, so that the same search can go on from there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


class Journal:
    """Records by name, in types that JSON has.

    A search looks whether there is a record of it from an earlier time, and notes what it does itself. Records are
    written down only when somebody asks for them, so that to note something costs nothing.

    Parameters
    ----------
    records : mapping of name to record
        From an earlier time.
    changed : callable, optional
        Called whenever something new is there, not always from the same thread.
    """

    def __init__(self, records: Mapping[str, Any], changed: Callable[[], None] | None = None) -> None:
        self._records = dict(records)
        self._noted: dict[str, Callable[[], Any]] = {}
        self._changed = changed

    def recall(self, name: str) -> Any:
        """The record of an earlier time, perhaps of the same search earlier in this run; None if there is none."""
        noted = self._noted.get(name)
        return self._records.get(name) if noted is None else noted()

    def note(self, name: str, record: Callable[[], Any]) -> None:
        """From now on a record is what a function gives."""
        self._noted[name] = record

    def something_is_new(self) -> None:
        """Say that what is noted has grown."""
        if self._changed is not None:
            self._changed()

    def records(self) -> dict[str, Any]:
        """All records, as they are now."""
        return {**self._records, **{name: record() for name, record in list(self._noted.items())}}
