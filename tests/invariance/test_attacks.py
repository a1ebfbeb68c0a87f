"""Tricks that once broke the promise: names, units and symmetries where nobody looks."""

from collections.abc import Hashable
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.tables import Columns, relabelled_codes, renamed

import stablebn as sb

LEARNERS = ("hc-stable", "tabu-stable", "tabu-dec", "hc-inc", "fges", "pc-stable", "gs", "inter-iamb", "mmhc", "h2pc")


def _chosen(rng: np.random.Generator, names: tuple[str, ...] = LEARNERS) -> str:
    return names[int(rng.integers(len(names)))]


def _edges(result: sb.Result) -> tuple[frozenset[object], frozenset[object]]:
    return frozenset(result.pdag.directed), frozenset(map(frozenset, result.pdag.undirected))


# A PDAG as the start


def test_a_pdag_as_start_is_extended_by_the_data() -> None:
    a, b = [0, 0, 1, 1, 2, 2] * 9, [0, 0, 1, 1, 1, 0] * 9
    start = sb.PDAG("ab", [], [("a", "b")])
    [(source, target)] = sb.learn({"a": a, "b": b}, "tabu-stable", start=start).arcs
    assert sb.learn({"b": a, "a": b}, "tabu-stable", start=start).arcs == ((target, source),)


@pytest.mark.parametrize("seed", range(30))
def test_a_start_of_any_form_knows_no_names(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 7))
    names = [f"v{i}" for i in range(n)]
    columns = {name: rng.integers(0, 3, 60).tolist() for name in names}
    shuffled = rng.permutation(n).tolist()
    new: dict[Hashable, str] = {name: names[shuffled[i]] for i, name in enumerate(names)}
    pairs = [(names[i], names[j]) for i in range(n) for j in range(i) if rng.random() < 0.5]
    dag = sb.DAG(names, pairs)
    start = dag.cpdag() if rng.random() < 0.7 else dag
    renamed: sb.DAG | sb.PDAG
    if isinstance(start, sb.PDAG):
        directed, undirected = ([(new[a], new[b]) for a, b in edges] for edges in (start.directed, start.undirected))
        renamed = sb.PDAG(names, directed, undirected)
    else:
        renamed = sb.DAG(names, [(new[a], new[b]) for a, b in start.arcs])
    algorithm = _chosen(rng, ("hc-stable", "tabu-stable", "tabu-dec", "fges"))
    first = sb.learn(columns, algorithm, start=start)
    second = sb.learn({new[name]: columns[name] for name in names}, algorithm, start=renamed)
    assert (first.score, first.fingerprint) == (second.score, second.fingerprint)
    assert {(new[a], new[b]) for a, b in first.arcs} == set(second.arcs)


# Units


def _tied_columns(rng: np.random.Generator, kind: str) -> NDArray[np.float64]:
    n = int(rng.integers(4, 8))
    values = rng.standard_normal((n, int(rng.integers(10, 100))))
    if rng.random() < 0.5:
        values = values.round(1)
    for v in range(1, n):
        values[v] += float(rng.choice([0, 1, 0.5, -1])) * values[rng.integers(0, v)]
    if kind == "collinear":
        return np.vstack([values, values[0] + values[1], values[0] - 2 * values[2]])
    for pair in [(0, 1), (2, 3)][: int(rng.integers(1, 3))]:
        exchanged = values.copy()
        exchanged[list(pair)] = values[list(pair[::-1])]
        values = np.hstack([values, exchanged])
    return values


@pytest.mark.parametrize("kind", ["collinear", "interchangeable"])
@pytest.mark.parametrize("seed", range(40))
def test_graphs_know_no_units_where_columns_are_tied(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = _tied_columns(rng, kind)
    algorithm = _chosen(rng)
    units = np.exp(rng.uniform(-5, 5, len(values))) if rng.random() < 0.8 else np.ones(len(values))
    units *= rng.choice([-1, 1], len(values))
    zeros = rng.normal(0, 10, len(values)) if rng.random() < 0.8 else np.zeros(len(values))
    names = [f"v{i}" for i in range(len(values))]
    first = sb.learn(dict(zip(names, values, strict=True)), algorithm)
    other = values * units[:, None] + zeros[:, None]
    assert _edges(first) == _edges(sb.learn(dict(zip(names, other, strict=True)), algorithm))


def test_copies_in_other_units_are_told_and_merged() -> None:
    rng = np.random.default_rng(3)
    year, x = rng.integers(1950, 2024, 200).astype(float), rng.standard_normal(200)
    columns: dict[str, object] = {
        "year": year,
        "since": year - 2000,
        "x": x,
        "noisy": x + 1e-14 * rng.standard_normal(200),
        "thrice": 3 * x,
        "mirrored": -3 * x,
        "single": (x.astype(np.float32)).astype(float),
        "y": x + rng.standard_normal(200),
    }
    kept = sb.learn(columns)
    assert [(c.code, c.columns) for c in kept.warnings] == [
        ("copies", ("mirrored", "noisy", "single", "thrice", "x", "since", "year"))
    ]
    merged = sb.learn(columns, duplicates="merge")
    groups = {frozenset((stands, *others)) for stands, others in merged.merged.items()}
    assert groups == {frozenset({"year", "since"}), frozenset({"mirrored", "noisy", "single", "thrice", "x"})}
    assert len(merged.dag.nodes) == 3  # type: ignore[union-attr]
    with pytest.raises(
        sb.DataError, match="copies but for unit and rounding: 'mirrored', 'noisy', 'single', 'thrice', 'x'; 'since'"
    ):
        sb.learn(columns, duplicates="error")


@pytest.mark.parametrize("unit_free", [False, True])
def test_names_do_not_decide_which_copy_stands(unit_free: bool) -> None:
    x, y = np.random.default_rng(4).standard_normal((2, 50))
    columns: dict[str, object] = {"a": x, "b": 7 * x + 1, "y": x + y}
    other = {"b": columns["a"], "a": columns["b"], "y": columns["y"]}
    first, second = (sb.learn(table, duplicates="merge", unit_free=unit_free) for table in (columns, other))
    assert first.score == second.score
    assert first.merged.keys() != second.merged.keys()


@pytest.mark.parametrize("seed", range(10))
def test_units_do_not_decide_which_copy_stands_where_rounding_can(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(60)
    columns = {"x": x, "single": x.astype(np.float32).astype(float), "y": x + rng.standard_normal(60)}
    units = {name: rng.choice([-1, 1]) * 10 ** rng.uniform(-2, 2) for name in columns}
    other = {name: own * units[name] + rng.normal() for name, own in columns.items()}
    first, second = (sb.learn(table, duplicates="merge") for table in (columns, other))
    assert (first.merged, first.arcs) == (second.merged, second.arcs)


def test_the_name_of_the_copy_that_stands_decides_nothing() -> None:
    # Two columns that can be exchanged, one of them there twice: in other units the other name stands for it.
    a, b = np.array([[1.0, 0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0, 1.0]])
    found = set()
    for factor in (2.0, 0.5, -2.0):
        table = {"a": a, "b": b, "c": factor * a}
        result = sb.learn(table, "hc-dec", "loglik", duplicates="merge", kinds="continuous")
        [(stands, _)] = result.merged.items()
        found.add(tuple("a" if name == stands else name for name in result.order))
    assert found == {("a", "b")}


def test_a_mirror_image_with_the_same_values_stands_as_well() -> None:
    coin, y = np.repeat([-1.0, 1.0], 20), np.random.default_rng(6).standard_normal(40)
    columns = {"a": coin, "b": -coin, "y": y + 0.5 * coin}
    other = {"b": columns["a"], "a": columns["b"], "y": columns["y"]}
    first, second = (sb.learn(table, duplicates="merge") for table in (columns, other))
    assert (first.score, first.fingerprint, first.merged) == (second.score, second.fingerprint, second.merged)


@pytest.mark.parametrize("score", ["bge", "bic"])
def test_which_mirror_image_stands_does_not_decide_between_others(score: str) -> None:
    # Turning a and b round exchanges c and d, whichever of a and its mirror image is there.
    values = {
        "a": [-1.0, 2.0, 2.0, -1.0],
        "b": [2.0, -1.0, 2.0, -1.0],
        "c": [-1.0, -1.0, 2.0, -1.0],
        "d": [-1.0, -1.0, -1.0, 2.0],
        "mirrored a": [2.0, -1.0, -1.0, 2.0],
    }
    for names in permutations(values):
        old: dict[Hashable, str] = dict(zip(names, values, strict=True))
        aliased = {name: values[own] for name, own in old.items()}
        result = sb.learn(aliased, "hc-dec", score, duplicates="merge", kinds="continuous", unit_free=False)
        [told] = [{old[name] for name in c.columns} for c in result.warnings if c.code == "interchangeable"]
        assert {own.removeprefix("mirrored ") for own in told} == set("abcd")


@pytest.mark.parametrize("seed", range(40))
def test_names_do_not_decide_which_copy_stands_where_only_rounding_tells_them_apart(seed: int) -> None:
    # 0.3 and 0.5 are not as far from 0.4: a scale that runs the other way is a mirror image but for its last bits.
    rng = np.random.default_rng(seed)
    scale, rows = np.array([0.3, 0.4, 0.5]), int(rng.integers(5, 9))
    places = np.repeat([0, 1, 2], [rows // 3, rows - 2 * (rows // 3), rows // 3])
    x, y, z = (rng.permutation(places) for _ in range(3))
    columns: dict[str, object] = {"a": scale[x], "b": scale[2 - x], "y": scale[y], "z": scale[z]}
    if seed % 2:
        columns["z"] = [*"pqr", *rng.choice([*"pqr"], rows - 3).tolist()]
    other = {**columns, "a": columns["b"], "b": columns["a"]}
    for unit_free in (None, False):
        first, second = (
            sb.learn(table, "hc-stable", duplicates="merge", unit_free=unit_free, kinds={"a": "continuous"})
            for table in (columns, other)
        )
        assert (first.score, first.fingerprint) == (second.score, second.fingerprint)


def test_columns_that_differ_by_more_than_rounding_are_no_copies() -> None:
    rng = np.random.default_rng(5)
    x = rng.standard_normal(100)
    columns: dict[str, object] = {
        "x": x,
        "near": x + 1e-4 * rng.standard_normal(100),
        "cube": x**3,
        "y": rng.standard_normal(100),
    }
    assert sb.learn(columns).warnings == ()


# Names that are none


class _Silent:
    def __repr__(self) -> str:
        return "silent"


@pytest.mark.parametrize(
    "names",
    [
        (float("nan"), "a"),
        (float("nan"), float("nan")),
        ((1, float("nan")), "a"),
        (_Silent(), _Silent()),
        (object(), 1),
    ],
    ids=["nan", "two nan", "nan in a tuple", "equal repr", "no repr"],
)
def test_names_that_nothing_tells_apart_are_refused(names: tuple[Hashable, ...]) -> None:
    columns = dict(zip(names, ([0, 1, 0, 1], [0, 1, 1, 0]), strict=True))
    with pytest.raises(sb.DataError, match="Rename these columns"):
        sb.learn(columns)
    with pytest.raises(sb.GraphError, match="cannot be names"):
        sb.DAG(names, [])


def test_names_of_other_kinds_are_names() -> None:
    names = (None, frozenset("ab"), (1, "a"), 2.5, int, True)
    columns = {name: [i >> v & 1 for i in range(64)] for v, name in enumerate(names)}
    assert set(sb.learn(columns).dag.nodes) == set(names)  # type: ignore[union-attr]


# Scores and tests of symmetric tables


def _symmetric_values(rng: np.random.Generator) -> NDArray[np.float64]:
    """A table that a cyclic exchange of some columns leaves as it is."""
    n = int(rng.integers(3, 7))
    around = int(rng.integers(2, n + 1))
    values = rng.standard_normal((n, int(rng.integers(3, 8))))
    turns = [np.vstack([np.roll(values[:around], turn, axis=0), values[around:]]) for turn in range(around)]
    return np.hstack(turns)


@pytest.mark.parametrize("seed", range(60))
def test_scores_and_tests_are_functions_of_data_and_graph(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = _symmetric_values(rng)
    n = len(values)
    score = _chosen(rng, ("bic", "aic", "loglik", "bge"))
    arcs = [(i, j) for j in range(n) for i in range(j) if rng.random() < 0.6]
    x, y, *given = rng.permutation(n)[: int(rng.integers(2, n + 1))].tolist()
    outcomes = set()
    for _ in range(4):
        name = [f"v{i}" for i in rng.permutation(n)]
        columns: dict[str, object] = {name[i]: values[i] for i in rng.permutation(n).tolist()}
        graph = sb.DAG(name, [(name[i], name[j]) for i, j in arcs])
        scored = sb.score(graph, columns, score=score)
        tests = [
            sb.ci_test(columns, name[x], name[y], [name[i] for i in given], test) for test in ("cor", "zf", "mi-g")
        ]
        outcomes.add((scored.total, *(test.statistic for test in tests), *(test.p_value for test in tests)))
        learned = sb.learn(columns, score=score)
        assert learned.dag is not None
        assert sb.score(learned.dag, columns, score=score).total == learned.score
    assert len(outcomes) == 1


def test_a_score_of_more_parents_than_rows_can_tell_of_is_refused() -> None:
    columns = {name: [float(value) for value in own] for name, own in zip("abcd", np.eye(4), strict=True)}
    dag = sb.DAG("abcd", [("a", "d"), ("b", "d"), ("c", "d")])
    with pytest.raises(sb.GraphError, match="for 4 rows the graph gives these variables more than 1 parents: 'd'"):
        sb.score(dag, columns, kinds="continuous")


# Time


def test_max_time_covers_the_order(time_is_up: dict[str, Any]) -> None:
    # Copies of one regular design, side by side: a search for symmetries that would take very long.
    edges = ["01", "06", "07", "13", "17", "24", "25", "27", "34", "36", "45", "56"]
    rows = [[int(str(v) in edge) for v in range(8)] for edge in edges]
    blocks = 12
    table = np.zeros((8 * blocks, len(rows) * blocks), dtype=int)
    for block in range(blocks):
        columns, of_block = slice(8 * block, 8 * block + 8), slice(len(rows) * block, len(rows) * (block + 1))
        table[columns, of_block] = np.array(rows).T
    result = sb.learn({f"v{i}": own.tolist() for i, own in enumerate(table)}, **time_is_up)
    assert "max-time" in [caution.code for caution in result.warnings]
    assert "names-decide" in [caution.code for caution in result.warnings]


# Relabelled copies


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("score", ["dg", "bic"])
def test_names_decide_only_between_interchangeable_columns_that_are_others_relabelled(score: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = relabelled_codes(rng, int(rng.integers(3, 6)), int(rng.integers(6, 30)))
    columns: Columns = {f"v{v}": ["pqrst"[code] for code in own] for v, own in enumerate(codes)}
    if seed % 4 == 3:
        columns["x"] = (rng.normal(size=codes.shape[1]) + codes[0]).tolist()
    other, old = renamed(columns, seed)
    algorithm = _chosen(rng)
    first, second = (sb.learn(table, algorithm, score) for table in (columns, other))
    assert first.score == second.score
    told = {caution.code for caution in first.warnings}
    assert told == {caution.code for caution in second.warnings}
    if not told & {"identical", "interchangeable", "names-decide"}:
        assert [old[name] for name in second.order] == list(first.order)
        assert {(old[a], old[b]) for a, b in second.pdag.directed} == set(first.pdag.directed)
        assert first.fingerprint == second.fingerprint
