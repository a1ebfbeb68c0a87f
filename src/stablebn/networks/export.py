"""Export networks as models of other packages."""

from __future__ import annotations

from typing import Any

import numpy as np

from stablebn.errors import GraphError, MissingExtraError
from stablebn.networks.model import CPT, LinearGaussian, Network


def to_pgmpy(network: Network) -> Any:
    """Return a pgmpy `DiscreteBayesianNetwork` or `LinearGaussianBayesianNetwork`; pgmpy has no mixed networks."""
    if network.kind == "mixed":
        raise GraphError("pgmpy has no networks of categorical and continuous nodes; this network is mixed.")
    try:
        from pgmpy.factors.continuous import LinearGaussianCPD
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.models import DiscreteBayesianNetwork, LinearGaussianBayesianNetwork
    except ImportError:
        raise MissingExtraError("pgmpy", "networks") from None
    model = (LinearGaussianBayesianNetwork if network.is_continuous else DiscreteBayesianNetwork)(network.arcs)
    model.add_nodes_from(network.nodes)
    for node, own in network.items():
        if isinstance(own, LinearGaussian):
            model.add_cpds(
                LinearGaussianCPD(node, [own.intercept, *own.coefficients], own.sd, evidence=list(own.parents))
            )
            continue
        assert isinstance(own, CPT)
        # Columns are the configurations of the parents, rows the levels of the node.
        columns = own.probabilities.reshape(-1, len(own.levels)).T
        columns = columns / columns.sum(axis=0)
        shape = own.probabilities.shape
        states = {name: list(_levels(network, name)) for name in (node, *own.parents)}
        model.add_cpds(
            TabularCPD(
                node, shape[-1], columns, evidence=list(own.parents), evidence_card=shape[:-1], state_names=states
            )
        )
    return model


def to_pyagrum(network: Network) -> Any:
    """Return a pyAgrum `BayesNet`, which can have only categorical nodes.

    This conversion, and BIF and NET files, keep the network unchanged. From an XDSL file, pyAgrum 3.3.1 reads the
    parents of every node in reverse order without a warning: it expects the first parent to change fastest, while in
    GeNIe's format the last one does.
    """
    if network.kind != "categorical":
        raise GraphError(f"a pyAgrum BayesNet has no linear Gaussians; this network is {network.kind}.")
    try:
        import pyagrum as gum
    except ImportError:
        raise MissingExtraError("pyagrum", "pyagrum") from None
    model = gum.BayesNet(network.name)
    for node in network.nodes:
        model.add(gum.LabelizedVariable(str(node), str(node), [str(level) for level in _levels(network, node)]))
    for source, target in network.arcs:
        model.addArc(str(source), str(target))
    for node, own in network.items():
        assert isinstance(own, CPT)
        table = model.cpt(str(node))
        # pyAgrum's arrays have the variables in reverse order, and must be contiguous.
        axes = [str(name) for name in (*own.parents, node)]
        order = [axes.index(name) for name in reversed(table.names)]
        table[:] = np.ascontiguousarray(np.transpose(own.probabilities, order))
    return model


def _levels(network: Network, name: object) -> tuple[object, ...]:
    own = network[name]
    assert isinstance(own, CPT)
    return own.levels
