"""Mixed tables: units, negative ones too, zeros and mirror images cannot change the graph; real tables besides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from tests.drawn import LEARNERS, UNSTABLE, Combination, Streams, combinations, options_of, thinned
from tests.tables import Columns, mixed_columns, renamed, shuffled

import stablebn as sb

STABLE = tuple(name for name in LEARNERS if name not in UNSTABLE)
CASES = [
    thinned(combination, example, name=f"{' '.join(combination)} {example}", example=example)
    for combination in combinations(LEARNERS, kinds=["mixed"])
    for example in range(3)
]


def _drawn(combination: Combination, seed: str) -> tuple[Columns, dict[str, Any], np.random.Generator]:
    streams = Streams(seed)
    rng = np.random.default_rng(streams["values"].randint(0, 10**6))
    columns = mixed_columns(rng, streams["columns"].randint(2, 7), streams["rows"].randint(8, 80))
    options = options_of(streams, combination, len(columns))
    if combination.algorithm not in UNSTABLE:
        options.pop("order", None)
    # Said outright: whole numbers may be codes, and are none in another unit.
    kinds = {name: "categorical" if isinstance(own[0], str) else "continuous" for name, own in columns.items()}
    return columns, {**options, "unit_free": True, "kinds": kinds}, rng


def _in_units(columns: Columns, units: list[float], zeros: list[float]) -> Columns:
    """Numbers in other units and from other zeros; letters as they are."""
    return {
        name: own if isinstance(own[0], str) else [x * unit + zero for x in own]
        for (name, own), unit, zero in zip(columns.items(), units, zeros, strict=True)
    }


@pytest.mark.parametrize(("combination", "example"), CASES)
def test_exact_factors_of_any_sign_change_no_gain(combination: Combination, example: int) -> None:
    columns, options, rng = _drawn(combination, f"signs {combination} {example}")
    units = (rng.choice([-1.0, 1.0], len(columns)) * 2.0 ** rng.integers(-60, 60, len(columns))).tolist()
    algorithm, _, score = combination
    first = sb.learn(columns, algorithm, score, **options)
    second = sb.learn(_in_units(columns, units, [0.0] * len(units)), algorithm, score, **options)
    assert (first.pdag, first.arcs, first.order) == (second.pdag, second.arcs, second.order)
    assert first.trace == second.trace


@pytest.mark.parametrize(("combination", "example"), CASES)
def test_other_factors_and_zeros_cannot_change_the_graph(combination: Combination, example: int) -> None:
    columns, options, rng = _drawn(combination, f"units {combination} {example}")
    units = (rng.choice([-1.0, 1.0], len(columns)) * 10.0 ** rng.uniform(-3, 3, len(columns))).tolist()
    zeros = [unit * shift for unit, shift in zip(units, rng.uniform(-3, 3, len(columns)).tolist(), strict=True)]
    algorithm, _, score = combination
    first = sb.learn(columns, algorithm, score, **options)
    second = sb.learn(_in_units(columns, units, zeros), algorithm, score, **options)
    assert (first.pdag, first.arcs, first.order) == (second.pdag, second.arcs, second.order)


def _real(name: str) -> Columns:
    frame = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer}[name](as_frame=True).frame
    frame["target"] = frame["target"].map(dict(enumerate("pqr")))
    if name == "breast cancer":
        # A few columns; and one more category, some of whose levels are rare.
        frame = frame[[*frame.columns[:8], "target"]].assign(
            size=pd.cut(frame["worst area"], [0, 300, 600, 1000, 1800, 5000]).astype(str)
        )
    return {str(column): frame[column].tolist() for column in frame}


@pytest.mark.parametrize("name", ["iris", "wine", "breast cancer"])
@pytest.mark.parametrize("algorithm", STABLE)
def test_real_tables_give_one_graph_in_every_layout(name: str, algorithm: str) -> None:
    columns = _real(name)
    options: dict[str, Any] = {"unit_free": True}
    if algorithm in ("pc-stable", "gs", "inter-iamb", "mmhc", "h2pc"):
        options["max_condition"] = 2
    first = sb.learn(columns, algorithm, **options)
    second = sb.learn(shuffled(columns, 1), algorithm, **options, threads=2)
    assert (first.pdag, first.score, first.fingerprint) == (second.pdag, second.score, second.fingerprint)
    other, old = renamed(shuffled(columns, 2), 2)
    third = sb.learn(other, algorithm, **options)
    assert (third.score, third.fingerprint) == (first.score, first.fingerprint)
    assert {(old[a], old[b]) for a, b in third.arcs} == set(first.arcs)
    turned = shuffled(columns, 3)
    numbers = len(turned)
    elsewhere = sb.learn(_in_units(turned, [-0.3] * numbers, [7.0] * numbers), algorithm, **options)
    assert set(elsewhere.arcs) == set(first.arcs)
