"""Read and write BIF, the Interchange Format for Bayesian Networks: `variable` and `probability` blocks.

The format has quoted names, but pyAgrum does not read them, and pgmpy misreads those with brackets. So names that one
of them cannot read are replaced (`bif_names`). A comment at the top of the file, which only this package reads, has the
original names. "unknown" stands for a network without a name.

References
----------
Cozman, "The Interchange Format for Bayesian Networks", version 0.15.
"""

from __future__ import annotations

from itertools import product

from stablebn.errors import FormatError
from stablebn.networks.formats.parsing.bif_names import WrittenNames, names_in_comment, names_to_write
from stablebn.networks.formats.parsing.network_draft import Draft
from stablebn.networks.formats.parsing.probability_tables import FlatTable, ProbabilityRow, RowTable, WrittenTable
from stablebn.networks.formats.parsing.scanner import C_COMMENT, Scanner, token_pattern, without_comments
from stablebn.networks.formats.parsing.writers import TextCPT, categorical, written
from stablebn.networks.model import Network

_WORD = r'[^\s"{}()\[\];,|]+'
_ANY = "(?s:.*)"
_TOKENS = token_pattern(r"[{}()\[\];,|]", _WORD)


def read(text: str, file: str, *, normalise: bool = False) -> Network:
    """Read a network from the text of a BIF file."""
    scan = Scanner(without_comments(text, C_COMMENT) if "/" in text else text, file, _TOKENS)
    draft = Draft(file, text, normalise=normalise)
    name = ""
    while scan.kind:
        if scan.accept("network"):
            name = " ".join(scan.names("the network's name", "{"))
            scan.skip("}")
        elif scan.accept("variable"):
            _read_variable(scan, draft)
        elif scan.accept("probability"):
            _read_probability(scan, draft)
        elif scan.accept("property"):
            scan.skip()
        else:
            raise scan.error("'network', 'variable' or 'probability'")
    return names_in_comment(text, file).restored(draft.network(name), file)


def text(network: Network) -> str:
    """Write a network as BIF."""
    names = written_names(network)
    nodes = categorical(names.replaced(network), "BIF")
    parts = [*map(_variable, nodes), *map(_probability, nodes)]
    return "".join([names.comment(), f"network {names.network} {{\n}}\n", *parts])


def written_names(network: Network) -> WrittenNames:
    """Return the names of a network in its BIF file."""
    return names_to_write(categorical(network, "BIF", names=_ANY, levels=_ANY), network.name or "unknown")


def discrete_levels(scan: Scanner) -> list[str]:
    """Read "discrete [ 2 ] { a, b }", also with "=" before the braces; return the levels."""
    scan.expect("discrete")
    scan.expect("[")
    line, count = scan.line, scan.name("the number of levels")
    scan.expect("]")
    scan.accept("=")
    scan.expect("{")
    levels = scan.names("a level", "}")
    if count != str(len(levels)):
        raise FormatError(scan.file, line, f"expected {count[:20]} levels, got {len(levels)}.")
    return levels


def family_names(scan: Scanner) -> tuple[str, list[str]]:
    """Read "( node | parent, parent )"; return the node and its parents."""
    scan.expect("(")
    node = scan.name("the name of a node")
    scan.accept("|", ",")
    return node, scan.names("the name of a parent", ")")


def _read_variable(scan: Scanner, draft: Draft) -> None:
    line = scan.line
    node = scan.name("the name of a variable")
    levels: list[str] = []
    scan.expect("{")
    while not scan.accept("}"):
        if scan.accept("type"):
            levels = discrete_levels(scan)
            scan.expect(";")
        elif scan.accept("property"):
            scan.skip()
        else:
            raise scan.error("'type', 'property' or '}'")
    draft.declare(node, levels, line)


def _read_probability(scan: Scanner, draft: Draft) -> None:
    line = scan.line
    node, parents = family_names(scan)
    rows: list[ProbabilityRow] = []
    defaults: list[ProbabilityRow] = []
    tables: list[WrittenTable] = []
    scan.expect("{")
    while not scan.accept("}"):
        row_line = scan.line
        if scan.accept("("):
            levels = scan.names("a level", ")")
            rows.append(ProbabilityRow(levels, scan.numbers(), row_line))
        elif scan.accept("table"):
            tables.append(FlatTable(scan.numbers(), row_line, node_slowest=True))
        elif scan.accept("default"):
            defaults.append(ProbabilityRow((), scan.numbers(), row_line))
        elif scan.accept("property"):
            scan.skip()
        else:
            raise scan.error("'table', 'default', a row that starts with '(' or '}'")
    if len(tables) + len(defaults) > 1 or (tables and rows):
        raise FormatError(scan.file, line, f"node {node!r}: expected one 'table', or rows and at most one 'default'.")
    default = defaults[0] if defaults else None
    draft.define(node, parents, tables[0] if tables else RowTable(rows, default), line)


def _variable(own: TextCPT) -> str:
    levels = ", ".join(own.levels)
    return f"variable {own.node} {{\n  type discrete [ {len(own.levels)} ] {{ {levels} }};\n}}\n"


def _probability(own: TextCPT) -> str:
    if not own.parents:
        return f"probability ( {own.node} ) {{\n  table {written(own.probabilities.tolist())};\n}}\n"
    parents = ", ".join(own.parents)
    levels = product(*own.parent_levels)
    rows = "".join(f"  ({', '.join(row_of)}) {written(row)};\n" for row_of, row in zip(levels, own.rows(), strict=True))
    return f"probability ( {own.node} | {parents} ) {{\n{rows}}}\n"
