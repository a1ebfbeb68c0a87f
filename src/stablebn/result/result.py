"""The results of learning (`Result`), scoring (`GraphScore`) and testing (`CITest`)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from stablebn.columns.kinds import Decision, Kind
from stablebn.columns.levels import Levels
from stablebn.errors import GraphError, OptionError, one_of
from stablebn.files import check_free, write_atomically
from stablebn.graph import DAG, PDAG
from stablebn.graph.convert import edges_by_kind
from stablebn.graph.names import Edge
from stablebn.knowledge import Knowledge, KnownArcs
from stablebn.lazy import imported
from stablebn.messages import Caution, counted
from stablebn.options import checked_arguments, file_path, flag, from_0_to_1, text
from stablebn.prepare.prepared import Prepared
from stablebn.search import OrderSource

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from typing_extensions import Self

    from stablebn.exact.certificate import Certificate, GraphProof
    from stablebn.exact.proof_tree import Ties
    from stablebn.learners import Problem
    from stablebn.networks.model import Network
    from stablebn.plotting.graph_plot import Drawing, LayoutName
    from stablebn.resampling.bootstrap_result import Bootstrap
    from stablebn.resampling.stability_result import Stability
    from stablebn.result.explanation import Explanation

Directions: TypeAlias = Literal["marked", "cpdag", "dag"]
DirectionReason: TypeAlias = Literal["compelled", "known", "model", "data-driven", "arbitrary", "not determined"]


@dataclass(frozen=True, repr=False)
class Result:
    """A learned graph, and everything that led to it.

    Two results are equal if they differ only in timings and in the table; `from_json` restores what `to_json` wrote.

    Attributes
    ----------
    pdag : PDAG
        The learned graph over all variables of the input (of merged columns, the one that represents them). An
        algorithm that searches among DAGs directs every edge of it.
    dag : DAG or None
        The learned DAG, or a DAG that extends `pdag`; `None` if there is none.
    score : float or None
        The score of `dag`.
    order : tuple of names
        The processing order, which decided between moves with equal scores.
    trace : Trace, TestTrace or OperatorTrace
        The steps of the final search; or the tests, Markov blankets and separating sets.
    conflicts : tuple of (a, c, b)
            V-structures a -> c <- b that were rejected because they contradict stronger evidence.
        warnings : tuple of Caution
        Warnings about the data or the run.
    kinds : dict of name to "categorical" or "continuous"
        The kinds of all columns except the excluded ones.
    decisions : dict of name to Decision
        The kind of each column, with the reason; the kind of an excluded column is None.
    constants : tuple of names
        Columns with a single value, which have no edges.
    merged : dict of name to tuple of names
        Columns that represent others identical to them.
    cuts : dict of name to tuple of float
        Cut points of the columns that `discretise` made categorical: `stablebn.discretise(rows, cuts=result.cuts)`
        puts other rows into the same bins.
    levels : dict of name to tuple of values
        The declared levels.
    rows : int
        N, the number of rows used (by weight).
    fewest_rows : int or None
        With missing="available", the smallest number of complete rows (by weight) of a family of `dag`: rows in which
        the variable and its parents are known. Otherwise N. `None` without a `dag`.
    config : dict
        The algorithm, the score and all options, as they were used.
    chosen : dict of option to str
        The options that the library chose for the table, and why.
    fingerprint : str
        A hash of the graph and its score that does not depend on names or layout: equal runs have equal fingerprints.
    finished : bool
        False if max_time, max_iter or an interrupt ended the search: then the graph is the best so far.
    known : tuple of (from, to)
        Arcs whose direction background knowledge or the model decides: they were required, or the other direction is
        not allowed, or would give a variable too many parents. `direction_reasons` says which of the two decides.
    known_arcs : KnownArcs
        The background knowledge.
    strengths_at_hand : dict of arc to float, or None
        The `strengths`, if they could be computed quickly.
    tied_arcs : tuple of (from, to), or None
        For a score that differs between DAGs of a Markov equivalence class: the arcs of `dag` that another DAG of the
        class reverses, if the search could reach that DAG and it scores no less. `None` for other scores.
    undetermined_arcs : tuple of (from, to)
        For such a score, the arcs for which this was not determined, because the class has too many DAGs.
    order_source : OrderSource or None
        The search whose graph gave `order`; `None` if the data or the columns gave it.
    canonical : tuple of names
        The variables that took part, in canonical order, which depends only on the data.
    timings : dict of str to float
        Seconds per stage; empty if the result was read from a file.
    prepared : Prepared or None
        The encoded table; `None` if the result was read from a file.
    problem : Problem or None
        The numbered variables with their scores, so that explanations do not count the table again. Copies and pickles
        do not have it.
    proof : GraphProof or None
        What is proven about the graph, by an algorithm that proves (`exact`).
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
    levels: Levels
    rows: int
    fewest_rows: int | None
    config: Mapping[str, Any]
    fingerprint: str
    finished: bool
    known: tuple[tuple[Hashable, Hashable], ...]
    timings: Mapping[str, float] = field(compare=False)
    prepared: Prepared | None = field(compare=False)
    problem: Problem | None = field(default=None, compare=False)
    known_arcs: KnownArcs = field(default_factory=KnownArcs, compare=False)
    strengths_at_hand: Mapping[tuple[Hashable, Hashable], float] | None = field(default=None, compare=False)
    tied_arcs: tuple[tuple[Hashable, Hashable], ...] | None = field(default=None, compare=False)
    undetermined_arcs: tuple[tuple[Hashable, Hashable], ...] = field(default=(), compare=False)
    order_source: OrderSource | None = field(default=None, compare=False)
    canonical: tuple[Hashable, ...] = field(default=(), compare=False)
    proof: GraphProof | None = None
    chosen: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the problem: explanations build it again from the table."""
        return {**self.__dict__, "problem": None}

    def __hash__(self) -> int:
        # A part of the fields that are equal in equal results.
        return hash((self.pdag, self.dag, self.score, self.fingerprint))

    @property
    def optimal(self) -> bool | None:
        """Whether it is proven that no graph has a higher score; `None` if optimality was not checked."""
        return None if self.proof is None else self.proof.optimal

    @property
    def bound(self) -> float | None:
        """A score that no graph exceeds; `None` if no bound is known."""
        return None if self.proof is None else self.proof.bound

    @property
    def gap(self) -> float | None:
        """The largest possible score difference to a better graph; `None` if no bound is known."""
        return None if self.proof is None else self.proof.gap

    @property
    def ties(self) -> Ties | None:
        """The number of Markov equivalence classes with the best score; `None` if it is not known."""
        return None if self.proof is None else self.proof.ties

    @property
    def certificate(self) -> Certificate | None:
        """The certificate for `stablebn.verify`; `None` without a proof."""
        return None if self.proof is None else self.proof.certificate

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The variables, in column order."""
        return self.pdag.nodes

    @property
    def extendable(self) -> bool:
        """Whether the learned graph is a DAG or can be extended to one."""
        return self.dag is not None

    @property
    def arcs(self) -> tuple[tuple[Hashable, Hashable], ...]:
        """The arcs of `dag`, sorted; without a `dag`, the directed edges of `pdag`."""
        return self.pdag.directed if self.dag is None else self.dag.arcs

    @property
    def undirected(self) -> tuple[tuple[Hashable, Hashable], ...]:
        """The edges whose direction is arbitrary or was not determined: the undirected edges of `marked`, sorted.

        If there is a `dag`, it has an arc for each of them.
        """
        return edges_by_kind(self.marked)[1]

    @cached_property
    def marked(self) -> DAG | PDAG:
        """The learned graph, with a direction only for edges for which data or knowledge determine it.

        Files and the command line show this graph. For algorithms that leave edges undirected (`pc-stable`, `gs`,
        `inter-iamb`, `fges`) it is `pdag`. For algorithms that search among DAGs it is `cpdag`, unless the score
        differs between the DAGs of a class (`bds`, `k2`, `adaptive`, additive `basis`, or missing values): then an arc
        is undirected only if another DAG of the class reverses it and scores no less (`tied_arcs`), or if that was not
        determined (`undetermined_arcs`).
        """
        if self.dag is None or self.cpdag is None or self.pdag.undirected:
            return self.pdag
        if self.tied_arcs is None:
            return self.cpdag
        free = {*self.tied_arcs, *self.undetermined_arcs}
        undirected = [arc for arc in self.dag.arcs if arc in free]
        return PDAG(self.nodes, [arc for arc in self.dag.arcs if arc not in free], undirected)

    @cached_property
    def direction_reasons(self) -> Mapping[Edge, DirectionReason]:
        """The reason for the direction of each edge: arcs as in `arcs`, other edges as in `undirected`.

        "compelled": all DAGs of the class have this direction. "known": background knowledge does not allow the other
        direction. "model": the model has no arc from a continuous to a categorical variable. "data-driven": DAGs of
        the class with the other direction score less. "arbitrary": one of them scores no less, or the algorithm leaves
        the edge undirected. "not determined": there were too many DAGs to compare.
        """
        arbitrary = {frozenset(edge) for edge in self.undirected}
        unclear, known = set(self.undetermined_arcs), set(self.known)
        certain = set((self.pdag if self.cpdag is None else self.cpdag).directed)

        def reason(arc: Edge) -> DirectionReason:
            if frozenset(arc) in arbitrary:
                return "not determined" if arc in unclear else "arbitrary"
            if arc in known:
                return "model" if self._is_decided_by_model(arc) else "known"
            return "compelled" if arc in certain else "data-driven"

        joined = {frozenset(arc) for arc in self.arcs}
        rest = (edge for edge in self.undirected if frozenset(edge) not in joined)
        return {edge: reason(edge) for edge in (*self.arcs, *rest)}

    def _is_decided_by_model(self, arc: Edge) -> bool:
        """Return whether the model excludes the reverse of an arc, from a continuous to a categorical variable."""
        u, v = arc
        return self.config.get("arcs") == "clg" and (self.kinds[u], self.kinds[v]) == ("categorical", "continuous")

    @cached_property
    def strengths(self) -> Mapping[tuple[Hashable, Hashable], float]:
        """The strength of each arc of `dag`: `score` minus the `stablebn.score` of `dag` without the arc.

        Empty if the graph has no score.
        """
        if self.strengths_at_hand is not None:
            return self.strengths_at_hand
        # Imported here because it takes time, and reading a result from a file needs no algorithm.
        from stablebn.result.explain import strengths_of

        return strengths_of(self)

    def explain(self, a: Hashable, b: Hashable) -> Explanation:
        """Explain why two variables are adjacent and in which direction, or why they are not adjacent.

        Parameters
        ----------
        a, b : name
            In any order.

        Returns
        -------
        Explanation
            `print` shows it as a few sentences.

        Examples
        --------
        >>> import stablebn as sb
        >>> result = sb.learn(sb.read_network("asia").sample(1000, seed=1))
        >>> result.explain("either", "xray").direction
        'compelled'
        """
        from stablebn.result.explain import explanation

        return explanation(self, a, b)

    @checked_arguments(path=file_path, command=text, force=flag)
    def report(
        self,
        path: str | os.PathLike[str],
        *,
        true: object = None,
        audit: Stability | None = None,
        bootstrap: Bootstrap | None = None,
        command: str | None = None,
        force: bool = False,
    ) -> None:
        """Write an HTML report: one file, which needs no other files.

        It shows the graph, the reason for each arc, the local scores, the search, the findings about the table, and
        how to repeat the run. The same table gives the same file, whatever the order of its rows and columns.

        Parameters
        ----------
        path : path
            The file to write.
        true : network, DAG, PDAG, path or name of a network, optional
            The true graph to compare with.
        audit : Stability, optional
            The result of `stablebn.stability` for the same table.
        bootstrap : Bootstrap, optional
            The result of `stablebn.bootstrap` for the same table.
        command : str, optional
            The command that created the result, to be shown.
        force : bool
            Replace an existing file.

        Raises
        ------
        GraphError
            The true graph has other variables.
        OptionError
            The file exists or cannot be written, or `audit` or `bootstrap` belongs to another table.
        """
        target = Path(path)
        check_free(target, force=force)
        text = imported("stablebn.report").report_text(
            self, true=true, audit=audit, bootstrap=bootstrap, command=command
        )
        write_atomically(target, text, force=force)

    def shown(self, directions: Directions = "marked") -> DAG | PDAG:
        """Return the graph that outputs show.

        Parameters
        ----------
        directions : {"marked", "cpdag", "dag"}
            The name of the attribute with the graph; if that is `None`, `pdag` is returned.
        """
        one_of("directions", directions, ("marked", "cpdag", "dag"))
        graph: DAG | PDAG | None = getattr(self, directions)
        return self.pdag if graph is None else graph

    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        directions: Directions = "marked",
        layout: LayoutName = "auto",
        force: bool = False,
    ) -> Figure:
        """Draw the graph with matplotlib: stronger arcs are darker, arcs with an arbitrary direction are dashed.

        Parameters
        ----------
        path : path, optional
            A file to write: .png, .svg or .pdf.
        directions : {"marked", "cpdag", "dag"}
            As in `shown`. Edges with an arbitrary direction are dashed, and have arrowheads only with "dag".
        layout, force
            As in `DAG.plot`.

        Returns
        -------
        matplotlib.figure.Figure
            Notebooks show it.
        """
        title = self.summary(self._title).splitlines()[0]
        return self.drawing(directions, self.strengths, title).plot(path, layout, force=force)

    def drawing(self, directions: Directions, strengths: Mapping[Edge, float], title: str = "") -> Drawing:
        """Return the description of the drawing."""
        from stablebn.plotting.graph_plot import drawing_of_learned

        shown, score = self.shown(directions), str(self.config["score"]).upper()
        return drawing_of_learned(shown, self.dag, self.undirected, strengths, title=title, score=score)

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the summary, the graph and its arcs; it needs no matplotlib."""
        from stablebn.result.notebook import page_of

        return page_of(self, self._title)

    @property
    def _title(self) -> str:
        """The name of the algorithm in pictures and pages."""
        from stablebn.learners import LEARNERS

        return LEARNERS[str(self.config["algorithm"])].title

    @cached_property
    def cpdag(self) -> PDAG | None:
        """The CPDAG of `dag`, further oriented by `known`; `None` without a `dag`."""
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
        if self.prepared is None:
            raise OptionError(
                "this result was read from a file, which does not have the table. Say stablebn.fit(result, data)."
            )
        # Imported here because it takes time, and learning needs no network.
        from stablebn.networks.fit import fit as fit_parameters

        return fit_parameters(self.dag, self.prepared, method=method, iss=iss, unseen=unseen)

    def to_dict(self, directions: Directions = "marked") -> dict[str, Any]:
        """Return everything except the timings and the table, in types that JSON has: equal runs give equal texts.

        Parameters
        ----------
        directions : {"marked", "cpdag", "dag"}
            As in `shown`: which edges are listed as "undirected". If such an edge is also listed in "arcs", it has the
            direction of `dag` there.
        """
        # Imported here because it takes time, and few results are written.
        from stablebn.result.files_json import FORMAT, VERSION, content_of_proof, content_of_trace

        undirected = edges_by_kind(self.shown(directions))[1]
        return {
            "format": FORMAT,
            "version": VERSION,
            "nodes": list(self.nodes),
            "arcs": [list(arc) for arc in self.arcs],
            "undirected": [list(edge) for edge in undirected],
            "strengths": [[*arc, strength] for arc, strength in self.strengths.items()],
            "tied_arcs": None if self.tied_arcs is None else [list(arc) for arc in self.tied_arcs],
            "undetermined_arcs": [list(arc) for arc in self.undetermined_arcs],
            "extendable": self.extendable,
            "score": self.score,
            "order": list(self.order),
            "fingerprint": self.fingerprint,
            "finished": self.finished,
            "rows": self.rows,
            "fewest_rows": self.fewest_rows,
            "config": dict(self.config),
            "chosen": dict(self.chosen),
            "cpdag": None
            if self.cpdag is None
            else {
                "directed": [list(edge) for edge in self.cpdag.directed],
                "undirected": [list(edge) for edge in self.cpdag.undirected],
            },
            "conflicts": [list(triple) for triple in self.conflicts],
            "kinds": [[name, kind] for name, kind in self.kinds.items()],
            "decisions": [[name, own.kind, own.why, own.plain] for name, own in self.decisions.items()],
            "constants": list(self.constants),
            "merged": [[name, list(names)] for name, names in self.merged.items()],
            "cuts": [[name, list(points)] for name, points in self.cuts.items()],
            "levels": [[name, list(own)] for name, own in self.levels.items()],
            "warnings": [
                {"code": own.code, "columns": list(own.columns), "message": own.message} for own in self.warnings
            ],
            "known": [list(arc) for arc in self.known],
            "dag": None if self.dag is None else [list(arc) for arc in self.dag.arcs],
            "pdag": {
                "directed": [list(edge) for edge in self.pdag.directed],
                "undirected": [list(edge) for edge in self.pdag.undirected],
            },
            "trace": content_of_trace(self.trace),
            **({} if self.proof is None else content_of_proof(self.proof)),
        }

    def to_json(self, directions: Directions = "marked") -> str:
        """Return `to_dict` as JSON text, one entry per line.

        `from_json` restores names that are text, numbers, dates, or tuples of these; other names are written as text.
        """
        from stablebn.result.files_json import text_of

        return text_of(self.to_dict(directions))

    @classmethod
    def from_json(cls, text_or_path: str | os.PathLike[str]) -> Self:
        """Read a result that `to_json` has written; it equals the original.

        The file has no `timings` and no table (`prepared`): use `stablebn.fit(result, data)` for parameters.

        Parameters
        ----------
        text_or_path : str or path
            The text, which begins with "{", or the path of a file, which may be compressed (".json.gz").

        Raises
        ------
        FormatError
            The text is not a result.

        Examples
        --------
        >>> import stablebn as sb
        >>> result = sb.learn(sb.read_network("asia").sample(1000, seed=1))
        >>> sb.Result.from_json(result.to_json()) == result
        True
        """
        from stablebn.result.files_json import fields_from

        return cls(**fields_from(text_or_path), timings={}, prepared=None)

    @checked_arguments(title=text)
    def summary(self, title: str | None = None) -> str:
        """Return a short text: first the answer, then the warnings."""
        name = title or str(self.config["algorithm"])
        edges = counted(len(self.arcs), "arc")
        if self.dag is None and self.undirected:
            edges += f" and {counted(len(self.undirected), 'undirected edge')}"
        score = "no score" if self.score is None else f"{str(self.config['score']).upper()} {self.score:,.2f}"
        learned = "Learned" if self.finished else "Unfinished, so far"
        answer = (
            f"{learned} {edges} among {counted(len(self.nodes), 'variable')} "
            f"from {counted(self.rows, 'row')} with {name} ({score})."
        )
        proven = [] if self.proof is None else [f"  {self.proof.sentence()}"]
        lines = [
            answer,
            *self._choice_line(),
            *self._kinds_line(),
            *proven,
            *self._directions_lines(),
            *self._knowledge_line(),
        ]
        lines += [f"  {caution}" for caution in self.warnings]
        lines.append(f"Fingerprint {self.fingerprint}.")
        return "\n".join(lines)

    def _choice_line(self) -> list[str]:
        """Name the options that the library chose for the table, and why."""
        named = ", ".join(f"{option} {self.config[option]} ({why})" for option, why in self.chosen.items())
        return [f"  Chosen automatically: {named}."] if named else []

    def _kinds_line(self) -> list[str]:
        """Count the columns of each kind, unless all have the same kind."""
        tally: Counter[str] = Counter(own.kind or "set aside" for own in self.decisions.values())
        if len(tally) < 2:
            return []
        order = ("categorical", "continuous", "set aside")
        return [f"  Columns: {', '.join(f'{tally[kind]} {kind}' for kind in order if tally[kind])} (see decisions)."]

    def _knowledge_line(self) -> list[str]:
        """Summarise the background knowledge, and the directions that follow from it."""
        if not self.config.get("knowledge"):
            return []
        columns = [name for name in self.kinds if name not in self.constants]
        known = Knowledge.from_dict(self.config["knowledge"]).among(columns).known_arcs(columns)
        said = [
            f"{counted(len(known.required), 'arc')} required" if known.required else "",
            f"{len(known.forbidden):,} forbidden" if known.forbidden else "",
            f"parents of {counted(len(known.most_parents), 'variable')} limited" if known.most_parents else "",
        ]
        line = f"  Known: {', '.join(filter(None, said)) or 'nothing of these columns'}"
        if self.dag is not None and self.cpdag is not None:
            # Directions that the model decides do not follow from knowledge.
            of_model = self.dag.cpdag([arc for arc in self.known if self._is_decided_by_model(arc)])
            follow = len(self.cpdag.directed) - len(of_model.directed)
            line += f"; {counted(follow, 'direction')} {'follows' if follow == 1 else 'follow'} from knowledge"
        return [f"{line}."]

    def _directions_lines(self) -> list[str]:
        """Count the directions that are arbitrary, not determined, or decided by the choice of the score."""
        if self.dag is None or self.cpdag is None:
            return []
        tally = Counter(self.direction_reasons.values())
        ends: dict[DirectionReason, str] = {
            "arbitrary": "arbitrary: the data cannot tell (see undirected)",
            "not determined": "not determined: too many graphs imply the same independences to compare the scores of "
            "all (see undirected)",
            "data-driven": "the choice of the score, which is not the same for all graphs that imply the same "
            "independences (see cpdag)",
        }
        return [
            f"  {tally[reason]} arc {'direction is' if tally[reason] == 1 else 'directions are'} {end}."
            for reason, end in ends.items()
            if tally[reason]
        ]

    def __repr__(self) -> str:
        return self.summary()


@dataclass(frozen=True)
class GraphScore:
    """The score of a graph.

    Attributes
    ----------
    total : float
    by_node : dict of name to float
        The local score of each variable, given its parents; 0 for a column with a single value.
    score : str
        The name of the score.
    """

    total: float
    by_node: Mapping[Hashable, float]
    score: str = "bic"

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

    @checked_arguments(alpha=from_0_to_1)
    def independent(self, alpha: float = 0.05) -> bool:
        """Return whether independence is not rejected: the p-value is above alpha."""
        return self.p_value > alpha
