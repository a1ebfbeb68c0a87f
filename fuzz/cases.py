"""A case: a table, and something to ask of it. All of it follows from one seed."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.drawn import (
    LEARNERS,
    PURE,
    SCORES,
    SCORES_WITH_MISSING,
    TESTING,
    TESTS,
    UNSTABLE,
    Combination,
    Streams,
    options_of,
    scores_for,
    takes_holes,
)
from tests.known import drawn_knowledge

import stablebn as sb
from fuzz.naming import names_for
from fuzz.tables import CHANGES, MAKERS, NUMBERS, Matrix, in_other_units

Arcs = tuple[tuple[int, int], ...]

QUESTIONS = {"learn": 0.85, "score": 0.06, "ci_test": 0.06, "compare": 0.02, "stability": 0.01}
"""What is asked, and how often."""

P_VALUE = "p-value"
"""Stands for an alpha that is the p-value of a test of the table itself, so that the last bit decides."""

_ROUNDING, _NEAR = 1e-14, 2.0**-16
"""Standard deviations: near copies differ by more than the first, and by less than the second."""

_LETTERS = "pqrstuvwxyz"


@dataclass(frozen=True)
class Table:
    """A table before it is laid out.

    Attributes
    ----------
    kind : {"categorical", "continuous", "mixed"}
    maker : str
        Who made it.
    values : array [columns, rows]
        Codes or numbers.
    labels : tuple of tuples
        Label of every code, for each column; of numbers none.
    gaps : bool array [columns, rows] or None
        Where values are missing.
    weights : int64 array [rows] or None
    names : tuple of names
    """

    kind: str
    maker: str
    values: Matrix
    labels: tuple[tuple[Hashable, ...], ...]
    gaps: NDArray[np.bool_] | None
    weights: NDArray[np.int64] | None
    names: tuple[Hashable, ...]

    @property
    def n(self) -> int:
        """Number of columns."""
        return len(self.values)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.values.shape[1])

    @property
    def has_common_labels(self) -> bool:
        """Whether a code has the same label in every column, and labels have the order of the codes."""
        labels: list[Any] = [own for own in self.labels if own]
        ascend = all(list(own) == sorted(own) for own in labels)
        # By their text: 0 is not False.
        return ascend and len({repr(own[: min(map(len, labels))]) for own in labels}) == 1

    @property
    def numbers(self) -> NDArray[np.bool_]:
        """Which columns are numbers."""
        return are_numbers(self.labels)

    @property
    def has_near_copies(self) -> bool:
        """Whether two columns of numbers, or one and the mirror image of another, differ by more than rounding does."""
        numbers = self.values[self.numbers]
        numbers = numbers[numbers.max(axis=1) > numbers.min(axis=1)]
        # In units in which no square is too large.
        numbers = numbers / np.abs(numbers).max(axis=1, keepdims=True)
        centred = numbers - numbers.mean(axis=1, keepdims=True)
        standardised = centred / centred.std(axis=1, keepdims=True)
        for v, own in enumerate(standardised):
            for images in (standardised[:v], -standardised[:v]):
                distances = np.abs(images - own).max(axis=1, initial=0.0)
                if ((distances > _ROUNDING) & (distances < _NEAR)).any():
                    return True
        return False

    def part(self, columns: Sequence[int], rows: Sequence[int]) -> Table:
        """Some of the columns and rows."""
        return replace(
            self,
            values=self.values[np.ix_(columns, rows)],
            labels=tuple(self.labels[c] for c in columns),
            gaps=None if self.gaps is None else self.gaps[np.ix_(columns, rows)],
            weights=None if self.weights is None else self.weights[list(rows)],
            names=tuple(self.names[c] for c in columns),
        )


def are_numbers(labels: Sequence[tuple[Hashable, ...]]) -> NDArray[np.bool_]:
    """Which columns have no labels."""
    return np.array([not own for own in labels])


@dataclass(frozen=True)
class Case:
    """A table and a question; columns are known by their place in the table.

    Attributes
    ----------
    seed : int
    table : Table
    columns, rows : tuple of int
        Which of the columns and rows that were drawn: all, unless the case was made smaller.
    drawn : (int, int)
        How many columns and rows were drawn.
    question : str
        One of `QUESTIONS`.
    algorithm, score : str
    options : dict
        Of the learner, the score and the reading of the table.
    graph : arcs
        To start from, to be scored or compared; or nothing.
    graph_is : {"", "dag", "pdag", "result"}
        What is given: nothing, the graph, its equivalence class, or what an earlier run learned.
    triple : tuple of int
        For a test of independence: x, y and what is given. Of x and y alone where its p-value is alpha.
    known : Knowledge
        What is known of the graph, columns by their places.
    """

    seed: int
    table: Table
    columns: tuple[int, ...]
    rows: tuple[int, ...]
    drawn: tuple[int, int]
    question: str
    algorithm: str
    score: str
    options: dict[str, Any]
    graph: Arcs
    graph_is: str
    triple: tuple[int, ...]
    known: sb.Knowledge

    @property
    def stable(self) -> bool:
        """Whether the order of the columns may play no part."""
        return self.question != "learn" or (
            self.algorithm not in UNSTABLE and self.options.get("order", "stable") == "stable"
        )

    @property
    def has_units(self) -> bool:
        """Whether there are numbers, whose signs at least may play no part."""
        return self.table.kind != "categorical" and self.question in ("learn", "score", "ci_test")

    @property
    def unit_free(self) -> bool:
        """Whether units may play no part."""
        asked = self.question == "ci_test" or (self.score != "bge" and self.options.get("unit_free") is not False)
        return self.has_units and asked

    def part(self, columns: Sequence[int], rows: Sequence[int]) -> Case:
        """The same question asked of some of the columns and rows."""
        new: dict[Hashable, int] = {c: place for place, c in enumerate(columns)}
        return replace(
            self,
            table=self.table.part(columns, rows),
            columns=tuple(self.columns[c] for c in columns),
            rows=tuple(self.rows[r] for r in rows),
            graph=tuple((new[u], new[v]) for u, v in self.graph if u in new and v in new),
            triple=tuple(new[c] for c in self.triple if c in new),
            known=self.known.among(columns).renamed(new),
        )

    def describe(self) -> str:
        """The case in a few words."""
        what = {
            "learn": f"learn {self.algorithm} {self.score}",
            "score": f"score {self.score}",
            "ci_test": f"ci_test {self.options.get('test')}",
        }.get(self.question, f"{self.question} {self.algorithm} {self.score}")
        with_start = f", start={self.graph_is}" if self.graph_is and self.question == "learn" else ""
        options = "".join(f", {name}={value!r}" for name, value in self.options.items() if name != "test")
        known = f", knowledge={self.known}" if self.known else ""
        table = f"{self.table.kind}, {self.table.maker}, {self.table.n} x {self.table.rows}"
        return f"{what}{with_start}{options}{known}; {table}"


def draw_case(seed: int) -> Case:
    """Draw a case: every choice from a stream of its own, so that none says anything of another."""
    streams = Streams(f"case {seed}")
    # From two streams, so that most seeds give what they gave when no table was mixed.
    kind = "mixed" if streams.often("mixed", 0.35) else streams["kind"].choice(PURE)
    question = streams["question"].choices(list(QUESTIONS), list(QUESTIONS.values()))[0]
    algorithm = streams["learner"].choice(LEARNERS)
    if question == "stability":
        algorithm = "tabu-stable"
    score = streams["score"].choice(scores_for(algorithm, kind) if question != "score" else SCORES[kind])
    combination = Combination(algorithm, kind, score)
    table, missing = _draw_table(streams, kind)
    if streams.often("holes", 0.2) and _takes_holes(question, combination):
        table, missing = _with_holes(streams, table), "available"
    options = _draw_options(streams, combination, question, table)
    if missing:
        options["missing"] = missing
    graph, graph_is = _draw_graph(streams, question, algorithm, score, table, options)
    known = sb.Knowledge()
    if question in ("learn", "stability") and not graph_is and "duplicates" not in options:
        known = _draw_knowledge(streams, combination, table, options)
    x = streams["triple"].sample(range(table.n), min(table.n, streams["triple"].randint(2, 5)))
    return Case(
        seed=seed,
        table=table,
        columns=tuple(range(table.n)),
        rows=tuple(range(table.rows)),
        drawn=(table.n, table.rows),
        question=question,
        algorithm=algorithm,
        score=score,
        options=options,
        graph=graph,
        graph_is=graph_is,
        triple=tuple(x),
        known=known,
    )


def _draw_table(streams: Streams, kind: str) -> tuple[Table, str]:
    rng = np.random.default_rng(streams["values"].getrandbits(64))
    n, rows = _draw_size(streams, kind)
    maker = streams["maker"].choice(list(MAKERS[kind]))
    matrix = MAKERS[kind][maker](rng, n, rows)
    made_of = "categorical" if kind == "mixed" else kind
    for change, (share, make) in CHANGES.items():
        if streams.often(change, share):
            matrix = make(rng, matrix, made_of)
    n, rows = matrix.shape
    numbers = np.full(n, kind == "continuous")
    if kind == "mixed":
        numbers[streams["numbers"].sample(range(n), streams["numbers"].randint(1, n - 1))] = True
    weights: NDArray[np.int64] | None = None
    if streams.often("weights", 0.15):
        weights = np.concatenate([np.ones(min(rows, 4), dtype=np.int64), rng.integers(0, 4, max(rows - 4, 0))])
    gaps, missing = None, ""
    if streams.often("missing", 0.1):
        gaps = rng.random((n, rows)) < streams["missing"].choice((0.01, 0.1))
        missing = streams["missing"].choice(("drop",) if kind == "continuous" else ("drop", "level"))
        if missing == "level":
            # Of numbers it is none.
            gaps[numbers] = False
    labels = _draw_labels(streams, matrix, numbers)
    if kind == "mixed":
        matrix = _with_numbers(streams, rng, matrix, numbers)
    names = names_for(streams["names"], n, usual=0.8, odd=True)
    return Table(kind, maker, matrix, labels, gaps, weights, names), missing


def _with_numbers(
    streams: Streams, rng: np.random.Generator, codes: Matrix, numbers: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Make numbers of some columns of codes."""
    way = NUMBERS[streams["numbers made of codes"].choice(list(NUMBERS))]
    matrix = codes.astype(np.float64)
    matrix[numbers] = way(rng, codes[numbers])
    if streams.often("units of numbers", 0.1):
        matrix[numbers] = in_other_units(rng, matrix[numbers], "continuous")
    return matrix


def _takes_holes(question: str, combination: Combination) -> bool:
    """Whether missing="available" is defined for what is asked."""
    if question in ("ci_test", "compare"):
        return True
    return combination.score in SCORES_WITH_MISSING if question == "score" else takes_holes(combination)


def _with_holes(streams: Streams, table: Table) -> Table:
    """Leave values out: in some columns, so that some families have all rows; or so that what ties still ties."""
    rng = np.random.default_rng(streams["where holes are"].getrandbits(64))
    gaps = rng.random(table.values.shape) < streams["share of holes"].choice((0.03, 0.1, 0.3))
    gaps[rng.random(table.n) < 0.3] = False
    if streams.often("same holes", 0.2):
        # Columns that are known in the same rows score the same in both directions.
        gaps[:] = gaps[0]
    if not streams.often("holes by value", 0.35):
        return replace(table, gaps=gaps)
    # All rows twice, the second time without the greatest values: what could be exchanged still can.
    greatest = table.values == table.values.max(axis=1, keepdims=True)
    return replace(
        table,
        values=np.tile(table.values, 2),
        gaps=np.hstack([np.zeros_like(greatest), greatest]),
        weights=None if table.weights is None else np.tile(table.weights, 2),
    )


def _draw_size(streams: Streams, kind: str) -> tuple[int, int]:
    rng = streams["size"]
    n = rng.choices((rng.randint(2, 5), rng.randint(4, 8), rng.randint(8, 12), 30), (40, 48, 11, 0.3))[0]
    least = 1 if kind == "categorical" else 4
    rows = rng.choices((rng.randint(least, 20), rng.randint(20, 80), rng.randint(80, 500), 20_000), (40, 40, 20, 0.1))
    return n, rows[0]


def _draw_labels(streams: Streams, codes: Matrix, numbers: NDArray[np.bool_]) -> tuple[tuple[Hashable, ...], ...]:
    rng = streams["labels"]
    sizes = [0 if number else int(own.max()) + 1 for own, number in zip(codes, numbers, strict=True)]

    def own_labels(size: int) -> tuple[Hashable, ...]:
        kinds: list[tuple[Hashable, ...]] = [
            tuple(_LETTERS[:size]),
            tuple(range(size)),
            tuple(rng.sample(range(-50, 50), size)),
            tuple(f"level {'x' * code}" for code in range(size)),
            (False, True)[:size] if size <= 2 else tuple(_LETTERS[-size:]),
        ]
        return rng.choice(kinds)

    if rng.random() < 0.6:
        return tuple(tuple(_LETTERS[:size]) for size in sizes)
    return tuple(own_labels(size) for size in sizes)


def _draw_options(streams: Streams, combination: Combination, question: str, table: Table) -> dict[str, Any]:
    algorithm, kind, _ = combination
    options = options_of(streams, combination, table.n)
    # Another number of threads is another layout.
    del options["threads"]
    if question == "ci_test":
        return {"test": streams["test"].choice(TESTS[kind])}
    if question == "score":
        return {name: value for name, value in options.items() if name in _OF_SCORE}
    if "test" in options and table.n > 8:
        # Subsets of many variables are too many.
        options.setdefault("max_condition", 2)
    if "test" in options and streams.often("alpha of a test", 0.15):
        options["alpha"] = P_VALUE
    if algorithm in ("fges", "averaged") and table.n > 8:
        options.setdefault("max_parents", 3)
    if streams.often("duplicates", 0.15):
        options["duplicates"] = "merge"
    return options


_OF_SCORE = ("k", "iss", "iss_mu", "iss_w", "prior", "unit_free", "arcs")


def _draw_graph(
    streams: Streams, question: str, algorithm: str, score: str, table: Table, options: dict[str, Any]
) -> tuple[Arcs, str]:
    """A DAG of few arcs among the columns that are not constant; to start from, for one case in five."""
    rng = streams["graph"]
    often = {"learn": 0.2, "score": 1.0, "compare": 1.0}.get(question, 0.0)
    starts = algorithm == "fges" or algorithm.startswith(("hc", "tabu"))
    if rng.random() >= often or (question == "learn" and not starts) or "duplicates" in options:
        return (), ""
    graph_is = rng.choice(("dag", "dag", "pdag", "result") if question == "learn" else ("dag", "dag", "pdag"))
    varying = [c for c, own in enumerate(table.values) if own.min() < own.max()]
    rng.shuffle(varying)
    if table.kind == "mixed" and options.get("arcs", "any" if score in ("dg", "basis", "adaptive") else "clg") == "clg":
        # No arc may go from a number to a category.
        varying.sort(key=table.numbers.__getitem__)
    most = min(options.get("max_parents", 2), 2, 2 if table.kind == "categorical" else table.rows - 3)
    arcs: list[tuple[int, int]] = []
    for place, c in enumerate(varying):
        arcs += [(parent, c) for parent in rng.sample(varying[:place], max(0, min(place, rng.randint(0, 2), most)))]
    return tuple(sorted(arcs)), graph_is


def _draw_knowledge(streams: Streams, combination: Combination, table: Table, options: dict[str, Any]) -> sb.Knowledge:
    """What is known, for one case in four: something that columns without a single value and their kinds can obey."""
    if not streams.often("knowledge", 0.25):
        return sb.Knowledge()
    algorithm, kind, score = combination
    rng = streams["what is known"]
    forbidden, required, limits = drawn_knowledge(str(rng.random()), table.n, most_required=1 if kind == "mixed" else 2)
    varying = {c for c, own in enumerate(table.values) if own.min() < own.max()}
    clg = kind == "mixed" and options.get("arcs", "any" if score in ("dg", "basis", "adaptive") else "clg") == "clg"
    numbers = table.numbers
    required = [(u, v) for u, v in required if {u, v} <= varying and not (clg and numbers[u] and not numbers[v])]
    if "max_parents" in options:
        needed = [sum(child == v for _, child in required) for v in varying]
        options["max_parents"] = max(options["max_parents"], *needed, 0)
    said: dict[str, Any] = {"required": required, "forbidden": forbidden}
    if algorithm not in TESTING:
        said["max_parents"] = limits
    tiers: list[list[int]] = [[], []]
    for c in range(table.n):
        # Some are in none of them.
        rng.choice((*tiers, [])).append(c)
    more: dict[str, Any] = {
        "tiers": tiers,
        "within_tiers": [rng.random() < 0.8, True],
        "roots": rng.sample(range(table.n), 1),
    }
    with suppress(sb.KnowledgeError):
        return sb.Knowledge(**said, **more)
    return sb.Knowledge(**said)
