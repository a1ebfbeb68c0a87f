"""Test what all commands share: help, JSON, exit codes, errors, colours, completion, names of options."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.terminal import read_terminal

import stablebn as sb
from stablebn.cli.exit_codes import EVERYWHERE
from stablebn.cli.main import COMMANDS, app
from stablebn.cli.reference import HEADINGS, CommandReference, command_reference
from stablebn.learners import LEARNERS
from stablebn.scores.registry import SCORES

PROGRAM = "from stablebn.cli.main import main; main()"
DOCS = Path(__file__).resolve().parents[3] / "docs"
NAMES = [name for commands in COMMANDS.values() for name in commands]
REFERENCE: Mapping[str, CommandReference] = {entry.name: entry for entry in command_reference(app)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with tables, a graph, a network, a certificate and a study."""
    folder = tmp_path_factory.mktemp("files")
    sample = sb.read_network("asia").sample(200, seed=1)
    sample.to_pandas().to_csv(folder / "t.csv", index=False)
    result = sb.learn(sample, "exact")
    (folder / "g.json").write_text(result.to_json())
    assert result.certificate is not None
    result.certificate.save(folder / "proof.json")
    (folder / "holes.csv").write_text("a,b\nx,p\n,q\ny,p\nx,q\n")
    (folder / "constant.csv").write_text("a,b,c\n" + "x,p,1\ny,q,1\nx,q,1\ny,p,1\nx,p,1\n" * 9)
    (folder / "plain.csv").write_text("a,b\n" + "x,p\ny,q\nx,q\ny,p\nx,p\n" * 9)
    (folder / "mine.toml").write_text('networks = ["asia"]\nsizes = [50]\n[[learners]]\nalgorithm = "hc"\n')
    return folder


def _run(
    folder: Path, *arguments: object, environment: Mapping[str, str] | None = None, program: str = PROGRAM
) -> subprocess.CompletedProcess[str]:
    variables = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**variables, **(environment or {})},
    )


def _options_of(name: str) -> dict[str, str]:
    """Return the help of every option of a command, by each of its names."""
    return {own: entry.help for group in REFERENCE[name].groups for entry in group.entries for own in entry.names}


# Help


@pytest.mark.parametrize("name", NAMES)
def test_help_is_readable_at_80_columns(name: str) -> None:
    shown = CliRunner().invoke(app, [name, "--help"], terminal_width=78).stdout
    lines = shown.splitlines()
    assert max(map(len, lines)) <= 80
    # Continued lines of an explanation have at least 50 columns.
    begins = [len(line) - len(line.lstrip()) for line in lines if line.startswith("     ")]
    assert max(begins, default=0) <= 28
    assert all(entry.help in " ".join(shown.split()) for group in REFERENCE[name].groups for entry in group.entries)


@pytest.mark.parametrize("name", NAMES)
def test_help_begins_with_what_a_newcomer_needs(name: str) -> None:
    command = REFERENCE[name]
    assert command.summary
    assert command.usage.startswith(f"stablebn {name} ")
    assert command.groups[0].title == HEADINGS[0]
    assert {"--json", "--debug", "--help"} <= set(_options_of(name))


@pytest.mark.parametrize("name", NAMES)
def test_examples_use_existing_commands_and_options(name: str) -> None:
    assert REFERENCE[name].example
    for line in REFERENCE[name].example:
        program, command, *words = line.split()
        assert program == "stablebn"
        assert [word for word in words if word.startswith("-") and word not in _options_of(command)] == []
    assert name in [line.split()[1] for line in REFERENCE[name].example]


def test_common_options_come_first_and_learn_stays_in_order() -> None:
    titles = [group.title.partition(" (")[0] for group in REFERENCE["learn"].groups]
    assert titles == [HEADINGS[0], "Learners", *HEADINGS[1:]]
    first = {entry.names[-1] for entry in REFERENCE["learn"].groups[0].entries}
    assert first == {"--algorithm", "--score", "--missing", "--drop", "--out", "--json", "--quiet"}


def test_the_heading_names_the_algorithms_that_have_its_options() -> None:
    titles = {group.title for group in REFERENCE["learn"].groups}
    assert "Tests of independence (pc-stable, gs, inter-iamb, mmhc, h2pc)" in titles
    assert "Not of pc-stable, gs, inter-iamb." in _options_of("learn")["--max-parents"]
    assert "Only of" not in _options_of("learn")["--alpha"]
    # The command has no choice of algorithms.
    assert "exact" not in _options_of("near-optimal")["--max-sets"]


def test_the_list_of_commands_imports_none_of_them() -> None:
    program = "import sys; sys.argv = ['stablebn', '--help']; from stablebn.cli.main import app\ntry: app()\n"
    program += "finally: print(*sys.modules)"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert all(f"  {name} " in shown for name in NAMES)
    assert {"numpy", "rich", "stablebn.api.learn", "stablebn.cli.commands.learn"}.isdisjoint(shown.split())


@pytest.mark.parametrize(
    ("typed", "meant"), [(["lern", "t.csv"], "'learn'"), (["t.csv"], "'stablebn learn t.csv'"), (["magic"], "magic")]
)
def test_an_unknown_command_gets_a_suggestion(
    folder: Path, typed: list[str], meant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, typed)
    assert done.exit_code == 2
    assert meant in done.output


# JSON

JSON: Mapping[str, list[str]] = {
    "learn": ["t.csv", "-a", "hc"],
    "check": ["t.csv"],
    "explain": ["t.csv", "smoke", "lung"],
    "report": ["t.csv", "-a", "hc", "--force"],
    "stability": ["t.csv", "--repeats", "2"],
    "bootstrap": ["t.csv", "--replicates", "2"],
    "cross-validate": ["t.csv", "--folds", "2"],
    "near-optimal": ["t.csv", "--limit", "5"],
    "verify": ["proof.json", "t.csv"],
    "score": ["asia", "t.csv"],
    "compare": ["g.json", "asia"],
    "networks": [],
    "sample": ["asia", "-n", "3"],
    "study": ["mine.toml", "--dry-run"],
    "demo": [],
}


def _json(folder: Path, *arguments: str) -> Any:
    """Run a command with --json; return the document, which must have no words that JSON does not have."""
    here = Path.cwd()
    os.chdir(folder)
    try:
        done = CliRunner().invoke(app, [*arguments, "--json"])
    finally:
        os.chdir(here)
    assert done.exit_code in (0, 1), done.output
    assert done.stdout.isascii()

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    return json.loads(done.stdout, parse_constant=refuse)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_prints_one_json_document(name: str, folder: Path) -> None:
    quiet = ["--quiet"] if "--quiet" in _options_of(name) else []
    assert _json(folder, name, *JSON[name], *quiet)


def test_json_is_the_answer_of_the_library(folder: Path) -> None:
    table = folder / "t.csv"
    assert _json(folder, "learn", "t.csv") == json.loads(sb.learn(table).to_json())
    assert _json(folder, "score", "asia", "t.csv")["total"] == sb.score("asia", table).total
    assert _json(folder, "compare", "g.json", "asia")["f1"] == sb.compare(sb.learn(table, "exact"), "asia").f1
    assert (
        _json(folder, "sample", "asia", "-n", "3")["columns"] == sb.read_network("asia").sample(3, seed=1).to_pydict()
    )
    assert _json(folder, "verify", "proof.json", "t.csv")["optimal"] is True
    proved = _json(folder, "learn", "t.csv", "-a", "hc", "--prove")
    assert proved["distance"]["at_least"] >= 0.0


def test_json_of_a_study_that_was_run(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text((folder / "mine.toml").read_text() + "\n")
    assert _json(tmp_path, "study", "mine.toml", "--dry-run")["done"] == 0
    found = _json(tmp_path, "study", "mine.toml", "--jobs", "1")
    assert {record["status"] for record in found["records"]} == {"done"}
    assert _json(tmp_path, "study", "mine.toml", "--tables")["written"]


def test_names_that_a_terminal_would_obey_are_in_json_as_they_are(tmp_path: Path) -> None:
    names = ["é☃\x7f", "\x9b31m"]
    rows = "\n".join(["no,no", "yes,yes", "no,yes"] * 9)
    (tmp_path / "t.csv").write_text(f"{','.join(names)}\n{rows}\n", encoding="utf-8")
    assert [column[0] for column in _json(tmp_path, "check", "t.csv")["columns"]] == names
    assert _json(tmp_path, "learn", "t.csv")["nodes"] == names


def test_numbers_that_json_does_not_have_are_words(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n" + "no,no\nyes,yes\nno,yes\n" * 9)
    (tmp_path / "new.csv").write_text("a,b\nno,maybe\n")
    sb.learn(tmp_path / "t.csv").fit().write(tmp_path / "n.bif")
    found = _json(tmp_path, "score", "n.bif", "new.csv", "--all-categorical")
    assert found["log_likelihood"] == "-Infinity"
    assert "maybe" in " ".join(found["warnings"])


# Exit codes


def test_the_page_has_every_exit_code() -> None:
    page = (DOCS / "command-line.md").read_text(encoding="utf-8")
    told = {int(code) for code in re.findall(r"^\| (\d+) \|", page, flags=re.M)}
    assert told == {code for command in REFERENCE.values() for code in command.exit_codes}
    assert all(code in command.exit_codes for command in REFERENCE.values() for code in EVERYWHERE)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["check", "plain.csv"], 0),
        (["check", "constant.csv"], 1),
        (["check", "holes.csv"], 2),
        (["compare", "g.json", "asia", "--fail-under", "1"], 1),
        (["learn", "holes.csv"], 2),
        (["learn", "nowhere.csv"], 2),
        (["learn", "t.csv", "--magic"], 2),
        (["verify", "proof.json", "plain.csv"], 2),
    ],
)
def test_exit_codes(folder: Path, arguments: list[str], code: int) -> None:
    done = _run(folder, *arguments)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr


def test_a_closed_pipe_ends_the_command_silently(folder: Path) -> None:
    command = f"{sys.executable} -c '{PROGRAM}' sample asia -n 50000"
    pipe = f"{command} | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", pipe], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (141, b"")


# Errors

BUGGY = f"""
import stablebn.cli.commands.demo
def demonstrate():
    raise ZeroDivisionError("first line\\nsecond line")
stablebn.cli.commands.demo.demonstrate = demonstrate
{PROGRAM}
"""


def test_a_bug_prints_one_line_that_asks_for_a_report(folder: Path) -> None:
    done = _run(folder, "demo", program=BUGGY)
    assert (done.returncode, done.stdout) == (70, "")
    assert done.stderr == (
        "A bug in stablebn: ZeroDivisionError: first line. Please report it, with the command and what --debug shows.\n"
    )


@pytest.mark.parametrize("arguments", [["--debug", "demo"], ["demo", "--debug"]])
def test_debug_shows_where_it_comes_from(folder: Path, arguments: list[str]) -> None:
    done = _run(folder, *arguments, program=BUGGY)
    assert done.returncode == 70
    assert 'raise ZeroDivisionError("first line' in done.stderr or "in demonstrate" in done.stderr
    assert "A bug in stablebn" in done.stderr
    ours = _run(folder, "learn", "nowhere.csv", "--debug")
    assert (ours.returncode, "Traceback" in ours.stderr, "DataError: there is no file" in ours.stderr) == (
        2,
        True,
        True,
    )


# Colours, and lines that are too long


def _on_a_terminal(folder: Path, *arguments: str, environment: Mapping[str, str]) -> str:
    parent, child = pty.openpty()
    variables = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        stdout=child,
        stderr=child,
        stdin=child,
        env={**variables, "TERM": "xterm", "COLUMNS": "60", **environment},
        cwd=folder,
    ):
        os.close(child)
        shown = b""
        while piece := read_terminal(parent):
            shown += piece
        os.close(parent)
    return shown.decode().replace("\r\n", "\n")


def _coloured(folder: Path, *arguments: str, **environment: str) -> tuple[bool, bool]:
    """Return whether there are colours in a pipe, and on a terminal."""
    done = _run(folder, *arguments, environment=environment)
    shown = _on_a_terminal(folder, *arguments, environment=environment)
    # The progress line hides the cursor and clears the line, which are no colours.
    return "\x1b[" in done.stdout + done.stderr, bool(re.search(r"\x1b\[[0-9;]*m", shown))


@pytest.mark.parametrize("arguments", [["--help"], ["networks"], ["learn", "nowhere.csv"]])
def test_colours_are_for_terminals(folder: Path, arguments: list[str]) -> None:
    assert _coloured(folder, *arguments) == (False, True)
    assert _coloured(folder, *arguments, NO_COLOR="1") == (False, False)
    assert _coloured(folder, *arguments, FORCE_COLOR="1") == (True, True)


def test_colours_if_variables_contradict_or_are_empty(folder: Path) -> None:
    assert _coloured(folder, "--help", NO_COLOR="1", FORCE_COLOR="1") == (False, False)
    assert _coloured(folder, "--help", NO_COLOR="") == (False, True)
    assert _coloured(folder, "--help", TERM="dumb") == (False, False)


def test_long_lines_are_broken_between_words(folder: Path) -> None:
    plain = _run(folder, "explain", "t.csv", "smoke", "lung").stdout
    shown = _on_a_terminal(folder, "explain", "t.csv", "smoke", "lung", "--quiet", environment={})
    assert max(map(len, plain.splitlines())) > 60
    assert max(map(len, shown.splitlines())) <= 60
    assert shown.split() == plain.split()


# Completion


def _completed(shell: str, words: str, folder: Path) -> list[str]:
    """Return the completions of the last word, in the protocol of a shell; an empty word if it is to be a file."""
    last = words.split(" ")[-1]
    index = last if shell == "fish" else str(len(words.split(" ")) - 1)
    environment = {"_STABLEBN_COMPLETE": f"{shell}_complete", "COMP_WORDS": words, "COMP_CWORD": index}
    program = "import sys; sys.argv[0] = 'stablebn'; " + PROGRAM
    done = _run(folder, environment=environment, program=program)
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    if shell in ("zsh", "powershell"):
        items = list(zip(lines[::3], lines[1::3], strict=True))
    else:
        items = [(line.partition(",")[0], line.partition(",")[2].partition("\t")[0]) for line in lines]
    return ["" if kind == "file" else word for kind, word in items]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_words_are_completed(shell: str, folder: Path) -> None:
    assert _completed(shell, "stablebn s", folder) == ["stability", "score", "sample", "study"]
    assert _completed(shell, "stablebn learn t.csv --algorithm tabu", folder) == [
        n for n in LEARNERS if n[:4] == "tabu"
    ]
    assert _completed(shell, "stablebn learn t.csv --score b", folder) == [n for n in SCORES if n.startswith("b")]
    assert _completed(shell, "stablebn learn t.csv --max-p", folder) == ["--max-parents"]
    assert _completed(shell, "stablebn sample as", folder)[:1] == ["asia"]
    assert _completed(shell, "stablebn learn t", folder) == [""]
    assert _completed(shell, "stablebn compare nowhere", folder) == [""]


SHELLS = {
    "bash": """
source <(stablebn --show-completion)
COMP_WORDS=(stablebn learn t.csv --algorithm tabu-); COMP_CWORD=4
_stablebn_completion stablebn
printf '%s\\n' "${COMPREPLY[@]}"
""",
    "fish": """
stablebn --show-completion | source
complete -C 'stablebn learn t.csv --algorithm tabu-' | string split -f1 \\t
""",
}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_with_the_installed_script_completes(shell: str, folder: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    command = shutil.which("stablebn", path=f"{Path(sys.executable).parent}")
    assert command is not None
    environment = {**os.environ, "PATH": f"{Path(command).parent}{os.pathsep}{os.environ['PATH']}"}
    # The command looks up the name of the shell among its parent processes.
    done = subprocess.run(
        [shell, "-c", SHELLS[shell]], capture_output=True, text=True, check=True, cwd=folder, env=environment
    )
    assert sorted(done.stdout.split()) == ["tabu-dec", "tabu-inc", "tabu-stable"], done.stderr


# Names of options

# Options whose effect depends on the command.
OTHERWISE = ("--out", "--force", "--quiet", "--checkpoint", "--seed", "--plot")


def test_the_same_option_is_the_same_everywhere() -> None:
    found: dict[str, set[tuple[object, str, str]]] = {}
    for command in REFERENCE.values():
        for group in command.groups:
            for entry in group.entries:
                # The meaning without the default and the algorithms that have the option.
                told = re.sub(r"(; by default .*| (Only|Not) of [^.]*\.)", "", entry.help)
                meaning = "" if entry.names[-1] in OTHERWISE else told.removesuffix(".")
                found.setdefault(entry.names[-1], set()).add((entry.names, entry.value, meaning))
    assert {name: told for name, told in found.items() if len(told) > 1} == {}


def test_every_command_that_takes_the_name_of_a_network_takes_a_folder_of_them(tmp_path: Path, folder: Path) -> None:
    sb.read_network("asia").write(tmp_path / "mine.bif")
    for arguments in (["compare", "g.json", "mine"], ["score", "mine", "t.csv"], ["sample", "mine", "-n", "1"]):
        assert _json(folder, *arguments, "--networks", str(tmp_path))
    audit = ["stability", "t.csv", "--repeats", "2", "--truth"]
    found = _json(folder, *audit, "mine", "--networks", str(tmp_path))
    assert found == _json(folder, *audit, "asia")


def test_commands_that_write_have_force_and_short_options_are_the_same() -> None:
    shorts: dict[str, set[str]] = {}
    for command in REFERENCE.values():
        names = [entry.names for group in command.groups for entry in group.entries]
        flat = {name for own in names for name in own}
        assert ("--out" in flat) <= ("--force" in flat), command.name
        for own in names:
            for short in own[:-1]:
                shorts.setdefault(short, set()).add(own[-1])
    assert {short: len(own) for short, own in shorts.items() if len(own) > 1} == {}


def test_a_reader_of_the_paper_finds_where_the_implementation_differs() -> None:
    page = (DOCS / "paper.md").read_text(encoding="utf-8")
    assert "half credit" in page
    assert "since the best score" in page
    assert "unit_free=False" in page
    help_of_learn = " ".join(CliRunner().invoke(app, ["learn", "--help"]).output.split())
    assert "docs/paper.md" in help_of_learn
    for text in (DOCS.parent / "README.md", DOCS / "reference" / "learners.md", DOCS / "study.md"):
        assert "paper.md" in text.read_text(encoding="utf-8")


def test_missing_values_have_one_recommendation() -> None:
    with pytest.raises(sb.DataError) as error:
        sb.learn({"a": ["x", None, "y"] * 10, "b": ["p", "q", "q"] * 10})
    assert error.value.remedy == {"missing": "available"}
    page = (DOCS / "missing.md").read_text(encoding="utf-8")
    assert 'Say **`missing="available"`** unless' in page
    assert "- **`available`** is the recommendation" in page
