"""Test the plots of graphs, as SVG and with matplotlib."""

from __future__ import annotations

import random
import shutil
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import pytest

import stablebn as sb
from stablebn.plotting.arc_styles import COMPARED, EXTRA, IN_WORDS, MATCHED, MISSING, REVERSED, UNDECIDED
from stablebn.plotting.graph_plot import drawing_of, drawing_of_comparison
from stablebn.plotting.scene import Scene

SVG = "{http://www.w3.org/2000/svg}"
CHAIN = sb.DAG("abc", [("a", "b"), ("b", "c")])
NAMES = [
    "plain",
    "<script>alert(1)</script>",
    "$x_1$",
    "a & b",
    'say "so"',
    "new\nline",
    "\x1b[31mred",
    "年齢",
    ("t", 1),
    7,
]
ODD = sb.DAG(NAMES, list(pairwise(NAMES)))
# The font that comes with matplotlib has no Japanese.
ODD_LATIN = sb.DAG([name for name in NAMES if name != "年齢"], [("plain", "$x_1$"), ("$x_1$", 7)])


def _graph(nodes: int, seed: int) -> sb.DAG:
    return sb.random_network(nodes, seed=seed).dag


def _shuffled(graph: sb.DAG, seed: int) -> sb.DAG:
    nodes, arcs = list(graph.nodes), list(graph.arcs)
    random.Random(seed).shuffle(nodes)
    random.Random(seed + 1).shuffle(arcs)
    return sb.DAG(nodes, arcs)


@pytest.mark.parametrize("nodes", [1, 8, 37])
def test_order_of_nodes_and_arcs_does_not_change_a_byte(nodes: int) -> None:
    graph = _graph(nodes, seed=3)
    assert len({_shuffled(graph, seed)._repr_svg_() for seed in range(4)}) == 1


def test_an_svg_names_all_nodes_and_draws_all_edges() -> None:
    graph = sb.PDAG("abcd", [("a", "b")], [("b", "c")])
    root = ET.fromstring(graph._repr_svg_())
    assert [own.text for own in root.iter(f"{SVG}text")] == ["a", "b", "c", "d", "no direction"]
    assert len(list(root.iter(f"{SVG}polygon"))) == 1
    lines = list(root.iter(f"{SVG}path"))
    assert ["stroke-dasharray" in line.attrib for line in lines] == [False, True, True]


@pytest.mark.parametrize("graph", [ODD, ODD.cpdag()], ids=["DAG", "PDAG"])
def test_names_do_nothing_in_an_svg(graph: sb.DAG | sb.PDAG) -> None:
    text = graph._repr_svg_()
    root = ET.fromstring(text)
    assert {own.tag.removeprefix(SVG) for own in root.iter()} <= {
        "svg",
        "rect",
        "path",
        "polygon",
        "g",
        "title",
        "text",
    }
    assert "<script" not in text
    shown = {own.text for own in root.iter(f"{SVG}title")}
    assert {"<script>alert(1)</script>", "a & b", 'say "so"', "\\x1b[31mred"} <= shown


def test_a_graph_without_nodes_is_drawn() -> None:
    assert ET.fromstring(sb.DAG([], [])._repr_svg_()).tag == f"{SVG}svg"
    assert sb.DAG([], []).plot(layout="layered").get_size_inches().min() > 0


def _inside(scene: Scene) -> bool:
    spots = [
        (box.x + dx * box.width / 2, box.y + dy * box.height / 2)
        for box in scene.boxes
        for dx, dy in ((-1, -1), (1, 1))
    ]
    spots += [(spot.x, spot.y) for curve in scene.curves for spot in curve.path]
    spots += [(words.x, words.y) for words in scene.words]
    return all(0 <= x <= scene.width and 0 <= y <= scene.height for x, y in spots)


needs_graphviz = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


@pytest.mark.parametrize("layout", ["layered", pytest.param("graphviz", marks=needs_graphviz)])
@pytest.mark.parametrize("nodes", [1, 8, 37])
def test_boxes_do_not_overlap_and_nothing_sticks_out(nodes: int, layout: str) -> None:
    alone = sb.DAG([*_graph(nodes, seed=nodes).nodes, *"pqrst"], _graph(nodes, seed=nodes).arcs)
    scene = drawing_of(alone).scene(layout)  # type: ignore[arg-type]
    assert _inside(scene)
    boxes = scene.boxes
    for place, one in enumerate(boxes):
        for other in boxes[place + 1 :]:
            aside = abs(one.x - other.x) >= (one.width + other.width) / 2
            assert aside or abs(one.y - other.y) >= (one.height + other.height) / 2, (one, other)


@needs_graphviz
def test_graphviz_gives_the_same_bytes_again_and_for_any_order() -> None:
    graph = _graph(37, seed=1)
    scenes = {drawing_of(_shuffled(graph, seed)).scene("graphviz") for seed in range(3)}
    assert len(scenes) == 1
    assert scenes != {drawing_of(graph).scene("layered")}
    assert drawing_of(graph).scene("auto") in scenes


def test_without_graphviz_it_is_named_if_asked_for_and_else_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(sb.OptionError, match="Install Graphviz, or use layout='layered'"):
        CHAIN.plot(layout="graphviz")
    assert drawing_of(CHAIN).scene("auto") == drawing_of(CHAIN).scene("layered")


def test_a_graphviz_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\necho no memory >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    with pytest.raises(sb.OptionError, match="cannot lay this graph out: no memory"):
        CHAIN.plot()


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
def test_pictures_are_written_by_ending_with_the_same_bytes_and_never_over_another(tmp_path: Path, ending: str) -> None:
    one, other = tmp_path / f"one{ending}", tmp_path / f"other{ending}"
    ODD_LATIN.plot(one, layout="layered")
    _shuffled(ODD_LATIN, 1).plot(other, layout="layered")
    assert one.read_bytes().startswith({".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[ending])
    assert one.read_bytes() == other.read_bytes()
    with pytest.raises(sb.OptionError, match=r"exists. Say --force \(force=True\)"):
        CHAIN.plot(one)
    CHAIN.plot(one, force=True)
    assert one.read_bytes() != other.read_bytes()


def test_a_file_that_is_no_picture_is_refused_before_anything_is_drawn(tmp_path: Path) -> None:
    with pytest.raises(sb.OptionError, match=r"must end in .png, .svg, .pdf"):
        CHAIN.plot(tmp_path / "graph.doc")
    with pytest.raises(sb.OptionError, match="layout='circle' is not known"):
        CHAIN.plot(layout="circle")  # type: ignore[arg-type]


def test_without_matplotlib_a_plot_names_the_extra_and_svg_needs_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "stablebn.plotting.notebook_figure", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(sb.MissingExtraError, match=r"pip install 'stablebn\[plot\]'"):
        CHAIN.plot()
    assert CHAIN._repr_svg_().startswith("<svg")


def test_a_comparison_shows_what_became_of_every_edge() -> None:
    learned = sb.PDAG("abcdef", [("a", "b"), ("c", "b"), ("e", "f")], [("c", "d")])
    true = sb.PDAG("abcdef", [("a", "b"), ("b", "c")], [("d", "e"), ("e", "f")])
    edges = {(edge.a, edge.b): edge for edge in drawing_of_comparison(learned, true, title="").edges}
    drawn = {ends: ([v for v, stroke in COMPARED.items() if stroke == e.stroke], e.head) for ends, e in edges.items()}
    assert drawn == {
        ("a", "b"): ([MATCHED], True),
        ("c", "b"): ([REVERSED], True),
        ("c", "d"): ([EXTRA], False),
        ("d", "e"): ([MISSING], False),
        ("e", "f"): ([UNDECIDED], True),
    }
    assert edges["c", "b"].note == "c → b: reversed; the true graph has b → c"
    assert edges["e", "f"].note == "e → f: directed in only one; the true graph has e – f"


def test_strokes_of_a_comparison_can_be_told_apart_without_colours() -> None:
    assert len({stroke.dashes for stroke in COMPARED.values()}) == len({s.colour for s in COMPARED.values()}) == 5


def test_comparisons_are_drawn_and_count_what_they_show(tmp_path: Path) -> None:
    result = sb.learn(sb.read_network("asia").sample(500, seed=1))
    found = sb.compare(result, "asia")
    texts = [own.text for own in ET.fromstring(found._repr_svg_()).iter(f"{SVG}text")]
    assert f"{IN_WORDS[MATCHED]} ({found.tp})" in texts
    assert f"{IN_WORDS[MISSING]} ({sum(not edge.learned for edge in found.edges)})" in texts
    found.plot(tmp_path / "comparison.svg")
    assert (tmp_path / "comparison.svg").stat().st_size > 1000


def test_graphs_with_cycles_are_drawn() -> None:
    cycle = sb.PDAG("abc", [("a", "b"), ("b", "c"), ("c", "a")], [])
    assert cycle._repr_svg_().count("<polygon") == 3
