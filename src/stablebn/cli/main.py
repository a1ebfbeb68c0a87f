"""The command line: first the answer, then what to worry about, then how to see more."""

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
from stablebn.cli.exit_codes import BUG, INTERRUPTED, MISTAKE, NOBODY_READS
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
        "check": "Say what there is to know of a table before learning.",
        "explain": "Say why two variables are joined, or are not.",
        "report": "Put all there is to see of a graph into one HTML file.",
    },
    "How far to trust it": {
        "stability": "How much of the graph does the layout of the table decide?",
        "bootstrap": "How sure are its edges?",
        "cross-validate": "How well does a learner predict rows it has not seen?",
        "near-optimal": "Which other graphs are nearly as good as the best one?",
        "verify": "Check the proof that a graph is the best one.",
    },
    "Graphs and networks": {
        "score": "Score a graph against a table.",
        "compare": "Compare two graphs: metrics, and edges that differ.",
        "networks": "List the networks that can be named.",
        "sample": "Draw rows from a network.",
    },
    "Studies, and a first look": {
        "study": "Run learners by networks by sample sizes by layouts.",
        "demo": "Learn the built-in sample twice, the second time shuffled.",
    },
}
"""The commands under the headings of the help, each with a sentence: a module of `stablebn.cli.commands` that has the
function `command`; in `HELP` what more there is to say; in `EXAMPLE` lines to type; and in `EXIT_CODES` those that only
it has, if there are any."""

# Errors of writing to what is no file that we have opened: standard output.
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
    """The commands, of which only the one that is called is imported."""

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
                found = super().invoke(ctx)
                # PyArrow closes what it has written to.
                if not sys.stdout.closed:
                    sys.stdout.flush()
        except BrokenPipeError:
            # What is left to print must go somewhere. By its number, as it may be closed.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            raise click.exceptions.Exit(NOBODY_READS) from None
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that was typed, or say which was perhaps meant."""
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

        epilogue = "stablebn COMMAND --help tells more, with an example. To begin: stablebn demo."
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
            help="Show completion for the current shell, to copy it or customize the installation.",
        ),
    ],
    context_settings={"max_content_width": 100},
)


def main() -> None:
    """Run the command; errors are a message, not a traceback."""
    try:
        _run()
    except SystemExit as ended:
        if is_a_thread_abandoned() and isinstance(ended.code, int):
            # A thread that still waits for a file would keep the process from ending.
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(ended.code)
        raise


def _run() -> None:
    # NumPy's linear algebra starts as many threads as there are cores, and no command needs them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        # A name may have characters that the terminal has not.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    asked: dict[str, Any] = {}
    try:
        with interrupts_recognised():
            sys.exit(app(obj=asked, standalone_mode=False))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except Exception as error:
        if asked.get("debug"):
            import traceback

            traceback.print_exc()
        sys.exit(_told(error))


def _told(error: Exception) -> int:
    """Say what went wrong; the exit code."""
    if isinstance(error, OSError) and error.errno in _NO_ROOM and error.filename is None:
        # What is left to print must go somewhere, or Python complains when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        say_error("error", f"cannot write to standard output: {error.strerror}. Mend that, or choose another place.")
        return MISTAKE
    if not isinstance(error, StableBNError):
        what = f"{type(error).__name__}: {error}".partition("\n")[0].rstrip(".: ")
        say_error("A bug in stablebn", f"{what}. Please report it, with the command and what --debug shows.")
        return BUG
    say_error(type(error).__name__, str(error))
    if isinstance(error, DataError) and error.remedy:
        # Here and not above: without an error it is not needed.
        from stablebn.cli.command_options import flags_of

        say(f"What helps: {flags_of(error.remedy)}", err=True, wrap=False)
    return MISTAKE
