import numpy as np
import pytest

from stablebn import _core


def test_threads_count_the_same_bits() -> None:
    words = np.full(1000, 255, dtype=np.uint64)
    assert [_core.count_bits(words, threads) for threads in (1, 2, 7)] == [8000] * 3


def test_no_words_have_no_bits() -> None:
    assert _core.count_bits(np.empty(0, dtype=np.uint64), 3) == 0


def test_an_exception_of_the_core_becomes_one_of_python() -> None:
    with pytest.raises(ValueError, match="threads must be at least 1"):
        _core.count_bits(np.ones(3, dtype=np.uint64), 0)


def test_the_engine_has_a_name() -> None:
    assert _core.engine() == "portable"
