"""One error has all problems of a table, and its remedy fixes all of them."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.preparing import prepare

import stablebn as sb
from stablebn.errors import DataError

NAN = float("nan")
ROWS = 40


def _bad() -> dict[str, Any]:
    """Make a table with a problem of every kind."""
    return {
        "mixed": [1, "x"] * (ROWS // 2),
        "complex": [1j] * ROWS,
        "endless": [float("inf"), *[0.5, 1.5, 2.5] * 13],
        "gap": [None, *["x", "y", "y"] * 13],
        "word": ["u", "v"] * (ROWS // 2),
        "huge": [2**53 + 1, *range(ROWS - 1)],
        "nested": [[1]] * ROWS,
        "good": ["p", "q", "q", "q"] * (ROWS // 4),
        "fine": ["p", "p", "q", "q"] * (ROWS // 4),
    }


def _problems(**options: Any) -> DataError:
    with pytest.raises(DataError) as caught:
        prepare(_bad(), **options)
    return caught.value


def test_all_problems_come_in_one_error_and_its_remedy_mends_them() -> None:
    error = _problems(kinds={"word": "continuous", "huge": "continuous"}, keep=["nested"])
    assert [problem.columns for problem in error.problems[2:]] == [
        ("nested",),
        ("huge",),
        ("word",),
        ("endless",),
        ("gap",),
    ]
    assert str(error).startswith("7 things to mend or to decide:\n  1. column 'mixed' mixes values")
    assert all(f"  {number}. " in str(error) for number in range(1, 8))
    assert all(problem.message in str(error) for problem in error.problems)
    assert error.remedy == {
        "missing": "available",
        "drop": ["mixed", "complex", "endless", "huge", "nested"],
        "keep": [],
        "kinds": {},
    }
    assert prepare(_bad(), **error.remedy).table.names == ("gap", "word", "good", "fine")


def test_a_remedy_has_what_was_said_before() -> None:
    chosen = ["endless", "gap", "word", "good", "fine"]
    error = _problems(columns=chosen, kinds={"good": "categorical", "endless": "continuous"})
    assert error.remedy == {"missing": "available", "columns": chosen[1:], "kinds": {"good": "categorical"}}
    assert prepare(_bad(), **error.remedy).names == tuple(chosen[1:])
    error = _problems(drop="mixed,complex,endless,huge", kinds={"fine": "categorical"})
    assert error.remedy == {"missing": "available"}


def test_one_problem_is_told_without_a_list() -> None:
    with pytest.raises(DataError) as caught:
        prepare({"a": [float("inf"), 1.5, 0.5, 2.5], "b": ["x", "y"] * 2, "c": ["x", "y", "y", "y"]})
    assert str(caught.value).startswith("infinite values in 'a' (1).")
    assert caught.value.remedy == {"drop": ["a"]}


def test_what_no_option_mends_has_no_remedy() -> None:
    tables: list[dict[str, Any]] = [{"a": [1]}, {"a": [], "b": []}, {"a": [0.5, 1.5], "b": [NAN, 2.5]}]
    for columns in tables:
        with pytest.raises(DataError) as caught:
            prepare(columns)
        assert caught.value.remedy == {}
        assert caught.value.problems


def test_too_few_columns_are_left_where_others_cannot_be_read() -> None:
    with pytest.raises(DataError, match="2 things") as caught:
        prepare({"a": [1j, 2j], "b": [1, 2]})
    assert caught.value.remedy == {}


@pytest.mark.parametrize(
    "options",
    [
        {"kinds": {"b": "continuous"}},
        {"weights": [1, 2] * 20},
        {"duplicates": "merge", "discretise": "quantile", "bins": 2},
        {"columns": ["a", "b", "c"]},
    ],
    ids=repr,
)
def test_learning_with_the_remedy_goes_on_as_it_was_asked(options: dict[str, Any]) -> None:
    generator = np.random.default_rng(1)
    data = {name: generator.normal(size=40) for name in "abcd"}
    data["a"][3] = NAN
    with pytest.raises(sb.DataError) as caught:
        sb.learn(data, **options)
    remedy: Any = caught.value.remedy
    assert remedy == {**options, "missing": "available"}
    assert sb.learn(data, **remedy) == sb.learn(data, **options, missing="available")


def test_names_of_an_array_are_in_the_remedy() -> None:
    array = np.random.default_rng(1).normal(size=(40, 3))
    array[0, 0] = NAN
    with pytest.raises(sb.DataError) as caught:
        sb.learn(array, names=["x", "y", "z"])
    remedy: Any = caught.value.remedy
    assert sb.learn(array, **remedy).nodes == ("x", "y", "z")


def test_where_no_row_is_complete_the_emptiest_columns_go() -> None:
    data = {
        "sparse": [1.5, *[NAN] * 39],
        "thin": [NAN] * 15 + [0.5] * 24 + [1.5],
        "full": np.random.default_rng(1).normal(size=40),
        "half": np.random.default_rng(2).normal(size=40),
    }
    for missing in ("error", "drop"):
        data["other"] = [NAN, *[0.5] * 39] if missing == "drop" else [0.5] * 39 + [2.5]
        table = {**data, "none": [NAN if i == 0 else i + 0.5 for i in range(40)]}
        with pytest.raises(DataError) as caught:
            prepare(table, missing=missing, offer_available=False)
        remedy: Any = caught.value.remedy
        assert remedy == {"missing": "drop", "drop": ["sparse"]}
        assert prepare({**data, "none": [i + 0.5 for i in range(40)]}, **remedy).table.total >= 20


def test_duplicates_that_are_an_error_can_be_merged() -> None:
    data = {"a": ["x", "y"] * 5, "b": ["x", "y"] * 5, "c": ["x", "y", "y", "y", "x"] * 2}
    with pytest.raises(sb.DataError) as caught:
        sb.learn(data, duplicates="error")
    remedy: Any = caught.value.remedy
    assert sb.learn(data, **remedy).merged == {"a": ("b",)}


def test_a_level_of_missing_numbers_is_no_way_out() -> None:
    data = {"a": [NAN, *[0.5, 1.5, 2.5] * 13], "b": ["x", "y"] * 20}
    with pytest.raises(DataError, match='missing="level" is for categorical') as caught:
        prepare(data, missing="level")
    assert caught.value.remedy == {"missing": "drop"}


def test_an_error_can_be_sent_to_another_process() -> None:
    error = _problems()
    sent = pickle.loads(pickle.dumps(error))
    assert (str(sent), sent.remedy, sent.problems) == (str(error), error.remedy, error.problems)


def test_problems_do_not_depend_on_the_order_of_rows_and_columns() -> None:
    frame = pd.DataFrame({name: values for name, values in _bad().items() if name != "complex"})
    with pytest.raises(DataError) as one:
        prepare(frame)
    with pytest.raises(DataError) as other:
        prepare(frame.iloc[::-1, ::-1])

    def told(error: DataError) -> set[Any]:
        return {(problem.columns, repr(problem.remedy)) for problem in error.problems}

    assert told(one.value) == told(other.value)


@pytest.mark.parametrize(
    ("options", "missing"), [({}, "available"), ({"algorithm": "fges"}, "drop"), ({"score": "bde"}, "drop")]
)
def test_the_remedy_is_one_that_learner_and_score_can_take(options: dict[str, Any], missing: str) -> None:
    table = {"a": ["x", "y", "y", None] * 10, "b": ["x", "y"] * 20, "c": ["x", "y", "y", "y"] * 10}
    with pytest.raises(sb.DataError) as caught:
        sb.learn(table, **options)
    remedy: Any = caught.value.remedy
    assert remedy["missing"] == missing
    assert (
        sb.learn(table, **options, **{name: own for name, own in remedy.items() if name not in options}).dag is not None
    )
