"""What each column is taken for, and its values as that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from stablebn.data.checks import refuse_types
from stablebn.data.encoding import Categories, Encoded, Numbers, encode, plain
from stablebn.data.kinds import MOST_CODES, Decision, Told, decide_by_type, decide_floats, decide_text, family
from stablebn.data.markers import report_markers
from stablebn.data.number_text import as_numbers, sort_out
from stablebn.data.problems import Problems
from stablebn.data.reading import Columns
from stablebn.data.table import Name, Weights, total_weight
from stablebn.data.usable import decide_time, is_time, time_as, usable
from stablebn.data.wording import Caution, kinds_option, tallied
from stablebn.errors import DataError
from stablebn.graph.names import name_key


@dataclass
class Decided:
    """Columns as what they are taken for.

    Attributes
    ----------
    columns : dict of name to Categories or Numbers
        Those that are not set aside.
    decisions : dict of name to Decision
        For all columns.
    cautions : list of Caution
        On text that is numbers.
    """

    columns: dict[Name, Encoded]
    decisions: dict[Name, Decision]
    cautions: list[Caution]


def decide(
    columns: Columns, weights: Weights | None, said: Told, missing: str, problems: Problems, *, threads: int = 1
) -> Decided:
    """Decide for every column what it is, and encode it as that.

    Parameters
    ----------
    columns : dict of name to pyarrow.ChunkedArray
    weights : int64 array [rows] or None
    said : Told
        What the user says.
    missing : str
        What is done with missing values: where they are a level, text without any value has one.
    problems : Problems
        Where it is told what the user says that cannot be.
    threads : int
        How many threads encode.
    """
    columns = {name: usable(column) for name, column in columns.items()}
    decisions = {name: _decision(name, column, said, weights) for name, column in columns.items()}
    _check_wanted(columns, decisions, said, problems)
    # Text is encoded as categories whatever it will be: its values must be looked at, each once.
    kinds = {
        name: "categorical" if family(columns[name].type) == "text" else own.kind for name, own in decisions.items()
    }
    taken = {name: _as(columns[name], own) for name, own in decisions.items() if own.kind is not None}
    wanted = {name: kind for name, kind in kinds.items() if kind is not None}
    encoded = encode(taken, wanted, problems, threads=threads)
    decided = Decided(encoded, decisions, [])
    _take_text(decided, columns, weights, said, problems)
    for name, column in list(encoded.items()):
        if column.is_empty and not (missing == "level" and isinstance(column, Categories)):
            decisions[name] = Decision(None, "no values")
            del encoded[name]
    return decided


def _decision(name: Name, column: pa.ChunkedArray, said: Told, weights: Weights | None) -> Decision:
    if name in said.aside:
        return Decision(None, "as before")
    return decide_time(name, said) if is_time(column.type) else decide_by_type(name, column, said, weights)


def _check_wanted(columns: Columns, decisions: Mapping[Name, Decision], said: Told, problems: Problems) -> None:
    """Refuse to learn from columns that cannot be used."""
    wanted = {name: columns[name].type for name in columns if name in said.kinds or name in said.kept}
    unusable = {
        name: type_ for name, type_ in wanted.items() if decisions[name].kind is None and not pa.types.is_null(type_)
    }
    with problems.collected():
        refuse_types(unusable)


def _as(column: pa.ChunkedArray, decision: Decision) -> pa.ChunkedArray:
    """A column of a type that its kind can be made of."""
    if is_time(column.type):
        return time_as(column, decision.kind or "continuous")
    if decision.kind == "categorical" and pa.types.is_floating(column.type):
        try:
            # Codes that became floats for the sake of a missing value are codes again.
            return plain(column).cast(pa.int64())
        except pa.ArrowInvalid:
            return column
    return column


def _take_text(decided: Decided, columns: Columns, weights: Weights | None, said: Told, problems: Problems) -> None:
    """Take text for numbers where it is, and set aside what names rows."""
    no_numbers: dict[Name, str] = {}
    markers: dict[Name, list[str]] = {}
    doubtful: dict[Name, str] = {}
    for name, column in list(decided.columns.items()):
        asked = said.of(name)
        if family(columns[name].type) != "text" or not isinstance(column, Categories):
            continue
        if asked != "continuous" and len(column.levels) <= MOST_CODES:
            continue
        found = sort_out(column.levels)
        if asked == "continuous":
            if found.numbers and not found.others:
                decided.columns[name] = as_numbers(column)
                decided.decisions[name] = Decision("continuous", "as you say", plain=True)
                markers[name] = found.markers
            elif name in said.kinds:
                example = (*found.others, *found.markers)
                no_numbers[name] = f"for example {example[0]!r}" if example else "no values"
            continue
        if asked is not None:
            continue
        many = len(found.numbers) > MOST_CODES
        if many and found.markers and not found.others:
            numbers = as_numbers(column)
            decision = decide_floats(numbers.values, weights)
            decided.columns[name] = numbers
            decided.decisions[name] = Decision(decision.kind, f"numbers written as text, {decision.why}")
            markers[name] = found.markers
        elif many and 10 * len(found.others) <= len(found.numbers):
            doubtful[name] = "numbers" + (f", and {' '.join(map(repr, found.others[:3]))}" if found.others else "")
    _set_text_aside(decided, columns, weights, said)
    decided.cautions += [*report_markers(markers), *_report_doubtful(doubtful)]
    if no_numbers:
        with problems.collected():
            raise DataError(
                f"kinds= says continuous of text: {tallied(no_numbers)}. "
                "Correct the values that are no numbers, or leave the column out of kinds=.",
                columns=tuple(no_numbers),
                remedy={"kinds": dict.fromkeys(no_numbers)},
            )


def _set_text_aside(decided: Decided, columns: Columns, weights: Weights | None, said: Told) -> None:
    """Set columns aside that have a value of its own for nearly every row, unless the user wants them."""
    for name, column in list(decided.columns.items()):
        if family(columns[name].type) != "text" or name in said.kinds or name in said.kept:
            continue
        if isinstance(column, Numbers):
            if decided.decisions[name].kind is None:
                del decided.columns[name]
            continue
        if len(column.levels) <= MOST_CODES:
            continue
        there = ~column.missing
        total = total_weight(int(there.sum()), None if weights is None else weights[there])
        decision = decide_text(column.levels, total)
        if decision is not None:
            decided.decisions[name] = decision
            del decided.columns[name]


def _report_doubtful(found: Mapping[Name, str]) -> list[Caution]:
    if not found:
        return []
    message = (
        f"text that looks like numbers: {tallied(found)}. If these are numbers, make them so, or say "
        f"{kinds_option(sorted(found, key=name_key), 'continuous')} once the rest is numbers too."
    )
    return [Caution("numbers-as-text", tuple(found), message)]
