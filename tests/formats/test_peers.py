"""Other packages, if installed, read the files of stablebn and get the same probabilities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyagrum
import pytest
from tests.formats.samples import NETWORK_FILES, RAIN

from stablebn.errors import FormatError, GraphError
from stablebn.networks.formats import bif, names_in_file, network_text, read_network_file
from stablebn.networks.model import CPT, LinearGaussian, Network

NETWORKS = {
    "rain": RAIN,
    **{
        path.stem: read_network_file(path)
        for path in NETWORK_FILES
        if path.name in ("asia.dsc", "alarm.dsc", "water.dsc")
    },
}

READERS = {".bif": "BIFReader", ".xml": "XMLBIFReader", ".net": "NETReader", ".xdsl": "XDSLReader"}


def cpts(network: Network) -> list[tuple[str, CPT]]:
    return [(str(node), own) for node, own in network.items() if isinstance(own, CPT)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "ending", "reader"),
    [
        # pgmpy takes 20 s to read the large tables of water from this format.
        pytest.param(name, ending, reader, marks=pytest.mark.slow if (name, ending) == ("water", ".net") else ())
        for ending, reader in READERS.items()
        for name in NETWORKS
    ],
)
def test_pgmpy_finds_the_same_probabilities(name: str, ending: str, reader: str, tmp_path: Path) -> None:
    network = NETWORKS[name]
    pgmpy = pytest.importorskip("pgmpy.readwrite")
    path = tmp_path / f"net{ending}"
    path.write_text(network_text(network, ending))
    model: Any = getattr(pgmpy, reader)(str(path)).get_model()
    assert sorted(model.nodes()) == sorted(map(str, network))
    for node, own in cpts(network):
        found = model.get_cpds(node)
        assert tuple(found.state_names[node]) == own.levels
        # pgmpy puts the node first, then the parents in its own order.
        axes = [(*own.parents, node).index(name) for name in found.variables]
        np.testing.assert_allclose(found.values, own.probabilities.transpose(axes), atol=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
@pytest.mark.parametrize("ending", [".bif", ".bifxml", ".net"])
def test_pyagrum_finds_the_same_probabilities(network: Network, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"net{ending}"
    path.write_text(network_text(network, ending.replace("bifxml", "xml")))
    model: Any = pyagrum.loadBN(str(path))
    for node, own in cpts(network):
        found = model.cpt(node)
        assert tuple(model.variable(node).labels()) == own.levels
        axes = [(*own.parents, node).index(name) for name in reversed(found.names)]
        np.testing.assert_allclose(found.toarray(), own.probabilities.transpose(axes), atol=1e-6)


def test_pyagrum_takes_the_parents_of_xdsl_in_reverse(tmp_path: Path) -> None:
    """The documentation warns of this. If this test fails, pyAgrum was fixed: update the docs and the XDSL reader."""
    network = Network(
        {
            "a": CPT(("yes", "no"), (), np.array([0.25, 0.75])),
            "b": CPT(("low", "mid", "high"), (), np.array([0.25, 0.25, 0.5])),
            "c": CPT(("on", "off"), ("a", "b"), np.array(HALVES)),
        }
    )
    (tmp_path / "ours.xdsl").write_text(network_text(network, ".xdsl"))
    right = np.asarray(HALVES)
    found = _probabilities_of_c(pyagrum.loadBN(str(tmp_path / "ours.xdsl")))
    assert not np.allclose(found, right)
    np.testing.assert_allclose(found, right.reshape(3, 2, 2).transpose(1, 0, 2), atol=1e-6)
    # Files of pyAgrum are read in its own order of parents.
    model = network.to_pyagrum()
    np.testing.assert_allclose(_probabilities_of_c(model), right)
    pyagrum.saveBN(model, str(tmp_path / "theirs.xdsl"))
    back = read_network_file(tmp_path / "theirs.xdsl")["c"]
    assert isinstance(back, CPT)
    axes = [back.parents.index(name) for name in ("a", "b")]
    np.testing.assert_allclose(back.probabilities.transpose([*axes, 2]), right, atol=1e-5)


HALVES = [[[i / 8, 1 - i / 8] for i in row] for row in ([1, 2, 3], [4, 5, 6])]


def _probabilities_of_c(model: Any) -> Any:
    table = model.cpt("c")
    order = list(reversed(table.names))
    return np.transpose(table.toarray(), [order.index(name) for name in ("a", "b", "c")])


# Nodes, and levels of each.
ODD = {
    "my node": ("very low", "very  high", "very_low"),
    "sepal length (cm)": ("[0, 1.5)", "[1.5, 3]", "(3]"),
    "température": ("é", "è", "e", "ß", "中"),
    "temperature": ("<5", ">=5", "5%", "a/b", "it's", 'say "hi"', "//", "/*", "a;b", "{x}", "|"),
    "table1": ("-1", "0", "1", "1.5", "1e5", "007", "5.3_5.5"),
    "12": ("table", "default", "type", "", "table1", "property"),
    "a-b.c": ("yes", "no"),
    "type": ("yes", "no"),
}


@pytest.mark.filterwarnings("ignore")
def test_bif_with_odd_names_is_read_by_all(tmp_path: Path) -> None:
    from pgmpy.readwrite import BIFReader

    rng = np.random.default_rng(1)
    families = [(node, tuple(ODD)[max(0, place - 1) : place]) for place, node in enumerate(ODD)]
    network = Network(
        {
            node: CPT(ODD[node], parents, rng.dirichlet(np.ones(len(ODD[node])), [len(ODD[own]) for own in parents]))
            for node, parents in families
        },
        "an odd (name)",
    )
    path = tmp_path / "odd.bif"
    told = network.write(path)
    assert told is not None
    assert told.code == "renamed"
    assert "'sepal length (cm)' as sepal_length_cm" in told.message
    back = read_network_file(path)
    assert back == network
    assert back.name == network.name
    theirs: Any = BIFReader(str(path)).get_model()
    ours: Any = pyagrum.loadBN(str(path))
    names = {**{name: name for name in ODD}, **bif.written_names(network).nodes}
    for node, own in cpts(network):
        axes = [names[str(name)] for name in (*own.parents, node)]
        found = theirs.get_cpds(names[node])
        states = found.state_names[names[node]]
        assert len(set(states)) == len(own.levels)
        of_pgmpy = found.values.transpose([found.variables.index(axis) for axis in axes])
        np.testing.assert_allclose(of_pgmpy, own.probabilities, atol=1e-12)
        table = ours.cpt(names[node])
        assert list(ours.variable(names[node]).labels()) == list(states)
        order = list(reversed(table.names))
        of_pyagrum = np.transpose(table[:], [order.index(axis) for axis in axes])
        np.testing.assert_allclose(of_pyagrum, own.probabilities, atol=1e-6)


def test_names_that_all_read_stay() -> None:
    for network in NETWORKS.values():
        assert "before they were" not in network_text(network, ".bif")
        assert names_in_file(network, ".bif") is None
    assert names_in_file(RAIN, ".xdsl") is None


def test_a_comment_with_names_that_is_wrong_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "odd.bif"
    Network({"my node": CPT(("a b", "c"), (), np.array([0.5, 0.5]))}).write(path)
    text = path.read_text()
    for wrong in ("nonsense", "[]", '{"nodes": {"a": 1}}', '{"levels": {"a": "b"}}'):
        path.write_text(text.replace(text.splitlines()[0], f"// names before they were written by stablebn: {wrong}"))
        with pytest.raises(FormatError, match="line 1: expected a JSON object"):
            read_network_file(path)


def test_a_gaussian_network_with_odd_names_comes_back(tmp_path: Path) -> None:
    names = ("sepal length (cm)", "sepal width (cm)", "größe [m/s²]")
    network = Network(
        {
            names[0]: LinearGaussian((), (), 5.8, 0.8),
            names[1]: LinearGaussian(names[:1], (-0.25,), 3.4, 0.4),
            names[2]: LinearGaussian(names[:2], (1.5, 0.1), -1.0, 0.3),
        }
    )
    assert network.write(tmp_path / "iris.json") is None
    assert read_network_file(tmp_path / "iris.json") == network
    with pytest.raises(GraphError, match=r"rename it, or write it as '\.json'"):
        network.write(tmp_path / "iris.xdsl")
