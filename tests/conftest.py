"""What all tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stablebn import _core


@pytest.fixture
def forced_engine(engine: str) -> Iterator[str]:
    """Let the core use the engine that a test is parametrised with."""
    before = _core.engine()
    assert _core.use_engine(engine)
    yield engine
    _core.use_engine(before)
