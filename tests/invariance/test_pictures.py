"""One table, one picture: pages and drawings of results are compared with ==, whatever the layout of the table."""

from __future__ import annotations

import random

import pytest
from tests.drawn import LEARNERS, UNSTABLE, Combination, combinations
from tests.invariance.test_layouts import Drawn
from tests.tables import shuffled

STABLE = tuple(name for name in LEARNERS if name not in UNSTABLE)
_CASES = random.Random("pictures").sample(list(combinations(STABLE)), 40)


@pytest.mark.parametrize("combination", _CASES, ids=map(" ".join, _CASES))
def test_pictures_do_not_depend_on_the_order_of_columns_and_rows(combination: Combination) -> None:
    drawn = Drawn(combination, f"pictures {combination}", stable=True)
    columns = drawn.table((3, 8), (20, 80))
    learn = drawn.learner(columns)
    first, second = learn(columns), learn(shuffled(columns, drawn.shuffle))
    for directions in ("marked", "cpdag", "dag"):
        one, two = (result.drawing(directions, result.strengths).svg() for result in (first, second))
        assert one == two
    assert first.pdag._repr_svg_() == second.pdag._repr_svg_()
    assert first._repr_html_() == second._repr_html_()
