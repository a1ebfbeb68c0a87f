"""What learning returns."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from stablebn.data import Caution, Kind, Prepared
from stablebn.graph import DAG, PDAG
from stablebn.networks.fitting import fit as fit_parameters
from stablebn.networks.model import Network
from stablebn.search import Trace


@dataclass(frozen=True, repr=False)
class Result:
    """A learned graph, and everything that led to it.

    Attributes
    ----------
    dag : DAG
        Over all variables of the input (of merged columns, the one that stands for them).
    score : float
    order : tuple of names
        The processing order that decided between equal moves.
    trace : Trace
        The steps of the final search.
    warnings : tuple of Caution
        What a careful reader should know of the data or the run.
    kinds : dict of name to "categorical" or "continuous"
    constants : tuple of names
        Columns with a single value, which stay alone.
    merged : dict of name to tuple of names
        Columns that stand for others identical to them.
    rows : int
        N, the number of rows used (by weight).
    config : dict
        The algorithm, the score and all options, as they were used.
    fingerprint : str
        A hash of graph and score in which names and layout play no part: equal words, equal runs.
    timings : dict of str to float
        Seconds spent.
    prepared : Prepared
        The table that was learned from.
    """

    dag: DAG
    score: float
    order: tuple[Hashable, ...]
    trace: Trace
    warnings: tuple[Caution, ...]
    kinds: Mapping[Hashable, Kind]
    constants: tuple[Hashable, ...]
    merged: Mapping[Hashable, tuple[Hashable, ...]]
    rows: int
    config: Mapping[str, Any]
    fingerprint: str
    timings: Mapping[str, float] = field(compare=False)
    prepared: Prepared = field(compare=False)

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The variables, in column order."""
        return self.dag.nodes

    @property
    def arcs(self) -> tuple[tuple[Hashable, Hashable], ...]:
        """The arcs, sorted."""
        return self.dag.arcs

    @cached_property
    def cpdag(self) -> PDAG:
        """What the data can tell of the graph: its equivalence class."""
        return self.dag.cpdag()

    def fit(self, *, method: str = "ml", iss: float = 1.0, unseen: str = "uniform") -> Network:
        """Estimate the parameters of the learned graph from the same table.

        Parameters
        ----------
        method, iss, unseen
            As in `stablebn.fit`.
        """
        return fit_parameters(self.dag, self.prepared, method=method, iss=iss, unseen=unseen)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the timings and the trace, in types that JSON has: equal runs give equal texts."""
        return {
            "nodes": list(self.nodes),
            "arcs": [list(arc) for arc in self.arcs],
            "score": self.score,
            "order": list(self.order),
            "fingerprint": self.fingerprint,
            "rows": self.rows,
            "config": dict(self.config),
            "cpdag": {
                "directed": [list(edge) for edge in self.cpdag.directed],
                "undirected": [list(edge) for edge in self.cpdag.undirected],
            },
            "kinds": [[name, kind] for name, kind in self.kinds.items()],
            "constants": list(self.constants),
            "merged": [[name, list(names)] for name, names in self.merged.items()],
            "warnings": [str(caution) for caution in self.warnings],
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text, a line an entry; names that JSON does not have are written as text."""
        lines = [
            f' "{key}": {json.dumps(value, default=str, ensure_ascii=False)}' for key, value in self.to_dict().items()
        ]
        return "{\n" + ",\n".join(lines) + "\n}"

    def summary(self, title: str | None = None) -> str:
        """A few readable lines: first the answer, then what to worry about."""
        name = title or str(self.config["algorithm"])
        answer = (
            f"Learned {_counted(len(self.arcs), 'arc')} among {_counted(len(self.nodes), 'variable')} "
            f"from {_counted(self.rows, 'row')} with {name} ({str(self.config['score']).upper()} {self.score:,.2f})."
        )
        lines = [answer]
        undirected = len(self.cpdag.undirected)
        if undirected:
            be = "direction is" if undirected == 1 else "directions are"
            lines.append(f"  {undirected} arc {be} arbitrary: the data cannot tell (see cpdag).")
        lines += [f"  {caution}" for caution in self.warnings]
        lines.append(f"Fingerprint {self.fingerprint}.")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.summary()


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def fingerprint(parents: Sequence[Iterable[int]], score: float) -> str:
    """Eight hexadecimal digits of a hash of the arcs between canonical numbers, and the bits of the score."""
    arcs = [(u, v) for v, family in enumerate(parents) for u in sorted(family)]
    digest = hashlib.sha256(f"{len(parents)} {arcs} {float(score).hex()}".encode()).hexdigest()
    return f"{digest[:4]}-{digest[4:8]}"
