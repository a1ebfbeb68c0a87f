"""Engines are found by name, those of other packages too, and change nothing of what is learned."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from tests.tables import categorical_columns, continuous_columns, mixed_columns

import stablebn as sb
from stablebn.stats.engines.base import Engine
from stablebn.stats.engines.registry import engine_named, engine_names

MAKERS = {"categorical": categorical_columns, "continuous": continuous_columns, "mixed": mixed_columns}

TOY = '''
"""An engine that counts how often it is asked."""

from stablebn.stats.engines.base import Engine
from stablebn.stats.engines.registry import source_of
from stablebn.stats.row_source import RowSource

passes = []


class CountingSource(RowSource):
    def __init__(self, source):
        self.like, self.total, self.rows = source.like, source.total, source.rows
        self._source = source

    def map_blocks(self, function, *arguments):
        passes.append(function)
        return self._source.map_blocks(function, *arguments)


class CountingEngine(Engine):
    def source(self, table, *, threads=1):
        return CountingSource(source_of(table, threads=threads))


class NoEngine:
    pass
'''


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A package that registers the engines "toy" and "broken", installed for one test."""
    (tmp_path / "toy_engine.py").write_text(TOY)
    metadata = tmp_path / "toy_engine-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-engine\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[stablebn.engines]\ntoy = toy_engine:CountingEngine\nbroken = toy_engine:NoEngine\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with monkeypatch.context() as imports:
        imports.delitem(sys.modules, "toy_engine", raising=False)
        yield import_module("toy_engine")


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("missing", [False, True])
def test_an_engine_of_another_package_learns_the_same_bits(kind: str, missing: bool, toy: ModuleType) -> None:
    columns = MAKERS[kind](np.random.default_rng(7), 7, 400)
    options: dict[str, Any] = {}
    if missing:
        columns = {name: [None, *list(values)[1:]] for name, values in columns.items()}
        options["missing"] = "available"
    right = sb.learn(columns, **options)
    found = sb.learn(columns, engine="toy", **options)
    assert (found.to_dict(), found.trace) == (right.to_dict(), right.trace)
    assert toy.passes, "the engine must be asked"


@pytest.mark.parametrize("engine", ["memory", "disk"])
@pytest.mark.parametrize("memory", [None, "64MiB"])
@pytest.mark.parametrize("kind", MAKERS)
def test_engines_of_this_package_learn_the_same_bits(kind: str, engine: str, memory: str | None) -> None:
    columns = MAKERS[kind](np.random.default_rng(8), 6, 300)
    right = sb.learn(columns)
    found = sb.learn(columns, engine=engine, memory=memory)
    assert (found.to_dict(), found.trace) == (right.to_dict(), right.trace)


def test_an_unknown_engine_is_refused_with_the_names_of_all_engines(toy: ModuleType) -> None:
    with pytest.raises(sb.OptionError, match="engine='tpu' is not known") as raised:
        sb.learn({"a": ["x", "y"] * 20, "b": ["p", "q"] * 20}, engine="tpu")
    assert all(repr(name) in str(raised.value) for name in ("memory", "disk", "dask", "gpu", "toy"))


@pytest.mark.parametrize("engine", [0, ["gpu"], ""])
def test_an_engine_that_is_no_name_is_refused(engine: Any) -> None:
    with pytest.raises(sb.OptionError, match="Choose one of: 'memory'"):
        sb.learn({"a": ["x", "y"] * 20, "b": ["p", "q"] * 20}, engine=engine)


def test_an_entry_point_that_is_no_engine_is_refused(toy: ModuleType) -> None:
    with pytest.raises(sb.OptionError, match="toy_engine:NoEngine does not derive from"):
        sb.learn({"a": ["x", "y"] * 20, "b": ["p", "q"] * 20}, engine="broken")


def test_a_client_goes_with_engines_that_have_workers_only(toy: ModuleType) -> None:
    with pytest.raises(sb.OptionError, match="client= goes with engine=\"dask\", not with engine='toy'"):
        sb.learn({"a": ["x", "y"] * 20, "b": ["p", "q"] * 20}, engine="toy", client="tcp://nowhere:1")


def test_every_engine_of_this_package_has_the_interface() -> None:
    assert engine_names()[:4] == ("memory", "disk", "dask", "gpu")
    assert all(isinstance(engine_named(name), Engine) for name in engine_names()[:4])
