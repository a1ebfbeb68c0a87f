"""The records of a hybrid algorithm: its climb, and the tests of independence that restricted it."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from stablebn.learners.shared.pattern import TestTrace
from stablebn.search import Climb, Trace


@dataclass
class HybridTrace(Trace):
    """The steps of a climb, and the tests of independence that restricted it.

    Attributes
    ----------
    restriction : TestTrace
        Its `blankets` are the candidate neighbours of each variable.
    """

    restriction: TestTrace = field(default_factory=lambda: TestTrace(0))

    def renamed(self, names: Sequence[Hashable]) -> HybridTrace:
        """Return the same trace with names in place of numbers of variables."""
        columns: dict[str, Any] = self.renamed_columns(names)
        return replace(self, **columns, restriction=self.restriction.renamed(names))

    def to_json(self) -> str:
        """Return the columns and the tests as a JSON object."""
        return json.dumps({**self.to_dict(), "restriction": self.restriction.to_dict()}, default=str)


@dataclass(frozen=True, eq=False)
class HybridClimb(Climb):
    """A climb, and the tests of independence that restricted it."""

    restriction: TestTrace

    def named_trace(self, names: Sequence[Hashable]) -> HybridTrace:
        """Return the trace with names in place of numbers of variables."""
        return self.trace.renamed(names)

    @cached_property
    def trace(self) -> HybridTrace:
        """The steps and the tests."""
        climbed = super().trace
        return HybridTrace(**climbed.to_dict(), best=climbed.best, restriction=self.restriction)
