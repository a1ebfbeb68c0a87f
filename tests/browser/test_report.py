"""Test the report in a real browser: it works and makes no requests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import stablebn as sb

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install playwright")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine: apt-get install chromium")

NAMES = (
    "<script>document.title='ran'</script>",
    "</script><img src=x onerror=\"document.title='ran'\">",
    "\"'& <b>",
    "line\u2028and\u2029paragraph",
    "x" * 500,
    "\u202eevil",
    "{{script}}",
    "${document.title='ran'}",
)


class Opened:
    """A page with its console messages and its requests."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    # The root user, as in a container, has no sandbox.
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reports")
    asia = sb.read_network("asia")
    table = asia.sample(1000, seed=1)
    result = sb.learn(table)
    result.report(folder / "asia.html")
    audit, bootstrap = sb.stability(table, "tabu", repeats=3), sb.bootstrap(table, replicates=3)
    result.report(folder / "all.html", true=asia, audit=audit, bootstrap=bootstrap, command="stablebn report asia.csv")
    hostile = sb.learn(dict(zip(NAMES, table.to_pydict().values(), strict=True)))
    hostile.report(folder / "hostile.html", command="</pre><script>document.title='ran'</script>")
    return folder


@pytest.fixture
def open_report(browser: Any, folder: Path) -> Iterator[Callable[..., Opened]]:
    contexts = []

    def opened(name: str = "asia", **settings: Any) -> Opened:
        context = browser.new_context(viewport={"width": 1280, "height": 900}, **settings)
        contexts.append(context)
        found = Opened(context.new_page())
        found.page.goto((folder / f"{name}.html").as_uri())
        return found

    yield opened
    for context in contexts:
        context.close()


def _arc(page: Any, words: str) -> Any:
    return page.locator(f'#drawing .arc[aria-label^="{words}"]')


@pytest.mark.parametrize("name", ["asia", "all", "hostile"])
def test_the_page_loads_quietly_and_asks_for_nothing_but_itself(
    open_report: Callable[..., Opened], folder: Path, name: str
) -> None:
    opened = open_report(name)
    page = opened.page
    assert page.locator("html.js").count() == 1
    for arc in page.locator("#drawing .arc").all():
        arc.dispatch_event("click")
        assert page.locator("#panel").is_visible()
    for node in page.locator("#drawing .node").all():
        node.dispatch_event("click")
    for head in page.locator("thead button").all():
        head.dispatch_event("click")
    assert opened.said == []
    assert opened.asked == [(folder / f"{name}.html").as_uri()]


def test_the_page_may_not_ask_for_anything(open_report: Callable[..., Opened]) -> None:
    opened = open_report()
    blocked = "fetch('https://example.com/').then(() => 'sent', () => 'blocked')"
    assert opened.page.evaluate(blocked) == "blocked"
    assert any("Content Security Policy" in said for said in opened.said)


def test_clicking_an_arc_opens_its_explanation(open_report: Callable[..., Opened], folder: Path) -> None:
    page = open_report().page
    assert page.locator("#panel").is_hidden()
    # Click on the line, which is only a few pixels wide.
    box = _arc(page, "bronc → dysp").locator(".head").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    result = sb.learn(sb.read_network("asia").sample(1000, seed=1))
    assert page.locator("#panel p").all_inner_texts() == list(result.explain("bronc", "dysp").sentences)
    assert page.locator("#panel h2").inner_text() == "bronc → dysp"
    page.locator("#close").click()
    assert page.locator("#panel").is_hidden()


def test_the_table_opens_explanations_too(open_report: Callable[..., Opened]) -> None:
    page = open_report().page
    page.locator("#arc-table button", has_text="either → xray").click()
    assert page.locator("#panel h2").inner_text() == "either → xray"
    result = sb.learn(sb.read_network("asia").sample(1000, seed=1))
    assert page.locator("#panel p").all_inner_texts() == list(result.explain("either", "xray").sentences)
    assert "chosen" in str(_arc(page, "either → xray").get_attribute("class"))


def test_a_variable_is_found(open_report: Callable[..., Opened]) -> None:
    page = open_report().page
    page.keyboard.press("/")
    page.keyboard.type("ei")
    assert page.locator("#found").inner_text() == "1 of 8"
    assert page.locator("#drawing .node.hit").get_attribute("aria-label") == "either, categorical"
    page.keyboard.press("Enter")
    assert page.locator("#panel h2").inner_text() == "either"
    page.keyboard.press("Escape")
    assert page.locator("#panel").is_hidden()
    page.keyboard.press("Escape")
    assert page.locator("#find").input_value() == ""
    assert page.locator("#drawing .node.hit").count() == 0


def test_the_cpdag_has_no_heads_where_directions_are_arbitrary(open_report: Callable[..., Opened]) -> None:
    page = open_report().page
    heads = page.locator("#drawing .head:visible")
    assert heads.count() == 7
    page.locator('label:has(input[value="cpdag"])').click()
    assert heads.count() == 5
    assert page.locator("#drawing .arbitrary .head:visible").count() == 0
    # A straight vertical line has no width, so the driver takes it for invisible.
    shown = (
        "[...document.querySelectorAll('#drawing .tail')].filter(own => getComputedStyle(own).display != 'none').length"
    )
    assert page.evaluate(shown) == 2


def test_isolated_variables_are_hidden(open_report: Callable[..., Opened]) -> None:
    page = open_report().page
    assert page.locator("#drawing .node:visible").count() == 8
    page.locator("#hide-isolated").check()
    assert page.locator("#drawing .node:visible").count() == 7


def test_colours_tell_what_the_true_graph_has(open_report: Callable[..., Opened]) -> None:
    page = open_report("all").page
    colour = "element => getComputedStyle(element).color"
    missing, matched = page.locator("#drawing .arc.t-missing"), page.locator("#drawing .arc.t-matched").first
    assert missing.is_hidden()
    before = matched.evaluate(colour)
    page.locator('label:has(input[value="truth"])').click()
    assert missing.is_visible()
    assert matched.evaluate(colour) != before
    assert matched.evaluate(colour) != missing.evaluate(colour)


def test_the_table_of_arcs_is_sorted_and_filtered(open_report: Callable[..., Opened]) -> None:
    page = open_report("all").page
    table = page.locator("#arc-table")
    strength = table.locator("thead button", has_text="Strength")
    column = table.locator("tbody tr td:nth-child(3)")

    def strengths() -> list[float]:
        return [float(own.replace(",", "")) for own in column.all_inner_texts() if own != "—"]

    strength.click()
    assert strengths() == sorted(strengths(), reverse=True)
    # Arcs without a value come last in both orders.
    assert column.all_inner_texts()[-1] == "—"
    strength.click()
    assert strengths() == sorted(strengths())
    assert column.all_inner_texts()[-1] == "—"
    assert table.locator("th[aria-sort='ascending']").inner_text().startswith("Strength")

    page.locator("#filter").fill("either")
    assert all("either" in own for own in table.locator("tbody tr:visible").all_inner_texts())
    assert page.locator("#filtered").inner_text() == "4 of 8"
    page.locator("#filter").fill("")
    page.locator("#filter-direction").select_option("arbitrary")
    assert table.locator("tbody tr:visible").count() == 2


def test_everything_can_be_done_with_the_keyboard(open_report: Callable[..., Opened]) -> None:
    page = open_report().page
    drawing = page.locator("#drawing")
    drawing.focus()
    start = drawing.get_attribute("viewBox")
    page.keyboard.press("ArrowRight")
    moved = drawing.get_attribute("viewBox")
    assert float(moved.split()[0]) > float(start.split()[0])
    page.keyboard.press("+")
    nearer = drawing.get_attribute("viewBox")
    assert float(nearer.split()[2]) < float(moved.split()[2])
    page.keyboard.press("-")
    page.keyboard.press("0")
    assert drawing.get_attribute("viewBox") == start
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.arc") == "0"
    assert page.evaluate("document.activeElement.matches(':focus-visible')")
    page.keyboard.press("Enter")
    assert page.locator("#panel").is_visible()
    assert page.evaluate("document.activeElement.id") == "panel"
    page.keyboard.press("Escape")
    assert page.locator("#panel").is_hidden()
    assert page.evaluate("document.activeElement.dataset.arc") == "0"
    for _ in range(7):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.node") == "0"


def test_the_graph_is_dragged_and_zoomed(open_report: Callable[..., Opened]) -> None:
    page = open_report().page
    drawing = page.locator("#drawing")
    frame = drawing.bounding_box()
    x, y = frame["x"] + 20, frame["y"] + 20
    start = [float(own) for own in drawing.get_attribute("viewBox").split()]
    _arc(page, "either → xray").dispatch_event("click")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 100, y + 40, steps=4)
    page.mouse.up()
    moved = [float(own) for own in drawing.get_attribute("viewBox").split()]
    assert moved[0] < start[0]
    assert moved[1] < start[1]
    # The end of a drag is not a click, which would close the panel.
    assert page.locator("#panel").is_visible()
    page.mouse.click(x, y)
    assert page.locator("#panel").is_hidden()
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    assert float(drawing.get_attribute("viewBox").split()[2]) < moved[2]
    page.locator("#zoom-fit").click()
    assert [float(own) for own in drawing.get_attribute("viewBox").split()] == start


def test_light_and_dark_follow_the_system_until_they_are_chosen(open_report: Callable[..., Opened]) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    light, dark = open_report(color_scheme="light").page, open_report(color_scheme="dark").page
    bright, dim = light.evaluate(background), dark.evaluate(background)
    assert bright != dim
    switch = light.locator("#theme")
    for words, colour in (("light", bright), ("dark", dim), ("auto", bright)):
        switch.click()
        assert switch.inner_text() == f"Theme: {words}"
        assert light.evaluate(background) == colour


def test_printed_it_is_light_and_has_no_controls(open_report: Callable[..., Opened]) -> None:
    page = open_report("all", color_scheme="dark").page
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator(".toolbar:visible, nav:visible, #panel:visible").count() == 0
    assert page.locator("#drawing .node:visible").count() == 8
    assert page.pdf().startswith(b"%PDF")


def test_without_scripts_it_can_be_read(open_report: Callable[..., Opened]) -> None:
    page = open_report("all", java_script_enabled=False).page
    assert page.locator("#drawing .node:visible").count() == 8
    assert page.locator("#arc-table tbody tr:visible").count() == 8
    assert page.locator(".toolbar:visible").count() == 0
    assert "Scripts are off" in page.locator("body").inner_text()


def test_hostile_names_are_shown_and_do_nothing(open_report: Callable[..., Opened]) -> None:
    opened = open_report("hostile")
    page = opened.page
    assert page.title().startswith("stablebn report: 8 variables")
    assert page.locator("img").count() == 0
    shown = page.evaluate("[...document.querySelectorAll('#drawing .node title')].map(own => own.textContent)")
    assert sorted(shown) == sorted(name.encode("unicode_escape").decode() for name in NAMES)
    for number in range(8):
        page.locator(f'#drawing .node[data-node="{number}"]').dispatch_event("click")
        assert page.locator("#panel h2").inner_text() in shown
    assert page.title().startswith("stablebn report: 8 variables")
    assert opened.said == []
    # A name of 500 letters does not make the page wider than the window.
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_labels_fit_their_boxes_and_the_page_its_window(open_report: Callable[..., Opened], width: int) -> None:
    page = open_report("all").page
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    too_wide = """[...document.querySelectorAll("#drawing .node")].filter((node) =>
        node.querySelector("text").getBBox().width > node.querySelector("rect").getBBox().width).length"""
    assert page.evaluate(too_wide) == 0
