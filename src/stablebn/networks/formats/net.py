"""Read and write NET, the format of Hugin: `node` and `potential` blocks, tables as nested lists.

States are quoted; names are not, so that names with spaces or punctuation cannot be written.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stablebn.networks.formats.parsing.network_draft import Draft
from stablebn.networks.formats.parsing.probability_tables import FlatTable, WrittenTable
from stablebn.networks.formats.parsing.scanner import Scanner, token_pattern, without_comments
from stablebn.networks.formats.parsing.writers import TextCPT, categorical, texts, written
from stablebn.networks.model import Network

_COMMENT = r"%[^\n]*"
_WORD = r'[^\s"{}()=;|%]+'
_TOKENS = token_pattern(r"[{}()=;|]", _WORD)


def read(text: str, file: str, *, normalise: bool = False) -> Network:
    """Read a network from the text of a NET file."""
    scan = Scanner(without_comments(text, _COMMENT) if "%" in text else text, file, _TOKENS)
    draft = Draft(file, text, normalise=normalise)
    name = ""
    while scan.kind:
        if scan.accept("net"):
            name = _read_name(scan)
        elif scan.accept("node"):
            _read_node(scan, draft)
        elif scan.accept("potential"):
            _read_potential(scan, draft)
        elif not scan.accept("discrete"):
            raise scan.error("'net', 'node' or 'potential'")
    return draft.network(name)


def text(network: Network) -> str:
    """Write a network as NET."""
    nodes = categorical(network, "NET", names=_WORD)
    (name,) = texts([network.name or "unknown"], "a network name", "NET")
    return "".join([f'net {{\n  name = "{name}";\n}}\n', *map(_node, nodes), *map(_potential, nodes)])


def _read_name(scan: Scanner) -> str:
    name = ""
    scan.expect("{")
    while not scan.accept("}"):
        if _attribute(scan) == "name":
            name = scan.name("the network's name")
        scan.skip()
    return name


def _read_node(scan: Scanner, draft: Draft) -> None:
    line = scan.line
    node = scan.name("the name of a node")
    states: list[str] = []
    scan.expect("{")
    while not scan.accept("}"):
        if _attribute(scan) == "states":
            scan.expect("(")
            states = scan.names("a state", ")")
        scan.skip()
    draft.declare(node, states, line)


def _read_potential(scan: Scanner, draft: Draft) -> None:
    line = scan.line
    scan.expect("(")
    node = scan.name("the name of a node")
    scan.accept("|")
    parents = scan.names("the name of a parent", ")")
    table: WrittenTable = FlatTable((), line)
    scan.expect("{")
    while not scan.accept("}"):
        data_line = scan.line
        if _attribute(scan) == "data":
            # Brackets are ignored: they show the shape, which the levels determine.
            table = FlatTable(scan.numbers(ignore="()"), data_line)
        else:
            scan.skip()
    draft.define(node, parents, table, line)


def _attribute(scan: Scanner) -> str:
    """Read the name of an attribute and the "=" after it."""
    name = scan.name("an attribute or '}'")
    scan.expect("=")
    return name


def _node(own: TextCPT) -> str:
    states = " ".join(f'"{level}"' for level in own.levels)
    return f"node {own.node} {{\n  states = ({states});\n}}\n"


def _potential(own: TextCPT) -> str:
    family = f"{own.node} | {' '.join(own.parents)}" if own.parents else own.node
    return f"potential ({family}) {{\n  data = {_nested(own.probabilities)};\n}}\n"


def _nested(numbers: NDArray[np.float64]) -> str:
    if numbers.ndim == 1:
        return f"({written(numbers.tolist(), ' ')})"
    return "(" + "\n   ".join(map(_nested, numbers)) + ")"
