"""Define the figures of any study: F1 by sample size, and the learners side by side."""

from __future__ import annotations

from functools import partial

from stablebn.study.tables.curves import f1_by_size
from stablebn.study.tables.panels import Picture
from stablebn.study.tables.side_by_side import learners_side_by_side
from stablebn.study.tables.summary import Experiments

KINDS = ("categorical", "continuous", "mixed")

F1_CAPTIONS = {
    f"f1-{kind}": f"F1 of the CPDAGs learned from {kind} data against the number of rows, one panel per network. "
    "Lines are means over randomised layouts of the table, shading is one SD to either side, between 0 and 1. "
    "Lines that coincide are drawn over each other, the later ones thinner."
    for kind in KINDS
}


def side_by_side_captions(name: str) -> dict[str, str]:
    """Return the captions of the figures NAME-KIND with learners side by side."""
    return {
        f"{name}-{kind}": f"Learners on {kind} data: means over networks and sample sizes of the metrics and of their "
        "SD over randomised layouts; an SD that is exactly 0 is written as 0. Normalised BIC is shown by how far "
        "it is below that of the best learner, for learners with a score in every experiment. It and the seconds have "
        "logarithmic axes. Colours are those of the learners in all figures."
        for kind in KINDS
    }


GENERAL_CAPTIONS = {**F1_CAPTIONS, **side_by_side_captions("learners")}
"""The caption of every figure, by the name of its files."""


def general_pictures(experiments: Experiments) -> list[Picture]:
    """Return the figures of any study."""
    pictures = []
    for kind, of_kind in experiments.by_kind().items():
        names = {network: network for network in of_kind.networks}
        draw_f1 = partial(f1_by_size, of_kind, of_kind.learners, names)
        pictures.append(Picture(f"f1-{kind}", GENERAL_CAPTIONS[f"f1-{kind}"], draw_f1))
        if (shared := of_kind.shared_by(of_kind.learners)).samples:
            draw_learners = partial(learners_side_by_side, shared, {})
            pictures.append(Picture(f"learners-{kind}", GENERAL_CAPTIONS[f"learners-{kind}"], draw_learners))
    return pictures
