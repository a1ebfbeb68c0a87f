"""The one place that escapes."""

from __future__ import annotations

import json

import pytest

from stablebn.report.markup import Markup, element, escaped, joined, json_for_script

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>",
    "\"'&<>",
    "line\u2028and\u2029paragraph",
    "\x00\x1b[31m\u202e",
    "\ud800",
    "<!--",
    "]]>",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_from_data_is_never_markup(text: str) -> None:
    for made in (escaped(text), element("p", text), element("p", title=text), joined(text)):
        inside = made.removeprefix("<p>").removeprefix('<p title="').removesuffix("</p>").removesuffix('">')
        assert not set(inside) & set("<>\"'\u2028\u2029\x00\x1b")
        made.encode()


def test_markup_stays_as_it_is() -> None:
    assert element("p", element("b", "<"), Markup("&amp;")) == "<p><b>&lt;</b>&amp;</p>"


@pytest.mark.parametrize("text", HOSTILE)
def test_json_ends_no_script_and_gives_back_the_text(text: str) -> None:
    made = json_for_script({text: [text]})
    assert made.isascii()
    assert not set(made) & set("<>&")
    assert json.loads(made) == {text: [text]}
