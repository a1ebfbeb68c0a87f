"""List the claims of the paper's abstract, text and conclusion, each with our number and the published one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from stablebn.study.paper.paper import (
    CLIMBERS,
    OTHERS,
    PAPER_ALGORITHMS,
    RESIDUAL_LEARNERS,
    TESTERS,
    count_highest,
    residual_key,
)
from stablebn.study.paper.published import TABU_STABLE_TO_TABU_SECONDS, NumberTables
from stablebn.study.tables.study_table import StudyTable, TableCell, TableRow, Value

# Graphs of the other learners have no score if no DAG extends them: their means would be over other networks.
LEARNERS_OF_DAGS = tuple(learner for learner in PAPER_ALGORITHMS if learner not in TESTERS)


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, and the number that supports or contradicts it.

    Attributes
    ----------
    text : str
        Describes the number.
    figure : callable
        Takes the number from our tables, or from the published ones; None if they do not have it.
    holds : callable
        Whether a number supports the claim.
    style : str
        The format of numbers.
    stated : number, str or None
        The published number, if only the text of the paper has it.
    """

    text: str
    figure: Callable[[NumberTables], Value]
    holds: Callable[[Value], bool]
    style: str = ".4f"
    stated: Value = None


def claims_table(ours: NumberTables, published: NumberTables) -> StudyTable:
    """Return a table of the claims for which we have a number, with the published numbers if they are given."""
    rows = []
    for claim in CLAIMS:
        figure = claim.figure(ours)
        if figure is None:
            continue
        published_number = None
        if published:
            published_number = claim.figure(published) if claim.stated is None else claim.stated
        holds = "yes" if claim.holds(figure) else "no"
        rows.append(TableRow(claim.text, (TableCell(figure, published_number, claim.style), TableCell(holds))))
    return StudyTable(
        "claims",
        "The paper's claims",
        ("claim", "ours", "holds"),
        tuple(rows),
        "Holds: our number supports the conclusion that the paper draws from its own, whether or not the two numbers "
        "are close. The samples are not the paper's. The table of each number says which experiments it covers, and "
        "how many runs are left out.",
    )


def _number(figures: NumberTables, table: str, row: str, column: str) -> float | None:
    value = figures.get(table, {}).get(row, {}).get(column)
    return None if isinstance(value, str) else value


def _text(table: str, row: str, column: str) -> Callable[[NumberTables], Value]:
    return lambda figures: figures.get(table, {}).get(row, {}).get(column)


def _cell(table: str, row: str, column: str) -> Callable[[NumberTables], Value]:
    return lambda figures: _number(figures, table, row, column)


def _gain(table: str, row: str, column: str, over: str) -> Callable[[NumberTables], Value]:
    """Return the function for the difference of two columns."""

    def gain(figures: NumberTables) -> Value:
        more, less = (_number(figures, table, row, which) for which in (column, over))
        return None if more is None or less is None else more - less

    return gain


def _ratio(table: str, row: str, over: str, column: str) -> Callable[[NumberTables], Value]:
    """Return the function for the quotient of two rows."""

    def ratio(figures: NumberTables) -> Value:
        more, less = (_number(figures, table, which, column) for which in (row, over))
        return more / less if more is not None and less else None

    return ratio


def _highest(table: str, column: str, learners: Sequence[str]) -> Callable[[NumberTables], Value]:
    """Return the function for the learners with the highest value, of those with a score in the most experiments."""

    def highest(figures: NumberTables) -> Value:
        experiments = {name: _number(figures, table, name, "experiments") for name in learners}
        most = max((count for count in experiments.values() if count is not None), default=None)
        judged = [name for name in learners if experiments[name] == most]
        values = {name: value for name in judged if (value := _number(figures, table, name, column)) is not None}
        return _named(name for name, value in values.items() if value == max(values.values())) if values else None

    return highest


def _times(table: str, row: str, column: str, over: str) -> Callable[[NumberTables], Value]:
    """Return the function for the quotient of two columns."""

    def times(figures: NumberTables) -> Value:
        more, less = (_number(figures, table, row, which) for which in (column, over))
        return more / less if more is not None and less else None

    return times


def _row_gain(table: str, row: str, over: str, column: str) -> Callable[[NumberTables], Value]:
    """Return the function for the difference of two rows."""

    def gain(figures: NumberTables) -> Value:
        more, less = (_number(figures, table, which, column) for which in (row, over))
        return None if more is None or less is None else more - less

    return gain


def _slowest(table: str) -> Callable[[NumberTables], Value]:
    def slowest(figures: NumberTables) -> Value:
        seconds = {name: value for name in PAPER_ALGORITHMS if (value := _number(figures, table, name, "seconds"))}
        return max(seconds, key=seconds.__getitem__) if len(seconds) > 1 else None

    return slowest


def _lowest(table: str, baseline: str) -> Callable[[NumberTables], Value]:
    """Return the function for the number of networks in which a baseline has the lowest score of all."""

    def lowest(figures: NumberTables) -> Value:
        scores = [
            {name: value for name in (*CLIMBERS, "empty", "true") if isinstance(value := row.get(name), float)}
            for row in figures.get(table, {}).values()
        ]
        return (
            f"{sum(min(row, key=row.__getitem__) == baseline for row in scores)} of {len(scores)}" if scores else None
        )

    return lowest


def _denser(kind: str) -> Callable[[NumberTables], Value]:
    """Return the function for the learners whose graphs are denser than the true ones."""

    def denser(figures: NumberTables) -> Value:
        true = _number(figures, "node_degree", "true graph", f"{kind}_mean")
        degrees = {name: _number(figures, "node_degree", name, f"{kind}_mean") for name in PAPER_ALGORITHMS}
        if true is None or not any(degrees.values()):
            return None
        return _named(name for name, degree in degrees.items() if degree is not None and degree > true)

    return denser


def _zero(table: str, column: str) -> Callable[[NumberTables], Value]:
    """Return the function for the learners with a value of exactly 0."""

    def zero(figures: NumberTables) -> Value:
        if not figures.get(table):
            return None
        return _named(name for name in PAPER_ALGORITHMS if _number(figures, table, name, column) == 0)

    return zero


def _largest_residual(variant: str) -> Callable[[NumberTables], Value]:
    def largest(figures: NumberTables) -> Value:
        grid = figures.get(residual_key(variant), {})
        return max((value for row in grid.values() for value in row.values() if isinstance(value, float)), default=None)

    return largest


def _won(table: str) -> Callable[[NumberTables], Value]:
    return lambda figures: count_highest(figures[table]) if figures.get(table) else None


def _above_truth(table: str) -> Callable[[NumberTables], Value]:
    """Return the function for the number of networks in which Tabu-Stable scores higher than the true graph."""

    def above(figures: NumberTables) -> Value:
        rows = figures.get(table, {})
        gains = [_gain(table, network, "tabu-stable", "true")(figures) for network in rows]
        return f"{sum(isinstance(gain, float) and gain > 0 for gain in gains)} of {len(gains)}" if gains else None

    return above


def _non_extendable(row: str) -> Callable[[NumberTables], Value]:
    def percents(figures: NumberTables) -> Value:
        by_learner = {learner: _number(figures, "non_extendable_percent", row, learner) for learner in TESTERS}
        return ", ".join(f"{learner} {value:.1f}" for learner, value in by_learner.items() if value is not None) or None

    return percents


def _failing(figures: NumberTables) -> Value:
    """Return the learners with runs that timed out or failed."""
    if "failures_3h" not in figures:
        return None
    rows = figures["failures_3h"].values()
    return _named(name for name in PAPER_ALGORITHMS if any(row.get(name, "none") != "none" for row in rows))


def _excess_degree(kind: str) -> Callable[[NumberTables], Value]:
    """Return the function for the degree of Tabu-Stable's graphs minus that of the true ones."""

    def excess(figures: NumberTables) -> Value:
        learned, true = (_number(figures, "node_degree", row, f"{kind}_mean") for row in ("tabu-stable", "true graph"))
        return None if learned is None or true is None else learned - true

    return excess


def _named(learners: Iterable[str]) -> str:
    return ", ".join(learners) or "none"


def _at_least(share: Fraction) -> Callable[[Value], bool]:
    """Return a check whether a is at least this share of b, in a value "a of b"."""

    def enough(value: Value) -> bool:
        part, total = str(value).split(" of ")
        return int(part) >= share * int(total)

    return enough


def _is_zero(value: Value) -> bool:
    return value == 0


def _is_positive(value: Value) -> bool:
    return isinstance(value, float) and value > 0


def _is_negative(value: Value) -> bool:
    return isinstance(value, float) and value < 0


def _is_above(least: float) -> Callable[[Value], bool]:
    return lambda value: isinstance(value, float) and value > least


def _is_below(most: float) -> Callable[[Value], bool]:
    return lambda value: isinstance(value, float) and value < most


def _is(expected: str) -> Callable[[Value], bool]:
    return lambda value: value == expected


CLAIMS = (
    Claim(
        "Categorical networks in which Tabu-Stable's F1 has an SD of 0 at every sample size",
        _text("stable_networks", "categorical", "tabu-stable"),
        _at_least(Fraction(13, 17)),
        stated="13 of 17",
    ),
    Claim(
        "The same of the continuous networks",
        _text("stable_networks", "continuous", "tabu-stable"),
        _at_least(Fraction(1)),
        stated="7 of 7",
    ),
    *(
        Claim(f"{name}'s {what}, {kind} networks without identical columns", _cell(table, learner, column), _is_zero)
        for kind in ("categorical", "continuous")
        for table in (f"algorithms_{kind}",)
        for name, learner in (("Tabu-Stable", "tabu-stable"), ("HC-Stable", "hc-stable"))
        for what, column in (("F1 SD", "f1_sd"), ("normalised BIC SD", "normalised_bic_sd"))
    ),
    Claim(
        "Largest F1 SD of Tabu-Stable that identical columns leave, names replaced",
        _largest_residual("names replaced"),
        _is_positive,
    ),
    *(
        Claim(f"The same, {variant} (not in the paper): 0", _largest_residual(variant), _is_zero)
        for variant in RESIDUAL_LEARNERS
        if variant != "names replaced"
    ),
    Claim(
        "Learners with an F1 SD of 0, categorical",
        _zero("algorithms_categorical", "f1_sd"),
        _is("tabu-stable, hc-stable"),
    ),
    Claim(
        "Learners with an F1 SD of 0, continuous",
        _zero("algorithms_continuous", "f1_sd"),
        _is("tabu-stable, hc-stable, fges"),
    ),
    *(
        Claim(f"{name}'s F1 SD, {kind}: not 0", _cell(f"algorithms_{kind}", learner, "f1_sd"), _is_positive)
        for kind, name, learner in (
            ("categorical", "FGES", "fges"),
            ("categorical", "PC-Stable", "pc-stable"),
            ("continuous", "PC-Stable", "pc-stable"),
        )
    ),
    Claim(
        "Networks in which Tabu-Stable has the highest BIC, categorical",
        _won("normalised_bic_categorical"),
        _at_least(Fraction(16, 17)),
    ),
    Claim(
        "Networks in which Tabu-Stable has the highest BIC, continuous",
        _won("normalised_bic_continuous"),
        _at_least(Fraction(6, 7)),
    ),
    *(
        Claim(
            f"Highest {name}, {kind}, of those that learn DAGs",
            _highest(f"algorithms_{kind}", column, LEARNERS_OF_DAGS),
            _is(winner),
        )
        for kind, name, column, winner in (
            ("categorical", "mean normalised BIC", "normalised_bic", "tabu-stable"),
            ("continuous", "mean normalised BIC", "normalised_bic", "tabu-stable"),
            ("categorical", "mean F1", "f1", "tabu-stable"),
            ("continuous", "mean F1", "f1", "fges"),
            ("categorical", "mean precision", "precision", "fges"),
            ("categorical", "mean recall", "recall", "tabu-stable"),
            ("categorical", "mean BSF", "bsf", "tabu-stable"),
            ("continuous", "mean BSF", "bsf", "tabu"),
        )
    ),
    *(
        Claim(
            f"Normalised BIC of FGES less that of HC, {kind}; below 0",
            _row_gain(f"algorithms_{kind}", "fges", "hc", "normalised_bic"),
            _is_negative,
        )
        for kind in ("categorical", "continuous")
    ),
    *(
        Claim(
            f"Networks in which the {baseline} graph scores lowest, {kind}: {stated}",
            _lowest(f"normalised_bic_{kind}", baseline),
            holds,
        )
        for kind, baseline, stated, holds in (
            ("categorical", "true", "more than half", _at_least(Fraction(9, 17))),
            ("continuous", "empty", "all", _at_least(Fraction(1))),
        )
    ),
    *(
        Claim(
            f"Networks in which Tabu-Stable scores higher than the true graph, {kind}",
            _above_truth(f"normalised_bic_{kind}"),
            _at_least(Fraction(1)),
        )
        for kind in ("categorical", "continuous")
    ),
    *(
        Claim(f"{row} of {name} less that of {base}, {kind}", _gain(f"orderings_{kind}", row, learner, over), holds)
        for kind, row, name, learner, base, over, holds in (
            ("categorical", "F1", "Tabu-Stable", "tabu-stable", "Tabu", "tabu", _is_positive),
            ("continuous", "F1", "Tabu-Stable", "tabu-stable", "Tabu", "tabu", _is_negative),
            ("categorical", "F1", "HC-Stable", "hc-stable", "HC", "hc", _is_positive),
            ("continuous", "F1", "HC-Stable", "hc-stable", "HC", "hc", _is_positive),
            ("categorical", "F1", "the decreasing order", "tabu-dec", "Tabu", "tabu", _is_negative),
            ("categorical", "F1", "the increasing order", "tabu-inc", "Tabu", "tabu", _is_positive),
            ("categorical", "Normalised BIC", "the decreasing order", "tabu-dec", "Tabu", "tabu", _is_negative),
            ("categorical", "Normalised BIC", "the increasing order", "tabu-inc", "Tabu", "tabu", _is_negative),
            ("categorical", "F1 SD", "Tabu", "tabu", "HC", "hc", _is_negative),
            ("categorical", "BSF", "Tabu-Stable", "tabu-stable", "Tabu", "tabu", _is_positive),
            ("continuous", "BSF", "Tabu-Stable", "tabu-stable", "Tabu", "tabu", _is_negative),
        )
    ),
    *(
        Claim(
            f"F1 SD of {name} : {name}-Stable, categorical, identical columns too; at least 10",
            _times("orderings_categorical", "F1 SD", learner, f"{learner}-stable"),
            _is_above(10),
            ".1f",
        )
        for name, learner in (("HC", "hc"), ("Tabu", "tabu"))
    ),
    *(
        Claim(f"Degree of Tabu-Stable's graphs less that of the true ones, {kind}", _excess_degree(kind), holds)
        for kind, holds in (("categorical", _is_negative), ("continuous", _is_positive))
    ),
    Claim(
        "Learners whose graphs are denser than the true ones, categorical: none", _denser("categorical"), _is("none")
    ),
    Claim(
        "Learners whose graphs are denser than the true ones, continuous: all",
        _denser("continuous"),
        _is(", ".join(PAPER_ALGORITHMS)),
    ),
    Claim(
        "Seconds of Tabu-Stable : Tabu, categorical; no more than the paper's",
        _ratio("algorithms_categorical", "tabu-stable", "tabu", "seconds"),
        lambda value: isinstance(value, float) and value <= TABU_STABLE_TO_TABU_SECONDS,
        ".2f",
        stated=TABU_STABLE_TO_TABU_SECONDS,
    ),
    *(
        Claim(
            f"Seconds of {name} : {base}, categorical; {relation}",
            _ratio("algorithms_categorical", learner, over, "seconds"),
            holds,
            ".2f",
            stated=stated,
        )
        for name, learner, base, over, relation, holds, stated in (
            ("Tabu", "tabu", "HC", "hc", "less than 1", _is_below(1), None),
            ("Tabu-Stable", "tabu-stable", "HC-Stable", "hc-stable", "less than 1", _is_below(1), "less than 1"),
            ("HC-Stable", "hc-stable", "HC", "hc", "no more than 2", _is_below(2), None),
            ("PC-Stable", "pc-stable", "Tabu-Stable", "tabu-stable", "more than 1", _is_above(1), "around 2"),
            ("H2PC", "h2pc", "Tabu-Stable", "tabu-stable", "more than 1", _is_above(1), "around 2"),
        )
    ),
    Claim("The slowest learner, categorical", _slowest("algorithms_categorical"), _is("fges")),
    *(
        Claim(
            f"Seconds of FGES : HC-Stable, {kind}; more than 1",
            _ratio(f"algorithms_{kind}", "fges", "hc-stable", "seconds"),
            _is_above(1),
            ".2f",
        )
        for kind in ("categorical", "continuous")
    ),
    Claim("Learners with runs that timed out or failed", _failing, _is(", ".join(OTHERS))),
    *(
        Claim(
            f"Percent of graphs that no DAG extends, {kind.lower()}; none is 0",
            _non_extendable(kind),
            lambda value: not any(part.endswith(" 0.0") for part in str(value).split(", ")),
        )
        for kind in ("Categorical", "Continuous")
    ),
)
