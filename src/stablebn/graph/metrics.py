"""How far a learned graph is from the true one (specification, section 6)."""

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
    """A pair of nodes whose edge is not the same in both graphs.

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
    """What two graphs share of one thing: adjacent pairs, or arrowheads.

    Attributes
    ----------
    tp, fp, fn : int
        How many both graphs have, only the learned one, and only the true one.
    precision, recall, f1 : float
        Their usual ratios, 0.0 where the denominator is zero.
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
        Learned edges, and true edges, that are not among `tp`: an edge with different marks is in both.
    precision, recall, f1 : float
        Their usual ratios, 0.0 where the denominator is zero.
    shd : int
        Structural Hamming distance: extra, missing and differently marked edges.
    bsf : float
        Balanced scoring function in the Bayesys counting: 1 for the true graph, 0 for the empty one, half credit for an
        edge with another direction.
    degree : float
        Mean number of edges at a node of the learned graph.
    skeleton : Agreement
        On which pairs are adjacent, whatever the marks.
    arrowheads : Agreement
        On directed edges: a -> b is in both only if it goes from a to b in both. An undirected edge has no head.
    sid : int or None
        Structural intervention distance, if it was asked for: for how many ordered pairs (x, y) the learned DAG gives
        another effect of an intervention at x on y than the true one. At most n (n - 1).
    edges : tuple of EdgeDifference
        Every edge that differs, sorted by the names.
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
        """All figures and the edges that differ, in types that JSON has."""
        figures = {own.name: getattr(self, own.name) for own in fields(self) if own.name not in ("learned", "true")}
        return {
            **figures,
            "skeleton": asdict(self.skeleton),
            "arrowheads": asdict(self.arrowheads),
            "edges": [edge._asdict() for edge in self.edges],
        }

    def plot(
        self, path: str | os.PathLike[str] | None = None, *, layout: LayoutName = "auto", force: bool = False
    ) -> Figure:
        """Draw both graphs over each other: what is right, otherwise directed, extra, and not found; needs matplotlib.

        Parameters
        ----------
        path, layout, force
            As in `DAG.plot`.

        Returns
        -------
        matplotlib.figure.Figure
            Notebooks show it.
        """
        return self._drawing().plot(path, layout, force=force)

    def _repr_svg_(self) -> str:
        """What notebooks show; it needs no matplotlib."""
        return self._drawing().svg()

    def _drawing(self) -> Drawing:
        plotting = imported("stablebn.plotting.graph_plot")
        title = f"F1 {self.f1:.4f}, precision {self.precision:.4f}, recall {self.recall:.4f}, SHD {self.shd}"
        return cast("Drawing", plotting.drawing_of_comparison(self.learned, self.true, title=title))


def compare(learned: object, true: object, *, as_cpdag: bool = True, sid: bool = False) -> Comparison:
    """Compare a learned graph with the true one, nodes matched by name.

    Parameters
    ----------
    learned, true : DAG, PDAG, learned result or networkx graph
        A learned result is an object whose attribute `dag` is a DAG.
    as_cpdag : bool
        Compare the CPDAGs of both graphs; otherwise the edges as they stand.
    sid : bool
        Whether to tell the structural intervention distance too: always of the DAGs as they stand. It needs the extra
        `sid`.

    Returns
    -------
    Comparison
        Counts, ratios and the edges that differ. In the balanced scoring function a term with a zero
        denominator (a true graph without edges, or without a non-adjacent pair) counts as 0.

    Raises
    ------
    GraphError
        If the graphs have different nodes, `as_cpdag` meets a PDAG that no DAG extends, or `sid` one that is no DAG.

    Examples
    --------
    >>> from stablebn.graph import DAG
    >>> chain = DAG("abc", [("a", "b"), ("b", "c")])
    >>> collider = DAG("abc", [("a", "b"), ("c", "b")])
    >>> compare(chain, collider).edges[0]
    EdgeDifference(a='a', b='b', learned='--', true='->')
    """
    found, target = as_graph(learned), as_graph(true)
    _check_same_nodes(found, target)
    distance = structural_intervention_distance(found, target) if sid else None
    if as_cpdag:
        found, target = _class_of(found, "learned"), _class_of(target, "true")
    rank = rank_names(found.nodes)
    ours, theirs = edge_marks(found, rank), edge_marks(target, rank)

    pairs = sorted_edges({**ours, **theirs}, rank)
    edges = tuple(EdgeDifference(a, b, ours.get((a, b), ""), theirs.get((a, b), "")) for a, b in pairs)
    differing = tuple(edge for edge in edges if edge.learned != edge.true)
    tp = len(edges) - len(differing)
    fp, fn = len(ours) - tp, len(theirs) - tp
    return Comparison(
        tp=tp,
        fp=fp,
        fn=fn,
        precision=_ratio(tp, tp + fp),
        recall=_ratio(tp, tp + fn),
        f1=_ratio(2 * tp, 2 * tp + fp + fn),
        shd=len(differing),
        bsf=_balanced_score(edges, len(found.nodes)),
        degree=found.degree,
        skeleton=_agreement(ours, theirs),
        arrowheads=_agreement(_heads(ours), _heads(theirs)),
        sid=distance,
        edges=differing,
        learned=found,
        true=target,
    )


def _class_of(graph: Graph, which: str) -> PDAG:
    """The CPDAG of a graph; where there is none, what to do is said."""
    if isinstance(graph, PDAG) and not graph.is_extendable:
        raise GraphError(
            f"no DAG extends the {which} graph without a cycle or a new v-structure, so it has no CPDAG. Say "
            "as_cpdag=False (command line: --as-they-are) to compare the edges as they stand, skeleton and arrowheads "
            "among the figures."
        )
    return graph.cpdag()


def _agreement(ours: Collection[object], theirs: Collection[object]) -> Agreement:
    tp = len(set(ours) & set(theirs))
    fp, fn = len(ours) - tp, len(theirs) - tp
    return Agreement(tp, fp, fn, _ratio(tp, tp + fp), _ratio(tp, tp + fn), _ratio(2 * tp, 2 * tp + fp + fn))


def _heads(marks: Mapping[Edge, str]) -> list[tuple[Edge, str]]:
    return [(pair, mark) for pair, mark in marks.items() if mark != "--"]


def _check_same_nodes(learned: Graph, true: Graph) -> None:
    ours, theirs = set(learned.nodes), set(true.nodes)
    if ours != theirs:
        found = [
            f"only in the {which} graph: {listed(sorted(names, key=name_key))}"
            for which, names in (("learned", ours - theirs), ("true", theirs - ours))
            if names
        ]
        raise GraphError(f"graphs to compare must have the same nodes; {'; '.join(found)}.")


def edge_marks(graph: Graph, rank: Mapping[Node, int]) -> dict[Edge, str]:
    """Mark of every edge, by its pair of names in sorted order."""
    directed, undirected = edges_by_kind(graph)
    forward = {(a, b): "->" for a, b in directed if rank[a] < rank[b]}
    backward = {(b, a): "<-" for a, b in directed if rank[a] > rank[b]}
    return forward | backward | dict.fromkeys(undirected, "--")


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _balanced_score(edges: tuple[EdgeDifference, ...], n: int) -> float:
    """Balanced scoring function; `edges` are all pairs that are adjacent in either graph."""
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
