"""Strange but plausible arguments of public functions give a result or an error of stablebn."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import stablebn as sb
from stablebn.api.arguments import LearnArguments
from stablebn.errors import StableBNError

TABLE = {"a": ["x", "y"] * 20, "b": ["u", "v", "u", "u"] * 10, "c": [1, 2, 3, 1] * 10}
DAG = sb.DAG(["a", "b", "c"], [("a", "b")])
STRANGE: list[Any] = [
    *(None, -1, 0, True, 2**70, math.nan, math.inf, "", "a", b"x", [], {}, [None], ["zz"], [[1]], (1, 2), object()),
    *({"a": 1}, {"a": "categorical"}, {"zz": "continuous"}, np.array([1, 2]), pd.Series([1, 2])),
]
# Not what calls back, nor the table.
OPTIONS = [name for name in LearnArguments.__dataclass_fields__ if name not in ("data", "progress", "_")]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a temporary folder, because strange values of file options are valid file names."""
    monkeypatch.chdir(tmp_path)


def _ours(call: Any, *arguments: Any, **options: Any) -> None:
    """Call a function, and ignore errors of stablebn."""
    with suppress(StableBNError):
        call(*arguments, **options)


@pytest.mark.parametrize("option", OPTIONS)
def test_options_of_learn(option: str) -> None:
    for algorithm in ("tabu-stable", "pc-stable"):
        for value in STRANGE:
            _ours(sb.learn, TABLE, **{"algorithm": algorithm, option: value})


@pytest.mark.parametrize("option", ["score", "k", "iss", "kinds", "missing", "weights", "names", "threads"])
def test_options_of_score(option: str) -> None:
    for value in STRANGE:
        _ours(sb.score, DAG, TABLE, **{option: value})


@pytest.mark.parametrize("option", ["method", "iss", "unseen", "kinds", "missing", "weights", "names"])
def test_options_of_fit(option: str) -> None:
    for value in STRANGE:
        _ours(sb.fit, DAG, TABLE, **{option: value})


@pytest.mark.parametrize("option", ["x", "y", "given", "test", "kinds", "missing", "weights", "names"])
def test_arguments_of_a_test_of_independence(option: str) -> None:
    for value in STRANGE:
        _ours(sb.ci_test, TABLE, **{"x": "a", "y": "b", option: value})


@pytest.mark.parametrize("given", ["abc", 5, None, ["abc"], ("c", 5)])
def test_what_is_given_is_columns(given: Any) -> None:
    with pytest.raises(sb.OptionError, match="the table has no columns"):
        sb.ci_test(TABLE, "a", "b", given)


def test_what_is_given_may_be_one_column() -> None:
    assert sb.ci_test(TABLE, "a", "b", "c") == sb.ci_test(TABLE, "a", "b", ["c"])
    pairs = {(name, 1): values for name, values in TABLE.items()}
    alone = sb.ci_test(pairs, ("a", 1), ("b", 1), given=("c", 1))
    assert alone == sb.ci_test(pairs, ("a", 1), ("b", 1), given=[("c", 1)])


def test_networks_and_graphs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for value in STRANGE:
        _ours(sb.read_network, value)
        _ours(sb.read_network, "asia", directories=value)
        _ours(sb.compare, value, DAG)
        _ours(sb.compare, DAG, value)
        _ours(sb.score, value, TABLE)
        _ours(sb.fit, value, TABLE)


@pytest.mark.parametrize("option", ["repeats", "vary", "truth", "seed"])
def test_arguments_of_an_audit(option: str) -> None:
    for value in STRANGE:
        if option != "repeats" or value is not STRANGE[4]:
            _ours(sb.stability, TABLE, "hc", **{"repeats": 2, option: value})


@pytest.mark.parametrize(
    "path", ["\ud800.csv", "a\0.csv", "x" * 5000 + ".csv", "", ".csv", "https://example.org/t.csv"]
)
def test_paths_that_cannot_be(path: str) -> None:
    with pytest.raises(sb.DataError):
        sb.learn(path)


@pytest.mark.parametrize("option", ["tabu", "noinc", "max_iter", "max_parents", "threads"])
def test_numbers_that_are_too_large_are_refused(option: str) -> None:
    for value in (2**31 - 1, 2**31, 2**70):
        options: dict[str, Any] = {option: value}
        with pytest.raises(sb.OptionError, match=rf"{option}={value} must be an integer of at most"):
            sb.learn(TABLE, "tabu", **options)


@pytest.mark.skipif(os.name != "posix", reason="there are limits on processes")
def test_a_system_without_threads_to_spare_gives_the_same_answer() -> None:
    """Let no thread start, by leaving no memory for its stack."""
    program = (
        "import resource, sys, stablebn as sb; table = sb.read_network('asia').sample(2000, seed=1)\n"
        "sb.learn(table, threads=1)\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "room = used + 400 * 2**20; resource.setrlimit(resource.RLIMIT_AS, (room, room))\n"
        "print(sb.learn(table, threads=500).score)"
    )
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("nothing tells how much memory is used")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == sb.learn(sb.read_network("asia").sample(2000, seed=1)).score
