"""Make the lists in `before_core/`: what the code learns, bit for bit.

Run once, by the last commit before the port of the kernels to C++ (fd7e3ff):

    python -m tests.golden.make_before_core made
    python -m tests.golden.make_before_core real_samples

and never again but for p-values, unless an algorithm is changed on purpose: `test_same_bits.py` compares every later
commit with it.

Learner, kind of data and score are not drawn but all met, every combination that is defined; table, options and test
are drawn for each from streams of their own, so that no two of them go together.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
from tests.drawn import (
    CLIMBING,
    LEARNERS,
    SCORES,
    TESTS,
    Combination,
    Streams,
    combinations,
    options_of,
    scores_for,
)
from tests.golden.recipes import Recipe, table_hash, table_of
from tests.golden.records import bits, judged, learn, learned, record_of, scored

import stablebn as sb

logger = logging.getLogger("make_before_core")

HERE = Path(__file__).parent / "before_core"

# The whole list is to be run in less than a minute: a case may take so many seconds, and a slow one so many.
QUICK, SLOW = 0.6, 6.0


def categorical(n: int, seed: int, rows: int, **more: Any) -> dict[str, Any]:
    """A table of a random categorical network; `random` holds further options of the network."""
    return {"random": {"n": n, "seed": seed, **more.pop("random", {})}, "rows": rows, "seed": seed, **more}


def continuous(n: int, seed: int, rows: int, **more: Any) -> dict[str, Any]:
    """A table of a random Gaussian network."""
    return categorical(n, seed, rows, random={"continuous": True, **more.pop("random", {})}, **more)


MADE: dict[str, dict[str, Recipe]] = {
    "categorical": {
        "asia 100": {"network": "asia", "rows": 100, "seed": 1},
        "asia 1000": {"network": "asia", "rows": 1000, "seed": 2},
        "asia 20000": {"network": "asia", "rows": 20_000, "seed": 3},
        "asia with copies and a constant": {"network": "asia", "rows": 300, "seed": 4, "copies": 3, "constants": 1},
        "asia with gaps": {"network": "asia", "rows": 400, "seed": 5, "gaps": 23},
        "two columns": categorical(2, 6, 50),
        "tiny": categorical(5, 7, 6),
        "tiniest": categorical(4, 8, 2),
        "fewer rows than columns": categorical(24, 9, 12),
        "binary": categorical(12, 10, 700, random={"levels": 2}),
        "binary, long": categorical(10, 11, 20_000, random={"levels": 2, "density": 2.5}),
        "dense": categorical(10, 12, 2000, random={"density": 3.0}),
        "independent": categorical(9, 13, 500, random={"density": 0.0}),
        "middling": categorical(20, 14, 1000),
        "middling, long": categorical(16, 15, 10_000),
        "many levels": categorical(8, 16, 1500, random={"levels": [5, 30], "density": 1.0, "max_parents": 2}),
        "more than 128 levels": categorical(5, 17, 3000, random={"levels": [2, 200], "max_parents": 1}),
        "130 to 180 levels": categorical(4, 18, 5000, random={"levels": [130, 180], "max_parents": 1}),
        "more than 256 levels": categorical(4, 19, 8000, random={"levels": [280, 400], "max_parents": 1}),
        "a level a row": categorical(4, 20, 300, random={"levels": [2, 900], "max_parents": 1}),
        "63 columns": categorical(63, 21, 300, random={"density": 1.0}),
        "65 columns": categorical(65, 22, 500, random={"density": 1.0}),
        "wide": categorical(110, 23, 400, random={"density": 1.0, "levels": [2, 3]}),
        "wide and short": categorical(130, 24, 60, random={"density": 0.8}),
        "copies": categorical(9, 25, 250, copies=6),
        "constants": categorical(9, 26, 250, constants=3),
        "65 rows": categorical(10, 27, 65),
        "513 rows": categorical(10, 28, 513, random={"levels": [2, 9]}),
    },
    "continuous": {
        "two numbers": continuous(2, 40, 30),
        "tiny": continuous(4, 41, 7),
        "tiniest": continuous(3, 42, 4),
        "few rows": continuous(9, 43, 100),
        "independent": continuous(8, 44, 400, random={"density": 0.0}),
        "middling": continuous(14, 45, 1000),
        "dense": continuous(10, 46, 800, random={"density": 3.5}),
        "long": continuous(12, 47, 20_000),
        "larger": continuous(30, 48, 500),
        "65 columns": continuous(65, 49, 300, random={"density": 1.0}),
        "wide": continuous(104, 50, 400, random={"density": 1.0}),
        "fewer rows than columns": continuous(24, 51, 15),
        "copies": continuous(8, 52, 200, copies=4),
        "constants": continuous(8, 53, 200, constants=2),
        "nearly collinear": continuous(6, 54, 300, near=[1e-3, 1e-5]),
        "collinear as far as numbers tell": continuous(6, 55, 300, near=[1e-6, 1e-7, 0.0]),
        "collinear copies": continuous(6, 56, 150, copies=2, near=[0.0]),
        "with gaps": continuous(7, 57, 400, gaps=31),
    },
}

REAL: dict[str, tuple[str, ...]] = {
    "categorical": (
        *("asia", "sports", "sachs", "covid", "child", "insurance", "property", "diarrhoea", "water", "mildew"),
        *("alarm", "barley", "hailfinder", "hailfinder2", "hepar2", "win95pts", "win95pts2", "formed", "pathfinder"),
    ),
    "continuous": (*("sachs_c", "covid_c", "building_c", "magic-niab_c", "magic-irri_c", "ecoli70_c", "arth150_c"),),
}


def all_options_of(streams: Streams, combination: Combination, table: pa.Table) -> dict[str, Any]:
    """Draw the options of a case: those of the learner, and those that depend on the table."""
    found = options_of(streams, combination, table.num_columns)
    algorithm, kind, score = combination
    # It was drawn here before `options_of` drew it.
    found.pop("unit_free", None)
    # Drawn whether they are used or not, so that the streams stay apart.
    if streams.often("duplicates, used", 0.2):
        found["duplicates"] = "merge"
    if streams.often("unit_free, used", 0.3) and kind == "continuous" and score != "bge":
        found["unit_free"] = True
    names = table.column_names
    started, start = streams.often("start, used", 0.2), streams["start"].choice((names[:2], names[2:0:-1]))
    if started and (algorithm in CLIMBING or algorithm == "fges") and len(start) == 2:
        found["start"] = [start]
    if table.columns[0].null_count:
        found["missing"] = streams["missing"].choice(("drop", "level") if kind == "categorical" else ("drop",))
    return found


def finished(result: sb.Result) -> bool:
    """Whether time did not stop it."""
    return all(caution.code != "max-time" for caution in result.warnings)


def draw_case(streams: Streams, recipes: dict[str, Recipe], combination: Combination) -> dict[str, Any]:
    """A case that can be learned in time; others are drawn again."""
    algorithm, kind, score = combination
    while True:
        name = streams["table"].choice(list(recipes))
        table = table_of(recipes[name])
        case: dict[str, Any] = {"table": f"{kind}: {name}", "algorithm": algorithm, "score": score}
        case["options"] = all_options_of(streams, combination, table)
        weighted, weight = streams.often("weighted", 0.2), streams["weight"].choice((1, 3, 40))
        if weighted:
            case["weights"] = weight
        try:
            # The first run compiles: it may take longer.
            first = learn(table, case, max_time=60.0)
            began = time.perf_counter()
            again = learn(table, case, max_time=SLOW)
            took = time.perf_counter() - began
        except sb.StableBNError as error:
            logger.info("drawn again: %s: %s", case, error)
            continue
        if not (finished(first) and finished(again)) or took > SLOW:
            logger.info("drawn again: too slow: %s", case)
            continue
        case["learned"] = learned(table, case)
        if not case["learned"] == record_of(first) == record_of(again):
            raise RuntimeError(f"a case that is not the same twice: {case}")
        if took > QUICK:
            case["slow"] = True
        return case


def score_cases(streams: Streams, recipes: dict[str, Recipe], kind: str) -> Iterator[dict[str, Any]]:
    """Given graphs, scored node by node: every score on six tables."""
    small = [name for name, recipe in recipes.items() if table_of(recipe).num_columns <= 20]
    for score, _ in product(SCORES[kind], range(6)):
        while True:
            name = streams["table"].choice(small)
            table = table_of(recipes[name])
            columns = table.column_names
            order = streams["graph"].sample(columns, len(columns))
            graph = [
                [order[u], order[v]]
                for v in range(len(order))
                for u in sorted(streams["graph"].sample(range(v), streams["graph"].randint(0, min(v, 3))))
            ]
            case: dict[str, Any] = {"table": f"{kind}: {name}", "score": score, "graph": graph, "options": {}}
            used, weight = streams.often("weighted", 0.3), streams["weight"].choice((1, 3, 40))
            if used:
                case["weights"] = weight
            if score in ("bic", "aic", "bde", "bds"):
                option = "k" if score in ("bic", "aic") else "iss"
                case["options"][option] = streams[option].choice((0.5, 1.0, 2.5))
            if table.columns[0].null_count:
                case["options"]["missing"] = "drop"
            try:
                yield {**case, "scored": scored(table, case)}
            except sb.StableBNError as error:
                logger.info("drawn again: %s: %s", case, error)
                continue
            break


def ci_cases(streams: Streams, recipes: dict[str, Recipe], kind: str) -> Iterator[dict[str, Any]]:
    """Tests of independence: every test, given none to four others."""
    usable = [name for name, recipe in recipes.items() if "gaps" not in recipe]
    for test, size, _ in product(TESTS[kind], range(5), range(5)):
        while True:
            name = streams["table"].choice(usable)
            table = table_of(recipes[name])
            if table.num_columns < size + 2:
                continue
            x, y, *given = streams["variables"].sample(table.column_names, size + 2)
            case: dict[str, Any] = {"table": f"{kind}: {name}", "test": test, "x": x, "y": y, "given": given}
            try:
                found = judged(table, case)
            except sb.StableBNError as error:
                logger.info("drawn again: %s: %s", case, error)
                continue
            yield {**case, "statistic": bits(found.statistic), "df": bits(found.df), "p_value": bits(found.p_value)}
            break


def made() -> dict[str, list[dict[str, Any]]]:
    """The list over tables that the repository itself makes."""
    cases: list[dict[str, Any]] = []
    for kind in SCORES:
        streams = Streams(f"made {kind}")
        for _, combination in product(range(2), combinations(kinds=[kind])):
            cases.append(draw_case(streams, MADE[kind], combination))
            logger.info("%d %s", len(cases), cases[-1])
    return {
        "tables": _tables({f"{kind}: {name}": recipe for kind in MADE for name, recipe in MADE[kind].items()}),
        "learned": cases,
        "scored": [case for kind in SCORES for case in score_cases(Streams(f"scores {kind}"), MADE[kind], kind)],
        "tested": [case for kind in SCORES for case in ci_cases(Streams(f"tests {kind}"), MADE[kind], kind)],
    }


def real_samples() -> dict[str, list[dict[str, Any]]]:
    """The list over the samples beside the repository, of which it keeps nothing but hashes."""
    recipes: dict[str, dict[str, Recipe]] = {
        kind: {
            f"sample of {name}, {rows}": {"shared": name, "rows": rows}
            for name in names
            for rows in (1000, 3000, 10_000)
        }
        for kind, names in REAL.items()
    }
    cases: list[dict[str, Any]] = []
    for kind, turns in (("categorical", 5), ("continuous", 3)):
        streams = Streams(f"real {kind}")
        for _, algorithm in product(range(turns), LEARNERS):
            score = streams["score"].choice(scores_for(algorithm, kind))
            cases.append(draw_case(streams, recipes[kind], Combination(algorithm, kind, score)))
            logger.info("%d %s", len(cases), cases[-1])
    used = {case["table"] for case in cases}
    named = {f"{kind}: {name}": recipe for kind in recipes for name, recipe in recipes[kind].items()}
    return {"tables": _tables({name: recipe for name, recipe in named.items() if name in used}), "learned": cases}


def _tables(recipes: dict[str, Recipe]) -> list[dict[str, Any]]:
    return [{"name": name, "recipe": recipe, "hash": table_hash(table_of(recipe))} for name, recipe in recipes.items()]


def write(path: Path, lists: dict[str, list[dict[str, Any]]]) -> None:
    """Write lists as JSON, a line an entry."""
    parts = [f'"{name}": [\n' + ",\n".join(map(json.dumps, entries)) + "\n]" for name, entries in lists.items()]
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n")


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    HERE.mkdir(exist_ok=True)
    write(HERE / f"{sys.argv[1]}.json", {"made": made, "real_samples": real_samples}[sys.argv[1]]())
