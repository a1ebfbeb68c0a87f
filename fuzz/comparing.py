"""Comparing: what two answers to one case must have in common, compared with ==, and what may differ.

All that may differ is here: in `MAY_DIFFER`, each with its reason, and this. Names decide between columns that are
interchangeable in the data, and only there (specification, sections 4 and 5). So if names were changed the order may
be another one, if exchanging the columns accordingly gives the same table: the same rows, as often; numbers by their
ranks, and up to mirror images, as a change of units is no change; and, where a search starts from a graph, the same
graph, and where something is known, what it comes to. Everything else must then be the same after that exchange.
Learners in the order of the columns may tell interchangeable columns apart: there names are changed only where every
column has a score of its own, so that no name decides.

What is not promised at all is never asked for: `fuzz.layouts.possible` leaves it out. `max_time` is never drawn:
what it gives depends on the machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import stablebn as sb
from fuzz.asking import Answer, Asked
from fuzz.cases import Case
from fuzz.layouts import Layout
from stablebn.scores.registry import ScoreConfig
from stablebn.search import Constraints
from stablebn.stats.variable_sets import bit

_EQUAL = 2.0**-45
"""Standard deviations: values that differ by less count as equal (docs/promise.md)."""

_MISSING = -1
"""What stands for a missing value among codes."""


class Allowance(NamedTuple):
    """Fields that may differ, when, and why."""

    when: Callable[[Case, Layout], bool]
    fields: frozenset[str]
    reason: str


MAY_DIFFER = (
    Allowance(
        lambda case, layout: layout.units == "exact",
        frozenset({"score", "fingerprint"}),
        "A density has the unit of its variable: the score moves by N ln|a| for a factor a. The trace has no units.",
    ),
    Allowance(
        lambda case, layout: bool(layout.units) and "duplicates" in case.options,
        frozenset({"score", "fingerprint"}),
        "Of copies that are merged that with the least values stands, and has the unit of the score.",
    ),
    Allowance(
        lambda case, layout: bool(layout.units),
        frozenset({"statistic"}),
        "A correlation has the signs of both variables.",
    ),
    Allowance(
        lambda case, layout: layout.units == "any",
        frozenset({"score", "fingerprint", "trace", "conflicts", "warnings"}),
        "Values are rounded anew, and with them all numbers; only the graph and the order are promised.",
    ),
    Allowance(
        lambda case, layout: bool(layout.units),
        frozenset({"identical columns"}),
        "In different units they are no longer identical, but copies.",
    ),
    Allowance(
        lambda case, layout: "gaps" in layout.varied,
        frozenset({"dropped rows"}),
        "Where rows with missing values were left out by hand there are none to report.",
    ),
)


def differences(case: Case, base: Asked, found: Answer, layout: Layout) -> list[str]:
    """The fields in which the answer to a layout is not the one to the table as it was drawn.

    Parameters
    ----------
    case : Case
    base : Asked
        Of layout 0.
    found : Answer
    layout : Layout
        That it was found for.
    """
    right = base.answer
    if "error" in right or "error" in found:
        return [] if right == found else ["error"]
    if "order" in right and right["order"] != found["order"] and "names" in layout.varied:
        exchange = _exchange(case.table.n, right["order"], found["order"])
        if exchange is None or not (
            _is_symmetry(case, exchange, sorted(right["order"]))
            and _keeps_start(case, exchange)
            and _keeps_knowledge(case, exchange, sorted(right["order"]))
        ):
            return ["order", *(name for name in _differ(case, layout, right, found) if name != "order")]
        right = base.answer_after(exchange)
        if case.unit_free and "score" in right and _is_close(right["score"], found["score"]):
            # What is interchangeable but for units is so but for rounding: the last digits of the score may tell.
            right = {**right, **{name: found[name] for name in ("score", "fingerprint")}}
    return list(_differ(case, layout, right, found))


def _is_close(score: float | None, other: float | None) -> bool:
    return score == other or (
        score is not None and other is not None and math.isclose(score, other, rel_tol=1e-9, abs_tol=1e-9)
    )


def _differ(case: Case, layout: Layout, right: Answer, found: Answer) -> Iterator[str]:
    free = {name for allowed in MAY_DIFFER if allowed.when(case, layout) for name in allowed.fields}
    for name, value in right.items():
        other = found[name]
        if name == "warnings":
            unsaid = {"dropped-rows"} if "dropped rows" in free else set()
            unsaid |= {"identical", "copies"} if "identical columns" in free else set()
            value, other = _without(value, unsaid), _without(other, unsaid)
        if name not in free and value != other:
            yield name


def _without(warnings: tuple[tuple[str, ...], dict[str, object]], unsaid: set[str]) -> tuple[object, object]:
    codes, columns = warnings
    return (
        tuple(code for code in codes if code not in unsaid),
        {code: named for code, named in columns.items() if code not in unsaid},
    )


def _exchange(n: int, right: Sequence[int], found: Sequence[int]) -> list[int] | None:
    """Which column stands in one order where each stood in the other; None if they are not the same columns."""
    if sorted(right) != sorted(found):
        return None
    exchange = list(range(n))
    for c, other in zip(right, found, strict=True):
        exchange[c] = other
    return exchange


def _is_symmetry(case: Case, exchange: Sequence[int], columns: Sequence[int]) -> bool:
    """Whether a table of some columns has the same rows, as often, after they were exchanged, and perhaps mirrored."""
    numbers = case.table.numbers
    if any(numbers[c] != numbers[exchange[c]] for c in columns):
        return False
    codes, weights = _codes(case)
    before, after = codes[list(columns)], codes[[exchange[c] for c in columns]]
    return _are_same_up_to_signs(before, after, weights, numbers[list(columns)])


def _are_same_up_to_signs(
    before: NDArray[np.int64],
    after: NDArray[np.int64],
    weights: NDArray[np.int64],
    numbers: NDArray[np.bool_],
    known: int = 0,
) -> bool:
    """Whether rows are the same once some columns of ranks, of those after the first `known`, are mirrored."""
    if known == len(before):
        return True
    for _ in range(2 if numbers[known] else 1):
        same = _rows(before[: known + 1], weights) == _rows(after[: known + 1], weights)
        if same and _are_same_up_to_signs(before, after, weights, numbers, known + 1):
            return True
        after = after.copy()
        after[known] = np.where(after[known] == _MISSING, _MISSING, after[known].max() - after[known])
    return False


def _keeps_start(case: Case, exchange: Sequence[int]) -> bool:
    """Whether the graph that a search starts from is the same after columns were exchanged."""
    if case.graph_is not in ("dag", "pdag"):
        return True
    before, after = (
        sb.DAG(range(case.table.n), [(at[u], at[v]) for u, v in case.graph]) for at in (range(case.table.n), exchange)
    )
    return before.cpdag() == after.cpdag() if case.graph_is == "pdag" else before == after


def _keeps_knowledge(case: Case, exchange: Sequence[int], columns: Sequence[int]) -> bool:
    """Whether what is known comes to the same, among the columns that take part, after they were exchanged."""
    after = case.known.renamed(dict(enumerate(exchange)))
    return _effect(case, case.known, columns) == _effect(case, after, columns)


def _effect(case: Case, known: sb.Knowledge, columns: Sequence[int]) -> tuple[object, ...]:
    """What knowledge comes to: the parents that each column may have and must have, and how many, if that is fewer."""
    said = known.known_arcs(range(case.table.n))
    place = {c: at for at, c in enumerate(columns)}
    kinds = ["continuous" if case.table.numbers[c] else "categorical" for c in columns]
    config = ScoreConfig(score=case.score, arcs=case.options.get("arcs"))

    def placed(arcs: Iterable[tuple[Any, Any]]) -> list[tuple[int, int]]:
        return [(place[a], place[b]) for a, b in arcs if a in place and b in place]

    pairs = [(a, b) for a in range(len(columns)) for b in range(len(columns))]
    by_kind = [(a, b) for a, b in pairs if not config.allows(kinds[a], kinds[b])]  # type: ignore[arg-type]
    constraints = Constraints.of(
        len(columns),
        forbidden=[*placed(said.forbidden), *by_kind],
        required=placed(said.required),
        most_parents={place[c]: most for c, most in said.most_parents.items() if c in place},
    )
    allowed = [own & ~bit(v) for v, own in enumerate(constraints.allowed)]
    # A limit for all holds besides those by variable.
    of_all = case.options.get("max_parents", len(columns))
    limits = constraints.limits(of_all)
    most = [min(limit, of_all, own.bit_count()) for limit, own in zip(limits, allowed, strict=True)]
    return allowed, constraints.required, most


def _codes(case: Case) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Values of the rows used as integers, of labels or of ranks; and the weights of these rows."""
    table = case.table
    weights = np.ones(table.rows, dtype=np.int64) if table.weights is None else table.weights
    gaps = np.zeros(table.values.shape, dtype=np.bool_) if table.gaps is None else table.gaps
    used = weights > 0
    if case.options.get("missing") == "drop":
        used &= ~gaps.any(axis=0)
    every = sorted({repr(label) for own in table.labels for label in own})
    number = {label: place for place, label in enumerate(every)}
    codes = np.full(table.values.shape, _MISSING)
    known = [used & ~gap for gap in gaps]
    ranks = iter(
        _ranks(
            [
                values[there]
                for values, labels, there in zip(table.values, table.labels, known, strict=True)
                if not labels
            ]
        )
    )
    for own, values, labels, there in zip(codes, table.values, table.labels, known, strict=True):
        if labels:
            own[there] = np.array([number[repr(label)] for label in labels])[values[there].astype(np.int64)]
        else:
            own[there] = next(ranks)
    return codes[:, used], weights[used]


def _ranks(columns: Sequence[NDArray[np.float64]]) -> list[NDArray[np.int64]]:
    """Return the ranks of the numbers of each column.

    Numbers are equal if values of the standardised columns and their mirror images leave no gap between them that is
    wider than the rounding of a change of units, as docs/promise.md says.
    """
    standardised, tolerance = [], _EQUAL
    for values in columns:
        # In units in which no square is too large or too small.
        scaled = values / (np.abs(values).max(initial=0.0) or 1.0)
        deviation = float(scaled.std()) if len(values) else 0.0
        standardised.append((scaled - scaled.mean()) / deviation if deviation else np.zeros(len(values)))
        if deviation:
            tolerance = max(tolerance, _EQUAL / 32 / deviation)
    pooled = np.unique(np.concatenate([image for values in standardised for image in (values, -values)] or [[]]))
    starts = pooled[np.concatenate([[True], np.diff(pooled) > tolerance])] if len(pooled) else pooled
    return [np.unique(np.searchsorted(starts, values, side="right"), return_inverse=True)[1] for values in standardised]


def _rows(codes: NDArray[np.int64], weights: NDArray[np.int64]) -> dict[bytes, int]:
    found: dict[bytes, int] = {}
    for row, weight in zip(np.ascontiguousarray(codes.T), weights.tolist(), strict=True):
        key = row.tobytes()
        found[key] = found.get(key, 0) + weight
    return found
