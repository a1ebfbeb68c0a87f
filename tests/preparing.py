"""Prepare a table in tests: reading options, storage and the rest as plain keywords."""

from __future__ import annotations

from typing import Any

from stablebn.options import options_of
from stablebn.prepare.prepare import prepare as prepare_table
from stablebn.prepare.prepared import Prepared
from stablebn.prepare.read_options import ReadOptions, Storage

_READ = {entry.name for entry in options_of(ReadOptions)}
_STORAGE = {entry.name for entry in options_of(Storage)}


def prepare(source: object, **options: Any) -> Prepared:
    """Prepare a table with one thread, unless more are given."""
    read = {"threads": 1, **{name: value for name, value in options.items() if name in _READ}}
    storage = {name: value for name, value in options.items() if name in _STORAGE}
    rest = {name: value for name, value in options.items() if name not in _READ | _STORAGE}
    return prepare_table(source, ReadOptions(**read), Storage(**storage), **rest)
