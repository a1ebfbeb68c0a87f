"""Define the figures of the paper's study."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from stablebn.networks.asia import asia
from stablebn.study.paper.accuracy_by_size import accuracy_by_size
from stablebn.study.paper.arcs import ROWS, arcs_of_asia
from stablebn.study.paper.paper import KINDS, SCORE_SEARCHERS, PaperStudy
from stablebn.study.paper.published import CATEGORICAL, CONTINUOUS, NumberTables
from stablebn.study.paper.score_dots import score_dots
from stablebn.study.tables.curves import f1_by_size
from stablebn.study.tables.general_figures import F1_CAPTIONS, side_by_side_captions
from stablebn.study.tables.panels import Picture
from stablebn.study.tables.side_by_side import learners_side_by_side

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CURVES = ("tabu", "tabu-dec", "tabu-inc", "tabu-stable")
"""The learners of the F1 curves, in the order in which they are drawn."""

PAPER_CAPTIONS = {
    **F1_CAPTIONS,
    **side_by_side_captions("algorithms"),
    "bic": "Normalised BIC by network: that of each learner less that of Tabu-Stable, means over sample sizes. Hollow: "
    "the published numbers; that of HC-Stable for Insurance is an error in the paper.",
    "more-score": "Accuracy and score against the number of rows, for learners that search for a high score: means "
    "over networks and layouts.",
    "asia-arcs": f"What HC and Tabu-Stable learn from {ROWS:,} rows of Asia. The number on an arc is the step of the "
    "search at which it was added, or turned last; steps whose arc was removed again are not seen. Colours compare "
    "the equivalence classes (CPDAGs) of the learned graph and the true one; an arc is dashed where the class of the "
    "learned graph leaves its direction open.",
}
"""The caption of every figure, by the name of its files."""


def paper_pictures(study: PaperStudy, published: NumberTables) -> list[Picture]:
    """Return the figures of the paper for which there are results."""
    pictures = []
    for kind, names in (("categorical", CATEGORICAL), ("continuous", CONTINUOUS)):
        if (orderings := study.orderings(kind)).samples:
            pictures.append(_picture(f"f1-{kind}", partial(f1_by_size, orderings, CURVES, names)))
    for kind in KINDS:
        if (comparison := study.comparison(kind)).samples:
            marks = published.get(f"algorithms_{kind}", {})
            pictures.append(_picture(f"algorithms-{kind}", partial(learners_side_by_side, comparison, marks)))
    scores = {kind: study.scores_by_network(kind) for kind in KINDS if study.scores(kind).samples}
    if scores:
        published_scores = {kind: published.get(f"normalised_bic_{kind}", {}) for kind in scores}
        pictures.append(_picture("bic", partial(score_dots, scores, published_scores)))
    searches = {
        kind: experiments
        for kind in KINDS
        if (experiments := study.searches(kind)).samples and "best" in experiments.learners
    }
    if searches:
        pictures.append(_picture("more-score", partial(accuracy_by_size, searches, SCORE_SEARCHERS)))
    return [*pictures, _picture("asia-arcs", partial(arcs_of_asia, asia()))]


def _picture(name: str, draw: Callable[[], Figure]) -> Picture:
    return Picture(name, PAPER_CAPTIONS[name], draw)
