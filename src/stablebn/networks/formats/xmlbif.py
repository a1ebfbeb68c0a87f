"""Read and write XMLBIF, version 0.3: BIF as XML.

Names cannot start or end with a space. "unknown" stands for a network without a name.

References
----------
Cozman, "The Interchange Format for Bayesian Networks", XMLBIF version 0.3.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

from stablebn.networks.formats.parsing.network_draft import Draft
from stablebn.networks.formats.parsing.probability_tables import FlatTable
from stablebn.networks.formats.parsing.writers import categorical, texts, written
from stablebn.networks.formats.parsing.xml_tree import document, parse
from stablebn.networks.model import Network

_TRIMMED = r"(\S(.*\S)?)?"


def read(text: str, file: str, *, normalise: bool = False) -> Network:
    """Read a network from the text of an XMLBIF file."""
    network = parse(text, file, "BIF").one("NETWORK")
    draft = Draft(file, text, normalise=normalise)
    for variable in network.all("VARIABLE"):
        if variable.attributes.get("TYPE", "nature") != "nature":
            raise variable.error("expected a variable of TYPE 'nature'; decisions and utilities are not read.")
        draft.declare(variable.one("NAME").text, [level.text for level in variable.all("OUTCOME")], variable.line)
    for definition in network.all("DEFINITION"):
        parents = [parent.text for parent in definition.all("GIVEN")]
        table = definition.one("TABLE")
        draft.define(definition.one("FOR").text, parents, FlatTable(table.numbers(), table.line), definition.line)
    return draft.network("".join(name.text for name in network.all("NAME")))


def text(network: Network) -> str:
    """Write a network as XMLBIF."""
    nodes = categorical(network, "XMLBIF", names=_TRIMMED, levels=_TRIMMED)
    root = ET.Element("BIF", VERSION="0.3")
    body = ET.SubElement(root, "NETWORK")
    (ET.SubElement(body, "NAME").text,) = texts([network.name or "unknown"], "a network name", "XMLBIF", _TRIMMED)
    for own in nodes:
        variable = ET.SubElement(body, "VARIABLE", TYPE="nature")
        ET.SubElement(variable, "NAME").text = own.node
        for level in own.levels:
            ET.SubElement(variable, "OUTCOME").text = level
    for own in nodes:
        definition = ET.SubElement(body, "DEFINITION")
        ET.SubElement(definition, "FOR").text = own.node
        for parent in own.parents:
            ET.SubElement(definition, "GIVEN").text = parent
        ET.SubElement(definition, "TABLE").text = "\n".join(written(row, " ") for row in own.rows())
    return document(root)
