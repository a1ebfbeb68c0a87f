"""`stablebn.ci_test`: test whether two variables are conditionally independent."""

from __future__ import annotations

import inspect
from collections.abc import Hashable, Iterable
from typing import Any

from stablebn.api.arguments import CITestArguments, describe
from stablebn.api.read_table import read_table
from stablebn.errors import OptionError, listed
from stablebn.learners.shared.single_ci_test import tested_alone
from stablebn.messages import tallied
from stablebn.options import is_hashable, is_iterable, takes
from stablebn.prepare.prepared import Prepared
from stablebn.prepare.read_options import with_own_reading
from stablebn.result.result import CITest


@takes(CITestArguments, describe)
def ci_test(*arguments: Any, **options: Any) -> CITest:
    """Test whether two variables are conditionally independent given other variables.

    Returns
    -------
    CITest

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(1000, seed=1)
    >>> sb.ci_test(table, "smoke", "xray", given="either").independent()
    True
    """
    parsed = with_own_reading(CITestArguments.from_call("ci_test", arguments, options))
    table = read_table(parsed)
    # None may be the name of a column: here it does not stand for the default.
    bound = inspect.signature(ci_test).bind(*arguments, **options).arguments
    given = _columns_given(bound.get("given", ()), table)
    tested = (parsed.x, parsed.y, *given)
    unknown = [name for name in tested if not is_hashable(name) or name not in table.decisions]
    if unknown:
        raise OptionError(f"the table has no columns {listed(unknown)}.")
    excluded = {name: table.decisions[name].why for name in tested if name in table.aside}
    if excluded:
        raise OptionError(f"columns that were set aside: {tallied(excluded)}. Say kinds= for them.")
    if len(set(tested)) < len(tested):
        raise OptionError(f"x, y and given must be different columns; got {listed(tested, most=99)}.")
    unit_free = parsed.unit_free is not False
    name, outcome = tested_alone(table.table, parsed.x, parsed.y, given, parsed.test, unit_free=unit_free)
    return CITest(parsed.x, parsed.y, given, name, *outcome)


def _columns_given(given: Iterable[Hashable] | Hashable, table: Prepared) -> tuple[Hashable, ...]:
    """Return the columns to condition on; text, or a tuple that is the name of a column, is one column."""
    if isinstance(given, str) or not is_iterable(given):
        return (given,)
    return (given,) if isinstance(given, tuple) and given in table.decisions else tuple(given)
