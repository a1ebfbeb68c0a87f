"""One table, one graph: compared with ==, whatever the layout. More than three thousand cases.

Every promise is tried with every learner that gives it, every kind of data and every score: all combinations that are
defined, each with tables and options that are drawn from streams of their own. The last tests make sure of it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.drawn import (
    KINDS,
    PURE,
    TESTS,
    UNSTABLE,
    Combination,
    Streams,
    combinations,
    holes_of,
    levels_of,
    options_of,
    takes_holes,
    thinned,
)
from tests.drawn import LEARNERS as ALL
from tests.tables import Columns, categorical_columns, continuous_columns, mixed_columns, renamed, shuffled

import stablebn as sb
from stablebn.api.arguments import options_for
from stablebn.columns.kinds import Kind
from stablebn.learners import LEARNERS

STABLE = tuple(name for name in ALL if name not in UNSTABLE)
MAKERS = {"categorical": categorical_columns, "continuous": continuous_columns, "mixed": mixed_columns}
# Tables for each combination, in each test.
EXAMPLES = 2


class Drawn:
    """What is learned, from what, and how else it is laid out.

    Attributes
    ----------
    shuffle : int
        Seed of another layout.
    rng : numpy.random.Generator
    """

    def __init__(self, combination: Combination, seed: str, *, stable: bool) -> None:
        self.combination = combination
        self.is_categorical = combination.kind == "categorical"
        self._seed = seed
        self._streams = Streams(seed)
        self._stable = stable
        self.shuffle = self.number("shuffle", 0, 10**6)
        self.rng = np.random.default_rng(self.number("values", 0, 10**6))

    def number(self, what: str, least: int, most: int) -> int:
        """A number for a purpose."""
        return self._streams[what].randint(least, most)

    def table(self, n: tuple[int, int], rows: tuple[int, int]) -> Columns:
        """A random table of the kind, with a random number of columns and rows."""
        make = MAKERS[self.combination.kind]
        columns = make(self.rng, self.number("columns", *n), self.number("rows", *rows))
        for column, row in holes_of(self._streams, self.combination, len(columns), len(next(iter(columns.values())))):
            own = list(columns.values())[column]
            own[row] = None if isinstance(own[row], str) else math.nan
        return columns

    def options(self, columns: int) -> dict[str, Any]:
        """Options for a table of so many columns, but for missing values."""
        found = options_of(self._streams, self.combination, columns)
        if self._stable:
            # In the columns' own order a learner promises no more than one that knows no other.
            found.pop("order", None)
        return found

    def learner(self, columns: Sequence[Any] | Columns, **more: Any) -> Callable[..., sb.Result]:
        """A function that learns from a table, always with the same options."""
        algorithm, _, score = self.combination
        # Of a table without missing values it says nothing.
        options = {**self.options(len(columns)), "missing": "available", **more}

        def learn(data: Any, **others: Any) -> sb.Result:
            levels = self.levels(data.to_pydict() if isinstance(data, pa.Table) else data)
            return sb.learn(data, algorithm, score, **{**options, "levels": levels, **others})

        return learn

    def levels(self, columns: Columns) -> dict[Any, list[str]] | None:
        """The levels to declare: drawn anew for each layout, and the same for all."""
        return levels_of(Streams(self._seed), columns)


@pytest.fixture
def drawn(request: pytest.FixtureRequest) -> Drawn:
    combination, seed, stable = request.param
    return Drawn(combination, seed, stable=stable)


Promise = Callable[[Drawn], None]


def promised(
    learners: Sequence[str], kinds: Sequence[str] = KINDS, without: Sequence[str] = ()
) -> Callable[[Promise], Promise]:
    """Mark a test of what learners promise for some kinds of data, with all scores or without some."""

    def mark(test: Promise) -> Promise:
        # The test's name is part of the seed: each has tables of its own.
        cases = [
            thinned(
                (combination, f"{test.__name__} {combination} {example}", learners == STABLE),
                name=f"{' '.join(combination)} {example}",
                example=example,
            )
            for example in range(EXAMPLES)
            for combination in combinations(learners, kinds)
            if combination.score not in without
        ]
        return pytest.mark.parametrize("drawn", cases, indirect=True)(test)

    return mark


def _arcs(result: sb.Result, old: dict[Hashable, Hashable] | None = None) -> set[tuple[Any, ...]]:
    """The graph: arcs, the learned edges without a direction both ways round, and what was not followed."""
    undirected = [(u, v, "--") for a, b in result.pdag.undirected for u, v in ((a, b), (b, a))]
    edges = [*((u, v, "->") for u, v in result.arcs), *undirected]
    conflicts = {(*sorted(map(repr, (_old(a, old), _old(b, old)))), _old(c, old)) for a, c, b in result.conflicts}
    return {(_old(u, old), _old(v, old), mark) for u, v, mark in edges} | conflicts


def _old(name: Hashable, old: dict[Hashable, Hashable] | None) -> Hashable:
    return name if old is None else old[name]


@promised(STABLE)
def test_shuffled_columns_give_the_same_bits(drawn: Drawn) -> None:
    columns = drawn.table((2, 8), (4, 60))
    learn = drawn.learner(columns)
    first, second = learn(columns), learn(shuffled(columns, drawn.shuffle, rows=False))
    assert (_arcs(first), first.score, first.fingerprint) == (_arcs(second), second.score, second.fingerprint)


@promised(ALL)
def test_shuffled_rows_give_the_same_bits(drawn: Drawn) -> None:
    columns = drawn.table((2, 8), (4, 60))
    learn = drawn.learner(columns)
    first, second = learn(columns), learn(shuffled(columns, drawn.shuffle, order=False))
    assert (_arcs(first), first.score, first.order) == (_arcs(second), second.score, second.order)


@promised(STABLE)
def test_other_names_give_the_same_bits(drawn: Drawn) -> None:
    columns = drawn.table((2, 8), (4, 60))
    learn = drawn.learner(columns)
    other, old = renamed(shuffled(columns, drawn.shuffle), drawn.shuffle)
    first, second = learn(columns), learn(other)
    assert (first.score, first.fingerprint) == (second.score, second.fingerprint)
    if [old[name] for name in second.order] == list(first.order):
        assert _arcs(first) == _arcs(second, old)
    else:
        # Names may decide only between columns that the data cannot tell apart: swapping them changes nothing.
        swap = {old[b]: a for a, b in zip(first.order, second.order, strict=True)}
        swapped = {swap.get(name, name): own for name, own in columns.items()}
        assert _multiset_of_rows(swapped, list(columns)) == _multiset_of_rows(columns, list(columns))


def _multiset_of_rows(columns: Columns, order: list[Hashable]) -> list[tuple[Any, ...]]:
    return sorted(zip(*(columns[name] for name in order), strict=True), key=repr)


@promised(STABLE)
def test_tiny_tables_with_ties_everywhere_give_the_same_bits(drawn: Drawn) -> None:
    # Numbers need four rows.
    shape = drawn.number("columns", 2, 5), drawn.number("rows", 2 if drawn.is_categorical else 4, 6)
    values = drawn.rng.integers(0, 2, shape)
    texts = {"categorical": shape[0], "continuous": 0, "mixed": shape[0] // 2}[drawn.combination.kind]
    columns: Columns = {f"c{v}": (own if v < texts else own / 2).tolist() for v, own in enumerate(values)}
    learn = drawn.learner(columns)
    first, second = learn(columns), learn(shuffled(columns, drawn.shuffle))
    assert (_arcs(first), first.score) == (_arcs(second), second.score)
    third = learn(renamed(shuffled(columns, drawn.shuffle), drawn.shuffle)[0])
    assert (third.score, third.fingerprint) == (first.score, first.fingerprint)


@promised(STABLE)
def test_identical_columns_never_depend_on_position(drawn: Drawn) -> None:
    columns = _with_copies(drawn)
    learn = drawn.learner(columns)
    first, second = learn(columns), learn(shuffled(columns, drawn.shuffle))
    assert (_arcs(first), first.score) == (_arcs(second), second.score)


@promised(STABLE)
def test_merged_columns_need_no_names(drawn: Drawn) -> None:
    columns = _with_copies(drawn)
    learn = drawn.learner(columns, duplicates="merge")
    other, _ = renamed(shuffled(columns, drawn.shuffle), drawn.shuffle)
    first, second = learn(columns), learn(other)
    assert (first.score, first.fingerprint) == (second.score, second.fingerprint)


def _with_copies(drawn: Drawn) -> Columns:
    columns = drawn.table((2, 6), (5, 40))
    names = list(columns)
    for copy in range(drawn.number("copies", 2, 4)):
        columns[f"copy{copy}"] = list(columns[names[drawn.rng.integers(0, len(names))]])
    return columns


@promised(STABLE)
def test_one_column_copied_many_times_gives_the_same_bits(drawn: Drawn) -> None:
    columns = _one_column(drawn)
    learn = drawn.learner(columns)
    first, second = learn(columns), learn(shuffled(columns, drawn.shuffle))
    assert (_arcs(first), first.score) == (_arcs(second), second.score)


@promised(ALL, kinds=PURE)
def test_one_column_copied_many_times_and_merged_has_no_arcs(drawn: Drawn) -> None:
    columns = _one_column(drawn)
    assert drawn.learner(columns, duplicates="merge")(columns).arcs == ()


def _one_column(drawn: Drawn) -> Columns:
    rows = drawn.number("rows", 4, 30)
    letters = ["a", "b", *drawn.rng.choice(["a", "b"], rows - 2).tolist()]
    numbers = drawn.rng.normal(size=rows).tolist()
    own = {"categorical": [letters], "continuous": [numbers], "mixed": [letters, numbers]}[drawn.combination.kind]
    return {f"c{copy}": own[copy % len(own)] for copy in range(drawn.number("copies", 2, 7))}


@promised(STABLE)
def test_more_variables_than_rows_give_the_same_bits(drawn: Drawn) -> None:
    columns = drawn.table((6, 12), (4, 5))
    learn = drawn.learner(columns)
    first, second = learn(columns), learn(shuffled(columns, drawn.shuffle))
    assert (_arcs(first), first.score) == (_arcs(second), second.score)


@promised(ALL)
def test_weights_are_repeated_rows(drawn: Drawn) -> None:
    columns = drawn.table((2, 6), (4, 30))
    learn = drawn.learner(columns)
    weights = drawn.rng.integers(0, 4, len(next(iter(columns.values()))))
    weights[:4] = 1
    repeated: Columns = {
        name: np.repeat(np.array(own, dtype=object), weights).tolist() for name, own in columns.items()
    }
    # Also those of rows without weight.
    levels = drawn.levels(columns)
    first = learn(repeated, levels=levels)
    second = learn(columns, weights=weights, levels=levels)
    third = learn({**columns, "how often": weights.tolist()}, weights="how often", levels=levels)
    assert (_arcs(first), first.score, first.rows) == (_arcs(second), second.score, second.rows)
    assert (_arcs(first), first.score) == (_arcs(third), third.score)


@promised(ALL)
def test_chunks_of_rows_cannot_matter(drawn: Drawn) -> None:
    columns = drawn.table((2, 6), (6, 60))
    table = pa.table({str(name): own for name, own in columns.items()})
    cuts = drawn.rng.integers(1, table.num_rows, drawn.number("cuts", 0, 4)).tolist()
    bounds = [0, *sorted(set(cuts)), table.num_rows]
    parts = [table.slice(a, b - a) for a, b in pairwise(bounds)]
    algorithm, _, score = drawn.combination
    options = drawn.options(len(columns))
    reading: dict[str, Any] = {"missing": "available", "levels": drawn.levels(table.to_pydict())}
    first = sb.learn(table, algorithm, score, **options, **reading)
    assert sb.learn(pa.concat_tables(parts), algorithm, score, **options, **reading) == first
    # In parts that never are in memory together, and one after the other.
    assert sb.learn(iter(parts), algorithm, score, **options, **reading) == first
    growing = sb.statistics(parts[0], **reading)
    for part in parts[1:]:
        growing.update(part)
    assert sb.learn(growing, algorithm, score, **options) == first


@promised(ALL)
def test_threads_cannot_matter(drawn: Drawn) -> None:
    columns = drawn.table((4, 8), (40, 60))
    algorithm, _, score = drawn.combination
    options = drawn.options(len(columns))
    options["missing"] = "available"
    one, two = (sb.learn(columns, algorithm, score, **{**options, "threads": threads}) for threads in (1, 2))
    assert (one.to_dict(), one.trace) == (two.to_dict(), two.trace)


@promised(ALL, kinds=["categorical"])
def test_relabelled_levels_in_the_same_order_give_the_same_bits(drawn: Drawn) -> None:
    columns = drawn.table((2, 6), (4, 60))
    learn = drawn.learner(columns)
    first = learn(columns)
    labels = sorted({value for own in columns.values() for value in own if value is not None})
    declared = drawn.levels(columns)
    for other in (
        {label: f"level {place:02d}" for place, label in enumerate(labels)} | {"!": "!", "~": "~"},
        dict(zip(labels, range(99), strict=False)) | {"!": -1, "~": 99},
    ):
        levels = declared and {name: [other[level] for level in own] for name, own in declared.items()}
        relabelled = {name: [other.get(value) for value in own] for name, own in columns.items()}
        second = learn(relabelled, levels=levels)
        assert (_arcs(first), first.score) == (_arcs(second), second.score)


Units = dict[Hashable, tuple[float, float]]


def _in_units(columns: Columns, units: Units) -> Columns:
    """Columns of numbers times a factor, and shifted."""
    return {
        name: own if _is_text(own) else [x * units[name][0] + units[name][1] for x in own]
        for name, own in columns.items()
    }


def _is_text(own: Sequence[Any]) -> bool:
    return any(isinstance(value, str) for value in own)


def _kinds(columns: Columns) -> dict[Hashable, Kind]:
    """What the columns are, said outright: whole numbers may be codes, and are none in another unit."""
    return {name: "categorical" if _is_text(own) else "continuous" for name, own in columns.items()}


def _way(result: sb.Result) -> tuple[Any, ...]:
    """The graph and all that led to it: none of it has units, but for the sums of scores of mixed tables."""
    mixed = len(set(result.kinds.values())) > 1
    trace = getattr(result.trace, "delta", result.trace) if mixed else result.trace
    return _arcs(result), result.order, trace


def _assert_scale(first: sb.Result, second: sb.Result, units: Units) -> None:
    """The score of a density in other units: -N ln|a| for every column of numbers that is not constant."""
    if first.score is None or second.score is None:
        assert first.score == second.score
        return
    varying = [name for name in units if first.kinds[name] == "continuous" and name not in first.constants]
    # The degenerate Gaussian score is that of standardised columns, the basis score that of ranks.
    shift = (
        first.rows
        * sum(np.log(abs(units[name][0])) for name in varying)
        * (first.config["score"] not in ("dg", "basis"))
    )
    assert second.score == pytest.approx(first.score - shift, rel=1e-12, abs=1e-9)


@promised(ALL, kinds=["continuous", "mixed"])
def test_mirrored_columns_give_the_same_bits(drawn: Drawn) -> None:
    columns = drawn.table((2, 6), (8, 60))
    learn = drawn.learner(columns)
    mirrored = _in_units(columns, {name: (float(drawn.rng.choice([-1, 1])), 0.0) for name in columns})
    first, second = learn(columns), learn(mirrored)
    assert (*_way(first), first.score, first.fingerprint) == (*_way(second), second.score, second.fingerprint)


@promised(ALL, kinds=["continuous", "mixed"])
def test_signs_cannot_decide_where_everything_ties(drawn: Drawn) -> None:
    for unit_free in (None, False):
        columns = _turned(drawn)
        learn = drawn.learner(columns, kinds=_kinds(columns), unit_free=unit_free)
        mirrored = _in_units(columns, {name: (float(drawn.rng.choice([-1, 1])), 0.0) for name in columns})
        first, second = learn(columns), learn(mirrored)
        assert (*_way(first), first.score, first.fingerprint) == (*_way(second), second.score, second.fingerprint)


@promised(STABLE, kinds=["continuous", "mixed"])
def test_names_decide_nothing_between_mirror_images_but_what_is_told(drawn: Drawn) -> None:
    for duplicates, units in product(("merge", "keep"), (None, False)):
        columns = _turned(drawn)
        learn = drawn.learner(columns, duplicates=duplicates, unit_free=units)
        first = learn(columns, kinds=_kinds(columns))
        order, told = _order_and_what_is_told(first, {name: name for name in columns})
        for layout in range(3):
            other, old = renamed(shuffled(columns, drawn.shuffle + layout), drawn.shuffle + layout)
            second = learn(other, kinds=_kinds(other))
            assert (second.score, second.fingerprint) == (first.score, first.fingerprint)
            assert _form(other, second.order) == _form(columns, first.order)
            other_order, other_told = _order_and_what_is_told(second, old)
            assert other_told == told
            assert {
                name for pair in zip(order, other_order, strict=True) if len(set(pair)) > 1 for name in pair
            } <= told


def _turned(drawn: Drawn) -> Columns:
    """Columns with two or three values each, many of them as often as mirrored; and mirror images of some."""
    rows = drawn.number("rows", 4, 6)
    own: list[Any] = []
    for _ in range(drawn.number("columns", 2, 4)):
        low = int(drawn.rng.choice([1, rows // 2]))
        values = np.array([-1.0] * low + [2.0] * (rows - low))
        if rows % 2 and drawn.rng.random() < 0.5:
            values[rows // 2] = 0.5
        own.append(drawn.rng.permutation(values))
    for _ in range(drawn.number("mirror images", 1, 2)):
        own.append(drawn.rng.choice([0.0, 1.0, 1.0]) - own[drawn.rng.integers(0, len(own))])
    columns: Columns = {f"x{v}": column.tolist() for v, column in enumerate(own)}
    if drawn.combination.kind == "mixed":
        columns["c"] = ["a", "b", *drawn.rng.choice(["a", "b"], rows - 2).tolist()]
    return columns


def _order_and_what_is_told(result: sb.Result, old: Mapping[Hashable, Hashable]) -> tuple[list[Any], set[Any]]:
    """The order, and the columns of which it is said that names decide between them; one name for all merged ones."""
    merged = {stands: (stands, *others) for stands, others in result.merged.items()}
    first = {stands: min(str(old[name]) for name in group) for stands, group in merged.items()}
    # Copies that are kept are told as such.
    codes = ("interchangeable",) if merged else ("interchangeable", "identical", "copies")
    told = {name for caution in result.warnings if caution.code in codes for name in caution.columns}
    return [first.get(name, old[name]) for name in result.order], {first.get(name, old[name]) for name in told}


def _form(columns: Columns, order: Sequence[Hashable]) -> tuple[Any, ...]:
    """The rows of some columns, in this order, up to the signs of numbers: least of all ways to choose these."""
    images = [
        [own] if _is_text(own) else [[sign * (x - (min(own) + max(own)) / 2) for x in own] for sign in (-1.0, 1.0)]
        for own in (columns[name] for name in order)
    ]
    return min(tuple(sorted(zip(*chosen, strict=True))) for chosen in product(*images))


@promised(ALL, kinds=["continuous", "mixed"], without=["bge"])
def test_power_of_two_units_change_nothing_but_the_scale(drawn: Drawn) -> None:
    columns = drawn.table((2, 6), (8, 60))
    learn = drawn.learner(columns, unit_free=None)
    powers = drawn.rng.integers(-30, 31, len(columns)).tolist()
    units = {
        name: (float(drawn.rng.choice([-1, 1])) * 2.0**power, 0.0) for name, power in zip(columns, powers, strict=True)
    }
    first, second = learn(columns), learn(_in_units(columns, units))
    assert _way(first) == _way(second)
    _assert_scale(first, second, units)


@promised(ALL, kinds=["continuous", "mixed"], without=["bge"])
def test_units_that_round_nothing_change_nothing_but_the_scale(drawn: Drawn) -> None:
    # Whole numbers, often tied: so are these multiples of them, and with any of these zeros.
    columns: Columns = {
        name: own if _is_text(own) else [x if np.isnan(x) else float(round(4 * x)) for x in own]
        for name, own in drawn.table((2, 6), (8, 60)).items()
    }
    learn = drawn.learner(columns, unit_free=None, kinds=_kinds(columns))
    units = {
        name: (float(drawn.rng.choice([-7, -3, 3, 10, 1000])), float(drawn.rng.integers(-(10**6), 10**6)))
        for name in columns
    }
    first, second = learn(columns), learn(_in_units(columns, units))
    assert _way(first) == _way(second)
    _assert_scale(first, second, units)


@promised(ALL, kinds=["continuous", "mixed"], without=["bge"])
def test_units_cannot_decide_where_everything_ties(drawn: Drawn) -> None:
    # Many columns are symmetric, copies or mirror images of each other, and can be exchanged in many ways.
    shape = drawn.number("columns", 2, 6), drawn.number("rows", 4, 7)
    columns: Columns = {f"c{v}": own.tolist() for v, own in enumerate(drawn.rng.integers(0, 2, shape) / 2)}
    if drawn.combination.kind == "mixed":
        columns = {name: list(map(str, own)) if name in ("c0", "c2") else own for name, own in columns.items()}
    learn = drawn.learner(columns, unit_free=None, kinds=_kinds(columns))
    units = {name: (float(drawn.rng.choice([-3, -1, 1, 4])), float(drawn.rng.integers(-4, 5))) for name in columns}
    first, second = learn(columns), learn(_in_units(columns, units))
    assert _way(first) == _way(second)


@promised(ALL, kinds=["continuous", "mixed"], without=["bge"])
def test_units_that_round_cannot_change_the_graph(drawn: Drawn) -> None:
    columns = drawn.table((2, 6), (8, 60))
    learn = drawn.learner(columns, unit_free=None)
    units = {
        name: (
            float(drawn.rng.choice([-1, 1]) * 10.0 ** drawn.rng.uniform(-3, 3)),
            float(drawn.rng.normal(scale=10.0 ** drawn.rng.uniform(-3, 3))),
        )
        for name in columns
    }
    first, second = learn(columns), learn(_in_units(columns, units))
    assert (_arcs(first), first.order) == (_arcs(second), second.order)


# That the cases above are those that the first lines of this file speak of.

OF_STABLE_LEARNERS = [
    "test_shuffled_columns_give_the_same_bits",
    "test_other_names_give_the_same_bits",
    "test_tiny_tables_with_ties_everywhere_give_the_same_bits",
    "test_identical_columns_never_depend_on_position",
    "test_merged_columns_need_no_names",
    "test_one_column_copied_many_times_gives_the_same_bits",
    "test_more_variables_than_rows_give_the_same_bits",
]
OF_ALL_LEARNERS = [
    "test_shuffled_rows_give_the_same_bits",
    "test_weights_are_repeated_rows",
    "test_chunks_of_rows_cannot_matter",
    "test_threads_cannot_matter",
]
OF_ONE_KIND = ["test_one_column_copied_many_times_and_merged_has_no_arcs"]
OF_SIGNS = ["test_mirrored_columns_give_the_same_bits", "test_signs_cannot_decide_where_everything_ties"]
OF_NUMBERS = ["test_names_decide_nothing_between_mirror_images_but_what_is_told"]
OF_LEVELS = ["test_relabelled_levels_in_the_same_order_give_the_same_bits"]
OF_UNITS = [
    "test_power_of_two_units_change_nothing_but_the_scale",
    "test_units_that_round_nothing_change_nothing_but_the_scale",
    "test_units_cannot_decide_where_everything_ties",
    "test_units_that_round_cannot_change_the_graph",
]


def _cases(name: str) -> list[tuple[Combination, str, bool]]:
    """What pytest runs a test of this file with."""
    return [case.values[0] for mark in globals()[name].pytestmark for case in mark.args[1]]


def _promised() -> dict[str, set[Combination]]:
    """What every test must meet, by the registry of learners."""
    every = set(combinations(list(LEARNERS)))
    stable = {combination for combination in every if LEARNERS[combination.algorithm].stable}
    levels = {combination for combination in every if combination.kind == "categorical"}
    # `bge` has a prior with units of its own: it is never free of them.
    units = {combination for combination in every - levels if combination.score != "bge"}
    pure = {combination for combination in every if combination.kind in PURE}
    return {
        **dict.fromkeys(OF_STABLE_LEARNERS, stable),
        **dict.fromkeys(OF_ALL_LEARNERS, every),
        **dict.fromkeys(OF_ONE_KIND, pure),
        **dict.fromkeys(OF_SIGNS, every - levels),
        **dict.fromkeys(OF_NUMBERS, stable - levels),
        **dict.fromkeys(OF_LEVELS, levels),
        **dict.fromkeys(OF_UNITS, units),
    }


@pytest.mark.parametrize(
    "name", [*OF_STABLE_LEARNERS, *OF_ALL_LEARNERS, *OF_ONE_KIND, *OF_SIGNS, *OF_NUMBERS, *OF_LEVELS, *OF_UNITS]
)
def test_every_promise_meets_every_learner_kind_and_score(name: str) -> None:
    met = Counter(combination for combination, _, _ in _cases(name))
    assert met == dict.fromkeys(_promised()[name], EXAMPLES)


def test_learners_and_their_promise_are_those_of_the_registry() -> None:
    assert {learner: entry.stable for learner, entry in LEARNERS.items()} == {name: name in STABLE for name in ALL}


def test_tables_with_holes_are_met_by_every_learner_and_score_that_can_do_with_them() -> None:
    met = set()
    for name in _promised():
        for combination, seed, stable in _cases(name):
            columns = Drawn(combination, seed, stable=stable).table((6, 6), (40, 40))
            if any(value is None or value != value for own in columns.values() for value in own):
                met.add(combination)
    assert met == {combination for combination in combinations(list(LEARNERS)) if takes_holes(combination)}


def _options_of(learner: str) -> set[str]:
    """The options that only some learners have, and this one does."""
    return {option.name for option in options_for(learner) if option.of}


def test_every_option_of_every_learner_is_met() -> None:
    met = {learner: set[str]() for learner in ALL}
    for name in _promised():
        for combination, seed, stable in _cases(name):
            met[combination.algorithm] |= Drawn(combination, seed, stable=stable).options(5).keys()
    # A graph to start from is drawn with names of columns: see the list of `tests/golden/before_core`.
    assert all(_options_of(learner) - {"start"} <= met[learner] for learner in LEARNERS)


def test_every_test_of_independence_is_met_with_every_learner_that_tests() -> None:
    met = set()
    for name in _promised():
        for combination, seed, stable in _cases(name):
            met.add((combination.algorithm, Drawn(combination, seed, stable=stable).options(5).get("test")))
    assert met >= {
        (learner, test)
        for learner in LEARNERS
        if "test" in _options_of(learner)
        for test in (*TESTS["categorical"], *TESTS["continuous"], *TESTS["mixed"])
    }
