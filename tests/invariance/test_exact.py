"""The best graph, its bound and its certificate know no layout: compared with ==."""

from __future__ import annotations

import numpy as np
import pytest
from tests.drawn import SCORES, Combination, Streams, options_of
from tests.tables import categorical_columns, continuous_columns, mixed_columns, renamed, shuffled

import stablebn as sb

MAKERS = {"categorical": categorical_columns, "continuous": continuous_columns, "mixed": mixed_columns}


@pytest.mark.parametrize(("kind", "score"), [(kind, score) for kind in SCORES for score in SCORES[kind]])
def test_bound_ties_and_certificate_are_those_of_any_layout(kind: str, score: str) -> None:
    for seed in range(4):
        combination = Combination("exact", kind, score)
        options = options_of(Streams(f"exact {kind} {score} {seed}"), combination, 7)
        columns = MAKERS[kind](np.random.default_rng(100 + seed), 7, 60)
        first = sb.learn(columns, "exact", score, **options)
        other = sb.learn(shuffled(columns, seed), "exact", score, **{**options, "threads": 3 - options["threads"]})
        alias, _ = renamed(columns, seed)
        third = sb.learn(alias, "exact", score, **options)
        expected = (first.score, first.fingerprint, first.optimal, first.bound, first.gap, first.ties)
        assert (other.score, other.fingerprint, other.optimal, other.bound, other.gap, other.ties) == expected
        assert (third.score, third.fingerprint, third.optimal, third.bound, third.gap, third.ties) == expected
        assert first.certificate == other.certificate
        assert first.certificate is not None
        assert sb.verify(first.certificate, shuffled(columns, seed + 50)).bound == first.bound


@pytest.mark.parametrize(("rows", "most"), [(250, 2), (500, 3)])
def test_large_component_has_one_graph_one_bound_and_one_proof_in_any_layout(rows: int, most: int) -> None:
    table = sb.read_network("alarm").sample(rows, seed=3)
    columns = {name: column.to_pylist() for name, column in zip(table.column_names, table.columns, strict=True)}
    first = sb.learn(columns, "exact", max_parents=most, threads=1)
    assert first.optimal
    assert first.certificate is not None
    assert any(tree.steps for tree in first.certificate.trees)
    # With so many rows clusters do not suffice.
    assert any(step.local_cuts for tree in first.certificate.trees for step in tree.steps) == (rows == 500)
    for seed in range(2):
        other = sb.learn(shuffled(columns, seed), "exact", max_parents=most, threads=2)
        assert (set(other.arcs), other.score, other.fingerprint) == (set(first.arcs), first.score, first.fingerprint)
        assert (other.bound, other.ties, other.certificate) == (first.bound, first.ties, first.certificate)
