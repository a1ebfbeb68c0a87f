"""Draw F1 against sample size: one panel per network, one line per learner, with its SD as shading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from stablebn.learners.registry import title_of
from stablebn.plotting.colours import Look, looks_of
from stablebn.plotting.matplotlib_figures import new_figure
from stablebn.study.tables.panels import tidy
from stablebn.study.tables.summary import Experiments

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

THINNEST, THICKER = 1.2, 0.4
MOST_ABOVE = 4
"""The most learners in a legend above the panels; more are listed beside them."""


def f1_by_size(experiments: Experiments, learners: tuple[str, ...], names: Mapping[str, str]) -> Figure:
    """Draw the panels.

    Parameters
    ----------
    experiments : Experiments
    learners : tuple of str
        Each line is drawn over those before it, and thinner, so that lines that coincide are all visible.
    names : mapping of str to str
        The title of the panel of each network, in the order of the panels.
    """
    networks = [network for network in names if network in experiments.networks]
    # Three or four columns, whichever leaves fewer panels empty.
    across = min(len(networks), min((4, 3), key=lambda width: -len(networks) % width))
    down = -(-len(networks) // across)
    beside = len(learners) > MOST_ABOVE
    figure = new_figure(
        2.1 * across + (2.5 if beside else 0.3), max(1.5 * down + 0.8, 0.22 * len(learners) if beside else 0)
    )
    panels = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).flatten()
    looks = looks_of(learners)
    for index, (panel, network) in enumerate(zip(panels, networks, strict=False)):
        _draw_network(panel, experiments.of_networks([network]), looks)
        tidy(panel, names[network], index if len(networks) > 1 else None)
    for index, panel in enumerate(panels):
        panel.set_visible(index < len(networks))
        # The lowest panel of each column has the labels, also if the last row is not full.
        panel.tick_params(labelbottom=index + across >= len(networks))
    panels[0].set(xscale="log", ylim=(-0.04, 1.04))
    figure.supxlabel("rows", fontsize=9)
    figure.supylabel("F1 of the CPDAG", fontsize=9)
    lines, labels = panels[0].get_legend_handles_labels()
    figure.legend(
        lines,
        labels,
        loc="outside right center" if beside else "outside upper center",
        ncols=1 if beside else len(labels),
        frameon=False,
        fontsize=9,
    )
    return figure


def _draw_network(panel: Axes, experiments: Experiments, looks: Mapping[str, Look]) -> None:
    for number, (learner, look) in enumerate(looks.items()):
        trials = sorted(experiments.trials(learner), key=lambda trial: trial.sample.rows)
        known = [(trial.sample.rows, f1) for trial in trials if (f1 := trial.mean_sd["f1"]) is not None]
        rows, means = [size for size, _ in known], [f1.mean for _, f1 in known]
        bands = [band(f1.mean, f1.sd or 0.0) for _, f1 in known]
        width = THINNEST + THICKER * min(len(looks) - 1 - number, 3)
        panel.plot(
            rows,
            means,
            look.line,
            color=look.colour,
            linewidth=width,
            marker=look.marker,
            markersize=width + 2,
            label=title_of(learner),
        )
        panel.fill_between(
            rows, [low for low, _ in bands], [high for _, high in bands], color=look.colour, alpha=0.18, linewidth=0
        )
    panel.grid(color="0.92", linewidth=0.6)


def band(mean: float, sd: float) -> tuple[float, float]:
    """Return one SD to either side, limited to the range of F1.

    >>> band(0.5, 0.25), band(0.875, 0.25)
    ((0.25, 0.75), (0.625, 1.0))
    """
    return max(0.0, mean - sd), min(1.0, mean + sd)
