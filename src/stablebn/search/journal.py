"""Records of the progress of searches, so that a later run can continue from there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


class Journal:
    """Records of searches by name, in types that JSON has.

    A search first looks for its record of an earlier run, and then registers a function that returns its current
    record. The function is called only when records are written, so registering costs nothing.

    Parameters
    ----------
    records : mapping of name to record
        Records of an earlier run.
    changed : callable, optional
        Called when a search has progressed, from any thread.
    """

    def __init__(self, records: Mapping[str, Any], changed: Callable[[], None] | None = None) -> None:
        self._records = dict(records)
        self._noted: dict[str, Callable[[], Any]] = {}
        self._changed = changed

    def recall(self, name: str) -> Any:
        """Return the record of an earlier run, or of an earlier search with this name; None if there is none."""
        noted = self._noted.get(name)
        return self._records.get(name) if noted is None else noted()

    def note(self, name: str, record: Callable[[], Any]) -> None:
        """Register the function that returns the current record of a search."""
        self._noted[name] = record

    def something_is_new(self) -> None:
        """Report that a search has progressed."""
        if self._changed is not None:
            self._changed()

    def records(self) -> dict[str, Any]:
        """Return all records, as they are now."""
        return {**self._records, **{name: record() for name, record in list(self._noted.items())}}
