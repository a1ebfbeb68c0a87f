"""The walk from a source to a table that can be learned from."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from stablebn.data.checks import (
    check_finite,
    check_gaussian_rows,
    check_size,
    check_total,
    report_constants,
    report_decisions,
    report_few_rows,
    report_levels,
)
from stablebn.data.choosing import Choice
from stablebn.data.cut_points import Binning, Cuts
from stablebn.data.deciding import decide
from stablebn.data.dialect import Dialect
from stablebn.data.discretising import discretised
from stablebn.data.duplicates import DUPLICATES, copied_columns, identical_columns, merge, report_duplicates
from stablebn.data.encoding import Categories, tabulate
from stablebn.data.kinds import Asked, Decision, Kind, family, told
from stablebn.data.levels import Levels, declare, named_categorical, told_levels
from stablebn.data.missing import MISSING, settle_missing, with_types
from stablebn.data.problems import Problems
from stablebn.data.reading import read
from stablebn.data.table import Name, Table, total_weight
from stablebn.data.weights import rows_with_weight, set_weights_apart
from stablebn.data.wording import Caution
from stablebn.errors import one_of

logger = logging.getLogger("stablebn.data")


@dataclass(frozen=True)
class Prepared:
    """A table ready to be learned from, and what was found on the way.

    Attributes
    ----------
    names : tuple of hashable
        All variables, in column order.
    left_out : tuple of hashable
        Columns of the source that are no variables, as the user wants them left out or they hold the weights.
    table : CategoricalTable, ContinuousTable or MixedTable
        The columns that take part in the search, in column order: not the constant ones nor those set aside, and of
        merged ones only the one that stands. Without any column it is categorical.
    kinds : dict of name to {"categorical", "continuous"}
        Of all variables but those set aside.
    decisions : dict of name to Decision
        What each variable is taken for, and why.
    constants : dict of name to value
        Columns with a single value, in column order, and that value.
    identical : tuple of tuples of names
        Groups of columns with the same value in every row, sorted by name; without the constants.
    copies : tuple of tuples of names
        Groups of continuous columns that are the same but for unit and rounding, identical ones among them.
    merged : dict of name to tuple of names
        Columns that stand for others, and the names of these others. Empty unless duplicates were merged.
    cuts : dict of name to tuple of float
        Cut points of the columns that were made categorical. Empty unless that was asked for.
    levels : dict of name to tuple of values
        The levels that were declared, of constants too.
    rows : int
        Rows of the source, used or not.
    warnings : tuple of Caution
    """

    names: tuple[Name, ...]
    left_out: tuple[Name, ...]
    table: Table
    kinds: dict[Name, Kind]
    decisions: dict[Name, Decision]
    constants: dict[Name, Hashable]
    identical: tuple[tuple[Name, ...], ...]
    copies: tuple[tuple[Name, ...], ...]
    merged: dict[Name, tuple[Name, ...]]
    cuts: Cuts
    levels: Levels
    rows: int
    warnings: tuple[Caution, ...]

    @property
    def aside(self) -> tuple[Name, ...]:
        """Variables that were set aside, in column order: they stay alone in the graph."""
        return tuple(name for name in self.names if self.decisions[name].kind is None)


def prepare(
    source: object,
    *,
    names: Sequence[Name] | None = None,
    kinds: Asked = None,
    missing: str = "error",
    duplicates: str = "keep",
    weights: object = None,
    discretise: Binning | Mapping[Name, tuple[float, ...]] | None = None,
    columns: object = None,
    drop: object = None,
    keep: object = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    levels: object = None,
    learned: Mapping[Name, Decision] | None = None,
    learned_levels: Levels | None = None,
    holes_will_do: bool = True,
    few_rows_will_do: bool = False,
    threads: int = 1,
    watch: Callable[[str, int], None] | None = None,
) -> Prepared:
    """Read, check and encode a table.

    Parameters
    ----------
    source : frame, array, dict or path
        A pandas or polars DataFrame (the index of a pandas frame is not data), a PyArrow Table or
        RecordBatch, a 2-D NumPy array with `names`, a structured array, a dict of columns, or the path of
        a file of which `stablebn.data.files` knows the format.
    names : sequence of hashable, optional
        Names of the columns of a 2-D NumPy array.
    kinds : mapping of name to {"categorical", "continuous"}, or one of these, optional
        Decides for the columns it names; `...` stands for all others that can have that kind, and one kind alone is
        that of all that can. What is not said is decided by type and values (`stablebn.data.kinds`).
    missing : {"error", "drop", "level", "available"}, default "error"
        Of a missing value (null or NaN): raise, leave out its row, make it a level, None, the last, or leave it as a
        hole in the table; only rows without any value are left out then.
    duplicates : {"keep", "merge", "error"}, default "keep"
        Of identical columns, and of continuous ones that are copies in another unit or rounded otherwise: keep all,
        keep one (the first by name; of copies that with the least values), or raise.
    weights : name of a column, or sequence of int, optional
        How many rows each row stands for. A row with weight 0 is as if it were not there.
    discretise : Binning or mapping of name to cut points, optional
        Make continuous columns categorical: all of them, or those with these cut points. Text is taken as it stands.
    columns, drop : sequence of names, or text with commas between names, optional
        The columns to use, and those to leave out.
    keep : the same
        Columns to learn from though they look like ids, free text or dates.
    sep, decimal, encoding : str, optional
        How a text file is written; by default recognised, by the rules of `stablebn.data.dialect`.
    levels : mapping of name to values, or "declared", optional
        Levels that count whether they occur or not; columns that are named are categorical. "declared": those of
        columns whose type has categories. By default levels are the values that occur.
    learned : mapping of name to Decision, optional
        What was decided for another table: it holds for the columns of that name of which nothing else is said.
    learned_levels : mapping of name to values, optional
        The same of levels.
    holes_will_do : bool
        Whether an error may offer missing="available".
    few_rows_will_do : bool
        Whether continuous columns may have fewer rows than learning needs.
    threads : int
        How many threads read and encode; with more than one, PyArrow takes as many as it likes for files.
    watch : callable, optional
        Called with what is under way, and of how many rows.

    Returns
    -------
    Prepared

    Raises
    ------
    DataError
        The table cannot be learned from as it is.
    OptionError
        An option has a value it cannot take.

    Examples
    --------
    >>> prepared = prepare({"rain": ["no", "yes", "no"], "wet": [False, True, True]})
    >>> prepared.table.levels
    (('no', 'yes'), (False, True))
    """
    one_of("missing", missing, MISSING)
    one_of("duplicates", duplicates, DUPLICATES)
    problems = Problems()
    choice = Choice(columns, drop, keep, besides=weights)

    def tell(stage: str, count: int) -> None:
        if watch is not None:
            watch(stage, count)

    tell("reading", 0)
    found = read(
        source,
        names=names,
        dialect=Dialect(sep, decimal, encoding),
        choice=choice,
        problems=problems,
        threads=threads,
    )
    variables, weight_column = set_weights_apart(found.columns, weights)
    variables = with_types(variables, missing)
    said = told(kinds, choice.kept(found.names), variables).with_learned(learned or {}, variables)
    categorical: dict[Name, Kind] = dict.fromkeys(named_categorical(levels, tuple(variables)), "categorical")
    said = said._replace(kinds={**categorical, **said.kinds})
    declared = told_levels(levels, variables, found.with_categories, learned_levels)

    def raise_problems() -> None:
        problems.raise_all(found.names, choice, kinds if isinstance(kinds, Mapping) else {})

    with problems.collected():
        check_size(variables)
    if not variables or problems.helpless:
        raise_problems()
    rows = len(next(iter(variables.values())))
    variables, counts = rows_with_weight(variables, weight_column)
    check_total(rows, counts)
    if isinstance(discretise, Mapping):
        numbers = [name for name in discretise if name in variables and family(variables[name].type) != "text"]
        said = said._replace(kinds={**said.kinds, **dict.fromkeys(numbers, "continuous")})
    tell("encoding", rows)
    decided = decide(variables, counts, said, missing, problems, threads=threads)
    encoded, decisions = decided.columns, decided.decisions
    cautions = [*found.cautions, *report_decisions(decisions), *decided.cautions]

    cuts: Cuts = {}
    with problems.collected():
        check_finite(encoded)
    if discretise is not None and not problems.found:
        tell("discretising", rows)
        encoded, cuts = discretised(encoded, counts, discretise)
        decisions |= {
            name: Decision("categorical", f"{decisions[name].why}, in {len(points) + 1} bins", plain=True)
            for name, points in cuts.items()
            if name in encoded
        }
    used = len(next(iter(variables.values())))
    with problems.collected():
        encoded, counts, cautions = settle_missing(encoded, counts, missing, cautions, holes_will_do=holes_will_do)
        used = len(next(iter(encoded.values()), range(used)))
    total = total_weight(used, counts)
    varying = {name: column for name, column in encoded.items() if not column.is_constant}
    if not few_rows_will_do:
        with problems.collected():
            check_gaussian_rows(varying, counts, total)
    with problems.collected():
        with_levels, declared = declare(encoded, declared)
        varying = {name: with_levels[name] for name in varying}
    raise_problems()

    constants = {name: column.first for name, column in encoded.items() if column.is_constant}
    kind_of: dict[Name, Kind] = {
        name: "categorical" if isinstance(column, Categories) else "continuous" for name, column in encoded.items()
    }
    table = tabulate(varying, used, counts, may_have_holes=missing == "available")
    identical, copies = identical_columns(table), copied_columns(table)
    cautions += [
        *report_levels(varying, total),
        *report_constants(tuple(constants)),
        *report_duplicates(identical, copies, duplicates),
        *report_few_rows(varying, total),
    ]
    merged: dict[Name, tuple[Name, ...]] = {}
    if duplicates == "merge":
        in_copies = {name for group in copies for name in group}
        table, merged = merge(table, [*copies, *(group for group in identical if group[0] not in in_copies)])
    for caution in cautions:
        logger.info("%s", caution)
    return Prepared(
        names=tuple(variables),
        left_out=tuple(name for name in found.names if name not in variables),
        table=table,
        kinds=kind_of,
        decisions={
            name: Decision(own.kind, "a single value", plain=True) if name in constants else own
            for name, own in decisions.items()
        },
        constants=constants,
        identical=identical,
        copies=copies,
        merged=merged,
        cuts=cuts,
        levels=declared,
        rows=rows,
        warnings=tuple(cautions),
    )
