"""Record what this version learns: every learner with every score on tables that the repository itself makes.

    python -m tests.golden.record_graphs

writes `graphs.json`, which `test_graphs.py` holds against every later commit. A graph or a score that is another one
than was recorded is marked `changed`: by "next" until there is a new version, then by that one. `test_graphs.py` wants
to read of it in CHANGELOG.md. The options are the defaults, but for the most parents where a score has no penalty;
`before_core/` has drawn options, and the way that led to each graph, of the learners and scores of then.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from tests.drawn import KINDS, LEARNERS, combinations
from tests.golden.recipes import Recipe, table_hash, table_of
from tests.golden.records import bits

import stablebn as sb

FILE = Path(__file__).parent / "graphs.json"

TABLES: Mapping[str, Mapping[str, Recipe]] = {
    "categorical": {
        "seven": {"random": {"n": 7, "seed": 201}, "rows": 400, "seed": 1},
        "asia with copies and a constant": {"network": "asia", "rows": 600, "seed": 2, "copies": 2, "constants": 1},
        "ten with gaps": {"random": {"n": 10, "seed": 203}, "rows": 500, "seed": 3, "gaps": 29},
    },
    "continuous": {
        "seven": {"random": {"n": 7, "continuous": True, "seed": 211}, "rows": 200, "seed": 4},
        "eight with a copy": {"random": {"n": 8, "continuous": True, "seed": 212}, "rows": 300, "seed": 5, "copies": 1},
        "ten with gaps": {"random": {"n": 10, "continuous": True, "seed": 213}, "rows": 500, "seed": 6, "gaps": 31},
    },
    "mixed": {
        "seven": {"random": {"n": 7, "kinds": "mixed", "seed": 221}, "rows": 400, "seed": 7},
        "nine": {"random": {"n": 9, "kinds": "mixed", "seed": 222}, "rows": 900, "seed": 8},
        "ten with gaps": {"random": {"n": 10, "kinds": "mixed", "seed": 223}, "rows": 500, "seed": 9, "gaps": 33},
    },
}
"""By kind of data: on the first table every learner is tried with every score, on the others with the default one."""

NO_PENALTY = ("loglik", "aic", "k2")


class Case(NamedTuple):
    """A table and what is learned from it."""

    kind: str
    table: str
    algorithm: str
    score: str

    def __str__(self) -> str:
        return f"{self.kind} {self.table} | {self.algorithm} | {self.score}"


def cases() -> Iterator[Case]:
    """All of them."""
    for kind in KINDS:
        first, *others = TABLES[kind]
        yield from (Case(kind, first, algorithm, score) for algorithm, _, score in combinations(kinds=[kind]))
        yield from (Case(kind, table, algorithm, "bic") for table in others for algorithm in LEARNERS)


def learned(case: Case) -> dict[str, str | None]:
    """Graph and score of a case, and which table it was learned from."""
    table = _table(case.kind, case.table)
    options: dict[str, Any] = {"max_parents": 2} if case.score in NO_PENALTY and _climbs(case.algorithm) else {}
    if "gaps" in TABLES[case.kind][case.table]:
        options["missing"] = "drop"
    result = sb.learn(table, case.algorithm, case.score, **options)
    return {"graph": result.fingerprint, "score": bits(result.score), "from": _hash(case.kind, case.table)}


def _climbs(algorithm: str) -> bool:
    return algorithm not in ("pc-stable", "gs", "inter-iamb")


@lru_cache
def _table(kind: str, name: str) -> pa.Table:
    return table_of(TABLES[kind][name])


@lru_cache
def _hash(kind: str, name: str) -> str:
    return table_hash(_table(kind, name))


def recorded() -> dict[str, Any]:
    """What was recorded last."""
    return dict(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.exists() else {"version": None, "graphs": {}}


def record() -> list[str]:
    """Write what is learned now; the cases that gave something else before."""
    before = recorded()
    version_is_new = before["version"] != sb.__version__
    graphs: dict[str, dict[str, str | None]] = {}
    others = []
    for case in cases():
        then = dict(before["graphs"].get(str(case), {}))
        mark, now = then.pop("changed", None), learned(case)
        if then and now != then:
            mark = "next"
            others.append(str(case))
        if version_is_new and mark == "next":
            mark = sb.__version__
        graphs[str(case)] = now if mark is None else {**now, "changed": mark}
    lines = ",\n".join(f"{json.dumps(case)}: {json.dumps(graphs[case])}" for case in graphs)
    FILE.write_text(f'{{"version": "{sb.__version__}", "graphs": {{\n{lines}\n}}}}\n', encoding="utf-8")
    return others


if __name__ == "__main__":
    changed = record()
    told = "\n".join(["These are others than before; say so in CHANGELOG.md:", *changed] if changed else ["As before."])
    sys.stdout.write(f"{told}\n")
