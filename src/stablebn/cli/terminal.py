"""Print text and JSON safely: names come from data and may contain control characters."""

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
    """Print lines of text; on a terminal, break long lines between words unless `wrap` is false."""
    shown = spelled(text, keep="\n")
    click.echo(_fitted(shown, err=err) if wrap else shown, err=err)


def say_error(kind: str, text: str) -> None:
    """Print an error message after its kind, which is red."""
    label = click.style(f"{kind}:", fg="red", bold=True)
    lines = _fitted(f"{kind}: {spelled(text, keep=chr(10))}", err=True)
    click.echo(f"{label}{lines.removeprefix(f'{kind}:')}", err=True, color=colours())


def _fitted(text: str, *, err: bool) -> str:
    """Break long lines between words; the terminal itself would break them inside words."""
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
    """Return a JSON document in ASCII, because the output may not have all characters of a name.

    Infinite numbers and NaN, which JSON does not have, become the words "Infinity", "-Infinity" and "NaN".
    """
    return json.dumps(_finite(document), indent=1, default=str, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return json.dumps(value)
    return value


def colours() -> bool | None:
    """Return whether to use colours, by NO_COLOR, FORCE_COLOR and TERM; None: only on a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return False if os.environ.get("TERM") == "dumb" else None


def console(*, stderr: bool = False, width: int | None = None) -> Console:
    """Create a Rich console that uses colour only if `colours()` allows it."""
    from rich.console import Console

    # Without colours, Rich by itself would still print bold letters.
    return Console(stderr=stderr, width=width, color_system=None if colours() is False else "auto")
