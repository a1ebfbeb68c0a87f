"""Test the styles of arcs."""

from __future__ import annotations

from pathlib import Path

import pytest

import stablebn
from stablebn.plotting.arc_styles import COMPARED, DASHES, SHADES, shades_of, stroke_of

STYLES = Path(stablebn.__file__).parent / "report" / "style.css"


def test_the_report_has_the_same_colours_widths_and_dashes() -> None:
    text = STYLES.read_text(encoding="utf-8")
    for place, stroke in enumerate(SHADES):
        assert f"--s{place}: light-dark({stroke.colour}," in text
        assert f".s{place} .line, .s{place} .tail {{ stroke-width: {stroke.width}; }}" in text
    for verdict, stroke in COMPARED.items():
        assert f"--{verdict}: light-dark({stroke.colour}," in text
    assert f"stroke-dasharray: {' '.join(f'{dash:g}' for dash in DASHES)};" in text


def test_shades_follow_the_order_of_strengths_and_use_all_there_are() -> None:
    shades = shades_of({number: 2.0**number for number in range(20)})
    assert list(shades.values()) == sorted(shades.values())
    assert set(shades.values()) == set(range(len(SHADES)))


@pytest.mark.parametrize("strengths", [{}, {"a": 0.0}, {"a": 3.0}, {"a": 3.0, "b": 3.0}, {"a": -1.0, "b": 0.0}])
def test_shades_of_few_or_equal_strengths(strengths: dict[str, float]) -> None:
    assert set(shades_of(strengths).values()) <= {0, len(SHADES) - 1}
    assert len(set(shades_of(strengths).values())) <= 1


def test_an_arbitrary_direction_shows_by_dashes_alone() -> None:
    assert stroke_of(3, arbitrary=True) == SHADES[3]._replace(dashes=DASHES)
    assert stroke_of(arbitrary=True)._replace(dashes=()) == stroke_of()
