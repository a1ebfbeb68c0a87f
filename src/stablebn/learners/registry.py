"""The learners by name: what drives the CLI's help, the checks of options, and the docs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stablebn.learners.config import SearchConfig
from stablebn.learners.hc import hc, hc_dec, hc_inc
from stablebn.learners.hc_stable import hc_stable
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
        Whether the promise holds for it: one table, one graph.
    """

    title: str
    summary: str
    learn: Callable[[Problem, SearchConfig], Climb]
    options: frozenset[str]
    stable: bool


_TABU = frozenset({"tabu", "noinc"})
_ORDER = frozenset({"order_search"})

LEARNERS: Mapping[str, Learner] = {
    "tabu-stable": Learner("Tabu-Stable", "tabu search in the stable order", tabu_stable, _TABU | _ORDER, True),
    "hc-stable": Learner("HC-Stable", "hill climbing in the stable order", hc_stable, _ORDER, True),
    "tabu": Learner("Tabu", "tabu search; ties fall to the order of the columns", tabu, _TABU, False),
    "hc": Learner("HC", "hill climbing; ties fall to the order of the columns", hc, frozenset(), False),
    "tabu-dec": Learner("Tabu-Dec", "tabu search, variables by decreasing score", tabu_dec, _TABU, True),
    "tabu-inc": Learner("Tabu-Inc", "tabu search, variables by increasing score", tabu_inc, _TABU, True),
    "hc-dec": Learner("HC-Dec", "hill climbing, variables by decreasing score", hc_dec, frozenset(), True),
    "hc-inc": Learner("HC-Inc", "hill climbing, variables by increasing score", hc_inc, frozenset(), True),
}
