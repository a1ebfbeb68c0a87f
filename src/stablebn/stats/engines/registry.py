"""The engines by name: those of this package, and those that other packages register as entry points."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from stablebn.errors import OptionError, listed, shown
from stablebn.lazy import imported
from stablebn.options import Choice
from stablebn.stats.engines.base import Engine
from stablebn.table.blocks import AnyTable, BlockTable

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from stablebn.prepare.dask.workers import DaskCluster
    from stablebn.stats.row_source import RowSource

ENTRY_POINTS = "stablebn.engines"
"""The entry point group in which other packages register engines: a name, and a class that derives from `Engine`."""

CLIENT_ENGINE = "dask"
"""The engine that is used if `client=` is given and `engine=` is not."""

_MODULES: Mapping[str, str] = {
    "memory": "stablebn.stats.engines.memory:MemoryEngine",
    "disk": "stablebn.stats.engines.disk:DiskEngine",
    "dask": "stablebn.stats.engines.dask:DaskEngine",
    "gpu": "stablebn.stats.engines.gpu:GpuEngine",
}


class EngineCheck(Choice):
    """A check: the name of an engine, of this package or registered by another one."""

    def __call__(self, name: str, value: object) -> None:
        """Raise `OptionError` for any other value."""
        engine_named(value)


def engine_check() -> EngineCheck:
    """Return the check of the option `engine`; its choices are the engines of this package."""
    return EngineCheck(tuple(_MODULES))


def engine_names() -> tuple[str, ...]:
    """Return the names of all engines, those of this package first."""
    return tuple(dict.fromkeys([*_MODULES, *sorted(_entry_points())]))


def engine_named(name: object) -> Engine:
    """Return an engine by name; a built-in engine takes precedence over a plug-in (entry point) of the same name.

    Raises
    ------
    OptionError
        If there is no such engine, or its entry point is not an `Engine`.
    """
    if isinstance(name, str):
        if name in _MODULES:
            return _engine_of_package(name)
        entry = _entry_points().get(name)
        if entry is not None:
            return _loaded(entry)
    raise OptionError(f"engine={shown(name)} is not known. Choose one of: {listed(engine_names(), most=99)}.")


@cache
def _engine_of_package(name: str) -> Engine:
    """Import an engine of this package at its first use."""
    module, _, attribute = _MODULES[name].partition(":")
    engine: Engine = getattr(imported(module), attribute)()
    return engine


def _loaded(entry: EntryPoint) -> Engine:
    """Return an instance of the class that an entry point names."""
    engine = entry.load()()
    if not isinstance(engine, Engine):
        raise OptionError(
            f"engine={shown(entry.name)} cannot be used: {entry.value} does not derive from "
            "stablebn.stats.engines.base.Engine."
        )
    return engine


def _entry_points() -> dict[str, EntryPoint]:
    """Return the engines that installed packages register, by name."""
    # Imported here, because it is needed only for names that are not in this package.
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}


def cluster_for(engine: str | None, client: object) -> DaskCluster | None:
    """Return the cluster whose workers read the table for an engine; None if this process reads it."""
    return None if engine is None else engine_named(engine).cluster(client)


def source_of(table: AnyTable, engine: str | None = None, *, threads: int = 1) -> RowSource:
    """Return the rows of a table for statistics.

    Parameters
    ----------
    table : Table or BlockTable
    engine : str, optional
        The name of the engine that counts; by default the engine that counts the rows where they are.
    threads : int
    """
    return engine_named(engine or _native_engine(table)).source(table, threads=threads)


def _native_engine(table: AnyTable) -> str:
    """Return the name of the engine that counts the rows of a table where they are."""
    if not isinstance(table, BlockTable):
        return "memory"
    return "disk" if table.remote is None else "dask"
