"""A request to learn: the options, what is known of the graph, and what may end the search."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from stablebn import _core
from stablebn.api.arguments import LearnArguments
from stablebn.errors import OptionError
from stablebn.knowledge import Knowledge, KnownArcs
from stablebn.learners.shared.config import SearchConfig
from stablebn.learners.shared.interruption import Interruption
from stablebn.learners.shared.pattern import Pattern
from stablebn.learners.shared.problem import Problem, within_time
from stablebn.prepare.prepared import Prepared
from stablebn.prepare.read_options import with_own_reading
from stablebn.search import Climb
from stablebn.threads import cores

_Made = TypeVar("_Made")

Search: TypeAlias = Callable[[Problem, SearchConfig], Climb | Pattern]
"""Finds a graph."""


class RunClock:
    """The time limit of a run, and how long its stages have taken.

    Parameters
    ----------
    max_time : float, optional
        Seconds.

    Attributes
    ----------
    deadline : float or None
        When the search must end, in terms of `time.monotonic`.
    timings : dict of str to float
        Seconds by stage.
    """

    def __init__(self, max_time: float | None) -> None:
        self._began = self._last = time.perf_counter()
        self.max_time = max_time
        self.deadline = None if max_time is None else time.monotonic() + max_time
        self.timings: dict[str, float] = {}

    def mark(self, stage: str) -> None:
        """Record the end of a stage."""
        now = time.perf_counter()
        self.timings |= {stage: now - self._last}
        self._last = now

    @property
    def total(self) -> float:
        """Seconds from the start to the end of the last stage."""
        return self._last - self._began

    def latest(self, share: float = 1.0) -> float | None:
        """Return when reading and counting must end: after the deadline by a share of the grace period.

        The grace period allows a result that has not been searched at all, in place of an error.
        """
        if self.deadline is None or self.max_time is None:
            return None
        return self.deadline + share * max(0.8, self.max_time / 12)


@dataclass(frozen=True)
class LearnRequest:
    """What to learn from which table, and how.

    Attributes
    ----------
    options : LearnArguments
    knowledge : Knowledge
        What the options say is known of the graph.
    known : KnownArcs or None
        What is known of the graph, in place of `knowledge`. Forbidden arcs at columns that take no part are ignored;
        required ones are an error.
    saved : mapping or None
        The checkpoint from which the search goes on.
    interruption : Interruption or None
        The signals that end the search, which then returns the best graph so far. `None`: Ctrl-C raises
        `KeyboardInterrupt`.
    table : Prepared or None
        The table, if it has been read before.
    called : mapping of name to name, or None
        Names that decide between interchangeable variables, in place of their own; see `canonical_order`.
    search : callable or None
        Finds the graph in place of the algorithm: for instance, checks a graph that was found before.
    """

    options: LearnArguments
    knowledge: Knowledge
    known: KnownArcs | None = None
    saved: Mapping[str, Any] | None = None
    interruption: Interruption | None = None
    table: Prepared | None = None
    called: Mapping[Hashable, Hashable] | None = None
    search: Search | None = None
    clock: RunClock = field(default_factory=lambda: RunClock(None))

    @classmethod
    def parse(
        cls, arguments: Sequence[object], options: Mapping[str, object], *, interruption: Interruption | None = None
    ) -> LearnRequest:
        """Parse a call of `stablebn.learn`."""
        return cls.of(LearnArguments.of_learn(arguments, options), interruption=interruption)

    @classmethod
    def of(
        cls,
        options: LearnArguments,
        *,
        known: KnownArcs | None = None,
        interruption: Interruption | None = None,
        table: Prepared | None = None,
        called: Mapping[Hashable, Hashable] | None = None,
        search: Search | None = None,
    ) -> LearnRequest:
        """Make a request of options, and start its clock.

        Raises
        ------
        KnowledgeError
            The options contradict each other in what they say is known.
        """
        options = with_own_reading(options)
        knowledge, clock = options.background_knowledge(), RunClock(options.max_time)
        saved = None
        if options.checkpoint is not None:
            # Imported here because it takes time, and few runs have a checkpoint.
            from stablebn.learners.shared.checkpoint import read_checkpoint

            saved = read_checkpoint(Path(options.checkpoint), resume=options.resume)
        return cls(options, knowledge, known, saved, interruption, table, called, search, clock)

    @property
    def threads(self) -> int:
        """The number of threads, by default one per core."""
        return self.options.threads or cores()

    def in_time(self, work: Callable[[], _Made], *, latest: float | None = None) -> _Made:
        """Do work without which there is no graph; raise `OptionError` if the time limit ends it."""
        try:
            return work() if latest is None else within_time(latest, work)
        except _core.TimeIsUp:
            raise OptionError(
                f"max_time={self.options.max_time} seconds were over while the table was read and counted, so there is "
                "no graph. Allow more time, or use fewer columns or rows."
            ) from None
