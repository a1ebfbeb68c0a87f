"""Invalid files: the error has the file, the line and what was expected."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.formats.samples import read_text

from stablebn import decompression as unpacking
from stablebn.errors import FormatError
from stablebn.networks.formats import GRAPH_READERS, encode, read_graph_file, read_network_file

BIF = """network garden {
}
variable rain {
  type discrete [ 2 ] { yes, no };
}
variable wet {
  type discrete [ 3 ] { low, mid, high };
}
probability ( rain ) {
  table 0.25, 0.75;
}
probability ( wet | rain ) {
  (yes) 0.1, 0.2, 0.7;
  (no) 0.5, 0.25, 0.25;
}
"""
DSC = """belief network "garden"
node rain {
  type : discrete [ 2 ] = { "yes", "no" };
}
node wet {
  type : discrete [ 3 ] = { "low", "mid", "high" };
}
probability ( rain ) {
  0.25, 0.75;
}
probability ( wet | rain ) {
  (0) : 0.1, 0.2, 0.7;
  (1) : 0.5, 0.25, 0.25;
}
"""
NET = """net {
  name = "garden";
}
node rain {
  states = ("yes" "no");
}
node wet {
  states = ("low" "mid" "high");
}
potential (rain) {
  data = (0.25 0.75);
}
potential (wet | rain) {
  data = ((0.1 0.2 0.7) (0.5 0.25 0.25));
}
"""
XMLBIF = """<BIF VERSION="0.3"><NETWORK><NAME>garden</NAME>
<VARIABLE TYPE="nature"><NAME>rain</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>wet</NAME><OUTCOME>low</OUTCOME><OUTCOME>mid</OUTCOME><OUTCOME>high</OUTCOME></VARIABLE>
<DEFINITION><FOR>rain</FOR><TABLE>0.25 0.75</TABLE></DEFINITION>
<DEFINITION><FOR>wet</FOR><GIVEN>rain</GIVEN>
<TABLE>0.1 0.2 0.7
0.5 0.25 0.25</TABLE></DEFINITION>
</NETWORK></BIF>
"""
XDSL = """<smile version="1.0" id="garden"><nodes>
<cpt id="rain"><state id="yes" /><state id="no" /><probabilities>0.25 0.75</probabilities></cpt>
<cpt id="wet"><state id="low" /><state id="mid" /><state id="high" /><parents>rain</parents>
<probabilities>0.1 0.2 0.7 0.5 0.25 0.25</probabilities></cpt>
</nodes></smile>
"""
EQUATIONS = """<smile version="1.0" id="height"><nodes>
<equation id="mother"><definition>mother=Normal(165,6)</definition></equation>
<equation id="child"><parents>mother</parents>
<definition>child=0.5*mother+Normal(80,5)</definition></equation>
</nodes></smile>
"""
JSON = """{"nodes": ["mother", "child"],
"arcs": [["mother", "child"]],
"cpds": {
"mother": {"coefficients": {"(Intercept)": [165]}, "variance": [36], "parents": []},
"child": {"coefficients": {"(Intercept)": [80], "mother": [0.5]}, "variance": [25], "parents": ["mother"]}}}
"""
OWN = """{
 "format": "stablebn network", "version": 1, "name": "clinic",
 "nodes": {
  "sex": {"levels": ["f", "m"], "parents": [], "probabilities": [0.25, 0.75]},
  "age": {"categorical_parents": ["sex"], "continuous_parents": [],
   "intercepts": [40.0, 41.5], "coefficients": [[], []], "sds": [9.0, 10]}
 },
 "cuts": {"sex": [1.5]}
}
"""
HYBRID = """<smile version="1.0" id="clinic"><nodes>
<cpt id="sex"><state id="f" /><state id="m" /><probabilities>0.25 0.75</probabilities></cpt>
<equation id="age"><parents>sex</parents>
<definition>age=Choose(sex,Normal(40,9),Normal(41.5,10))</definition></equation>
</nodes></smile>
"""
GRAPHML = '<graphml><graph edgedefault="directed">'
WHOLE = [
    (".bif", BIF),
    (".dsc", DSC),
    (".net", NET),
    (".xml", XMLBIF),
    (".xdsl", XDSL),
    (".xdsl", EQUATIONS),
    (".json", JSON),
    (".json", OWN),
    (".xdsl", HYBRID),
]

# Of a whole file: what is replaced (with the empty text: all from there on is cut), by what, the line, and the message.
BROKEN = [
    (".bif", BIF, "  (no)", "", 13, "a row that starts with '(' or '}', got the end of the file"),
    (".bif", BIF, "0.75;\n}", "0.75", 11, "expected a number, got 'probability'"),
    (".bif", BIF, "0.2, 0.7", "0.2, 0.8", 13, "0.1, 0.2, 0.8 for rain=yes: they sum to 1.1; expected 1, within 0.001"),
    (".bif", BIF, "0.25, 0.75", "-0.25, 1.25", 10, "has the probabilities -0.25, 1.25: expected numbers from 0 to 1"),
    (".bif", BIF, "0.5, 0.25", "nan, 0.25", 14, "has the probabilities nan, 0.25, 0.25 for rain=no: expected numbers"),
    (".bif", BIF, "0.25, 0.75", "1e999, 0", 10, "has the probabilities inf, 0.0: expected numbers from 0 to 1"),
    (".bif", BIF, "0.25, 0.75", "0.2_5, 0.75", 10, "expected a number, got '0.2_5'"),
    (".bif", BIF, "| rain )", "| snow )", 12, "'wet' has a parent that is not a node: 'snow'"),
    (".bif", BIF, "| rain )", "| wet )", 12, "the parents of node 'wet' must differ, and from it"),
    (".bif", BIF, "variable wet", "variable rain", 6, "node 'rain' is declared a second time; first in line 3"),
    (".bif", BIF, "low, mid", "low, low", 6, "node 'wet' has a level twice; expected others: 'low'"),
    (".bif", BIF, "[ 3 ]", "[ 4 ]", 7, "expected 4 levels, got 3"),
    (".bif", BIF, "[ 3 ]", "[ 1000000000000 ]", 7, "expected 1000000000000 levels, got 3"),
    (".bif", BIF, "  type discrete [ 3 ] { low, mid, high };", " ", 6, "node 'wet' has no levels"),
    (".bif", BIF, "0.25, 0.75", "0.25, 0.5, 0.25", 10, "needs 2 probabilities (2 levels), got 3"),
    (".bif", BIF, "(no) 0.5, 0.25, 0.25", "(no) 0.5, 0.5", 14, "needs 3 probabilities a row, got 2"),
    (".bif", BIF, "(no)", "(yes)", 14, "has a second row for (yes)"),
    (".bif", BIF, "(no)", "(never)", 14, "a row for 'never' of parent 'rain'; expected one of 'yes', 'no'"),
    (".bif", BIF, "(no)", "(no, no)", 14, "needs a level of each of its 1 parents a row, got 2"),
    (".bif", BIF, "  (no) 0.5, 0.25, 0.25;\n", " ", 12, "needs 2 rows, one a configuration of its parents, got 1"),
    (".bif", BIF, "  (no)", "  table", 12, "expected one 'table', or rows and at most one 'default'"),
    (".bif", BIF, "probability ( wet", "", 6, "node 'wet' has no probabilities; expected a table for it"),
    (".bif", BIF, "( wet |", "( rain |", 12, "node 'rain' has a second table; the first is in line 9"),
    (".bif", BIF, "( wet |", "( fog |", 12, "a table for 'fog', which is not declared"),
    (".bif", BIF, "network", "netwerk", 1, "expected 'network', 'variable' or 'probability', got 'netwerk'"),
    (".bif", BIF, "{ low", '{ "low', 7, "with a closing quote"),
    (".dsc", DSC, "  (1)", "", 12, "a row that starts with '(', 'default' or '}', got the end of the file"),
    (".dsc", DSC, "0.5, 0.25", "0.6, 0.25", 13, "for rain=no: they sum to 1.1; expected 1"),
    (".dsc", DSC, "(1)", "(2)", 13, "a row for '2' of parent 'rain'; expected one of '0', '1'"),
    (".dsc", DSC, "  (0) :", "  function max;", 12, "a row that starts with '(', 'default' or '}', got 'function'"),
    (".dsc", DSC, "| rain", "| snow", 11, "'wet' has a parent that is not a node: 'snow'"),
    (".dsc", DSC, "node wet", "node rain", 5, "node 'rain' is declared a second time"),
    (".dsc", DSC, "belief", "relief", 1, "expected 'belief', got 'relief'"),
    (".net", NET, " (0.5", "", 14, "expected numbers and then ';', got the end of the file"),
    (".net", NET, "0.5 0.25", "0.6 0.25", 14, "for rain=no: they sum to 1.1; expected 1"),
    (".net", NET, "0.1 0.2 0.7", "0.3 0.7", 14, "needs 6 probabilities (2 x 3 levels), got 5"),
    (".net", NET, "  data = (0.25 0.75);\n", " ", 10, "needs 2 probabilities (2 levels), got 0"),
    (".net", NET, '"mid"', '"low"', 7, "node 'wet' has a level twice"),
    (".net", NET, "node wet", "utility wet", 7, "expected 'net', 'node' or 'potential', got 'utility'"),
    (".net", NET, "| rain", "| snow", 13, "'wet' has a parent that is not a node: 'snow'"),
    (".xml", XMLBIF, "<TABLE>0.1", "", 5, "expected XML: no element found"),
    (".xml", XMLBIF, "0.5 0.25", "0.6 0.25", 6, "for rain=no: they sum to 1.1; expected 1"),
    (".xml", XMLBIF, "0.5 0.25", "half 0.25", 6, "expected only numbers in <TABLE>: could not convert"),
    (".xml", XMLBIF, "0.5 0.25 ", "0.5 ", 6, "needs 6 probabilities (2 x 3 levels), got 5"),
    (".xml", XMLBIF, "<GIVEN>rain", "<GIVEN>snow", 5, "'wet' has a parent that is not a node: 'snow'"),
    (".xml", XMLBIF, "<NAME>wet", "<NAME>rain", 3, "node 'rain' is declared a second time; first in line 2"),
    (".xml", XMLBIF, "<FOR>wet</FOR>", " ", 5, "expected one <FOR> in <DEFINITION>, got 0"),
    (".xml", XMLBIF, 'TYPE="nature"><NAME>wet', 'TYPE="utility"><NAME>wet', 3, "expected a variable of TYPE 'nature'"),
    (".xdsl", XDSL, "<probabilities>0.1", "", 3, "expected XML: no element found"),
    (".xdsl", XDSL, "0.5 0.25", "0.6 0.25", 4, "for rain=no: they sum to 1.1; expected 1"),
    (".xdsl", XDSL, "0.5 0.25 ", "0.5 ", 4, "needs 6 probabilities (2 x 3 levels), got 5"),
    (".xdsl", XDSL, "<parents>rain", "<parents>snow", 3, "'wet' has a parent that is not a node: 'snow'"),
    (".xdsl", XDSL, 'id="wet"', 'id="rain"', 3, "node 'rain' is declared a second time"),
    (".xdsl", XDSL, '<cpt id="wet">', "<cpt>", 3, "expected an attribute 'id' in <cpt>"),
    (".xdsl", XDSL.replace("cpt", "decision"), "", "", 2, "<deterministic> or <equation>, got <decision>"),
    (".xdsl", EQUATIONS, "0.5*mother", "0.5*father", 4, "the parents 'mother', got them for 'father'"),
    (".xdsl", EQUATIONS, "0.5*mother", "mother^2", 4, "expected a sum of numbers, parents, numbers times parents and"),
    (".xdsl", EQUATIONS, "0.5*mother", "2*3*mother", 4, "Normal(mean, sd), got '*3*mother+Normal(80,5)'"),
    (".xdsl", EQUATIONS, "0.5*mother", "mother+mother", 4, "expected 'mother' once, got it again"),
    (".xdsl", EQUATIONS, "+Normal(80,5)", "-Normal(80,5)", 4, "got '-Normal(80,5)'"),
    (".xdsl", EQUATIONS, "+Normal(80,5)", "+80", 4, "expected one Normal(mean, sd), got 0"),
    (".xdsl", EQUATIONS, "Normal(80,5)", "Normal(80,-5)", 4, "got '+Normal(80,-5)'"),
    (".xdsl", EQUATIONS, "Normal(80,5)", "Normal(1e999,5)", 4, "expected finite numbers"),
    (".xdsl", EQUATIONS, "child=", "kid=", 4, "expected an equation that starts with 'child ='"),
    (".json", JSON, '"child": {', "", 4, "expected JSON: "),
    (".json", JSON, '["mother", "child"],', '["mother", "kid"],', 3, "one entry of 'cpds' for each of the 'nodes'"),
    (".json", JSON, '"variance": [25]', '"variance": [-25]', 5, "node 'child': expected its 'parents', 'coefficients'"),
    (".json", JSON, '"mother": [0.5]', '"father": [0.5]', 5, "node 'child': expected its 'parents', 'coefficients'"),
    (".json", JSON, '[["mother", "child"]]', "[]", 2, "expected the 'arcs' to be those from the 'parents'"),
    (".json", JSON, '"cpds"', '"cpd"', 1, "expected the keys 'nodes', 'arcs' and 'cpds'"),
    (".json", OWN, "network", "graph", 1, "expected the keys 'nodes', 'arcs' and 'cpds'"),
    (".json", OWN, '"version": 1', '"version": 2', 1, "expected version 1, got 2: read it with a newer stablebn"),
    (".json", OWN, '"name": "clinic"', '"name": 7', 1, "expected a 'name', objects as 'nodes', and 'cuts'"),
    (".json", OWN, '["f", "m"]', '["f", "f"]', 4, "node 'sex' has a level twice"),
    (".json", OWN, '["f", "m"]', '["f", 7]', 4, "node 'sex': expected 'levels' to be a list of texts"),
    (".json", OWN, '["f", "m"]', '"fm"', 4, "node 'sex': expected 'levels' to be a list of texts"),
    (".json", OWN, '["f", "m"]', '["f"]', 4, "has unfit 'probabilities': expected lists in lists of lengths 1"),
    (".json", OWN, "[0.25, 0.75]", "[0.25, 0.5]", 4, "they sum to 0.75; expected 1"),
    (".json", OWN, "[0.25, 0.75]", '["a", "b"]', 4, "has unfit 'probabilities': expected only numbers"),
    (".json", OWN, "[0.25, 0.75]", "[[0.25, 0.75]]", 4, "expected lists in lists of lengths 2"),
    (".json", OWN, '"parents": []', '"parents": ["age"]', 4, "'sex' is categorical and has continuous parents: 'age'"),
    (".json", OWN, '"parents": [],', "", 4, "expected JSON: "),
    (".json", OWN, '"sds"', '"sd"', 5, "node 'age': expected the key 'sds'"),
    (".json", OWN, "[9.0, 10]", "[9.0, -10]", 5, "node 'age': expected 'sds' of at least 0"),
    (".json", OWN, "[9.0, 10]", "[9.0, true]", 5, "node 'age': unfit 'sds': expected only numbers"),
    (".json", OWN, "[9.0, 10]", "[9.0, 1e999]", 5, "node 'age': unfit 'sds': expected finite numbers"),
    (".json", OWN, "[9.0, 10]", "[9.0, 1" + "0" * 400 + "]", 5, "node 'age': unfit 'sds': expected finite numbers"),
    (".json", OWN, "[[], []]", "[[], [1]]", 5, "unfit 'coefficients': expected lists in lists of lengths 2 x 0"),
    (".json", OWN, '["sex"], "cont', '["age"], "cont', 5, "the parents of node 'age' must differ, and from it"),
    (".json", OWN, '["sex"], "continuous_parents": []', '[], "continuous_parents": ["sex"]', 5, "to be categorical"),
    (".json", OWN, '{"levels"', '["levels"', 4, "expected JSON: "),
    (".xdsl", HYBRID, "Choose(sex,", "Choose(sex,Normal(1,1),", 4, "expected ')' after 2 expressions for 'sex', got"),
    (".xdsl", HYBRID, "Choose(sex,Normal(40,9),Normal(41.5,10))", "Normal(0,1)", 4, "the categorical parents 'sex'"),
    (".xdsl", HYBRID, "<probabilities>", "<parents>age</parents><probabilities>", 2, "has continuous parents: 'age'"),
]  # fmt: skip


@pytest.mark.parametrize(("ending", "text"), WHOLE, ids=lambda value: value[:5])
def test_the_whole_files_are_good(ending: str, text: str) -> None:
    assert len(read_text(text, ending)) == 2


@pytest.mark.parametrize(("ending", "text", "old", "new", "line", "message"), BROKEN)
def test_errors_name_file_line_and_what_was_expected(
    ending: str, text: str, old: str, new: str, line: int, message: str
) -> None:
    assert old in text
    broken = text.replace(old, new, 1) if new else text[: text.index(old)].rstrip() if old else text
    with pytest.raises(FormatError) as caught:
        read_text(broken, ending)
    assert str(caught.value).startswith(f"net{ending}, line {line}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(("ending", "text"), WHOLE, ids=lambda value: value[:5])
def test_a_file_cut_anywhere_is_refused(ending: str, text: str) -> None:
    # A file without a line break at its end is complete.
    for length in range(len(text.rstrip())):
        with pytest.raises(FormatError, match=rf"^net\{ending}"):
            read_text(text[:length], ending)


def test_a_cycle_is_told_with_the_line_that_closes_it() -> None:
    blocks = [
        "variable {0} {{ type discrete [ 1 ] {{ x }}; }}\nprobability ( {0} | {1} ) {{ table 1; }}\n".format(*names)
        for names in ("ab", "bc", "ca", "da")
    ]
    with pytest.raises(FormatError, match=r"^net\.bif, line 6: the arcs form a cycle: a -> c -> b -> a\.$"):
        read_text("".join(blocks), ".bif")


def test_sums_that_are_zero_cannot_be_normalised() -> None:
    with pytest.raises(FormatError, match=r"line 10: .*sum to 0\.0"):
        read_text(BIF.replace("0.25, 0.75", "0, 0"), ".bif", normalise=True)


def test_negative_probabilities_cannot_be_normalised() -> None:
    with pytest.raises(FormatError, match=r"line 10: .*expected numbers from 0 to 1"):
        read_text(BIF.replace("0.25, 0.75", "-1, 2"), ".bif", normalise=True)


def test_a_missing_file_is_a_format_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"none\.bif: there is no such file"):
        read_network_file(tmp_path / "none.bif")


@pytest.mark.parametrize("name", ["odd\0name.bif", ""])
def test_a_path_that_cannot_be_is_a_format_error(name: str) -> None:
    with pytest.raises(FormatError):
        read_network_file(name)


def test_a_directory_is_a_format_error(tmp_path: Path) -> None:
    (tmp_path / "net.bif").mkdir()
    with pytest.raises(FormatError, match="this is a directory; expected a file"):
        read_network_file(tmp_path / "net.bif")


def test_an_unknown_ending_names_the_known_ones() -> None:
    with pytest.raises(FormatError, match=r"^net\.docx: expected a name that ends in '\.bif', '\.xml'"):
        read_network_file("net.docx")
    with pytest.raises(FormatError, match=r"^net\.docx: expected a name that ends in .*'\.graphml'"):
        read_graph_file("net.docx")


def test_a_graph_where_a_network_is_expected_is_told(tmp_path: Path) -> None:
    (tmp_path / "graph.json").write_text('{"nodes": ["a"], "arcs": []}')
    with pytest.raises(FormatError, match="of a network with parameters"):
        read_network_file(tmp_path / "graph.json")


def test_bytes_that_are_not_utf8_are_told_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "net.bif"
    path.write_bytes(BIF.replace("mid", "m\xefd").encode("latin-1"))
    with pytest.raises(FormatError, match=r"net\.bif, line 7: expected UTF-8 text; save the file as UTF-8"):
        read_network_file(path)


def test_a_byte_order_mark_and_windows_lines_are_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / "net.bif"
    path.write_bytes(b"\xef\xbb\xbf" + BIF.replace("\n", "\r\n").encode())
    assert read_network_file(path) == read_text(BIF, ".bif")


@pytest.mark.parametrize("keep", [0, 5, 30, -1])
def test_packed_files_cut_short_are_told(keep: int, tmp_path: Path) -> None:
    path = tmp_path / "net.bif.gz"
    path.write_bytes(encode(BIF, path.name)[:keep])
    with pytest.raises(FormatError, match=r"net\.bif\.gz: expected"):
        read_network_file(path)


@pytest.mark.parametrize("place", [0, 40, -6])
def test_packed_files_with_a_wrong_byte_are_told(place: int, tmp_path: Path) -> None:
    path = tmp_path / "net.bif.gz"
    content = bytearray(encode(BIF, path.name))
    content[place] ^= 255
    path.write_bytes(content)
    with pytest.raises(
        FormatError, match=r"net\.bif\.gz: expected a complete gzip file; this one is cut short or damaged"
    ):
        read_network_file(path)


def test_a_packed_bomb_is_unpacked_no_further_than_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MOST_BYTES", 2**24)
    path = tmp_path / "net.bif.gz"
    path.write_bytes(gzip.compress(bytes(2**28), compresslevel=1))
    with pytest.raises(FormatError, match=r"net\.bif\.gz: expected at most 16 MiB of text; this file has more"):
        read_network_file(path)


@pytest.mark.parametrize(
    ("ending", "text", "line", "message"),
    [
        (".json", '{"nodes": ["a", "b"],\n"arcs": [["a", "c"]]}', 2, "uses a name that is not a node: 'c'"),
        (".json", '{"nodes": ["a", "b"],\n"arcs": [["a", "b"], ["b", "a"]]}', 2, "have two edges"),
        (".json", '{"nodes": ["a", "b"],\n"arcs": [["a"]]}', 2, "expected 'arcs' to be a list of [from, to]"),
        (".json", '{"nodes":\n[{"a": 1}], "arcs": []}', 1, "expected the 'nodes' to be texts or numbers"),
        (".json", '{"nodes": ["a"]}', 1, "expected the keys 'nodes' and 'arcs' of a graph"),
        (".json", "[]", 1, "expected a JSON object"),
        (".json", '{"nodes": ["a"]\n', 2, "expected JSON: Expecting ',' delimiter"),
        (".csv", "from,to\na,b\nb,c\nc,a\nd,a\n", 4, "the arcs form a cycle: a -> b -> c -> a"),
        (".csv", "from,to,type\na,b,->\nb,c,o-o\n", 3, "expected the mark '->', '--' or '-' between nodes, got 'o-o'"),
        (".csv", "from,to\na,b,c\n", 2, "expected 2 cells, got 3"),
        (".csv", "a,b\nb,c\n", 1, "'from,to,type' or 'ID,Variable 1,Dependency,Variable 2'"),
        (".csv", "", 1, "expected the header"),
        (".graphml", f'{GRAPHML}<node id="a"/>\n<node id="a"/></graph></graphml>', 2, "a second time; first in line 1"),
        (".graphml", f'{GRAPHML}\n<edge source="a" target="b"/></graph></graphml>', 2, "is not a node: 'a', 'b'"),
        (".graphml", "<graphml>\n<graph/></graphml>", 2, "expected an attribute 'edgedefault' in <graph>"),
        (".graphml", "<graphml>\n", 2, "expected XML: no element found"),
        (".dot", "digraph {\n a -> b;\n b -> a\n}", 3, "have two edges"),
        (".dot", "digraph {\n a ->\n}", 3, "expected a node, got '}'"),
        (".dot", "digraph {\n a -> b", 2, "expected a node or '}', got the end of the file"),
        (".dot", "digraph { a -> b [dir=both] }", 1, "expected an edge with dir=forward or dir=none, got dir=both"),
        (".dot", "digraph {\n subgraph x { a } }", 2, "subgraphs are not read"),
        (".dot", "digraph {\n a:n -> b }", 2, "unexpected ':n -> b }'"),
        (".dot", "digraph { a } b", 1, "expected nothing after the graph, got 'b'"),
        (".dot", "a -> b", 1, "expected 'digraph' or 'graph', got 'a'"),
    ],
)  # fmt: skip
def test_graph_errors_name_file_line_and_what_was_expected(ending: str, text: str, line: int, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        GRAPH_READERS[ending](text, f"graph{ending}")
    assert str(caught.value).startswith(f"graph{ending}, line {line}: ")
    assert message in str(caught.value)
