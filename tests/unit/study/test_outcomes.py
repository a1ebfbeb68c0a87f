"""The file of a study's outcomes gives the same tables as the store, and no other file does."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.study.tables.studies import runs, sample, timed_out, without_dag

import stablebn as sb
from stablebn.study.outcomes import Outcomes, read_outcomes

RECORDS = [
    *runs("asia", 100, "mine", 0.1, 1 / 3, 1 / 3),
    *runs("asia", 100, "yours", 0.5, 0.5),
    timed_out("asia", 100, "yours", 3),
    without_dag("asia", 100, "yours", 4),
]
FOUND = Outcomes("A study", "general", ("f1", "score"), (sample("asia"),), tuple(RECORDS))


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "found.json.gz"
    FOUND.save(path)
    return path


def test_tables_are_the_same_to_the_last_digit(saved: Path) -> None:
    again = read_outcomes(saved)
    assert (again.title, again.report, again.metrics, again.samples) == (
        "A study",
        "general",
        ("f1", "score"),
        FOUND.samples,
    )
    assert again.tables == FOUND.tables
    assert [replace(record, graph=None) for record in again.records] == [replace(one, graph=None) for one in RECORDS]


def test_which_graphs_are_the_same_is_kept(saved: Path) -> None:
    first, second, third, *_ = (record.graph for record in read_outcomes(saved).records)
    assert first != second == third


def test_the_same_outcomes_are_the_same_bytes(saved: Path, tmp_path: Path) -> None:
    read_outcomes(saved)
    FOUND.save(tmp_path / "again.json.gz")
    assert (tmp_path / "again.json.gz").read_bytes() == saved.read_bytes()


def test_an_existing_file_is_replaced_only_with_force(saved: Path) -> None:
    with pytest.raises(sb.OptionError):
        FOUND.save(saved)
    FOUND.save(saved, force=True)


def _changed(saved: Path, **changes: Any) -> None:
    content = json.loads(gzip.decompress(saved.read_bytes()))
    saved.write_bytes(gzip.compress(json.dumps(content | changes).encode()))


@pytest.mark.parametrize(
    "changes", [{"version": 2}, {"samples": {}}, {"records": []}, {"metrics": None}, {"samples": {"network": [1]}}]
)
def test_what_is_no_outcome_is_refused(saved: Path, changes: dict[str, Any]) -> None:
    _changed(saved, **changes)
    with pytest.raises(sb.FormatError, match=r"found\.json\.gz"):
        read_outcomes(saved)


def test_a_value_of_another_type_is_refused(saved: Path) -> None:
    content = json.loads(gzip.decompress(saved.read_bytes()))
    content["records"]["f1"][0] = "high"
    _changed(saved, **content)
    with pytest.raises(sb.FormatError, match="high"):
        read_outcomes(saved)


@pytest.mark.parametrize(
    "content", [b"", b"no gzip", gzip.compress(b"no json", mtime=0), gzip.compress(b"[1]", mtime=0)]
)
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.json.gz"
    path.write_bytes(content)
    with pytest.raises(sb.FormatError, match=r"other\.json\.gz"):
        read_outcomes(path)


def test_an_absent_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(sb.FormatError, match=r"absent\.json\.gz"):
        read_outcomes(tmp_path / "absent.json.gz")
