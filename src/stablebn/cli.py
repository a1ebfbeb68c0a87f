"""The command line: first the answer, then what to worry about, then how to see more."""

from __future__ import annotations

import importlib
import io
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from stablebn.commands.terminal import say
from stablebn.errors import DataError, StableBNError

COMMANDS = (
    *("learn", "report", "explain", "check", "score", "compare", "stability", "bootstrap", "cross-validate"),
    *("verify", "near-optimal"),
    *("study", "networks", "sample", "demo"),
)
"""The commands: each is a module of `stablebn.commands`, with its function `command` and its `HELP`."""


class _Commands(TyperGroup):
    """The commands, of which only the one that is called is imported."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Make a command; None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"stablebn.commands.{cmd_name.replace('-', '_')}")
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(cmd_name, help=module.HELP)(module.command)
        return typer.main.get_command(alone)


app = typer.Typer(
    cls=_Commands,
    help="Learn Bayesian networks: one table, one graph.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Without it Rich need not be imported for the help.
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def root(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Learn Bayesian networks: one table, one graph."""
    if version:
        from stablebn import __version__

        typer.echo(f"stablebn {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command; errors that are the user's to mend are a message, not a traceback."""
    # NumPy's linear algebra starts as many threads as there are cores, and no command needs them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        # A name may have characters that the terminal has not.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except StableBNError as error:
        say(f"{type(error).__name__}: {error}", err=True)
        if isinstance(error, DataError) and error.remedy:
            # Here and not above: without an error it is not needed.
            from stablebn.commands.options import flags_of

            say(f"What helps: {flags_of(error.remedy)}", err=True)
        sys.exit(2)
