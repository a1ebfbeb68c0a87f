"""Test the plots of edge frequencies."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from stablebn.graph import PDAG
from stablebn.plotting.edge_bars import MOST_EDGES, EdgeBar, draw_edge_bars
from stablebn.plotting.heat_map import draw_heat_map
from stablebn.resampling.stability_result import Stability

LAYOUTS = 8


def _audit(edges: int) -> Stability:
    """Return a stability result whose layouts agree on half of the edges; the scores are long numbers."""
    nodes = [f"variable {number}" for number in range(40)]
    pairs = list(combinations(nodes, 2))[:edges]
    graphs = tuple(
        PDAG(nodes, [pair if place % 2 or layout % 3 else pair[::-1] for place, pair in enumerate(pairs)], [])
        for layout in range(LAYOUTS)
    )
    scores = tuple(-1234567.25 - layout / 64 for layout in range(LAYOUTS))
    return Stability("tabu", 500, ("columns",), 0, "bic", graphs, scores, None, (), times=(0.5,) * LAYOUTS)


def _texts(figure: Figure) -> list[tuple[str, Bbox]]:
    """Return all texts of a figure with their positions."""
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text) and text.get_visible() and text.get_text()]
    return [(text.get_text(), text.get_window_extent(renderer)) for text in texts]


def _overlapping(figure: Figure) -> list[tuple[str, str]]:
    return [(one, other) for (one, a), (other, b) in combinations(_texts(figure), 2) if _overlap(a, b)]


def _overlap(a: Bbox, b: Bbox) -> bool:
    wide = min(a.x1, b.x1) - max(a.x0, b.x0)
    high = min(a.y1, b.y1) - max(a.y0, b.y0)
    # The boxes of texts have margins above and below.
    return bool(wide > 1 and high > 2.5)


def _cells(figure: Figure) -> Any:
    cells: Any = figure.axes[0].images[0].get_array()
    return np.ma.getdata(cells)


def _bars(figure: Figure) -> list[Axes]:
    return [panel for panel in figure.axes if panel.patches]


@pytest.mark.parametrize("edges", [1, 10, 41, 60, 300])
def test_every_edge_has_its_bar_and_no_words_overlap(edges: int) -> None:
    figure = _audit(edges).plot()
    labels = [label.get_text() for panel in _bars(figure) for label in panel.get_yticklabels()]
    assert len(labels) == len(set(labels)) == edges
    assert _overlapping(figure) == []
    width, height = figure.get_size_inches() * figure.dpi
    assert all(box.x0 >= 0 and box.x1 <= width and box.y0 >= 0 and box.y1 <= height for _, box in _texts(figure))


def test_edges_that_are_always_found_are_shown() -> None:
    figure = _audit(60).plot()
    (dark,) = {panel.containers[0].get_label() for panel in _bars(figure)}
    full = sum(bool(bar.get_width() == 1) for panel in _bars(figure) for bar in panel.containers[0])
    assert (dark, full) == ("as written", 30)


def test_of_very_many_edges_those_that_agree_least_are_shown_and_the_rest_is_counted() -> None:
    audit = _audit(MOST_EDGES + 100)
    figure = audit.plot()
    assert sum(len(panel.get_yticklabels()) for panel in _bars(figure)) == MOST_EDGES
    assert "100 more" in " ".join(text for text, _ in _texts(figure)).replace("\n", " ")
    shown = {label.get_text() for panel in _bars(figure) for label in panel.get_yticklabels()}
    doubtful = [edge for edge in audit.edges if edge.agreement < LAYOUTS]
    assert {EdgeBar(*edge).label for edge in doubtful} <= shown


def test_a_learner_has_its_title_and_others_their_own_names() -> None:
    assert any(text.startswith("The layout decides") and "\nTabu: " in text for text, _ in _texts(_audit(5).plot()))


def test_an_audit_that_found_no_edges_is_drawn() -> None:
    assert _overlapping(_audit(0).plot()) == []
    assert _overlapping(_audit(0).plot(kind="map")) == []


def test_names_are_not_formulas_and_long_ones_are_cut() -> None:
    bar = EdgeBar("$x_1$", "long name " * 20, 3, 0, 0)
    figure, panels, _ = draw_edge_bars([bar], 4, title="$t_1$", subtitle="")
    assert [label.get_text() for label in panels[0].get_yticklabels()] == [bar.label]
    assert len(bar.label) < 40
    assert not any(text.get_parse_math() for text in figure.findobj(Text) if "$" in text.get_text())


@pytest.mark.parametrize("nodes", [1, 8, 37, 109])
def test_a_map_has_a_cell_for_every_arc_and_labels_that_do_not_overlap(nodes: int) -> None:
    names = [f"variable {number:03}" for number in range(nodes)]
    shares: dict[tuple[object, object], float] = {
        (a, b): (place % 10 + 1) / 10 for place, (a, b) in enumerate(combinations(names, 2))
    }
    figure = draw_heat_map(names, shares, title="What is shown", legend="of 10 layouts")
    cells = _cells(figure)
    assert {(names[i], names[j]): cells[i, j] for i, j in zip(*np.nonzero(cells), strict=True)} == shares
    assert _overlapping(figure) == []


def test_directions_of_an_audit_are_in_opposite_cells() -> None:
    audit = _audit(4)
    names = sorted(audit.learned[0].nodes, key=str)
    cells = _cells(audit.plot(kind="map"))
    for edge in audit.edges:
        a, b = names.index(edge.a), names.index(edge.b)
        assert (cells[a, b], cells[b, a]) == (edge.forward / LAYOUTS, edge.backward / LAYOUTS)
