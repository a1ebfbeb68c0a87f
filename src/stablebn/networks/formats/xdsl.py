"""XDSL, the format of GeNIe: tables (`cpt`), functions (`deterministic`) and linear Gaussians (`equation`).

In a table the node changes fastest, then its last parent. Names stand between spaces, and in equations between signs:
a name with a space in it, and in a continuous network with anything but letters, digits and "_", cannot be written.
GeNIe wants parents before their children, so the nodes are written in such an order; the `genie` part of the file
keeps the network's own. "unknown" stands for a network without a name.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stablebn.networks.formats.draft import Draft, check_new, check_parents, checked_network
from stablebn.networks.formats.equations import VARIABLE, equation, linear_gaussian
from stablebn.networks.formats.tables import Cells, Family, FlatTable, Table
from stablebn.networks.formats.writing import categorical, texts, written
from stablebn.networks.formats.xml_tree import Element, document, parse
from stablebn.networks.model import LinearGaussian, Network

_APP = "stablebn"
_KINDS = ("cpt", "deterministic", "equation")


class Outcomes(NamedTuple):
    """The table of a deterministic node: the level that follows from each configuration of the parents."""

    levels: Sequence[str]

    def cells(self, family: Family) -> Cells:
        """Give all probability to those levels."""
        place = {level: i for i, level in enumerate(family.levels[-1])}
        needed = family.configurations
        if len(self.levels) != needed or not set(self.levels) <= place.keys():
            raise family.error(f"needs {needed} resulting states, all of them states of the node.")
        probabilities = np.zeros((needed, len(place)))
        probabilities[np.arange(needed), [place[level] for level in self.levels]] = 1
        return Cells(probabilities, {})


def read(text: str, file: str, *, normalise: bool = False) -> Network:
    """Read a network from the text of an XDSL file."""
    smile = parse(text, file, "smile")
    nodes = smile.one("nodes").children
    for node in nodes:
        if node.tag not in _KINDS:
            raise node.error(f"expected <cpt>, <deterministic> or <equation>, got <{node.tag}>.")
        if (node.tag == "equation") != (nodes[0].tag == "equation"):
            raise node.error("expected nodes that are all categorical or all equations, got both.")
    name = smile.attributes.get("id", "")
    nodes = _in_own_order(nodes, smile)
    if nodes and nodes[0].tag == "equation":
        return _continuous(nodes, file, name)
    draft = Draft(file, text, normalise=normalise)
    for node in nodes:
        draft.declare(node.attribute("id"), [state.attribute("id") for state in node.all("state")], node.line)
        draft.define(node.attribute("id"), _parents(node), _table(node), node.line)
    return draft.network(name)


def text(network: Network) -> str:
    """Write a network as XDSL."""
    (name,) = texts([network.name or "unknown"], "a network name", "XDSL", ".*")
    smile = ET.Element("smile", version="1.0", id=name)
    nodes = {node.attrib["id"]: node for node in (_equations(network) if network.is_continuous else _tables(network))}
    ET.SubElement(smile, "nodes").extend(nodes[str(node)] for node in network.dag.topological_order())
    genie = ET.SubElement(ET.SubElement(smile, "extensions"), "genie", version="1.0", app=_APP, name=name)
    for node in nodes:
        ET.SubElement(ET.SubElement(genie, "node", id=node), "name").text = node
    return document(smile)


def _in_own_order(nodes: list[Element], smile: Element) -> list[Element]:
    """Nodes in the order of the `genie` part, if this package wrote it."""
    parts = [genie for extensions in smile.all("extensions") for genie in extensions.all("genie")]
    own = [node for genie in parts if genie.attributes.get("app") == _APP for node in genie.all("node")]
    place = {node.attribute("id"): i for i, node in enumerate(own)}
    return sorted(nodes, key=lambda node: place.get(node.attribute("id"), len(place)))


def _parents(node: Element) -> list[str]:
    return [parent for parents in node.all("parents") for parent in parents.text.split()]


def _table(node: Element) -> Table:
    if node.tag == "deterministic":
        return Outcomes(node.one("resultingstates").text.split())
    probabilities = node.one("probabilities")
    return FlatTable(probabilities.numbers(), probabilities.line)


def _continuous(nodes: list[Element], file: str, name: str) -> Network:
    gaussians: dict[str, LinearGaussian] = {}
    lines: dict[str, int] = {}
    for node in nodes:
        identity, definition = node.attribute("id"), node.one("definition")
        check_new(identity, lines, node.line, file)
        try:
            gaussians[identity] = linear_gaussian(definition.text, identity, _parents(node))
        except ValueError as error:
            raise definition.error(f"node {identity!r}: {error}.") from None
        lines[identity] = node.line
    check_parents({node: own.parents for node, own in gaussians.items()}, lines, file)
    return checked_network(gaussians, lines, file, name)


def _tables(network: Network) -> list[ET.Element]:
    nodes = []
    for own in categorical(network, "XDSL", names=r"\S+", levels=".*"):
        node = ET.Element("cpt", id=own.node)
        for level in own.levels:
            ET.SubElement(node, "state", id=level)
        _write_parents(node, own.parents)
        ET.SubElement(node, "probabilities").text = " ".join(written(row, " ") for row in own.rows())
        nodes.append(node)
    return nodes


def _equations(network: Network) -> list[ET.Element]:
    names = dict(zip(network, texts(network, "a name", "XDSL", VARIABLE), strict=True))
    nodes = []
    for name, own in zip(names.values(), network.values(), strict=True):
        if isinstance(own, LinearGaussian):
            node = ET.Element("equation", id=name)
            _write_parents(node, [names[parent] for parent in own.parents])
            ET.SubElement(node, "definition").text = equation(name, own)
            nodes.append(node)
    return nodes


def _write_parents(node: ET.Element, parents: Sequence[str]) -> None:
    if parents:
        ET.SubElement(node, "parents").text = " ".join(parents)
