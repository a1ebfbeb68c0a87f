"""Colour refinement: distinguish variables with tied sort keys by the data alone.

Each class of variables is split by the joint values of its members with all classes, until no class splits any more. In
a regular design that is not enough. Then each member of the first tied class is tried as the first of its class, the
rest is refined again, and so on. Of all orders reached in this way the one with the least certificate of the data is
kept. Two orders with the same certificate differ by a true symmetry of the data, and names decide between such orders
only.

References
----------
McKay and Piperno, "Practical graph isomorphism, II" (2014), describe this search and how symmetries prune it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain

from stablebn.stats.symmetries.symmetry import MOST_WORK, Structure

# Additional cost of a step per variable, in the unit of `MOST_WORK`.
_WORK_OF_VARIABLE = 1000


@dataclass(frozen=True)
class RefinedOrder:
    """An order of variables, and the variables between which names decided.

    Attributes
    ----------
    order : list of int
    tied : bool
        Whether tiers left variables tied.
    interchangeable : list of lists of int
        Variables that a symmetry exchanges; only names can decide between them.
    undecided : list of int
        Variables between which names decided because the limit of work or time was reached.
    symmetries : list of mappings
        Symmetries that were found, each as a mapping of every variable to its image.
    exchanged : list of tuples of int
        Groups of variables of which any two can be exchanged.
    """

    order: list[int]
    tied: bool = True
    interchangeable: list[list[int]] = field(default_factory=list)
    undecided: list[int] = field(default_factory=list)
    symmetries: list[Mapping[int, int]] = field(default_factory=list)
    exchanged: list[tuple[int, ...]] = field(default_factory=list)

    def generators(self) -> Iterator[Mapping[int, int]]:
        """Yield generators of all symmetries that were found."""
        yield from self.symmetries
        for first, *others in self.exchanged:
            yield from ({first: other, other: first} for other in others)

    def of_variables(self, points: Sequence[int]) -> RefinedOrder:
        """Convert an order of points to one of variables; the first of two points of a variable counts."""
        exchanged = _DisjointSets(len(set(points)))
        for group in self.interchangeable:
            for point in group:
                exchanged.join(points[group[0]], points[point])
        return RefinedOrder(
            list(dict.fromkeys(points[point] for point in self.order)),
            self.tied,
            [members for members in exchanged.sets() if len(members) > 1],
            list(dict.fromkeys(points[point] for point in self.undecided)),
        )


def refine_order(
    structures: Sequence[Structure],
    tiers: Sequence[int],
    by_name: Sequence[int],
    *,
    symmetries: Sequence[Mapping[int, int]] = (),
    most_work: int = MOST_WORK,
    deadline: float | None = None,
    watch: Callable[[str, int], None] | None = None,
) -> RefinedOrder:
    """Order variables by tier, inside a tier by the data, and by name if the data cannot decide.

    Parameters
    ----------
    structures : sequence of Structure
        The data on which the order depends. A later structure is used if the earlier ones leave variables tied.
    tiers : sequence of int
        Tier of each variable; lower tiers come first.
    by_name : sequence of int
        Position of each variable when they are sorted by name.
    symmetries : sequence of mappings
        Known symmetries, each as a mapping of every variable to its image.
    most_work : int
        Number of values to read before names decide.
    deadline : float, optional
        Time at which names decide at the latest, in terms of `time.monotonic`.
    watch : callable, optional
        Called with the name of this work and the number of passes over the data so far.
    """
    return _Search(structures, by_name, symmetries, most_work, deadline, watch).run(tiers)


@dataclass
class _Node:
    """A partition of the variables that colours do not split further.

    Attributes
    ----------
    classes : list of int
        Class of each variable: the number of variables in the classes before it.
    key : list of int
        Hashes of the colours on the path to this node, independent of names.
    tied : list of tuples of int
        The groups of the first class with more than one group, by name: each is tried as the first.
    orbits : _DisjointSets
        Orbits of the symmetries that fix the path to this node.
    tried : list of tuples of int
        The groups that were tried.
    """

    classes: list[int]
    key: list[int]
    tied: list[tuple[int, ...]]
    orbits: _DisjointSets
    tried: list[tuple[int, ...]] = field(default_factory=list)

    def next_group(self) -> tuple[int, ...] | None:
        """Return a group such that neither it nor an image of it was tried; None if there is none."""
        tried = {self.orbits.find(group[0]) for group in self.tried}
        return next((group for group in self.tied if self.orbits.find(group[0]) not in tried), None)


@dataclass(frozen=True)
class _Leaf:
    order: list[int]
    key: list[int]
    path: list[tuple[int, ...]]


class _Search:
    def __init__(
        self,
        structures: Sequence[Structure],
        by_name: Sequence[int],
        symmetries: Sequence[Mapping[int, int]],
        most_work: int,
        deadline: float | None,
        watch: Callable[[str, int], None] | None,
    ) -> None:
        self._watch = watch
        self._looks = 0
        self._structures = structures
        self._by_name = by_name
        self._work_left = most_work
        self._deadline = deadline
        # Groups of variables of which any two can be exchanged: they stay together, and names decide among them.
        self._groups: list[tuple[int, ...]] = [(v,) for v in range(len(by_name))]
        self._symmetries = _Symmetries(len(by_name))
        for symmetry in symmetries:
            self._symmetries.add(symmetry)

    def run(self, tiers: Sequence[int]) -> RefinedOrder:
        """Return the order that starts from the tiers."""
        earlier = sorted(tiers)
        start = {tier: earlier.index(tier) for tier in dict.fromkeys(tiers)}
        root = self._refined([start[tier] for tier in tiers], [])
        self._groups = [group for tied in self._classes(root.classes) for group in self._exchangeable(tied)]
        for group in self._groups:
            self._symmetries.exchange(group)
        root.tied = self._first_tie(root.classes)
        self._symmetries.join_stabiliser([], root.orbits)
        best = self._least_leaf(root)
        interchangeable = self._symmetries.interchangeable()
        if isinstance(best, _Leaf):
            order, undecided = best.order, []
        else:
            order = self._order(best.classes)
            undecided = [v for tied in self._classes(root.classes) if len(tied) > 1 for v in chain.from_iterable(tied)]
        exchanged = [group for group in self._groups if len(group) > 1]
        return RefinedOrder(order, True, interchangeable, undecided, self._symmetries.found, exchanged)

    def _least_leaf(self, root: _Node) -> _Leaf | _Node:
        """Return the leaf with the least key, the first by name of equals; a node if the limit of work is reached."""
        if not root.tied:
            return self._leaf(root, [])
        best: _Leaf | None = None
        path = [root]
        while path:
            node = path[-1]
            group = node.next_group()
            if group is None:
                path.pop()
                continue
            if self._time_is_up():
                return node
            node.tried.append(group)
            child = self._refined(_put_first(node.classes, group, node.tied), node.key)
            if best and child.key > best.key[: len(child.key)]:
                continue
            if child.tied:
                self._symmetries.join_stabiliser([v for step in path for v in step.tried[-1]], child.orbits)
                path.append(child)
                continue
            leaf = self._leaf(child, [step.tried[-1] for step in path])
            if best is None or leaf.key < best.key:
                best = leaf
            elif leaf.key == best.key and self._is_symmetry(best.order, leaf.order):
                # The branch is an image of the branch of the best leaf: return to the node where they part.
                parting = next(i for i, (a, b) in enumerate(zip(best.path, leaf.path, strict=False)) if a != b)
                del path[parting + 1 :]
                for step in path:
                    self._symmetries.join_last(step.orbits)
        assert best is not None
        return best

    def _refined(self, classes: list[int], key: list[int]) -> _Node:
        """Refine the classes by colours until no class splits."""
        key = list(key)
        step = 0
        while step < len(self._structures):
            wanted = [v for tied in self._classes(classes) if len(tied) > 1 for v in chain.from_iterable(tied)]
            if not wanted or self._time_is_up():
                break
            structure = self._structures[step]
            self._looks += 1
            if self._watch is not None:
                self._watch("telling columns apart", self._looks)
            self._work_left -= structure.cells + _WORK_OF_VARIABLE * len(classes)
            colours = structure.colours(classes, wanted)
            finer = _split(classes, colours)
            key.append(_hash(sorted((classes[v], colours[v]) for v in wanted)))
            # New classes may split further by earlier structures.
            step = step + 1 if finer == classes else 0
            classes = finer
        return _Node(classes, key, self._first_tie(classes), _DisjointSets(len(classes)))

    def _classes(self, classes: Sequence[int]) -> list[list[tuple[int, ...]]]:
        """Return the groups of every class, in the order of the classes."""
        found: dict[int, list[tuple[int, ...]]] = {}
        for group in self._groups:
            found.setdefault(classes[group[0]], []).append(group)
        return [found[place] for place in sorted(found)]

    def _first_tie(self, classes: Sequence[int]) -> list[tuple[int, ...]]:
        tied = next((groups for groups in self._classes(classes) if len(groups) > 1), [])
        return sorted(tied, key=lambda group: self._by_name[group[0]])

    def _exchangeable(self, tied: Iterable[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Split a class into groups of which any two variables can be exchanged, each sorted by name."""
        groups: list[list[int]] = []
        for v in sorted(chain.from_iterable(tied), key=self._by_name.__getitem__):
            fitting = next((group for group in groups if self._are_exchangeable(group[0], v)), None)
            if fitting is None:
                groups.append([v])
            else:
                fitting.append(v)
        return [tuple(group) for group in groups]

    def _are_exchangeable(self, u: int, v: int) -> bool:
        return not self._time_is_up() and all(structure.exchangeable(u, v) for structure in self._structures)

    def _leaf(self, node: _Node, path: list[tuple[int, ...]]) -> _Leaf:
        order = self._order(node.classes)
        if not path:
            return _Leaf(order, [], path)
        self._work_left -= sum(structure.cells for structure in self._structures)
        return _Leaf(order, node.key + [structure.certificate(order) for structure in self._structures], path)

    def _order(self, classes: Sequence[int]) -> list[int]:
        """Order the variables by class, inside a class by group and by name."""
        place = {v: (classes[v], self._by_name[group[0]], i) for group in self._groups for i, v in enumerate(group)}
        return sorted(place, key=place.__getitem__)

    def _is_symmetry(self, order: Sequence[int], other: Sequence[int]) -> bool:
        self._work_left -= sum(structure.cells for structure in self._structures)
        if not all(structure.same(order, other) for structure in self._structures):
            return False
        self._symmetries.add(dict(zip(order, other, strict=True)))
        return True

    def _time_is_up(self) -> bool:
        return self._work_left < 0 or (self._deadline is not None and time.monotonic() > self._deadline)


class _Symmetries:
    """The symmetries that were found, and the orbits that they generate."""

    def __init__(self, n: int) -> None:
        self._all = _DisjointSets(n)
        self.found: list[Mapping[int, int]] = []

    def exchange(self, group: Sequence[int]) -> None:
        """Record that any two variables of a group can be exchanged."""
        for v in group:
            self._all.join(group[0], v)

    def add(self, symmetry: Mapping[int, int]) -> None:
        """Record a symmetry, a mapping of every variable to its image."""
        self.found.append(symmetry)
        self._all.join_images(symmetry)

    def join_last(self, orbits: _DisjointSets) -> None:
        """Join variables that the latest symmetry exchanges."""
        orbits.join_images(self.found[-1])

    def join_stabiliser(self, fixed: Sequence[int], orbits: _DisjointSets) -> None:
        """Join variables that are exchanged by the symmetries that fix some variables."""
        for symmetry in self.found:
            if all(symmetry[v] == v for v in fixed):
                orbits.join_images(symmetry)

    def interchangeable(self) -> list[list[int]]:
        """Return the orbits of two or more variables."""
        return [members for members in self._all.sets() if len(members) > 1]


class _DisjointSets:
    def __init__(self, n: int) -> None:
        self._parent = list(range(n))

    def find(self, v: int) -> int:
        while self._parent[v] != v:
            self._parent[v] = v = self._parent[self._parent[v]]
        return v

    def join(self, u: int, v: int) -> None:
        self._parent[self.find(u)] = self.find(v)

    def join_images(self, symmetry: Mapping[int, int]) -> None:
        for v, image in symmetry.items():
            self.join(v, image)

    def sets(self) -> Iterator[list[int]]:
        found: dict[int, list[int]] = {}
        for v in range(len(self._parent)):
            found.setdefault(self.find(v), []).append(v)
        yield from found.values()


def _split(classes: Sequence[int], colours: Sequence[int]) -> list[int]:
    """Split the classes by colour."""
    members: dict[tuple[int, int], list[int]] = {}
    for v, pair in enumerate(zip(classes, colours, strict=True)):
        members.setdefault(pair, []).append(v)
    finer = [0] * len(classes)
    start = 0
    for pair in sorted(members):
        for v in members[pair]:
            finer[v] = start
        start += len(members[pair])
    return finer


def _put_first(classes: Sequence[int], group: tuple[int, ...], tied: Sequence[tuple[int, ...]]) -> list[int]:
    """Split a group off its class and put it before the others."""
    split = list(classes)
    for other in tied:
        for v in other:
            split[v] += 0 if other == group else len(group)
    return split


def _hash(pairs: Sequence[tuple[int, int]]) -> int:
    return int.from_bytes(blake2b(repr(pairs).encode(), digest_size=8).digest(), "big")
