"""`stablebn.compare`: compare a learned graph with the true one."""

from __future__ import annotations

from stablebn.graph import Comparison
from stablebn.graph import compare as compare_graphs
from stablebn.options import checked_arguments, flag


@checked_arguments(as_cpdag=flag, sid=flag)
def compare(learned: object, true: object, *, as_cpdag: bool = True, sid: bool = False) -> Comparison:
    """Compare a learned graph with the true one; nodes are matched by name.

    Parameters
    ----------
    learned, true : DAG, PDAG, result, network, networkx graph, path or name
        The path of a file that `stablebn.read_graph` reads, or the name of a network, such as "alarm".
    as_cpdag : bool
        Compare the CPDAGs of both graphs; if false, compare the graphs themselves.
    sid : bool
        Compute the structural intervention distance too, always of the DAGs themselves. This needs the extra `sid`.

    Returns
    -------
    Comparison
        Counts and ratios for edges, the skeleton and arrowheads, and the edges that differ.

    Examples
    --------
    >>> import stablebn as sb
    >>> result = sb.learn(sb.read_network("asia").sample(1000, seed=1))
    >>> found = sb.compare(result, "asia")
    >>> found.skeleton.precision, found.skeleton.recall
    (1.0, 0.875)
    """
    # Imported here because it takes time, and learning needs no file formats.
    from stablebn.networks import graph_of

    return compare_graphs(graph_of(learned), graph_of(true), as_cpdag=as_cpdag, sid=sid)
