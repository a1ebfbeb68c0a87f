"""Replace names in BIF files by names that pgmpy 1.1 and pyAgrum 3.3 both read, and restore the original names."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from stablebn.errors import FormatError, GraphError
from stablebn.messages import Caution
from stablebn.networks.formats.parsing.writers import TextCPT
from stablebn.networks.model import CPT, Distribution, Network

_KEYWORD = r"(?:network|variable|probability|property|type|discrete|default|table)(?![A-Za-z0-9_.-])"
# pgmpy removes these two words wherever they occur, and then reads the rest of a name as a number if it is one.
_PASSED_OVER = "(table|default)(?=[0-9.-])"
# pyAgrum reads a word that begins like a number with an exponent or a fraction as a number.
_NODE = re.compile(rf"(?!{_KEYWORD}|.*{_PASSED_OVER})(?:[A-Za-z_]|[0-9]+[A-DF-Za-df-z_])[A-Za-z0-9_.-]*")
_LEVEL = re.compile(rf"{_NODE.pattern}|[+-]?[0-9]+")

_COMMENT = "// names before they were written by stablebn: "
_COMMENT_LINE = re.compile(rf"^{re.escape(_COMMENT)}(.*)$", re.MULTILINE)
# Most changed names that a warning lists.
_MOST_LISTED = 20


@dataclass(frozen=True)
class WrittenNames:
    """Names of a network that are different in its file.

    Attributes
    ----------
    network : str
        The network's name in the file.
    nodes : dict of node to its name in the file
    levels : dict of node to dict of level to its name in the file
    old_network : str or None
        The original name of the network, if it is different.
    """

    network: str = ""
    nodes: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    old_network: str | None = None

    def replaced(self, network: Network) -> Network:
        """Return the network with the names of the file."""
        return _renamed(network, self.nodes, self.levels, self.network)

    def restored(self, network: Network, file: str) -> Network:
        """Return a network that was read from the file with its original names."""
        if not (self.nodes or self.levels or self.old_network):
            return network
        nodes = {new: old for old, new in self.nodes.items()}
        levels = {
            self.nodes.get(node, node): {new: old for old, new in of_node.items()}
            for node, of_node in self.levels.items()
        }
        try:
            return _renamed(network, nodes, levels, self.old_network or network.name)
        except GraphError as error:
            raise FormatError(file, None, f"the comment with the names that the nodes had is wrong: {error}") from None

    def comment(self) -> str:
        """Return the comment line with the original names, which `names_in_comment` reads; empty if none changed."""
        names = {"network": self.old_network, "nodes": self.nodes, "levels": self.levels}
        changed = {key: value for key, value in names.items() if value}
        return f"{_COMMENT}{json.dumps(changed, ensure_ascii=False)}\n" if changed else ""

    def caution(self) -> Caution | None:
        """Return a warning that lists the changed names of nodes and levels; None if there are none."""
        changes = [f"{old!r} as {new}" for old, new in self.nodes.items()]
        changes += [f"{old!r} of {node!r} as {new}" for node, own in self.levels.items() for old, new in own.items()]
        if not changes:
            return None
        more = f" and {len(changes) - _MOST_LISTED} more" if len(changes) > _MOST_LISTED else ""
        return Caution(
            "renamed",
            tuple(dict.fromkeys([*self.nodes, *self.levels])),
            "BIF has no names with spaces, brackets, accents and the like that all programs read. Written are "
            f"{', '.join(changes[:_MOST_LISTED])}{more}. stablebn reads the old ones back.",
        )


def names_to_write(nodes: Sequence[TextCPT], network: str) -> WrittenNames:
    """Choose the names for a file; names that both packages read do not change."""
    written = _distinct([own.node for own in nodes], _NODE.fullmatch)
    levels = {own.node: _distinct(own.levels, _LEVEL.fullmatch) for own in nodes}
    (name,) = _distinct([network], _NODE.fullmatch).values() or (network,)
    return WrittenNames(
        network=name,
        nodes={old: new for old, new in written.items() if old != new},
        levels={
            node: changed
            for node, own in levels.items()
            if (changed := {old: new for old, new in own.items() if old != new})
        },
        old_network=network if name != network else None,
    )


def names_in_comment(text: str, file: str) -> WrittenNames:
    """Read the original names from the comment of a file, if it has one."""
    comment = _COMMENT_LINE.search(text)
    if comment is None:
        return WrittenNames()
    line = text.count("\n", 0, comment.start()) + 1
    try:
        names = json.loads(comment[1])
        nodes, levels, network = names.get("nodes", {}), names.get("levels", {}), names.get("network")
        fits = (network is None or isinstance(network, str)) and all(map(_is_texts, [nodes, *levels.values()]))
    except (ValueError, AttributeError, RecursionError):
        fits = False
    if not fits:
        raise FormatError(file, line, "expected a JSON object with the names that nodes and levels had. Remove it.")
    return WrittenNames("", nodes, levels, network)


def _is_texts(names: object) -> bool:
    return isinstance(names, dict) and all(isinstance(name, str) for name in names.values())


def _distinct(names: Iterable[str], fits: Callable[[str], object]) -> dict[str, str]:
    """Choose a valid name for every name, all different; valid names do not change."""
    written = {name: name for name in names if fits(name)}
    taken = set(written)
    result = {}
    for name in names:
        result[name] = written[name] if name in written else _free(_plain(name, fits), taken)
        taken.add(result[name])
    return result


def _plain(name: str, fits: Callable[[str], object]) -> str:
    """Convert a name to a similar one of letters, digits and "_".

    >>> _plain("sepal length (cm)", _NODE.fullmatch), _plain("[0,1.5)", _LEVEL.fullmatch), _plain("é", _LEVEL.fullmatch)
    ('sepal_length_cm', '0_1_5', 'e')
    """
    ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    words = re.sub(_PASSED_OVER, r"\1_", "_".join(re.findall("[A-Za-z0-9]+", ascii_only)))
    return words if fits(words) else f"_{words}"


def _free(name: str, taken: Collection[str]) -> str:
    number, free = 2, name
    while free in taken:
        free = f"{name}_{number}"
        number += 1
    return free


def _renamed(network: Network, nodes: Mapping[str, str], levels: Mapping[str, Mapping[str, str]], name: str) -> Network:
    """Return a categorical network with other names of some nodes and levels."""
    renamed: dict[object, Distribution] = {}
    for node, own in network.items():
        assert isinstance(own, CPT)
        of_node = levels.get(str(node), {})
        renamed[nodes.get(str(node), node)] = CPT(
            tuple(of_node.get(str(level), level) for level in own.levels),
            tuple(nodes.get(str(parent), parent) for parent in own.parents),
            own.probabilities,
        )
    if len(renamed) < len(network):
        raise GraphError("two nodes have the same name.")
    return Network(renamed, name, network.warnings)
