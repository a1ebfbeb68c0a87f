"""What commands say: names come from data, and must neither steer the terminal nor be taken for markup."""

from __future__ import annotations

import typer

from stablebn.errors import spelled


def say(text: str, *, err: bool = False) -> None:
    """Print lines of text."""
    typer.echo(spelled(text, keep="\n"), err=err)
