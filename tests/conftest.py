"""What all tests share: how examples are drawn, and which engine the core uses."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from stablebn import _core

# No test may fail because a machine is slow: no deadline, and no complaint about slow drawing, which is one too.
_NO_CLOCK = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

# The same examples in every run: whether a commit passes is a property of the commit. What a run has found another one
# finds too, without a database. More, and other ones: pytest --hypothesis-profile=explore.
settings.register_profile("repeatable", parent=_NO_CLOCK, derandomize=True)
settings.register_profile("explore", parent=_NO_CLOCK, derandomize=False, print_blob=True)
settings.load_profile("repeatable")


# A shell that starts the tests in the background lets them ignore Ctrl-C, and with them all processes that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def forced_engine(engine: str) -> Iterator[str]:
    """Let the core use the engine that a test is parametrised with."""
    before = _core.engine()
    assert _core.use_engine(engine)
    yield engine
    _core.use_engine(before)


@pytest.fixture
def set_time(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """What a test calls to set the clock, which otherwise stands still at 0 seconds."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    def set_now(seconds: float) -> None:
        now[0] = seconds

    return set_now


@pytest.fixture
def time_is_up(set_time: Callable[[float], None]) -> dict[str, Any]:
    """Options of `learn` with which the time is up as soon as the table has been read."""

    def told(stage: str, steps: int) -> None:
        if stage == "counting":
            set_time(60.1)

    return {"max_time": 60.0, "progress": told}
