"""Graphs: DAGs, PDAGs and CPDAGs, Meek's rules, comparison and conversion."""

from stablebn.graph.compare import Comparison, EdgeDifference, compare
from stablebn.graph.convert import (
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

__all__ = [
    "DAG",
    "PDAG",
    "Comparison",
    "EdgeDifference",
    "compare",
    "from_adjacency",
    "from_edge_list",
    "from_networkx",
    "meek_closure",
    "to_adjacency",
    "to_csv",
    "to_dot",
    "to_edge_list",
    "to_graphml",
    "to_json_dict",
    "to_networkx",
]
