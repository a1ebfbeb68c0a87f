"""One table, one graph: compared with ==, whatever the layout. More than a thousand cases."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tables import Columns, categorical_columns, continuous_columns, renamed, shuffled

import stablebn as sb
from stablebn.learners import LEARNERS

# What the registry says of a learner is what is tested here.
STABLE = tuple(name for name, learner in LEARNERS.items() if learner.stable)

many = settings(max_examples=150)
seeds = st.integers(0, 10**6)


def _table(seed: int, n: int, rows: int) -> Columns:
    rng = np.random.default_rng(seed)
    return continuous_columns(rng, n, rows) if seed % 3 == 0 else categorical_columns(rng, n, rows)


def _algorithm(seed: int) -> str:
    return STABLE[seed % len(STABLE)]


def _arcs(result: sb.Result, old: dict[Hashable, Hashable] | None = None) -> set[tuple[Any, ...]]:
    """The graph: arcs, the learned edges without a direction both ways round, and what was not followed."""
    undirected = [(u, v, "--") for a, b in result.pdag.undirected for u, v in ((a, b), (b, a))]
    edges = [*((u, v, "->") for u, v in result.arcs), *undirected]
    conflicts = {(*sorted(map(repr, (_old(a, old), _old(b, old)))), _old(c, old)) for a, c, b in result.conflicts}
    return {(_old(u, old), _old(v, old), mark) for u, v, mark in edges} | conflicts


def _old(name: Hashable, old: dict[Hashable, Hashable] | None) -> Hashable:
    return name if old is None else old[name]


@given(seeds, st.integers(2, 8), st.integers(4, 60), seeds)
@many
def test_shuffled_columns_give_the_same_bits(seed: int, n: int, rows: int, shuffle: int) -> None:
    columns = _table(seed, n, rows)
    first = sb.learn(columns, _algorithm(seed))
    second = sb.learn(shuffled(columns, shuffle, rows=False), _algorithm(seed))
    assert (_arcs(first), first.score, first.fingerprint) == (_arcs(second), second.score, second.fingerprint)


@given(seeds, st.integers(2, 8), st.integers(4, 60), seeds)
@many
def test_shuffled_rows_give_the_same_bits(seed: int, n: int, rows: int, shuffle: int) -> None:
    columns = _table(seed, n, rows)
    first = sb.learn(columns, _algorithm(seed))
    second = sb.learn(shuffled(columns, shuffle, order=False), _algorithm(seed))
    assert (_arcs(first), first.score, first.order) == (_arcs(second), second.score, second.order)


@given(seeds, st.integers(2, 8), st.integers(4, 60), seeds)
@many
def test_other_names_give_the_same_bits(seed: int, n: int, rows: int, shuffle: int) -> None:
    columns = _table(seed, n, rows)
    first = sb.learn(columns, _algorithm(seed))
    other, old = renamed(shuffled(columns, shuffle), shuffle)
    second = sb.learn(other, _algorithm(seed))
    assert (first.score, first.fingerprint) == (second.score, second.fingerprint)
    if [old[name] for name in second.order] == list(first.order):
        assert _arcs(first) == _arcs(second, old)
    else:
        # Names may decide only between columns that the data cannot tell apart: swapping them changes nothing.
        swap = {old[b]: a for a, b in zip(first.order, second.order, strict=True)}
        swapped = {swap.get(name, name): own for name, own in columns.items()}
        assert _multiset_of_rows(swapped, list(columns)) == _multiset_of_rows(columns, list(columns))


def _multiset_of_rows(columns: Columns, order: list[Hashable]) -> list[tuple[Any, ...]]:
    return sorted(zip(*(columns[name] for name in order), strict=True))


@given(seeds, st.integers(2, 5), st.integers(2, 6), seeds)
@many
def test_tiny_tables_with_ties_everywhere_give_the_same_bits(seed: int, n: int, rows: int, shuffle: int) -> None:
    rng = np.random.default_rng(seed)
    columns: Columns = {f"c{v}": rng.integers(0, 2, rows).tolist() for v in range(n)}
    first = sb.learn(columns, _algorithm(seed))
    second = sb.learn(shuffled(columns, shuffle), _algorithm(seed))
    assert (_arcs(first), first.score) == (_arcs(second), second.score)
    third = sb.learn(renamed(shuffled(columns, shuffle), shuffle)[0], _algorithm(seed))
    assert (third.score, third.fingerprint) == (first.score, first.fingerprint)


@given(seeds, st.integers(2, 6), st.integers(5, 40), st.integers(2, 4), seeds)
@many
def test_identical_columns_never_depend_on_position(seed: int, n: int, rows: int, copies: int, shuffle: int) -> None:
    columns = _table(seed, n, rows)
    rng = np.random.default_rng(seed)
    for copy in range(copies):
        columns[f"copy{copy}"] = list(columns[f"{'x' if seed % 3 == 0 else 'c'}{rng.integers(0, n)}"])
    first = sb.learn(columns, _algorithm(seed))
    second = sb.learn(shuffled(columns, shuffle), _algorithm(seed))
    assert (_arcs(first), first.score) == (_arcs(second), second.score)
    merged = sb.learn(columns, _algorithm(seed), duplicates="merge")
    other, _ = renamed(shuffled(columns, shuffle), shuffle)
    again = sb.learn(other, _algorithm(seed), duplicates="merge")
    assert (merged.score, merged.fingerprint) == (again.score, again.fingerprint)


@given(seeds, st.integers(2, 7), st.integers(4, 30), seeds)
@many
def test_one_column_copied_many_times_gives_the_same_bits(seed: int, copies: int, rows: int, shuffle: int) -> None:
    rng = np.random.default_rng(seed)
    own = rng.normal(size=rows).tolist() if seed % 2 else ["a", "b", *rng.choice(["a", "b"], rows - 2).tolist()]
    columns: Columns = {f"c{copy}": own for copy in range(copies)}
    first = sb.learn(columns, _algorithm(seed))
    second = sb.learn(shuffled(columns, shuffle), _algorithm(seed))
    assert (_arcs(first), first.score) == (_arcs(second), second.score)
    assert sb.learn(columns, _algorithm(seed), duplicates="merge").arcs == ()


@given(seeds, st.integers(6, 12), st.integers(4, 5), seeds)
@settings(max_examples=50)
def test_more_variables_than_rows_give_the_same_bits(seed: int, n: int, rows: int, shuffle: int) -> None:
    columns = _table(seed, n, rows)
    first = sb.learn(columns, _algorithm(seed))
    second = sb.learn(shuffled(columns, shuffle), _algorithm(seed))
    assert (_arcs(first), first.score) == (_arcs(second), second.score)


@given(seeds, st.integers(2, 6), st.integers(4, 30), seeds)
@many
def test_weights_are_repeated_rows(seed: int, n: int, rows: int, shuffle: int) -> None:
    columns = _table(seed, n, rows)
    weights = np.random.default_rng(shuffle).integers(0, 4, rows)
    weights[:4] = 1
    repeated: Columns = {
        name: np.repeat(np.array(own, dtype=object), weights).tolist() for name, own in columns.items()
    }
    first = sb.learn(repeated, _algorithm(seed))
    second = sb.learn(columns, _algorithm(seed), weights=weights)
    third = sb.learn({**columns, "how often": weights.tolist()}, _algorithm(seed), weights="how often")
    assert (_arcs(first), first.score, first.rows) == (_arcs(second), second.score, second.rows)
    assert (_arcs(first), first.score) == (_arcs(third), third.score)


@given(seeds, st.integers(2, 6), st.integers(6, 60), st.lists(st.integers(1, 20), max_size=4))
@many
def test_chunks_of_rows_cannot_matter(seed: int, n: int, rows: int, cuts: list[int]) -> None:
    table = pa.table({str(name): own for name, own in _table(seed, n, rows).items()})
    bounds = [0, *sorted({min(cut, rows) for cut in cuts}), rows]
    pieces = [table.slice(a, b - a) for a, b in pairwise(bounds)]
    chunked = pa.concat_tables(pieces)
    first, second = sb.learn(table, _algorithm(seed)), sb.learn(chunked, _algorithm(seed))
    assert (first.arcs, first.score) == (second.arcs, second.score)


@given(seeds, st.integers(2, 6), st.integers(4, 60))
@many
def test_relabelled_levels_in_the_same_order_give_the_same_bits(seed: int, n: int, rows: int) -> None:
    columns = categorical_columns(np.random.default_rng(seed), n, rows)
    labels = sorted({value for own in columns.values() for value in own})
    for other in (
        {label: f"level {place:02d}" for place, label in enumerate(labels)},
        dict(zip(labels, range(99), strict=False)),
    ):
        second = sb.learn({name: [other[value] for value in own] for name, own in columns.items()}, _algorithm(seed))
        first = sb.learn(columns, _algorithm(seed))
        assert (_arcs(first), first.score) == (_arcs(second), second.score)


@given(seeds, st.integers(2, 6), st.integers(8, 60), st.lists(st.integers(-30, 30), min_size=6, max_size=6))
@many
def test_power_of_two_units_change_nothing_but_the_scale(seed: int, n: int, rows: int, powers: list[int]) -> None:
    columns = continuous_columns(np.random.default_rng(seed), n, rows)
    scaled = {name: [x * 2.0**power for x in own] for (name, own), power in zip(columns.items(), powers, strict=False)}
    first = sb.learn(columns, _algorithm(seed), unit_free=True)
    second = sb.learn(scaled, _algorithm(seed), unit_free=True)
    assert (first.arcs, first.undirected, first.order) == (second.arcs, second.undirected, second.order)
    if isinstance(first.trace, sb.Trace):
        # The gains are the same bits; only the density's scale, n ln 2 for every power, moves the score.
        assert first.trace.delta == second.trace.delta
    if first.score is not None:
        shift = rows * np.log(2) * sum(powers[:n])
        assert second.score == pytest.approx(first.score - shift, rel=1e-12, abs=1e-9)


@given(seeds, st.integers(2, 6), st.integers(8, 60), st.lists(st.floats(1e-3, 1e3), min_size=6, max_size=6))
@many
def test_arbitrary_units_cannot_change_the_graph(seed: int, n: int, rows: int, units: list[float]) -> None:
    columns = continuous_columns(np.random.default_rng(seed), n, rows)
    scaled = {name: [x * unit for x in own] for (name, own), unit in zip(columns.items(), units, strict=False)}
    first = sb.learn(columns, _algorithm(seed), unit_free=True)
    second = sb.learn(scaled, _algorithm(seed), unit_free=True)
    assert (first.arcs, first.order) == (second.arcs, second.order)
