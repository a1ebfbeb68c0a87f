"""Find networks by name: the built-in Asia, those in the user's folders, and those of an installed pgmpy."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from stablebn.errors import OptionError, listed, shown
from stablebn.graph import DAG, PDAG, as_graph
from stablebn.networks.asia import asia
from stablebn.networks.formats import NETWORK_ENDINGS, is_graph_file, read_graph_file, read_network_file
from stablebn.networks.model import Network
from stablebn.options import is_iterable, is_path

VARIABLE = "STABLEBN_NETWORKS"
"""Environment variable with folders of networks, separated as in PATH."""


@dataclass(frozen=True)
class KnownNetwork:
    """Name, source and path of a network that can be read.

    Attributes
    ----------
    name : str
    source : str
        "built in", "pgmpy", or the folder.
    path : Path or None
        None for the built-in network.
    """

    name: str
    source: str
    path: Path | None


def known_networks(directories: Iterable[str | os.PathLike[str]] = ()) -> list[KnownNetwork]:
    """List all networks that can be read by name; if a name occurs twice, the first one is read.

    Parameters
    ----------
    directories : iterable of paths
        Searched first, then those in the environment variable STABLEBN_NETWORKS, then the built-in Asia, then
        the examples of pgmpy, if it is installed.
    """
    if isinstance(directories, str | bytes) or not is_iterable(directories):
        raise OptionError(f"directories={shown(directories)} must be a list of folders.")
    unfit: list[object] = [directory for directory in directories if not is_path(directory)]
    if unfit:
        raise OptionError(f"not a folder: {shown(unfit[0])}.")
    named = [Path(directory) for directory in directories]
    absent = [str(directory) for directory in named if not directory.is_dir()]
    if absent:
        raise OptionError(f"not a folder: {listed(absent)}.")
    named += [Path(text) for text in os.environ.get(VARIABLE, "").split(os.pathsep) if text]
    entries = [entry for directory in named for entry in _in_folder(directory, str(directory))]
    entries.append(KnownNetwork("asia", "built in", None))
    return entries + [entry for directory in _pgmpy_folders() for entry in _in_folder(directory, "pgmpy")]


def read_network(
    name: str | os.PathLike[str], *, directories: Sequence[str | os.PathLike[str]] = (), normalise: bool = False
) -> Network:
    """Read a network by its name in the catalogue or by the path of its file.

    Parameters
    ----------
    name : str or path
        For example "alarm", "alarm.bif" or "models/alarm.xdsl.gz".
    directories : sequence of paths
        Folders that are searched before all others.
    normalise : bool
        Whether to rescale probabilities that do not sum to 1.

    Examples
    --------
    >>> read_network("asia").nodes[:3]
    ('asia', 'tub', 'smoke')
    """
    if not isinstance(name, str | os.PathLike):
        raise OptionError(f"a {type(name).__name__} names no network: give a name or the path of a file.")
    text = os.fsdecode(name)
    if os.path.exists(text) or network_name(text) != text:
        return read_network_file(text, normalise=normalise)
    entries = known_networks(directories)
    for entry in entries:
        if entry.name == text:
            return asia() if entry.path is None else read_network_file(entry.path, normalise=normalise)
    raise OptionError(
        f"no network is called {shown(text)}. There are: {listed(sorted({entry.name for entry in entries}), most=99)}. "
        f"Name a folder with more (--networks, or {VARIABLE}), or install pgmpy: pip install 'stablebn[networks]'."
    )


def network_name(text: str) -> str:
    """Return the name of a network that is given by its name or by the path of its file.

    >>> network_name("models/alarm.bif.gz")
    'alarm'
    """
    return _stem(os.path.basename(text))


def read_graph(name: str | os.PathLike[str], *, directories: Sequence[str | os.PathLike[str]] = ()) -> DAG | PDAG:
    """Read the graph of a file, or of a network by its name in the catalogue.

    Parameters
    ----------
    name : str or path
        A file with or without parameters: a result, network or graph as JSON, an edge list as CSV, DOT, GraphML, BIF,
        XDSL and the like, also compressed (".gz"); or a name such as "alarm" (`stablebn networks` lists them).
    directories : sequence of paths
        Folders with networks that are searched before all others.

    Returns
    -------
    DAG or PDAG
        A DAG when all edges are directed.

    Examples
    --------
    >>> read_graph("asia").parents("lung")
    ('smoke',)
    """
    if not isinstance(name, str | os.PathLike):
        raise OptionError(f"a {type(name).__name__} names no graph: give the path of a file or the name of a network.")
    text = os.fsdecode(name)
    if os.path.isfile(text) or is_graph_file(text):
        return read_graph_file(text)
    return read_network(text, directories=directories).dag


def graph_of(graph: object) -> DAG | PDAG:
    """Return a graph given in any form of `as_graph`, by the path of its file, or by the name of its network."""
    return read_graph(graph) if isinstance(graph, str | os.PathLike) else as_graph(graph)


def _in_folder(directory: Path, source: str) -> list[KnownNetwork]:
    if not directory.is_dir():
        return []
    files = sorted(path for path in directory.iterdir() if path.is_file() and _stem(path.name) != path.name)
    return [KnownNetwork(_stem(path.name), source, path) for path in files]


def _stem(name: str) -> str:
    """Return a file's name without the ending of a network format, if it has one."""
    bare = name[:-3] if name.lower().endswith(".gz") else name
    ending = next((ending for ending in NETWORK_ENDINGS if bare.lower().endswith(ending)), None)
    return name if ending is None else bare[: -len(ending)]


def _pgmpy_folders() -> list[Path]:
    """Return the folders of pgmpy's example networks, without importing pgmpy, which takes seconds."""
    try:
        spec = find_spec("pgmpy")
    except (ImportError, ValueError):
        return []
    roots = [] if spec is None or spec.submodule_search_locations is None else spec.submodule_search_locations
    return [Path(root) / "utils" / "example_models" for root in roots]
