"""Algorithms by name, with their traits: the source of option checks, estimators, command-line help and studies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from stablebn.ci_tests import registry as tests
from stablebn.errors import OptionError, is_among, listed, one_of, shown
from stablebn.lazy import imported
from stablebn.learners.shared.config import (
    AVERAGES,
    CLIMBS,
    CLIMBS_AMONG_CANDIDATES,
    EQUIVALENCE_CLASSES,
    ORDERS,
    PROVES,
    STABLE_ORDER,
    TABU,
    TESTS_INDEPENDENCE,
    SearchConfig,
    Trait,
)
from stablebn.learners.shared.pattern import Pattern
from stablebn.learners.shared.problem import Problem
from stablebn.options import Option, names_of
from stablebn.scores import registry as scores
from stablebn.search import Climb


@dataclass(frozen=True)
class Algorithm:
    """A function of a module of `stablebn.learners`. The module is imported when the algorithm first runs."""

    module: str
    function: str

    def __call__(self, problem: Problem, config: SearchConfig) -> Climb | Pattern:
        """Run the algorithm."""
        learned: Climb | Pattern = getattr(imported(f"stablebn.learners.{self.module}"), self.function)(problem, config)
        return learned


@dataclass(frozen=True)
class Learner:
    """An algorithm and its properties.

    Attributes
    ----------
    title, summary : str
    learn : callable
        Runs the algorithm; its module is imported when it first runs.
    traits : frozenset of str
        Decide which options the algorithm has.
    stable : bool
        Whether one table always gives one graph. For an algorithm with the option `order` this holds for the default,
        order="stable"; with order="given" ties depend on the order of the columns.
    revision : int
        Incremented when the algorithm may give another result than before, so that studies do not reuse older results.
        Scores and tests have their own revisions, see `revision_of`.
    """

    title: str
    summary: str
    learn: Callable[[Problem, SearchConfig], Climb | Pattern]
    traits: frozenset[Trait]
    stable: bool = True
    revision: int = 1

    @property
    def scores_families(self) -> bool:
        """Whether it uses a score, not only tests of independence."""
        return self.traits != {TESTS_INDEPENDENCE}

    def has(self, option: Option) -> bool:
        """Return whether it has an option."""
        return not option.of or not self.traits.isdisjoint(option.of)


_HC = frozenset({CLIMBS})
_TABU = frozenset({CLIMBS, TABU})
_TESTS = frozenset({TESTS_INDEPENDENCE})
_HYBRID = frozenset({TESTS_INDEPENDENCE, CLIMBS_AMONG_CANDIDATES})
_EQUIVALENCE = frozenset({EQUIVALENCE_CLASSES})

LEARNERS: Mapping[str, Learner] = {
    "tabu-stable": Learner(
        "Tabu-Stable",
        "tabu search in the stable order",
        Algorithm("tabu_stable", "tabu_stable"),
        _TABU | {STABLE_ORDER},
        revision=3,
    ),
    "hc-stable": Learner(
        "HC-Stable",
        "hill climbing in the stable order",
        Algorithm("hc_stable", "hc_stable"),
        _HC | {STABLE_ORDER},
        revision=3,
    ),
    "tabu": Learner(
        "Tabu",
        "tabu search; ties fall to the order of the columns",
        Algorithm("tabu", "tabu"),
        _TABU,
        stable=False,
        revision=3,
    ),
    "hc": Learner(
        "HC",
        "hill climbing; ties fall to the order of the columns",
        Algorithm("hc", "hc"),
        _HC,
        stable=False,
        revision=3,
    ),
    "tabu-dec": Learner(
        "Tabu-Dec", "tabu search, variables by decreasing score", Algorithm("tabu", "tabu_dec"), _TABU, revision=3
    ),
    "tabu-inc": Learner(
        "Tabu-Inc", "tabu search, variables by increasing score", Algorithm("tabu", "tabu_inc"), _TABU, revision=3
    ),
    "hc-dec": Learner(
        "HC-Dec", "hill climbing, variables by decreasing score", Algorithm("hc", "hc_dec"), _HC, revision=3
    ),
    "hc-inc": Learner(
        "HC-Inc", "hill climbing, variables by increasing score", Algorithm("hc", "hc_inc"), _HC, revision=3
    ),
    "pc-stable": Learner(
        "PC-Stable", "PC with an order-independent skeleton", Algorithm("pc_stable", "pc_stable"), _TESTS, revision=4
    ),
    "gs": Learner("GS", "Markov blankets by growing and shrinking", Algorithm("gs", "gs"), _TESTS, revision=4),
    "inter-iamb": Learner(
        "Inter-IAMB",
        "Markov blankets by the strongest association",
        Algorithm("inter_iamb", "inter_iamb"),
        _TESTS,
        revision=4,
    ),
    "mmhc": Learner(
        "MMHC", "hill climbing among max-min parents and children", Algorithm("mmhc", "mmhc"), _HYBRID, revision=4
    ),
    "h2pc": Learner(
        "H2PC", "hill climbing among hybrid parents and children", Algorithm("h2pc", "h2pc"), _HYBRID, revision=4
    ),
    "fges": Learner(
        "FGES", "greedy search among equivalence classes", Algorithm("fges", "fges"), _EQUIVALENCE, revision=4
    ),
    "best": Learner(
        "Best",
        "search among orders, from the graphs of all others",
        Algorithm("best", "best"),
        frozenset({ORDERS}),
        revision=6,
    ),
    "averaged": Learner(
        "Averaged",
        "search among the edges that most bootstrap samples confirm",
        Algorithm("averaged", "averaged"),
        frozenset({AVERAGES}),
    ),
    "exact": Learner(
        "Exact", "the best graph there is, with a proof", Algorithm("exact", "exact"), frozenset({PROVES}), revision=4
    ),
}


AUTOMATIC = "auto"
"""The algorithm if none is named: the most accurate one, with a score chosen for the table."""

MOST_ACCURATE = "best"
"""The algorithm that `AUTOMATIC` stands for."""

OTHER_NAMES: Mapping[str, str] = {
    **dict.fromkeys(("hill-climb", "hill-climbing", "hill-climb-search"), "hc"),
    "tabu-search": "tabu",
    "pc": "pc-stable",
    "grow-shrink": "gs",
    "max-min-hill-climbing": "mmhc",
    **dict.fromkeys(("ges", "greedy-equivalence-search", "fast-greedy-equivalence-search"), "fges"),
    "model-averaging": "averaged",
}
"""Names of these algorithms in other packages. Other algorithms with similar names, such as IAMB, are not available
here.
"""

learner_name = names_of((AUTOMATIC, *LEARNERS), OTHER_NAMES)
"""Return the name of an algorithm in this package."""


def find_learner(algorithm: object) -> str:
    """Return the name of an algorithm, which may be given by its name in another package; else raise `OptionError`."""
    name = learner_name(algorithm)
    if not is_among(name, tuple(LEARNERS)):
        one_of("algorithm", algorithm, tuple(LEARNERS))
    return str(name)


def learner_of(algorithm: str) -> Learner:
    """Return the learner of an algorithm, which may be `AUTOMATIC`."""
    return LEARNERS[MOST_ACCURATE if algorithm == AUTOMATIC else algorithm]


def title_of(learner: str) -> str:
    """Return the title of an algorithm; text that a study appended to its name is kept.

    >>> title_of("tabu-stable"), title_of("fges (stable order)"), title_of("my own")
    ('Tabu-Stable', 'FGES (stable order)', 'my own')
    """
    name = re.split("[ ,]", learner, maxsplit=1)[0]
    return LEARNERS[name].title + learner.removeprefix(name) if name in LEARNERS else learner


def revision_of(algorithm: str, options: Mapping[str, object]) -> int | dict[str, int]:
    """Return the revision of an algorithm with its score and test: if it differs, the result may differ.

    Parameters
    ----------
    algorithm : str
    options : mapping of str to object
        Only `score` and `test` are used.

    Returns
    -------
    int or dict of str to int
        The revision of the algorithm; with those of the score and the test, by name, if these are not 1.
    """
    learner = LEARNERS[algorithm]
    score = scores.score_name(options.get("score", scores.ScoreConfig().score))
    changed = {name: revision for name, revision in scores.REVISIONS.items() if name == score}
    if TESTS_INDEPENDENCE in learner.traits:
        # The default test depends on the data.
        test = options.get("test")
        possible = [revision[0] for revision in tests.TESTS_BY_KIND.values()] if test is None else [test]
        changed |= {name: revision for name, revision in tests.REVISIONS.items() if name in possible}
    return {algorithm: learner.revision, **changed} if changed else learner.revision


def learners_with(option: Option) -> tuple[str, ...]:
    """Return the names of the algorithms that have an option."""
    return tuple(name for name, learner in LEARNERS.items() if learner.has(option))


def refuse_options_of_others(algorithm: str, given: Iterable[Option]) -> None:
    """Raise `OptionError` if an algorithm does not have some of the given options."""
    others = [option for option in given if not learner_of(algorithm).has(option)]
    if not others:
        return
    names = listed([option.name for option in others])
    if algorithm == AUTOMATIC:
        having = [name for name, learner in LEARNERS.items() if all(map(learner.has, others))]
        advice = f"Name an algorithm that has: {listed(having, most=99)}." if having else "Leave it out."
        raise OptionError(
            f"without algorithm= the algorithm is {MOST_ACCURATE!r}, which has no option {names}. {advice}"
        )
    raise OptionError(f"algorithm={shown(algorithm)} has no option {names}. Leave it out.")
