"""Draw learners side by side: one panel per metric, one dot per learner, published numbers as marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from stablebn.learners.registry import title_of
from stablebn.plotting.colours import BLACK, looks_of
from stablebn.plotting.matplotlib_figures import new_figure
from stablebn.study.tables.panels import tidy
from stablebn.study.tables.study_table import Grid, Value
from stablebn.study.tables.summary import Experiments, Statistic

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Panel(NamedTuple):
    """The title and the metric of a panel, and whether its axis is logarithmic."""

    title: str
    metric: str
    statistic: Statistic
    logarithmic: bool = False


# The keys are the columns of published tables.
PANELS = {
    "f1": Panel("F1", "f1", "mean"),
    "precision": Panel("Precision", "precision", "mean"),
    "recall": Panel("Recall", "recall", "mean"),
    "bsf": Panel("BSF", "bsf", "mean"),
    "f1_sd": Panel("SD of F1", "f1", "sd"),
    "normalised_bic_sd": Panel("SD of norm. BIC", "normalised_bic", "sd"),
    # Score-based learners differ by about 0.01, others are several units below.
    "normalised_bic": Panel("Norm. BIC below the best", "normalised_bic", "mean", logarithmic=True),
    "seconds": Panel("Seconds", "seconds", "mean", logarithmic=True),
}
NumberOf: TypeAlias = dict[str, float | None]
"""A number for each learner."""

ACROSS = 4
FADED = 0.4
DOT: dict[str, Any] = {"markersize": 6, "markeredgewidth": 1.4, "linestyle": "", "clip_on": False, "zorder": 3}
MARK: dict[str, Any] = {
    "marker": "|",
    "linestyle": "",
    "color": BLACK,
    "markersize": 8,
    "markeredgewidth": 1.2,
    "clip_on": False,
    "zorder": 4,
}


def learners_side_by_side(experiments: Experiments, published: Grid) -> Figure:
    """Draw the panels.

    Parameters
    ----------
    experiments : Experiments
        Experiments that all learners have run on.
    published : Grid
        Published numbers by learner; empty: no marks.
    """
    learners = experiments.learners
    down = -(-len(PANELS) // ACROSS)
    figure = new_figure(10, down * (0.9 + 0.2 * len(learners)) + 0.5)
    panels = figure.subplots(down, ACROSS, sharey=True, squeeze=False).flatten()
    for index, (axes, (key, panel)) in enumerate(zip(panels, PANELS.items(), strict=True)):
        theirs = {learner: _number(figures.get(key)) for learner, figures in published.items()}
        _draw_metric(axes, experiments, panel, theirs)
        tidy(axes, panel.title, index)
    panels[0].set_yticks(range(len(learners)), list(map(title_of, learners)), parse_math=False)
    panels[0].set_ylim(len(learners) - 0.4, -0.6)
    _draw_legend(figure, bool(published))
    return figure


def _number(value: Value) -> float | None:
    return None if isinstance(value, str) else value


def is_stable(experiments: Experiments, learner: str) -> bool:
    """Check whether all layouts gave the same graph, in every experiment."""
    return all(trial.graphs == 1 for trial in experiments.trials(learner) if trial.done)


def _draw_metric(axes: Axes, experiments: Experiments, panel: Panel, theirs: NumberOf) -> None:
    _, metric, statistic, logarithmic = panel
    learners = experiments.learners
    ours = {learner: experiments.mean(learner, metric, statistic) for learner in learners}
    complete = [learner for learner in ours if experiments.is_complete(learner, metric, statistic)]
    is_score = (metric, statistic) == ("normalised_bic", "mean")
    if is_score:
        # Scores are far from 0 and near each other, so their distance from the best is shown.
        ours, theirs = (
            below_best({learner: figures.get(learner) for learner in complete}) for figures in (ours, theirs)
        )
    axes.grid(axis="y", color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    if logarithmic:
        axes.set_xscale("log")
    looks = looks_of(learners)
    for row, learner in enumerate(learners):
        value, mark = ours.get(learner), theirs.get(learner)
        if value is None:
            _write_beside_axis(axes, row, "n/a")
        elif value == 0 and (statistic == "sd" or is_score):
            _write_beside_axis(axes, row, "the best" if is_score else "0")
        else:
            colour, alpha = looks[learner].colour, 1 if learner in complete else FADED
            face = colour if is_stable(experiments, learner) else "white"
            axes.plot(value, row, "o", color=colour, markerfacecolor=face, alpha=alpha, **DOT)
        # A logarithmic axis cannot show 0.
        if mark is not None and (mark or not logarithmic):
            axes.plot(mark, row, **MARK)
    if not logarithmic:
        axes.set_xlim(left=0)
        # Few short tick labels, so that they do not touch those of the next panel.
        axes.locator_params(axis="x", nbins=4)
        axes.xaxis.set_major_formatter("{x:g}")


def _write_beside_axis(axes: Axes, row: int, text: str) -> None:
    """Write text so far from the axis that a mark at 0 does not cover it."""
    axes.annotate(
        text,
        (0, row),
        (8, 0),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        va="center",
        fontsize=7,
        color="0.3",
    )


def below_best(values: NumberOf) -> NumberOf:
    """Return how far each value is below the maximum.

    >>> below_best({"a": -2.0, "b": -5.0, "c": None})
    {'a': 0.0, 'b': 3.0, 'c': None}
    """
    best = max((value for value in values.values() if value is not None), default=0.0)
    return {learner: None if value is None else best - value for learner, value in values.items()}


def _draw_legend(figure: Figure, has_published: bool) -> None:
    from matplotlib.lines import Line2D

    grey = {"color": "0.35", "marker": "o", **DOT}
    keys = {
        "one graph from all layouts, in every experiment": Line2D([], [], **grey),
        "hollow: the layout decides": Line2D([], [], markerfacecolor="white", **grey),
        "faded: no such figure in some experiments": Line2D([], [], alpha=FADED, **grey),
    }
    if has_published:
        keys["the paper's"] = Line2D([], [], **MARK)
    figure.legend(
        list(keys.values()), list(keys), loc="outside upper center", ncols=len(keys), frameon=False, fontsize=8.5
    )
