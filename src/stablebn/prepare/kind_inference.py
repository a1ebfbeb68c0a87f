"""Apply the rules of `columns/kinds.py` to all columns, and encode them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from stablebn.columns.arrow.conversion import Columns
from stablebn.columns.arrow.numeric_text import as_numbers, classify_texts
from stablebn.columns.arrow.type_conversion import decide_time, is_time
from stablebn.columns.column import CategoricalColumn, Column, Kind, NumericColumn, Rows
from stablebn.columns.error_collector import ErrorCollector
from stablebn.columns.kinds import (
    MOST_CODES,
    Decision,
    UserKinds,
    decide_by_forms,
    decide_by_type,
    decide_by_values,
    decide_text,
    family,
)
from stablebn.columns.na_values import Markers, report_markers
from stablebn.columns.requirements import refuse_types, refuse_unlisted
from stablebn.errors import DataError
from stablebn.graph.names import name_key
from stablebn.messages import Caution, kinds_option, tallied
from stablebn.prepare.in_memory import RowsInMemory
from stablebn.table.table import Name, Weights


@dataclass
class Decided:
    """The kinds of columns, and the encoded columns.

    Attributes
    ----------
    columns : dict of name to CategoricalColumn or NumericColumn
        All columns that are not excluded.
    decisions : dict of name to Decision
        The kind of every column, with the reason.
    cautions : list of Caution
        Warnings about numbers that are written as text.
    """

    columns: dict[Name, Column]
    decisions: dict[Name, Decision]
    cautions: list[Caution]


def decide(
    columns: Columns, weights: Weights | None, said: UserKinds, missing: str, problems: ErrorCollector
) -> Decided:
    """Infer the kinds of the columns of a table in memory; see `decide_kinds`."""
    count = len(next(iter(columns.values()), ()))
    return decide_kinds(RowsInMemory(columns, count, weights), said, missing, problems)


def decide_kinds(rows: Rows, said: UserKinds, missing: str, problems: ErrorCollector) -> Decided:
    """Infer the kind of every column, and encode it.

    Parameters
    ----------
    rows : Rows
    said : UserKinds
        The kinds that the user decides.
    missing : str
        How missing values are treated: with "level", text without any value has a level.
    problems : ErrorCollector
        Collects requests of the user that are impossible.
    """
    decisions = {name: _decision(name, type_, said, rows) for name, type_ in rows.types.items()}
    _check_wanted(rows.types, decisions, said, problems)
    texts = {name for name, type_ in rows.types.items() if family(type_) == "text"}
    # Text is always encoded as categories first: its distinct values decide what it is.
    kinds: dict[Name, Kind] = {
        name: "categorical" if name in texts else own.kind for name, own in decisions.items() if own.kind is not None
    }
    decided = Decided(rows.encode(kinds, problems), decisions, [])
    _take_text(decided, texts, rows, said, problems)
    for name, column in list(decided.columns.items()):
        if column.is_empty and not (missing == "level" and isinstance(column, CategoricalColumn)):
            decisions[name] = Decision(None, "no values")
            del decided.columns[name]
    return decided


def _decision(name: Name, type_: pa.DataType, said: UserKinds, rows: Rows) -> Decision:
    if name in said.excluded:
        return Decision(None, "as before")
    return decide_time(name, said) if is_time(type_) else decide_by_type(name, type_, said, rows.whole_numbers)


def _check_wanted(
    types: Mapping[Name, pa.DataType], decisions: Mapping[Name, Decision], said: UserKinds, problems: ErrorCollector
) -> None:
    """Raise an error if the user wants columns that cannot be used."""
    wanted = {name: types[name] for name in types if name in said.kinds or name in said.kept}
    unusable = {
        name: type_ for name, type_ in wanted.items() if decisions[name].kind is None and not pa.types.is_null(type_)
    }
    with problems.collected():
        refuse_types(unusable)


def _take_text(
    decided: Decided, texts: Collection[Name], rows: Rows, said: UserKinds, problems: ErrorCollector
) -> None:
    """Convert text columns that are numbers, and exclude text columns that identify rows."""
    no_numbers: dict[Name, str] = {}
    markers: dict[Name, Markers] = {}
    doubtful: dict[Name, str] = {}
    unlisted: list[Name] = []
    for name, column in list(decided.columns.items()):
        asked = said.of(name)
        if isinstance(column, CategoricalColumn) and not column.is_listed:
            may_be_aside = asked is None and name not in said.kept
            if not (may_be_aside and _set_unlisted_aside(decided, name, rows, doubtful)):
                unlisted.append(name)
            del decided.columns[name]
            continue
        if name not in texts or not isinstance(column, CategoricalColumn):
            continue
        if asked != "continuous" and len(column.levels) <= MOST_CODES:
            continue
        found = classify_texts(column.levels, said.na_values)
        if asked == "continuous":
            if found.numbers and not found.others:
                decided.columns[name] = as_numbers(column, said.na_values)
                decided.decisions[name] = Decision("continuous", "as you say", plain=True)
                markers[name] = Markers(found.markers)
            elif name in said.kinds:
                example = (*found.others, *found.markers)
                no_numbers[name] = f"for example {example[0]!r}" if example else "no values"
            continue
        if asked is not None:
            continue
        many = len(found.numbers) > MOST_CODES
        if many and found.markers and not found.others:
            numbers = as_numbers(column, said.na_values)
            decision = decide_by_values(rows.whole(numbers), "float")
            decided.columns[name] = numbers
            decided.decisions[name] = Decision(decision.kind, f"numbers written as text, {decision.why}")
            markers[name] = Markers(found.markers)
        elif many and 10 * len(found.others) <= len(found.numbers):
            doubtful[name] = _numbers_and(found.others)
    _set_text_aside(decided, texts, rows, said)
    decided.cautions += [*report_markers(markers), *_report_doubtful(doubtful)]
    with problems.collected():
        refuse_unlisted(unlisted)
    with problems.collected():
        _refuse_text({name: own for name, own in no_numbers.items() if name not in said.learned})
    with problems.collected():
        _refuse_learned_text({name: own for name, own in no_numbers.items() if name in said.learned})


def _refuse_text(no_numbers: Mapping[Name, str]) -> None:
    """Raise `DataError` if columns of text are continuous by `kinds`."""
    if no_numbers:
        raise DataError(
            f"kinds= says continuous of text: {tallied(no_numbers)}. "
            "Correct the values that are no numbers, or leave the column out of kinds=.",
            columns=tuple(no_numbers),
            remedy={"kinds": dict.fromkeys(no_numbers)},
        )


def _refuse_learned_text(no_numbers: Mapping[Name, str]) -> None:
    """Raise `DataError` if columns of text are continuous in the graph or the network."""
    if no_numbers:
        raise DataError(
            f"columns are continuous in the graph or network, and text in this table: {tallied(no_numbers)}. "
            "Correct the values that are not numbers.",
            columns=tuple(no_numbers),
        )


def _numbers_and(others: Sequence[str]) -> str:
    return "numbers" + (f", and {' '.join(map(repr, others[:3]))}" if others else "")


def _set_unlisted_aside(decided: Decided, name: Name, rows: Rows, doubtful: dict[Name, str]) -> bool:
    """Exclude a text column without a list if its values identify rows; return whether it was excluded."""
    column = decided.columns[name]
    assert isinstance(column, CategoricalColumn)
    (distinct, _, numbers, others, _), first_others = found = rows.texts(column)
    decision = decide_by_forms(found.forms, rows.known(column))
    if decision is None or (numbers < distinct and not others):
        return False
    if numbers > MOST_CODES and 10 * others <= numbers:
        doubtful[name] = _numbers_and(first_others)
    decided.decisions[name] = decision
    return True


def _set_text_aside(decided: Decided, texts: Collection[Name], rows: Rows, said: UserKinds) -> None:
    """Exclude text columns with distinct values in nearly every row, unless the user wants them."""
    for name, column in list(decided.columns.items()):
        if name not in texts or name in said.kinds or name in said.kept:
            continue
        if isinstance(column, NumericColumn):
            if decided.decisions[name].kind is None:
                del decided.columns[name]
            continue
        if len(column.levels) <= MOST_CODES:
            continue
        decision = decide_text(column.levels, rows.known(column))
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
