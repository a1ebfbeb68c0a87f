"""Compare a learned graph with the true one (specification, section 6)."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from stablebn.errors import GraphError, listed, spelled
from stablebn.graph.convert import Graph, as_graph, edges_by_kind
from stablebn.graph.names import Edge, Node, name_key, rank_names, sorted_edges
from stablebn.graph.pdag import PDAG
from stablebn.graph.sid import structural_intervention_distance
from stablebn.lazy import imported

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stablebn.plotting.graph_plot import Drawing, LayoutName


class EdgeDifference(NamedTuple):
    """A pair of nodes whose edge differs between the graphs.

    The marks are "->" (from a to b), "<-", "--", or "" for no edge.
    """

    a: Node
    b: Node
    learned: str
    true: str

    def __str__(self) -> str:
        a, b = spelled(self.a), spelled(self.b)
        learned, true = (f"{a} {mark} {b}" if mark else "no edge" for mark in (self.learned, self.true))
        return f"{learned} (true: {true})"


@dataclass(frozen=True)
class Agreement:
    """Agreement of two graphs on adjacent pairs or on arrowheads.

    Attributes
    ----------
    tp, fp, fn : int
        Number in both graphs, only in the learned one, and only in the true one.
    precision, recall, f1 : float
        The usual ratios; 0.0 if the denominator is zero.
    """

    tp: int
    fp: int
    fn: int
    precision: float
    recall: float
    f1: float

    def __str__(self) -> str:
        return f"F1 {self.f1:.4f}, precision {self.precision:.4f}, recall {self.recall:.4f}"


@dataclass(frozen=True)
class Comparison:
    """What a learned graph has right and wrong.

    Attributes
    ----------
    tp : int
        Edges with the same mark in both graphs.
    fp, fn : int
        Learned edges, and true edges, that are not among `tp`: an edge with different marks counts in both.
    precision, recall, f1 : float
        The usual ratios; 0.0 if the denominator is zero.
    shd : int
        Structural Hamming distance: extra, missing and differently marked edges.
    bsf : float
        Balanced scoring function as in Bayesys: 1 for the true graph, 0 for the empty one, half credit for an edge with
        another direction.
    degree : float
        Mean number of edges per node of the learned graph.
    skeleton : Agreement
        Agreement on adjacent pairs, whatever the marks.
    arrowheads : Agreement
        Agreement on directed edges: a -> b is in both only if both have a -> b. An undirected edge has no head.
    sid : int or None
        Structural intervention distance, if requested: the number of ordered pairs (x, y) for which the learned DAG
        gives another effect of an intervention on x on y than the true one. At most n (n - 1).
    edges : tuple of EdgeDifference
        Every edge that differs, sorted by name.
    learned, true : DAG or PDAG
        The graphs as they were compared.
    """

    tp: int
    fp: int
    fn: int
    precision: float
    recall: float
    f1: float
    shd: int
    bsf: float
    degree: float
    skeleton: Agreement
    arrowheads: Agreement
    sid: int | None
    edges: tuple[EdgeDifference, ...] = field(repr=False)
    learned: Graph = field(repr=False, compare=False)
    true: Graph = field(repr=False, compare=False)

    def __str__(self) -> str:
        summary = (
            f"F1 {self.f1:.4f}, precision {self.precision:.4f}, recall {self.recall:.4f}, "
            f"SHD {self.shd}, BSF {self.bsf:.4f}, degree {self.degree:.2f}"
        )
        counts = f"{self.tp} edges as in the true graph, {self.fp} that are not, {self.fn} true ones not found"
        parts = [f"skeleton: {self.skeleton}", f"arrowheads: {self.arrowheads}"]
        if self.sid is not None:
            summary += f", SID {self.sid}"
        return "\n".join([summary, counts, *parts, *(f"  {edge}" for edge in self.edges)])

    def to_dict(self) -> dict[str, Any]:
        """Return all figures and the edges that differ, in types that JSON has."""
        figures = {
            figure.name: getattr(self, figure.name) for figure in fields(self) if figure.name not in ("learned", "true")
        }
        return {
            **figures,
            "skeleton": asdict(self.skeleton),
            "arrowheads": asdict(self.arrowheads),
            "edges": [edge._asdict() for edge in self.edges],
        }

    def plot(
        self, path: str | os.PathLike[str] | None = None, *, layout: LayoutName = "auto", force: bool = False
    ) -> Figure:
        """Draw both graphs in one picture: correct, misdirected, extra and missing edges. Needs matplotlib.

        Parameters
        ----------
        path, layout, force
            As in `DAG.plot`.

        Returns
        -------
        matplotlib.figure.Figure
            Displayed by notebooks.
        """
        return self._drawing().plot(path, layout, force=force)

    def _repr_svg_(self) -> str:
        """Return an SVG for notebooks, without matplotlib."""
        return self._drawing().svg()

    def _drawing(self) -> Drawing:
        plotting = imported("stablebn.plotting.graph_plot")
        title = f"F1 {self.f1:.4f}, precision {self.precision:.4f}, recall {self.recall:.4f}, SHD {self.shd}"
        return cast("Drawing", plotting.drawing_of_comparison(self.learned, self.true, title=title))


def compare(learned: object, true: object, *, as_cpdag: bool = True, sid: bool = False) -> Comparison:
    """Compare a learned graph with the true one; nodes are matched by name.

    Parameters
    ----------
    learned, true : DAG, PDAG, learned result or networkx graph
        A learned result is an object whose attribute `dag` is a DAG.
    as_cpdag : bool
        Compare the CPDAGs of both graphs; otherwise the edges as they are.
    sid : bool
        Whether to compute the structural intervention distance, of the DAGs as they are. Needs the extra `sid`.

    Returns
    -------
    Comparison
        Counts, ratios and the edges that differ. In the balanced scoring function a term with a zero denominator (a
        true graph without edges, or without a non-adjacent pair) counts as 0.

    Raises
    ------
    GraphError
        The graphs have different nodes, no DAG extends a PDAG (`as_cpdag`), or a graph is not a DAG (`sid`).

    Examples
    --------
    >>> from stablebn.graph import DAG
    >>> chain = DAG("abc", [("a", "b"), ("b", "c")])
    >>> collider = DAG("abc", [("a", "b"), ("c", "b")])
    >>> compare(chain, collider).edges[0]
    EdgeDifference(a='a', b='b', learned='--', true='->')
    """
    learned_graph, true_graph = as_graph(learned), as_graph(true)
    _check_same_nodes(learned_graph, true_graph)
    distance = structural_intervention_distance(learned_graph, true_graph) if sid else None
    if as_cpdag:
        learned_graph, true_graph = _class_of(learned_graph, "learned"), _class_of(true_graph, "true")
    rank = rank_names(learned_graph.nodes)
    learned_marks, true_marks = edge_marks(learned_graph, rank), edge_marks(true_graph, rank)

    pairs = sorted_edges({**learned_marks, **true_marks}, rank)
    edges = tuple(EdgeDifference(a, b, learned_marks.get((a, b), ""), true_marks.get((a, b), "")) for a, b in pairs)
    differing = tuple(edge for edge in edges if edge.learned != edge.true)
    tp = len(edges) - len(differing)
    fp, fn = len(learned_marks) - tp, len(true_marks) - tp
    return Comparison(
        tp=tp,
        fp=fp,
        fn=fn,
        precision=_ratio(tp, tp + fp),
        recall=_ratio(tp, tp + fn),
        f1=_ratio(2 * tp, 2 * tp + fp + fn),
        shd=len(differing),
        bsf=_balanced_score(edges, len(learned_graph.nodes)),
        degree=learned_graph.degree,
        skeleton=_agreement(learned_marks, true_marks),
        arrowheads=_agreement(_heads(learned_marks), _heads(true_marks)),
        sid=distance,
        edges=differing,
        learned=learned_graph,
        true=true_graph,
    )


def _class_of(graph: Graph, which: str) -> PDAG:
    """Return the CPDAG of a graph, or raise a `GraphError` with advice if there is none."""
    if isinstance(graph, PDAG) and not graph.is_extendable:
        raise GraphError(
            f"no DAG extends the {which} graph without a cycle or a new v-structure, so it has no CPDAG. Use "
            "as_cpdag=False (command line: --as-they-are) to compare the edges as they are; the figures "
            "include skeleton and arrowheads."
        )
    return graph.cpdag()


def _agreement(learned: Collection[object], true: Collection[object]) -> Agreement:
    tp = len(set(learned) & set(true))
    fp, fn = len(learned) - tp, len(true) - tp
    return Agreement(tp, fp, fn, _ratio(tp, tp + fp), _ratio(tp, tp + fn), _ratio(2 * tp, 2 * tp + fp + fn))


def _heads(marks: Mapping[Edge, str]) -> list[tuple[Edge, str]]:
    return [(pair, mark) for pair, mark in marks.items() if mark != "--"]


def _check_same_nodes(learned: Graph, true: Graph) -> None:
    learned_names, true_names = set(learned.nodes), set(true.nodes)
    if learned_names != true_names:
        differences = [
            f"only in the {which} graph: {listed(sorted(names, key=name_key))}"
            for which, names in (("learned", learned_names - true_names), ("true", true_names - learned_names))
            if names
        ]
        raise GraphError(f"graphs to compare must have the same nodes; {'; '.join(differences)}.")


def edge_marks(graph: Graph, rank: Mapping[Node, int]) -> dict[Edge, str]:
    """Return the mark of every edge by its sorted pair of names."""
    directed, undirected = edges_by_kind(graph)
    forward = {(a, b): "->" for a, b in directed if rank[a] < rank[b]}
    backward = {(b, a): "<-" for a, b in directed if rank[a] > rank[b]}
    return forward | backward | dict.fromkeys(undirected, "--")


def _ratio(part: float, total: float) -> float:
    return part / total if total else 0.0


def _balanced_score(edges: tuple[EdgeDifference, ...], n: int) -> float:
    """Return the balanced scoring function; `edges` are all pairs that are adjacent in either graph."""
    present = sum(edge.true != "" for edge in edges)
    absent = n * (n - 1) // 2 - present
    shared = [edge for edge in edges if edge.learned and edge.true]
    right = sum(edge.true in (edge.learned, "--") for edge in shared)
    half = len(shared) - right
    missed = present - right - half / 2
    extra = sum(edge.true == "" for edge in edges)
    return 0.5 * (
        _ratio(right + half / 2, present)
        + _ratio(absent - extra, absent)
        - _ratio(extra, absent)
        - _ratio(missed, present)
    )
