from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.formats.samples import (
    CATEGORICAL_ENDINGS,
    ENDINGS_OF_ANY_KIND,
    HEIGHT,
    MIXED,
    NETWORK_FILES,
    RAIN,
    WITH_SHARED,
    read_text,
    same_bits,
    shared_network,
)
from tests.networks import KNOWN_NETWORKS

import stablebn as sb
from stablebn.errors import GraphError, OptionError
from stablebn.networks import read_network
from stablebn.networks.formats import encode, network_text, read_graph_file, read_network_file
from stablebn.networks.model import CPT, LinearGaussian, Network


def with_names(names: list[str], levels: list[str]) -> Network:
    """Make a network in which the first name is the parent of the second."""
    uniform = np.full((len(levels), len(levels)), 1 / len(levels))
    return Network(
        {
            names[0]: CPT(tuple(levels), (), uniform[0]),
            names[1]: CPT(tuple(levels), (names[0],), uniform),
        }
    )


@WITH_SHARED
@pytest.mark.parametrize("path", NETWORK_FILES, ids=lambda path: path.name)
@pytest.mark.parametrize("ending", CATEGORICAL_ENDINGS)
def test_shared_networks_keep_every_bit_in_every_format(path: Path, ending: str) -> None:
    _assert_kept(shared_network(path), ending)


@pytest.mark.parametrize("name", KNOWN_NETWORKS)
@pytest.mark.parametrize("ending", CATEGORICAL_ENDINGS)
def test_known_networks_keep_every_bit_in_every_format(name: str, ending: str) -> None:
    _assert_kept(read_network(name), ending)


def _assert_kept(network: Network, ending: str) -> None:
    if network.kind != "categorical" and ending not in ENDINGS_OF_ANY_KIND:
        with pytest.raises(GraphError, match=rf"{network.kind}: write it as '\.json' or '\.xdsl'"):
            network_text(network, ending)
    else:
        back = read_text(network_text(network, ending), ending)
        assert same_bits(back, network)
        assert back.name == network.name


@pytest.mark.parametrize("name", ["alarm", "insurance"])
def test_a_chain_through_all_formats_changes_nothing(name: str) -> None:
    first = network = read_network(name)
    for ending in CATEGORICAL_ENDINGS:
        network = read_text(network_text(network, ending), ending)
    assert same_bits(network, first)
    assert network_text(network, ".bif") == network_text(first, ".bif")


@pytest.mark.parametrize("ending", CATEGORICAL_ENDINGS)
def test_nodes_keep_their_order_though_children_come_first(ending: str) -> None:
    back = read_text(network_text(RAIN, ending), ending)
    assert same_bits(back, RAIN)
    assert back.name == "garden"


@pytest.mark.parametrize("network", [HEIGHT, MIXED, sb.random_network(12, density=2.5, kinds="mixed", seed=5)])
@pytest.mark.parametrize("ending", CATEGORICAL_ENDINGS)
def test_continuous_and_mixed_networks_keep_every_bit_or_are_refused(ending: str, network: Network) -> None:
    _assert_kept(network, ending)


def test_json_keeps_names_and_cut_points() -> None:
    levels = ("1: below 1.5", "2: 1.5 or more")
    network = Network({"a b": CPT(levels, (), np.array([0.25, 0.75]))}, "bins", cuts={"a b": (1.5,)})
    back = read_text(network_text(network, ".json"), ".json")
    assert (back.name, back.cuts) == ("bins", {"a b": (1.5,)})
    assert same_bits(back, network)


def test_a_mixed_network_with_any_name_is_held_by_json_alone() -> None:
    network = Network({"two words": MIXED["sex"], "age": MIXED["age"]})
    assert same_bits(read_text(network_text(network, ".json"), ".json"), network)
    with pytest.raises(GraphError, match="XDSL cannot hold a name like 'two words'"):
        network_text(network, ".xdsl")


@settings(max_examples=60)
@given(
    st.lists(st.text(max_size=5), min_size=2, max_size=2, unique=True),
    st.lists(st.text(max_size=5), min_size=1, max_size=4, unique=True),
)
@pytest.mark.parametrize("ending", CATEGORICAL_ENDINGS)
def test_names_come_back_or_are_refused(ending: str, names: list[str], levels: list[str]) -> None:
    network = with_names(names, levels)
    try:
        text = network_text(network, ending)
    except GraphError as error:
        assert "cannot hold" in str(error)  # noqa: PT017
    else:
        assert same_bits(read_text(text, ending), network)


@pytest.mark.parametrize(
    "name", ["two words", "a;b", "(x)", "a//b", "50%", "x|y", "ümlaut ☃", "table", "<&>", "it's", ""]
)
def test_bif_and_xmlbif_hold_any_readable_name(name: str) -> None:
    network = with_names([name, "other"], [name, "default"])
    for ending in (".bif", ".xml"):
        assert same_bits(read_text(network_text(network, ending), ending), network)


@pytest.mark.parametrize("ending", [".net", ".xdsl"])
def test_names_with_spaces_are_refused_where_nothing_quotes_them(ending: str) -> None:
    with pytest.raises(GraphError, match=r"cannot hold a name like 'two words': rename it"):
        network_text(with_names(["two words", "b"], ["x", "y"]), ending)


@pytest.mark.parametrize("ending", [ending for ending in CATEGORICAL_ENDINGS if ending != ".json"])
def test_names_and_levels_that_are_not_text_are_refused_where_only_text_fits(ending: str) -> None:
    with pytest.raises(GraphError, match="cannot hold a level like 0, 1"):
        network_text(Network({"a": CPT((0, 1), (), np.array([0.5, 0.5]))}), ending)
    with pytest.raises(GraphError, match="cannot hold a name like 7"):
        network_text(Network({7: CPT(("x", "y"), (), np.array([0.5, 0.5]))}), ending)


def test_a_name_that_no_equation_can_hold_is_refused() -> None:
    with pytest.raises(GraphError, match=r"'YR\.GLASS', 'Normal'"):
        network_text(Network(dict.fromkeys(["YR.GLASS", "Normal"], LinearGaussian((), (), 0.0, 1.0))), ".xdsl")


def test_an_unknown_format_to_write_is_an_option_error() -> None:
    with pytest.raises(OptionError, match=r"no format to write.*'\.bif'"):
        network_text(RAIN, ".docx")


@pytest.mark.parametrize("ending", [*CATEGORICAL_ENDINGS, ".BIF"])
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_files_plain_and_packed_are_read_by_their_ending(ending: str, packed: str, tmp_path: Path) -> None:
    path = tmp_path / f"net{ending}{packed}"
    path.write_bytes(encode(network_text(RAIN, ending), path.name))
    assert same_bits(read_network_file(path), RAIN)
    assert read_graph_file(str(path)) == RAIN.dag


def test_packed_bytes_are_the_same_every_time() -> None:
    assert encode("text", "net.bif.gz") == encode("text", "other.bif.gz")
    assert encode("text", "net.bif.gz")[4:8] == bytes(4), "a time stamp"
