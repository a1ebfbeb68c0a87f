"""A search that is stopped and goes on gives what one gives that was never stopped, whatever is learned from what."""

from __future__ import annotations

import math
import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.drawn import KINDS, LEARNERS, UNSTABLE, Combination, Streams, holes_of, options_of, scores_for
from tests.tables import Columns, categorical_columns, continuous_columns, mixed_columns, shuffled

import stablebn as sb

MAKERS = {"categorical": categorical_columns, "continuous": continuous_columns, "mixed": mixed_columns}
BEFORE = ("reading", "encoding", "discretising", "counting", "ordering", "telling columns apart")
EXAMPLES = 2

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are another matter there")


def _drawn_table(streams: Streams, combination: Combination) -> Columns:
    rng = np.random.default_rng(streams["values"].randrange(10**6))
    columns = MAKERS[combination.kind](rng, streams["columns"].randint(4, 7), streams["rows"].randint(40, 120))
    for column, row in holes_of(streams, combination, len(columns), len(next(iter(columns.values())))):
        own = list(columns.values())[column]
        own[row] = None if isinstance(own[row], str) else math.nan
    return columns


def _known(result: sb.Result) -> tuple[Any, ...]:
    """All but the timings, and what is said of max_iter, which may have ended both."""
    said = [caution for caution in result.warnings if caution.code != "max-iter"]
    return result.pdag, result.dag, result.score, result.order, result.conflicts, result.config, result.finished, said


@pytest.mark.parametrize("example", range(EXAMPLES))
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("algorithm", LEARNERS)
def test_stopped_and_resumed_is_as_if_never_stopped(
    algorithm: str, kind: str, example: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["stablebn.search.hill_climbing"], "_SECONDS_AT_ONCE", 1e-9)
    streams = Streams(f"resuming {algorithm} {kind} {example}")
    combination = Combination(algorithm, kind, streams["score"].choice(scores_for(algorithm, kind)))
    table = _drawn_table(streams, combination)
    options = {**options_of(streams, combination, len(table)), "score": combination.score, "missing": "available"}
    whole = sb.learn(table, algorithm, **options)
    told: list[str] = []

    def watch(stage: str, steps: int) -> None:
        if stage not in BEFORE:
            told.append(stage)
            if stops and len(told) == stops[0]:
                os.kill(os.getpid(), signal.SIGINT)

    stops: list[int] = []
    sb.learn(table, algorithm, **options, progress=watch)
    length = len(told)
    checkpoint = tmp_path / "search"
    for stop in range(3):
        # Later and later, in this layout and in others.
        stops[:] = [streams[f"stop {stop}"].randint(1, max(1, length // 3))]
        told.clear()
        sb.learn(table, algorithm, **options, checkpoint=checkpoint, progress=watch)
    by_columns = algorithm in UNSTABLE or options.get("order") == "given"
    other = shuffled(table, streams["layout"].randrange(10**6), order=not by_columns)
    rest = sb.learn(other, algorithm, **options, checkpoint=checkpoint, resume=True)
    assert rest.fingerprint == whole.fingerprint
    again = sb.learn(table, algorithm, **options, checkpoint=checkpoint, resume=True)
    assert again.trace == whole.trace
    assert _known(again) == _known(whole)
