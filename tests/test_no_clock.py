"""No test passes or fails by the clock."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parent
FILES = sorted(path.relative_to(TESTS).as_posix() for path in TESTS.rglob("*.py"))
# It measures processor time where the promise is little work; and the script tells quick cases from slow ones.
MAY_READ_A_CLOCK = {"effort.py", "golden/make_before_core.py"}
CLOCKS = {"perf_counter", "perf_counter_ns", "process_time", "thread_time", "time"}


def _calls(tree: ast.AST, names: set[str]) -> Iterator[ast.Call]:
    """Calls of `time.<name>`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
            module = node.func.value
            if isinstance(module, ast.Name) and module.id == "time":
                yield node


@pytest.mark.parametrize("file", [file for file in FILES if file not in MAY_READ_A_CLOCK])
def test_no_test_measures_time(file: str) -> None:
    tree = ast.parse((TESTS / file).read_text())
    assert [call.lineno for call in _calls(tree, CLOCKS)] == []


@pytest.mark.parametrize("file", FILES)
def test_no_test_sleeps_until_something_has_surely_happened(file: str) -> None:
    """Short naps, in a loop that waits for an event, are no such thing."""
    tree = ast.parse((TESTS / file).read_text())
    naps = [call.args[0] for call in _calls(tree, {"sleep"})]
    assert all(isinstance(nap, ast.Constant) and isinstance(nap.value, float) and nap.value < 0.1 for nap in naps)


def test_drawn_examples_have_no_deadline() -> None:
    assert settings.default is not None
    assert settings.default.deadline is None
    assert HealthCheck.too_slow in settings.default.suppress_health_check


@pytest.mark.parametrize("file", FILES)
def test_no_test_sets_a_deadline_of_its_own(file: str) -> None:
    tree = ast.parse((TESTS / file).read_text())
    limits = [
        word.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "settings"
        for word in node.keywords
        if word.arg == "deadline"
    ]
    assert all(isinstance(limit, ast.Constant) and limit.value is None for limit in limits)
