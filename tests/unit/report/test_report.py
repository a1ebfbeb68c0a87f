"""Test the content of the report for all kinds of results."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import stablebn as sb
from stablebn.report import report_text
from stablebn.report.collect import content_of
from stablebn.report.content import Content
from stablebn.report.graph_svg import Shades

_VOID = {"meta", "link", "input"}


class _Page(HTMLParser):
    """The elements of a page with their attributes, and its text; asserts that every element is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for own, attributes in self.elements if own == tag]

    def with_class(self, name: str) -> list[dict[str, str | None]]:
        return [own for _, own in self.elements if name in (own.get("class") or "").split()]


@pytest.fixture(scope="module")
def table() -> Any:
    return sb.read_network("asia").sample(1000, seed=1)


@pytest.fixture(scope="module")
def result(table: Any) -> sb.Result:
    return sb.learn(table)


def _data(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="report-data">(.*?)</script>', text, flags=re.S)
    assert found is not None
    read: dict[str, Any] = json.loads(found[1])
    return read


def test_the_page_has_every_arc_and_variable_and_ids_are_unique(result: sb.Result) -> None:
    page = _Page(report_text(result))
    assert len(page.with_class("node")) == 8
    drawn = [own for own in page.with_class("arc") if "data-arc" in own]
    assert len(drawn) == len(result.arcs) == 7
    assert sum("arbitrary" in str(own["class"]).split() for own in drawn) == len(result.undirected) == 2
    ids = [own["id"] for _, own in page.elements if "id" in own]
    assert len(ids) == len(set(ids))
    links = [str(own["href"]) for own in page.of("a")]
    assert all(link.startswith("#") and link[1:] in ids for link in links)


def test_the_summary_is_the_first_thing_said(result: sb.Result) -> None:
    content = content_of(result)
    assert content.summary == "8 variables, 1,000 rows: 7 arcs; the data decide the direction of 5."
    assert f"<h1>{content.summary}</h1>" in report_text(result)


def test_explanations_are_those_of_explain(result: sb.Result) -> None:
    told = _data(report_text(result))
    names = [node["title"] for node in told["nodes"]]
    for arc in told["arcs"]:
        a, b = (names[end] for end in arc["ends"])
        assert arc["sentences"] == list(result.explain(a, b).sentences)
        assert len(arc["sentences"]) == 3


def test_the_parts_of_the_score_add_up(result: sb.Result, table: Any) -> None:
    content = content_of(result)
    by_node = sb.score(result, table).by_node
    assert {variable.name: variable.family and variable.family.score for variable in content.variables} == by_node
    by = {name: result.config[name] for name in ("score", "prior")}
    alone = sb.score(sb.DAG(result.nodes, []), table, **by).by_node
    assert {variable.name: variable.family and variable.family.alone for variable in content.variables} == alone


def test_nothing_is_asked_for_from_elsewhere(result: sb.Result) -> None:
    text = report_text(result)
    page = _Page(text)
    (policy,) = [str(own["content"]) for own in page.of("meta") if own.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    addresses = [str(own[name]) for _, own in page.elements for name in ("src", "href") if name in own]
    assert [own for own in addresses if not own.startswith("#")] == ["data:,"]
    assert not re.search(r"https?:|@import|url\(", text)
    assert not any("style" in own or any(name.startswith("on") for name in own) for _, own in page.elements)


@pytest.mark.parametrize("score", ["bic", "bds", "k2"])
def test_what_decided_is_what_explain_says(table: Any, score: str) -> None:
    result = sb.learn(table, score=score, forbidden=[("bronc", "smoke")])
    for arc in content_of(result).arcs:
        assert arc.direction == result.explain(*arc.ends).direction


@pytest.mark.parametrize("algorithm", ["pc-stable", "gs", "fges", "mmhc", "best", "exact", "hc"])
def test_other_learners_have_a_report(table: Any, algorithm: str) -> None:
    result = sb.learn(table, algorithm)
    page = _Page(report_text(result))
    told = " ".join(page.text)
    assert sb.learn(table, algorithm).fingerprint in told
    drawn = [own for own in page.with_class("arc") if "data-arc" in own]
    assert len(drawn) == len(result.arcs)
    if result.proof is not None:
        assert "This is the best graph: it is proven" in told
    if algorithm == "hc":
        assert "With another column order, this algorithm may give another graph" in told


def test_a_graph_that_was_stopped_early_says_so(table: Any) -> None:
    text = report_text(sb.learn(table, "tabu-stable", max_iter=2))
    assert '<span class="badge">Unfinished</span>' in text
    assert "A search was stopped at max_iter=2 steps" in text
    assert "Unfinished</span>" not in report_text(sb.learn(table))


def test_a_skeleton_without_directions_has_a_report(table: Any, tmp_path: Path, time_is_up: dict[str, Any]) -> None:
    # With a checkpoint the variables are ordered even if the time is up.
    result = sb.learn(table, "pc-stable", checkpoint=tmp_path / "skeleton", **time_is_up)
    assert result.dag is None
    text = report_text(result)
    page = _Page(text)
    assert "It has no directions yet" in text
    assert "another run may give another graph" in text
    drawn = [str(own["class"]) for own in page.with_class("arc") if "data-arc" in own]
    assert len(drawn) == len(result.pdag.undirected)
    assert all("headless-dag" in own for own in drawn)
    assert not any(own.get("name") == "view" for own in page.of("input"))


def test_a_graph_that_no_dag_extends_has_a_report() -> None:
    child = sb.read_network("child")
    result = sb.learn(child.sample(500, seed=8), "gs")
    assert result.dag is None
    text = report_text(result, true=child)
    assert "No DAG extends the learned graph" in text
    assert "edges as they are" in text
    content = content_of(result, true=child)
    assert content.comparison == sb.compare(result.pdag, child, as_cpdag=False)


def test_known_directions_differ_from_those_that_the_data_decide(table: Any) -> None:
    content = content_of(sb.learn(table, required=[("smoke", "lung")], forbidden=[("bronc", "smoke")]))
    known = [arc.ends for arc in content.arcs if arc.direction == "known"]
    assert ("smoke", "lung") in known
    assert content.summary.endswith(f"knowledge that of {len(known)}.")


def test_columns_that_take_no_part_and_findings_are_shown() -> None:
    columns = {
        "sex": ["f", "m"] * 50,
        "site": ["x"] * 100,
        "id": [f"p{i}" for i in range(100)],
        "code": [1, 2] * 50,
        "note": ["a", "b"] * 50,
    }
    result = sb.learn(columns, drop=["note"])
    content = content_of(result)
    kinds = {variable.name: variable.kind for variable in content.variables}
    assert kinds == {"sex": "categorical", "site": "constant", "id": "set aside", "code": "categorical"}
    text = report_text(result)
    for finding in sb.check(columns, drop=["note"]).findings:
        assert finding.message.replace("'", "&#39;")[1:] in text
    assert "olumns that were not used: note." in text


def test_merged_columns_are_named() -> None:
    values = ["f", "m", "m"] * 30
    text = report_text(sb.learn({"a": values, "b": values, "c": ["x", "y"] * 45}, duplicates="merge"))
    assert "stands for b, which have the same values" in text


def test_a_result_from_a_file_has_a_report(result: sb.Result) -> None:
    read = sb.Result.from_json(result.to_json())
    content = content_of(read)
    assert content.layout == content_of(result).layout
    assert {arc.ends: arc.strength for arc in content.arcs} == dict(result.strengths)
    assert "made from a file without the table" in _data(report_text(read))["arcs"][0]["sentences"][0]


def test_the_true_graph_is_compared_with(result: sb.Result) -> None:
    content = content_of(result, true="asia")
    by_status: dict[str, set[Any]] = {}
    for arc in content.arcs:
        by_status.setdefault(str(arc.truth), set()).add(arc.ends)
    assert by_status == {"matched": set(result.arcs), "missing": {("asia", "tub")}}
    backwards = sb.DAG(result.nodes, [("dysp", "bronc"), ("xray", "bronc"), ("asia", "bronc")])
    words = {arc.ends: arc.truth for arc in content_of(result, true=backwards).arcs}
    assert words["bronc", "dysp"] == "reversed"
    assert words["either", "xray"] == "extra"
    assert words["asia", "bronc"] == "missing"
    # Compared with a CPDAG in which the edge has no direction.
    chain = sb.DAG(result.nodes, [("either", "xray")])
    assert {arc.ends: arc.truth for arc in content_of(result, true=chain).arcs}["either", "xray"] == "undecided"


def test_a_true_graph_of_other_variables_is_refused(result: sb.Result, tmp_path: Path) -> None:
    with pytest.raises(sb.GraphError, match="same nodes"):
        result.report(tmp_path / "report.html", true=sb.DAG("ab", []))
    assert list(tmp_path.iterdir()) == []


def test_audit_and_bootstrap_are_shown(result: sb.Result, table: Any) -> None:
    audit = sb.stability(table, "tabu", repeats=4)
    bootstrap = sb.bootstrap(table, replicates=5)
    content = content_of(result, audit=audit, bootstrap=bootstrap)
    text = report_text(result, audit=audit, bootstrap=bootstrap)
    assert audit.verdict in text
    assert bootstrap.noise in text
    for arc in content.arcs:
        edge = bootstrap.edge(*arc.ends)
        assert arc.replicates == (edge.adjacent, edge.direction if edge.adjacent else 0.0)
    found = [edge for edge in audit.edges if {edge.a, edge.b} == {"bronc", "dysp"}]
    assert {arc.ends: arc.layouts for arc in content.arcs}["bronc", "dysp"] == (4, found[0].forward / 4)


@pytest.mark.parametrize("option", ["audit", "bootstrap"])
def test_wrong_stability_and_bootstrap_results_are_refused(result: sb.Result, option: str) -> None:
    wrong: dict[str, Any] = {option: "audit"}
    with pytest.raises(sb.OptionError, match=f"{option}= needs the result of stablebn"):
        report_text(result, **wrong)
    other = {"a": ["x", "y"] * 20, "b": ["x", "x", "y", "y"] * 10}
    wrong[option] = sb.stability(other, "hc", repeats=2) if option == "audit" else sb.bootstrap(other, replicates=2)
    with pytest.raises(sb.OptionError, match="other variables"):
        report_text(result, **wrong)


def test_the_call_learns_the_same_graph_again(table: Any) -> None:
    first = sb.learn(table, "hc-stable", score="bde", iss=2.0, max_parents=2)
    call = content_of(first).call
    assert call.startswith("stablebn.learn(data, 'hc-stable', ")
    assert eval(call, {"stablebn": sb, "data": table}).fingerprint == first.fingerprint
    assert call.replace("'", "&#39;") in report_text(first)


def test_hostile_names_and_commands_stay_text() -> None:
    asia = sb.read_network("asia").sample(500, seed=1).to_pydict()
    names = [
        "<script>alert(1)</script>",
        "</script><b>",
        "\"'&",
        "a\u2028b",
        "x" * 500,
        "\u202eevil",
        "{{script}}",
        "\x00",
    ]
    result = sb.learn(dict(zip(names, asia.values(), strict=True)))
    text = report_text(result, command="</pre><script>alert(2)</script>")
    page = _Page(text)
    assert len(page.of("script")) == 2
    assert page.of("b") == [{}, *[{}] * (len(page.of("b")) - 1)]
    assert "\u2028" not in text
    assert "\x00" not in text
    assert "<script>alert" not in text
    labels = [variable.label for variable in content_of(result).variables]
    assert max(len(label.short) for label in labels) == 24
    assert {label.full for label in labels} >= {"x" * 500, "<script>alert(1)</script>", "{{script}}"}


def test_names_that_are_no_text_are_shown() -> None:
    asia = sb.read_network("asia").sample(300, seed=1).to_pydict()
    result = sb.learn(dict(zip([1, 2.5, ("a", 1), "b", 3, 4, 5, 6], asia.values(), strict=True)))
    shown: Content = content_of(result)
    assert {variable.label.full for variable in shown.variables} >= {"1", "2.5", "('a', 1)", "b"}


def test_an_empty_graph_has_a_report() -> None:
    text = report_text(sb.learn({"a": ["x", "y", "y", "x"] * 20, "b": ["x", "x", "y", "y"] * 20}))
    assert "2 variables, 80 rows: no arcs." in text
    assert "The graph has no edges." in text


def test_shades_go_from_the_weakest_to_the_strongest() -> None:
    shades = Shades(1.0, 100_000.0)
    assert [shades.shade(own) for own in (-3.0, 1.0, 11.0, 101.0, 1001.0, 10_001.0, 100_000.0)] == [0, 0, 1, 2, 3, 4, 4]
    assert Shades(5.0, 5.0).shade(5.0) == 4


def test_the_file_is_written_whole_and_not_over_another(result: sb.Result, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    result.report(path)
    assert path.read_text(encoding="utf-8") == report_text(result)
    path.write_text("mine")
    with pytest.raises(sb.OptionError, match="exists"):
        result.report(path)
    assert path.read_text() == "mine"
    result.report(path, force=True)
    assert path.read_text(encoding="utf-8") == report_text(result)
    assert [own.name for own in tmp_path.iterdir()] == ["report.html"]
