"""The learners by name: what drives the checks of options, the estimators, the command line's help, and studies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from stablebn.errors import OptionError, listed, one_of
from stablebn.learners.config import (
    CLIMBS,
    CLIMBS_AMONG_CANDIDATES,
    EQUIVALENCE_CLASSES,
    PROVES,
    STABLE_ORDER,
    TABU,
    TESTS_INDEPENDENCE,
    SearchConfig,
    Trait,
)
from stablebn.learners.exact import exact
from stablebn.learners.fges import fges
from stablebn.learners.gs import gs
from stablebn.learners.h2pc import h2pc
from stablebn.learners.hc import hc, hc_dec, hc_inc
from stablebn.learners.hc_stable import hc_stable
from stablebn.learners.inter_iamb import inter_iamb
from stablebn.learners.mmhc import mmhc
from stablebn.learners.pattern import Pattern
from stablebn.learners.pc_stable import pc_stable
from stablebn.learners.problem import Problem
from stablebn.learners.tabu import tabu, tabu_dec, tabu_inc
from stablebn.learners.tabu_stable import tabu_stable
from stablebn.options import Option
from stablebn.search import Climb


@dataclass(frozen=True)
class Learner:
    """A learner and what can be said of it.

    Attributes
    ----------
    title, summary : str
    learn : callable
    traits : frozenset of str
        What it does: by that it has options.
    stable : bool
        Whether the promise holds for it: one table, one graph. Of a learner with the option `order` this is said of
        order="stable", the default; with order="given" choices fall to the order of the columns.
    revision : int
        One more whenever it may give another answer than before: studies do not reuse what older ones learned.
    """

    title: str
    summary: str
    learn: Callable[[Problem, SearchConfig], Climb | Pattern]
    traits: frozenset[Trait]
    stable: bool = True
    revision: int = 1

    def has(self, option: Option) -> bool:
        """Whether it has an option."""
        return not option.of or not self.traits.isdisjoint(option.of)


_HC = frozenset({CLIMBS})
_TABU = frozenset({CLIMBS, TABU})
_TESTS = frozenset({TESTS_INDEPENDENCE})
_HYBRID = frozenset({TESTS_INDEPENDENCE, CLIMBS_AMONG_CANDIDATES})
_EQUIVALENCE = frozenset({EQUIVALENCE_CLASSES})
_PROOF = frozenset({PROVES})

LEARNERS: Mapping[str, Learner] = {
    "tabu-stable": Learner(
        "Tabu-Stable", "tabu search in the stable order", tabu_stable, _TABU | {STABLE_ORDER}, revision=2
    ),
    "hc-stable": Learner("HC-Stable", "hill climbing in the stable order", hc_stable, _HC | {STABLE_ORDER}, revision=2),
    "tabu": Learner(
        "Tabu", "tabu search; ties fall to the order of the columns", tabu, _TABU, stable=False, revision=2
    ),
    "hc": Learner("HC", "hill climbing; ties fall to the order of the columns", hc, _HC, stable=False, revision=2),
    "tabu-dec": Learner("Tabu-Dec", "tabu search, variables by decreasing score", tabu_dec, _TABU, revision=2),
    "tabu-inc": Learner("Tabu-Inc", "tabu search, variables by increasing score", tabu_inc, _TABU, revision=2),
    "hc-dec": Learner("HC-Dec", "hill climbing, variables by decreasing score", hc_dec, _HC, revision=2),
    "hc-inc": Learner("HC-Inc", "hill climbing, variables by increasing score", hc_inc, _HC, revision=2),
    "pc-stable": Learner("PC-Stable", "PC with an order-independent skeleton", pc_stable, _TESTS, revision=3),
    "gs": Learner("GS", "Markov blankets by growing and shrinking", gs, _TESTS, revision=3),
    "inter-iamb": Learner("Inter-IAMB", "Markov blankets by the strongest association", inter_iamb, _TESTS, revision=3),
    "mmhc": Learner("MMHC", "hill climbing among max-min parents and children", mmhc, _HYBRID, revision=3),
    "h2pc": Learner("H2PC", "hill climbing among hybrid parents and children", h2pc, _HYBRID, revision=3),
    "fges": Learner("FGES", "greedy search among equivalence classes", fges, _EQUIVALENCE, revision=2),
    "exact": Learner("Exact", "the best graph there is, with a proof", exact, _PROOF),
}


def find_learner(algorithm: object) -> Learner:
    """The learner of a name; `OptionError` if there is none."""
    one_of("algorithm", str(algorithm), tuple(LEARNERS))
    return LEARNERS[str(algorithm)]


def learners_with(option: Option) -> tuple[str, ...]:
    """Names of the learners that have an option."""
    return tuple(name for name, learner in LEARNERS.items() if learner.has(option))


def refuse_options_of_others(algorithm: str, given: Iterable[Option]) -> None:
    """Raise `OptionError` if a learner does not have some of the options that it was given."""
    others = [option.name for option in given if not LEARNERS[algorithm].has(option)]
    if others:
        raise OptionError(f"algorithm={algorithm!r} has no option {listed(others)}. Leave it out.")
