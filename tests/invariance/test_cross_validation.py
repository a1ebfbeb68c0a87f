"""One table, one cross-validation: the same folds and the same likelihoods, compared with ==, whatever the layout."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest
from tests.drawn import KINDS, LEARNERS, UNSTABLE, Combination, Streams, levels_of, options_of, scores_for
from tests.tables import Columns, categorical_columns, continuous_columns, mixed_columns, renamed, shuffled

import stablebn as sb

MAKERS = {"categorical": categorical_columns, "continuous": continuous_columns, "mixed": mixed_columns}
CASES = [(algorithm, kind) for algorithm in LEARNERS for kind in KINDS if algorithm not in UNSTABLE]


def _drawn(algorithm: str, kind: str) -> tuple[Columns, dict[str, Any], Streams]:
    """A table and options; few rows, so that columns tie in a fold that do not tie in the table."""
    streams = Streams(f"cross-validation {algorithm} {kind}")
    combination = Combination(algorithm, kind, streams["score"].choice(scores_for(algorithm, kind)))
    rng = np.random.default_rng(streams["values"].randrange(10**6))
    columns = MAKERS[kind](rng, streams["columns"].randint(3, 6), streams["rows"].randint(24, 60))
    options = options_of(streams, combination, len(columns))
    if kind == "mixed":
        # Networks have no distribution for other arcs.
        options["arcs"] = "clg"
    options.pop("order", None)
    more = {"algorithm": algorithm, "score": combination.score, "folds": streams["folds"].randint(2, 4)}
    return columns, {**options, **more, "seed": streams["seed"].randrange(100)}, streams


def _kinds(columns: Columns) -> dict[Hashable, Any]:
    return {name: "continuous" if isinstance(own[0], float) else "categorical" for name, own in columns.items()}


@pytest.mark.parametrize(("algorithm", "kind"), CASES)
def test_layout_names_and_threads_cannot_matter(algorithm: str, kind: str) -> None:
    columns, options, streams = _drawn(algorithm, kind)

    def validate(data: Columns, **others: Any) -> sb.CrossValidation:
        levels = levels_of(Streams("levels of " + algorithm), data)
        return sb.cross_validate(data, **{**options, "kinds": _kinds(data), "levels": levels, **others})

    first = validate(columns)
    again = validate(shuffled(columns, streams["shuffle"].randrange(10**6)), threads=2 - options["threads"] % 2)
    assert again == first
    other, _ = renamed(shuffled(columns, 7), streams["names"].randrange(10**6))
    told = {caution.code for caution in first.warnings} & {"interchangeable", "names-decide", "identical", "copies"}
    if not told:
        assert validate(other) == first


@pytest.mark.parametrize("seed", range(6))
def test_labels_of_levels_cannot_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = categorical_columns(rng, 5, 80)
    labels = dict(zip("pqrstuvwxyz", rng.permutation(list("abcdefghijk")).tolist(), strict=True))
    other = {name: [labels[value] for value in own] for name, own in columns.items()}
    first, second = (sb.cross_validate(own, folds=3, kinds="categorical") for own in (columns, other))
    assert first.means == second.means


@pytest.mark.parametrize("kind", ["continuous", "mixed"])
def test_units_and_signs_change_nothing_but_the_scale(kind: str) -> None:
    columns = MAKERS[kind](np.random.default_rng(2), 4, 60)
    kinds = _kinds(columns)
    scale = {name: float(own) for name, own in zip(columns, (2.0, -0.5, -8.0, 1.0, 0.25), strict=False)}
    other = {
        name: [value * scale[name] for value in own] if kinds[name] == "continuous" else own
        for name, own in columns.items()
    }
    added = sum(np.log(abs(scale[name])) for name in columns if kinds[name] == "continuous")
    first, second = (sb.cross_validate(own, folds=3, kinds=kinds) for own in (columns, other))
    assert [fold.rows for fold in first.folds] == [fold.rows for fold in second.folds]
    assert [fold.result.arcs for fold in first.folds] == [fold.result.arcs for fold in second.folds]
    for one, two in zip(first.means, second.means, strict=True):
        assert one == pytest.approx((two or 0.0) + added, abs=1e-12)
