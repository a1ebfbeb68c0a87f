"""The search as a chart: the score after each step."""

from __future__ import annotations

import math

from stablebn.report.content import Content
from stablebn.report.markup import Markup, element

_WIDTH, _HEIGHT = 1200.0, 300.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 96.0, 24.0, 16.0, 40.0
# With more steps than this a mark for each would be a smear.
_MOST_MARKS = 400
_SHAPES = {
    "add": "M{x} {y}m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0z",
    "delete": "M{x} {y}m-3.8 -3h7.6l-3.8 6.4z",
    "reverse": "M{x} {y}m0 -4.2l4.2 4.2l-4.2 4.2l-4.2 -4.2z",
}


def trace_chart(content: Content) -> Markup:
    """The score after each step; where there are none, nothing."""
    steps = content.steps
    if not steps:
        return Markup("")
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

    parts: list[Markup] = []
    for tick in ticks:
        at = f"{y(tick):.1f}"
        parts.append(element("line", class_="grid", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=at, y2=at))
        parts.append(
            element("text", f"{tick:,.10g}", class_="tick", x=_LEFT - 10, y=at, dy="0.36em", text_anchor="end")
        )
    for tick in nice_ticks(0, len(steps), whole=True):
        if tick <= len(steps):
            at = f"{x(tick):.1f}"
            label = element("text", f"{tick:,.0f}", class_="tick", x=at, y=_HEIGHT - _BOTTOM + 18, text_anchor="middle")
            parts.append(label)
    name = f"{content.score_name} after each of {len(steps):,} steps"
    parts.append(element("text", "step", class_="tick", x=_WIDTH - _RIGHT, y=_HEIGHT - 4, text_anchor="end"))
    if content.best < len(steps):
        from_here = x(content.best)
        parts.append(
            element(
                "rect",
                class_="after",
                x=f"{from_here:.1f}",
                y=_TOP,
                width=f"{_WIDTH - _RIGHT - from_here:.1f}",
                height=_HEIGHT - _TOP - _BOTTOM,
            )
        )
    points = " ".join(f"{x(at):.1f},{y(score):.1f}" for at, score in enumerate(scores))
    parts.append(element("polyline", class_="curve", points=points))
    if len(steps) <= _MOST_MARKS:
        for step in steps:
            shape = _SHAPES[step.move].format(x=f"{x(step.number):.1f}", y=f"{y(step.score):.1f}")
            said = f"Step {step.number}: {step.move} {step.edge}, {step.gain:+,.2f}"
            parts.append(element("path", element("title", said), class_=f"mark {step.move}", d=shape))
    return element(
        "svg",
        element("title", name),
        *parts,
        class_="chart",
        role="img",
        aria_label=f"{name}: from {start:,.2f} to {max(scores):,.2f}.",
        viewBox=f"0 0 {_WIDTH:.0f} {_HEIGHT:.0f}",
    )


def nice_ticks(low: float, high: float, *, whole: bool = False) -> list[float]:
    """Some four to eight round numbers that span an interval.

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


def chart_key(content: Content) -> Markup:
    """What the marks mean."""
    there = dict.fromkeys(step.move for step in content.steps)
    words = {"add": "arc added", "delete": "arc deleted", "reverse": "arc reversed"}
    keys = []
    for move in (own for own in _SHAPES if own in there):
        shape = element("path", class_=f"mark {move}", d=_SHAPES[move].format(x="6", y="6"))
        sample = element("svg", shape, viewBox="0 0 12 12", class_="sample dot", aria_hidden="true")
        keys.append(element("span", sample, words[move], class_="key"))
    return element("p", *keys, class_="legend")
