"""Continuous columns as categories: who is in which bin, under which label, in which kind of table."""

import copy
import math
import pickle
import random
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.naive import discretising as naive

import stablebn as sb
from stablebn.columns.cut_points import METHODS
from stablebn.prepare.discretize import labels_of
from stablebn.prepare.relayout import lay_out

NAN = float("nan")


def _drawn(seed: int) -> tuple[dict[str, list[float | None]], dict[str, list[str | None]]]:
    """A table of numbers, some with ties or gaps, and of categories."""
    stream = random.Random(seed)
    rows = stream.randint(2, 60)
    common = [stream.gauss(0, 1) for _ in range(rows)]
    numbers: dict[str, list[float | None]] = {}
    for c in range(stream.randint(1, 4)):
        digits, size, share = stream.choice((0, 1, 2, 17)), stream.choice((1e-7, 1, 3, 1e9)), stream.choice((0, 1))
        gaps = stream.choice((0.0, 0.0, 0.2))
        values = [round(size * (share * x + stream.gauss(0, 1)), digits) for x in common]
        # The first value is never missing, so that the column has a type.
        numbers[f"n{c}"] = [None if row and stream.random() < gaps else x for row, x in enumerate(values)]
    categories: dict[str, list[str | None]] = {}
    if stream.random() < 0.5:
        categories["c"] = [stream.choice(("a", "b", None)) if row else "a" for row in range(rows)]
    return numbers, categories


def _gaussian(rows: int, seed: int = 0) -> dict[str, list[float]]:
    """Four columns, of which the later ones follow from the first."""
    stream = random.Random(seed)
    a = [stream.gauss(0, 1) for _ in range(rows)]
    b = [x + stream.gauss(0, 1) for x in a]
    c = [x * x + stream.gauss(0, 0.5) for x in a]
    d = [round(x + y + stream.gauss(0, 1), 1) for x, y in zip(b, c, strict=True)]
    return {"a": a, "b": b, "c": c, "d": d}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(25))
def test_cut_points_are_those_of_the_definition(method: str, seed: int) -> None:
    numbers, categories = _drawn(seed)
    bins = random.Random(f"{seed} bins").choice((2, 3, 5, 12))
    found = sb.discretise({**numbers, **categories}, method, bins, kinds=dict.fromkeys(numbers, "continuous"))
    assert found.cuts == naive.cuts(numbers, categories, method, bins)
    for name, column in numbers.items():
        labels = labels_of(found.cuts[name])
        bin_of = [None if x is None else labels[sum(cut <= x for cut in found.cuts[name])] for x in column]
        assert found.data[name] == bin_of
    assert {name: found.data[name] for name in categories} == categories


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(8))
def test_no_layout_changes_a_bin(method: str, seed: int) -> None:
    numbers, categories = _drawn(seed)
    table = pa.table({**numbers, **categories})
    columns = {name: table[name] for name in table.column_names}
    kinds: dict[Any, Any] = {**dict.fromkeys(numbers, "continuous"), **dict.fromkeys(categories, "categorical")}
    as_given = sb.discretise(columns, method, 3, kinds=kinds)
    for number in range(1, 4):
        layout = lay_out(columns, kinds, ("columns", "rows", "names"), seed=seed, number=number)
        chunk = random.Random(f"{seed} {number} chunk").randint(1, table.num_rows)
        chunked = {
            name: pa.chunked_array(
                [own.slice(at, chunk) for own in [column.combine_chunks()] for at in range(0, len(column), chunk)]
            )
            for name, column in layout.columns.items()
        }
        found = sb.discretise(chunked, method, 3, kinds={layout.aliases[name]: kinds[name] for name in kinds})
        assert layout.rows is not None
        for name in numbers:
            assert found.cuts[layout.aliases[name]] == as_given.cuts[name]
            assert found.data[layout.aliases[name]] == [as_given.data[name][row] for row in layout.rows]


@pytest.mark.parametrize("method", METHODS)
def test_weights_are_as_repeated_rows(method: str) -> None:
    table = _gaussian(40)
    times = [random.Random(row).randint(0, 4) for row in range(40)]
    repeated = {
        name: [x for x, t in zip(column, times, strict=True) for _ in range(t)] for name, column in table.items()
    }
    expected = sb.discretise(repeated, method).cuts
    assert sb.discretise(table, method, weights=times).cuts == expected
    by_name = sb.discretise({**table, "w": times}, method, weights="w")
    assert by_name.cuts == expected
    assert by_name.data["w"] is times


@pytest.mark.parametrize("scale", [2.0**-30, 0.5, 8.0, 2.0**40])
@pytest.mark.parametrize("bins", [2, 3, 7])
def test_units_do_not_move_anyone_between_intervals(scale: float, bins: int) -> None:
    # Multiples of an eighth, so that values stand exactly on cut points and no shift rounds them.
    values = [random.Random(row).randint(0, 84) / 8 for row in range(50)] + [0.0, 10.5]
    numbers = [label[:1] for label in sb.discretise({"x": values}, "interval", bins).data["x"]]
    for shift in (0.0, -3.0, 1000.0):
        moved = [scale * (x + shift) for x in values]
        assert [label[:1] for label in sb.discretise({"x": moved}, "interval", bins).data["x"]] == numbers


def test_a_value_on_the_limit_is_in_the_upper_interval() -> None:
    found = sb.discretise({"x": [0.0, 1.0, 2.0, 3.0, 4.0]}, "interval", 2)
    assert found.data["x"] == ["1: below 2", "1: below 2", "2: 2 or more", "2: 2 or more", "2: 2 or more"]


def test_intervals_that_would_be_empty_are_left_out() -> None:
    found = sb.discretise({"x": [0.0, 1.0, 2.0, 98.0, 100.0]}, "interval", 4)
    assert found.cuts == {"x": (50.0,)}


def test_equal_values_are_never_split() -> None:
    found = sb.discretise({"x": [0.5] * 90 + [1.5] * 6 + [2.5] * 3 + [3.5]}, bins=3)
    assert found.cuts == {"x": (1.0,)}
    assert found.data["x"] == ["1: below 1"] * 90 + ["2: 1 or more"] * 10


@pytest.mark.parametrize("method", METHODS)
def test_few_values_have_a_bin_each_and_one_value_has_one(method: str) -> None:
    table = {"x": [1.5, 2.5, 100.5, 1.5], "constant": [7.5] * 4, "empty": np.array([NAN] * 4)}
    found = sb.discretise(table, method, 3)
    assert found.cuts == {"x": (2.0, 50.0), "constant": ()}
    assert found.data == {
        "x": ["1: below 2", "2: [2, 50)", "3: 50 or more", "1: below 2"],
        "constant": ["1: any number"] * 4,
        # Without a value it is neither a number nor a category.
        "empty": table["empty"],
    }


def test_without_other_columns_information_merges_the_smallest_bins() -> None:
    labels = sb.discretise({"x": np.arange(100.0)}, "information", 5, kinds={"x": "continuous"}).data["x"]
    assert sorted(Counter(labels).values()) == [20] * 5


def test_information_keeps_the_limit_that_matters() -> None:
    # Where x is above 90 the other column is another one: equal counts would not cut there.
    x = [row + 0.5 for row in range(100)]
    table = {"x": x, "sick": ["yes" if value > 90 else "no" for value in x]}
    assert sb.discretise(table, "information", 2).cuts == {"x": (90.0,)}
    assert sb.discretise(table, "quantile", 2).cuts == {"x": (50.0,)}


@pytest.mark.parametrize("bins", [2, 3, 9, 10, 11, 99, 100])
def test_labels_are_unique_and_sort_as_the_bins(bins: int) -> None:
    values = [(row - 70) / 7 for row in range(200)]
    found = sb.discretise({"x": values}, bins=bins)
    labels = list(dict.fromkeys(found.data["x"]))
    assert len(labels) == bins == len(found.cuts["x"]) + 1
    assert labels == sorted(labels)


def test_cut_points_have_no_digit_too_many() -> None:
    values = [1.23456, 1.23461, 2.71828, 3.14159, 10.25, 11.75]
    assert sb.discretise({"x": values}, bins=6).cuts["x"] == (1.2346, 2.0, 3.0, 7.0, 11.0)


@pytest.mark.parametrize(
    ("below", "above"),
    [
        (1.0, math.nextafter(1.0, 2.0)),
        (-sys.float_info.max, sys.float_info.max),
        (1.7e308, sys.float_info.max),
        (-5e-324, 0.0),
        (0.0, 5e-324),
        (5e-324, 1e-323),
        (-sys.float_info.max, -1.7e308),
        (0.1, 0.30000000000000004),
        (999999999999999.9, 1e15),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_a_cut_point_parts_any_two_numbers(method: str, below: float, above: float) -> None:
    found = sb.discretise({"x": [below, above, below]}, method, 2)
    (cut,) = found.cuts["x"]
    assert below < cut <= above
    assert [label[0] for label in found.data["x"]] == ["1", "2", "1"]


@pytest.mark.parametrize("below", [0.0006240620882781617, 1.0758573935492208e-07])
def test_a_limit_that_no_decimal_can_tell_from_a_value_is_the_next_value(below: float) -> None:
    above = math.nextafter(below, 1.0)
    found = sb.discretise({"x": [1e-40, below, above, 2 * below]}, "interval", 2)
    assert found.cuts == {"x": (above,)}


def test_zeros_of_either_sign_are_one_value() -> None:
    found = sb.discretise({"x": [-0.0, 0.0, 1.0, 2.0]}, bins=3)
    assert found.cuts == {"x": (1.0, 2.0)}
    assert found.data["x"][:2] == ["1: below 1"] * 2


FRAME = {"x": [0.5, NAN, 1.5, 2.5], "n": [1, 2, 1, 2], "c": ["u", None, "v", "u"]}
BINNED = ["1: below 1", None, "2: 1 or more", "2: 1 or more"]


def test_a_dict_stays_a_dict() -> None:
    found = sb.discretise(FRAME, bins=2).data
    assert found["x"] == BINNED
    assert found["n"] is FRAME["n"]
    assert list(found) == list(FRAME)


def test_a_pandas_frame_stays_one_with_its_index_and_names() -> None:
    frame = pd.DataFrame(FRAME, index=[7, 7, 1, 0]).rename(columns={"x": 3})
    found = sb.discretise(frame, bins=2).data
    assert isinstance(found, pd.DataFrame)
    assert list(found.columns) == [3, "n", "c"]
    assert list(found.index) == [7, 7, 1, 0]
    assert [None if x != x else x for x in found[3]] == BINNED
    assert found[3].cat.ordered
    pd.testing.assert_frame_equal(found[["n", "c"]], frame[["n", "c"]])
    assert frame[3].dtype == float


def test_an_arrow_stream_becomes_an_arrow_table() -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is an extra")
    table = pa.table({"x": [1.5, 2.5, 3.5, 4.5] * 10, "y": [4.5, 2.5, 3.5, 1.5] * 10})
    found = sb.discretise(duckdb.from_arrow(table), bins=2).data
    assert isinstance(found, pa.Table)
    assert found.equals(sb.discretise(table, bins=2).data)


@pytest.mark.parametrize("lazy", [False, True])
def test_a_polars_frame_stays_one(lazy: bool) -> None:
    frame = pl.DataFrame(FRAME)
    found = sb.discretise(frame.lazy() if lazy else frame, bins=2).data
    assert isinstance(found, pl.DataFrame)
    assert found["x"].cast(pl.String).to_list() == BINNED
    assert found.drop("x").equals(frame.drop("x"))


def test_an_arrow_table_stays_one_and_a_file_becomes_one(tmp_path: Path) -> None:
    table = pa.table(FRAME)
    pq.write_table(table, tmp_path / "t.parquet")
    for source in (table, table.to_batches()[0], tmp_path / "t.parquet", str(tmp_path / "t.parquet")):
        found = sb.discretise(source, bins=2).data
        assert isinstance(found, pa.Table)
        assert found.column_names == ["x", "n", "c"]
        assert found["x"].to_pylist() == BINNED
        assert found["x"].type.ordered
        assert found["n"].equals(table["n"])


def test_an_array_becomes_a_dict() -> None:
    found = sb.discretise(np.array([[0.5, 4.0], [1.5, 6.0]]), names=["x", 2])
    assert found.data == {"x": ["1: below 1", "2: 1 or more"], 2: ["1: below 5", "2: 5 or more"]}
    assert found.apply(np.array([[9.0, -9.0]]), names=["x", 2]) == {"x": ["2: 1 or more"], 2: ["1: below 5"]}


@pytest.mark.parametrize("method", METHODS)
def test_a_table_without_numbers_and_columns_of_other_types_stay_as_they_are(method: str) -> None:
    frame = pl.DataFrame({"c": ["a", "b"], "day": pl.Series([0, 1]).cast(pl.Date)})
    found = sb.discretise(frame, method)
    assert found.data.equals(frame)
    assert found.cuts == {}
    assert sb.discretise({}, method).data == {}


def test_what_is_cut_is_what_learn_takes_for_numbers() -> None:
    table: dict[str, Any] = {"age": [*range(30), 29], "c": ["a", "b"] * 15 + ["a"], "id": list(range(31))}
    assert list(sb.discretise(table, bins=2).cuts) == ["age"]
    assert list(sb.discretise(table, bins=2, kinds={"id": "continuous"}).cuts) == ["age", "id"]


def test_other_rows_fall_into_the_same_bins() -> None:
    found = sb.discretise(FRAME, bins=2)
    new = pl.DataFrame({"other": ["p", "q", "r", "s"], "x": [-1e300, 1.0, None, 7.0]})
    applied = found.apply(new)
    assert applied["x"].cast(pl.String).to_list() == ["1: below 1", "2: 1 or more", None, "2: 1 or more"]
    assert applied["other"].equals(new["other"])
    # Few integers are categories, but not in a column that has cut points.
    assert found.apply({"x": [0, 1]}) == {"x": ["1: below 1", "2: 1 or more"]}
    assert found.apply({"x": np.array([], dtype=float)}) == {"x": []}
    with pytest.raises(sb.DataError, match="lacks columns that have cut points: 'x'"):
        found.apply({"y": [1.0]})
    with pytest.raises(sb.DataError, match="continuous of text: 'x'"):
        found.apply({"x": ["1: below 1"]})


def test_what_cannot_be_asked_for_is_refused() -> None:
    for bins in (1, 101, 2.5, True, "3"):
        with pytest.raises(sb.OptionError, match="bins="):
            sb.discretise(FRAME, bins=bins)  # type: ignore[arg-type]
        with pytest.raises(sb.OptionError, match="bins="):
            sb.learn(FRAME, bins=bins)  # type: ignore[arg-type]
    with pytest.raises(sb.OptionError, match="method='median' is not known"):
        sb.discretise(FRAME, "median")
    with pytest.raises(sb.OptionError, match="discretise='median' is not known"):
        sb.learn(FRAME, discretise="median")
    for cuts in (5, {"x": 5}, {"x": "ab"}):
        with pytest.raises(sb.OptionError, match="cuts= must be a dict"):
            sb.discretise(FRAME, cuts=cuts)  # type: ignore[arg-type]
    for points in ((2.0, 1.0), (1.0, 1.0), (NAN,), (math.inf,)):
        with pytest.raises(sb.OptionError, match="ascending order: 'x'"):
            sb.discretise(FRAME, cuts={"x": points})
    with pytest.raises(sb.DataError, match="without rows has no cut points"):
        sb.discretise({"x": np.array([], dtype=float), "c": np.array([], dtype=str)})
    with pytest.raises(sb.DataError, match="infinite values in 'x'"):
        sb.discretise({"x": [1.0, math.inf]})
    assert sb.discretise(FRAME, bins=np.int64(2)).cuts == {"x": (1.0,)}  # type: ignore[arg-type]


@pytest.mark.parametrize("method", METHODS)
def test_learning_with_bins_is_learning_from_the_discretised_table(method: str) -> None:
    table: dict[str, Any] = {**_gaussian(300), "sex": ["f", "m", "m"] * 100}
    found = sb.discretise(table, method, 4)
    one, other = sb.learn(table, discretise=method, bins=4), sb.learn(found.data)
    assert one.cuts == found.cuts
    assert (one.config["discretise"], one.config["bins"]) == (method, 4)
    for part in ("pdag", "score", "order", "trace", "fingerprint", "warnings", "kinds", "constants", "rows"):
        assert getattr(one, part) == getattr(other, part), part
    assert one.fit().nodes == other.fit().nodes
    assert dict(one.to_dict()["cuts"]) == {name: list(points) for name, points in found.cuts.items()}


def test_missing_numbers_can_be_a_level_once_they_are_in_bins() -> None:
    table: dict[str, Any] = {**_gaussian(100), "gap": [NAN if row % 7 == 0 else row / 8 for row in range(100)]}
    result = sb.learn(table, discretise="quantile", missing="level")
    fitted = result.fit()
    assert [len(fitted[name].levels) for name in ("a", "gap")] == [3, 4]  # type: ignore[union-attr]


def test_new_rows_use_the_cut_points_of_the_result() -> None:
    result = sb.learn(_gaussian(400), "tabu-stable", discretise="information", bins=3)
    new = _gaussian(200, seed=1)
    same = sb.discretise(new, cuts=result.cuts).data
    assert sb.score(result, new) == sb.score(result.dag, same) == sb.score(result, same)
    assert sb.score(result, _gaussian(400)).total == result.score
    assert sb.score(result.dag, _gaussian(400), discretise="information").total == result.score
    assert sb.score(result, new, discretise="interval") != sb.score(result, new)
    assert sb.fit(result, new)["a"] == sb.fit(result.dag, same)["a"]
    likelihood = result.fit(method="bde").log_likelihood(same)
    assert math.isfinite(likelihood)
    assert likelihood < 0


def test_new_rows_of_few_integers_are_numbers_too() -> None:
    result = sb.learn(_gaussian(400), "tabu-stable", discretise="quantile")
    new = {name: [round(x) for x in column] for name, column in _gaussian(100, seed=1).items()}
    same = sb.discretise(new, cuts=result.cuts).data
    assert sb.score(result, new) == sb.score(result.dag, same)


def test_a_constant_column_stays_alone() -> None:
    result = sb.learn({**_gaussian(50), "constant": [2.5] * 50}, discretise="quantile")
    assert result.constants == ("constant",)
    assert result.cuts["constant"] == ()
    assert result.fit()["constant"].levels == ("1: any number",)  # type: ignore[union-attr]


def test_the_audit_finds_one_graph() -> None:
    audit = sb.stability(_gaussian(200), "tabu-stable", repeats=4, discretise="information")
    assert audit.graphs == 1
    assert len(set(audit.scores)) == 1


def test_the_command_line_has_bins(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(_gaussian(200)), path)
    words = ["learn", str(path), "--discretise", "quantile", "--bins", "5", "--out", str(tmp_path / "g.json")]
    program = [sys.executable, "-c", "from stablebn.cli.main import main; main()", *words]
    subprocess.run(program, capture_output=True, text=True, check=True)
    result = sb.learn(path, discretise="quantile", bins=5)
    assert (tmp_path / "g.json").read_text() == result.to_json() + "\n"
    assert [len(points) for points in result.cuts.values()] == [4] * 4


def test_naive_rounding_is_the_shortest() -> None:
    assert naive.rounded(0.2, 0.3, Fraction(1, 4)) == 0.3


def test_bins_without_a_method_are_refused() -> None:
    with pytest.raises(sb.OptionError, match="bins= goes with discretise="):
        sb.learn({"a": [1.0, 2.0, 3.0, 4.0], "b": [4.0, 1.0, 3.0, 2.0]}, bins=4)


@pytest.mark.parametrize("kind", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_discretised_tables_are_compared_by_their_values(kind: Any) -> None:
    numbers, _ = _drawn(1)
    found = sb.discretise(kind(numbers))
    again = pickle.loads(pickle.dumps(found))
    assert again == found == copy.deepcopy(found)
    assert found != sb.discretise(kind(numbers), bins=2)
    assert found != sb.discretise(kind({name: values[::-1] for name, values in numbers.items()}))
