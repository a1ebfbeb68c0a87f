"""Read and write files of networks and graphs; the ending of a file's name determines its format.

Networks with parameters: JSON and XDSL (categorical, continuous and mixed networks); BIF, XMLBIF and NET (categorical
networks). DSC, and pgmpy's JSON of linear Gaussians, are read only.
Graphs without parameters: JSON, CSV edge lists (including those of Bayesys), GraphML and DOT.
All files may be compressed (".gz"). Readers check the content completely and raise `FormatError`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Protocol

from stablebn.errors import FormatError, OptionError, listed
from stablebn.graph import DAG, PDAG, to_csv, to_dot, to_graphml
from stablebn.messages import Caution
from stablebn.networks.formats import (
    bif,
    dot,
    dsc,
    edge_csv,
    graph_json,
    graphml,
    net,
    network_json,
    xdsl,
    xmlbif,
)
from stablebn.networks.formats.parsing.json_text import parse_object
from stablebn.networks.formats.parsing.text_files import encode, read_text
from stablebn.networks.model import Network

__all__ = [
    "GRAPH_ENDINGS",
    "NETWORK_ENDINGS",
    "encode",
    "graph_text",
    "has_parameters",
    "is_graph_file",
    "keeps_values",
    "names_in_file",
    "network_text",
    "read_graph_file",
    "read_network_file",
]


class NetworkReader(Protocol):
    """Function that parses the text of a file as a network; `file` names it in messages."""

    def __call__(self, text: str, file: str, *, normalise: bool = False) -> Network:
        """Read a network."""


NETWORK_READERS: dict[str, NetworkReader] = {
    ".bif": bif.read,
    ".xml": xmlbif.read,
    ".xmlbif": xmlbif.read,
    ".xdsl": xdsl.read,
    ".dsc": dsc.read,
    ".net": net.read,
    ".json": network_json.read,
}
NETWORK_WRITERS: dict[str, Callable[[Network], str]] = {
    ".bif": bif.text,
    ".xml": xmlbif.text,
    ".xmlbif": xmlbif.text,
    ".xdsl": xdsl.text,
    ".net": net.text,
    ".json": network_json.text,
}
GRAPH_READERS: dict[str, Callable[[str, str], DAG | PDAG]] = {
    ".json": graph_json.read,
    ".csv": edge_csv.read,
    ".graphml": graphml.read,
    ".dot": dot.read,
    ".gv": dot.read,
}
GRAPH_WRITERS: dict[str, Callable[[DAG | PDAG], str]] = {
    ".json": graph_json.text,
    ".csv": to_csv,
    ".bayesys.csv": edge_csv.bayesys_text,
    ".graphml": to_graphml,
    ".dot": to_dot,
    ".gv": to_dot,
}
NETWORK_ENDINGS = tuple(NETWORK_READERS)
"""Endings of the names of network files, before a ".gz"."""
GRAPH_ENDINGS = tuple(GRAPH_READERS)
"""Endings of the names of graph files, before a ".gz"."""


def read_network_file(path: str | os.PathLike[str], *, normalise: bool = False) -> Network:
    """Read a network with parameters.

    Parameters
    ----------
    path : str or path
        Ends in one of `NETWORK_ENDINGS`, optionally followed by ".gz", in upper or lower case.
    normalise : bool
        Whether to rescale the probabilities of each row to sum to 1. Otherwise a row whose sum differs from 1 by more
        than `SUM_TOLERANCE` is refused.

    Returns
    -------
    Network
        Nodes and levels in the order of the file.

    Raises
    ------
    FormatError
        The file is invalid; the message has the file, the line and what was expected there.
    """
    file = os.fspath(path)
    reader = NETWORK_READERS[_readable(file, NETWORK_READERS)]
    return reader(read_text(file), file, normalise=normalise)


def read_graph_file(path: str | os.PathLike[str]) -> DAG | PDAG:
    """Read a graph, or the graph of a network.

    Parameters
    ----------
    path : str or path
        Ends in one of `GRAPH_ENDINGS` or `NETWORK_ENDINGS`, optionally followed by ".gz", in upper or lower case.

    Returns
    -------
    DAG or PDAG
        A DAG when all edges are directed.
    """
    file = os.fspath(path)
    ending = _readable(file, [*GRAPH_READERS, *NETWORK_READERS])
    text = read_text(file)
    if _is_network(ending, text, file):
        # Probabilities are normalised, because their sums do not matter for the graph.
        return NETWORK_READERS[ending](text, file, normalise=True).dag
    return GRAPH_READERS[ending](text, file)


def is_graph_file(name: str) -> bool:
    """Return whether the ending of a name is that of a graph or network file."""
    return _ending(name, [*GRAPH_READERS, *NETWORK_READERS]) is not None


def has_parameters(path: str | os.PathLike[str]) -> bool:
    """Return whether a file has a network with parameters, not only a graph."""
    file = os.fspath(path)
    return _is_network(_readable(file, [*GRAPH_READERS, *NETWORK_READERS]), read_text(file), file)


def network_text(network: Network, ending: str) -> str:
    """Return the text of a network file, which the caller writes (`encode` converts it to bytes).

    Parameters
    ----------
    network : Network
    ending : str
        Ending of the file's name, or the whole name; one of the keys of `NETWORK_WRITERS`.

    Raises
    ------
    GraphError
        The format cannot store the network: it has continuous nodes, names that do not fit, or names that are not text
        (`keeps_values`).
    """
    return NETWORK_WRITERS[_writable(ending, NETWORK_WRITERS)](network)


def keeps_values(ending: str) -> bool:
    """Return whether a format keeps names and levels that are not text."""
    return _writable(ending, NETWORK_WRITERS) == ".json"


def names_in_file(network: Network, ending: str) -> Caution | None:
    """Return a warning if the file of a network has other names than the network."""
    is_bif = _writable(ending, NETWORK_WRITERS) == ".bif"
    return bif.written_names(network).caution() if is_bif else None


def graph_text(graph: DAG | PDAG, ending: str) -> str:
    """Return the text of a graph file, which the caller writes (`encode` converts it to bytes).

    Parameters
    ----------
    graph : DAG or PDAG
    ending : str
        Ending of the file's name, or the whole name; one of `GRAPH_ENDINGS` or ".bayesys.csv".
    """
    return GRAPH_WRITERS[_writable(ending, GRAPH_WRITERS)](graph)


def _is_network(ending: str, text: str, file: str) -> bool:
    """Return whether a file has a network; for JSON, which may be a graph too, look at the content."""
    return ending not in GRAPH_READERS or (
        ending in NETWORK_READERS and network_json.is_network(parse_object(text, file))
    )


def _readable(file: str, known: Iterable[str]) -> str:
    ending = _ending(file, known)
    if ending is None:
        raise FormatError(file, None, f"expected a name that ends in {listed(tuple(known), most=99)}, or so and '.gz'.")
    return ending


def _writable(name: str, known: Iterable[str]) -> str:
    ending = _ending(name, known)
    if ending is None:
        raise OptionError(f"{name!r} is no format to write. Names can end in: {listed(tuple(known), most=99)}.")
    return ending


def _ending(name: str, known: Iterable[str]) -> str | None:
    """Return the longest known ending of a file's name, ignoring ".gz"."""
    bare = name.lower().removesuffix(".gz")
    return max((ending for ending in known if bare.endswith(ending)), key=len, default=None)
