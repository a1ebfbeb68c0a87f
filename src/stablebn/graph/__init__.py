"""Graphs: DAGs, PDAGs and CPDAGs, Meek's rules, d-separation, comparison and conversion."""

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
from stablebn.graph.d_separation import d_separated, markov_blanket, markov_equivalent
from stablebn.graph.dag import DAG
from stablebn.graph.meek import Reason, meek_closure, meek_reasons
from stablebn.graph.metrics import Agreement, Comparison, EdgeDifference, compare
from stablebn.graph.pdag import PDAG

__all__ = [
    "DAG",
    "PDAG",
    "Agreement",
    "Comparison",
    "EdgeDifference",
    "Reason",
    "as_graph",
    "compare",
    "d_separated",
    "from_adjacency",
    "from_edge_list",
    "from_networkx",
    "markov_blanket",
    "markov_equivalent",
    "meek_closure",
    "meek_reasons",
    "to_adjacency",
    "to_csv",
    "to_dot",
    "to_edge_list",
    "to_graphml",
    "to_json_dict",
    "to_networkx",
]
