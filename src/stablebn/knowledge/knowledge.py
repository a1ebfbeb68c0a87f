"""Background knowledge about a graph, by the names of the variables."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from stablebn.errors import Conflict, FormatError, KnowledgeError, OptionError, is_among, listed, shown
from stablebn.graph.names import Edge, name_key
from stablebn.knowledge.conflicts import arrow, contradictions, named
from stablebn.knowledge.known_arcs import KnownArcs
from stablebn.knowledge.pairs import names_of, pairs_of, plain_name
from stablebn.options import checked_arguments, is_iterable, list_of_names, mapping, refuse_unknown, text

if TYPE_CHECKING:
    from types import EllipsisType

MostParents: TypeAlias = "int | Mapping[Hashable | EllipsisType, int] | None"

# The key for all other variables in files and JSON, which have no Ellipsis.
_ALL_OTHERS = "..."


def _check_reasons(name: str, value: object) -> None:
    if not isinstance(value, Mapping) or not all(isinstance(reason, str) for reason in value.values()):
        raise OptionError(f"{name}={shown(value)} must be a dict of texts: the reasons.")


@dataclass(frozen=True, kw_only=True, repr=False)
class Knowledge:
    """Background knowledge about a graph; contradictions are refused when the object is made.

    Objects with the same statements in any order are equal.

    Parameters
    ----------
    required, forbidden : pairs of names
        Arcs that the graph must have, and cannot have: (from, to) pairs, a frame with columns from and to, a graph, or
        the path of a CSV file.
    tiers : list of lists of names
        No arc goes from a later tier to an earlier one. Variables without a tier are free.
    within_tiers : bool or list of bool
        Whether arcs are allowed between variables of the same tier: one value for all tiers, or one per tier.
    allowed : pairs of names, optional
        The only pairs that may be adjacent, in either direction. By default all pairs are allowed.
    roots, leaves : lists of names
        Variables without parents, and variables without children.
    max_parents : int or dict of name to int
        Largest number of parents of a variable; in a dict, the key ... (or "...") is for all other variables.

    Raises
    ------
    KnowledgeError
        If a statement has the wrong form, or statements contradict each other: see its `conflicts`.

    Examples
    --------
    >>> import stablebn as sb
    >>> sb.Knowledge(required=[("age", "bp")], tiers=[["sex", "age"], ["bp"]])
    Knowledge(required=[('age', 'bp')], tiers=[['age', 'sex'], ['bp']])
    >>> sb.Knowledge(required=[("bp", "age")], tiers=[["sex", "age"], ["bp"]])
    Traceback (most recent call last):
    ...
    stablebn.errors.KnowledgeError: bp -> age is required, but age is in tier 1 and bp in tier 2.
    """

    required: Sequence[Edge] = ()
    forbidden: Sequence[Edge] = ()
    tiers: Sequence[Sequence[Hashable]] = ()
    within_tiers: bool | Sequence[bool] = True
    allowed: Sequence[Edge] | None = None
    roots: Sequence[Hashable] = ()
    leaves: Sequence[Hashable] = ()
    max_parents: MostParents = field(default=None, hash=False)

    def __post_init__(self) -> None:
        given = {
            "required": _arcs("required", self.required),
            "forbidden": _arcs("forbidden", self.forbidden),
            "tiers": _tiers(self.tiers),
            "allowed": None if self.allowed is None else _pairs(_arcs("allowed", self.allowed)),
            "roots": _sorted(names_of("roots", self.roots)),
            "leaves": _sorted(names_of("leaves", self.leaves)),
            "max_parents": _most_parents(self.max_parents),
        }
        given["within_tiers"] = _within_tiers(self.within_tiers, len(given["tiers"] or ()))  # type: ignore[arg-type]
        for name, value in given.items():
            object.__setattr__(self, name, value)
        conflicts = self._contradictions()
        if conflicts:
            raise KnowledgeError.of(conflicts)

    @classmethod
    def of(cls, given: object) -> Knowledge:
        """Return knowledge from any form that the option `knowledge` of `stablebn.learn` accepts, such as a file."""
        # Imported here, because parsing imports this module.
        from stablebn.knowledge.parsing import as_knowledge

        return as_knowledge(given)

    @classmethod
    @checked_arguments(given=mapping)
    def from_dict(cls, given: Mapping[str, Any]) -> Knowledge:
        """Return knowledge from a dict of its parts, as `to_dict` returns it."""
        refuse_unknown("knowledge", map(str, given), [part.name for part in fields(cls)])
        parts = {str(name): value for name, value in given.items() if value is not None}
        limits = parts.get("max_parents")
        if isinstance(limits, list | tuple):
            try:
                parts["max_parents"] = dict(limits)
            except (TypeError, ValueError):
                raise KnowledgeError(_not_a_limit(limits)) from None
        return cls(**parts)

    @classmethod
    @checked_arguments(text=text, file=text)
    def from_toml(cls, text: str, file: str = "knowledge") -> Knowledge:
        """Return knowledge from the text of a TOML file, as `to_toml` returns it; `file` is its name, for messages."""
        # Imported here, because it is needed for files only.
        if sys.version_info >= (3, 11):
            import tomllib
        else:
            import tomli as tomllib

        try:
            return cls.from_dict(tomllib.loads(text))
        except tomllib.TOMLDecodeError as error:
            raise FormatError(file, None, f"expected TOML: {error}.") from None
        except RecursionError:
            raise FormatError(file, None, "its arrays or tables are nested too deeply.") from None

    def to_dict(self) -> dict[str, Any]:
        """Return the parts of the knowledge, sorted, in types of JSON (except names that JSON does not have)."""
        found: dict[str, Any] = {}
        for name in ("required", "forbidden", "tiers"):
            if getattr(self, name):
                found[name] = [list(names) for names in getattr(self, name)]
        if self.within_tiers is not True:
            found["within_tiers"] = self.within_tiers if self.within_tiers is False else list(self.within_tiers)
        if self.allowed is not None:
            found["allowed"] = [list(pair) for pair in self.allowed]
        for name in ("roots", "leaves"):
            if getattr(self, name):
                found[name] = list(getattr(self, name))
        if isinstance(self.max_parents, Mapping):
            limits = self.max_parents.items()
            found["max_parents"] = [[_ALL_OTHERS if name is ... else name, most] for name, most in limits]
        elif self.max_parents is not None:
            found["max_parents"] = self.max_parents
        return found

    def to_toml(self) -> str:
        """Return the knowledge as the text of a TOML file."""
        lines = [f"{name} = {_toml(value)}" for name, value in self.to_dict().items()]
        return "".join(f"{line}\n" for line in lines)

    def __bool__(self) -> bool:
        """Return whether there is any statement."""
        return bool(self.names) or self.allowed is not None or self.max_parents is not None

    def __and__(self, other: Knowledge) -> Knowledge:
        """Combine the statements of both.

        The smaller of two limits holds, and a pair is allowed if both allow it. Different tiers cannot be combined.
        """
        if not isinstance(other, Knowledge):
            return NotImplemented
        if self.tiers and other.tiers and self.tiers != other.tiers:
            raise KnowledgeError(
                "there are two different lists of tiers. Give one of them, and the rest as forbidden arcs."
            )
        allowed = self.allowed if other.allowed is None else other.allowed
        if self.allowed is not None and other.allowed is not None:
            allowed = [pair for pair in self.allowed if pair in set(other.allowed)]
        return Knowledge(
            required=[*self.required, *other.required],
            forbidden=[*self.forbidden, *other.forbidden],
            tiers=self.tiers or other.tiers,
            within_tiers=_both_within(self.within_tiers, other.within_tiers),
            allowed=allowed,
            roots=[*self.roots, *other.roots],
            leaves=[*self.leaves, *other.leaves],
            max_parents=_both_limits(self, other),
        )

    def __repr__(self) -> str:
        shown_parts = []
        for part in fields(self):
            value = getattr(self, part.name)
            if value != part.default:
                if part.name == "tiers":
                    value = [list(tier) for tier in value]
                shown_parts.append(f"{part.name}={list(value) if isinstance(value, tuple) else value!r}")
        return f"Knowledge({', '.join(shown_parts)})"

    @property
    def names(self) -> tuple[Hashable, ...]:
        """Return the names of all variables in statements, sorted."""
        limits = self.max_parents if isinstance(self.max_parents, Mapping) else {}
        pairs = [*self.required, *self.forbidden, *(self.allowed or ())]
        found = [
            *(name for pair in pairs for name in pair),
            *(name for tier in self.tiers for name in tier),
            *self.roots,
            *self.leaves,
            *(name for name in limits if name is not ...),
        ]
        return _sorted(found)

    def limit(self, name: Hashable) -> int | None:
        """Return the largest number of parents of a variable; None if it is not limited."""
        if isinstance(self.max_parents, Mapping):
            return self.max_parents.get(name, self.max_parents.get(...))
        return self.max_parents

    @checked_arguments(names=mapping)
    def renamed(self, names: Mapping[Hashable, Hashable]) -> Knowledge:
        """Return the knowledge with variables renamed; variables without a new name keep theirs."""

        def new(name: Hashable) -> Hashable:
            return names.get(name, name)

        def new_pairs(pairs: Iterable[Edge]) -> list[Edge]:
            return [(new(a), new(b)) for a, b in pairs]

        limits = self.max_parents
        if isinstance(limits, Mapping):
            limits = {name if name is ... else new(name): most for name, most in limits.items()}
        return Knowledge(
            required=new_pairs(self.required),
            forbidden=new_pairs(self.forbidden),
            tiers=[[new(name) for name in tier] for tier in self.tiers],
            within_tiers=self.within_tiers,
            allowed=None if self.allowed is None else new_pairs(self.allowed),
            roots=list(map(new, self.roots)),
            leaves=list(map(new, self.leaves)),
            max_parents=limits,
        )

    @checked_arguments(names=list_of_names)
    def among(self, names: Iterable[Hashable]) -> Knowledge:
        """Return the statements about some variables only."""
        kept = set(names)

        def inner(pairs: Iterable[Edge]) -> list[Edge]:
            return [(a, b) for a, b in pairs if a in kept and b in kept]

        limits = self.max_parents
        if isinstance(limits, Mapping):
            limits = {name: most for name, most in limits.items() if name is ... or name in kept} or None
        return Knowledge(
            required=inner(self.required),
            forbidden=inner(self.forbidden),
            tiers=[[name for name in tier if name in kept] for tier in self.tiers],
            within_tiers=self.within_tiers,
            allowed=None if self.allowed is None else inner(self.allowed),
            roots=[name for name in self.roots if name in kept],
            leaves=[name for name in self.leaves if name in kept],
            max_parents=limits,
        )

    @checked_arguments(columns=list_of_names, idle=_check_reasons, impossible=_check_reasons)
    def known_arcs(
        self,
        columns: Sequence[Hashable],
        *,
        idle: Mapping[Hashable, str] | None = None,
        impossible: Mapping[Edge, str] | None = None,
    ) -> KnownArcs:
        """Return the required and forbidden arcs between the columns of a table.

        Parameters
        ----------
        columns : sequence of names
            The columns that are learned from.
        idle : mapping of name to str, optional
            Other columns, with the reason why they are excluded: their arcs cannot be required, and other statements
            about them are ignored.
        impossible : mapping of (from, to) to str, optional
            Arcs that are impossible in any case, with the reason.

        Raises
        ------
        KnowledgeError
            If a name is not a column, or a required arc is impossible.
        """
        idle, impossible = idle or {}, impossible or {}
        conflicts = [*_unknown(self.names, [*columns, *idle])]
        for arc in self.required:
            conflicts += [
                Conflict(
                    "no part", f"{arrow(arc)} is required, but {named(end)} takes no part: {idle[end]}.", (arc,), arc
                )
                for end in arc
                if end in idle
            ]
            if arc in impossible:
                conflicts.append(Conflict("kinds", f"{arrow(arc)} is required, but {impossible[arc]}.", (arc,), arc))
        if conflicts:
            raise KnowledgeError.of(conflicts)
        limits = {name: most for name in columns if (most := self.limit(name)) is not None}
        return KnownArcs(tuple(self.required), tuple(self._forbidden_among(columns)), limits)

    def _forbidden_among(self, columns: Sequence[Hashable]) -> Iterator[Edge]:
        """Yield all arcs between some columns that are ruled out."""
        place = {name: number for number, name in enumerate(columns)}
        n = len(columns)
        barred = np.zeros((n, n), dtype=np.bool_)
        if self.allowed is not None:
            barred[:] = True
            for a, b in self.allowed:
                if a in place and b in place:
                    barred[place[a], place[b]] = barred[place[b], place[a]] = False
        if self.tiers:
            later: list[int] = []
            for number, names in reversed(list(enumerate(self.tiers))):
                tier = [place[name] for name in names if name in place]
                barred[np.ix_(later, tier)] = True
                if not self._allows_within(number):
                    barred[np.ix_(tier, tier)] = True
                later += tier
        for a, b in self.forbidden:
            if a in place and b in place:
                barred[place[a], place[b]] = True
        barred[:, [place[name] for name in self.roots if name in place]] = True
        barred[[place[name] for name in self.leaves if name in place], :] = True
        np.fill_diagonal(barred, False)
        for a, b in np.argwhere(barred).tolist():
            yield columns[a], columns[b]

    def _allows_within(self, tier: int) -> bool:
        """Return whether arcs are allowed within a tier."""
        return self.within_tiers if isinstance(self.within_tiers, bool) else self.within_tiers[tier]

    def _contradictions(self) -> list[Conflict]:
        return list(contradictions(self.required, self.tiers, self._ruled_out(), self.limit))

    def _ruled_out(self) -> dict[str, Callable[[Edge], str | None]]:
        """Return functions that give the reason why an arc is ruled out, by kind of conflict."""
        forbidden, roots, leaves = set(self.forbidden), set(self.roots), set(self.leaves)
        tier = {name: number for number, names in enumerate(self.tiers) for name in names}
        allowed = None if self.allowed is None else {frozenset(pair) for pair in self.allowed}

        def by_tiers(arc: Edge) -> str | None:
            a, b = arc
            if a not in tier or b not in tier or tier[a] < tier[b]:
                return None
            if tier[a] > tier[b]:
                return f"{named(b)} is in tier {tier[b] + 1} and {named(a)} in tier {tier[a] + 1}"
            within = self._allows_within(tier[a])
            return None if within else f"both are in tier {tier[a] + 1}, within which no arcs are allowed"

        reasons: dict[str, Callable[[Edge], str | None]] = {}
        if forbidden:
            reasons["forbidden"] = lambda arc: "also forbidden" if arc in forbidden else None
        if tier:
            reasons["tiers"] = by_tiers
        if roots:
            reasons["roots"] = lambda arc: f"{named(arc[1])} is a root: it has no parents" if arc[1] in roots else None
        if leaves:
            reasons["leaves"] = lambda arc: (
                f"{named(arc[0])} is a leaf: it has no children" if arc[0] in leaves else None
            )
        if allowed is not None:
            reasons["allowed"] = lambda arc: (
                None if frozenset(arc) in allowed else "the pair is not among those allowed"
            )
        return reasons


def _arcs(where: str, given: object) -> tuple[Edge, ...]:
    pairs = dict.fromkeys(pairs_of(where, given))
    alone = [a for a, b in pairs if a == b]
    if alone:
        raise KnowledgeError(f"{where}: {arrow((alone[0], alone[0]))} joins a variable with itself.")
    return tuple(sorted(pairs, key=lambda arc: (name_key(arc[0]), name_key(arc[1]))))


def _pairs(arcs: Iterable[Edge]) -> tuple[Edge, ...]:
    """Return sorted pairs, the names of a pair in order."""
    turned = {(a, b) if name_key(a) <= name_key(b) else (b, a) for a, b in arcs}
    return tuple(sorted(turned, key=lambda pair: (name_key(pair[0]), name_key(pair[1]))))


def _sorted(names: Iterable[Hashable]) -> tuple[Hashable, ...]:
    return tuple(sorted(dict.fromkeys(names), key=name_key))


def _tiers(given: object) -> tuple[tuple[Hashable, ...], ...]:
    if isinstance(given, str | bytes | Mapping) or not is_iterable(given):
        raise KnowledgeError(f"tiers={shown(given)} must be a list of lists of names, the earliest tier first.")
    return tuple(_sorted(names_of(f"tier {number}", tier)) for number, tier in enumerate(given, start=1))


def _within_tiers(given: object, tiers: int) -> bool | tuple[bool, ...]:
    if isinstance(given, bool | np.bool_):
        return bool(given)
    if isinstance(given, list | tuple) and len(given) == tiers and all(isinstance(value, bool) for value in given):
        # Equal values for all tiers become one value.
        return bool(given[0]) if len(set(given)) == 1 else tuple(given)
    raise KnowledgeError(
        f"within_tiers={shown(given)} must be True, False, or a list of these: one for each of {tiers} tiers."
    )


def _most_parents(given: object) -> MostParents:
    if given is None:
        return None
    limits = dict(given) if isinstance(given, Mapping) else {...: given}
    plain: dict[Hashable | EllipsisType, int] = {}
    for name, most in limits.items():
        most = most.item() if isinstance(most, np.generic) else most
        if not isinstance(most, int) or isinstance(most, bool) or most < 0:
            raise KnowledgeError(_not_a_limit(given))
        plain[... if name is ... or is_among(name, (_ALL_OTHERS,)) else plain_name(name)] = most
    if set(plain) <= {...}:
        return plain.get(...)
    return {name: plain[name] for name in sorted(plain, key=name_key)}


def _not_a_limit(given: object) -> str:
    return f"max_parents={shown(given)} must be an integer of at least 0, or a dict of such by variable."


def _both_within(one: bool | Sequence[bool], other: bool | Sequence[bool]) -> bool | Sequence[bool]:
    if isinstance(one, bool):
        return other if one else False
    if isinstance(other, bool):
        return one if other else False
    return [a and b for a, b in zip(one, other, strict=True)]


def _both_limits(one: Knowledge, other: Knowledge) -> MostParents:
    named = [
        name
        for knowledge in (one, other)
        if isinstance(knowledge.max_parents, Mapping)
        for name in knowledge.max_parents
    ]
    # A variable without its own limit has that of all others.
    found = {name: min(_limits(name, one, other), default=math.inf) for name in (*named, ...)}
    return {name: int(most) for name, most in found.items() if most < math.inf} or None


def _limits(name: Hashable, *known: Knowledge) -> list[int]:
    return [most for knowledge in known if (most := knowledge.limit(name)) is not None]


def _unknown(names: Sequence[Hashable], columns: Sequence[Hashable]) -> Iterable[Conflict]:
    """Yield a conflict for every name that is not a column, with the closest column."""
    known = set(columns)
    texts = {str(column): column for column in columns}
    for name in names:
        if name not in known:
            import difflib

            near = [texts[match] for match in difflib.get_close_matches(str(name), texts, n=1)]
            advice = f"Did you mean {named(near[0])}?" if near else f"Columns: {listed(columns)}."
            yield Conflict("unknown", f"there is no column {named(name)}. {advice}", (), (name,))


def _toml(value: object) -> str:
    """Return a value in TOML syntax."""
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, str):
        # JSON writes text as TOML does, except for one character.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool | int | float):
        return json.dumps(value) if math.isfinite(value) else str(value)
    raise KnowledgeError(f"a TOML file cannot hold the name {shown(value)}: it has text and numbers.")


NOTHING_KNOWN = Knowledge()
