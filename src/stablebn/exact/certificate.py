"""What is proven of a learned graph, under names, and in a form that travels: a certificate."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stablebn.errors import CertificateError, shown
from stablebn.exact.proof_tree import Multipliers, Proof, Table, Ties, Tree
from stablebn.files import write_atomically
from stablebn.fixed_point import to_float
from stablebn.graph.json_names import json_text, name_from
from stablebn.knowledge import KnownArcs
from stablebn.options import checked_arguments, file_path, flag, mapping, text
from stablebn.stats.variable_sets import bit, members

_FORMAT = "stablebn certificate 2"


@dataclass(frozen=True)
class Certificate:
    """What shows, together with the table, how good a graph is: `stablebn.verify` checks it without a solver.

    Attributes
    ----------
    options : dict
        The options with which the table was read and scored, where they are not the default, in types that JSON has.
    known : KnownArcs
        What every graph had to obey.
    variables : tuple of names
        In canonical order.
    parents : tuple of int
        Parent sets of the graph, as bits of places in `variables`.
    score, bound : int, int or None
        The score of the graph and what no graph exceeds, in units of 2**-62 nats.
    trees : tuple of Tree
        For each component of the problem how the loss of its DAGs is bounded.
    besides : tuple of int
        Where not all candidate sets were looked at: parent sets of a DAG, which were looked at besides.
    """

    options: Mapping[str, Any]
    known: KnownArcs
    variables: tuple[Hashable, ...]
    parents: tuple[int, ...]
    score: int
    bound: int | None
    trees: tuple[Tree, ...]
    besides: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON has; long integers as text."""
        tables: dict[Table, int] = {}
        proof = [_of_tree(tree, tables) for tree in self.trees]
        written = {
            "format": _FORMAT,
            "options": dict(self.options),
            "required": [list(arc) for arc in self.known.required],
            "forbidden": [list(arc) for arc in self.known.forbidden],
            "most_parents": [[name, most] for name, most in self.known.most_parents.items()],
            "variables": list(self.variables),
            "parents": [members(own) for own in self.parents],
            "score": str(self.score),
            "bound": None if self.bound is None else str(self.bound),
            "besides": [members(own) for own in self.besides],
            "tables": [[list(table.places), [list(own) for own in table.numbers]] for table in tables],
            "proof": proof,
        }
        return {**written, "digest": digest_of(written)}

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    @checked_arguments(path=file_path, force=flag)
    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write it to a JSON file."""
        write_atomically(Path(path), self.to_json() + "\n", force=force)

    @classmethod
    @checked_arguments(text=text)
    def from_json(cls, text: str) -> Certificate:
        """The certificate that `to_json` has written; `CertificateError` if it is none."""
        try:
            return cls.from_dict(json.loads(text))
        except (ValueError, RecursionError) as error:
            if isinstance(error, CertificateError):
                raise
            raise CertificateError(f"this is no certificate: {type(error).__name__} {error}.") from None

    @classmethod
    @checked_arguments(own=mapping)
    def from_dict(cls, own: Mapping[str, Any]) -> Certificate:
        """The certificate that `to_dict` gave; `CertificateError` if it is none."""
        try:
            if own["format"] != _FORMAT:
                raise CertificateError(f"its format is {shown(own['format'])}, expected {_FORMAT!r}.")
            if own["digest"] != digest_of(own):
                raise CertificateError("the certificate was changed after it was written: its digest is another one.")
            tables = [Table(_integers(places), tuple(map(_integers, numbers))) for places, numbers in own["tables"]]
            return cls(
                options=dict(own["options"]),
                known=KnownArcs(
                    required=_arcs(own["required"]),
                    forbidden=_arcs(own["forbidden"]),
                    most_parents={name_from(name): int(most) for name, most in own["most_parents"]},
                ),
                variables=tuple(map(name_from, own["variables"])),
                parents=tuple(_bits(of) for of in own["parents"]),
                score=int(own["score"]),
                bound=None if own["bound"] is None else int(own["bound"]),
                trees=tuple(_to_tree(tree, tables) for tree in own["proof"]),
                besides=tuple(_bits(of) for of in own["besides"]),
            )
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            if isinstance(error, CertificateError):
                raise
            raise CertificateError(f"this is no certificate: {type(error).__name__} {error}.") from None

    @classmethod
    @checked_arguments(path=file_path)
    def read(cls, path: str | os.PathLike[str]) -> Certificate:
        """The certificate in a JSON file."""
        if Path(path).exists() and not Path(path).is_file():
            raise CertificateError(f"the certificate {shown(os.fspath(path))} cannot be read: it is no file.")
        try:
            return cls.from_json(Path(path).read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            raise CertificateError(f"the certificate {os.fspath(path)!r} is not UTF-8 text.") from None
        except OSError as error:
            name = shown(os.fspath(path))
            raise CertificateError(f"the certificate {name} cannot be read: {error.strerror}.") from None


@dataclass(frozen=True)
class GraphProof:
    """What is proven of a learned graph.

    Attributes
    ----------
    optimal : bool
        Whether no graph that is allowed has a higher score.
    bound, gap : float or None
        What no graph exceeds, and by how much that is more than the score; None where no bound is known.
    ties : Ties
        How many classes of graphs are equally good.
    most_parents : int or None
        If parent sets were left out, as the limit on them or the time was met: the largest that were looked at.
    certificate : Certificate
    """

    optimal: bool
    bound: float | None
    gap: float | None
    ties: Ties
    most_parents: int | None
    certificate: Certificate = field(repr=False, compare=False)

    def sentence(self) -> str:
        """What is proven, in words."""
        if self.optimal:
            others = "" if self.ties.count == 1 else f" ({self.ties} classes are equally good)"
            return f"This is the best graph: it is proven{others}."
        limit = "" if self.most_parents is None else f"; parent sets of more than {self.most_parents} were left out"
        if self.gap is None:
            return f"Not proven to be the best graph, and no bound is known{limit}."
        return f"At most {self.gap:,.3g} nats below the best graph{limit}."


def graph_proof(proof: Proof, score: float, certificate: Certificate) -> GraphProof:
    """What is proven of a graph, in nats; the bound is that of the score as it is reported."""
    gap = None if proof.gap is None else to_float(proof.gap)
    return GraphProof(
        optimal=proof.optimal,
        bound=None if gap is None else score + gap,
        gap=gap,
        ties=proof.ties,
        most_parents=proof.most_parents,
        certificate=certificate,
    )


def digest_of(written: Mapping[str, Any]) -> str:
    """A hash of all of a certificate but its digest: it tells damage; against bad intent there is the proof."""
    content = {name: value for name, value in written.items() if name != "digest"}
    # Names as a file has them.
    plain = json.loads(json_text(content))
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def _arcs(own: Sequence[Sequence[Any]]) -> tuple[tuple[Hashable, Hashable], ...]:
    return tuple((name_from(a), name_from(b)) for a, b in own)


def _bits(own: Sequence[int]) -> int:
    if any(not isinstance(v, int) or v < 0 or v > 10**6 for v in own):
        raise ValueError("variables are numbers from 0 on")
    return sum(map(bit, set(own)))


def _integers(own: Sequence[int]) -> tuple[int, ...]:
    if any(type(number) is not int for number in own):
        raise ValueError("a table has what is no integer")
    return tuple(own)


def _of_tree(tree: Tree, tables: dict[Table, int]) -> dict[str, Any]:
    """A tree; the tables in it by their numbers, in the order in which they are first met."""
    written: dict[str, Any] = {}
    if tree.steps:
        written["steps"] = [
            {
                "clusters": [[members(own), str(value)] for own, value in step.clusters],
                "tables": [[tables.setdefault(own, len(tables)), str(value)] for own, value in step.tables],
                "denominator": step.denominator,
            }
            for step in tree.steps
        ]
    if tree.arc is not None and tree.having is not None and tree.lacking is not None:
        written["arc"] = list(tree.arc)
        written["having"] = _of_tree(tree.having, tables)
        written["lacking"] = _of_tree(tree.lacking, tables)
    return written


def _to_tree(own: Mapping[str, Any], tables: Sequence[Table]) -> Tree:
    steps = [
        Multipliers(
            clusters=tuple((_bits(variables), int(value)) for variables, value in step["clusters"]),
            tables=tuple((_numbered(tables, number), int(value)) for number, value in step["tables"]),
            denominator=int(step["denominator"]),
        )
        for step in own.get("steps", ())
    ]
    if "arc" not in own:
        return Tree(tuple(steps))
    u, v = map(int, own["arc"])
    return Tree(tuple(steps), (u, v), _to_tree(own["having"], tables), _to_tree(own["lacking"], tables))


def _numbered(tables: Sequence[Table], number: int) -> Table:
    if not 0 <= number < len(tables):
        raise ValueError("a table that there is not")
    return tables[number]
