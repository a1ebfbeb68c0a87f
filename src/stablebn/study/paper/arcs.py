"""Draw the arcs that hill climbing and Tabu learn for Asia, numbered by the step that added them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

from stablebn.api.learn import learn_without_signals
from stablebn.graph import compare
from stablebn.networks.model import Network
from stablebn.plotting.colours import BLUE, ORANGE, PALE, VERMILION
from stablebn.plotting.matplotlib_figures import new_figure
from stablebn.result.result import Result
from stablebn.study.tables.panels import tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

ROWS, SEED = 10_000, 1
CLIMBS = {"hc": "HC, columns in alphabetic order", "tabu-stable": "Tabu-Stable, columns in any order"}

# The positions of the nodes: roots at the top, as in the drawings of the network since 1988.
PLACES = {
    "asia": (0.0, 3.0),
    "smoke": (2.6, 3.0),
    "tub": (0.0, 2.0),
    "lung": (1.6, 2.0),
    "bronc": (3.6, 2.0),
    "either": (0.8, 1.0),
    "xray": (0.2, 0.0),
    "dysp": (2.6, 0.0),
}

NODE = (0.66, 0.3)
DASHES: Any = (0, (3, 2))

RIGHT, TURNED, EXTRA, MISSING = "as in the true graph", "otherwise directed", "not in the true graph", "not found"
COLOURS = {RIGHT: BLUE, TURNED: ORANGE, EXTRA: VERMILION, MISSING: PALE}


def arcs_of_asia(network: Network) -> Figure:
    """Draw what HC and Tabu-Stable learn from a sample of Asia."""
    table = network.sample(ROWS, seed=SEED)
    table = table.select(sorted(table.column_names))
    figure = new_figure(9, 4.3)
    panels = figure.subplots(1, len(CLIMBS))
    for index, (panel, (algorithm, title)) in enumerate(zip(panels, CLIMBS.items(), strict=True)):
        _draw_graph(panel, network, learn_without_signals(table, algorithm))
        tidy(panel, title, index)
    _draw_legend(figure)
    return figure


def steps_of(result: Result) -> dict[tuple[Hashable, Hashable], int]:
    """Return the step of the search that added each learned arc, or reversed it last."""
    trace = result.trace
    steps: dict[tuple[Hashable, Hashable], int] = {}
    # Tabu search goes on after the best graph, so only the steps up to it count.
    best = max(range(len(trace)), key=lambda index: trace.score[index], default=-1)
    for index in range(best + 1):
        arc = (trace.source[index], trace.target[index])
        if trace.move[index] == "add":
            steps[arc] = index + 1
        else:
            del steps[arc]
        if trace.move[index] == "reverse":
            steps[arc[::-1]] = index + 1
    return steps


def undecided(result: Result) -> set[frozenset[Hashable]]:
    """Return the pairs that are undirected in the CPDAG."""
    cpdag = result.cpdag
    return set() if cpdag is None else {frozenset(edge) for edge in cpdag.undirected}


def judge(result: Result, network: Network) -> dict[frozenset[Hashable], str]:
    """Compare the CPDAGs of the learned and the true graph for every pair that is adjacent in one of them."""
    verdicts = {frozenset(arc): RIGHT for arc in result.arcs}
    for edge in compare(result, network.dag).edges:
        verdicts[frozenset((edge.a, edge.b))] = EXTRA if not edge.true else TURNED if edge.learned else MISSING
    return verdicts


def _draw_graph(panel: Axes, network: Network, result: Result) -> None:
    verdicts = judge(result, network)
    boxes = {node: _draw_node(panel, node) for node in PLACES}
    for arc in network.arcs:
        if verdicts[frozenset(arc)] == MISSING:
            _draw_arc(panel, boxes, arc, PALE)
    reversible = undecided(result)
    for arc, step in steps_of(result).items():
        colour = COLOURS[verdicts[frozenset(arc)]]
        _draw_arc(panel, boxes, arc, colour, dashed=frozenset(arc) in reversible)
        _draw_number(panel, arc, colour, step)
    panel.set(xlim=(-0.5, 4.1), ylim=(-0.3, 3.3))
    panel.set_axis_off()


def _draw_node(panel: Axes, node: str) -> Patch:
    from matplotlib.patches import FancyBboxPatch

    x, y = PLACES[node]
    width, height = NODE
    box = FancyBboxPatch(
        (x - width / 2, y - height / 2),
        width,
        height,
        boxstyle="round,pad=0,rounding_size=0.1",
        facecolor="white",
        edgecolor="0.35",
        linewidth=0.9,
    )
    panel.add_patch(box)
    panel.text(x, y, node, ha="center", va="center_baseline", fontsize=9)
    return box


def _draw_arc(
    panel: Axes, boxes: Mapping[str, Patch], arc: tuple[Hashable, Hashable], colour: str, *, dashed: bool = False
) -> None:
    from matplotlib.patches import FancyArrowPatch

    source, target = map(str, arc)
    arrow = FancyArrowPatch(
        PLACES[source],
        PLACES[target],
        patchA=boxes[source],
        patchB=boxes[target],
        shrinkA=1,
        shrinkB=2,
        arrowstyle="-|>",
        mutation_scale=13,
        color=colour,
        linewidth=1.8,
        linestyle=DASHES if dashed else "-",
    )
    panel.add_patch(arrow)


def _draw_number(panel: Axes, arc: tuple[Hashable, Hashable], colour: str, number: int) -> None:
    """Write a number in the middle of an arc."""
    (x0, y0), (x1, y1) = (PLACES[str(node)] for node in arc)
    panel.text(
        (x0 + x1) / 2,
        (y0 + y1) / 2,
        str(number),
        ha="center",
        va="center",
        fontsize=8.5,
        fontweight="bold",
        color=colour,
        bbox={"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": "none"},
    )


def _draw_legend(figure: Figure) -> None:
    from matplotlib.lines import Line2D

    keys = {what: Line2D([], [], color=colour, linewidth=1.8) for what, colour in COLOURS.items()}
    keys["either direction: the data cannot tell"] = Line2D([], [], color="0.3", linewidth=1.8, linestyle=DASHES)
    keys["step of the search that added or last turned it"] = Line2D(
        [], [], color="0.3", linestyle="", marker="$5$", markersize=6
    )
    figure.legend(list(keys.values()), list(keys), loc="outside lower center", ncols=3, frameon=False, fontsize=8.5)
