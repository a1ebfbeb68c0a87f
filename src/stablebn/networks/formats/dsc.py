"""Read DSC, the format of Microsoft's belief-network tools; the networks of the paper are published in it.

Rows name the levels of the parents by index, from 0. The format is read only.
"""

from __future__ import annotations

from stablebn.networks.formats.bif import discrete_levels, family_names
from stablebn.networks.formats.parsing.network_draft import Draft
from stablebn.networks.formats.parsing.probability_tables import ProbabilityRow, RowTable
from stablebn.networks.formats.parsing.scanner import C_COMMENT, Scanner, token_pattern, without_comments
from stablebn.networks.model import Network

_WORD = r'[^\s"{}()\[\];,|:=]+'
_TOKENS = token_pattern(r"[{}()\[\];,|:=]", _WORD)


def read(text: str, file: str, *, normalise: bool = False) -> Network:
    """Read a network from the text of a DSC file."""
    scan = Scanner(without_comments(text, C_COMMENT) if "/" in text else text, file, _TOKENS)
    draft = Draft(file, text, normalise=normalise)
    scan.expect("belief")
    scan.expect("network")
    name = "" if scan.token in ("node", "properties", "{") else scan.name("the network's name")
    while scan.kind:
        if scan.accept("node"):
            _read_node(scan, draft)
        elif scan.accept("probability"):
            _read_probability(scan, draft)
        elif scan.accept("properties", "{"):
            scan.skip("}")
        else:
            raise scan.error("'node' or 'probability'")
    return draft.network(name)


def _read_node(scan: Scanner, draft: Draft) -> None:
    line = scan.line
    node = scan.name("the name of a node")
    levels: list[str] = []
    scan.expect("{")
    while not scan.accept("}"):
        if scan.accept("type"):
            scan.accept(":", "=")
            levels = discrete_levels(scan)
            scan.expect(";")
        else:
            scan.skip()
    draft.declare(node, levels, line)


def _read_probability(scan: Scanner, draft: Draft) -> None:
    line = scan.line
    node, parents = family_names(scan)
    rows: list[ProbabilityRow] = []
    default: ProbabilityRow | None = None
    scan.expect("{")
    while not scan.accept("}"):
        row_line = scan.line
        if scan.accept("("):
            levels = scan.names("the index of a level", ")")
            scan.expect(":")
            rows.append(ProbabilityRow(levels, scan.numbers(), row_line))
        elif scan.accept("default"):
            scan.accept(":", "=")
            default = ProbabilityRow((), scan.numbers(), row_line)
        elif parents:
            raise scan.error("a row that starts with '(', 'default' or '}'")
        else:
            rows.append(ProbabilityRow((), scan.numbers(), row_line))
    draft.define(node, parents, RowTable(rows, default, by_index=True), line)
