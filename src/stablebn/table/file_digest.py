"""Compute digests of files."""

from __future__ import annotations

import hashlib
import os

DIGEST_BYTES = 16

_BYTES_AT_ONCE = 1 << 20


def digest_of_file(path: str | os.PathLike[str]) -> str:
    """Return a digest of all bytes of a file, which is read in parts."""
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    with open(path, "rb", buffering=0) as file:
        while part := file.read(_BYTES_AT_ONCE):
            digest.update(part)
    return digest.hexdigest()


def digest_of_bytes(content: bytes) -> str:
    """Return the digest of a file with these bytes."""
    return hashlib.blake2b(content, digest_size=DIGEST_BYTES).hexdigest()
