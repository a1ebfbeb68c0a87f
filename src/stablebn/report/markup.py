"""The one place that escapes: everything in the page that comes from data goes through here."""

from __future__ import annotations

import html
import json
from typing import Any

from stablebn.errors import spelled


class Markup(str):
    """Text that is HTML or SVG already."""

    __slots__ = ()


def escaped(text: object) -> Markup:
    """Text as it is shown: no part of it is markup, and characters that do not print are spelled out."""
    return text if isinstance(text, Markup) else Markup(html.escape(spelled(text, keep="\n"), quote=True))


def joined(*parts: object) -> Markup:
    """Some parts one after the other; those that are no markup are escaped."""
    return Markup("".join(map(escaped, parts)))


def element(tag: str, *children: object, **attributes: object) -> Markup:
    """An element; children and the values of attributes are escaped.

    >>> element("a", "<b>", href='"x"', class_="name", aria_label="1 < 2", hidden=True, title=None)
    '<a href="&quot;x&quot;" class="name" aria-label="1 &lt; 2" hidden>&lt;b&gt;</a>'

    Parameters
    ----------
    tag : str
    *children : object
    **attributes : object
        An underscore in a name stands for a hyphen, one at its end for nothing. True: there without a value; None or
        False: not there.
    """
    written = "".join(
        f" {_attribute_name(name)}" if value is True else f' {_attribute_name(name)}="{escaped(value)}"'
        for name, value in attributes.items()
        if value is not None and value is not False
    )
    return Markup(f"<{tag}{written}>" if tag == "input" else f"<{tag}{written}>{joined(*children)}</{tag}>")


def _attribute_name(name: str) -> str:
    # Names that SVG writes in camel case are given as they are.
    return name.rstrip("_").replace("_", "-")


def json_for_script(data: Any) -> Markup:
    r"""JSON that can stand inside a `<script>`: nothing in it ends the element, and all of it is ASCII.

    >>> json_for_script({"</script>": "\u2028&"})
    '{"\\u003c/script\\u003e":"\\u2028\\u0026"}'
    """
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(text)
