"""What commands say: names come from data, and must neither steer the terminal nor be taken for markup."""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Any

import click

from stablebn.errors import spelled

if TYPE_CHECKING:
    from rich.console import Console


def say(text: str, *, err: bool = False, wrap: bool = True) -> None:
    """Print lines of text; a terminal shows those that are too long for it on several lines, unless told otherwise."""
    shown = spelled(text, keep="\n")
    click.echo(_fitted(shown, err=err) if wrap else shown, err=err)


def say_error(what: str, text: str) -> None:
    """Print what went wrong, and its kind before it."""
    kind = click.style(f"{what}:", fg="red", bold=True)
    lines = _fitted(f"{what}: {spelled(text, keep=chr(10))}", err=True)
    click.echo(f"{kind}{lines.removeprefix(f'{what}:')}", err=True, color=colours())


def _fitted(text: str, *, err: bool) -> str:
    """Long lines broken between words, as wide as the terminal is: it would break them anywhere."""
    stream = sys.stderr if err else sys.stdout
    if not stream.isatty():
        return text
    width = shutil.get_terminal_size().columns
    return "\n".join(_broken(line, width) if len(line) > width else line for line in text.split("\n"))


def _broken(line: str, width: int) -> str:
    inset = " " * (len(line) - len(line.lstrip()) + 2)
    wrapper = TextWrapper(
        width, subsequent_indent=inset, break_long_words=False, break_on_hyphens=False, replace_whitespace=False
    )
    return wrapper.fill(line)


def say_json(document: object) -> None:
    """Print one JSON document."""
    click.echo(json_text(document), nl=False)


def json_text(document: object) -> str:
    """A JSON document, in ASCII: names may have characters that the output has not.

    JSON has no numbers that are not finite; they are the words "Infinity", "-Infinity" and "NaN".
    """
    return json.dumps(_finite(document), indent=1, default=str, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(own) for key, own in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(own) for own in value]
    if isinstance(value, float) and not math.isfinite(value):
        return json.dumps(value)
    return value


def colours() -> bool | None:
    """Whether there are colours, by NO_COLOR, FORCE_COLOR and TERM; None: where a terminal shows them."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return False if os.environ.get("TERM") == "dumb" else None


def console(*, stderr: bool = False, width: int | None = None) -> Console:
    """What Rich prints to; colours as everywhere."""
    from rich.console import Console

    # Rich itself would leave bold letters.
    return Console(stderr=stderr, width=width, color_system=None if colours() is False else "auto")
