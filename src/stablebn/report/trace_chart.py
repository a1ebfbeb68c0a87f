"""Compute the chart of the score after each step of the search."""

from __future__ import annotations

import math
from typing import NamedTuple

from stablebn.report.content import Content

_WIDTH, _HEIGHT = 1200, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 96, 24, 16, 40
# With more steps than this, marks would overlap.
_MOST_MARKS = 400
_SHAPES = {
    "add": "M{x} {y}m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0z",
    "delete": "M{x} {y}m-3.8 -3h7.6l-3.8 6.4z",
    "reverse": "M{x} {y}m0 -4.2l4.2 4.2l-4.2 4.2l-4.2 -4.2z",
}
_MOVES = {"add": "arc added", "delete": "arc deleted", "reverse": "arc reversed"}


class Tick(NamedTuple):
    """A number on an axis, and its coordinate."""

    at: str
    text: str


class StepMark(NamedTuple):
    """A mark of a step, or in the key of the chart."""

    move: str
    path: str
    title: str


class Span(NamedTuple):
    """An interval of steps."""

    left: str
    width: str


class Chart(NamedTuple):
    """A chart in SVG; `after` spans the steps after the best score."""

    name: str
    range: str
    score_ticks: list[Tick]
    step_ticks: list[Tick]
    after: Span | None
    curve: str
    marks: list[StepMark]
    keys: list[StepMark]
    width: int = _WIDTH
    height: int = _HEIGHT
    left: int = _LEFT
    right: int = _WIDTH - _RIGHT
    top: int = _TOP
    bottom: int = _HEIGHT - _BOTTOM


def chart_of(content: Content) -> Chart | None:
    """Compute the chart of the search; None if it has no steps."""
    steps = content.steps
    if not steps:
        return None
    start = steps[0].score - steps[0].gain
    scores = [start, *(step.score for step in steps)]
    low, high = min(scores), max(scores)
    ticks = nice_ticks(low, high)
    low, high = min(low, ticks[0]), max(high, ticks[-1])

    def x(step: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * step / len(steps)

    def y(score: float) -> float:
        share = (score - low) / (high - low) if high > low else 0.5
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * share

    marks = [
        StepMark(
            step.move,
            _SHAPES[step.move].format(x=f"{x(step.number):.1f}", y=f"{y(step.score):.1f}"),
            f"Step {step.number}: {step.move} {step.edge}, {step.gain:+,.2f}",
        )
        for step in steps[:_MOST_MARKS]
    ]
    step_ticks = nice_ticks(0, len(steps), whole=True)
    moves = {step.move for step in steps}
    best = x(content.best)
    return Chart(
        name=f"{content.score_name} after each of {len(steps):,} steps",
        range=f"from {start:,.2f} to {max(scores):,.2f}",
        score_ticks=[Tick(f"{y(tick):.1f}", f"{tick:,.10g}") for tick in ticks],
        step_ticks=[Tick(f"{x(step):.1f}", f"{step:,.0f}") for step in step_ticks if step <= len(steps)],
        after=Span(f"{best:.1f}", f"{_WIDTH - _RIGHT - best:.1f}") if content.best < len(steps) else None,
        curve=" ".join(f"{x(at):.1f},{y(score):.1f}" for at, score in enumerate(scores)),
        marks=marks if len(steps) <= _MOST_MARKS else [],
        keys=[StepMark(move, _SHAPES[move].format(x="6", y="6"), _MOVES[move]) for move in _MOVES if move in moves],
    )


def nice_ticks(low: float, high: float, *, whole: bool = False) -> list[float]:
    """Return four to eight round numbers that span an interval.

    >>> nice_ticks(0, 12, whole=True)
    [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0]
    >>> nice_ticks(-28990.0, -22351.0)
    [-30000.0, -28000.0, -26000.0, -24000.0, -22000.0]
    """
    span = high - low
    if not span > 0:
        return [low]
    rough = span / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * nice for nice in (1, 2, 5, 10) if power * nice >= rough * 0.8)
    if whole:
        step = max(1.0, step)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [at * step for at in range(first, last + 1)]
