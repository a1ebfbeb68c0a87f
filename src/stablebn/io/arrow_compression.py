"""Compute the decompressed size of an Arrow file from its metadata, before PyArrow decompresses anything.

PyArrow decompresses all buffers of a batch at once, and allocates the size that each buffer declares. A check of the
ratio after reading would come too late: a file of 33 kB can declare 1 GiB. So the declared sizes are summed first.
Each compressed buffer begins with its decompressed length; the messages of the file give the positions of the buffers.
Messages are flatbuffers: tables whose fields are found through a list of offsets (Arrow's Message.fbs, File.fbs).
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import BinaryIO

_MAGIC = b"ARROW1"
_CONTINUATION = 0xFFFFFFFF
_FEW_BYTES = 1024
# Types of messages that have buffers.
_DICTIONARY, _RECORDS = 2, 3


def unpacked_bytes(path: str) -> int:
    """Return the total decompressed length of the compressed buffers of an Arrow file or stream.

    Raises
    ------
    ValueError
        The file is not an Arrow file, or is damaged.
    """
    with open(path, "rb") as file:
        is_file = file.read(len(_MAGIC)) == _MAGIC
        return sum(_unpacked(file, at) for at in (_blocks(file) if is_file else _messages(file)))


class _FlatbufferTable:
    """Table of a flatbuffer."""

    def __init__(self, content: bytes, at: int) -> None:
        self.content = content
        self._at = at
        self._fields = at - _integer(content, at, "<i")

    @classmethod
    def root(cls, content: bytes) -> _FlatbufferTable:
        """Return the outermost table of a flatbuffer."""
        return cls(content, _integer(content, 0, "<I"))

    def position(self, field: int) -> int | None:
        """Return the position of a field; None if it has its default value."""
        entry = 4 + 2 * field
        if entry >= _integer(self.content, self._fields, "<H"):
            return None
        offset = _integer(self.content, self._fields + entry, "<H")
        return self._at + offset if offset else None

    def integer(self, field: int, form: str) -> int:
        """Return a number; `form` is its `struct` format."""
        at = self.position(field)
        return 0 if at is None else _integer(self.content, at, form)

    def table(self, field: int) -> _FlatbufferTable | None:
        """Return a table inside this one."""
        at = self.position(field)
        return None if at is None else _FlatbufferTable(self.content, at + _integer(self.content, at, "<I"))

    def structs(self, field: int, form: str) -> list[tuple[int, ...]]:
        """Return a vector of structs; `form` is the `struct` format of each."""
        at = self.position(field)
        if at is None:
            return []
        at += _integer(self.content, at, "<I")
        size = _integer(self.content, at, "<I") * struct.calcsize(form)
        return list(struct.iter_unpack(form, _slice(self.content, at + 4, size)))


def _blocks(file: BinaryIO) -> Iterator[int]:
    """Yield the positions of the messages of a file, which its footer lists."""
    end = file.seek(-len(_MAGIC) - 4, os.SEEK_END)
    size = _integer(_read(file, end, 4), 0, "<i")
    footer = _FlatbufferTable.root(_read(file, end - size, size))
    for field in (2, 3):
        # Offset, length of the metadata, and length of the body.
        yield from (offset for offset, _, _ in footer.structs(field, "<qi4xq"))


def _messages(file: BinaryIO) -> Iterator[int]:
    """Yield the positions of the messages of a stream, which follow one another."""
    at, end = 0, file.seek(0, os.SEEK_END)
    while at < end:
        yield at
        message, body = _message(file, at)
        if message is None:
            return
        # `max` prevents a damaged message from leading backwards.
        at = body + max(message.integer(3, "<q"), 0)


def _message(file: BinaryIO, at: int) -> tuple[_FlatbufferTable | None, int]:
    """Return the message at a position and the position of its body; None at the end of the stream."""
    size = _integer(_read(file, at, 4), 0, "<I")
    at += 4
    if size == _CONTINUATION:
        size = _integer(_read(file, at, 4), 0, "<I")
        at += 4
    return (_FlatbufferTable.root(_read(file, at, size)) if size else None), at + size


def _unpacked(file: BinaryIO, at: int) -> int:
    """Return the total decompressed size of the buffers of the Arrow message at file offset `at`."""
    message, body = _message(file, at)
    kind = 0 if message is None else message.integer(1, "<B")
    if message is None or kind not in (_DICTIONARY, _RECORDS):
        return 0
    batch = message.table(2)
    if batch is not None and kind == _DICTIONARY:
        batch = batch.table(1)
    # Field 3 is the compression of the buffers.
    if batch is None or batch.position(3) is None:
        return 0
    total = 0
    for offset, length in batch.structs(2, "<qq"):
        if length >= 8:
            # A buffer that would not shrink is stored uncompressed, with the length -1.
            total += max(_integer(_read(file, body + offset, 8), 0, "<q"), 0)
    return total


def _integer(content: bytes, at: int, form: str) -> int:
    (number,) = struct.unpack(form, _slice(content, at, struct.calcsize(form)))
    return int(number)


def _slice(content: bytes, at: int, size: int) -> bytes:
    if at < 0 or at + size > len(content):
        raise ValueError("an offset points outside a message")
    return content[at : at + size]


def _read(file: BinaryIO, at: int, size: int) -> bytes:
    # The size comes from the file and may be wrong; Python would allocate it before reading.
    if at < 0 or size < 0 or (size > _FEW_BYTES and at + size > os.fstat(file.fileno()).st_size):
        raise ValueError("a message is cut short")
    file.seek(at)
    content = file.read(size)
    if len(content) < size:
        raise ValueError("a message is cut short")
    return content
