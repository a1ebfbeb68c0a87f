"""Graphs: DAGs, PDAGs and CPDAGs, Meek's rules, comparison and conversion."""

from stablebn.graph.compare import Agreement, Comparison, EdgeDifference, compare
from stablebn.graph.convert import (
    as_graph,
    from_adjacency,
    from_edge_list,
    from_networkx,
    to_adjacency,
    to_csv,
    to_dot,
    to_edge_list,
    to_graphml,
    to_json_dict,
    to_networkx,
)
from stablebn.graph.dag import DAG
from stablebn.graph.meek import meek_closure
from stablebn.graph.pdag import PDAG
from stablebn.graph.separation import d_separated, markov_blanket, markov_equivalent

__all__ = [
    "DAG",
    "PDAG",
    "Agreement",
    "Comparison",
    "EdgeDifference",
    "as_graph",
    "compare",
    "d_separated",
    "from_adjacency",
    "from_edge_list",
    "from_networkx",
    "markov_blanket",
    "markov_equivalent",
    "meek_closure",
    "to_adjacency",
    "to_csv",
    "to_dot",
    "to_edge_list",
    "to_graphml",
    "to_json_dict",
    "to_networkx",
]
