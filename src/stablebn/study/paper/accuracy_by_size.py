"""Draw score and accuracy against sample size: one row of panels per kind of data, one line per learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from stablebn.learners.registry import title_of
from stablebn.plotting.colours import looks_of
from stablebn.plotting.matplotlib_figures import new_figure
from stablebn.study.tables.panels import tidy
from stablebn.study.tables.summary import Experiments

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS = {"f1": "F1", "bsf": "BSF", "shd": "SHD (less is better)", "normalised_bic": "norm. BIC below the highest"}


def accuracy_by_size(by_kind: Mapping[str, Experiments], learners: Sequence[str]) -> Figure:
    """Draw the panels.

    Parameters
    ----------
    by_kind : mapping of kind to Experiments
        Experiments that all the learners have run on.
    learners : sequence of str
        Later learners are drawn over those before them.
    """
    figure = new_figure(10.4, 2.4 * len(by_kind) + 0.5)
    panels = figure.subplots(len(by_kind), len(PANELS), sharex=True, squeeze=False)
    for down, (kind, experiments) in enumerate(by_kind.items()):
        for across, (metric, title) in enumerate(PANELS.items()):
            panel = panels[down][across]
            _draw_metric(panel, experiments, metric, learners)
            tidy(panel, title, down * len(PANELS) + across)
        panels[down][0].set_ylabel(f"{kind} networks", fontsize=9)
    figure.supxlabel("rows", fontsize=9)
    lines, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(lines, labels, loc="outside upper center", ncols=len(labels), frameon=False, fontsize=9)
    return figure


def _draw_metric(panel: Axes, experiments: Experiments, metric: str, learners: Sequence[str]) -> None:
    by_size = {size: experiments.of_size(size) for size in experiments.sizes}
    values = {
        learner: [experiments_of_size.mean(learner, metric) for experiments_of_size in by_size.values()]
        for learner in learners
        if learner in experiments.learners
    }
    if metric == "normalised_bic":
        # Scores of different sizes are far apart, so their distance from the best of each size is shown.
        highest = [max(value for value in known if value is not None) for known in zip(*values.values(), strict=True)]
        values = {
            learner: [None if value is None else top - value for value, top in zip(means, highest, strict=True)]
            for learner, means in values.items()
        }
    for learner, look in looks_of(values).items():
        panel.plot(
            list(by_size),
            [float("nan") if value is None else value for value in values[learner]],
            look.line,
            color=look.colour,
            linewidth=1.5,
            marker=look.marker,
            markersize=4.5,
            label=title_of(learner),
        )
    panel.set_xscale("log")
    panel.set_ylim(bottom=0)
    panel.grid(color="0.92", linewidth=0.6)
