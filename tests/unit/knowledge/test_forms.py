"""Every form in which knowledge can be given says the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import stablebn as sb
from stablebn.knowledge.command_line import arcs_from_words, limits_from_words, tiers_from_words

ARCS = {"from": ["a", "my c"], "to": ["b", "d: e"]}
KINDS = {
    "from": ["a", "b", "c", "a"],
    "to": ["b", "c", "a", "b"],
    "kind": ["required", "forbidden", "forbidden", "allowed"],
}
LIBRARIES: list[Callable[[Any], Any]] = [pd.DataFrame, pl.DataFrame, pa.table, dict]


def test_knowledge_and_its_parts() -> None:
    known = sb.Knowledge(required=[("a", "b")], tiers=[["a"], ["b"]])
    assert sb.Knowledge.of(known) is known
    assert sb.Knowledge.of({"required": [("a", "b")], "tiers": [["a"], ["b"]]}) == known
    assert sb.Knowledge.of(known.to_dict()) == known
    assert sb.Knowledge.of([]) == sb.Knowledge()


@pytest.mark.parametrize("frame", LIBRARIES)
def test_arcs_of_a_frame_are_required(frame: Callable[[Any], Any]) -> None:
    assert sb.Knowledge.of(frame(ARCS)) == sb.Knowledge(required=[("a", "b"), ("my c", "d: e")])


@pytest.mark.parametrize("frame", LIBRARIES)
def test_a_column_of_a_frame_says_what_its_arcs_are(frame: Callable[[Any], Any]) -> None:
    assert sb.Knowledge.of(frame(KINDS)) == sb.Knowledge(
        required=[("a", "b")], forbidden=[("b", "c"), ("c", "a")], allowed=[("a", "b")]
    )


@pytest.mark.parametrize("frame", LIBRARIES[:3])
def test_frames_are_lists_of_arcs_too(frame: Callable[[Any], Any]) -> None:
    assert sb.Knowledge(forbidden=frame(ARCS)).forbidden == (("a", "b"), ("my c", "d: e"))
    with pytest.raises(sb.KnowledgeError, match="required= contains pairs that are allowed"):
        sb.Knowledge(required=frame(KINDS))


def test_names_of_a_frame_may_be_numbers() -> None:
    assert sb.Knowledge.of(pd.DataFrame({"from": [0, 1], "to": [1, 2]})).required == ((0, 1), (1, 2))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"from": ["a"], "to": ["b"], "type": ["->"]}, "has the columns from, to and perhaps kind"),
        ({"start": ["a"], "to": ["b"]}, "has the columns from, to and perhaps kind .*'start', 'to'"),
        ({"from": ["a"], "to": [None]}, "row 1 of the frame of arcs lacks the name"),
        (
            {"from": ["a"], "to": ["b"], "kind": ["maybe"]},
            "has the kind 'maybe': it can be required, forbidden, allowed",
        ),
    ],
)
def test_a_frame_that_says_something_else_is_refused(columns: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(sb.KnowledgeError, match=message):
        sb.Knowledge.of(pd.DataFrame(columns))


def test_arcs_of_a_graph_are_required_unless_it_says_otherwise() -> None:
    graph = nx.DiGraph([("a", "b")])
    graph.add_edge("c", "a", kind="forbidden")
    assert sb.Knowledge.of(graph) == sb.Knowledge(required=[("a", "b")], forbidden=[("c", "a")])
    assert sb.Knowledge(forbidden=nx.DiGraph([("a", "b")])).forbidden == (("a", "b"),)
    assert sb.Knowledge.of(sb.DAG("abc", [("a", "b")])) == sb.Knowledge(required=[("a", "b")])


def test_a_result_or_a_network_is_known_by_its_graph() -> None:
    network = sb.read_network("asia")
    result = sb.learn(network.sample(500, seed=1))
    assert sb.Knowledge.of(result) == sb.Knowledge(required=result.arcs)
    assert sb.Knowledge.of(network) == sb.Knowledge(required=network.dag.arcs)


def test_edges_of_a_graph_without_directions_are_the_pairs_allowed() -> None:
    assert sb.Knowledge.of(nx.Graph([("b", "a")])) == sb.Knowledge(allowed=[("a", "b")])
    assert sb.Knowledge.of(nx.empty_graph(3)) == sb.Knowledge(allowed=[])
    with pytest.raises(sb.KnowledgeError, match="has no direction: it can be allowed, not required"):
        sb.Knowledge.of(nx.Graph([("a", "b", {"kind": "required"})]))
    with pytest.raises(sb.KnowledgeError, match="cannot have undirected edges"):
        sb.Knowledge.of(sb.PDAG("ab", [], [("a", "b")]))


def _file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_toml_files(tmp_path: Path) -> None:
    text = """
        required = [["age", "bp"]]      # as everyone knows
        tiers = [["sex", "age"], ["bp"]]
        within_tiers = false
        [max_parents]
        bp = 2
        "..." = 4
    """
    path = _file(tmp_path, "known.toml", text)
    known = sb.Knowledge(
        required=[("age", "bp")], tiers=[["sex", "age"], ["bp"]], within_tiers=False, max_parents={"bp": 2, ...: 4}
    )
    assert sb.Knowledge.of(path) == sb.Knowledge.of(str(path)) == known


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from,to\na,b\n", {"required": [("a", "b")]}),
        ("From;To\na;b c\n\n", {"required": [("a", "b c")]}),
        ("from,to,kind\na,b,forbidden\nb,c,\n", {"forbidden": [("a", "b")], "required": [("b", "c")]}),
        ('from,to\n"a,b",größe\n', {"required": [("a,b", "größe")]}),
        ("\ufeffID,Parent,Child\r\n1,a,b\r\n2,b,c\r\n", {"required": [("a", "b"), ("b", "c")]}),
        ("ID,Tier 1,Tier 2,Tier 3,END\n1,a,b,d,\n2,c,,e,\n", {"tiers": [["a", "c"], ["b"], ["d", "e"]]}),
        ("ID,Tier 1,Tier 2,END\n1,a,b,END\n2,,c\n", {"tiers": [["a"], ["b", "c"]]}),
    ],
)
def test_csv_files(text: str, expected: dict[str, Any], tmp_path: Path) -> None:
    assert sb.Knowledge.of(_file(tmp_path, "known.csv", text)) == sb.Knowledge(**expected)


def test_names_in_csv_files_are_text_whatever_they_look_like(tmp_path: Path) -> None:
    assert sb.Knowledge.of(_file(tmp_path, "known.csv", "from,to\n1,NA\n")).required == (("1", "NA"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected the header 'from,to'"),
        ("a,b\nc,d\n", "line 1: expected the header 'from,to'.* got 'a,b'"),
        ("from,to\na\n", "line 2: expected from,to, got 'a'"),
        ("from,to\na,\n", "line 2: expected from,to"),
        ("from,to,kind\na,b,no\n", "line 2: expected a kind, required, forbidden, allowed; got 'no'"),
        ("ID,Tier 2,Tier 1,END\n1,a,b,\n", "line 1: expected the tiers in order, tier 1, tier 2"),
        ("ID,Tier 1,END\n1,a,b\n", "line 2: expected nothing after tier 1"),
    ],
)
def test_csv_files_that_say_something_else_are_refused(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(sb.FormatError, match=message):
        sb.Knowledge.of(_file(tmp_path, "known.csv", text))


def test_a_file_can_be_a_list_of_arcs(tmp_path: Path) -> None:
    path = _file(tmp_path, "constraintsForbidden.csv", "ID,Parent,Child\n1,a,b\n")
    assert sb.Knowledge(forbidden=str(path)) == sb.Knowledge(forbidden=[("a", "b")])  # type: ignore[arg-type]
    tiers = _file(tmp_path, "tiers.csv", "ID,Tier 1,END\n1,a,\n")
    with pytest.raises(sb.KnowledgeError, match="forbidden= contains tiers"):
        sb.Knowledge(forbidden=tiers)  # type: ignore[arg-type]


def test_files_that_are_not_there_or_something_else(tmp_path: Path) -> None:
    with pytest.raises(sb.FormatError, match="there is no such file"):
        sb.Knowledge.of(tmp_path / "none.toml")
    with pytest.raises(sb.KnowledgeError, match=r"ends in \.toml or \.csv"):
        sb.Knowledge.of("known.xlsx")
    with pytest.raises(sb.KnowledgeError, match=r"'a' is neither a list of arcs"):
        sb.Knowledge(required="a")  # type: ignore[arg-type]


def test_several_hold_together(tmp_path: Path) -> None:
    tiers = _file(tmp_path, "tiers.csv", "ID,Tier 1,Tier 2,END\n1,a,b,\n")
    arcs = _file(tmp_path, "arcs.csv", "ID,Parent,Child\n1,a,b\n")
    assert sb.Knowledge.of([tiers, arcs, {"roots": ["a"]}]) == sb.Knowledge(
        tiers=[["a"], ["b"]], required=[("a", "b")], roots=["a"]
    )


@pytest.mark.parametrize("wrong", [3, object(), {1, 2}])
def test_what_is_no_knowledge_says_what_would_be(wrong: object) -> None:
    with pytest.raises(sb.KnowledgeError, match="knowledge= must be a Knowledge, a dict of its parts, the path"):
        sb.Knowledge.of(wrong)


def test_a_list_of_arcs_does_not_say_what_they_are() -> None:
    with pytest.raises(sb.KnowledgeError, match=r"use required=\[\.\.\.\] or forbidden=\[\.\.\.\]"):
        sb.Knowledge.of([("a", "b")])


@pytest.mark.parametrize(
    ("word", "arc"),
    [
        ("a:b", ("a", "b")),
        ("my age : my bp", ("my age", "my bp")),
        ("a->b", ("a", "b")),
        ("x:y -> z:1", ("x:y", "z:1")),
        ("größe:b", ("größe", "b")),
    ],
)
def test_words_for_arcs(word: str, arc: tuple[str, str]) -> None:
    assert arcs_from_words("required", [word]) == [arc]


def test_a_word_that_is_a_file_has_the_arcs_of_the_file(tmp_path: Path) -> None:
    path = _file(tmp_path, "constraintsForbidden.csv", "ID,Parent,Child\n1,b,a\n2,c,a\n")
    assert arcs_from_words("forbidden", ["a:c", str(path)]) == [("a", "c"), ("b", "a"), ("c", "a")]
    path = _file(tmp_path, "known.csv", "from,to,kind\na,b,required\n")
    with pytest.raises(sb.KnowledgeError, match="forbidden= contains pairs that are required"):
        arcs_from_words("forbidden", [str(path)])


@pytest.mark.parametrize("word", ["a", "a:b:c", ":b", "a:", "a->b->c", "->", ""])
def test_words_that_are_no_arc_say_how_one_is_written(word: str) -> None:
    with pytest.raises(sb.KnowledgeError, match="is not an arc: write from:to, or 'from->to' if a name has a colon"):
        arcs_from_words("required", [word])


def test_words_for_tiers_and_limits() -> None:
    assert tiers_from_words(["a, b", '"c,d"', '"say ""e""",f']) == [["a", "b"], ["c,d"], ['say "e"', "f"]]
    assert limits_from_words(["2", "a=b=3"]) == {...: 2, "a=b": 3}
    with pytest.raises(sb.KnowledgeError, match="is not a tier"):
        tiers_from_words(["a,,b"])
    for word in ("x", "=3", "a=", "a=-1", "1.5"):
        with pytest.raises(sb.KnowledgeError, match=f"--max-parents {word}: write a number, or name=number"):
            limits_from_words([word])
