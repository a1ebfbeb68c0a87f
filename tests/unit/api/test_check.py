"""What is said of a table before it is learned from: findings with remedies, the same in every layout."""

import json
import math
import random
import shlex
import subprocess
import sys
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stablebn as sb
from stablebn.columns.findings import Finding

NAN = float("nan")
ROWS = 200
COMMAND = (sys.executable, "-c", "from stablebn.cli.main import main; main()")


def _table() -> dict[str, Any]:
    """A table in which everything is to be found."""
    chance = random.Random(1)
    level = [chance.choice("abcd") for _ in range(ROWS)]
    first = [chance.choice("uv") for _ in range(ROWS)]
    second = [chance.choice("uv") for _ in range(ROWS)]
    x, y = ([chance.gauss(0, 1) for _ in range(ROWS)] for _ in range(2))
    return {
        "id": list(range(ROWS)),
        "site": ["x"] * ROWS,
        "level": level,
        "number": [{"a": 3, "b": 1, "c": 4, "d": 2}[value] for value in level],
        "group": ["early" if value in "ab" else "late" for value in level],
        "first": first,
        "second": second,
        "both": [f"{a == b}" for a, b in zip(first, second, strict=True)],
        "rare": ["odd", "odd", *(chance.choice("pq") for _ in range(ROWS - 2))],
        "x": x,
        "y": y,
        "sum": [a + b + chance.gauss(0, 0.001) for a, b in zip(x, y, strict=True)],
        "age": [chance.randint(20, 60) for _ in range(ROWS)],
    }


def _found(check: Any) -> dict[str, list[tuple[str, ...]]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for finding in check.findings:
        found.setdefault(finding.code, []).append(finding.columns)
    return found


def test_everything_is_found() -> None:
    check = sb.check(_table())
    assert _found(check) == {
        "set-aside": [("id",)],
        "constant": [("site",)],
        "relabelled": [("level", "number")],
        "function": [("level", "number", "group"), ("both", "first", "second")],
        "collinear": [("sum", "x", "y")],
        "kinds": [("age",)],
        "rare-levels": [("rare",)],
    }
    assert check.exit_code == 1
    assert check.rows == ROWS
    learned = sb.learn(_table(), drop=["x", "y", "sum", "age"])
    assert learned.decisions == {name: check.decisions[name] for name in learned.nodes}
    assert [finding.severity for finding in check.findings] == ["warning"] * 6 + ["note"] * 2


def test_remedies_of_findings_can_be_followed() -> None:
    table = _table()
    relabelled = next(finding for finding in sb.check(table).findings if finding.code == "relabelled")
    assert relabelled.remedy == {"drop": ["number"]}
    assert "relabelled" not in _found(sb.check(table, drop=["number"]))


def _key(finding: Finding, names: dict[Any, Any]) -> tuple[str, str, tuple[Any, ...]]:
    return finding.code, finding.severity, tuple(sorted(names.get(name, name) for name in finding.columns))


@pytest.mark.parametrize("seed", range(5))
def test_no_layout_changes_a_finding(seed: int) -> None:
    table = pd.DataFrame(_table())
    table.loc[5, "first"] = None
    expected = sorted(_key(finding, {}) for finding in sb.check(table).findings)
    chance = np.random.default_rng(seed)
    alias = dict(zip(table, chance.permutation([f"v{c}" for c in range(table.shape[1])]).tolist(), strict=True))
    shuffled = table.iloc[chance.permutation(ROWS), chance.permutation(table.shape[1])].rename(columns=alias)
    names = {new: old for old, new in alias.items()}
    check = sb.check(shuffled)
    assert sorted(_key(finding, names) for finding in check.findings) == expected
    assert check.exit_code == 2


def _asia(rows: int, seed: int) -> Any:
    return sb.read_network("asia").sample(rows, seed=seed)


@pytest.mark.parametrize("seed", range(1, 4))
def test_a_relation_that_few_rows_show_is_not_reported(seed: int) -> None:
    assert "function" not in _found(sb.check(_asia(1000, seed)))


@pytest.mark.parametrize("seed", range(1, 4))
def test_a_relation_is_reported_once_for_the_column_that_follows(seed: int) -> None:
    check = sb.check(_asia(5000, seed))
    (found,) = [finding for finding in check.findings if finding.code == "function"]
    assert found.columns == ("either", "lung", "tub")
    assert found.remedy == {"drop": ["either"]}


@pytest.mark.parametrize(("weight", "expected"), [(9, []), (10, [("cause", "effect")])])
def test_a_relation_needs_enough_rows_by_weight(weight: int, expected: list[tuple[str, str]]) -> None:
    table = {"cause": ["x", "y", "z"] * 2, "effect": ["p", "p", "q"] * 2, "noise": ["u"] * 3 + ["v"] * 3}
    assert _found(sb.check(table, weights=[30, 30, weight, 30, 30, 10])).get("function", []) == expected


def _functions(table: dict[str, Any]) -> list[tuple[Hashable, ...]]:
    return [own.columns for own in sb.check(table).findings if own.code in ("function", "relabelled")]


@pytest.mark.parametrize("scattered", [False, True])
def test_a_relation_is_found_where_values_are_missing(scattered: bool) -> None:
    chance = random.Random(1)
    level = [chance.choice("abcd") for _ in range(ROWS)]
    table: dict[str, Any] = {
        "level": level,
        "number": ["4312"["abcd".index(value)] for value in level],
        "group": ["early" if value in "ab" else "late" for value in level],
        "other": [chance.choice("xyz") for _ in range(ROWS)],
    }
    if scattered:
        for values in (table["level"], table["number"], table["group"]):
            for row in chance.sample(range(ROWS), 10):
                values[row] = None
    assert _functions(table) == [("level", "number"), ("level", "number", "group")]


def test_a_column_that_is_constant_where_another_one_is_known_does_not_follow_from_it() -> None:
    chance = random.Random(1)
    works = [chance.random() < 0.5 for _ in range(ROWS)]
    table = {
        "works": ["yes" if own else "no" for own in works],
        "wage": [chance.gauss(9, 1) if own else NAN for own in works],
        "age": [chance.gauss(40, 9) for _ in range(ROWS)],
    }
    assert _functions(table) == []


def test_a_column_that_was_cut_into_intervals_follows_from_it() -> None:
    chance = random.Random(1)
    weight = [chance.gauss(3000, 500) for _ in range(ROWS)]
    table: dict[str, Any] = {
        "weight": weight,
        "low": [own < 2700 for own in weight],
        "size": ["small" if own < 2700 else "medium" if own < 3100 else "large" for own in weight],
        "log": [math.log(max(own, 1)) for own in weight],
        "sex": [chance.choice("fm") for _ in range(ROWS)],
        "age": [chance.gauss(30, 5) for _ in range(ROWS)],
    }
    found = [("size", "low"), ("log", "weight", "low", "size"), ("log", "weight")]
    assert sorted(_functions(table)) == sorted(found)
    # One row in the wrong interval, and neither is cut from the weight.
    table["low"][weight.index(max(weight))] = True
    assert sorted(_functions(table)) == sorted([("log", "weight", "size"), ("log", "weight")])


def test_a_few_rows_beyond_a_limit_are_no_relation() -> None:
    chance = random.Random(1)
    weight = [chance.gauss(3000, 500) for _ in range(ROWS)]
    limit = sorted(weight)[15]
    table = {
        "weight": weight,
        "low": [own < limit for own in weight],
        "age": [chance.gauss(30, 5) for _ in range(ROWS)],
    }
    assert _functions(table) == []


@pytest.mark.parametrize("sign", [1, -1])
def test_continuous_columns_in_the_same_order_follow_from_each_other(sign: int) -> None:
    chance = random.Random(1)
    wage = [chance.lognormvariate(2, 1) for _ in range(ROWS)]
    table = {
        "wage": wage,
        "log": [sign * math.log(own) for own in wage],
        "euros": [1.1 * own for own in wage],
        "age": [chance.gauss(40, 9) for _ in range(ROWS)],
    }
    check = sb.check(table)
    assert _found(check)["copies"] == [("euros", "wage")]
    assert len(_found(check)["function"]) == 1
    assert "log" in _found(check)["function"][0]
    wage[0] *= 2
    assert _functions(table | {"euros": table["age"]}) == []


def test_floats_with_few_values_are_noted_unless_their_kind_was_specified() -> None:
    chance = np.random.default_rng(1)
    numbers: dict[str, Any] = {name: chance.normal(size=100) for name in ("x", "y")}
    numbers["sex"] = np.where(chance.random(100) < 0.5, 0.0507, -0.0446)
    check = sb.check(numbers)
    assert _found(check) == {"few-values": [("sex",)]}
    assert check.exit_code == 0
    assert "'sex' (2 values)" in str(check)
    (found,) = check.findings
    assert sb.check(numbers, **found.remedy).decisions["sex"].kind == "categorical"  # type: ignore[arg-type]
    assert "few-values" not in _found(sb.check(numbers, kinds={"sex": "continuous"}))
    assert "few-values" not in _found(sb.check({**numbers, "sex": chance.permutation(100) / 7}))


def test_a_table_without_findings_is_fine() -> None:
    check = sb.check({"a": ["x", "y"] * 20, "b": ["p", "p", "q", "q"] * 10})
    assert check.findings == ()
    assert check.exit_code == 0
    assert str(check).endswith("Nothing to worry about.")


def test_errors_are_findings_and_the_rest_is_told_too() -> None:
    table = {**_table(), "gap": [NAN, *[0.5, 1.5, 2.5] * 66, 0.5], "endless": [float("inf")] * ROWS}
    check = sb.check(table)
    assert check.exit_code == 2
    assert check.remedy == {"missing": "available", "drop": ["endless"]}
    errors = [finding for finding in check.findings if finding.severity == "error"]
    assert [finding.columns for finding in errors] == [("endless",), ("gap",)]
    assert "relabelled" in _found(check)
    assert sb.check(table, **check.remedy).exit_code == 1  # type: ignore[arg-type]


def test_what_no_option_mends_is_an_error_without_a_remedy() -> None:
    check = sb.check({"a": [1]})
    assert (check.exit_code, check.remedy, check.rows, check.decisions) == (2, {}, None, {})
    assert "at least two columns" in str(check)


def test_the_forecast_grows_with_the_table() -> None:
    small, large = (
        sb.check({f"v{c}": np.random.default_rng(c).normal(size=rows) for c in range(columns)})
        for rows, columns in ((100, 3), (20000, 60))
    )
    assert (small.seconds or 0) < (large.seconds or 0)
    assert (small.mebibytes or 0) < (large.mebibytes or 0)
    assert "Learning takes about a second" in str(small)


def test_very_wide_tables_are_not_searched_in_full_and_that_is_told() -> None:
    codes = np.random.default_rng(1).integers(2, size=(501, 100))
    check = sb.check({f"v{c}": own for c, own in enumerate(codes)})
    (told,) = [finding for finding in check.findings if finding.code == "function"]
    assert told.severity == "note"
    assert "were not looked for among 501 categorical columns" in told.message


def test_weighted_rows_are_counted() -> None:
    table = {"a": ["x", "y", "z"] * 10, "b": ["p", "q"] * 15}
    assert "rare-levels" not in _found(sb.check(table, weights=[1] * 30))
    assert _found(sb.check({"a": ["x", "y", "z"], "b": ["p", "q", "q"]}, weights=[20, 20, 2]))["rare-levels"] == [
        ("a",)
    ]


def _run(*words: object, code: int) -> str:
    done = subprocess.run([*COMMAND, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def test_the_command_prints_findings_and_flags_that_can_be_pasted(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    table = {**_table(), "my gap": [NAN, *[0.5, 1.5, 2.5] * 66, 0.5], "endless, really": ["inf", *["0.5"] * (ROWS - 1)]}
    pd.DataFrame(table).to_csv(path, index=False)
    printed = _run("check", path, code=2)
    assert "  age " in printed
    flags = shlex.split(printed.splitlines()[-1].removeprefix("What helps: "))
    assert "--missing" in flags
    found = json.loads(_run("check", path, "--json", *flags, code=1))
    assert found["exit_code"] == 1
    assert {finding["code"] for finding in found["findings"]} >= {"relabelled", "collinear", "set-aside"}
    assert _run("check", path, "--quiet", *flags, code=1) == ""


def test_the_learning_command_prints_flags_that_can_be_pasted(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    pd.DataFrame({"a b": [None, *["x", "y", "y"] * 13], "it's": ["u", "v"] * 20}).to_csv(path, index=False)
    done = subprocess.run(
        [*COMMAND, "learn", str(path), "--categorical", "it's"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    flags = done.stderr.splitlines()[-1].removeprefix("What helps: ")
    assert flags == """--categorical 'it'"'"'s' --missing available"""
    assert "Learned" in _run("learn", path, *shlex.split(flags), code=0)


def test_all_columns_can_be_said_to_be_of_a_kind(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    chance = np.random.default_rng(1)
    frame = pd.DataFrame({"a": chance.integers(2, size=40), "b": chance.integers(3, size=40), "c": ["x", "y"] * 20})
    frame.to_csv(path, index=False)

    def kinds(*flags: str) -> list[str]:
        return [kind for _, kind, _ in json.loads(_run("check", path, "--json", *flags, code=0))["columns"]]

    assert kinds() == ["categorical"] * 3
    assert kinds("--all-continuous") == ["continuous", "continuous", "categorical"]
    assert kinds("--all-continuous", "--categorical", "b") == ["continuous", "categorical", "categorical"]
    assert kinds("--all-categorical", "--continuous", "b") == ["categorical", "continuous", "categorical"]
    for flags in (["--all-continuous", "--all-categorical"], ["--continuous", "a", "--categorical", "a"]):
        _run("check", path, *flags, code=2)


@pytest.mark.parametrize("text", ["", "a\n", "a,b\n", "a,b\n1\n", "a,b;c\n1,2;3\n", "a,a\n1,2\n", "\0\1\2"])
def test_odd_files_end_in_a_message(text: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    _run("check", path, code=2)


@settings(max_examples=50, deadline=None)
@given(
    columns=st.lists(
        st.lists(st.one_of(st.none(), st.integers(-3, 3), st.floats(), st.text(max_size=2)), min_size=6, max_size=6),
        max_size=4,
    )
)
def test_random_tables_are_checked_without_a_foreign_error(columns: list[list[object]]) -> None:
    check = sb.check(dict(enumerate(columns)))
    assert json.loads(check.to_json())["exit_code"] == check.exit_code
    assert str(check)


@pytest.mark.parametrize(("kinds", "rows", "seconds"), [("categorical", 2000, 1.0), ("continuous", 2000, 2.3)])
def test_the_forecast_is_near_what_was_measured(kinds: str, rows: int, seconds: float) -> None:
    """Seconds of the processor with one thread, of 100 variables; within a factor of three."""
    found = sb.check(sb.random_network(100, kinds=kinds, seed=5).sample(rows, seed=1))
    assert found.seconds is not None
    assert seconds / 3 < found.seconds < 3 * seconds


@pytest.mark.parametrize(
    ("kinds", "rows", "incomplete", "seconds"),
    [
        ("mixed", 20_000, 3, 0.5),
        ("mixed", 20_000, 20, 1.3),
        ("mixed", 20_000, 60, 3.3),
        ("categorical", 10_000, 60, 5.4),
    ],
)
def test_the_forecast_counts_the_columns_with_missing_values(
    kinds: str, rows: int, incomplete: int, seconds: float
) -> None:
    """Seconds of the processor with one thread and missing="available", 1 % missing; within a factor of three."""
    table = sb.random_network(60, kinds=kinds, density=1.5, seed=3).sample(rows, seed=1)
    for place, name in enumerate(table.column_names[:incomplete]):
        missing = np.random.default_rng(place).random(rows) < 0.01
        table = table.set_column(place, name, pc.if_else(missing, None, table[name]))
    found = sb.check(table)
    assert found.seconds is not None
    assert seconds / 3 < found.seconds < 3 * seconds


def test_the_forecast_of_memory_grows_with_the_square_of_the_columns() -> None:
    few, many = (
        sb.check(sb.random_network(n, kinds="continuous", seed=5).sample(10, seed=1)).mebibytes for n in (50, 400)
    )
    assert few is not None
    assert many is not None
    assert many - few > 50
