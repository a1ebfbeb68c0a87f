"""The learners by name: what drives the CLI's help, the checks of options, and the docs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stablebn.learners.config import SearchConfig
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
from stablebn.search import Climb


@dataclass(frozen=True)
class Learner:
    """A learner and what can be said of it.

    Attributes
    ----------
    title, summary : str
    learn : callable
    options : frozenset of str
        The options of `sb.learn` that only some learners have and this one does.
    stable : bool
        Whether the promise holds for it: one table, one graph. Of a learner with the option `order` this is said of
        order="stable", the default; with order="given" choices fall to the order of the columns.
    """

    title: str
    summary: str
    learn: Callable[[Problem, SearchConfig], Climb | Pattern]
    options: frozenset[str]
    stable: bool


_CLIMB = frozenset({"start", "max_parents", "max_iter"})
_TABU = _CLIMB | {"tabu", "noinc"}
_ORDER = frozenset({"order_search"})
_TESTS = frozenset({"test", "alpha", "max_condition", "order"})
_EQUIVALENCE = frozenset({"start", "max_parents", "order", "faithfulness"})
_HYBRID = _TESTS | {"max_parents", "max_iter"}

LEARNERS: Mapping[str, Learner] = {
    "tabu-stable": Learner("Tabu-Stable", "tabu search in the stable order", tabu_stable, _TABU | _ORDER, True),
    "hc-stable": Learner("HC-Stable", "hill climbing in the stable order", hc_stable, _CLIMB | _ORDER, True),
    "tabu": Learner("Tabu", "tabu search; ties fall to the order of the columns", tabu, _TABU, False),
    "hc": Learner("HC", "hill climbing; ties fall to the order of the columns", hc, _CLIMB, False),
    "tabu-dec": Learner("Tabu-Dec", "tabu search, variables by decreasing score", tabu_dec, _TABU, True),
    "tabu-inc": Learner("Tabu-Inc", "tabu search, variables by increasing score", tabu_inc, _TABU, True),
    "hc-dec": Learner("HC-Dec", "hill climbing, variables by decreasing score", hc_dec, _CLIMB, True),
    "hc-inc": Learner("HC-Inc", "hill climbing, variables by increasing score", hc_inc, _CLIMB, True),
    "pc-stable": Learner("PC-Stable", "PC with an order-independent skeleton", pc_stable, _TESTS, True),
    "gs": Learner("GS", "Markov blankets by growing and shrinking", gs, _TESTS, True),
    "inter-iamb": Learner("Inter-IAMB", "Markov blankets by the strongest association", inter_iamb, _TESTS, True),
    "mmhc": Learner("MMHC", "hill climbing among max-min parents and children", mmhc, _HYBRID, True),
    "h2pc": Learner("H2PC", "hill climbing among hybrid parents and children", h2pc, _HYBRID, True),
    "fges": Learner("FGES", "greedy search among equivalence classes", fges, _EQUIVALENCE, True),
}
