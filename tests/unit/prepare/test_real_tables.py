"""Tables of R packages: each is prepared at once or with the error's own remedy."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from tests.preparing import prepare

from stablebn.errors import DataError
from stablebn.prepare.prepared import Prepared

BENCH = Path(__file__).resolve().parents[3] / "bench" / "real_tables.py"


def _bench() -> Any:
    spec = importlib.util.spec_from_file_location("real_tables", BENCH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("ignore")
def test_real_tables_are_prepared_in_two_calls_at_most() -> None:
    tables = dict(_bench().tables(every=False))
    assert len(tables) >= 100
    for name, frame in tables.items():
        prepared = _prepared(frame)
        assert len(prepared.table.names) >= 2, name
        assert set(prepared.decisions) <= set(frame.columns), name


def _prepared(frame: Any) -> Prepared:
    try:
        return prepare(frame)
    except DataError as error:
        remedy: Any = error.remedy
        return prepare(frame, **remedy)
