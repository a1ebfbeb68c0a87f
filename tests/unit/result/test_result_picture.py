"""Pictures of results, and what notebooks show of them."""

from __future__ import annotations

import random
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import stablebn as sb
from stablebn.plotting.arc_styles import DASHES
from stablebn.result.notebook import MOST_DRAWN
from stablebn.result.result import Result

TABLE = {
    name: column.to_pylist()
    for name, column in zip("abcdefgh", sb.read_network("asia").sample(600, seed=1).columns, strict=True)
}


def _other_layout(table: dict[str, list[Any]], seed: int) -> dict[str, list[Any]]:
    """The same table with columns and rows in another order."""
    names, rows = list(table), list(range(len(next(iter(table.values())))))
    random.Random(seed).shuffle(names)
    random.Random(seed + 1).shuffle(rows)
    return {name: [table[name][row] for row in rows] for name in names}


@pytest.mark.parametrize("algorithm", ["tabu-stable", "pc-stable", "fges"])
def test_one_table_one_picture_whatever_its_layout(algorithm: str, tmp_path: Path) -> None:
    pages, files = set(), set()
    for seed in range(3):
        result = sb.learn(_other_layout(TABLE, seed), algorithm)
        pages.add(result._repr_html_())
        path = tmp_path / f"{seed}.svg"
        result.plot(path, layout="layered")
        files.add(path.read_bytes())
    assert (len(pages), len(files)) == (1, 1)


def test_dashed_lines_are_the_arbitrary_directions_whatever_is_shown() -> None:
    result = sb.learn(TABLE)
    assert result.undirected
    for directions in ("marked", "cpdag", "dag"):
        edges = result.drawing(directions, result.strengths).edges
        dashed = {frozenset((edge.a, edge.b)) for edge in edges if edge.stroke.dashes == DASHES}
        assert dashed == {frozenset(edge) for edge in result.undirected}
        headless = {frozenset((edge.a, edge.b)) for edge in edges if not edge.head}
        assert headless == (set() if directions == "dag" else dashed)


def test_views_of_a_result_have_the_nodes_in_the_same_places() -> None:
    result = sb.learn(TABLE)
    boxes = {result.drawing(view, result.strengths).scene().boxes for view in ("marked", "cpdag", "dag")}
    assert len(boxes) == 1


def test_stronger_arcs_are_darker_and_broader() -> None:
    result = sb.learn(TABLE)
    strokes = {(edge.a, edge.b): edge.stroke for edge in result.drawing("dag", result.strengths).edges}
    by_strength = [strokes[arc] for arc in sorted(result.strengths, key=result.strengths.__getitem__)]
    assert [stroke.width for stroke in by_strength] == sorted(stroke.width for stroke in by_strength)
    red = [int(stroke.colour[1:3], 16) for stroke in by_strength]
    assert red == sorted(red, reverse=True)
    assert len(set(red)) > 2


class _Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)
        self.attributes |= {name for name, _ in attrs}


def test_names_do_nothing_on_the_page() -> None:
    names = [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        '" onload="alert(1)',
        "a&b",
        "</svg><b>",
        *"fgh",
    ]
    plain, odd = sb.learn(TABLE), sb.learn(dict(zip(names, TABLE.values(), strict=True)))
    ours, theirs = _Tags(plain._repr_html_()), _Tags(odd._repr_html_())
    assert sorted(ours.found) == sorted(theirs.found)
    assert ours.attributes == theirs.attributes
    assert not {"script", "img", "onload", "onerror"} & {*theirs.found, *theirs.attributes}


def test_the_page_has_summary_graph_and_arcs_the_strongest_first() -> None:
    result = sb.learn(TABLE)
    page = result._repr_html_()
    assert "with Best (" in page
    assert f"Fingerprint {result.fingerprint}." in page
    assert page.count("<svg") == 1
    rows = re.findall(r"<tr><td>(.*?)</td><td>(.)</td><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td></tr>", page)
    assert len(rows) == len(result.arcs)
    assert {frozenset((a, b)) for a, mark, b, _, _ in rows if mark == "–"} == {frozenset(e) for e in result.undirected}
    strengths = [float(strength.replace(",", "")) for _, _, _, strength, _ in rows]
    assert strengths == [round(own, 2) for own in sorted(result.strengths.values(), reverse=True)]


def test_known_directions_are_told_apart() -> None:
    page = sb.learn(TABLE, required=[("a", "h")])._repr_html_()
    assert page.count("<td>known</td>") == 1


def test_a_graph_without_edges_and_a_graph_without_a_score_have_pages() -> None:
    lone = sb.learn({"a": ["x", "y"] * 20, "b": ["p", "p", "q", "q"] * 10})
    assert not lone.arcs
    assert "<table>" not in lone._repr_html_()
    assert lone.plot(layout="layered").get_size_inches().min() > 0
    scoreless = Result.from_json(lone.to_json())
    assert scoreless._repr_html_() == lone._repr_html_()


def test_large_graphs_are_not_drawn_unasked() -> None:
    table = {f"v{place}": ["x", "y"] * 4 for place in range(MOST_DRAWN + 1)}
    page = sb.learn(table, max_parents=1)._repr_html_()
    assert "<svg" not in page
    assert "say result.plot" in page


def test_a_result_from_a_file_is_drawn_as_it_was(tmp_path: Path) -> None:
    result = sb.learn(TABLE)
    again = Result.from_json(result.to_json())
    for name, own in (("one.png", result), ("other.png", again)):
        own.plot(tmp_path / name, directions="dag", layout="layered")
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "other.png").read_bytes()
