"""Some cases of the fuzzer in every run of the tests, and the proof that it finds what is wrong: docs/fuzzing.md."""

from __future__ import annotations

import doctest
import re
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from fuzz import running, trying
from fuzz.__main__ import main
from fuzz.cases import QUESTIONS, Case, draw_case
from fuzz.layouts import VARIATIONS, Layout, lay_out, possible
from fuzz.tables import MAKERS
from fuzz.trying import Failure, smaller, try_case
from tests.drawn import KINDS, SCORES, SCORES_WITH_MISSING, TESTING, TESTS, Combination, combinations, takes_holes

from stablebn.learners import LEARNERS, Problem, SearchConfig
from stablebn.learners.tabu import tabu
from stablebn.prepare.cache import Cache
from stablebn.prepare.prepared import Prepared
from stablebn.search import Climb

MASTER = 20_260_101
CASES = 66
HOW_MISSING = (None, "drop", "level", "available")


@pytest.fixture(autouse=True, scope="module")
def _no_other_process_is_left() -> Iterator[None]:
    yield
    trying.OTHER_PROCESS.end()


@pytest.fixture(scope="module")
def many() -> list[Case]:
    return [draw_case(seed) for seed in _seeds(4500)]


def _seeds(n: int) -> list[int]:
    return [running.seed_of(MASTER, number) for number in range(n)]


@pytest.mark.parametrize("part", range(6))
def test_cases_of_the_fuzzer_keep_the_promise(part: int) -> None:
    failures = [failure for seed in _seeds(CASES)[part::6] for failure in try_case(seed) if failure is not None]
    assert [str(failure) for failure in failures] == []


def test_every_learner_is_asked_what_is_known(many: list[Case]) -> None:
    with_knowledge = [case for case in many if case.known and case.question == "learn"]
    for said in ("required", "forbidden", "tiers", "roots", "max_parents"):
        met = {case.algorithm for case in with_knowledge if getattr(case.known, said)}
        # Learners that test cannot bound how many parents there are.
        assert met == {*LEARNERS} - ({*TESTING} if said == "max_parents" else set())


def test_a_part_of_a_case_keeps_what_is_known_of_it(many: list[Case]) -> None:
    case = next(case for case in many if case.known.required and case.table.n > 3)
    u, v = case.known.required[0]
    part = case.part([int(str(v)), int(str(u))], [0, 1, 2])
    assert (1, 0) in part.known.required
    assert set(part.known.names) <= {0, 1}


def _learn_in_the_order_of_the_columns(problem: Problem, config: SearchConfig) -> Climb:
    """What no stable learner may do."""
    return tabu(problem, config)


@pytest.fixture
def wrong_learner(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    wrong = replace(LEARNERS["tabu-stable"], learn=_learn_in_the_order_of_the_columns)
    monkeypatch.setitem(LEARNERS, "tabu-stable", wrong)
    return monkeypatch


def _first_failure() -> Failure:
    for seed in _seeds(2000):
        case = draw_case(seed)
        if (case.question, case.algorithm) == ("learn", "tabu-stable"):
            for failure in try_case(seed):
                # In the other process it is right; and only names would leave more than the columns to blame.
                if failure is not None and {"names", "process"}.isdisjoint(failure.varied):
                    return failure
    raise AssertionError("the fuzzer has not found the wrong learner")


def _repeat(failure: Failure) -> int:
    """Run the line that a failure gives."""
    python, option, module, *arguments = shlex.split(failure.command)
    assert (python, option, module) == ("python", "-m", "fuzz")
    return main(arguments)


def test_wrong_learner_is_found_and_its_one_line_reproduces(
    wrong_learner: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = _first_failure()
    assert _repeat(found) == 1
    least = smaller(found)
    assert least.varied == ("columns",)
    assert least.columns is not None
    assert least.rows is not None
    assert (len(least.columns), len(least.rows)) < draw_case(found.seed).drawn
    assert _repeat(least) == 1
    assert "It fails." in capsys.readouterr().out
    # The whole case too, by its seed alone.
    assert main([str(found.seed)]) == 1
    wrong_learner.undo()
    trying.drawn.cache_clear()
    assert _repeat(least) == 0
    assert main([str(found.seed)]) == 0


def test_layout_that_changes_the_data_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A first row that is left out: the fuzzer must look at what layouts make of the data, not at their word."""

    def one_row_less(case: object, number: int, *rest: object, **more: object) -> Layout:
        layout = lay_out(case, number, *rest, **more)  # type: ignore[arg-type]
        if number and isinstance(layout.data, dict):
            return replace(layout, data={name: own[1:] for name, own in layout.data.items()}, reading={})
        return layout

    monkeypatch.setattr(trying, "lay_out", one_row_less)
    seed = next(s for s in _seeds(99) if draw_case(s).question == "learn" and draw_case(s).table.weights is None)
    failures = [failure for failure in try_case(seed) if failure is not None]
    assert any("rows" in failure.fields for failure in failures)


def test_near_copies_decimals_and_cached_tables_are_drawn(many: list[Case]) -> None:
    near = Counter(case.table.kind for case in many if case.table.has_near_copies)
    forms, cached = set(), set()
    for case in many[:600]:
        layouts = [lay_out(case, number, told_apart=True) for number in range(1, 13)]
        cached |= {Path(str(layout.data)).suffix for layout in layouts if layout.cached}
        for layout in layouts:
            if isinstance(layout.data, dict):
                forms |= {type(value) for own in layout.data.values() for value in own}
            elif isinstance(layout.data, pa.Table):
                forms |= {type_.id for type_ in layout.data.schema.types}
    assert min(near["continuous"], near["mixed"]) > 20
    assert forms >= {Decimal, pa.decimal128(9).id}
    assert cached == {".csv", ".gz", ".parquet", ".feather"}
    missing = {case.options.get("missing") for case in many}
    assert missing == {*HOW_MISSING}


def test_cache_that_changes_the_answer_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    find = Cache.find

    def find_other_kinds(cache: Cache, memory: int) -> Prepared | None:
        found = find(cache, memory)
        return None if found is None else replace(found, kinds=dict.fromkeys(found.kinds, "categorical"))

    monkeypatch.setattr(Cache, "find", find_other_kinds)
    for seed in _seeds(2000):
        case = draw_case(seed)
        if (case.question, case.table.kind, case.algorithm) != ("learn", "continuous", "tabu-stable"):
            continue
        number = next((n for n in range(1, 13) if lay_out(case, n, ["cache"]).cached), None)
        if number is not None and (trial := trying.Trial(case)).base and "error" not in trial.base.answer:
            failure = trial.failure(number, ["cache"])
            assert failure is not None
            assert failure.fields[0] == "crash"
            assert "from the cache: kinds" in failure.fields[1]
            return
    raise AssertionError("no such case was drawn")


def test_line_can_name_any_part_of_a_case() -> None:
    assert doctest.testmod(trying).failed == 0
    seed = _seeds(1)[0]
    failure = Failure(seed, 1, (), (0, 1), (0, 2, 3), ("graph",), "learn", ("graph",))
    assert failure.command == f"python -m fuzz {seed} --layout 1 --vary nothing --columns 0-1 --rows 0,2-3"
    assert _repeat(failure) == 0
    assert replace(failure, layout=0).command == f"python -m fuzz {seed}"


def test_run_counts_comparisons_and_says_how_to_repeat_a_failure(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    failure = Failure(7, 3, ("rows",), (0, 1), None, ("graph",), "learn", ("graph",))
    run = running.Run(MASTER, 1, None)
    monkeypatch.setattr(run, "_start", lambda job: run.record(12, [failure]))
    assert run.go(seconds=0, most=1) == 1
    told = capsys.readouterr().out
    assert "python -m fuzz 7 --layout 3 --vary rows --columns 0-1   # graph: learn" in told
    assert re.search(r"12 comparisons of 1 cases in .*: 1 failed\.", told)


def test_interrupted_run_tells_the_count_so_far(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = running.Run(MASTER, 1, None)

    def interrupt(job: int) -> None:
        run.record(12, [])
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "_start", interrupt)
    assert run.go(seconds=60, most=1) == 0
    assert "12 comparisons of 1 cases" in capsys.readouterr().out


def test_a_case_follows_from_its_seed() -> None:
    for seed in _seeds(50):
        first, second = draw_case(seed), draw_case(seed)
        assert first.describe() == second.describe()
        assert first.table.values.tobytes() == second.table.values.tobytes()


def test_draws_meet_everything(many: list[Case]) -> None:
    """Every learner with every kind and score, every test, question, table, variation and form: none is forgotten."""
    learned = [case for case in many if case.question == "learn"]
    assert {(case.algorithm, case.table.kind, case.score) for case in learned} >= {*combinations()}
    tested = {(case.table.kind, case.options.get("test")) for case in learned}
    assert tested >= {(kind, test) for kind in KINDS for test in TESTS[kind]}
    assert {case.options.get("arcs") for case in learned if case.table.kind == "mixed"} == {None, "clg", "any"}
    assert {case.question for case in many} == {*QUESTIONS}
    assert {(case.table.kind, case.table.maker) for case in many} == {(k, m) for k, ms in MAKERS.items() for m in ms}
    assert {case.graph_is for case in learned} == {"", "dag", "pdag", "result"}
    missing = {(case.table.kind, case.options.get("missing")) for case in many}
    assert missing == {(kind, how) for kind in KINDS for how in HOW_MISSING} - {("continuous", "level")}
    assert {variation for case in many for variation in possible(case, told_apart=True)} == {*VARIATIONS}
    layouts = [lay_out(case, number, told_apart=True) for case in many[:300] for number in range(1, 4)]
    assert {variation for layout in layouts for variation in layout.varied} == {*VARIATIONS}
    assert {type(layout.data).__name__ for layout in layouts} == {"dict", "DataFrame", "Table", "ndarray", "PosixPath"}


def test_mixed_tables_have_codes_with_labels_and_numbers_of_every_sort(many: list[Case]) -> None:
    tables = [case.table for case in many if case.table.kind == "mixed"]
    for table in tables:
        assert 0 < table.numbers.sum() < table.n
        for own, labels in zip(table.values, table.labels, strict=True):
            assert not labels or {*own.tolist()} <= {*range(len(labels))}
    whole = {bool((own == own.round()).all()) for table in tables for own in table.values[table.numbers]}
    assert whole == {True, False}
    assert max(abs(table.values).max() for table in tables) > 1e50


def test_units_of_mixed_tables_change_numbers_and_no_codes(many: list[Case]) -> None:
    met = set()
    for case in many:
        if case.table.kind != "mixed" or case.table.gaps is not None or case.table.weights is not None:
            continue
        first, second = lay_out(case, 0), lay_out(case, 1, ["units"])
        if "units" not in second.varied:
            continue
        assert isinstance(first.data, dict)
        assert isinstance(second.data, dict)
        for name, kind in first.reading["kinds"].items():
            before, after = first.data[name], second.data[name]
            if kind == "categorical":
                assert before == after
            elif len({*before}) > 1:
                falls = (before[0] < max(before)) == (after[0] > min(after))
                met.add((second.units, falls and before != after))
    assert met >= {(units, falls) for units in ("signs", "exact", "any") for falls in (True, False)}


def test_values_stay_missing_only_where_learner_and_score_can_do_with_it(many: list[Case]) -> None:
    holed = [case for case in many if case.options.get("missing") == "available"]
    for case in holed:
        asked = Combination(case.algorithm, case.table.kind, case.score)
        assert takes_holes(asked) or case.question not in ("learn", "stability")
        assert case.score in SCORES_WITH_MISSING or case.question != "score"
    learned = [case for case in holed if case.question == "learn"]
    assert {case.algorithm for case in learned} == {*LEARNERS} - {"fges"}
    assert {(case.table.kind, case.score) for case in learned} == {(k, s) for k in KINDS for s in SCORES_WITH_MISSING}


def test_one_choice_says_nothing_of_another(many: list[Case]) -> None:
    """No remainders of one seed: given the table, learners and scores still take every value."""
    for kind in ("categorical", "mixed"):
        for maker in MAKERS[kind]:
            own = [case for case in many if (case.table.kind, case.table.maker) == (kind, maker)]
            assert {case.algorithm for case in own} == {*LEARNERS}
            assert {case.score for case in own} == {*SCORES[kind]}
