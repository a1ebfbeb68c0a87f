"""Test that `--install-completion` writes the script of the shell where the shell reads it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from stablebn.cli import completion
from stablebn.cli.main import app


def _install(shell: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(completion, "_detected_shell", lambda: shell)
    done = CliRunner().invoke(app, ["--install-completion"])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize(
    ("shell", "script", "startup"),
    [
        ("bash", ".bash_completions/stablebn.sh", ".bashrc"),
        ("zsh", ".zfunc/_stablebn", ".zshrc"),
        ("fish", ".config/fish/completions/stablebn.fish", None),
    ],
)
def test_the_script_is_installed_and_loaded_once(
    shell: str, script: str, startup: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if startup is not None:
        (tmp_path / startup).write_text("alias a=b", encoding="utf-8")
    for _ in range(2):
        assert str(tmp_path / script) in _install(shell, tmp_path, monkeypatch)
    assert f"{shell}_complete" in (tmp_path / script).read_text(encoding="utf-8")
    if startup is not None:
        lines = (tmp_path / startup).read_text(encoding="utf-8").splitlines()
        assert lines[0] == "alias a=b"
        assert len(lines) == len(set(lines)) == 2


def test_powershell_gets_the_script_in_its_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    profile = tmp_path / "documents" / "profile.ps1"
    monkeypatch.setattr(completion, "_powershell_profile", lambda shell: profile)
    for _ in range(2):
        _install("pwsh", tmp_path, monkeypatch)
    assert profile.read_text(encoding="utf-8").count("Register-ArgumentCompleter") == 1


def test_an_unknown_shell_is_an_error_that_lists_the_known_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("tcsh", "/bin/tcsh"))
    done = CliRunner().invoke(app, ["--show-completion"])
    assert done.exit_code == 2
    assert "bash, zsh, fish, powershell, pwsh" in done.output
    assert "tcsh" in done.output
