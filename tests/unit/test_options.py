from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import pytest

import stablebn as sb
from stablebn.api.arguments import (
    LearnArguments,
    LearnerParameters,
    ScoreArguments,
    check_given,
    learn_options,
    parameters_of,
)
from stablebn.api.estimators import ESTIMATORS, estimator_name
from stablebn.ci_tests.registry import TESTS
from stablebn.learners import LEARNERS, SearchConfig
from stablebn.learners.registry import learners_with
from stablebn.learners.shared.config import Trait
from stablebn.options import Options, at_least, option, options_of
from stablebn.scores.registry import SCORES, ScoreConfig

TABLE = {"a": ["x", "y", "x", "y"], "b": ["p", "q", "q", "p"]}

# What a contributor writes: one entry in the source of SearchConfig.
ENTRY = 'greed: int = option(3, "How greedy a tabu search is.", check=at_least(1), of=(TABU,))'

# Everything that is made from the table of options, in a process in which that entry stands in the source.
WITH_THE_ENTRY = f"""
import importlib.machinery
import importlib.util
import inspect
import sys
import tempfile
from pathlib import Path

MODULE = "stablebn.learners.shared.config"


class Edited(importlib.machinery.SourceFileLoader):
    def get_data(self, path):
        source = super().get_data(path).decode()
        assert source.count("    tabu: int") == 1
        return source.replace("    tabu: int", {"    " + ENTRY + chr(10)!r} + "    tabu: int").encode()

    def path_stats(self, path):
        raise OSError("what was compiled before is not used")


class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == MODULE:
            sys.meta_path.remove(self)
            spec = importlib.util.find_spec(name)
            spec.loader = Edited(name, spec.origin)
            return spec


sys.meta_path.insert(0, Finder())

import stablebn as sb
from stablebn.learners import SearchConfig
from click.testing import CliRunner

from stablebn.cli.main import app
from stablebn.study import read_study

TABLE = {TABLE!r}


def refused(function, *arguments, **options):
    try:
        function(*arguments, **options)
    except sb.OptionError as error:
        return str(error)
    raise AssertionError("not refused")


# The configuration that learners read.
assert SearchConfig().greed == 3
assert "greed=0 must be an integer of at least 1" in refused(SearchConfig, greed=0)

# learn
assert sb.learn(TABLE, "tabu").config["greed"] == 3
assert sb.learn(TABLE, "tabu", greed=4).config["greed"] == 4
assert "greed" not in sb.learn(TABLE, "hc").config
assert inspect.signature(sb.learn).parameters["greed"].default == 3
assert "How greedy a tabu search is; by default 3." in " ".join(sb.learn.__doc__.split())
assert "algorithm='hc' has no option 'greed'" in refused(sb.learn, TABLE, "hc", greed=4)
assert "Did you mean 'greed'?" in refused(sb.learn, TABLE, "tabu", gred=4)

# Estimators
assert sb.TabuStable(greed=4).fit(TABLE).result_.config["greed"] == 4
assert sb.Tabu(greed=4).get_params()["greed"] == 4
assert inspect.signature(sb.Tabu).parameters["greed"].default == 3
assert "greed" not in inspect.signature(sb.HC).parameters
assert "has no option 'greed'" in refused(sb.HC, greed=4)

# The audit
assert sb.stability(TABLE, "tabu", repeats=2, greed=4).layouts == 2

# The command line
for command in ("learn", "stability"):
    shown = " ".join(CliRunner().invoke(app, [command, "--help"]).stdout.split())
    assert "--greed <int> How greedy a tabu search is; by default 3. Only of tabu-stable, tabu," in shown, shown

# The study file
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "mine.toml")
    study = 'networks = ["asia"]\\nsizes = [100]\\n[[learners]]\\nalgorithm = "tabu"\\ngreed = 4\\n'
    path.write_text(study)
    assert read_study(path).learners[0].options == {{"greed": 4}}
    path.write_text(study.replace('"tabu"', '"gs"'))
    assert "algorithm='gs' has no option 'greed'" in refused(read_study, path)
    path.write_text(study.replace("4", "0"))
    assert "greed=0 must be" in refused(read_study, path)
"""


def test_an_option_is_one_entry() -> None:
    done = subprocess.run([sys.executable, "-c", WITH_THE_ENTRY], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_unknown_options_are_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(sb.OptionError, match=r"learn has no option 'max_parent'\. Did you mean 'max_parents'\?"):
        sb.learn(TABLE, max_parent=2)  # type: ignore[call-arg]
    with pytest.raises(sb.OptionError, match=r"score has no option 'magic'\. There are: .*'iss'"):
        sb.score([], TABLE, magic=2)  # type: ignore[call-arg]
    with pytest.raises(sb.OptionError, match=r"Tabu has no option 'tabbu'\. Did you mean 'tabu'\?"):
        sb.Tabu(tabbu=2)  # type: ignore[call-arg]


def test_a_call_that_is_not_one_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=r"learn\(\): missing .*'data'"):
        sb.learn()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"learn\(\): too many positional"):
        sb.learn(TABLE, "hc", "bic", 1.0)  # type: ignore[call-arg, arg-type]


def test_none_stands_for_the_default() -> None:
    unasked, asked = sb.learn(TABLE, "hc"), sb.learn(TABLE, "hc", tabu=None, k=None, order=None)  # type: ignore[arg-type]
    assert asked == unasked


@pytest.mark.parametrize("learn", [sb.learn, sb.bootstrap, sb.stability, sb.cross_validate], ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    ("algorithm", "named"),
    [("tabu", "algorithm='tabu' has"), ("tabu-search", "'tabu' has"), ("auto", "'best', which has")],
)
def test_values_are_only_offered_of_options_that_the_algorithm_has(learn: Any, algorithm: str, named: str) -> None:
    with pytest.raises(sb.OptionError, match=f"{named} no option 'order'") as told:
        learn(TABLE, algorithm, order=["a", "b", "c"])
    assert "'given'" not in str(told.value)
    with pytest.raises(sb.OptionError, match="Choose one of: 'stable', 'given'"):
        learn(TABLE, "fges", order=["a", "b", "c"])


@pytest.mark.parametrize("algorithm", LEARNERS)
def test_every_learner_refuses_the_options_of_others(algorithm: str) -> None:
    for entry in learn_options():
        if LEARNERS[algorithm].has(entry):
            check_given(algorithm, {entry.name: entry.default})
        else:
            with pytest.raises(sb.OptionError, match=f"algorithm='{algorithm}' has no option '{entry.name}'"):
                check_given(algorithm, {entry.name: 3})


def test_every_option_is_of_some_learner_and_every_trait_is_used() -> None:
    assert [entry.name for entry in learn_options() if not learners_with(entry)] == []
    used = {trait for entry in learn_options() for trait in entry.of}
    assert used == {trait for learner in LEARNERS.values() for trait in learner.traits} == set(Trait.__args__)  # type: ignore[attr-defined]


def test_functions_have_the_signature_of_their_options() -> None:
    for function, arguments in ((sb.learn, LearnArguments), (sb.score, ScoreArguments)):
        assert list(inspect.signature(function).parameters) == [entry.name for entry in options_of(arguments)]
        assert all(f"\n{entry.name} : " in str(function.__doc__) for entry in options_of(arguments))
    assert str(inspect.signature(sb.learn)).startswith("(data: 'object', algorithm: 'str' = 'auto', score: ")


@pytest.mark.parametrize("algorithm", LEARNERS)
def test_every_learner_has_a_public_estimator_with_its_parameters(algorithm: str) -> None:
    estimator = getattr(sb, estimator_name(algorithm))
    assert estimator is ESTIMATORS[algorithm]
    assert estimator.__name__ in sb.__all__
    assert list(inspect.signature(estimator).parameters) == [entry.name for entry in parameters_of(algorithm)]
    assert estimator().get_params() == {entry.name: entry.default for entry in parameters_of(algorithm)}


def test_configurations_are_parts_of_the_table() -> None:
    table = {entry.name: entry for entry in options_of(LearnArguments)}
    for part in (SearchConfig, ScoreConfig, LearnerParameters):
        # `learn` can choose the score, the prior and the effort: these have one value more there.
        usual: dict[str, Any] = {
            ScoreConfig: {"score": "bic", "prior": "uniform"},
            SearchConfig: {"effort": "normal"},
            LearnerParameters: {},
        }[part]
        assert all(table[entry.name] == entry for entry in options_of(part) if entry.name not in usual)
        assert LearnArguments(TABLE, **usual).part(part) == part()
        assert LearnArguments(TABLE, score="aic", prior="size", tabu=3).part(part) != part()


def test_help_names_every_score_and_every_test() -> None:
    helps = {entry.name: entry.help.replace(",", " ").replace(";", " ").replace(".", " ") for entry in learn_options()}
    assert set(SCORES) <= set(helps["score"].split())
    assert set(TESTS) <= set(helps["test"].split())


def test_defaults_pass_their_own_checks_and_stay_what_they_are() -> None:
    # So they need not be checked in each call.
    for entry in (*learn_options(), *options_of(ScoreArguments)):
        if not entry.required:
            entry.check_value(entry.default)
            assert entry.read(entry.default) == entry.default


def test_options_are_checked_when_a_configuration_is_made() -> None:
    @dataclass(frozen=True)
    class Small(Options):
        _: KW_ONLY
        size: int = option(1, "How many.", check=at_least(1))

    assert Small(size=2).size == 2
    with pytest.raises(sb.OptionError, match="size=0"):
        Small(size=0)


def test_numbers_of_numpy_are_the_numbers_they_stand_for() -> None:
    config = SearchConfig(tabu=np.int64(3), alpha=np.float32(0.25), max_time=np.uint8(7))  # type: ignore[arg-type]
    assert config == SearchConfig(tabu=3, alpha=0.25, max_time=7)
    assert (type(config.tabu), type(config.alpha), type(config.max_time)) == (int, float, int)


@pytest.mark.parametrize("option", ["threads", "tabu", "noinc", "max_parents", "max_iter", "k", "max_time"])
def test_number_beyond_the_greatest_is_refused_before_anything_is_made(option: str) -> None:
    with pytest.raises(sb.OptionError, match=f"{option}=100000000000000000000"):
        check_given("tabu", {option: 10**20})
