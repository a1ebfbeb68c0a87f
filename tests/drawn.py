"""What can be learned with what, and how tests draw from it: every purpose from a stream of its own.

One seed for learner, kind and score would tie them together: `seed % 12` and `seed % 3` meet in a third of all pairs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pytest

SCORES = {
    "categorical": ("bic", "aic", "loglik", "bde", "bds", "k2", "qnml", "dg", "basis"),
    "continuous": ("bic", "aic", "loglik", "bge", "dg", "basis"),
    "mixed": ("bic", "aic", "loglik", "dg", "basis", "adaptive"),
}
TESTS = {"categorical": ("mi", "mi-adf", "x2"), "continuous": ("cor", "zf", "mi-g"), "mixed": ("mi-cg",)}
KINDS = tuple(SCORES)
PURE = ("categorical", "continuous")

CLIMBING = ("tabu-stable", "hc-stable", "tabu", "hc", "tabu-dec", "tabu-inc", "hc-dec", "hc-inc")
TESTING = ("pc-stable", "gs", "inter-iamb")
HYBRID = ("mmhc", "h2pc")
LEARNERS = (*CLIMBING, *TESTING, *HYBRID, "fges", "best", "averaged", "exact")
# All but the one that draws rows one by one: it needs them in memory, and not more than 2**28.
FROM_ANYWHERE = tuple(name for name in LEARNERS if name != "averaged")
# Their ties fall to the order of the columns; the others promise one graph for one table.
UNSTABLE = ("tabu", "hc")


# With values missing, a family has its own rows: not all scores and learners can do with that.
SCORES_WITH_MISSING = ("bic", "aic", "loglik")


class Combination(NamedTuple):
    """A learner, a kind of data and a score that is defined for both."""

    algorithm: str
    kind: str
    score: str


def scores_for(algorithm: str, kind: str) -> tuple[str, ...]:
    """The scores that are defined: `fges` needs one that all DAGs of a class share."""
    without = ("adaptive", "bds", "k2", "basis") if algorithm == "fges" else ()
    return tuple(score for score in SCORES[kind] if score not in without)


def combinations(learners: Sequence[str] = LEARNERS, kinds: Sequence[str] = KINDS) -> Iterator[Combination]:
    """All combinations that are defined."""
    for kind in kinds:
        for algorithm in learners:
            for score in scores_for(algorithm, kind):
                yield Combination(algorithm, kind, score)


def thinned(*values: Any, name: str, example: int) -> Any:
    """Return a test case; all examples but the first are slow, so that `make test` runs each combination once."""
    return pytest.param(*values, id=name, marks=[pytest.mark.slow] if example else [])


class Streams:
    """A random generator for every purpose, so that one draw says nothing of another."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._streams: dict[str, random.Random] = {}

    def __getitem__(self, purpose: str) -> random.Random:
        return self._streams.setdefault(purpose, random.Random(f"{self._seed}: {purpose}"))

    def often(self, purpose: str, share: float) -> bool:
        """Whether it happens this time."""
        return self[purpose].random() < share


def takes_holes(combination: Combination) -> bool:
    """Whether missing="available" is defined."""
    return combination.algorithm != "fges" and combination.score in SCORES_WITH_MISSING


def holes_of(streams: Streams, combination: Combination, columns: int, rows: int) -> list[tuple[int, int]]:
    """Draw the columns and rows of the values that are missing: none where that is not defined, and in half the tables.

    The first four rows stay as they are: so many values a continuous column needs.
    """
    used, share = streams.often("holes, used", 0.5), streams["holes, share"].choice((0.03, 0.1, 0.3))
    # Of some columns only, mostly: so some families have all rows.
    some = [column for column in range(columns) if streams["holes, columns"].random() < 0.7]
    drawn = [(column, row) for column in some for row in range(4, rows) if streams["holes"].random() < share]
    return drawn if used and takes_holes(combination) else []


def levels_of(streams: Streams, columns: Mapping[Any, Sequence[Any]]) -> dict[Any, list[str]] | None:
    """Draw levels to declare that no row has, the same number for every column of text; in half the tables none.

    They sort before and after all letters. Which there are depends on the table alone, not on its layout.
    """
    more = streams["levels"].choice(((), (), ("!",), ("!", "~")))
    texts = {name: {value for value in own if isinstance(value, str)} for name, own in columns.items()}
    return {name: [*more, *sorted(own, reverse=True)] for name, own in texts.items() if own} if more else None


def options_of(streams: Streams, combination: Combination, columns: int) -> dict[str, Any]:
    """Draw the options of a learner and a score for a table of so many columns."""
    algorithm, kind, score = combination
    found: dict[str, Any] = {"threads": streams["threads"].choice((1, 2))}

    def perhaps(option: str, values: Sequence[Any], share: float = 0.3) -> None:
        # Drawn whether it is used or not, so that the streams stay apart.
        used, value = streams.often(f"{option}, used", share), streams[option].choice(values)
        if used:
            found[option] = value

    if kind == "mixed":
        perhaps("arcs", ("clg", "any"), 0.5)
    perhaps("prior", ("uniform", "size"))
    if score in ("bic", "aic", "dg", "basis", "adaptive"):
        perhaps("k", (0.5, 0.7, 2.0, 3.25))
    if score in ("bde", "bds"):
        perhaps("iss", (0.3, 2.0, 5, 10.5), 0.5)
    if kind != "categorical" and score != "bge":
        used, value = streams.often("units, used", 0.3), streams["units"].choice((False, True))
        if used:
            found["unit_free"] = value
    if score == "bge":
        perhaps("iss_mu", (0.25, 2.0, 7.5))
        perhaps("iss_w", (columns + 2, columns + 9))
    if score == "basis":
        perhaps("basis_form", ("additive", "block"))
        perhaps("basis_degree", (1, 2, 3))
        perhaps("basis_transform", ("rank", "bounded"))
    if algorithm == "best":
        perhaps("effort", ("low", "normal", "high"), 0.5)
    if algorithm in CLIMBING or algorithm in HYBRID or algorithm in ("fges", "best", "averaged", "exact"):
        # Without a penalty a search adds all arcs that it may.
        must = score in ("loglik", "aic", "k2") and columns > 6
        perhaps("max_parents", (1, 2, 3), 1.0 if must else 0.3)
    if algorithm in CLIMBING or algorithm in HYBRID:
        perhaps("max_iter", (0, 3, 17), 0.1)
    if algorithm.startswith("tabu"):
        perhaps("tabu", (1, 4, 25))
        perhaps("noinc", (0, 2, 15))
    if algorithm.endswith("-stable") and algorithm in CLIMBING:
        perhaps("order_search", ("hc", "tabu"), 0.5)
    if algorithm in TESTING or algorithm in HYBRID:
        found["test"] = streams["test"].choice(TESTS[kind])
        perhaps("alpha", (0.001, 0.01, 0.2))
        perhaps("max_condition", (0, 1, 2, 3), 1.0 if columns > 40 else 0.4)
    if algorithm == "exact":
        # What it may look at, so that it meets its limit now and then; many variables have very many sets.
        perhaps("max_sets", (0, 60, 500), 0.2)
        if columns > 12:
            found["max_sets"] = 20_000
    if algorithm not in (*CLIMBING, "best", "averaged", "exact"):
        perhaps("order", ("stable", "given"), 0.5)
    if algorithm == "averaged":
        found["resamples"] = streams["resamples"].choice((1, 3, 4))
        perhaps("resample_seed", (1, 2**62))
    if algorithm == "fges":
        perhaps("faithfulness", (True, False), 0.5)
        perhaps("phases", ("xges", "fges"), 0.5)
    return found
