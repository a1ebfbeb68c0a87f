"""Run the command line: print the answer first, then warnings, then how to see more."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stablebn.cli.completion import PROGRAM, install_completion, show_completion
from stablebn.cli.exit_codes import BUG, INTERRUPTED, MISTAKE, PIPE_CLOSED
from stablebn.cli.reference import DEBUG, Command, CommandOption
from stablebn.cli.terminal import colours, say, say_error
from stablebn.errors import DataError, StableBNError, spelled
from stablebn.lazy import imported, interrupts_recognised
from stablebn.threads import is_a_thread_abandoned

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

SUMMARY = "Learn Bayesian networks: one table, one graph."

COMMANDS: Mapping[str, Mapping[str, str]] = {
    "Learn a graph": {
        "learn": "Learn a graph from a table.",
        "check": "Check a table for problems before learning.",
        "explain": "Explain why two variables are adjacent, or are not.",
        "report": "Learn a graph and write an interactive HTML report.",
    },
    "Find out how certain it is": {
        "stability": "Measure how much row order, column order and names change the graph.",
        "bootstrap": "Measure how certain the edges are, by resampling the rows.",
        "cross-validate": "Measure how well an algorithm predicts rows that it has not seen.",
        "near-optimal": "List the graphs that score nearly as high as the best one.",
        "verify": "Check the proof that no graph scores higher.",
    },
    "Graphs and networks": {
        "score": "Score a graph against a table.",
        "compare": "Compare two graphs: metrics and the edges that differ.",
        "networks": "List the networks that are available by name.",
        "sample": "Draw rows from a network.",
    },
    "Benchmarks, and a first look": {
        "study": "Run a benchmark of algorithms, networks, sample sizes and layouts.",
        "demo": "Learn the built-in sample twice, the second time shuffled.",
    },
}
"""Each command and its summary, by heading of the help.

The module of a command in `stablebn.cli.commands` defines `command`, `HELP` (details), `EXAMPLE` (lines to type) and
`EXIT_CODES` (if some differ from the usual ones)."""

# Errors of a full disk or quota; without a file name they come from standard output.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

_SECTION = {name: section for section, commands in COMMANDS.items() for name in commands}


@contextmanager
def _interrupt_ends() -> Iterator[None]:
    """Turn Ctrl-C into its exit code: Click would print an empty line and exit with 1."""
    try:
        yield
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None


class _Commands(click.Group):
    """The group of all commands; it imports only the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of the help."""
        return list(_SECTION)

    def get_command(self, ctx: click.Context, cmd_name: str) -> Command | None:
        """Import a command; None if there is none of that name."""
        if cmd_name not in _SECTION:
            return None
        module = imported(f"stablebn.cli.commands.{cmd_name.replace('-', '_')}")
        command: Command = module.command
        section = _SECTION[cmd_name]
        command.name, command.section = cmd_name, section
        command.help = f"{COMMANDS[section][cmd_name]}\n\n{module.HELP.strip()}"
        command.example = tuple(module.EXAMPLE.splitlines())
        command.exit_codes = getattr(module, "EXIT_CODES", {})
        return command

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the command line; all output has colours, or none has."""
        with _interrupt_ends():
            return super().make_context(info_name, args, parent, **{"color": colours(), **extra})

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; end silently if the reader of its output has ended."""
        try:
            with _interrupt_ends():
                returned = super().invoke(ctx)
                # PyArrow closes what it has written to.
                if not sys.stdout.closed:
                    sys.stdout.flush()
        except BrokenPipeError:
            # Discard the rest of the output. By its number, because `sys.stdout` may be closed.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            raise click.exceptions.Exit(PIPE_CLOSED) from None
        return returned

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that was typed; if there is none, suggest the closest one."""
        typed = args[0]
        if typed not in _SECTION and not typed.startswith("-"):
            if Path(typed).is_file():
                ctx.fail(f"No such command {typed!r}. It is a file: did you mean 'stablebn learn {spelled(typed)}'?")
            import difflib

            close = difflib.get_close_matches(typed, _SECTION, n=1)
            ctx.fail(f"No such command {typed!r}." + (f" Did you mean {close[0]!r}?" if close else ""))
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command or an option, without importing the commands."""
        from click.shell_completion import CompletionItem

        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        summaries = {name: summary for commands in COMMANDS.values() for name, summary in commands.items()}
        return [CompletionItem(name, help=summaries[name]) for name in summaries if name.startswith(incomplete)]

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, without importing them."""
        from stablebn.cli.help import help_of_all
        from stablebn.cli.reference import options_of

        epilogue = "For details and an example: stablebn COMMAND --help. To start: stablebn demo."
        options = options_of(self.get_params(ctx))
        formatter.write(help_of_all(SUMMARY, COMMANDS, options, epilogue, formatter.width))


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from stablebn import __version__

        click.echo(f"{PROGRAM} {__version__}")
        ctx.exit()


app = _Commands(
    PROGRAM,
    help=SUMMARY,
    params=[
        CommandOption(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_print_version,
            help="Print the version.",
        ),
        DEBUG,
        CommandOption(
            ["--install-completion"],
            is_flag=True,
            expose_value=False,
            callback=install_completion,
            help="Install completion for the current shell.",
        ),
        CommandOption(
            ["--show-completion"],
            is_flag=True,
            expose_value=False,
            callback=show_completion,
            help="Print the completion script for the current shell.",
        ),
    ],
    context_settings={"max_content_width": 100},
)


def main() -> None:
    """Run the command; print errors as a message without a traceback."""
    try:
        _run()
    except SystemExit as ended:
        if is_a_thread_abandoned() and isinstance(ended.code, int):
            # A thread that still waits for a file would keep the process alive.
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(ended.code)
        raise


def _run() -> None:
    # NumPy's linear algebra would start one thread per core, and no command needs them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        # A name may have characters that the terminal cannot show.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    settings: dict[str, Any] = {}
    try:
        with interrupts_recognised():
            sys.exit(app(obj=settings, standalone_mode=False))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except Exception as error:
        if settings.get("debug"):
            import traceback

            traceback.print_exc()
        sys.exit(_report_error(error))


def _report_error(error: Exception) -> int:
    """Print an error message and return the exit code."""
    if isinstance(error, OSError) and error.errno in _NO_ROOM and error.filename is None:
        # Discard the rest of the output, or Python reports an error when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        say_error(
            "error", f"cannot write to standard output: {error.strerror}. Free some space, or write to another disk."
        )
        return MISTAKE
    if not isinstance(error, StableBNError):
        summary = f"{type(error).__name__}: {error}".partition("\n")[0].rstrip(".: ")
        say_error("A bug in stablebn", f"{summary}. Please report it, with the command and what --debug shows.")
        return BUG
    say_error(type(error).__name__, str(error))
    if isinstance(error, DataError) and error.remedy:
        # Imported here: only errors need it.
        from stablebn.cli.command_options import flags_of

        say(f"What helps: {flags_of(error.remedy)}", err=True, wrap=False)
    return MISTAKE
