"""Learners side by side: a panel a metric, a bar a learner, the paper's figure as a mark on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from stablebn.study.reporting.drawing import BLACK, BLUE, ORANGE, new_figure, tidy
from stablebn.study.reporting.published import Grid, Value
from stablebn.study.reporting.summary import Experiments, Statistic

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# By the names of the paper's figures: title of the panel, and what it shows.
PANELS: dict[str, tuple[str, str, Statistic]] = {
    "f1": ("F1", "f1", "mean"),
    "precision": ("Precision", "precision", "mean"),
    "recall": ("Recall", "recall", "mean"),
    "bsf": ("BSF", "bsf", "mean"),
    "f1_sd": ("SD of F1", "f1", "sd"),
    "normalised_bic_sd": ("SD of normalised BIC", "normalised_bic", "sd"),
    "normalised_bic": ("Normalised BIC below the best", "normalised_bic", "mean"),
    "seconds": ("Seconds", "seconds", "mean"),
}
Numbers: TypeAlias = dict[str, float | None]
"""By learner."""

ACROSS = 4
FADED = 0.4
MARK: dict[str, Any] = {
    "marker": "D",
    "linestyle": "",
    "color": BLACK,
    "markersize": 3.2,
    "markerfacecolor": "white",
    "markeredgewidth": 0.9,
    "clip_on": False,
    "zorder": 3,
}


def learner_bars(experiments: Experiments, published: Grid) -> Figure:
    """Draw the panels.

    Parameters
    ----------
    experiments : Experiments
        Those that all learners have run on.
    published : Grid
        The paper's figures by learner; empty: no marks.
    """
    learners = experiments.learners
    down = -(-len(PANELS) // ACROSS)
    figure = new_figure(10, down * (0.9 + 0.2 * len(learners)) + 0.5)
    panels = figure.subplots(down, ACROSS, sharey=True, squeeze=False).flatten()
    for panel, (key, (title, metric, statistic)) in zip(panels, PANELS.items(), strict=True):
        theirs = {learner: _number(figures.get(key)) for learner, figures in published.items()}
        _draw_metric(panel, experiments, metric, statistic, theirs)
        if key == "seconds":
            panel.set_xscale("log")
        else:
            panel.set_xlim(left=0)
        tidy(panel, title)
    panels[0].set_yticks(range(len(learners)), learners, parse_math=False)
    panels[0].set_ylim(len(learners) - 0.4, -0.6)
    _draw_legend(figure, bool(published))
    return figure


def _number(value: Value) -> float | None:
    return None if isinstance(value, str) else value


def is_stable(experiments: Experiments, learner: str) -> bool:
    """Whether all layouts gave the same graph, in every experiment."""
    return all(trial.graphs == 1 for trial in experiments.trials(learner) if trial.done)


def _draw_metric(panel: Axes, experiments: Experiments, metric: str, statistic: Statistic, theirs: Numbers) -> None:
    ours = {learner: experiments.mean(learner, metric, statistic) for learner in experiments.learners}
    complete = [learner for learner in ours if experiments.is_complete(learner, metric, statistic)]
    if (metric, statistic) == ("normalised_bic", "mean"):
        # Scores are far from 0 and near each other; means over other networks are neither.
        ours, theirs = (
            below_best({learner: figures.get(learner) for learner in complete}) for figures in (ours, theirs)
        )
    for place, learner in enumerate(experiments.learners):
        value = ours.get(learner)
        if value is None:
            _write_beside_axis(panel, place, "n/a")
        elif value == 0 and statistic == "sd":
            _write_beside_axis(panel, place, "0")
        else:
            colour = BLUE if is_stable(experiments, learner) else ORANGE
            panel.barh(place, value, color=colour, alpha=1 if learner in complete else FADED, height=0.72)
        if (mark := theirs.get(learner)) is not None:
            panel.plot(mark, place, **MARK)


def _write_beside_axis(panel: Axes, place: int, text: str) -> None:
    """Far enough from the axis that a mark of the paper's 0 does not cover it."""
    panel.annotate(text, (0, place), (8, 0), textcoords="offset points", va="center", fontsize=7, color="0.3")


def below_best(values: Numbers) -> Numbers:
    """How far each value is below the greatest.

    >>> below_best({"a": -2.0, "b": -5.0, "c": None})
    {'a': 0.0, 'b': 3.0, 'c': None}
    """
    best = max((value for value in values.values() if value is not None), default=0.0)
    return {learner: None if value is None else best - value for learner, value in values.items()}


def _draw_legend(figure: Figure, has_published: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    keys: dict[str, Line2D | Patch] = {
        "one graph from all layouts, in every experiment": Patch(color=BLUE),
        "the layout decides": Patch(color=ORANGE),
        "faded: no such figure in some experiments": Patch(color="0.4", alpha=FADED),
    }
    if has_published:
        keys["the paper's"] = Line2D([], [], **MARK)
    figure.legend(
        list(keys.values()), list(keys), loc="outside upper center", ncols=len(keys), frameon=False, fontsize=8.5
    )
