from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.effort import little_work
from tests.formats.samples import NETWORK_FILES, SHARED, WITH_SHARED, read_text, shared_network

from stablebn.errors import FormatError, OptionError
from stablebn.networks.formats import network_text, read_network_file
from stablebn.networks.model import CPT, ConditionalGaussian, LinearGaussian, Network

# Free parameters that differ from the paper's table. Pathfinder: the paper leaves out a level each of F51 and F95,
# whose probability is 0 everywhere. Formed: the paper has 2 more than the file that comes with it.
PARAMETERS = {"pathfinder": (72079, 71890), "formed": (910, 912)}


def table_of(network: Network, node: str) -> list[object]:
    own = network[node]
    assert isinstance(own, CPT)
    numbers: list[object] = own.probabilities.tolist()
    return numbers


@WITH_SHARED
@pytest.mark.parametrize("path", NETWORK_FILES, ids=lambda path: path.name)
def test_shared_networks_have_the_counts_of_the_paper(path: Path) -> None:
    tables = json.loads((SHARED / "paper" / "tables.json").read_text())
    name = path.name.partition(".")[0]
    kind = "continuous_networks" if name.endswith("_c") else "categorical_networks"
    paper = {key.lower(): counts for key, counts in tables[kind].items()}.get(name.removesuffix("_c"))
    network = shared_network(path)
    if paper is None:
        # The two networks that were made for the paper's study of identical variables.
        counts = {"hailfinder2": (54, 64, 2534), "win95pts2": (76, 110, 570)}[name]
        assert (len(network), len(network.arcs), network.free_parameters) == counts
    else:
        assert (len(network), len(network.arcs)) == (paper["nodes"], paper["arcs"])
        expected = PARAMETERS.get(name, (paper["free_parameters"],) * 2)
        assert (network.free_parameters, paper["free_parameters"]) == expected


@WITH_SHARED
def test_shared_networks_have_the_arcs_their_data_came_from() -> None:
    arcs = json.loads((SHARED / "golden" / "true_arcs.json").read_text())
    for path in NETWORK_FILES:
        name = path.name.partition(".")[0]
        if name in arcs:
            assert sorted(map(list, shared_network(path).arcs)) == sorted(arcs[name]), name


@WITH_SHARED
@pytest.mark.parametrize("name", ["pathfinder.dsc", "barley.dsc", "mildew.bif.gz"])
def test_the_largest_networks_are_read_with_little_work(name: str) -> None:
    with little_work(cpu_seconds=30):
        network = read_network_file(SHARED / "networks" / name)
    assert network.free_parameters > 70_000


ROOT = "variable A { type discrete [ 2 ] { yes, no }; }\nprobability ( A ) { table 0.25, 0.75; }\n"
CHILD = "variable B { type discrete [ 3 ] { a, b, c }; }\n"


@pytest.mark.parametrize(
    "rows",
    [
        "probability ( B | A ) { (yes) 0.1, 0.3, 0.6; (no) 0.2, 0.3, 0.5; }",
        "probability(B|A){(no)0.2 0.3 0.5;(yes)1e-1,.3,6E-1;}",
        "probability ( B A ) { table 0.1 0.2 0.3 0.3 0.6 0.5; }",
        "probability ( B | A ) { default 0.2, 0.3, 0.5; (yes) 0.1, 0.3, 0.6; }",
        'probability ( "B" | "A" ) { // one;\n property x = (1, 2) ; /* two\n */ ("yes") 0.1 0.3 0.6; (no) .2 .3 .5; }',
    ],
    ids=["rows", "tight", "table", "default", "comments"],
)
def test_bif_reads_tables_in_all_their_forms(rows: str) -> None:
    network = read_text(f"network unknown {{ property a b; }}\n{rows}\n{CHILD}{ROOT}", ".bif")
    assert network.nodes == ("B", "A")
    assert table_of(network, "B") == [[0.1, 0.3, 0.6], [0.2, 0.3, 0.5]]
    assert network.name == ""


def test_bif_levels_may_look_like_numbers_and_signs() -> None:
    text = "variable A { type discrete [ 4 ] { <5, 5-12, 12+, 1.5 }; } probability ( A ) { table 0.1, 0.2, 0.3, 0.4; }"
    assert read_text(text, ".bif")["A"] == CPT(("<5", "5-12", "12+", "1.5"), (), np.array([0.1, 0.2, 0.3, 0.4]))


def test_dsc_rows_name_levels_by_index_and_may_have_a_default() -> None:
    text = """belief network "n"
    node A { name : "long name"; type : discrete [ 2 ] = { "0", "two words" }; position : (1, 2); }
    node B { type : discrete[2] = { "x", "y" }; }
    probability ( A ) { 0.25, 0.75; }
    probability ( B | A ) { (1) : 0.5, 0.5; default : 1, 0; }"""
    network = read_text(text, ".dsc")
    assert table_of(network, "B") == [[1.0, 0.0], [0.5, 0.5]]
    assert network.name == "n"
    with pytest.raises(OptionError, match=r"no format to write.*'\.bif'"):
        network_text(network, ".dsc")


@pytest.mark.parametrize("data", ["(((0.1 0.9)(0.2 0.8))((0.3 0.7)(0.4 0.6)))", "(0.1 0.9 0.2 0.8 0.3 0.7 0.4 0.6)"])
def test_net_reads_nested_and_flat_data(data: str) -> None:
    text = f"""% a comment; with a mark
    net {{ name = "50% sure"; node_size = (50 50); }}
    discrete node A {{ states = ("yes" "no"); label = "a; b"; }}
    node B {{ states = (x y); }} node C {{ states = (u v); }}
    potential ( A ) {{ data = (0.25 0.75); }} potential (B) {{ data = (1 0); % here
    }} potential ( C | A B ) {{ data = {data}; }}"""
    network = read_text(text, ".net")
    assert table_of(network, "C") == [[[0.1, 0.9], [0.2, 0.8]], [[0.3, 0.7], [0.4, 0.6]]]
    assert network["C"].parents == ("A", "B")
    assert network.name == "50% sure"


def test_xmlbif_may_carry_its_document_type() -> None:
    text = """<?xml version="1.0" encoding="US-ASCII"?>
    <!DOCTYPE BIF [ <!ELEMENT BIF ( NETWORK )*> <!ATTLIST BIF VERSION CDATA #REQUIRED> ]>
    <BIF VERSION="0.3"><NETWORK><NAME>n</NAME>
    <VARIABLE TYPE="nature"><NAME> A </NAME><OUTCOME>a &lt; b</OUTCOME><OUTCOME>no</OUTCOME></VARIABLE>
    <DEFINITION><FOR>A</FOR><TABLE>0.25<!-- between -->0.75</TABLE></DEFINITION></NETWORK></BIF>"""
    assert read_text(text, ".xml")["A"] == CPT(("a < b", "no"), (), np.array([0.25, 0.75]))


def test_xdsl_changes_the_node_fastest_and_the_last_parent_next() -> None:
    text = """<smile id="n"><nodes>
    <cpt id="A"><state id="a"/><state id="b"/><probabilities>0.5 0.5</probabilities></cpt>
    <cpt id="B"><state id="u"/><state id="v"/><state id="w"/><probabilities>0.2 0.2 0.6</probabilities></cpt>
    <cpt id="C"><state id="x"/><state id="y"/><parents>A B</parents>
    <probabilities>0.1 0.9 0.2 0.8 0.3 0.7 0.4 0.6 0.5 0.5 0.6 0.4</probabilities></cpt>
    <deterministic id="D"><state id="x"/><state id="y"/><parents>A</parents>
    <resultingstates>y x</resultingstates></deterministic></nodes></smile>"""
    network = read_text(text, ".xdsl")
    firsts = [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]
    assert np.asarray(table_of(network, "C"))[..., 0].tolist() == firsts
    assert table_of(network, "D") == [[0.0, 1.0], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("right", "coefficients", "intercept", "sd"),
    [
        ("2*A-0.5*B+Normal(1,3)", (2.0, -0.5), 1.0, 3.0),
        (" Normal( -1.5e0 , .5 ) - A + B * 3 ", (-1.0, 3.0), -1.5, 0.5),
        ("B + Normal(0, 1) + 4 + -2*A - 1", (-2.0, 1.0), 3.0, 1.0),
    ],
)
def test_equations_are_sums_in_any_order(
    right: str, coefficients: tuple[float, ...], intercept: float, sd: float
) -> None:
    roots = "".join(f'<equation id="{x}"><definition>{x}=Normal(0,1)</definition></equation>' for x in "AB")
    text = f"""<smile><nodes>{roots}<equation id="C"><parents>A B</parents>
    <definition>C ={right}</definition></equation></nodes></smile>"""
    assert read_text(text, ".xdsl")["C"] == LinearGaussian(("A", "B"), coefficients, intercept, sd)


HYBRID = """<smile><nodes><cpt id="S"><state id="cold" /><state id="mild" /><state id="hot" />
<probabilities>0.25 0.25 0.5</probabilities></cpt><cpt id="R"><state id="dry" /><state id="wet" />
<probabilities>0.5 0.5</probabilities></cpt><equation id="A"><definition>A=Normal(0,1)</definition></equation>
<equation id="T"><parents>R A S</parents><definition>T = {}</definition></equation></nodes></smile>"""


@pytest.mark.parametrize(
    ("right", "intercepts", "coefficients", "sds"),
    [
        (
            'Choose(S, If(R="wet", A+Normal(1,2), Normal(3,4)), Normal(5,6), 7*A + Normal(8,9))',
            [[3.0, 5.0, 8.0], [1.0, 5.0, 8.0]],
            [[0.0, 0.0, 7.0], [1.0, 0.0, 7.0]],
            [[4.0, 6.0, 9.0], [2.0, 6.0, 9.0]],
        ),
        (
            'If( R = "dry" ,Choose( S ,Normal(1,1),If(S="mild",Normal(2,1),Normal(9,9)),Normal(3,1)), 2*A+Normal(4,1))',
            [[1.0, 2.0, 3.0], [4.0, 4.0, 4.0]],
            [[0.0, 0.0, 0.0], [2.0, 2.0, 2.0]],
            [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]],
        ),
    ],
)
def test_equations_of_hybrid_networks_choose_by_level(
    right: str, intercepts: list[list[float]], coefficients: list[list[float]], sds: list[list[float]]
) -> None:
    own = read_text(HYBRID.format(right), ".xdsl")["T"]
    assert own == ConditionalGaussian(
        ("R", "S"), ("A",), np.array(intercepts), np.array(coefficients)[..., np.newaxis], np.array(sds)
    )


@pytest.mark.parametrize(
    ("right", "message"),
    [
        ("Choose(S,A+Normal(1,2),Normal(5,6))", "expected 3 expressions for 'S', got ')'"),
        ("Choose(S,A+Normal(1,2),Normal(5,6),Normal(1,1),Normal(1,1))", "')' after 3 expressions for 'S', got ',Nor"),
        ("Choose(S,A+Normal(1,2),Normal(5,6),Normal(1,1))", "If(parent=...) for the categorical parents 'R'"),
        ('Choose(S,If(R="damp",A+Normal(1,2),Normal(5,6)),', "a level of 'R', one of 'dry', 'wet', got 'damp'"),
        ("Choose(A,Normal(1,1),Normal(1,1))", "expected a condition on a categorical parent, got 'A'"),
        ("Choose(S,Choose(R,Normal(1,1),Normal(1,1)),A,Normal(1,1))", "expected one Normal(mean, sd), got 0"),
        ("Choose(S,Choose(R,Normal(1,1),Normal(1,1)),Normal(1,1),Normal(1,1))", "for the parents 'A', got them for "),
        ("A+Normal(1,1)+Choose(S,1,2,3)", "got '(S,1,2,3)'"),
        ("Choose(S,Normal(1,1),Normal(1,1),Normal(1,1))+A", "and one Normal(mean, sd), got '+A'"),
        ("A+S+Normal(1,1)", "expected terms for the parents 'A', got them for 'A', 'S'"),
        ('If(R="wet",' * 70 + "Normal(0,1)", "expected conditions at most 64 deep"),
    ],
)
def test_other_equations_of_hybrid_networks_are_refused(right: str, message: str) -> None:
    with pytest.raises(FormatError, match=r"^net\.xdsl, line 4: node 'T': ") as caught:
        read_text(HYBRID.format(right), ".xdsl")
    assert message in str(caught.value)


def test_json_of_pgmpy_gives_standard_deviations() -> None:
    text = """{"nodes": ["b", "a"], "arcs": [["a", "b"]], "cpds": {
    "a": {"coefficients": {"(Intercept)": [1.5]}, "variance": [4], "parents": []},
    "b": {"coefficients": {"(Intercept)": [0], "a": [-2]}, "variance": [0.25], "parents": ["a"]}}}"""
    network = read_text(text, ".json")
    assert network.nodes == ("b", "a")
    assert network["b"] == LinearGaussian(("a",), (-2.0,), 0.0, 0.5)


@pytest.mark.parametrize("ending", [".bif"])
def test_normalise_rescales_each_row(ending: str) -> None:
    text = "variable A { type discrete [ 2 ] { yes, no }; } probability ( A ) { table 1, 3; }"
    assert table_of(read_text(text, ending, normalise=True), "A") == [0.25, 0.75]


def test_sums_within_the_tolerance_are_kept_as_they_are() -> None:
    text = "variable A { type discrete [ 2 ] { yes, no }; } probability ( A ) { table 0.3333, 0.666; }"
    assert table_of(read_text(text, ".bif"), "A") == [0.3333, 0.666]
