"""What learning, scoring and testing return."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from stablebn.certificate import Certificate, GraphProof
from stablebn.data import Caution, Decision, Kind, Prepared
from stablebn.errors import GraphError
from stablebn.graph import DAG, PDAG
from stablebn.search.optimum.search import Ties

if TYPE_CHECKING:
    from stablebn.networks.model import Network


@dataclass(frozen=True, repr=False)
class Result:
    """A learned graph, and everything that led to it.

    Attributes
    ----------
    pdag : PDAG
        The graph as it was learned, over all variables of the input (of merged columns, the one that stands for
        them). A learner that searches among DAGs directs every edge of it.
    dag : DAG or None
        The learned DAG, or one that extends `pdag`; None if none does.
    score : float or None
        Of `dag`; None without one.
    order : tuple of names
        The processing order that decided between equal moves.
    trace : Trace, TestTrace or OperatorTrace
        By learner: the steps of the final search, or the tests, blankets and separating sets.
    conflicts : tuple of (a, c, b)
        Evidence for a -> c <- b that could not be followed, because it contradicts stronger evidence.
    warnings : tuple of Caution
        What a careful reader should know of the data or the run.
    kinds : dict of name to "categorical" or "continuous"
        Of all columns but those set aside.
    decisions : dict of name to Decision
        What each column was taken for (`kind`, None: it was set aside and stays alone) and `why`.
    constants : tuple of names
        Columns with a single value, which stay alone.
    merged : dict of name to tuple of names
        Columns that stand for others identical to them.
    cuts : dict of name to tuple of float
        Cut points of the columns that `discretise` made categorical: `stablebn.discretise(rows, cuts=result.cuts)`
        puts other rows into the same bins.
    rows : int
        N, the number of rows used (by weight).
    fewest_rows : int or None
        With missing="available", how many of them (by weight) the family of `dag` has that has the fewest: the rows in
        which a variable and its parents are known. Otherwise N. None without a `dag`.
    config : dict
        The algorithm, the score and all options, as they were used.
    fingerprint : str
        A hash of graph and score in which names and layout play no part: equal words, equal runs.
    known : tuple of (from, to)
        Arcs whose other direction was not allowed: neither the data nor an order has decided on it.
    timings : dict of str to float
        Seconds spent.
    prepared : Prepared
        The table that was learned from.
    proof : GraphProof or None
        What is proven of the graph, by a learner that proves (`exact`).
    """

    pdag: PDAG
    dag: DAG | None
    score: float | None
    order: tuple[Hashable, ...]
    trace: Any
    conflicts: tuple[tuple[Hashable, Hashable, Hashable], ...]
    warnings: tuple[Caution, ...]
    kinds: Mapping[Hashable, Kind]
    decisions: Mapping[Hashable, Decision]
    constants: tuple[Hashable, ...]
    merged: Mapping[Hashable, tuple[Hashable, ...]]
    cuts: Mapping[Hashable, tuple[float, ...]]
    rows: int
    fewest_rows: int | None
    config: Mapping[str, Any]
    fingerprint: str
    known: tuple[tuple[Hashable, Hashable], ...]
    timings: Mapping[str, float] = field(compare=False)
    prepared: Prepared = field(compare=False)
    proof: GraphProof | None = field(default=None, compare=False)

    @property
    def optimal(self) -> bool | None:
        """Whether it is proven that no graph has a higher score; None if nobody has tried."""
        return None if self.proof is None else self.proof.optimal

    @property
    def bound(self) -> float | None:
        """A score that no graph exceeds; None if none is known."""
        return None if self.proof is None else self.proof.bound

    @property
    def gap(self) -> float | None:
        """By how much a graph can be better at most; None if that is not known."""
        return None if self.proof is None else self.proof.gap

    @property
    def ties(self) -> Ties | None:
        """How many classes of graphs are equally good; None if that is not known."""
        return None if self.proof is None else self.proof.ties

    @property
    def certificate(self) -> Certificate | None:
        """What `stablebn.verify` checks; None without a proof."""
        return None if self.proof is None else self.proof.certificate

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The variables, in column order."""
        return self.pdag.nodes

    @property
    def extendable(self) -> bool:
        """Whether the learned graph is a DAG, or some DAG extends it."""
        return self.dag is not None

    @property
    def arcs(self) -> tuple[tuple[Hashable, Hashable], ...]:
        """The arcs of `dag`, sorted; without one the directed edges of `pdag`."""
        return self.pdag.directed if self.dag is None else self.dag.arcs

    @property
    def undirected(self) -> tuple[tuple[Hashable, Hashable], ...]:
        """The edges besides `arcs`, sorted: those of `pdag` without a direction if there is no `dag`, else none."""
        return self.pdag.undirected if self.dag is None else ()

    @cached_property
    def cpdag(self) -> PDAG | None:
        """What is certain of the graph: its equivalence class, oriented with what is `known`; None without a `dag`.

        Without the knowledge it is `dag.cpdag()`.
        """
        return None if self.dag is None else self.dag.cpdag(self.known)

    def fit(self, *, method: str = "ml", iss: float = 1.0, unseen: str = "uniform") -> Network:
        """Estimate the parameters of the learned graph from the same table.

        Parameters
        ----------
        method, iss, unseen
            As in `stablebn.fit`.
        """
        if self.dag is None:
            raise GraphError("no DAG extends the learned graph, so it has no parameters. See `pdag` and `conflicts`.")
        # Networks take time to import, and few who learn need one.
        from stablebn.networks.fitting import fit as fit_parameters

        return fit_parameters(self.dag, self.prepared, method=method, iss=iss, unseen=unseen)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the timings and the trace, in types that JSON has: equal runs give equal texts."""
        return {
            "nodes": list(self.nodes),
            "arcs": [list(arc) for arc in self.arcs],
            "undirected": [list(edge) for edge in self.undirected],
            "extendable": self.extendable,
            "score": self.score,
            "order": list(self.order),
            "fingerprint": self.fingerprint,
            "rows": self.rows,
            "fewest_rows": self.fewest_rows,
            "config": dict(self.config),
            "cpdag": None
            if self.cpdag is None
            else {
                "directed": [list(edge) for edge in self.cpdag.directed],
                "undirected": [list(edge) for edge in self.cpdag.undirected],
            },
            "conflicts": [list(triple) for triple in self.conflicts],
            "kinds": [[name, kind] for name, kind in self.kinds.items()],
            "decisions": [[name, own.kind, own.why] for name, own in self.decisions.items()],
            "constants": list(self.constants),
            "merged": [[name, list(names)] for name, names in self.merged.items()],
            "cuts": [[name, list(points)] for name, points in self.cuts.items()],
            "warnings": [str(caution) for caution in self.warnings],
            **self._proven(),
        }

    def _proven(self) -> dict[str, Any]:
        """What is proven, where somebody has tried."""
        if self.proof is None:
            return {}
        ties = {"count": self.proof.ties.count, "are_all": self.proof.ties.are_all}
        return {"optimal": self.optimal, "bound": self.bound, "gap": self.gap, "ties": ties}

    def to_json(self) -> str:
        """`to_dict` as JSON text, a line an entry; names that JSON does not have are written as text."""
        lines = [
            f' "{key}": {json.dumps(value, default=str, ensure_ascii=False)}' for key, value in self.to_dict().items()
        ]
        return "{\n" + ",\n".join(lines) + "\n}"

    def summary(self, title: str | None = None) -> str:
        """A few readable lines: first the answer, then what to worry about."""
        name = title or str(self.config["algorithm"])
        edges = _counted(len(self.arcs), "arc")
        if self.undirected:
            edges += f" and {_counted(len(self.undirected), 'undirected edge')}"
        score = "no score" if self.score is None else f"{str(self.config['score']).upper()} {self.score:,.2f}"
        answer = (
            f"Learned {edges} among {_counted(len(self.nodes), 'variable')} "
            f"from {_counted(self.rows, 'row')} with {name} ({score})."
        )
        lines = [answer, *self._kinds_line()]
        if self.proof is not None:
            lines.append(f"  {self.proof.sentence()}")
        undirected = 0 if self.cpdag is None else len(self.cpdag.undirected)
        if undirected:
            be = "direction is" if undirected == 1 else "directions are"
            lines.append(f"  {undirected} arc {be} arbitrary: the data cannot tell (see cpdag).")
        lines += [f"  {caution}" for caution in self.warnings]
        lines.append(f"Fingerprint {self.fingerprint}.")
        return "\n".join(lines)

    def _kinds_line(self) -> list[str]:
        """How many columns were taken for what, unless all were taken for the same."""
        tally: Counter[str] = Counter(own.kind or "set aside" for own in self.decisions.values())
        if len(tally) < 2:
            return []
        order = ("categorical", "continuous", "set aside")
        return [f"  Columns: {', '.join(f'{tally[kind]} {kind}' for kind in order if tally[kind])} (see decisions)."]

    def __repr__(self) -> str:
        return self.summary()


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


@dataclass(frozen=True)
class GraphScore:
    """The score of a graph.

    Attributes
    ----------
    total : float
    by_node : dict of name to float
        Each variable's part, given its parents. A column with a single value has no part: 0.
    """

    total: float
    by_node: Mapping[Hashable, float]

    def __float__(self) -> float:
        return self.total


@dataclass(frozen=True)
class CITest:
    """A test of conditional independence.

    Attributes
    ----------
    x, y, given : name, name, tuple of names
    test : str
    statistic, df, p_value : float
    """

    x: Hashable
    y: Hashable
    given: tuple[Hashable, ...]
    test: str
    statistic: float
    df: float
    p_value: float

    def independent(self, alpha: float = 0.05) -> bool:
        """Whether the data do not speak against independence: the p-value is above alpha."""
        return self.p_value > alpha
