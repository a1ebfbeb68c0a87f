from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from tests.tables import random_categorical_table

from stablebn.kernels import notebook as kernel
from stablebn.scores.notebook import Notebook
from stablebn.scores.registry import ScoreConfig, family_scores
from stablebn.stats import joint
from stablebn.stats.counts import Counts
from stablebn.stats.variable_sets import bit, to_words

N = 7
FAMILIES = [(child, parents) for parents in range(1, 1 << N) for child in range(N) if not parents & bit(child)]


def _words(parents: int) -> np.ndarray:
    return np.array(to_words(parents, N), dtype=np.uint64)


def _find(notebook: Notebook, child: int, parents: int) -> int:
    return int(kernel.find_family(child, _words(parents), *notebook.families[:2]))


def _work_out(notebook: Notebook, child: int, parents: int) -> int:
    return int(
        kernel.work_out(child, _words(parents), *notebook.families, *notebook.tables, notebook.used, *notebook.source)
    )


@pytest.mark.parametrize("most_bytes", [1 << 28, 1 << 12])
def test_families_worked_out_there_are_those_of_the_score(most_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint, "_SMALL_COST", 1e15)
    monkeypatch.setattr(joint, "MOST_BYTES", most_bytes)
    scores = family_scores(random_categorical_table(np.random.default_rng(3), N, 200), ScoreConfig("bic"))
    notebook = scores.new_notebook()
    there = 0
    for child, parents in FAMILIES:
        assert _find(notebook, child, parents) < 0
        while notebook.make_room():
            pass
        family = _work_out(notebook, child, parents)
        if family < 0:
            continue
        there += 1
        own, changes = scores.changes(child, parents)
        assert notebook.score(family) == own
        assert (notebook.families[2][family] == changes).all()
    # Of the largest tables some are better counted otherwise.
    assert there > len(FAMILIES) / 3
    # They have moved several times, and are still found.
    assert len(notebook.families[0]) > 2 * (4 * N + 64)


def test_families_without_parents_are_there_from_the_start() -> None:
    scores = family_scores(random_categorical_table(np.random.default_rng(3), N, 200), ScoreConfig("bde"))
    notebook = scores.new_notebook()
    for child in range(N):
        assert _find(notebook, child, 0) == child
        assert notebook.score(child) == scores.family(child, 0)
        assert (notebook.families[2][child] == scores.changes(child, 0)[1]).all()


def test_what_is_noted_is_found_after_every_move() -> None:
    scores = family_scores(random_categorical_table(np.random.default_rng(3), N, 50), ScoreConfig("k2"))
    notebook = scores.new_notebook()
    for child, parents in FAMILIES:
        assert _work_out(notebook, child, parents) < 0
        notebook.make_room()
        notebook.add(child, _words(parents), partial(scores.write_changes, child, parents))
    for child, parents in FAMILIES:
        assert notebook.score(_find(notebook, child, parents)) == scores.family(child, parents)


def test_a_table_of_the_notebook_is_the_joint_table() -> None:
    table = random_categorical_table(np.random.default_rng(3), N, 200)
    notebook = family_scores(table, ScoreConfig("bic")).new_notebook()
    assert notebook.table(0b10110) is None
    assert _work_out(notebook, 1, 0b10100) >= 0
    found = notebook.table(0b10110)
    counts = Counts(table)
    right = counts.tables.table(0b10110)
    assert found is not None
    assert right is not None
    assert found.members.tolist() == right.members.tolist()
    assert (found.sizes == right.sizes).all()
    assert (found.counts == right.counts).all()
