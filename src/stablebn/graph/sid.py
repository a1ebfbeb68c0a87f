"""Structural intervention distance: how many intervention effects a learned DAG gets wrong."""

from __future__ import annotations

from typing import Any

from stablebn.errors import GraphError, MissingExtraError
from stablebn.graph.convert import Graph, to_adjacency
from stablebn.graph.dag import DAG


def structural_intervention_distance(learned: Graph, true: Graph) -> int:
    """Return the number of ordered pairs (x, y) for which the learned DAG gives a wrong effect of x on y.

    The effect is computed by adjusting for the parents of x in the learned DAG; if y is one of them, x has no effect on
    y. The true DAG decides whether this is correct for every distribution. Computed by the package gadjid.

    Parameters
    ----------
    learned, true : DAG
        With the same nodes.

    References
    ----------
    Peters and Bühlmann, "Structural intervention distance for evaluating causal graphs", Neural Computation 2015.
    Henckel, Würtzen and Weichwald, "Adjustment identification distance", UAI 2024.
    """
    for which, graph in (("learned", learned), ("true", true)):
        if not isinstance(graph, DAG):
            raise GraphError(
                f"the structural intervention distance is between DAGs, and the {which} graph has undirected edges. "
                "Give a DAG, such as one that extends it (`extension()`, `stablebn learn --dag`), or leave out sid."
            )
    try:
        import gadjid
    except ImportError:
        raise MissingExtraError("gadjid", "sid") from None
    learned_matrix = to_adjacency(learned, backend="numpy")
    index = {node: number for number, node in enumerate(learned.nodes)}
    order = [index[node] for node in true.nodes]
    mistakes: Any = gadjid.sid(
        to_adjacency(true, backend="numpy"), learned_matrix[order][:, order], edge_direction="from row to column"
    )
    return int(mistakes[1])
