"""The figures of a study."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from stablebn.networks.asia import asia
from stablebn.study.paper.arcs import ROWS, arcs_of_asia
from stablebn.study.paper.paper import SCORE_SEARCHERS, PaperStudy
from stablebn.study.paper.published import CATEGORICAL, CONTINUOUS, Figures
from stablebn.study.tables.accuracy import accuracy_by_size
from stablebn.study.tables.curves import f1_by_size
from stablebn.study.tables.dots import score_dots
from stablebn.study.tables.panels import Picture
from stablebn.study.tables.side_by_side import learners_side_by_side
from stablebn.study.tables.summary import Experiments

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CURVES = ("tabu", "tabu-dec", "tabu-inc", "tabu-stable")
"""Drawn in this order."""

_KINDS = ("categorical", "continuous")
_ALL_KINDS = (*_KINDS, "mixed")
CAPTIONS = {
    **{
        f"f1-{kind}": f"F1 of the CPDAGs learned from {kind} data against the number of rows, a panel a network. "
        "Lines are means over randomised layouts of the table, shading is one SD to either side, between 0 and 1. "
        "Lines that coincide are drawn over each other, the later ones thinner."
        for kind in _ALL_KINDS
    },
    **{
        f"{name}-{kind}": f"Learners on {kind} data: means over networks and sample sizes of the metrics and of their "
        "SD over randomised layouts; an SD that is exactly 0 is written as 0. Normalised BIC is shown by how far "
        "it is below that of the best learner, for learners with a score in every experiment. It and the seconds have "
        "logarithmic axes. Colours are those of the learners in all figures."
        for name in ("algorithms", "learners")
        for kind in _ALL_KINDS
    },
    "bic": "Normalised BIC by network: that of each learner less that of Tabu-Stable, means over sample sizes. Hollow: "
    "the paper's, of which HC-Stable's for Insurance is a slip of its table.",
    "more-score": "Accuracy and score against the number of rows, for learners that search for a high score: means "
    "over networks and layouts.",
    "asia-arcs": f"What HC and Tabu-Stable learn from {ROWS:,} rows of Asia. The number on an arc is the step of the "
    "search at which it was added, or turned last; steps whose arc was removed again are not seen. Colours compare "
    "the equivalence classes (CPDAGs) of the learned graph and the true one; an arc is dashed where the class of the "
    "learned graph leaves its direction open.",
}
"""Of every figure, by the name of its files."""


def paper_pictures(study: PaperStudy, published: Figures) -> list[Picture]:
    """The figures of the paper of which there is something to show."""
    pictures = []
    for kind, names in (("categorical", CATEGORICAL), ("continuous", CONTINUOUS)):
        if (orderings := study.orderings(kind)).samples:
            pictures.append(_picture(f"f1-{kind}", partial(f1_by_size, orderings, CURVES, names)))
    for kind in _KINDS:
        if (comparison := study.comparison(kind)).samples:
            marks = published.get(f"algorithms_{kind}", {})
            pictures.append(_picture(f"algorithms-{kind}", partial(learners_side_by_side, comparison, marks)))
    scores = {kind: study.scores_by_network(kind) for kind in _KINDS if study.scores(kind).samples}
    if scores:
        theirs = {kind: published.get(f"normalised_bic_{kind}", {}) for kind in scores}
        pictures.append(_picture("bic", partial(score_dots, scores, theirs)))
    searches = {kind: own for kind in _KINDS if (own := study.searches(kind)).samples and "best" in own.learners}
    if searches:
        pictures.append(_picture("more-score", partial(accuracy_by_size, searches, SCORE_SEARCHERS)))
    return [*pictures, _picture("asia-arcs", partial(arcs_of_asia, asia()))]


def general_pictures(experiments: Experiments) -> list[Picture]:
    """The figures of any study: F1 by sample size, and the learners side by side."""
    pictures = []
    for kind, own in experiments.by_kind().items():
        names = {network: network for network in own.networks}
        pictures.append(_picture(f"f1-{kind}", partial(f1_by_size, own, own.learners, names)))
        if (shared := own.shared_by(own.learners)).samples:
            pictures.append(_picture(f"learners-{kind}", partial(learners_side_by_side, shared, {})))
    return pictures


def _picture(name: str, draw: Callable[[], Figure]) -> Picture:
    return Picture(name, CAPTIONS[name], draw)
