"""Teach a shell to complete the command: `--install-completion` and `--show-completion`."""

from __future__ import annotations

from pathlib import Path

import click

PROGRAM = "stablebn"
_VARIABLE = f"_{PROGRAM.upper()}_COMPLETE"
_SHELLS = {"bash": "bash", "zsh": "zsh", "fish": "fish", "powershell": "powershell", "pwsh": "powershell"}


def show_completion(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Print the completion script of the shell that runs the command."""
    if value and not ctx.resilient_parsing:
        click.echo(_script(ctx.command, _detected_shell()))
        ctx.exit()


def install_completion(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Install the completion script in the shell that runs the command."""
    if value and not ctx.resilient_parsing:
        shell = _detected_shell()
        path = _installed(shell, _script(ctx.command, shell))
        click.secho(f"{shell} completion installed in {path}", fg="green")
        click.echo("Restart the terminal to use it.")
        ctx.exit()


def _detected_shell() -> str:
    """Return the name of the shell that runs this process."""
    import shellingham

    try:
        shell = str(shellingham.detect_shell()[0])
    except shellingham.ShellDetectionFailure:
        shell = ""
    if shell not in _SHELLS:
        known = ", ".join(_SHELLS)
        raise click.UsageError(f"Completion needs one of these shells: {known}. This one is {shell or 'not known'}.")
    return shell


def _script(command: click.Command, shell: str) -> str:
    """Return the completion script of Click for a shell."""
    from click.shell_completion import get_completion_class

    complete = get_completion_class(_SHELLS[shell])
    assert complete is not None
    return complete(command, {}, PROGRAM, _VARIABLE).source()


def _installed(shell: str, script: str) -> Path:
    """Write a completion script to a file that the shell reads when it starts; return the file."""
    home = Path.home()
    if shell == "bash":
        path = _written(home / ".bash_completions" / f"{PROGRAM}.sh", script)
        _append(home / ".bashrc", f"source '{path}'")
    elif shell == "zsh":
        path = _written(home / ".zfunc" / f"_{PROGRAM}", script)
        _append(home / ".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit")
    elif shell == "fish":
        path = _written(home / ".config" / "fish" / "completions" / f"{PROGRAM}.fish", script)
    else:
        path = _powershell_profile(shell)
        _append(path, script)
    return path


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _append(path: Path, text: str) -> None:
    """Append a text to a file unless the file has it already."""
    present = path.read_text(encoding="utf-8") if path.is_file() else ""
    if text.strip() not in present:
        separator = "" if not present or present.endswith("\n") else "\n"
        _written(path, f"{present}{separator}{text.rstrip()}\n")


def _powershell_profile(shell: str) -> Path:
    """Ask PowerShell which file it reads when it starts."""
    import subprocess

    command = [shell, "-NoProfile", "-Command", "[Console]::OutputEncoding = [Text.Encoding]::UTF8; $PROFILE"]
    return Path(subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout.strip())
