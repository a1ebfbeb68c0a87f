"""What columns are taken for, why, and what is set aside: by values alone, and never without a word."""

import datetime
import random
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.preparing import prepare

from stablebn.columns.arrow.numeric_text import classify_texts
from stablebn.columns.kinds import Decision
from stablebn.errors import DataError, OptionError
from stablebn.table.table import CategoricalTable, MixedTable

NAN = float("nan")


def _decision(column: Any, **options: Any) -> Decision:
    """What is decided for a column 'a' beside another of text."""
    rows = len(column)
    found = prepare({"a": column, "b": (["u", "v"] * rows)[:rows]}, **{"missing": "drop", **options})
    assert found.names == ("a", "b")
    return found.decisions["a"]


def _repeated(values: Any, rows: int) -> list[Any]:
    """Values, each about as often, but not equally often."""
    values = list(values)
    return [*values, *random.Random(0).choices(values, k=rows - len(values))]


@pytest.mark.parametrize(
    ("column", "decision"),
    [
        (["x", "y"] * 4, Decision("categorical", "text", plain=True)),
        ([True, False] * 4, Decision("categorical", "true or false", plain=True)),
        (pd.Categorical([3, 4] * 4), Decision("categorical", "categories", plain=True)),
        ([0.5, 1.5] * 4, Decision("continuous", "floats", plain=True)),
        ([1, 2] * 4, Decision("categorical", "2 distinct integers", plain=True)),
        (_repeated(range(10), 100), Decision("categorical", "10 distinct integers", plain=True)),
        (_repeated(range(25), 625), Decision("categorical", "25 distinct integers")),
        (_repeated(range(25), 624), Decision("continuous", "25 distinct integers")),
        (_repeated(range(26), 900), Decision("continuous", "26 distinct integers")),
        (_repeated(range(5), 6), Decision("categorical", "5 distinct integers", plain=True)),
        (_repeated(range(6), 7), Decision("continuous", "6 distinct integers")),
        ([1.0, 2.0, NAN, 1.0, 2.0], Decision("categorical", "2 distinct whole numbers")),
        ([1.0, 2.0, 3.0, 4.0], Decision("continuous", "4 distinct whole numbers", plain=True)),
        (_repeated(np.arange(25.0), 625), Decision("categorical", "25 distinct whole numbers")),
        (_repeated(np.arange(26.0), 900), Decision("continuous", "26 distinct whole numbers", plain=True)),
        ([2.0] * 8, Decision("continuous", "a single value", plain=True)),
        (pd.Series([1, None, 2, 1, 2, 2], dtype="Int64"), Decision("categorical", "2 distinct integers", plain=True)),
        ([Decimal("1.5"), Decimal(2), Decimal(3), Decimal(7)], Decision("continuous", "floats", plain=True)),
        ([Decimal(1), Decimal(2)] * 4, Decision("categorical", "2 distinct whole numbers")),
        (pd.cut(pd.Series([1.0, 2.0, 3.0] * 3), 2), Decision("categorical", "text", plain=True)),
        (pd.IntervalIndex.from_breaks(range(5)), Decision("categorical", "text", plain=True)),
        (pd.Categorical(pd.date_range("2020", periods=4)), Decision("categorical", "text", plain=True)),
        (pl.Series(["a", "b"] * 3, dtype=pl.Categorical), Decision("categorical", "text", plain=True)),
    ],
    ids=str,
)
def test_kinds_follow_from_type_and_values(column: Any, decision: Decision) -> None:
    assert _decision(column) == decision


@pytest.mark.parametrize(
    ("column", "why"),
    [
        (range(26), "26 integers, each once: they number the rows"),
        (range(1000, 4000, 100), "30 integers, each once: they number the rows"),
        (np.arange(30.0), "30 whole numbers, each once: they number the rows"),
        (random.Random(1).sample(range(10000, 100000), 2000), "2000 integers, each once: they number the rows"),
        (list(range(40)) * 3, "40 integers, each equally often: they number groups"),
        ([f"p{i}" for i in range(26)], "text, 26 values in 26 rows"),
        ([f"p{i}" for i in range(30)] + ["p1"] * 3, "text, 30 values in 33 rows"),
        ([f"the patient said {i} words" for i in range(30)], "free text, 30 values in 30 rows"),
        ([f"2024-01-{day:02}" for day in range(1, 29)] * 9, "28 dates, written as text"),
        (pd.date_range("2020", periods=30), "dates or times"),
        (pd.date_range("2020", periods=30, tz="UTC"), "dates or times"),
        (pd.period_range("2020", periods=3, freq="M"), "dates or times"),
        ([datetime.date(2020, 1, 1), None], "dates or times"),
        ([datetime.timedelta(1)] * 2, "dates or times"),
        ([datetime.time(1)] * 2, "dates or times"),
        ([None, None], "no values"),
        (np.array([NAN, NAN]), "no values"),
        (pl.Series([NAN, NAN]), "no values"),
        ([b"x", b"y"], "neither text nor numbers but binary"),
        ([[1], [2]], "neither text nor numbers but list<item: int64>"),
        ([{"x": 1}] * 2, "neither text nor numbers but struct<x: int64>"),
        ([2**60 + 2**40 * i for i in range(30)], "30 integers, each once: they number the rows"),
        ([2**60 + i * i for i in range(30)], "30 distinct integers, some beyond 2**53, that look like keys"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_names_rows_is_set_aside(column: Any, why: str) -> None:
    assert _decision(column) == Decision(None, why)


@pytest.mark.parametrize(
    "column",
    [
        random.Random(1).sample(range(10**6), 100),
        [i * i for i in range(60)],
        _repeated(range(1950, 2020), 200),
        [round(100 * random.Random(i).gauss(170, 10)) for i in range(60)],
    ],
    ids=["far apart", "squares", "years", "heights"],
)
def test_measured_integers_are_no_ids(column: list[int]) -> None:
    assert _decision(column).kind == "continuous"


def test_25_levels_or_nine_tenths_of_the_rows_are_no_names() -> None:
    assert _decision([f"p{i}" for i in range(25)]).kind == "categorical"
    assert _decision([f"p{i}" for i in range(27)] + ["p0"] * 3).kind == "categorical"
    assert _decision([f"p{i}" for i in range(30)], weights=[2] * 30).kind == "categorical"


def test_columns_set_aside_stay_in_the_table_and_are_told() -> None:
    columns = {
        "id": range(30),
        "x": ["u", "v"] * 15,
        "day": pd.date_range("2020", periods=30),
        "y": ["p", "p", "q"] * 10,
    }
    prepared = prepare(columns)
    assert prepared.names == ("id", "x", "day", "y")
    assert prepared.table.names == ("x", "y")
    assert prepared.aside == ("id", "day")
    assert set(prepared.kinds) == {"x", "y"}
    (caution,) = prepared.warnings
    assert (caution.code, caution.columns) == ("set-aside", ("id", "day"))
    assert "'day' (dates or times), 'id' (30 integers, each once: they number the rows)" in str(caution)
    assert "keep=" in str(caution)
    assert prepare(columns, drop=["id", "day"]).warnings == ()


def test_decisions_by_values_are_told_in_a_note() -> None:
    columns = {"code": [1.0, 2.0] * 30, "age": _repeated(range(30), 60), "x": ["u", "v"] * 30}
    (caution,) = prepare(columns).warnings
    assert (caution.code, caution.columns) == ("kinds", ("code", "age"))
    assert "'age' (continuous: 30 distinct integers), 'code' (categorical: 2 distinct whole numbers)" in str(caution)


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (range(30), "continuous"),
        ([f"p{i}" for i in range(30)], "categorical"),
        (pd.date_range("2020", periods=30), "continuous"),
        ([datetime.timedelta(i * i) for i in range(30)], "continuous"),
        (pd.period_range("2020", periods=30, freq="M"), "continuous"),
    ],
    ids=["id", "text", "dates", "durations", "periods"],
)
def test_keep_overrules(column: Any, kind: str) -> None:
    assert _decision(column).kind is None
    assert _decision(column, keep=["a"]).kind == kind
    assert _decision(column, keep="a").kind == kind
    for asked in ("categorical", "continuous"):
        if not isinstance(column, list) or not isinstance(column[0], str):
            assert _decision(column, kinds={"a": asked}).kind == asked


def test_dates_are_days_as_numbers_and_text_as_categories() -> None:
    days = [datetime.date(1970, 1, 2), datetime.date(1970, 1, 5), datetime.date(1970, 1, 9), datetime.date(1970, 1, 3)]
    table = prepare({"a": days, "b": [0.5, 1.5, 0.25, 9.5]}, keep="a").table
    assert table.values[0].tolist() == [1, 4, 8, 2]  # type: ignore[union-attr]
    table = prepare({"a": days, "b": ["x", "y"] * 2}, kinds={"a": "categorical"}).table
    assert isinstance(table, CategoricalTable)
    assert table.levels[0] == ("1970-01-02", "1970-01-03", "1970-01-05", "1970-01-09")


def test_keep_is_for_columns_and_not_for_those_left_out() -> None:
    columns = {"a": range(30), "b": ["x", "y"] * 15, "c": ["x", "y", "y"] * 10}
    with pytest.raises(OptionError, match=r"keep= names 'z', not a column"):
        prepare(columns, keep="z")
    with pytest.raises(OptionError, match=r"keep= and drop= both name 'a'"):
        prepare(columns, keep="a", drop="a")
    assert prepare(columns, keep=["a"], columns=["b", "c"]).names == ("b", "c")


def test_one_kind_for_all_columns_that_can_have_it() -> None:
    columns: dict[Any, Any] = {
        "n": [1, 2] * 15,
        "flag": [True, False] * 15,
        "x": [i * 0.5 for i in range(30)],
        "word": ["u", "v"] * 15,
        "text": [str(i % 7 + 0.5) for i in range(30)],
        "id": range(30),
    }
    numbers = prepare(columns, kinds="continuous")
    assert numbers.kinds == {**dict.fromkeys(("n", "flag", "x", "text"), "continuous"), "word": "categorical"}
    assert numbers.aside == ("id",)
    categories = prepare(columns, kinds="categorical")
    assert set(categories.kinds.values()) == {"categorical"}
    assert categories.aside == ("id",)
    assert isinstance(categories.table, CategoricalTable)
    but = prepare(columns, kinds={"n": "categorical", ...: "continuous"})
    assert but.kinds == {**numbers.kinds, "n": "categorical"}
    assert isinstance(but.table, MixedTable)


def test_numbers_in_bins_are_categories() -> None:
    values = [0.5, 1.5, 2.5, 3.5] * 5
    prepared = prepare({"a": values, "b": ["x", "y"] * 10}, discretise="quantile", bins=2)
    assert prepared.decisions["a"] == Decision("categorical", "floats, in 2 bins", plain=True)


def test_codes_that_became_floats_are_codes_again() -> None:
    integers = prepare({"a": [1, 2, 2, 1, 3, 3, 1, 2, 1], "b": list("uvuvuvuvu")}).table
    floats = prepare({"a": [1.0, 2, 2, 1, 3, 3, 1, 2, 1], "b": list("uvuvuvuvu")}).table
    assert isinstance(integers, CategoricalTable)
    assert isinstance(floats, CategoricalTable)
    assert repr(floats.levels) == repr(integers.levels)


def test_intervals_are_levels_of_text() -> None:
    cut = pd.cut(pd.Series([1.0, 2.0, 3.0, 1.0]), [0, 1, 2, 3])
    table = prepare({"a": cut, "b": ["x", "y"] * 2}).table
    assert isinstance(table, CategoricalTable)
    assert table.levels[0] == ("(0, 1]", "(1, 2]", "(2, 3]")


def test_numbers_with_a_question_mark_are_numbers() -> None:
    column = [*(f"{i}.5" for i in range(40)), "?", "?"]
    prepared = prepare({"a": column, "b": ["x", "y"] * 21}, missing="drop")
    assert prepared.decisions["a"] == Decision("continuous", "numbers written as text, floats")
    assert prepared.table.total == 40
    assert [caution.code for caution in prepared.warnings] == ["kinds", "markers", "dropped-rows"]
    # Text in a file, or in categories, is no other text.
    assert prepare({"a": pd.Categorical(column), "b": ["x", "y"] * 21}, missing="drop").kinds["a"] == "continuous"
    assert prepare({"a": column, "b": ["x", "y"] * 21}, kinds={"a": "categorical"}).kinds["a"] == "categorical"


def test_text_that_looks_like_numbers_is_told() -> None:
    column = [str(i % 30 + 0.5) for i in range(89)] + ["n.k."]
    prepared = prepare({"a": column, "b": ["x", "y"] * 45})
    assert prepared.kinds["a"] == "categorical"
    told = {caution.code: str(caution) for caution in prepared.warnings}
    assert "numbers, and 'n.k.'" in told["numbers-as-text"]
    assert (
        prepare({"a": column[:-1], "b": (["x", "y"] * 45)[:-1]}, kinds={"a": "continuous"}).kinds["a"] == "continuous"
    )


def test_numbers_as_text_are_sorted_out() -> None:
    found = classify_texts(["1", "-2.5e3", ".5", "007", "1_000", "inf", "nan", "?", " 4 ", "x"])
    assert found.numbers == ["1", "-2.5e3", ".5", " 4 "]
    assert found.markers == ["nan", "?"]
    assert found.others == ["007", "1_000", "inf", "x"]


def test_hundreds_of_levels_are_called_out() -> None:
    ages = [random.Random(i).randint(0, 399) for i in range(1000)]
    prepared = prepare({"a": ages, "b": ["x", "y"] * 500}, kinds={"a": "categorical"})
    (caution,) = prepared.warnings
    assert (caution.code, caution.columns) == ("many-levels", ("a",))
    assert "too fine for 1000 rows" in str(caution)


@pytest.mark.parametrize(
    ("rows", "columns", "told"), [(30, 60, True), (100, 40, True), (1000, 37, False), (30, 4, False)]
)
def test_too_few_rows_are_told(rows: int, columns: int, told: bool) -> None:
    noise = np.random.default_rng(1).normal(size=(rows, columns))
    warnings = prepare({f"v{c}": noise[:, c] for c in range(columns)}).warnings
    assert [caution.code for caution in warnings] == (["few-rows"] if told else [])


def test_noise_gives_about_as_many_pairs_as_is_said() -> None:
    generator = np.random.default_rng(2)
    joined = []
    for _ in range(20):
        r: Any = np.corrcoef(generator.normal(size=(60, 30)))
        gain = -30 * np.log1p(-(r[np.triu_indices(60, 1)] ** 2)) / 2
        joined.append(int((gain > np.log(30) / 2).sum()))
    prepared = prepare({f"v{c}": generator.normal(size=30) for c in range(60)})
    said = int(str(prepared.warnings[0]).split("about ")[1].split(" ")[0])
    assert 0.7 * np.mean(joined) < said < 1.3 * np.mean(joined)


def _shuffled(columns: dict[str, list[Any]], seed: int) -> tuple[dict[str, list[Any]], dict[str, str]]:
    chance = random.Random(seed)
    rows = list(range(len(next(iter(columns.values())))))
    chance.shuffle(rows)
    names = [f"w{i}" for i in range(len(columns))]
    chance.shuffle(names)
    alias = dict(zip(columns, names, strict=True))
    order = list(columns)
    chance.shuffle(order)
    return {alias[name]: [columns[name][row] for row in rows] for name in order}, alias


@pytest.mark.parametrize("seed", range(5))
def test_no_layout_changes_a_decision(seed: int) -> None:
    chance = random.Random(seed)
    columns: dict[str, list[Any]] = {
        "id": list(range(60)),
        "name": [f"n{i}" for i in range(60)],
        "age": [chance.randint(20, 60) for _ in range(60)],
        "code": [float(chance.randint(0, 2)) for _ in range(60)],
        "dose": [chance.choice([0.5, 1.0, 2.0]) for _ in range(60)],
        "hp": [chance.choice([*(str(i / 4) for i in range(40)), "?"]) for _ in range(60)],
        "score": [chance.randint(0, 8) for _ in range(60)],
        "empty": [None] * 60,
    }
    expected = prepare(columns, missing="drop").decisions
    shuffled, alias = _shuffled(columns, seed)
    found = prepare(shuffled, missing="drop").decisions
    assert {name: found[alias[name]] for name in columns} == expected


def test_weights_count_as_repeated_rows_in_decisions() -> None:
    values = [float(i % 4) for i in range(12)]
    others = ["x", "y", "y"] * 4
    assert prepare({"a": values, "b": others}).kinds["a"] == "continuous"
    weighted = prepare({"a": values, "b": others}, weights=[2] * 12)
    repeated = prepare({"a": values * 2, "b": others * 2})
    assert weighted.decisions == repeated.decisions
    assert weighted.kinds["a"] == "categorical"


def test_a_column_of_a_type_that_cannot_be_used_cannot_be_kept() -> None:
    columns = {"a": [[1], [2]], "b": [1, 2], "c": ["x", "y"]}
    with pytest.raises(DataError, match=r"types that cannot be used: 'a' \(list") as caught:
        prepare(columns, keep="a")
    assert prepare(columns, **caught.value.remedy).names == ("b", "c")
