"""Networks with parameters: model, files, catalogue, sampling, fitting, and export to other packages."""

from stablebn.networks.catalogue import graph_of, known_networks, read_graph, read_network
from stablebn.networks.model import CPT, ConditionalGaussian, LinearGaussian, Network
from stablebn.networks.random import random_network

__all__ = [
    "CPT",
    "ConditionalGaussian",
    "LinearGaussian",
    "Network",
    "graph_of",
    "known_networks",
    "random_network",
    "read_graph",
    "read_network",
]
