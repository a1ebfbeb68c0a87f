"""The options of a search: their part of the option table."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Literal

from stablebn.ci_tests.registry import TESTS
from stablebn.knowledge.command_line import limits_from_words
from stablebn.options import Options, at_least, between_0_and_1, choice, option, positive
from stablebn.search.parent_sets import MOST_SCORED

Trait = Literal[
    "climbs",
    "tabu",
    "stable order",
    "tests",
    "climbs among candidates",
    "equivalence classes",
    "orders",
    "proves",
    "averages",
]
"""What an algorithm does; it decides which options the algorithm has: it climbs from a DAG, keeps a tabu list, searches
for the stable order, tests independence, climbs among the edges that tests leave, searches among equivalence classes,
or among orders, proves which DAG is best, or averages over graphs of resampled rows.
"""

CLIMBS: Trait = "climbs"
TABU: Trait = "tabu"
STABLE_ORDER: Trait = "stable order"
TESTS_INDEPENDENCE: Trait = "tests"
CLIMBS_AMONG_CANDIDATES: Trait = "climbs among candidates"
EQUIVALENCE_CLASSES: Trait = "equivalence classes"
ORDERS: Trait = "orders"
PROVES: Trait = "proves"
AVERAGES: Trait = "averages"

MOST = 10**6
"""Greatest value of integer options: larger than any useful value, and a list of this length fits into memory."""


def _check_limits(name: str, value: object) -> None:
    limits = value.values() if isinstance(value, Mapping) else [value]
    for limit in limits:
        at_least(0, most=MOST)(name, limit)


@dataclass(frozen=True)
class SearchConfig(Options):
    """Options of the algorithms."""

    _: KW_ONLY
    tabu: int = option(10, "Length of the tabu list.", check=at_least(1, most=MOST), of=(TABU,), group="Tabu search")
    noinc: int | None = option(
        None,
        "Moves without improvement that are tolerated, by default the value of tabu.",
        check=at_least(0, most=MOST),
        of=(TABU,),
        group="Tabu search",
    )
    max_parents: int | Mapping[Hashable, int] | None = option(
        None,
        "Most parents of a variable: a number for all, or a dict by name, in which ... stands for all others; on the "
        "command line 3 or name=3.",
        check=_check_limits,
        of=(CLIMBS, CLIMBS_AMONG_CANDIDATES, EQUIVALENCE_CLASSES, ORDERS, PROVES, AVERAGES),
        command_type=list[str],
        from_command=limits_from_words,
        group="What you know",
        command_help="Most parents of a variable: 3 for all, name=3 for one.",
    )
    max_iter: int | None = option(
        None, "Most steps of a search.", check=at_least(0, most=MOST), of=(CLIMBS, CLIMBS_AMONG_CANDIDATES)
    )
    order_search: str = option(
        "hc",
        "The search that finds the stable order: hc, as in the paper, or tabu.",
        check=choice(("hc", "tabu")),
        of=(STABLE_ORDER,),
    )
    test: str | None = option(
        None,
        "The test of independence: mi, mi-adf or x2 for categorical data, by default mi; cor, zf or mi-g for "
        "continuous data, by default cor; mi-cg for mixed data, which equals mi or mi-g for columns of one kind.",
        check=choice(TESTS),
        of=(TESTS_INDEPENDENCE,),
        group="Tests of independence",
        command_help="For categorical data mi, mi-adf or x2, by default mi; for continuous data cor, zf or mi-g, by "
        "default cor; for mixed data mi-cg.",
    )
    alpha: float = option(
        0.05,
        "Variables count as independent if the p-value of the test is above it.",
        check=between_0_and_1,
        of=(TESTS_INDEPENDENCE,),
        group="Tests of independence",
    )
    max_condition: int | None = option(
        None,
        "Most variables to condition on in a test.",
        check=at_least(0, most=MOST),
        of=(TESTS_INDEPENDENCE,),
        group="Tests of independence",
    )
    order: str = option(
        "stable",
        "Whether ties are broken by the canonical order of the data (stable), or by the order of the "
        "columns, as in other tools (given).",
        check=choice(("stable", "given")),
        of=(TESTS_INDEPENDENCE, EQUIVALENCE_CLASSES),
        command_help="What breaks ties: the canonical order of the data (stable), or the order of the columns, as in "
        "other tools (given).",
    )
    faithfulness: bool = option(
        False,
        "In the first round, insert only edges between variables that are marginally dependent.",
        check=choice((False, True)),
        of=(EQUIVALENCE_CLASSES,),
    )
    phases: str = option(
        "xges",
        "How FGES uses its operators. xges: deletions first, then turns, then insertions, and at the end every edge is "
        "deleted once to search on from there, as in XGES; fges: all insertions, then all deletions, as in Tetrad.",
        check=choice(("xges", "fges")),
        of=(EQUIVALENCE_CLASSES,),
        command_help="xges: deletions, turns, insertions, and a second look at every edge; fges: insertions, then "
        "deletions, as in Tetrad.",
    )
    effort: str = option(
        "normal",
        "Amount of work of the search for the best graph: low, normal or high.",
        check=choice(("low", "normal", "high")),
        of=(ORDERS,),
    )
    max_sets: int = option(
        MOST_SCORED,
        "Most parent sets to score. If more are needed, larger sets are left out, and a warning says so.",
        check=at_least(0, most=10**9),
        of=(PROVES,),
        command_help="Most parent sets to score: if there are more, the largest are left out, with a warning.",
    )
    resamples: int = option(
        50,
        "Number of bootstrap samples of the rows that are averaged over.",
        check=at_least(1, most=MOST),
        of=(AVERAGES,),
    )
    resample_seed: int = option(
        0,
        "Seed of the bootstrap samples; the same seed draws the same rows on every machine.",
        check=at_least(0, most=2**63 - 1),
        of=(AVERAGES,),
    )
    max_time: float | None = option(
        None,
        "Seconds after which the search returns its result so far, with a warning. It depends on the machine.",
        check=positive("a finite number of seconds above 0", most=1e9),
        in_studies=False,
        group="Long runs",
        command_help="Stop after this many seconds with the result so far, which depends on the machine.",
    )

    @property
    def patience(self) -> int:
        """The value of `noinc`, with its default."""
        return self.tabu if self.noinc is None else self.noinc

    @property
    def most_parents(self) -> int | None:
        """The limit of `max_parents` for all variables; limits by name are part of the constraints of the problem."""
        return None if isinstance(self.max_parents, Mapping) else self.max_parents
