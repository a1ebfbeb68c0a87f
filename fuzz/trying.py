"""Trying: one case in all its layouts, and the smallest part of a case that still fails."""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count, islice

from tests.forced import PLAIN_MACHINE

import stablebn as sb
from fuzz.asking import Answer, Asked, ask
from fuzz.cases import P_VALUE, Case, draw_case
from fuzz.comparing import differences
from fuzz.layouts import Layout, lay_out
from fuzz.naming import are_odd

LAYOUTS = 12
"""Layouts of a case; of large tables fewer."""


@dataclass(frozen=True)
class Failure:
    """A layout that gave another answer, or none.

    Attributes
    ----------
    seed : int
    layout : int
        0: whichever of the case's.
    varied : tuple of str
        What differs between the table as it was drawn and the layout.
    columns, rows : tuple of int or None
        The part of the table; None: all of it.
    fields : tuple of str
        What differs between the answers; or `crash`, with the last line of its traceback.
    about : str
        The case in a few words.
    group : tuple of str
        What is alike in failures that may have one cause.
    """

    seed: int
    layout: int
    varied: tuple[str, ...]
    columns: tuple[int, ...] | None
    rows: tuple[int, ...] | None
    fields: tuple[str, ...]
    about: str
    group: tuple[str, ...]

    @property
    def command(self) -> str:
        """The line that repeats it."""
        if not self.layout:
            return f"python -m fuzz {self.seed}"
        parts = [f"python -m fuzz {self.seed} --layout {self.layout} --vary {','.join(self.varied) or 'nothing'}"]
        if self.columns is not None:
            parts.append(f"--columns {ranges(self.columns)}")
        if self.rows is not None:
            parts.append(f"--rows {ranges(self.rows)}")
        return " ".join(parts)

    def __str__(self) -> str:
        return f"{self.command}   # {', '.join(self.fields)}: {self.about}"


def ranges(numbers: Sequence[int]) -> str:
    """Write increasing numbers as ranges.

    >>> ranges([0, 1, 2, 5, 7, 8])
    '0-2,5,7-8'
    """
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in found)


def numbers_of(text: str) -> tuple[int, ...]:
    """The numbers that ranges stand for.

    >>> numbers_of("0-2,5")
    (0, 1, 2, 5)
    """
    ends = [part.partition("-") for part in text.split(",")]
    return tuple(number for a, _, b in ends for number in range(int(a), int(b or a) + 1))


@lru_cache(maxsize=2)
def drawn(seed: int, columns: tuple[int, ...] | None = None, rows: tuple[int, ...] | None = None) -> Case:
    """A case, or the part of one with some columns and rows."""
    case = draw_case(seed)
    if columns is None and rows is None:
        return case
    return case.part(case.columns if columns is None else columns, case.rows if rows is None else rows)


class Trial:
    """A case whose answer is known, to be compared with others."""

    def __init__(self, case: Case) -> None:
        case = self.case = with_alpha(case)
        self.base: Asked | None = None
        self.crash = ""
        try:
            self.base = ask(case, lay_out(case, 0))
        except Exception:
            self.crash = _last_line()
        self.told_apart = told_apart(case)

    def answer(self, number: int, only: Collection[str] | None = None) -> tuple[Layout, Answer]:
        """A layout, and the answer to it."""
        layout = lay_out(self.case, number, only, told_apart=self.told_apart)
        if "process" in layout.varied:
            return layout, OTHER_PROCESS.answer(self.case, number, only)
        return layout, ask(self.case, layout).answer

    def failure(self, number: int, only: Collection[str] | None = None) -> Failure | None:
        """How a layout fails, if it does."""
        if self.base is None:
            return self._failed(number, (), ("crash", self.crash))
        try:
            layout, found = self.answer(number, only)
            fields = differences(self.case, self.base, found, layout)
        except Exception:
            return self._failed(number, only or (), ("crash", _last_line()))
        return self._failed(number, layout.varied, tuple(fields)) if fields else None

    def _failed(self, number: int, varied: Collection[str], fields: tuple[str, ...]) -> Failure:
        case = self.case
        whole = (len(case.columns), len(case.rows)) == case.drawn
        tested = case.options.get("test", "") if case.question == "learn" else ""
        return Failure(
            seed=case.seed,
            layout=number,
            varied=tuple(varied),
            columns=None if whole else case.columns,
            rows=None if whole else case.rows,
            fields=fields,
            about=case.describe(),
            group=(
                fields[0],
                case.question,
                case.table.kind,
                f"start={case.graph_is}" if case.graph_is else "",
                "knowledge" if case.known else "",
                "units" if "units" in varied else "",
                "process" if "process" in varied else "",
                str(tested) if "process" in varied else "",
                "odd names" if are_odd(case.table.names) else "",
                fields[1] if fields[0] == "crash" else "",
            ),
        )


def _last_line() -> str:
    return traceback.format_exc().strip().splitlines()[-1][:200]


def with_alpha(case: Case) -> Case:
    """The case with an alpha that is a p-value, where that is asked for: as this process computes it."""
    if case.options.get("alpha") != P_VALUE:
        return case
    layout, p_value = lay_out(case, 0), 0.0
    if len(case.triple) > 1:
        # Given nothing: this is what every learner asks first.
        x, y = (layout.names[c] for c in case.triple[:2])
        options = {name: case.options[name] for name in ("test", "missing") if name in case.options}
        with suppress(sb.StableBNError):
            p_value = sb.ci_test(layout.data, x, y, **options, **layout.reading).p_value
    return replace(case, options={**case.options, "alpha": p_value if 0 < p_value < 1 else 0.05})


def told_apart(case: Case) -> bool:
    """Whether every column that varies has a score of its own without parents (specification, section 4, key 1)."""
    is_audit_without_units = case.question == "stability" and replace(case, question="learn").unit_free
    if case.unit_free or is_audit_without_units:
        # Then it is no key.
        return False
    layout = lay_out(case, 0)
    options = {name: value for name, value in case.options.items() if name in _OF_SCORE}
    try:
        alone = sb.score([], layout.data, score=case.score, threads=1, **options, **layout.reading).by_node
    except sb.StableBNError:
        return False
    varying = [score for score in alone.values() if score != 0]
    return len(set(varying)) == len(varying)


_OF_SCORE = ("missing", "k", "iss", "iss_mu", "iss_w")


class OtherProcess:
    """A process under other circumstances, which draws cases itself and gives the answers."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def answer(self, case: Case, number: int, only: Collection[str] | None) -> Answer:
        """The answer to a layout of a case there."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "fuzz.other_process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, **PLAIN_MACHINE},
            )
            atexit.register(self.end)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        # With its values and options: last bits, and the p-value that is alpha, may be drawn otherwise there.
        asked = (case.seed, case.columns, case.rows, case.table.values, case.options, number, only)
        pickle.dump(asked, self._process.stdin)
        self._process.stdin.flush()
        answered = pickle.load(self._process.stdout)
        if isinstance(answered, str):
            raise AssertionError(f"in the other process: {answered}")
        found: Answer = answered
        return found

    def end(self) -> None:
        """Let the process go."""
        if self._process is not None:
            with self._process:
                # It ends where there is nothing more to read.
                pass
            self._process = None


OTHER_PROCESS = OtherProcess()


def try_case(seed: int) -> Iterator[Failure | None]:
    """Compare all layouts of a case: a failure or None for each comparison."""
    trial = Trial(drawn(seed))
    size = trial.case.table.values.size
    for number in range(1, 1 + (LAYOUTS if size < 10_000 else 3)):
        yield trial.failure(number)


def smaller(failure: Failure, most: int = 150) -> Failure:
    """A part of the case that fails in the same way: fewer variations, rows and columns, as far as is cheap.

    Parameters
    ----------
    failure : Failure
    most : int
        How many parts to try.
    """
    budget = islice(count(), most)

    def fails(candidate: Failure) -> Failure | None:
        if next(budget, None) is None:
            return None
        case = drawn(candidate.seed, candidate.columns, candidate.rows)
        if case.question == "ci_test" and len(case.triple) < 2:
            return None
        found = Trial(case).failure(candidate.layout, candidate.varied)
        return found if found is not None and found.fields[0] == failure.fields[0] else None

    for variation in failure.varied:
        fewer = tuple(what for what in failure.varied if what != variation)
        failure = fails(replace(failure, varied=fewer)) or failure
    case = drawn(failure.seed)
    failure = replace(failure, columns=failure.columns or case.columns, rows=failure.rows or case.rows)
    for part in ("rows", "columns", "rows"):
        failure = _without_pieces(failure, part, fails)
    return failure


def _without_pieces(failure: Failure, part: str, fails: Callable[[Failure], Failure | None]) -> Failure:
    """Leave out halves, then quarters, and so on, of the columns or rows, wherever that still fails."""
    size = max(1, len(getattr(failure, part)) // 2)
    while True:
        start = 0
        while start < len(getattr(failure, part)):
            whole = getattr(failure, part)
            left = whole[:start] + whole[start + size :]
            found = fails(replace(failure, **{part: left})) if len(left) >= (2 if part == "columns" else 1) else None
            if found is None:
                start += size
            else:
                failure = found
        if size == 1:
            return failure
        size //= 2


def show(case: Case, layout: Layout) -> str:
    """The call that a layout stands for, where it is short enough to be read."""
    if case.table.values.size > 400:
        return f"{case.table.n} columns, {case.table.rows} rows"
    return f"{layout.data!r}" + "".join(f", {name}={value!r}" for name, value in layout.reading.items())
