"""Run one test of independence between columns of a table; other columns and names have no influence."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from stablebn.ci_tests import independence_test, name_of_test
from stablebn.ci_tests.base import Outcome
from stablebn.learners.shared.problem import define_problem
from stablebn.scores.registry import ScoreConfig
from stablebn.stats.symmetries.symmetry import Relation
from stablebn.stats.variable_sets import bit
from stablebn.table.blocks import AnyTable, like_of
from stablebn.table.table import MixedTable


def tested_alone(
    table: AnyTable,
    x: Hashable,
    y: Hashable,
    given: Sequence[Hashable],
    test: str | None,
    *,
    unit_free: bool,
) -> tuple[str, Outcome]:
    """Return the name of the test that was used, and its result.

    If x or y was excluded because it has a single value, they are independent; such a column is ignored as a condition.
    """
    # Select only the columns of the test: fewer columns are faster to number.
    column = {name: place for place, name in enumerate(table.names)}
    some = table.select([column[name] for name in (x, y, *given) if name in column])
    if test is None and isinstance(like_of(table), MixedTable):
        # Use the test of mixed data even if the selected columns are of one kind, as an algorithm on the whole table
        # would.
        test = "mi-cg"
    # The two tested columns must be distinguished from columns that are interchangeable with them.
    ends = np.array([name in (x, y) for name in some.names], dtype=np.int64)
    tested = Relation(np.outer(ends, ends) - np.diag(ends))
    problem = define_problem(some, ScoreConfig(), unit_free=unit_free, relation=tested)
    name = name_of_test(problem.statistics, test)
    if x not in column or y not in column:
        return name, Outcome(0.0, 0.0, 1.0)
    number = {variable: v for v, variable in enumerate(problem.names)}
    condition = sum(bit(number[variable]) for variable in given if variable in number)
    return name, independence_test(problem.statistics, name).test(number[x], number[y], condition)
