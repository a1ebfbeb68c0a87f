"""Other tools, where they are installed, read the files written here and find the same probabilities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.formats.samples import NETWORK_FILES, RAIN

from stablebn.networks.formats import network_text, read_network_file
from stablebn.networks.model import CPT, Network

NETWORKS = {
    "rain": RAIN,
    **{
        path.stem: read_network_file(path)
        for path in NETWORK_FILES
        if path.name in ("asia.dsc", "alarm.dsc", "water.dsc")
    },
}


def cpts(network: Network) -> list[tuple[str, CPT]]:
    return [(str(node), own) for node, own in network.items() if isinstance(own, CPT)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
@pytest.mark.parametrize(
    ("ending", "reader"),
    [(".bif", "BIFReader"), (".xml", "XMLBIFReader"), (".net", "NETReader"), (".xdsl", "XDSLReader")],
)
def test_pgmpy_finds_the_same_probabilities(network: Network, ending: str, reader: str, tmp_path: Path) -> None:
    pgmpy = pytest.importorskip("pgmpy.readwrite")
    path = tmp_path / f"net{ending}"
    path.write_text(network_text(network, ending))
    model: Any = getattr(pgmpy, reader)(str(path)).get_model()
    assert sorted(model.nodes()) == sorted(map(str, network))
    for node, own in cpts(network):
        found = model.get_cpds(node)
        assert tuple(found.state_names[node]) == own.levels
        # pgmpy puts the node first, then the parents in an order of its own.
        axes = [(*own.parents, node).index(name) for name in found.variables]
        np.testing.assert_allclose(found.values, own.probabilities.transpose(axes), atol=1e-12)


# Not XDSL: pyAgrum has the first parent change fastest where GeNIe has the last.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
@pytest.mark.parametrize("ending", [".bif", ".bifxml", ".net"])
def test_pyagrum_finds_the_same_probabilities(network: Network, ending: str, tmp_path: Path) -> None:
    pyagrum = pytest.importorskip("pyagrum")
    path = tmp_path / f"net{ending}"
    path.write_text(network_text(network, ending.replace("bifxml", "xml")))
    model: Any = pyagrum.loadBN(str(path))
    for node, own in cpts(network):
        found = model.cpt(node)
        assert tuple(model.variable(node).labels()) == own.levels
        axes = [(*own.parents, node).index(name) for name in reversed(found.names)]
        np.testing.assert_allclose(found.toarray(), own.probabilities.transpose(axes), atol=1e-6)
