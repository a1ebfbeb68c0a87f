"""Read files as UTF-8 text, plain or gzip, up to a size limit; encode text for writing."""

from __future__ import annotations

import gzip
import os
import zlib

from stablebn import decompression as unpacking
from stablebn.errors import FormatError
from stablebn.threads import run_interruptibly


def read_text(path: str) -> str:
    """Read the text of a file, decompressed if its name ends in ".gz".

    Raises
    ------
    FormatError
        No such file, broken gzip, more than `unpacking.MOST_BYTES`, or bytes that are not UTF-8.
    """
    return run_interruptibly(lambda: _read_text(path))


def _read_text(path: str) -> str:
    if os.path.isdir(path):
        raise FormatError(path, None, "this is a directory; expected a file.")
    content = bytearray()
    try:
        with open(path, "rb") as packed, gzip.GzipFile(fileobj=packed) if _is_packed(path) else packed as file:
            # Read in pieces, so that a gzip bomb is decompressed only up to the limit.
            while len(content) <= unpacking.MOST_BYTES and (piece := file.read(2**20)):
                content += piece
    except FileNotFoundError:
        raise FormatError(path, None, "there is no such file; check the path.") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(
            path, None, f"expected a complete gzip file; this one is cut short or damaged: {error}."
        ) from None
    except (OSError, ValueError) as error:
        raise FormatError(path, None, f"the file cannot be read: {error}.") from None
    return decode(content, path)


def decode(content: bytes | bytearray, file: str) -> str:
    """Decode UTF-8, with a single character at the end of each line."""
    if len(content) > unpacking.MOST_BYTES:
        raise FormatError(file, None, f"expected at most {unpacking.MOST_BYTES >> 20} MiB of text; this file has more.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FormatError(file, line, "expected UTF-8 text; save the file as UTF-8.") from None
    return text.replace("\r\n", "\n")


def encode(text: str, path: str) -> bytes:
    """Encode text as UTF-8, gzipped if `path` ends in .gz; equal texts give equal bytes."""
    content = text.encode()
    return gzip.compress(content, mtime=0) if _is_packed(path) else content


def _is_packed(path: str) -> bool:
    return path.lower().endswith(".gz")
