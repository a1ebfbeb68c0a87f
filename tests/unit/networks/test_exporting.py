"""Networks are exported to the real packages, which answer a query correctly."""

from __future__ import annotations

import logging
import warnings

import networkx as nx
import numpy as np
import pytest

import stablebn as sb

ASIA = sb.read_network("asia")
FITTED = sb.learn(ASIA.sample(500, seed=1)).fit(method="bde")


@pytest.mark.parametrize("network", [ASIA, FITTED])
def test_pgmpy_answers_a_query(network: sb.Network) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        from pgmpy.inference import VariableElimination

        model = network.to_pgmpy()
        assert model.check_model()
        answer = VariableElimination(model).query(
            ["lung"], evidence={"dysp": "yes", "xray": "yes"}, show_progress=False
        )
        logging.disable(logging.NOTSET)
    assert answer.get_value(lung="yes") == pytest.approx(_lung_given_symptoms(network), rel=1e-9)


@pytest.mark.parametrize("network", [ASIA, FITTED])
def test_pyagrum_answers_a_query(network: sb.Network) -> None:
    import pyagrum as gum

    # The model is kept in a variable, because pyAgrum's inference does not keep it alive.
    model = network.to_pyagrum()
    inference = gum.LazyPropagation(model)
    inference.setEvidence({"dysp": "yes", "xray": "yes"})
    posterior = inference.posterior("lung")
    assert posterior[{"lung": "yes"}] == pytest.approx(_lung_given_symptoms(network), rel=1e-9)


def test_pgmpy_takes_linear_gaussians() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        network = sb.random_network(5, density=1.5, continuous=True, seed=2)
        model = network.to_pgmpy()
        assert model.check_model()
        mean, covariance = model.to_joint_gaussian()
    sample = np.array([network.sample(200_000, seed=1)[str(name)].to_numpy() for name in nx.topological_sort(model)])
    assert np.allclose(mean, sample.mean(axis=1), atol=0.1)
    assert np.allclose(covariance, np.cov(sample), rtol=0.05, atol=0.1)


def test_others_refuse_mixed_networks() -> None:
    mixed = sb.random_network(4, kinds="mixed", seed=1)
    with pytest.raises(sb.GraphError, match="pgmpy has no networks of categorical and continuous nodes"):
        mixed.to_pgmpy()
    with pytest.raises(sb.GraphError, match="no linear Gaussians; this network is mixed"):
        mixed.to_pyagrum()


def test_pyagrum_refuses_linear_gaussians() -> None:
    with pytest.raises(sb.GraphError, match="continuous"):
        sb.random_network(3, continuous=True, seed=1).to_pyagrum()


def _lung_given_symptoms(network: sb.Network) -> float:
    """Compute P(lung | dysp, xray) by summing the joint distribution."""
    nodes = list(network)
    joint = np.ones([2] * len(nodes))
    for node, own in network.items():
        assert isinstance(own, sb.CPT)
        axes = [nodes.index(name) for name in (*own.parents, node)]
        shape = [2 if v in axes else 1 for v in range(len(nodes))]
        joint = joint * np.transpose(own.probabilities, np.argsort(axes)).reshape(shape)
    yes = {name: own.levels.index("yes") for name, own in network.items()}  # type: ignore[union-attr]
    for name in ("dysp", "xray"):
        joint = np.take(joint, [yes[name]], axis=nodes.index(name))
    lung = joint.sum(axis=tuple(v for v in range(len(nodes)) if nodes[v] != "lung"))
    return float(lung[yes["lung"]] / lung.sum())
