"""Test that an algorithm looks the same in every plot, and that the looks in a plot differ."""

from __future__ import annotations

from stablebn.learners.registry import LEARNERS
from stablebn.plotting.colours import LOOKS, looks_of


def test_every_learner_has_a_look_of_its_own() -> None:
    assert set(LOOKS) == set(LEARNERS)
    assert len(set(LOOKS.values())) == len(LOOKS)


def test_algorithms_of_one_plot_have_different_colours() -> None:
    for together in (
        ("tabu", "tabu-dec", "tabu-inc", "tabu-stable"),
        ("best", "tabu-inc", "tabu", "tabu-dec", "hc-stable", "hc", "tabu-stable"),
        ("hc", "tabu", "hc-stable", "tabu-stable", "fges", "best", "exact"),
    ):
        assert len({LOOKS[name].colour for name in together}) == len(together)


def test_a_look_does_not_depend_on_the_other_labels() -> None:
    alone = looks_of(["my own"])["my own"]
    assert looks_of(["hc", "my own", "tabu"])["my own"] == alone
    assert looks_of(["tabu", "my own"])["tabu"] == LOOKS["tabu"]


def test_a_variant_has_the_colour_of_its_learner_and_another_line() -> None:
    looks = looks_of(["fges", "fges (stable order)", "fges, strict"])
    assert {look.colour for look in looks.values()} == {LOOKS["fges"].colour}
    assert len(set(looks.values())) == 3


def test_many_other_labels_have_different_looks() -> None:
    labels = [f"learner {number}" for number in range(40)]
    assert len(set(looks_of(labels).values())) == 40
