"""The pages of examples are run, and give what they show."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from pyarrow import parquet

import stablebn as sb

DOCS = Path(__file__).resolve().parents[1] / "docs"


# What pandas says of old pickles is of no interest.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "least"), [("examples.md", 30), ("explaining.md", 6), ("best.md", 5)])
def test_worked_examples_give_what_they_show(name: str, least: int) -> None:
    # Else the end of a block would be part of what is shown.
    text = re.sub(r"^```.*$", "", (DOCS / name).read_text(encoding="utf-8"), flags=re.M)
    page = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    failed, tried = doctest.DocTestRunner().run(page)
    assert (failed, tried > least) == (0, True)


def test_long_runs_go_on_as_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = re.sub(r"^```.*$", "", (DOCS / "long-runs.md").read_text(encoding="utf-8"), flags=re.M)
    page = doctest.DocTestParser().get_doctest(text, {}, "long-runs.md", None, 0)
    failed, tried = doctest.DocTestRunner().run(page)
    assert (failed, tried) == (0, 11)


@pytest.mark.parametrize(("page", "calls"), [("mixed.md", 4), ("missing.md", 3), ("exact.md", 5)])
def test_short_examples_run(page: str, calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    patients = sb.read_network("asia").sample(200, seed=1)
    table = {"sex": patients["smoke"].to_pylist(), "ill": [None, *patients["lung"].to_pylist()[1:]]}
    numbers = sb.random_network(2, continuous=True, seed=1).sample(200, seed=1)
    rows = zip(table["sex"], numbers["X0"].to_pylist(), numbers["X1"].to_pylist(), strict=True)
    Path("patients.csv").write_text("\n".join(["sex,age,weight", *(f"{s},{a},{w}" for s, a, w in rows)]) + "\n")
    (block,) = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), flags=re.M | re.S)
    assert block.count("sb.") == calls
    exec(block, {"sb": sb, "table": table})


@pytest.mark.parametrize("page", ["cross-validation.md", "levels.md"])
def test_all_blocks_of_a_page_run_one_after_the_other(page: str) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), flags=re.M | re.S)
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
    assert sum(block.count("assert ") for block in blocks) > 1


@pytest.mark.parametrize(("page", "checks"), [("large.md", 5), ("growing.md", 5)])
def test_pages_on_large_and_growing_tables_run(
    page: str, checks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows").mkdir()
    for part in range(3):
        table = sb.read_network("asia").sample(300, seed=part + 1)
        parquet.write_table(table, f"rows/{part}.parquet")
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), flags=re.M | re.S)
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
    assert sum(block.count("assert ") for block in blocks) == checks
