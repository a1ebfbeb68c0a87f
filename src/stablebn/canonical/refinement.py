"""Telling variables apart by the data alone, where the sort keys leave them tied.

First by colours: each class of variables is split by what its members have in common with all classes, until no class
splits any more. In a regular design that is not enough. Then every member of the first tied class is tried as the
first of it, the rest is told apart again, and so on; of all orders reached in this way that one is kept with which the
data look least. Two orders with which the data look the same differ by a true symmetry, and only between such orders
a name may decide.

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

# What a step costs for each variable besides, in such numbers.
_WORK_OF_VARIABLE = 1000


@dataclass(frozen=True)
class ToldApart:
    """Variables in an order, and where it is up to names.

    Attributes
    ----------
    order : list of int
    tied : bool
        Whether the tiers were not enough.
    interchangeable : list of lists of int
        Variables that a symmetry exchanges: only names can decide between them.
    undecided : list of int
        Variables between which names have decided because it would have taken too long to see whether they must.
    symmetries : list of mappings
        Those that were found: where each variable goes.
    exchanged : list of tuples of int
        Variables that can change places two by two.
    """

    order: list[int]
    tied: bool = True
    interchangeable: list[list[int]] = field(default_factory=list)
    undecided: list[int] = field(default_factory=list)
    symmetries: list[Mapping[int, int]] = field(default_factory=list)
    exchanged: list[tuple[int, ...]] = field(default_factory=list)

    def generators(self) -> Iterator[Mapping[int, int]]:
        """Symmetries of which all that were found are made."""
        yield from self.symmetries
        for first, *others in self.exchanged:
            yield from ({first: other, other: first} for other in others)

    def of_variables(self, points: Sequence[int]) -> ToldApart:
        """The same of variables, of which some are there twice, as two points: the first of these has its place."""
        exchanged = _DisjointSets(len(set(points)))
        for group in self.interchangeable:
            for point in group:
                exchanged.join(points[group[0]], points[point])
        return ToldApart(
            list(dict.fromkeys(points[point] for point in self.order)),
            self.tied,
            [members for members in exchanged.sets() if len(members) > 1],
            list(dict.fromkeys(points[point] for point in self.undecided)),
        )


def tell_apart(
    structures: Sequence[Structure],
    tiers: Sequence[int],
    by_name: Sequence[int],
    *,
    symmetries: Sequence[Mapping[int, int]] = (),
    most_work: int = MOST_WORK,
    deadline: float | None = None,
    watch: Callable[[str, int], None] | None = None,
) -> ToldApart:
    """Order variables by tier, inside a tier by the data, and where that cannot decide by name.

    Parameters
    ----------
    structures : sequence of Structure
        What an order depends on. A later one is asked where those before it cannot tell variables apart.
    tiers : sequence of int
        Tier of each variable; lower tiers come first. Equal tiers are to be told apart.
    by_name : sequence of int
        Position of each variable when they are sorted by name.
    symmetries : sequence of mappings
        Those that are known: where each variable goes.
    most_work : int
        How many numbers to look at before names decide.
    deadline : float, optional
        When names must decide at the latest, in terms of `time.monotonic`.
    watch : callable, optional
        Called with the name of this work, and how many looks at all the data it took so far.
    """
    return _Search(structures, by_name, symmetries, most_work, deadline, watch).run(tiers)


@dataclass
class _Node:
    """A partition of the variables that no colour splits.

    Attributes
    ----------
    classes : list of int
        Class of each variable: how many variables are in the classes before it.
    key : list of int
        What the data looked like on the way here, whatever the names.
    tied : list of tuples of int
        The groups of the first class that has more than one, by name: each is tried as the first.
    orbits : _DisjointSets
        Variables that symmetries exchange which leave the way to this node as it is.
    tried : list of tuples of int
    """

    classes: list[int]
    key: list[int]
    tied: list[tuple[int, ...]]
    orbits: _DisjointSets
    tried: list[tuple[int, ...]] = field(default_factory=list)

    def next_group(self) -> tuple[int, ...] | None:
        """A group that was not tried, nor any that it can be exchanged for."""
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
        # Variables that can change places two by two: they stay together, and names decide among them.
        self._groups: list[tuple[int, ...]] = [(v,) for v in range(len(by_name))]
        self._symmetries = _Symmetries(len(by_name))
        for symmetry in symmetries:
            self._symmetries.add(symmetry)

    def run(self, tiers: Sequence[int]) -> ToldApart:
        """The order, from the first tiers to the last symmetry."""
        earlier = sorted(tiers)
        start = {tier: earlier.index(tier) for tier in dict.fromkeys(tiers)}
        root = self._refined([start[tier] for tier in tiers], [])
        self._groups = [group for tied in self._classes(root.classes) for group in self._exchangeable(tied)]
        for group in self._groups:
            self._symmetries.exchange(group)
        root.tied = self._first_tie(root.classes)
        self._symmetries.join_those_that_fix([], root.orbits)
        best = self._least_leaf(root)
        interchangeable = self._symmetries.interchangeable()
        if isinstance(best, _Leaf):
            order, undecided = best.order, []
        else:
            order = self._order(best.classes)
            undecided = [v for tied in self._classes(root.classes) if len(tied) > 1 for v in chain.from_iterable(tied)]
        exchanged = [group for group in self._groups if len(group) > 1]
        return ToldApart(order, True, interchangeable, undecided, self._symmetries.found, exchanged)

    def _least_leaf(self, root: _Node) -> _Leaf | _Node:
        """The leaf whose key is least, of equals the first by name; a node on the way to one if that takes too long."""
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
                self._symmetries.join_those_that_fix([v for step in path for v in step.tried[-1]], child.orbits)
                path.append(child)
                continue
            leaf = self._leaf(child, [step.tried[-1] for step in path])
            if best is None or leaf.key < best.key:
                best = leaf
            elif leaf.key == best.key and self._is_symmetry(best.order, leaf.order):
                # The whole branch is an image of the one that has the best leaf: back to where they part.
                parting = next(i for i, (a, b) in enumerate(zip(best.path, leaf.path, strict=False)) if a != b)
                del path[parting + 1 :]
                for step in path:
                    self._symmetries.join_last(step.orbits)
        assert best is not None
        return best

    def _refined(self, classes: list[int], key: list[int]) -> _Node:
        """Colour the variables by the classes of all until no class splits."""
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
            # What is new may tell apart by the structures before.
            step = step + 1 if finer == classes else 0
            classes = finer
        return _Node(classes, key, self._first_tie(classes), _DisjointSets(len(classes)))

    def _classes(self, classes: Sequence[int]) -> list[list[tuple[int, ...]]]:
        """The groups of every class, the classes in their order."""
        found: dict[int, list[tuple[int, ...]]] = {}
        for group in self._groups:
            found.setdefault(classes[group[0]], []).append(group)
        return [found[place] for place in sorted(found)]

    def _first_tie(self, classes: Sequence[int]) -> list[tuple[int, ...]]:
        tied = next((groups for groups in self._classes(classes) if len(groups) > 1), [])
        return sorted(tied, key=lambda group: self._by_name[group[0]])

    def _exchangeable(self, tied: Iterable[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """The variables of a class in groups of those that can change places two by two, each sorted by name."""
        groups: list[list[int]] = []
        for v in sorted(chain.from_iterable(tied), key=self._by_name.__getitem__):
            own = next((group for group in groups if self._can_change_places(group[0], v)), None)
            if own is None:
                groups.append([v])
            else:
                own.append(v)
        return [tuple(group) for group in groups]

    def _can_change_places(self, u: int, v: int) -> bool:
        return not self._time_is_up() and all(structure.exchangeable(u, v) for structure in self._structures)

    def _leaf(self, node: _Node, path: list[tuple[int, ...]]) -> _Leaf:
        order = self._order(node.classes)
        if not path:
            return _Leaf(order, [], path)
        self._work_left -= sum(structure.cells for structure in self._structures)
        return _Leaf(order, node.key + [structure.certificate(order) for structure in self._structures], path)

    def _order(self, classes: Sequence[int]) -> list[int]:
        """Variables by class, inside a class by group, and by name."""
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
    """The symmetries that were found."""

    def __init__(self, n: int) -> None:
        self._all = _DisjointSets(n)
        self.found: list[Mapping[int, int]] = []

    def exchange(self, group: Sequence[int]) -> None:
        """Note that variables can change places two by two."""
        for v in group:
            self._all.join(group[0], v)

    def add(self, symmetry: Mapping[int, int]) -> None:
        """Note a symmetry: where each variable goes."""
        self.found.append(symmetry)
        self._all.join_images(symmetry)

    def join_last(self, orbits: _DisjointSets) -> None:
        """Join what the last one exchanges."""
        orbits.join_images(self.found[-1])

    def join_those_that_fix(self, fixed: Sequence[int], orbits: _DisjointSets) -> None:
        """Join what those exchange that leave some variables where they are."""
        for symmetry in self.found:
            if all(symmetry[v] == v for v in fixed):
                orbits.join_images(symmetry)

    def interchangeable(self) -> list[list[int]]:
        """Variables that can be exchanged for each other, in sets of two or more."""
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
    """The classes split by colour."""
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
    """Split a group off its class, before the others."""
    split = list(classes)
    for other in tied:
        for v in other:
            split[v] += 0 if other == group else len(group)
    return split


def _hash(pairs: Sequence[tuple[int, int]]) -> int:
    return int.from_bytes(blake2b(repr(pairs).encode(), digest_size=8).digest(), "big")
