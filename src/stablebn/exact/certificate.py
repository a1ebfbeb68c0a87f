"""What is proven about a learned graph, and the certificate that proves it, with names and in JSON."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stablebn.errors import CertificateError, shown
from stablebn.exact.proof_tree import LocalCut, Multipliers, Proof, Ties, Tree
from stablebn.files import write_atomically
from stablebn.fixed_point import to_float
from stablebn.graph.json_names import json_text, name_from
from stablebn.knowledge import KnownArcs
from stablebn.options import checked_arguments, file_path, flag, mapping, text
from stablebn.stats.variable_sets import bit, members

_FORMAT = "stablebn certificate 2"


@dataclass(frozen=True)
class Certificate:
    """Proves, together with the table, how good a graph is: `stablebn.verify` checks it without a solver.

    Attributes
    ----------
    options : dict
        The options of reading and scoring that differ from the default, in types that JSON has.
    known : KnownArcs
        The constraints on every graph.
    variables : tuple of names
        In canonical order.
    parents : tuple of int
        Parent sets of the graph; bit i stands for `variables[i]`.
    score, bound : int, int or None
        The score of the graph and an upper bound of the score of every graph, in units of 2**-62 nats.
    trees : tuple of Tree
        For each component of the problem, how the loss of its DAGs is bounded.
    besides : tuple of int
        If not all candidate sets were scored: parent sets of a DAG that were scored in addition.
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
        """Return everything in types that JSON has; long integers as text."""
        tables: dict[LocalCut, int] = {}
        proof = [_of_tree(tree, tables) for tree in self.trees]
        written = {
            "format": _FORMAT,
            "options": dict(self.options),
            "required": [list(arc) for arc in self.known.required],
            "forbidden": [list(arc) for arc in self.known.forbidden],
            "most_parents": [[name, most] for name, most in self.known.most_parents.items()],
            "variables": list(self.variables),
            "parents": [members(family) for family in self.parents],
            "score": str(self.score),
            "bound": None if self.bound is None else str(self.bound),
            "besides": [members(family) for family in self.besides],
            "tables": [[list(table.positions), [list(family) for family in table.weights]] for table in tables],
            "proof": proof,
        }
        return {**written, "digest": digest_of(written)}

    def to_json(self) -> str:
        """Return `to_dict` as JSON text."""
        return json_text(self.to_dict())

    @checked_arguments(path=file_path, force=flag)
    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the certificate to a JSON file."""
        write_atomically(Path(path), self.to_json() + "\n", force=force)

    @classmethod
    @checked_arguments(text=text)
    def from_json(cls, text: str) -> Certificate:
        """Read the text that `to_json` wrote; raise `CertificateError` if it is not a certificate."""
        try:
            return cls.from_dict(json.loads(text))
        except (ValueError, RecursionError) as error:
            if isinstance(error, CertificateError):
                raise
            raise CertificateError(f"this is not a certificate: {type(error).__name__} {error}.") from None

    @classmethod
    @checked_arguments(own=mapping)
    def from_dict(cls, own: Mapping[str, Any]) -> Certificate:
        """Read the dict that `to_dict` returned; raise `CertificateError` if it is not a certificate."""
        try:
            if own["format"] != _FORMAT:
                raise CertificateError(f"its format is {shown(own['format'])}, expected {_FORMAT!r}.")
            if own["digest"] != digest_of(own):
                raise CertificateError("the certificate was changed after it was written: its digest does not match.")
            tables = [
                LocalCut(_integers(positions), tuple(map(_integers, numbers))) for positions, numbers in own["tables"]
            ]
            return cls(
                options=dict(own["options"]),
                known=KnownArcs(
                    required=_arcs(own["required"]),
                    forbidden=_arcs(own["forbidden"]),
                    most_parents={name_from(name): int(most) for name, most in own["most_parents"]},
                ),
                variables=tuple(map(name_from, own["variables"])),
                parents=tuple(_bits(variables) for variables in own["parents"]),
                score=int(own["score"]),
                bound=None if own["bound"] is None else int(own["bound"]),
                trees=tuple(_to_tree(tree, tables) for tree in own["proof"]),
                besides=tuple(_bits(variables) for variables in own["besides"]),
            )
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            if isinstance(error, CertificateError):
                raise
            raise CertificateError(f"this is not a certificate: {type(error).__name__} {error}.") from None

    @classmethod
    @checked_arguments(path=file_path)
    def read(cls, path: str | os.PathLike[str]) -> Certificate:
        """Read a certificate from a JSON file."""
        if Path(path).exists() and not Path(path).is_file():
            raise CertificateError(f"the certificate {shown(os.fspath(path))} cannot be read: it is not a file.")
        try:
            return cls.from_json(Path(path).read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            raise CertificateError(f"the certificate {os.fspath(path)!r} is not UTF-8 text.") from None
        except OSError as error:
            name = shown(os.fspath(path))
            raise CertificateError(f"the certificate {name} cannot be read: {error.strerror}.") from None


@dataclass(frozen=True)
class GraphProof:
    """What is proven about a learned graph.

    Attributes
    ----------
    optimal : bool
        Whether no allowed graph has a higher score.
    bound, gap : float or None
        Upper bound of the score of every graph, and its difference from the score; None if no bound is known.
    ties : Ties
        Number of equally good Markov equivalence classes.
    most_parents : int or None
        If parent sets were left out because of a limit on their number or the time: the size of the largest that were
        scored.
    certificate : Certificate
    """

    optimal: bool
    bound: float | None
    gap: float | None
    ties: Ties
    most_parents: int | None
    certificate: Certificate = field(repr=False, compare=False)

    def sentence(self) -> str:
        """Say in words what is proven."""
        if self.optimal:
            others = "" if self.ties.count == 1 else f" ({self.ties} classes are equally good)"
            return f"This is the best graph: it is proven{others}."
        limit = "" if self.most_parents is None else f"; parent sets of more than {self.most_parents} were left out"
        if self.gap is None:
            return f"Not proven to be the best graph, and no bound is known{limit}."
        return f"At most {self.gap:,.3g} nats below the best graph{limit}."


def graph_proof(proof: Proof, score: float, certificate: Certificate) -> GraphProof:
    """Return what is proven about a graph in nats; the bound is relative to the reported score."""
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
    """Return a hash of a certificate without its digest: it detects damage; the proof itself detects forgery."""
    content = {name: value for name, value in written.items() if name != "digest"}
    # Convert names to the form that they have in a file.
    plain = json.loads(json_text(content))
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def _arcs(pairs: Sequence[Sequence[Any]]) -> tuple[tuple[Hashable, Hashable], ...]:
    return tuple((name_from(a), name_from(b)) for a, b in pairs)


def _bits(variables: Sequence[int]) -> int:
    if any(not isinstance(v, int) or v < 0 or v > 10**6 for v in variables):
        raise ValueError("variables are numbers from 0 on")
    return sum(map(bit, set(variables)))


def _integers(values: Sequence[int]) -> tuple[int, ...]:
    if any(type(number) is not int for number in values):
        raise ValueError("a local cut has a weight that is not an integer")
    return tuple(values)


def _of_tree(tree: Tree, tables: dict[LocalCut, int]) -> dict[str, Any]:
    """Return a tree in JSON types; local cuts are numbered in the order of their first use."""
    written: dict[str, Any] = {}
    if tree.steps:
        written["steps"] = [
            {
                "clusters": [[members(cluster), str(value)] for cluster, value in step.clusters],
                "tables": [[tables.setdefault(cut, len(tables)), str(value)] for cut, value in step.local_cuts],
                "denominator": step.denominator,
            }
            for step in tree.steps
        ]
    if tree.arc is not None and tree.having is not None and tree.lacking is not None:
        written["arc"] = list(tree.arc)
        written["having"] = _of_tree(tree.having, tables)
        written["lacking"] = _of_tree(tree.lacking, tables)
    return written


def _to_tree(written: Mapping[str, Any], tables: Sequence[LocalCut]) -> Tree:
    steps = [
        Multipliers(
            clusters=tuple((_bits(variables), int(value)) for variables, value in step["clusters"]),
            local_cuts=tuple((_numbered(tables, number), int(value)) for number, value in step["tables"]),
            denominator=int(step["denominator"]),
        )
        for step in written.get("steps", ())
    ]
    if "arc" not in written:
        return Tree(tuple(steps))
    u, v = map(int, written["arc"])
    return Tree(tuple(steps), (u, v), _to_tree(written["having"], tables), _to_tree(written["lacking"], tables))


def _numbered(tables: Sequence[LocalCut], number: int) -> LocalCut:
    if not 0 <= number < len(tables):
        raise ValueError("a local cut has an unknown number")
    return tables[number]
