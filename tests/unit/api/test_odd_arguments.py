"""Every public function, every parameter, a list of odd values: an answer or an error of stablebn, nothing else."""

from __future__ import annotations

import copy
import inspect
import io
import math
import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import stablebn as sb
from stablebn import study
from stablebn.api.arguments import learn_options
from stablebn.errors import StableBNError, shown

TABLE = {"a": ["x", "y"] * 20, "b": ["u", "v", "u", "u"] * 10, "c": [1, 2, 3, 1] * 10}
NUMBERS = {"x": [i * i % 17 + i / 7 for i in range(40)], "y": [i * 7 % 13 + i / 9 for i in range(40)]}
STUDY = 'networks = ["asia"]\nsizes = [10]\nrandomisations = 1\n[[learners]]\nalgorithm = "hc"\n'

# As long as a message may be: a value is cut in it.
MOST_LETTERS = 4_000


class Unprintable:
    """What a message can say of this value is its type."""

    def __repr__(self) -> str:
        raise ValueError("no text")


class Unhashable:
    """A value that fails in its own way where it is looked up."""

    def __hash__(self) -> int:
        raise RuntimeError("no hash")


class Lazy:
    """What `iter` takes although there are no values, as a lazy frame of polars."""

    def __getitem__(self, key: object) -> object:
        raise TypeError("no values")


class WrittenFile(io.RawIOBase):
    """A file that is open for writing alone: it has `__iter__`, and no line can be read."""


def _nested() -> list[Any]:
    deep: list[Any] = []
    for _ in range(3_000):
        deep = [deep]
    return deep


def _in_itself() -> list[Any]:
    own: list[Any] = []
    own.append(own)
    return own


def _closed_file() -> io.StringIO:
    file = io.StringIO("a,b\nx,y\n")
    file.close()
    return file


ODD: tuple[Any, ...] = (
    *(None, pd.NA, pd.NaT, math.nan, math.inf, 3, -1, 0, 2**70, True, 1.5, 1j, Decimal("1.5"), object(), ...),
    *("", "a", "a\0b", "\ud800", b"x", b"\xff", Path("a\0b"), Path("zz"), np.str_("a")),
    *([], {}, (), {"a"}, range(2), [None], [pd.NA], [[1]], ["zz"], ["\ud800"], ["a", "a"], ("a", "b")),
    *([("a", "b")], [("a",)], [([], "a")], {"a": 1}, {"a": "categorical"}, {"zz": "continuous"}, {"a": pd.NA}),
    *({pd.NA: 1}, {1: [[]]}, {"a": [[]]}),
    *(np.array(3), np.array("a"), np.array(None), np.array([1, 2]), np.array([["a", "b"]])),
    *(np.float64(2), np.int64(2), np.bool_(True), np.datetime64("2020-01-01")),
    *(pd.Series([1, 2]), pd.DataFrame(), pl.Series([1, 2]), pl.DataFrame({"a": [1, 2]})),
    *(
        1e308,
        10**400,
        Decimal("sNaN"),
        "x" * 100_000,
        ["x" * 100_000],
        Path("folder"),
        _closed_file(),
        WrittenFile(),
        Lazy(),
    ),
    *(_nested(), {"a": _nested()}, _in_itself(), {"a": _in_itself()}, Unprintable(), [Unhashable()]),
)

# Made by stablebn and not called by users, or without parameters.
NOT_CALLED = {"made_by", "load", "opened", "counted", "drawing", "get", "items", "keys", "values", "count", "index"}


@cache
def _graph() -> sb.DAG:
    return sb.DAG(["a", "b", "c"], [("a", "b")])


@cache
def _result() -> sb.Result:
    return sb.learn(TABLE, "exact")


def _network_of(distribution: type) -> Callable[..., sb.Network]:
    """Make a network of one node with a distribution of these parts: a network checks them."""
    return lambda **parts: sb.Network({"a": distribution(**parts)})


CALLS: dict[str, tuple[Callable[..., object], dict[str, Any]]] = {
    **{
        f"learn {algorithm}": (sb.learn, {"data": TABLE, "algorithm": algorithm, "resamples": None})
        for algorithm in ("auto", "tabu-stable", "pc-stable", "fges")
    },
    "check": (sb.check, {"data": TABLE}),
    "score": (sb.score, {"graph": _graph(), "data": TABLE}),
    "fit": (sb.fit, {"graph": _graph(), "data": TABLE}),
    "ci_test": (sb.ci_test, {"data": TABLE, "x": "a", "y": "b"}),
    "compare": (sb.compare, {"learned": _graph(), "true": _graph()}),
    "statistics": (sb.statistics, {"data": TABLE}),
    "load_statistics": (sb.load_statistics, {"path": "kept.stats"}),
    "discretise": (sb.discretise, {"data": NUMBERS}),
    "near_optimal": (sb.near_optimal, {"data": TABLE, "within": 1.0}),
    "bootstrap": (sb.bootstrap, {"data": TABLE, "algorithm": "hc", "replicates": 2}),
    "bootstrap of a callable": (
        sb.bootstrap,
        {"data": TABLE, "algorithm": lambda frame: [tuple(frame.columns[:2])], "replicates": 2},
    ),
    "stability": (sb.stability, {"data": TABLE, "learner": "hc", "repeats": 2}),
    "stability of a callable": (
        sb.stability,
        {"data": TABLE, "learner": lambda frame: [tuple(frame.columns[:2])], "repeats": 2},
    ),
    "cross_validate": (sb.cross_validate, {"data": TABLE, "algorithm": "hc", "folds": 2}),
    "prove": (sb.prove, {"result": _result(), "data": TABLE}),
    "verify": (sb.verify, {"certificate": _result().certificate, "data": TABLE}),
    "random_network": (sb.random_network, {"n": 3, "seed": 1}),
    "read_graph": (sb.read_graph, {"name": "asia"}),
    "read_network": (sb.read_network, {"name": "asia"}),
    "HC": (lambda **options: sb.HC(**options).fit(TABLE), dict.fromkeys(inspect.signature(sb.HC).parameters)),
    "HC.fit": (sb.HC().fit, {"X": TABLE}),
    "DAG": (sb.DAG, {"nodes": ["a", "b"], "arcs": []}),
    "PDAG": (sb.PDAG, {"nodes": ["a", "b"], "directed": [], "undirected": []}),
    "Knowledge": (sb.Knowledge, {}),
    "Network": (sb.Network, {"distributions": {}}),
    "CPT": (
        _network_of(sb.CPT),
        {"levels": ("x", "y"), "parents": (), "probabilities": np.array([0.5, 0.5])},
    ),
    "LinearGaussian": (
        _network_of(sb.LinearGaussian),
        {"parents": (), "coefficients": (), "intercept": 0.0, "sd": 1.0},
    ),
    "ConditionalGaussian": (
        _network_of(sb.ConditionalGaussian),
        {
            "categorical_parents": (),
            "continuous_parents": (),
            "intercepts": np.array(0.0),
            "coefficients": np.array([]),
            "sds": np.array(1.0),
        },
    ),
    "study.plan": (study.plan, {"definition": "study.toml"}),
    "study.run": (study.run, {"definition": "study.toml", "jobs": 1}),
    "study.results": (study.results, {"definition": "study.toml"}),
    "study.read_study": (study.read_study, {"definition": "study.toml"}),
    "study.read_outcomes": (study.read_outcomes, {"path": "zz"}),
}

OBJECTS: dict[str, Callable[[], object]] = {
    "Result": _result,
    "DAG": _graph,
    "PDAG": lambda: _graph().cpdag(),
    "Network": lambda: sb.fit(_graph(), TABLE),
    "Knowledge": lambda: sb.Knowledge(required=[("a", "b")]),
    "Certificate": lambda: _result().certificate,
    "Bootstrap": lambda: sb.bootstrap(TABLE, "hc", replicates=2),
    "Stability": lambda: sb.stability(TABLE, "hc", repeats=2),
    "CrossValidation": lambda: sb.cross_validate(TABLE, "hc", folds=2),
    "Discretised": lambda: sb.discretise(NUMBERS),
    "GrowingTable": lambda: sb.statistics(TABLE),
    "Comparison": lambda: sb.compare(_graph(), _graph()),
    "CITest": lambda: sb.ci_test(TABLE, "a", "b"),
}

# What the required parameters of methods get while another one is odd.
USUAL: Mapping[str, Any] = {
    "a": "a",
    "b": "b",
    "node": "a",
    "name": "a",
    "names": {},
    "columns": ["a", "b", "c"],
    "n": 2,
    "seed": 1,
    "path": "out.zz",
    "text": "",
    "text_or_path": "{}",
    "own": {},
    "given": {},
    "other": None,
    "data": TABLE,
    "more": TABLE,
}


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An odd value of a parameter that names a file is the name of a file all the same."""
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("study.toml").write_text(STUDY)
    sb.statistics(TABLE).save("kept.stats")


def _parameters(function: Callable[..., object]) -> Iterator[str]:
    """The names of all parameters, those of `learn` where a function passes options on."""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            yield from (option.name for option in learn_options())
        else:
            yield parameter.name


def _foreign_error(function: Callable[..., object], arguments: dict[str, Any]) -> str:
    """Call a function, and name the error that it raises if that is not of stablebn, or has too long a message."""
    try:
        function(**arguments)
    except StableBNError as error:
        return f"a message of {len(str(error))} letters" if len(str(error)) > MOST_LETTERS else ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _try_all(label: str, function: Callable[..., object], usual: dict[str, Any], parameters: Iterator[str]) -> None:
    """Call a function with every odd value of every parameter; collect the errors that are not of stablebn."""
    foreign = [
        f"{label}({parameter}={shown(value)}): {error}"
        for parameter in dict.fromkeys(parameters)
        for value in ODD
        if (error := _foreign_error(function, {**usual, parameter: value}))
    ]
    assert not foreign, "\n".join(foreign)


@pytest.mark.parametrize("call", CALLS)
def test_functions_take_or_refuse_odd_values(call: str) -> None:
    function, usual = CALLS[call]
    is_made_here = getattr(function, "__name__", "") == "<lambda>"
    _try_all(call, function, usual, iter(usual) if is_made_here else _parameters(function))


def _methods(thing: object) -> Iterator[str]:
    for name in dir(type(thing)):
        own = inspect.getattr_static(type(thing), name)
        if name[0] != "_" and name not in NOT_CALLED and (inspect.isfunction(own) or isinstance(own, classmethod)):
            yield name


@pytest.mark.parametrize("kind", OBJECTS)
def test_methods_take_or_refuse_odd_values(kind: str) -> None:
    thing = OBJECTS[kind]()
    for name in _methods(thing):
        method = getattr(thing, name)
        required = [own.name for own in inspect.signature(method).parameters.values() if own.default is own.empty]
        usual = {parameter: USUAL[parameter] for parameter in required}
        if kind == "Discretised":
            usual["data"] = NUMBERS
        _try_all(f"{kind}.{name}", method, usual, _parameters(method))


def test_every_public_function_is_tried() -> None:
    for name in (*sb.__all__, *(f"study.{own}" for own in study.__all__)):
        found = getattr(study, name.removeprefix("study.")) if name.startswith("study.") else getattr(sb, name)
        if inspect.isfunction(found):
            assert any(call.split()[0] == name for call in CALLS), name


@pytest.mark.parametrize("value", [False, np.bool_(False), 0, np.int64(0)])
def test_a_choice_is_the_same_in_every_type_of_number(value: object) -> None:
    assert sb.learn(NUMBERS, "hc", unit_free=value).config["unit_free"] is False  # type: ignore[arg-type]


def test_layouts_of_a_bootstrap_may_be_a_number_of_numpy() -> None:
    found = sb.bootstrap(TABLE, "hc", replicates=2, layouts=np.float64(2))  # type: ignore[arg-type]
    assert found.graphs == sb.bootstrap(TABLE, "hc", replicates=2, layouts=2).graphs
    assert len(found.relaid) == 2


@pytest.mark.parametrize("text", ["a\0", "\ud800", chr(0xDC80)])
@pytest.mark.parametrize("number", ["", "1.5"])
def test_odd_text_in_a_pandas_frame(text: str, number: str) -> None:
    frame = pd.DataFrame({"a": pd.Series([f"{number}{text}", "y"] * 20, dtype=object), "b": TABLE["b"]})
    for ask in (sb.learn, sb.check, sb.statistics, sb.discretise, lambda data: sb.learn(data, memory=2**24)):
        with suppress(StableBNError):
            ask(frame)


@pytest.mark.parametrize("path", ["a\0", "\ud800", chr(0xDC80)])
def test_odd_paths(path: str) -> None:
    for end in ("", ".csv", ".parquet", ".arrow", ".xlsx", ".db", ".jsonl", ".toml", ".json", ".bif", "*.csv"):
        name = path + end
        for ask in (
            *(sb.learn, sb.check, sb.statistics, sb.read_graph, sb.read_network, sb.load_statistics, sb.Knowledge.of),
            *(sb.Result.from_json, study.read_study, study.read_outcomes, sb.Certificate.read),
            lambda name: sb.verify(name, TABLE),
            lambda name: sb.learn(TABLE, checkpoint=name),
            lambda name: sb.learn(name, cache=name),
            lambda name: sb.bootstrap(TABLE, "hc", replicates=2, checkpoint=name),
            lambda name: _result().report(name),
            lambda name: _result().plot(name),
        ):
            with suppress(StableBNError):
                ask(name)


def test_a_certificate_that_is_no_text_is_refused() -> None:
    Path("certificate.json").write_bytes(b"\xff\xfe{")
    with pytest.raises(sb.CertificateError, match="not UTF-8"):
        sb.verify("certificate.json", TABLE)


@pytest.mark.parametrize("text", ["required = " + "[" * 20_000, "a = " + "{a=" * 20_000])
def test_deeply_nested_toml_is_refused(text: str) -> None:
    Path("deep.toml").write_text(text)
    for ask in (sb.Knowledge.of, study.plan, lambda path: sb.learn(TABLE, knowledge=path)):
        with pytest.raises(sb.FormatError, match="nested too deeply"):
            ask("deep.toml")


@pytest.mark.skipif(not Path("/proc/self/mem").is_file(), reason="a file that is there and cannot be read")
def test_a_checkpoint_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(sb.OptionError, match="cannot read /proc/self/mem"):
        sb.bootstrap(TABLE, "hc", replicates=2, checkpoint="/proc/self/mem")


def test_lists_that_are_in_themselves_are_refused() -> None:
    with pytest.raises(sb.DataError, match=r"column 'a' .* deep"):
        sb.learn({"a": _in_itself() * 40, "b": TABLE["b"], "c": TABLE["c"]})


def test_an_open_file_is_refused_by_its_kind() -> None:
    with pytest.raises(sb.DataError, match="by its path"):
        sb.learn(io.StringIO("a,b\nx,y\n"))


def test_statistics_that_are_a_folder_cannot_be_read() -> None:
    with pytest.raises(sb.FormatError, match="cannot be read"):
        sb.load_statistics("folder")


@pytest.mark.parametrize(
    "error",
    [
        sb.DataError("wrong", ("a",), {"drop": ("a",)}),
        sb.KnowledgeError("wrong", [sb.Conflict("cycle", "a -> a")]),
        sb.FormatError("a.bif", 3, "expected a name"),
        sb.MissingExtraError("openpyxl", "excel"),
    ],
)
def test_errors_come_out_of_other_processes(error: StableBNError) -> None:
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert vars(again) == vars(error)


@pytest.mark.parametrize("other", [None, 3, "a", {"required": []}])
def test_knowledge_goes_together_with_knowledge_only(other: object) -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = sb.Knowledge(required=[("a", "b")]) & other  # type: ignore[operator]
