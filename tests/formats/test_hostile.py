"""Malicious files are refused quickly and with little memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest
from tests.effort import little_work
from tests.formats.samples import read_text

from stablebn.errors import FormatError
from stablebn.networks.formats import GRAPH_READERS, NETWORK_READERS
from stablebn.networks.model import ConditionalGaussian

READERS: dict[str, Callable[[str, str], object]] = {**NETWORK_READERS, **GRAPH_READERS}
XML_ENDINGS = (".xml", ".xdsl", ".graphml")
LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))


def refused(text: str, ending: str) -> str:
    """Return the message of the error, which must take little work and little memory."""
    tracemalloc.start()
    try:
        with little_work(cpu_seconds=30), pytest.raises(FormatError) as caught:
            READERS[ending](text, f"bad{ending}")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 200 * 2**20
    return str(caught.value)


@pytest.mark.parametrize("ending", XML_ENDINGS)
@pytest.mark.parametrize(
    "declared",
    [
        f'<!ENTITY l0 "lol">{LAUGHS}',
        '<!ENTITY l9 SYSTEM "file:///etc/passwd">',
        f'<!ENTITY l9 "{"x" * 100_000}">',
        '<!ENTITY % l9 "x">',
    ],
    ids=["billion-laughs", "external", "quadratic", "parameter"],
)
def test_xml_with_entities_is_refused(ending: str, declared: str) -> None:
    text = f"<!DOCTYPE BIF [\n{declared}]>\n<BIF>{'&l9;' * 1000}</BIF>"
    assert refused(text, ending) == f"bad{ending}, line 2: expected no entities: this reader refuses them."


@pytest.mark.parametrize("ending", XML_ENDINGS)
def test_xml_with_entities_of_another_file_is_refused(ending: str) -> None:
    assert "no entities" in refused('<!DOCTYPE BIF SYSTEM "other.dtd">\n<BIF>&unknown;</BIF>', ending)


def test_attributes_that_a_document_type_gives_take_no_room() -> None:
    declared = f'<!ATTLIST OUTCOME x CDATA "{"x" * 10_000}">'
    text = f"<!DOCTYPE BIF [{declared}]><BIF><NETWORK>{'<OUTCOME/>' * 30_000}</NETWORK></BIF>"
    assert "at least one node" in refused(text, ".xml")


@pytest.mark.parametrize("ending", XML_ENDINGS)
def test_xml_that_is_nested_deep_is_refused(ending: str) -> None:
    assert "at most 32 deep" in refused("<BIF>" * 100_000, ending)


@pytest.mark.parametrize("ending", [".json"])
def test_json_that_is_nested_deep_is_refused(ending: str) -> None:
    assert "less deeply nested" in refused('{"nodes":' + "[" * 100_000, ending)


def bif_with_huge_table(block: str) -> str:
    """Write a network of ten parents with 100 levels, and a child with this table."""
    levels = ", ".join(f"l{i}" for i in range(100))
    rows = ", ".join(["0.01"] * 100)
    parents = "".join(
        f"variable p{i} {{ type discrete [ 100 ] {{ {levels} }}; }} probability ( p{i} ) {{ table {rows}; }}\n"
        for i in range(10)
    )
    family = "c | " + ", ".join(f"p{i}" for i in range(10))
    return f"{parents}variable c {{ type discrete [ 2 ] {{ x, y }}; }}\nprobability ( {family} ) {{ {block} }}"


@pytest.mark.parametrize("block", ["table 0.5, 0.5;", "default 0.5, 0.5;", ""])
def test_tables_larger_than_the_file_are_never_allocated(block: str) -> None:
    message = refused(bif_with_huge_table(block), ".bif")
    assert message.startswith("bad.bif, line 12: the table of node 'c' would have more numbers than this file")


def test_many_tables_by_default_are_not_allocated_together() -> None:
    levels = ", ".join(f"l{i}" for i in range(1000))
    root = (
        f"variable p {{ type discrete [ 1000 ] {{ {levels} }}; }} probability ( p ) {{ default {'0.001 ' * 1000}; }}\n"
    )
    child = "variable c{0} {{ type discrete [ 1000 ] {{ {1} }}; }} probability ( c{0} | p ) {{ default {2}; }}\n"
    text = root + "".join(child.format(i, levels, "0.001 " * 1000) for i in range(8))
    assert "more numbers than this file can hold" in refused(text, ".bif")


def test_states_that_follow_from_many_others_are_not_allocated() -> None:
    states = "".join(f'<state id="s{i}"/>' for i in range(3000))
    text = f"""<smile><nodes><deterministic id="a">{states}<resultingstates>s0</resultingstates></deterministic>
    <deterministic id="b">{states}<parents>a</parents><resultingstates>{"s0 " * 3000}</resultingstates></deterministic>
    </nodes></smile>"""
    assert "more numbers than this file can hold" in refused(text, ".xdsl")


def xdsl_with_chain_of_conditions(parents: int, levels: int) -> str:
    """Write a continuous node with a short equation that has conditions on many categorical parents."""
    states = "".join(f'<state id="s{i}"/>' for i in range(levels))
    share = " ".join([repr(1 / levels)] * levels)
    names = [f"p{i}" for i in range(parents)]
    roots = "".join(f'<cpt id="{name}">{states}<probabilities>{share}</probabilities></cpt>\n' for name in names)
    equation = "".join(f'If({name}="s0",Normal(0,1),' for name in names) + "Normal(0,1)" + ")" * parents
    child = f'<equation id="x"><parents>{" ".join(names)}</parents><definition>x={equation}</definition></equation>'
    return f"<smile><nodes>{roots}{child}</nodes></smile>"


def test_conditions_on_many_parents_are_not_allocated() -> None:
    assert "more numbers than this file can hold" in refused(xdsl_with_chain_of_conditions(25, 2), ".xdsl")
    assert "has 40 parents; expected at most 31" in refused(xdsl_with_chain_of_conditions(40, 1), ".xdsl")


def test_conditions_that_the_file_can_hold_are_read() -> None:
    own = read_text(xdsl_with_chain_of_conditions(19, 2), ".xdsl")["x"]
    assert isinstance(own, ConditionalGaussian)
    assert own.sds.shape == (2,) * 19
    assert (own.sds == 1).all()


def test_one_parent_of_very_many_levels_takes_no_time() -> None:
    states = "".join(f'<state id="s{i}"/>' for i in range(20_000))
    share = " ".join([repr(1 / 20_000)] * 20_000)
    equation = "x=Choose(p," + ",".join(f"Normal({i},1)" for i in range(20_000)) + ")"
    text = f"""<smile><nodes><cpt id="p">{states}<probabilities>{share}</probabilities></cpt>
    <equation id="x"><parents>p</parents><definition>{equation}</definition></equation></nodes></smile>"""
    with little_work(cpu_seconds=30):
        own = read_text(text, ".xdsl")["x"]
    assert isinstance(own, ConditionalGaussian)
    assert own.intercepts.tolist() == list(range(20_000))


def test_more_parents_than_an_array_has_dimensions_are_refused() -> None:
    roots = "".join(
        f"variable p{i} {{ type discrete [ 1 ] {{ x }}; }} probability ( p{i} ) {{ table 1; }}\n" for i in range(64)
    )
    family = "c | " + ", ".join(f"p{i}" for i in range(64))
    text = f"{roots}variable c {{ type discrete [ 1 ] {{ x }}; }} probability ( {family} ) {{ table 1; }}"
    assert "has 64 parents; expected at most 31" in refused(text, ".bif")


@pytest.mark.parametrize("ending", sorted(READERS))
@pytest.mark.parametrize(
    "piece",
    [
        '"',
        '"\\"',
        "/*",
        "//",
        "(",
        "{",
        "[",
        "<",
        "%",
        "\\",
        "a ",
        ";",
        "1",
        "1.",
        " ",
        "\n",
        "'",
        ",",
        "->",
        "=",
        "&",
        "_",
    ],
)
def test_no_piece_of_text_repeated_makes_a_reader_slow(ending: str, piece: str) -> None:
    for text in (piece * 50_000, f"x{piece * 50_000}\\"):
        with little_work(cpu_seconds=10), pytest.raises(FormatError):
            READERS[ending](text, f"bad{ending}")


@pytest.mark.parametrize("piece", [" ", "+", "1", "a", "(", "+ ", "1.", "1e", "-a"])
def test_no_equation_makes_its_reader_slow(piece: str) -> None:
    for right in (f"{piece * 50_000}?", f"Normal({piece * 50_000}"):
        text = f'<smile><nodes><equation id="x"><definition>x={right}</definition></equation></nodes></smile>'
        assert "line 1: node 'x': expected" in refused(text, ".xdsl")
