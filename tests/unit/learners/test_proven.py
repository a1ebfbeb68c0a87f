"""The best DAG is proven if the proof is cheap, which depends on counts alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.drawn import KINDS, SCORES
from tests.shared import SHARED, needs_shared
from tests.tables import categorical_columns, continuous_columns, mixed_columns, shuffled

import stablebn as sb
from stablebn.learners.shared import proven

MAKERS = {"categorical": categorical_columns, "continuous": continuous_columns, "mixed": mixed_columns}


@pytest.mark.parametrize(("kind", "score"), [(kind, score) for kind in KINDS for score in SCORES[kind]])
def test_of_few_variables_best_is_what_exact_proves(kind: str, score: str) -> None:
    for seed, n in ((1, 7), (2, 9)):
        columns = MAKERS[kind](np.random.default_rng(seed), n, 120)
        best = sb.learn(columns, "best", score)
        exact = sb.learn(shuffled(columns, seed), "exact", score)
        assert best.optimal
        assert exact.optimal
        assert (best.score, best.fingerprint, best.bound) == (exact.score, exact.fingerprint, exact.bound)
        assert best.arcs == exact.arcs
        assert best.certificate is not None
        assert sb.verify(best.certificate, columns).optimal


def test_the_proof_obeys_what_is_known_and_limits_on_parents() -> None:
    columns = categorical_columns(np.random.default_rng(3), 8, 300)
    a, b, c = list(columns)[:3]
    options: dict[str, Any] = {"required": [(a, b)], "forbidden": [(b, c), (c, b)], "max_parents": 1}
    best = sb.learn(columns, "best", **options)
    exact = sb.learn(columns, "exact", **options)
    assert best.optimal
    assert (best.arcs, best.score) == (exact.arcs, exact.score)
    assert (a, b) in best.arcs


def test_what_would_cost_too_much_is_left_unproven(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = categorical_columns(np.random.default_rng(4), 8, 300)
    monkeypatch.setattr(proven, "_MOST_COST_OF_FEW", dict.fromkeys(("low", "normal", "high"), 1))
    assert sb.learn(columns, "best").optimal is None


def test_the_time_limit_ends_the_proof(tmp_path: Path, time_is_up: dict[str, Any]) -> None:
    columns = categorical_columns(np.random.default_rng(4), 8, 300)
    found = sb.learn(columns, "best", checkpoint=tmp_path / "best", **time_is_up)
    assert found.optimal is None
    assert not found.finished


@needs_shared
@pytest.mark.parametrize(
    ("table", "score"), [("tic-tac-toe", -9396.3759), ("insurance1000", -14350.4714), ("autos", -1585.7597)]
)
def test_published_optima_are_found_and_proven(table: str, score: float) -> None:
    import pandas as pd

    data = pd.read_csv(SHARED / "optimum" / f"{table}.csv", header=None, dtype=str)
    found = sb.learn(data.rename(columns=lambda at: f"X{at}"), "best", "bic")
    assert found.optimal
    assert found.score == pytest.approx(score, abs=1e-4)
