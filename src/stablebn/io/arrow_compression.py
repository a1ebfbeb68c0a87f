"""What a compressed Arrow file unpacks to, told before anything is unpacked.

PyArrow unpacks all buffers of a batch at once. Every packed buffer begins with the length it unpacks to, and where the
buffers are is told by the messages of the file; only these are read here. They are flatbuffers: tables whose fields
are found through a list of offsets, laid out as the Arrow format says (Message.fbs, File.fbs).
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import BinaryIO

_MAGIC = b"ARROW1"
_CONTINUATION = 0xFFFFFFFF
_FEW_BYTES = 1024
# Kinds of messages that have buffers.
_DICTIONARY, _RECORDS = 2, 3


def unpacked_bytes(path: str) -> int:
    """Sum of the lengths that the packed buffers of an Arrow file or stream unpack to; 0: none is packed.

    Raises
    ------
    ValueError
        The file is no Arrow file, or is damaged.
    """
    with open(path, "rb") as file:
        is_file = file.read(len(_MAGIC)) == _MAGIC
        return sum(_unpacked(file, at) for at in (_blocks(file) if is_file else _messages(file)))


class _FlatbufferTable:
    """A table of a flatbuffer."""

    def __init__(self, content: bytes, at: int) -> None:
        self.content = content
        self._at = at
        self._fields = at - _integer(content, at, "<i")

    @classmethod
    def root(cls, content: bytes) -> _FlatbufferTable:
        """The outermost table."""
        return cls(content, _integer(content, 0, "<I"))

    def place(self, field: int) -> int | None:
        """Where a field is; None: it has its default."""
        entry = 4 + 2 * field
        if entry >= _integer(self.content, self._fields, "<H"):
            return None
        offset = _integer(self.content, self._fields + entry, "<H")
        return self._at + offset if offset else None

    def integer(self, field: int, form: str) -> int:
        """A number."""
        at = self.place(field)
        return 0 if at is None else _integer(self.content, at, form)

    def table(self, field: int) -> _FlatbufferTable | None:
        """A table inside this one."""
        at = self.place(field)
        return None if at is None else _FlatbufferTable(self.content, at + _integer(self.content, at, "<I"))

    def structs(self, field: int, form: str) -> list[tuple[int, ...]]:
        """A vector of structs."""
        at = self.place(field)
        if at is None:
            return []
        at += _integer(self.content, at, "<I")
        size = _integer(self.content, at, "<I") * struct.calcsize(form)
        return list(struct.iter_unpack(form, _slice(self.content, at + 4, size)))


def _blocks(file: BinaryIO) -> Iterator[int]:
    """Where the messages of a file are, by its footer."""
    end = file.seek(-len(_MAGIC) - 4, os.SEEK_END)
    size = _integer(_read(file, end, 4), 0, "<i")
    footer = _FlatbufferTable.root(_read(file, end - size, size))
    for field in (2, 3):
        # Offset, length of the metadata, and length of the body.
        yield from (offset for offset, _, _ in footer.structs(field, "<qi4xq"))


def _messages(file: BinaryIO) -> Iterator[int]:
    """Where the messages of a stream are: one after the other."""
    at, end = 0, file.seek(0, os.SEEK_END)
    while at < end:
        yield at
        message, body = _message(file, at)
        if message is None:
            return
        # Never backwards, whatever a damaged message says.
        at = body + max(message.integer(3, "<q"), 0)


def _message(file: BinaryIO, at: int) -> tuple[_FlatbufferTable | None, int]:
    """The message at a place, and where its body begins; None: the stream ends here."""
    size = _integer(_read(file, at, 4), 0, "<I")
    at += 4
    if size == _CONTINUATION:
        size = _integer(_read(file, at, 4), 0, "<I")
        at += 4
    return (_FlatbufferTable.root(_read(file, at, size)) if size else None), at + size


def _unpacked(file: BinaryIO, at: int) -> int:
    """What the packed buffers of a message unpack to."""
    message, body = _message(file, at)
    kind = 0 if message is None else message.integer(1, "<B")
    if message is None or kind not in (_DICTIONARY, _RECORDS):
        return 0
    batch = message.table(2)
    if batch is not None and kind == _DICTIONARY:
        batch = batch.table(1)
    if batch is None or batch.place(3) is None:
        return 0
    total = 0
    for offset, length in batch.structs(2, "<qq"):
        if length >= 8:
            # A buffer that would not shrink is stored as it is, and says -1.
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
    # A size is told by the file, and must not be believed: Python makes room for it before it reads.
    if at < 0 or size < 0 or (size > _FEW_BYTES and at + size > os.fstat(file.fileno()).st_size):
        raise ValueError("a message is cut short")
    file.seek(at)
    content = file.read(size)
    if len(content) < size:
        raise ValueError("a message is cut short")
    return content
