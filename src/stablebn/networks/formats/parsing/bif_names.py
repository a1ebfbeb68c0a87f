"""Names in BIF files that pgmpy 1.1 and pyAgrum 3.3 both read, and the way back to those that a network has."""

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
# pgmpy passes over these two words wherever they stand, and takes what is left of a name for a number if it is one.
_PASSED_OVER = "(table|default)(?=[0-9.-])"
# pyAgrum takes a word that begins as a number with an exponent or a fraction for one.
_NODE = re.compile(rf"(?!{_KEYWORD}|.*{_PASSED_OVER})(?:[A-Za-z_]|[0-9]+[A-DF-Za-df-z_])[A-Za-z0-9_.-]*")
_LEVEL = re.compile(rf"{_NODE.pattern}|[+-]?[0-9]+")

_COMMENT = "// names before they were written by stablebn: "
_TOLD = re.compile(rf"^{re.escape(_COMMENT)}(.*)$", re.MULTILINE)
_MOST_TOLD = 20


@dataclass(frozen=True)
class WrittenNames:
    """What the names of a network are in a file, where they are not the same.

    Attributes
    ----------
    network : str
        The network's name in the file.
    nodes : dict of node to its name in the file
    levels : dict of node to dict of level to its name in the file
    old_network : str or None
        The network's own name, if it is another one.
    """

    network: str = ""
    nodes: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    old_network: str | None = None

    def replaced(self, network: Network) -> Network:
        """The network with the names of the file."""
        return _renamed(network, self.nodes, self.levels, self.network)

    def restored(self, network: Network, file: str) -> Network:
        """A network from the file, with the names that it had."""
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
        """The line that tells the names, for `names_in_comment`; nothing where all are as they were."""
        told = {"network": self.old_network, "nodes": self.nodes, "levels": self.levels}
        given = {key: value for key, value in told.items() if value}
        return f"{_COMMENT}{json.dumps(given, ensure_ascii=False)}\n" if given else ""

    def caution(self) -> Caution | None:
        """What to tell who writes the file; None where all names are as they were."""
        told = [f"{old!r} as {new}" for old, new in self.nodes.items()]
        told += [f"{old!r} of {node!r} as {new}" for node, own in self.levels.items() for old, new in own.items()]
        if not told:
            return None
        more = f" and {len(told) - _MOST_TOLD} more" if len(told) > _MOST_TOLD else ""
        return Caution(
            "renamed",
            tuple(dict.fromkeys([*self.nodes, *self.levels])),
            "BIF has no names with spaces, brackets, accents and the like that all programs read. Written are "
            f"{', '.join(told[:_MOST_TOLD])}{more}. stablebn reads the old ones back.",
        )


def names_to_write(nodes: Sequence[TextCPT], network: str) -> WrittenNames:
    """Names for a file: those that everybody reads stay."""
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
    """The names that the comment of a file tells of, if there is one."""
    found = _TOLD.search(text)
    if found is None:
        return WrittenNames()
    line = text.count("\n", 0, found.start()) + 1
    try:
        told = json.loads(found[1])
        nodes, levels, network = told.get("nodes", {}), told.get("levels", {}), told.get("network")
        fits = (network is None or isinstance(network, str)) and all(map(_is_texts, [nodes, *levels.values()]))
    except (ValueError, AttributeError, RecursionError):
        fits = False
    if not fits:
        raise FormatError(file, line, "expected a JSON object with the names that nodes and levels had. Remove it.")
    return WrittenNames("", nodes, levels, network)


def _is_texts(names: object) -> bool:
    return isinstance(names, dict) and all(isinstance(name, str) for name in names.values())


def _distinct(names: Iterable[str], fits: Callable[[str], object]) -> dict[str, str]:
    """A name that fits for every name, all different; those that fit stay."""
    written = {name: name for name in names if fits(name)}
    taken = set(written)
    found = {}
    for name in names:
        found[name] = written[name] if name in written else _free(_plain(name, fits), taken)
        taken.add(found[name])
    return found


def _plain(name: str, fits: Callable[[str], object]) -> str:
    """A name of letters, digits and "_" that resembles another.

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
    """A categorical network with other names of some nodes and levels."""
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
