"""Each kind of data is one object, and the places that decide by kind elsewhere are listed and counted."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.tables import categorical_columns, continuous_columns, mixed_columns

import stablebn as sb
from stablebn.ci_tests.registry import TESTS
from stablebn.scores.registry import SCORES
from stablebn.stats import source_of
from stablebn.stats.base import Statistics
from stablebn.table.blocks import in_blocks
from stablebn.table.data_kinds import KINDS, bytes_per_row, kind_of, map_parts, parts_by_kind

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "src" / "stablebn"
MAKERS = {"categorical": categorical_columns, "continuous": continuous_columns, "mixed": mixed_columns}
# Classes that belong to one kind of data, of a table, of a column, of statistics and of a node of a network.
CLASSES = {
    *("CategoricalTable", "ContinuousTable", "MixedTable"),
    *("CategoricalColumn", "Counts", "Moments", "MixedStatistics", "CPT"),
}


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_has_statistics_scores_and_tests_of_its_own(name: str) -> None:
    columns = MAKERS[name](np.random.default_rng(3), 4, 200)
    prepared = sb.learn(columns, "hc", max_iter=0).prepared
    assert prepared is not None
    table, kind = prepared.table, KINDS[name]
    assert kind_of(table) is kind
    assert isinstance(table, kind.table)
    for statistics in (
        kind.statistics(table, unit_free=False, threads=1),
        kind.source_statistics(source_of(in_blocks(table, 50)), unit_free=False, threads=1),
    ):
        assert isinstance(statistics, Statistics)
        assert statistics.kind == name
    assert set(kind.scores) <= set(SCORES)
    assert set(kind.tests) <= set(TESTS)


@pytest.mark.parametrize("name", KINDS)
def test_the_parts_of_a_table_make_it_again(name: str) -> None:
    columns = MAKERS[name](np.random.default_rng(3), 4, 20)
    prepared = sb.learn(columns, "hc", max_iter=0).prepared
    assert prepared is not None
    table = prepared.table
    again = map_parts(table, lambda part: part)
    assert type(again) is type(table)
    assert all(one is other for one, other in zip(parts_by_kind(again), parts_by_kind(table), strict=True))
    assert bytes_per_row(table) * table.rows == table.__sizeof__()


def _places(tree: ast.Module) -> Iterator[int]:
    """Return the lines that decide by kind: by the class, or by comparing with a kind's name; not assertions."""
    asserted = {id(node) for own in ast.walk(tree) if isinstance(own, ast.Assert) for node in ast.walk(own)}
    for node in ast.walk(tree):
        if id(node) in asserted:
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            if CLASSES & {name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name)}:
                yield node.lineno
        elif isinstance(node, ast.Compare):
            constants = {own.value for own in ast.walk(node) if isinstance(own, ast.Constant)}
            if constants & set(KINDS):
                yield node.lineno


def test_places_that_decide_by_kind_are_listed_and_counted() -> None:
    found: Counter[str] = Counter()
    lines = []
    for path in sorted(PACKAGE.rglob("*.py")):
        inside = path.relative_to(PACKAGE)
        for line in _places(ast.parse(path.read_text(encoding="utf-8"))):
            found[inside.parts[0]] += 1
            lines.append(f"{inside.as_posix()}:{line}")
    page = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
    section = page.split("## A kind of data")[1].split("\n## ")[0]
    listed = {folder: int(count) for folder, count in re.findall(r"^\| `(\w+)/` \| (\d+) \|", section, re.MULTILINE)}
    assert listed == dict(found), "docs/options.md must list these places:\n" + "\n".join(lines)
