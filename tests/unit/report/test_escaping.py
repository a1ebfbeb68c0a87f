"""The templates of the report escape all text that comes from data."""

from __future__ import annotations

import json

import pytest

from stablebn.report.render import _environment

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
    macro = "{% macro item(words) %}<p>{{ words }}</p>{% endmacro %}"
    for source in ("<p>{{ text }}</p>", '<p title="{{ text }}"></p>', macro + "{{ item(text) }}"):
        made = _environment().from_string(source).render(text=text)
        inside = made.removeprefix("<p>").removeprefix('<p title="').removesuffix("</p>").removesuffix('">')
        assert not set(inside) & set("<>\"'\u2028\u2029\x00\x1b")
        made.encode()


def test_markup_of_a_macro_stays_as_it_is() -> None:
    source = "{% macro bold(words) %}<b>{{ words }}</b>{% endmacro %}<p>{{ bold('<') ~ '&' }}</p>"
    assert _environment().from_string(source).render() == "<p><b>&lt;</b>&amp;</p>"


def test_a_name_that_a_template_does_not_know_is_an_error() -> None:
    with pytest.raises(Exception, match="'nothing' is undefined"):
        _environment().from_string("{{ nothing }}").render()


@pytest.mark.parametrize("text", HOSTILE)
def test_json_ends_no_script_and_gives_back_the_text(text: str) -> None:
    made = _environment().from_string("{{ data | tojson }}").render(data={text: [text]})
    assert made.isascii()
    assert not set(made) & set("<>&")
    assert json.loads(made) == {text: [text]}
