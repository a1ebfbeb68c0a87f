"""All public functions take the same options for files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import stablebn as sb
from stablebn.cli.main import app

TABLE = {"a": ["x", "y"] * 20, "b": ["p", "q"] * 19 + ["q", "p"], "c": ["u", "u", "v", "v"] * 10}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    lines = [";".join(row) for row in zip(*TABLE.values(), strict=True)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join([";".join(TABLE), *lines, ""]))
    return path


def _run(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exit_code == code, done.output
    return " ".join(done.output.split())


def test_learn_tells_what_was_recognised(path: Path) -> None:
    result = sb.learn(path)
    assert [caution.code for caution in result.warnings][:1] == ["dialect"]
    assert result.arcs == sb.learn(TABLE).arcs
    assert result.fingerprint == sb.learn(TABLE).fingerprint
    assert "is read with fields separated by semicolons" in _run("learn", path)
    assert "is read with" not in _run("learn", path, "--sep", ";")
    assert sb.learn(path, sep=";").config == sb.learn(TABLE).config


def test_columns_are_chosen_at_every_door(path: Path, tmp_path: Path) -> None:
    expected = sb.learn({name: TABLE[name] for name in ("a", "b")}, "tabu-stable")
    assert sb.learn(path, "tabu-stable", columns=["a", "b"]).fingerprint == expected.fingerprint
    assert sb.TabuStable(drop="c", sep=";").fit(path).result_.fingerprint == expected.fingerprint
    assert expected.fingerprint in _run("learn", path, "-a", "tabu-stable", "--columns", "a,b")
    assert expected.fingerprint in _run("learn", path, "-a", "tabu-stable", "--drop", "c")
    assert "Did you mean 'a'" in " ".join(_refused("learn", path, "--drop", "aa").split())


def _refused(*arguments: object) -> str:
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert isinstance(done.exception, sb.OptionError) or done.exit_code == 2
    return f"{done.exception} {done.output}"


def test_a_score_is_that_of_the_chosen_columns(path: Path, tmp_path: Path) -> None:
    graph = tmp_path / "graph.json"
    expected = sb.learn({name: TABLE[name] for name in ("a", "b")})
    graph.write_text(expected.to_json())
    assert sb.score(expected, path, drop=["c"]).total == expected.score
    told = _run("score", graph, path, "--drop", "c")
    assert repr(expected.score) in told
    assert "is read with fields separated by semicolons" in told
    assert "is read with" not in _run("score", graph, path, "--drop", "c", "--sep", ";")


def test_an_audit_reads_the_file_in_the_same_way(path: Path) -> None:
    found = sb.stability(path, "tabu-stable", repeats=3, drop="c")
    assert found.graphs == 1
    assert [caution.code for caution in found.warnings][:1] == ["dialect"]
    assert set(found.learned[0].nodes) == {"a", "b"}
    told = _run(
        "stability", path, "--repeats", 2, "--columns", "a,b", "--sep", ";", "--decimal", ".", "--encoding", "utf-8"
    )
    assert "is read with" not in told


def test_a_value_that_cannot_be_is_refused_at_every_door(path: Path, tmp_path: Path) -> None:
    graph = tmp_path / "graph.json"
    graph.write_text(sb.learn(TABLE).to_json())
    for command in (("learn", path), ("score", graph, path), ("stability", path)):
        for option, value in (("sep", ";;"), ("decimal", "x"), ("encoding", "klingon")):
            assert f"{option}='{value}'" in _refused(*command, f"--{option}", value)


def test_na_values_say_what_is_missing_at_every_door(tmp_path: Path) -> None:
    fields = {name: [value if i % 7 else "none" for i, value in enumerate(values)] for name, values in TABLE.items()}
    gaps = {name: [None if value == "none" else value for value in values] for name, values in fields.items()}
    path = tmp_path / "gaps.csv"
    path.write_text("\n".join(",".join(row) for row in [tuple(fields), *zip(*fields.values(), strict=True)]) + "\n")
    expected = sb.learn(gaps, "tabu-stable", missing="drop").fingerprint
    assert sb.learn(path, "tabu-stable", missing="drop").fingerprint != expected
    options: dict[str, Any] = {"missing": "drop", "na_values": ["none"]}
    assert sb.learn(path, "tabu-stable", **options).fingerprint == expected
    assert sb.learn(path, "tabu-stable", memory="64 MB", **options).fingerprint == expected
    assert sb.TabuStable(**options).fit(path).result_.fingerprint == expected
    flags = ("--missing", "drop", "--na-values", "none")
    assert expected in _run("learn", path, "-a", "tabu-stable", *flags)
    lines = tmp_path / "gaps.jsonl"
    rows = zip(*fields.values(), strict=True)
    lines.write_text("".join(json.dumps(dict(zip(fields, row, strict=True))) + "\n" for row in rows))
    assert sb.learn(lines, "tabu-stable", **options).fingerprint == expected
    with pytest.raises(sb.OptionError, match="na_values= is for text files, workbooks, JSON lines and SQLite"):
        sb.learn(gaps, **options)
    with pytest.raises(sb.OptionError, match="na_values=3 must be a list of texts"):
        sb.learn(path, na_values=3)  # type: ignore[arg-type]


def test_a_proof_is_of_the_table_as_it_was_read(tmp_path: Path) -> None:
    rows = [("x", "p"), ("y", "q"), ("none", "p"), ("x", "none")] * 10 + [("x", "q"), ("none", "none")] * 7
    path = tmp_path / "gaps.csv"
    path.write_text("\n".join(["a,b", *map(",".join, rows)]) + "\n")
    flags = ("--missing", "drop", "--na-values", "none")
    told = json.loads(_run("learn", path, "-a", "hc-stable", "--prove", "--json", *flags))
    assert told["distance"]["optimal"]
    proof = tmp_path / "proof.json"
    _run("learn", path, "-a", "exact", "--certificate", proof, *flags)
    verified = json.loads(_run("verify", proof, path, "--json", "--na-values", "none"))
    assert verified["score"] == sb.learn(path, "exact", missing="drop", na_values="none").score
    assert sb.verify(proof, path, na_values="none").score == verified["score"]


def test_sample_names_the_levels_that_a_text_file_cannot_keep(tmp_path: Path) -> None:
    learned = sb.learn({"a": ["?", "x", "NA", "?"] * 10, "b": ["p", "q"] * 20}, "hc-stable")
    learned.fit().write(tmp_path / "mine.json")
    told = _run("sample", "mine", "--networks", tmp_path, "--out", tmp_path / "x.csv")
    assert "Levels that are read as missing values: 'a' ('?')" in told
    assert "--na-values ''" in told
    assert "missing" not in _run("sample", "mine", "--networks", tmp_path, "--out", tmp_path / "x.parquet")
