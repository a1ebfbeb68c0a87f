"""The page of pictures is run, and what it writes is there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stablebn.cli import app

PAGE = Path(__file__).resolve().parents[1] / "docs" / "pictures.md"
PARTS = re.compile(
    r"<!-- run:\n(?P<hidden>.*?)^-->|(?:^<!-- file: (?P<file>\S+) -->\n)?^```(?P<kind>\w+)\n(?P<code>.*?)^```",
    flags=re.M | re.S,
)


def test_the_page_draws_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    for part in PARTS.finditer(text):
        if part["file"]:
            Path(part["file"]).write_text(part["code"], encoding="utf-8")
        elif part["kind"] == "console":
            _run_commands(part["code"])
        else:
            exec(
                re.sub(r"^(\S.*?) +# -> (.+)$", r"assert (\1) == \2", part["hidden"] or part["code"], flags=re.M), names
            )
    named = set(re.findall(r"plot(?:\(| )\"?([\w-]+\.(?:png|svg|pdf))", text))
    assert len(named) > 8
    assert {name for name in named if not (tmp_path / name).stat().st_size} == set()
    assert all((PAGE.parent / picture).exists() for picture in re.findall(r"\]\((pictures/\S+)\)", text))


def _run_commands(code: str) -> None:
    for text in code.split("$ stablebn ")[1:]:
        command, _, shown = text.partition("\n")
        done = CliRunner().invoke(app, shlex.split(command), catch_exceptions=False)
        assert done.exit_code == 0
        assert done.output.startswith(shown.partition("\n...")[0])
