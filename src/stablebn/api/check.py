"""`stablebn.check`: check a table for problems before learning."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stablebn.api.arguments import CheckArguments, describe
from stablebn.api.read_table import read_table
from stablebn.columns.duplicates import merge
from stablebn.columns.findings import FEWEST_ROWS_EXPLAINED, FIRST_ROWS, Finding, Severity, findings_in
from stablebn.columns.kinds import FLOATS, PLAIN_CODES, Decision
from stablebn.errors import DataError, listed
from stablebn.graph.names import name_key
from stablebn.learners.shared.automatic import is_large, looks_for_curves
from stablebn.learners.shared.memory_estimate import bytes_needed
from stablebn.messages import Caution, kinds_option, tallied
from stablebn.options import takes
from stablebn.prepare.prepared import Prepared
from stablebn.prepare.read_options import with_own_reading
from stablebn.stats.moments import Moments
from stablebn.table.data_kinds import array_of, continuous_part, parts_by_kind
from stablebn.table.table import CategoricalTable, ContinuousTable, Table

# The other columns explain all but a thousandth of a column's variance: regression coefficients are meaningless.
COLLINEAR = 1000.0

# Floats may be codes if each of their few values occurs in at least this many rows on average.
FEWEST_ROWS_OF_VALUE = 5

# Added to the diagonal, so that an exactly singular matrix is invertible.
_RIDGE = 1e-13

# Seconds of the default algorithm on one core, measured on tables sampled from random networks: a constant; per
# variable of a categorical table and per pair of a continuous one; and per pair and row of either, and of a continuous
# table so large that relations are assumed to be linear.
_SECONDS = 0.3
_PER_VARIABLE, _PER_PAIR = 0.015, 1.5e-4
_CATEGORICAL, _CONTINUOUS, _LARGE_CONTINUOUS = 1e-8, 5e-8, 5e-10
# Seconds per pair and row of mixed tables: small ones, which are searched longer; large ones; and large incomplete
# ones, for which scores are not compared.
_SMALL_MIXED, _LARGE_MIXED, _INCOMPLETE_MIXED = 1e-6, 1.7e-8, 5e-9
# What is added if all columns have missing values, and a part of it if some have.
_MISSING_CATEGORICAL, _MISSING_MIXED = 4e-8, 3.7e-8
# A continuous table with missing values needs separate sums for each family: this factor.
_INCOMPLETE_CONTINUOUS = 10

_NOTES = ("kinds", "dialect", "index")
_MARKS = {"error": "error", "warning": "look", "note": "note"}


@dataclass(frozen=True)
class Check:
    """The findings of `stablebn.check` on a table.

    Attributes
    ----------
    rows : int or None
        Rows that would be used (by weight); `None` if that cannot be determined.
    decisions : dict of name to Decision
        The kind of each column, with the reason.
    findings : tuple of Finding
        Errors first, then warnings, then notes.
    remedy : dict of option to value
        Options with which the table can be used, if it cannot be used as it is.
    seconds, mebibytes : float or None
        Estimates for learning with the default options, accurate within a factor of about three.
    """

    rows: int | None
    decisions: Mapping[Hashable, Decision]
    findings: tuple[Finding, ...]
    remedy: Mapping[str, object]
    seconds: float | None
    mebibytes: float | None

    @property
    def exit_code(self) -> int:
        """0 if there are no findings to act on, 1 if there are warnings, 2 if the table cannot be used as it is."""
        severities = {finding.severity for finding in self.findings}
        return 2 if "error" in severities else 1 if "warning" in severities else 0

    def to_dict(self) -> dict[str, Any]:
        """Return all findings in types that JSON has."""
        return {
            "exit_code": self.exit_code,
            "rows": self.rows,
            "columns": [[name, own.kind, own.why] for name, own in self.decisions.items()],
            "findings": [
                {
                    "code": own.code,
                    "severity": own.severity,
                    "columns": list(own.columns),
                    "message": own.message,
                    "remedy": _plain(own.remedy),
                }
                for own in self.findings
            ],
            "remedy": _plain(self.remedy),
            "seconds": self.seconds,
            "mebibytes": self.mebibytes,
        }

    def to_json(self) -> str:
        """Return `to_dict` as JSON text; names of other types are written as text."""
        return json.dumps(self.to_dict(), indent=1, default=str, ensure_ascii=False)

    def __str__(self) -> str:
        tally = Counter(own.kind or "set aside" for own in self.decisions.values())
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(tally.items()))
        rows = "" if self.rows is None else f", {self.rows:,} rows"
        width = max((len(str(name)) for name in self.decisions), default=0)
        lines = [f"{len(self.decisions)} columns ({kinds}){rows}." if self.decisions else "No table."]
        lines += [f"  {name!s:<{width}}  {own}" for name, own in self.decisions.items()]
        lines += [f"{_MARKS[own.severity]}: {own.message}" for own in self.findings]
        if self.seconds is not None and self.mebibytes is not None:
            lines.append(
                f"Learning takes about {in_words(self.seconds)} and {_memory(self.mebibytes)} (a rough guess)."
            )
        if not self.findings:
            lines.append("Nothing to worry about.")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)


@takes(CheckArguments, describe)
def check(*arguments: Any, **options: Any) -> Check:
    """Check a table for problems before learning.

    Report the kind of each column with the reason, problems that prevent learning, missing values, constants, copies,
    columns that are functions of others, ids, rare levels, nearly collinear columns, and an estimate of the time that
    learning takes. The options are the fields of `stablebn.api.arguments.CheckArguments`; `help(stablebn.check)`
    describes them.

    Returns
    -------
    Check

    Examples
    --------
    >>> import stablebn as sb
    >>> found = sb.check({"sex": ["f", "m"] * 20, "code": [1, 2] * 20, "site": ["x"] * 40})
    >>> [(finding.code, finding.columns) for finding in found.findings]
    [('constant', ('site',)), ('relabelled', ('code', 'sex'))]
    >>> found.exit_code
    1
    """
    parsed = with_own_reading(CheckArguments.from_call("check", arguments, options))
    try:
        return checked(read_table(parsed), None)
    except DataError as error:
        if not error.remedy:
            return checked(None, error)
        # Report the other findings as they are after the problem is solved.
        remedy: dict[str, Any] = dict(error.remedy)
        try:
            return checked(read_table(replace(parsed, **remedy)), error)
        except DataError:
            return checked(None, error)


def checked(prepared: Prepared | None, error: DataError | None) -> Check:
    """Collect all findings.

    Parameters
    ----------
    prepared : Prepared or None
        The table as it is, or as it is after the remedy of the error.
    error : DataError or None
        The reason why the table cannot be used as it is.
    """
    findings = [] if error is None else [_of_problem(error, number) for number in range(len(error.problems))]
    if prepared is not None:
        # The remedy of an error may have dropped rows; the error reports them.
        cautions = [
            own
            for own in prepared.warnings
            if error is None or own.code not in ("dropped-rows", "missing-level", "holes")
        ]
        findings += [_of_caution(caution, prepared) for caution in cautions]
        collinear = [*_collinear(prepared.table, prepared)]
        findings += [*findings_in(prepared.table), *collinear]
        findings += [
            *_same_order(prepared, {name for own in collinear for name in own.columns}),
            *_few_values(prepared),
        ]
    order: tuple[Severity, ...] = ("error", "warning", "note")
    return Check(
        rows=None if prepared is None else prepared.table.total,
        decisions={} if prepared is None else prepared.decisions,
        findings=tuple(sorted(findings, key=lambda own: order.index(own.severity))),
        remedy={} if error is None else error.remedy,
        seconds=None if prepared is None else _seconds(prepared.table),
        mebibytes=None if prepared is None else _mebibytes(prepared.table),
    )


def _of_problem(error: DataError, number: int) -> Finding:
    problem = error.problems[number]
    return Finding("problem", "error", _sorted(problem.columns), problem.message, problem.remedy)


def _of_caution(caution: Caution, prepared: Prepared) -> Finding:
    severity: Severity = "note" if caution.code in _NOTES else "warning"
    remedy: dict[str, object] = {}
    if caution.code in ("set-aside", "constant"):
        remedy = {"drop": list(caution.columns)}
    elif caution.code in ("identical", "copies") and not prepared.merged:
        remedy = {"duplicates": "merge"}
    return Finding(caution.code, severity, _sorted(caution.columns), caution.message, remedy)


def _sorted(names: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
    return tuple(sorted(names, key=name_key))


def _collinear(table: Table, prepared: Prepared) -> Iterator[Finding]:
    """Find continuous columns that are nearly linear functions of the others."""
    continuous = continuous_part(table)
    if continuous is None or len(continuous.names) < 2:
        return
    # Keep one of each group of copies; these are reported separately.
    alone, _ = merge(continuous, prepared.copies)
    assert isinstance(alone, ContinuousTable)
    alone = _complete(alone)
    n = len(alone.names)
    if n < 2 or alone.total <= n + 1:
        return
    moments = Moments(alone)
    # Sort the columns by their values, so that the order of columns in the table cannot change a bit.
    keys: list[Any] = [moments.sort_key(v) for v in range(n)]
    moments = moments.reordered(sorted(range(n), key=keys.__getitem__))
    correlation = np.array([[moments.correlation(u, v, 60) for v in range(n)] for u in range(n)]) * 2.0**-60
    own = np.diagonal(np.linalg.inv(correlation + _RIDGE * np.eye(n)))
    found = {
        moments.names[v]: f"{100 * (1 - 1 / own[v]):.5g} %"
        for v in sorted(range(n), key=lambda v: name_key(moments.names[v]))
        if own[v] > COLLINEAR
    }
    if found:
        yield Finding(
            "collinear",
            "warning",
            tuple(found),
            f"columns whose variance nearly follows from the other columns: {tallied(found)}. Arcs among them are "
            "arbitrary; leave out those that are sums or copies of others.",
        )


def _same_order(prepared: Prepared, told: AbstractSet[Hashable]) -> Iterator[Finding]:
    """Find continuous columns that are monotonic functions of each other, such as a variable and its logarithm.

    Columns that were `told` to follow from others are not told of again, nor are copies.
    """
    table = continuous_part(prepared.table)
    if table is None:
        return
    doubles = {name for group in (*prepared.identical, *prepared.copies) for name in group[1:]}
    columns = [
        c
        for c in sorted(range(len(table.names)), key=lambda c: name_key(table.names[c]))
        if table.names[c] not in doubles | told
    ]
    for rows in (slice(0, FIRST_ROWS), slice(None)):
        groups: dict[bytes, list[int]] = defaultdict(list)
        for c in columns:
            groups[_order(table.values[c, rows])].append(c)
        # Most columns differ already in the first rows.
        columns = [c for group in groups.values() if len(group) > 1 for c in group]
    for group in groups.values():
        _, counts = np.unique(table.values[group[0]][~np.isnan(table.values[group[0]])], return_counts=True)
        if len(group) > 1 and counts.sum() - counts.max() >= FEWEST_ROWS_EXPLAINED:
            names = tuple(table.names[c] for c in group)
            yield Finding(
                "function",
                "warning",
                names,
                f"the same order of values, or its reverse: {listed(names)}. Each follows from the others, as a "
                "logarithm or a square would. An arc between them says no more than that; leave out all but one.",
                {"drop": list(names[1:])},
            )


def _order(values: NDArray[np.float64]) -> bytes:
    """Return a digest that is equal for columns with the same or the reverse order of values and equal missing ones."""
    known = ~np.isnan(values)
    distinct, ranks = np.unique(values[known], return_inverse=True)
    orders = []
    for own in (ranks, len(distinct) - 1 - ranks):
        order = np.full(len(values), -1, dtype=np.int64)
        order[known] = own
        orders.append(hashlib.blake2b(order.tobytes(), digest_size=16).digest())
    return min(orders)


def _few_values(prepared: Prepared) -> Iterator[Finding]:
    """Find float columns with so few distinct values, each repeated, that they may be codes of categories."""
    table = continuous_part(prepared.table)
    if table is None:
        return
    found = {}
    for name, values in zip(table.names, table.values, strict=True):
        distinct = np.unique(values[~np.isnan(values)]).size
        is_few = distinct <= PLAIN_CODES and distinct * FEWEST_ROWS_OF_VALUE <= table.total
        if is_few and prepared.decisions[name].why == FLOATS:
            found[name] = f"{distinct} values"
    if found:
        names = _sorted(tuple(found))
        listing = tallied({name: found[name] for name in names})
        yield Finding(
            "few-values",
            "note",
            names,
            f"floats with few distinct values, learned from as continuous: {listing}. If they are codes of "
            f"categories, use {kinds_option(names, 'categorical')}.",
            {"kinds": dict.fromkeys(names, "categorical")},
        )


def _complete(table: ContinuousTable) -> ContinuousTable:
    """Return the complete rows, and the columns that vary in them."""
    if not table.holes:
        return table
    known = ~np.isnan(table.values).any(axis=0)
    values = np.ascontiguousarray(table.values[:, known])
    weights = None if table.weights is None else table.weights[known]
    varying = [c for c, own in enumerate(values) if own.size and own.min() < own.max()]
    return ContinuousTable(table.names, values, weights).select(varying)


def _seconds(table: Table) -> float:
    """Return the seconds that the default algorithm takes on one core, within a factor of about three."""
    n, has_missing = len(table.names), bool(table.holes)
    rows, pairs, share = table.rows, n * n, len(table.holes) / max(n, 1)
    if isinstance(table, CategoricalTable):
        return _SECONDS + _PER_VARIABLE * n + (_CATEGORICAL + _MISSING_CATEGORICAL * share) * pairs * rows
    if isinstance(table, ContinuousTable):
        if has_missing:
            return _SECONDS + _INCOMPLETE_CONTINUOUS * (_PER_PAIR + _LARGE_CONTINUOUS * rows) * pairs
        per_row = _CONTINUOUS if looks_for_curves(table) else _LARGE_CONTINUOUS
        return _SECONDS + (_PER_PAIR + per_row * rows) * pairs
    if not is_large(table):
        return _SECONDS + _SMALL_MIXED * pairs * rows
    incomplete = _INCOMPLETE_MIXED + _MISSING_MIXED * share
    return _SECONDS + (incomplete if has_missing else _LARGE_MIXED) * pairs * rows


def _mebibytes(table: Table) -> float:
    """Estimate memory: the table three times (given, encoded, counted), all pairs of columns, and the libraries."""
    size = sum(array_of(part).nbytes for part in parts_by_kind(table))
    return 150 + (3 * size + bytes_needed(table)) / 2**20


def in_words(seconds: float) -> str:
    """Describe a time of which only the order of magnitude is known.

    >>> in_words(0.3), in_words(40), in_words(4000)
    ('a second', 'a minute', 'an hour')
    """
    for limit, words in ((3, "a second"), (20, "ten seconds"), (180, "a minute"), (1200, "ten minutes")):
        if seconds < limit:
            return words
    if seconds < 3 * 3600:
        return "an hour"
    return f"{10 ** round(math.log10(seconds / 3600)):,} hours"


def _memory(mebibytes: float) -> str:
    return f"{mebibytes:,.0f} MiB" if mebibytes < 1024 else f"{mebibytes / 1024:,.1f} GiB"


def _plain(remedy: Mapping[str, object]) -> dict[str, object]:
    """Return a remedy with names in types that JSON has; `...` (all other columns) becomes null."""
    kinds = remedy.get("kinds")
    plain = dict(remedy)
    if isinstance(kinds, Mapping):
        plain["kinds"] = [[None if name is ... else name, kind] for name, kind in kinds.items()]
    return plain
