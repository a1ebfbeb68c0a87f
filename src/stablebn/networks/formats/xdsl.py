"""Read and write XDSL, the format of GeNIe: tables (`cpt`), functions (`deterministic`), linear Gaussians (`equation`).

In a table the node changes fastest, then its last parent. In pyAgrum 3.3.1 the first parent changes fastest, both in
reading and in writing, without a warning. Files of pyAgrum, which name it, are read here in that order. pyAgrum reads
the parents of a node in reverse order from a file written here; `Network.to_pyagrum`, BIF and NET avoid the problem.

Names are separated by spaces, and in equations by operators. So a name with a space cannot be written; in a network
with equations, names must consist of letters, digits and "_".
The equation of a continuous node with categorical parents selects by the index of the level, from 0, as in GeNIe's
hybrid models: `Choose(parent, Normal(0,1), Normal(2,1))`.
GeNIe requires parents before their children, so nodes are written in topological order; the `genie` part of the file
keeps the network's order. "unknown" stands for a network without a name.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from stablebn.networks.formats.parsing.equations import VARIABLE, equation, gaussian
from stablebn.networks.formats.parsing.network_draft import Draft
from stablebn.networks.formats.parsing.probability_tables import Cells, Family, FlatTable, WrittenTable
from stablebn.networks.formats.parsing.writers import TextCPT, tables_of, texts, written
from stablebn.networks.formats.parsing.xml_tree import Element, document, parse
from stablebn.networks.model import CPT, ConditionalGaussian, Distribution, LinearGaussian, Network

_APP = "stablebn"
_PYAGRUM = "aGrUM"
_KINDS = ("cpt", "deterministic", "equation")


class DeterministicTable(NamedTuple):
    """Table of a deterministic node: the level that each configuration of the parents determines."""

    levels: Sequence[str]

    def cells(self, family: Family) -> Cells:
        """Return the table with probability 1 for these levels."""
        index_of = {level: i for i, level in enumerate(family.levels[-1])}
        needed = family.configurations
        if len(self.levels) != needed or not set(self.levels) <= index_of.keys():
            raise family.error(f"needs {needed} resulting states, all of them states of the node.")
        probabilities = np.zeros((needed, len(index_of)))
        probabilities[np.arange(needed), [index_of[level] for level in self.levels]] = 1
        return Cells(probabilities, {})


class Equation(NamedTuple):
    """Definition of a continuous node."""

    node: str
    definition: Element

    def gaussian(
        self, levels: Mapping[str, tuple[str, ...]], continuous: Sequence[str]
    ) -> LinearGaussian | ConditionalGaussian:
        """Parse the definition as a distribution."""
        try:
            return gaussian(self.definition.text, self.node, levels, continuous)
        except ValueError as error:
            raise self.definition.error(f"node {self.node!r}: {error}.") from None


def read(text: str, file: str, *, normalise: bool = False) -> Network:
    """Read a network from the text of an XDSL file."""
    smile = parse(text, file, "smile")
    nodes = smile.one("nodes").children
    for node in nodes:
        if node.tag not in _KINDS:
            raise node.error(f"expected <cpt>, <deterministic> or <equation>, got <{node.tag}>.")
    draft = Draft(file, text, normalise=normalise)
    first_is_fastest = any(app.startswith(_PYAGRUM) for app in _apps(smile))
    for node in _in_own_order(nodes, smile):
        identity, parents = node.attribute("id"), _parents(node)
        if first_is_fastest:
            parents.reverse()
        if node.tag == "equation":
            draft.define_continuous(identity, parents, Equation(identity, node.one("definition")), node.line)
        else:
            draft.declare(identity, [state.attribute("id") for state in node.all("state")], node.line)
            draft.define(identity, parents, _table(node), node.line)
    return draft.network(smile.attributes.get("id", ""))


def text(network: Network) -> str:
    """Write a network as XDSL."""
    (name,) = texts([network.name or "unknown"], "a network name", "XDSL", ".*")
    smile = ET.Element("smile", version="1.0", id=name)
    names = texts(network, "a name", "XDSL", r"\S+" if network.kind == "categorical" else VARIABLE)
    tables = {own.node: _cpt(own) for own in tables_of(network, "XDSL", names=r"\S+", levels=".*")}
    nodes = {name: tables[name] if name in tables else _equation(name, network[name]) for name in names}
    ET.SubElement(smile, "nodes").extend(nodes[str(node)] for node in network.dag.topological_order())
    genie = ET.SubElement(ET.SubElement(smile, "extensions"), "genie", version="1.0", app=_APP, name=name)
    for node in nodes:
        ET.SubElement(ET.SubElement(genie, "node", id=node), "name").text = node
    return document(smile)


def _in_own_order(nodes: list[Element], smile: Element) -> list[Element]:
    """Sort nodes in the order of the `genie` part, if this package wrote it."""
    parts = [genie for extensions in smile.all("extensions") for genie in extensions.all("genie")]
    ordered = [node for genie in parts if genie.attributes.get("app") == _APP for node in genie.all("node")]
    position = {node.attribute("id"): i for i, node in enumerate(ordered)}
    return sorted(nodes, key=lambda node: position.get(node.attribute("id"), len(position)))


def _apps(smile: Element) -> list[str]:
    """Return the programs that the file names as its authors."""
    parts = [genie for extensions in smile.all("extensions") for genie in extensions.all("genie")]
    return [genie.attributes.get("app", "") for genie in parts]


def _parents(node: Element) -> list[str]:
    return [parent for parents in node.all("parents") for parent in parents.text.split()]


def _table(node: Element) -> WrittenTable:
    if node.tag == "deterministic":
        return DeterministicTable(node.one("resultingstates").text.split())
    probabilities = node.one("probabilities")
    return FlatTable(probabilities.numbers(), probabilities.line)


def _cpt(own: TextCPT) -> ET.Element:
    node = ET.Element("cpt", id=own.node)
    for level in own.levels:
        ET.SubElement(node, "state", id=level)
    _write_parents(node, own.parents)
    ET.SubElement(node, "probabilities").text = " ".join(written(row, " ") for row in own.rows())
    return node


def _equation(name: str, own: Distribution) -> ET.Element:
    assert not isinstance(own, CPT)
    node = ET.Element("equation", id=name)
    _write_parents(node, [str(parent) for parent in own.parents])
    ET.SubElement(node, "definition").text = equation(name, own)
    return node


def _write_parents(node: ET.Element, parents: Sequence[str]) -> None:
    if parents:
        ET.SubElement(node, "parents").text = " ".join(parents)
