"""From mutated real files, readers return a network or graph or raise FormatError, and nothing else."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.formats.samples import ENDINGS_OF_ANY_KIND, GRAPH_WRITE_ENDINGS, HEIGHT, MIXED, NETWORK_FILES, RAIN
from tests.formats.test_broken import DSC, JSON

from stablebn.errors import FormatError, GraphError
from stablebn.graph import DAG, PDAG
from stablebn.networks.formats import (
    GRAPH_READERS,
    NETWORK_READERS,
    NETWORK_WRITERS,
    graph_text,
    network_text,
    read_network_file,
)
from stablebn.networks.formats.parsing.text_files import decode
from stablebn.networks.model import Network

SMALL = [path for path in NETWORK_FILES if path.name in ("asia.dsc", "child.dsc", "sachs_c.xdsl")]
NETWORKS = [RAIN, HEIGHT, MIXED, *map(read_network_file, SMALL)]
GRAPHS: list[DAG | PDAG] = [RAIN.dag, PDAG(["c", "a b", "d"], [("a b", "c")], [("c", "d")])]

# What upsets readers: unbalanced marks, odd numbers, long ones, things of other formats, bytes that are not text.
PIECES = [
    *(bytes([mark]) for mark in b"\"'{}()[]<>;,|=:*/%#&\\+-\0\r\n\t ._0a\xff\xc3"),
    *(b"nan", b"-1", b"1e999", b"1e-320", b"0_1", b"9" * 5000, b"[" * 3000, b"\xed\xa0\x80", b"\\ud800", "é☃".encode()),
    *(
        b"//",
        b"/*",
        b"*/",
        b"->",
        b"--",
        b"table",
        b"default",
        b"Normal(0,1)",
        b"Choose(sex,",
        b'If(sex="f",',
        b"true",
        b"null",
        b'{"a": 1}',
        b"NaN",
    ),
    *(b'<!DOCTYPE a [<!ENTITY b "c">]>', b"&b;", b"&lt;", b"&#0;", b"<!--", b"<![CDATA[", b"<x/>", b"<a:b>"),
]

Mutation = tuple[str, int, int, bytes]
MUTATIONS = st.lists(
    st.tuples(
        st.sampled_from(["flip", "delete", "insert", "truncate", "swap", "repeat", "replace"]),
        st.integers(0, 2**20),
        st.integers(0, 2**20),
        st.sampled_from(PIECES),
    ),
    min_size=1,
    max_size=4,
)
FUZZED = settings(
    max_examples=800,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def mutated(content: bytes, mutations: Sequence[Mutation]) -> bytes:
    for kind, first, second, piece in mutations:
        at = first % (len(content) + 1)
        if kind == "flip":
            content = (
                content[:at] + bytes([content[at] ^ (1 << second % 8)] if at < len(content) else ()) + content[at + 1 :]
            )
        elif kind == "delete":
            content = content[:at] + content[at + 1 + second % 30 :]
        elif kind == "insert":
            content = content[:at] + piece + content[at:]
        elif kind == "truncate":
            content = content[:at]
        elif kind == "repeat":
            content = content[: at + second % 300] + content[at:]
        else:
            content = _with_words_changed(content, first, second, piece if kind == "replace" else None)
    return content


def _with_words_changed(content: bytes, first: int, second: int, piece: bytes | None) -> bytes:
    """Replace a word by a piece, or swap two words."""
    words = content.split(b" ")
    i, j = first % len(words), second % len(words)
    words[i], words[j] = (words[j], words[i]) if piece is None else (piece, words[j])
    return b" ".join(words)


def network_texts(ending: str) -> list[bytes]:
    if ending not in NETWORK_WRITERS:
        return [DSC.encode(), *(path.read_bytes() for path in SMALL if path.suffix == ending)]
    held = [network for network in NETWORKS if ending in ENDINGS_OF_ANY_KIND or network.kind == "categorical"]
    return [network_text(network, ending).encode() for network in held] + [JSON.encode()] * (ending == ".json")


def reads_or_refuses(reader: Callable[[str, str], object], content: bytes, file: str) -> object:
    """Return the network or graph, or None if the file is refused with a `FormatError`."""
    try:
        return reader(decode(content, file), file)
    except FormatError as error:
        assert str(error).startswith(file)  # noqa: PT017
        return None


@FUZZED
@given(st.data(), MUTATIONS)
@pytest.mark.parametrize("ending", [ending for ending in NETWORK_READERS if ending != ".xmlbif"])
def test_mutated_networks_are_read_or_refused(ending: str, data: st.DataObject, mutations: list[Mutation]) -> None:
    content = mutated(data.draw(st.sampled_from(network_texts(ending))), mutations)
    network = reads_or_refuses(NETWORK_READERS[ending], content, f"net{ending}")
    if isinstance(network, Network):
        # DSC is read only: BIF keeps the same names and levels.
        written = ending if ending in NETWORK_WRITERS else ".bif"
        try:
            text = network_text(network, written)
        except GraphError:
            return
        assert NETWORK_READERS[written](text, "again") == network
    else:
        assert network is None


@FUZZED
@given(st.data(), MUTATIONS)
@pytest.mark.parametrize("ending", GRAPH_WRITE_ENDINGS)
def test_mutated_graphs_are_read_or_refused(ending: str, data: st.DataObject, mutations: list[Mutation]) -> None:
    content = mutated(graph_text(data.draw(st.sampled_from(GRAPHS)), ending).encode(), mutations)
    reads_or_refuses(GRAPH_READERS["." + ending.rpartition(".")[2]], content, f"graph{ending}")


@FUZZED
@given(MUTATIONS)
def test_mutated_packed_files_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, mutations: list[Mutation]
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed.bif.gz"
    path.write_bytes(mutated(gzip.compress(network_text(RAIN, ".bif").encode(), mtime=0), mutations))
    try:
        read_network_file(path)
    except FormatError as error:
        assert "fuzzed.bif.gz" in str(error)  # noqa: PT017


@FUZZED
@given(st.binary(max_size=200))
@pytest.mark.parametrize("ending", [*NETWORK_READERS, ".csv", ".graphml", ".dot"])
def test_noise_is_refused(ending: str, content: bytes) -> None:
    readers: dict[str, Callable[[str, str], object]] = {**GRAPH_READERS, **NETWORK_READERS}
    reads_or_refuses(readers[ending], content, f"noise{ending}")
