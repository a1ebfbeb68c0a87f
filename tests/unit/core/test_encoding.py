"""Texts, objects and integers to codes: beside naive ways, and in arrays that end where the values do.

`make sanitize` runs this: what looks beyond the end of an array fails there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from stablebn import _core

TEXTS = st.lists(st.one_of(st.none(), st.text(max_size=20), st.text("ab\0", max_size=30)), min_size=1, max_size=50)


def _bytes(values: Sequence[str | None]) -> list[bytes]:
    return [(value or "").encode() for value in values]


def _validity(values: Sequence[str | None]) -> NDArray[np.uint8]:
    return np.packbits([value is not None for value in values], bitorder="little")


def _by_places(values: Sequence[str | None], dtype: type) -> tuple[Any, ...]:
    texts = _bytes(values)
    places: NDArray[Any] = np.cumsum([0, *map(len, texts)]).astype(dtype)
    return places, [np.frombuffer(b"".join(texts), np.uint8).copy()], _validity(values), 0, len(values)


def _by_views(values: Sequence[str | None]) -> tuple[Any, ...]:
    views, contents = b"", [b"", b""]
    for row, text in enumerate(_bytes(values)):
        views += len(text).to_bytes(4, "little")
        if len(text) <= 12:
            views += text.ljust(12, b"\xff")
        else:
            views += text[:4] + (row % 2).to_bytes(4, "little") + len(contents[row % 2]).to_bytes(4, "little")
            contents[row % 2] += text
    arrays = [np.frombuffer(content, np.uint8).copy() for content in contents]
    return np.frombuffer(views, np.uint8).copy(), arrays, _validity(values), 0, len(values)


def _naive(values: Sequence[str | None]) -> tuple[list[int], list[str]]:
    """Numbers from 1 in the order in which texts are met, 0 for None."""
    texts = list(dict.fromkeys(value for value in values if value is not None))
    return [0 if value is None else texts.index(value) + 1 for value in values], texts


@pytest.mark.parametrize("threads", [1, 2])
@given(values=TEXTS, others=TEXTS)
def test_texts_have_the_numbers_in_which_they_are_met(
    values: list[str | None], others: list[str | None], threads: int
) -> None:
    columns = [
        [_by_places(values, np.int32), _by_places(others, np.int64)],
        [_by_views(others), _by_views(values)],
        [_by_places(others, np.int32)],
    ]
    expected = [_naive(values + others), _naive(others + values), _naive(others)]
    assert [(numbers.tolist(), texts) for numbers, texts in _core.numbered_texts(columns, threads)] == expected


@pytest.mark.parametrize(
    ("distinct", "dtype"), [(255, np.uint8), (256, np.uint16), (65535, np.uint16), (65536, np.int32)]
)
def test_numbers_of_texts_have_the_smallest_type(distinct: int, dtype: type) -> None:
    values = [f"a text that is rather long, number {i}" for i in range(distinct)]
    ((numbers, texts),) = _core.numbered_texts([[_by_places([*values, *values], np.int32)]], 1)
    assert numbers.dtype == dtype
    assert numbers.tolist() == [*range(1, distinct + 1)] * 2
    assert texts == values


@given(
    values=st.lists(st.integers(0, 99), min_size=1, max_size=70),
    least=st.sampled_from([-(2**63), -(2**31), -100, 0, 7, 2**31, 2**63 - 100]),
    size=st.sampled_from([5, 16, 17, 64, 65, 100]),
)
def test_integers_are_marked_and_translated_by_how_far_they_are_above_the_least(
    values: list[int], least: int, size: int
) -> None:
    offsets = [value % size for value in values]
    own = [np.array([least + offset for offset in offsets], dtype=np.int64)]
    narrow = [np.array(offsets, dtype=np.uint8)]
    codes = [np.arange(size, dtype=np.uint8)[::-1].copy()]
    for indices, base in ((own, least), (narrow, 0)):
        assert _core.occurring(indices, [base], [size], 1) == [sorted(set(offsets))]
        out = [np.zeros(len(values), dtype=np.uint8)]
        _core.translate(indices, [base], codes, out, 1)
        assert out[0].tolist() == [size - 1 - offset for offset in offsets]


def test_objects_have_the_numbers_in_which_they_are_met() -> None:
    first, second = "a long text that is no constant"[:-1], [1]
    column = np.array([[first, 0], [None, 0], [second, 0], [first, 0]], dtype=object)[:, 0]
    found = _core.numbered_objects(column)
    assert found is not None
    numbers, objects = found
    assert numbers.tolist() == [0, 1, 2, 0]
    assert [one is other for one, other in zip(objects, (first, None, second), strict=True)] == [True] * 3


def test_there_is_one_zero_only() -> None:
    out = np.zeros(3)
    _core.copy_numbers([np.array([-0.0, np.nan, -1.5])], [out], 1)
    assert np.signbit(out).tolist() == [False, False, True]
    assert np.isnan(out[1])
