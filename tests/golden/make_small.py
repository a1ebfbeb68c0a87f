"""Make `small/climbing.json` and `small/skeletons.json`: graphs that naive implementations learn and stablebn too.

    python -m tests.golden.make_small

The naive implementations are `tests/naive/specification.py` and `tests/naive/skeleton.py`, which share no line with
stablebn. The tables are ours, drawn from Asia and from random networks. What is written are the naive answers; where
stablebn's differ nothing is. `test_small.py` checks the first one against the independent oracle beside the repository.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

from tests.golden.recipes import Recipe, table_hash, table_of
from tests.naive import skeleton, specification

import stablebn as sb

logger = logging.getLogger("make_small")

TABLES: dict[str, tuple[Recipe, tuple[str, ...]]] = {
    "asia 100": ({"network": "asia", "rows": 100, "seed": 101}, ("bic", "bde", "bds", "k2")),
    "asia 1000": ({"network": "asia", "rows": 1000, "seed": 102}, ("bic", "aic", "bds")),
    "asia 5000": ({"network": "asia", "rows": 5000, "seed": 103}, ("bic",)),
    "five dense": ({"random": {"n": 5, "density": 2.5, "seed": 104}, "rows": 400, "seed": 1}, ("bic", "loglik", "k2")),
    "nine": ({"random": {"n": 9, "seed": 105}, "rows": 300, "seed": 2}, ("bic", "aic", "bde")),
    "twelve": ({"random": {"n": 12, "seed": 106}, "rows": 1000, "seed": 3}, ("bic", "bde")),
    "many levels": (
        {"random": {"n": 6, "levels": [4, 9], "max_parents": 1, "seed": 107}, "rows": 800, "seed": 4},
        ("bic", "aic", "k2"),
    ),
    "sixteen": ({"random": {"n": 16, "levels": [2, 3], "seed": 108}, "rows": 600, "seed": 5}, ("bic",)),
    "five numbers": ({"random": {"n": 5, "continuous": True, "seed": 111}, "rows": 60, "seed": 6}, ("bic", "loglik")),
    "eight numbers": ({"random": {"n": 8, "continuous": True, "seed": 112}, "rows": 150, "seed": 7}, ("bic", "aic")),
    "ten numbers": ({"random": {"n": 10, "continuous": True, "seed": 113}, "rows": 200, "seed": 8}, ("bic",)),
    "dense numbers": (
        {"random": {"n": 7, "continuous": True, "density": 3.0, "seed": 114}, "rows": 100, "seed": 9},
        ("bic", "aic"),
    ),
}


def answers(recipe: Recipe, scores: tuple[str, ...]) -> dict[str, Any]:
    """What both implementations learn from a table."""
    table = table_of(recipe)
    # A column with a single value takes no part (specification, section 1).
    table = table.select([name for name in table.column_names if len(table[name].unique()) > 1])
    names, columns = table.column_names, [column.to_pylist() for column in table.columns]
    categorical = not recipe.get("random", {}).get("continuous", False)
    found: dict[str, Any] = {}
    for score in scores:
        make = specification.categorical_family if categorical else specification.gaussian_family
        family = make(columns, score)
        for algorithm in specification.LEARNERS:
            right = specification.learn(columns, algorithm, family, categorical=categorical)
            answer: dict[str, Any] = {
                "arcs": sorted([names[u], names[v]] for u, v in right.arcs),
                "score": right.score / specification.UNIT,
                "order": [names[v] for v in right.order],
                "steps": right.steps,
            }
            ours = sb.learn(table_of(recipe), algorithm, score)
            if (
                sorted(map(list, ours.arcs)) != answer["arcs"]
                or list(ours.order) != answer["order"]
                or len(ours.trace) != answer["steps"]
                or ours.score is None
                or abs(ours.score - answer["score"]) > 1e-12 * abs(answer["score"])
            ):
                raise RuntimeError(f"they differ: {recipe} {algorithm} {score}: {answer} {ours.to_json()}")
            found[f"{algorithm} {score}"] = answer
            logger.info("%s %s: %d arcs", algorithm, score, len(right.arcs))
    return {"recipe": recipe, "hash": table_hash(table_of(recipe)), "answers": found}


def skeletons(recipe: Recipe) -> dict[str, Any]:
    """Skeletons of PC-Stable that both implementations find."""
    table = table_of(recipe)
    names, columns = table.column_names, [column.to_pylist() for column in table.columns]
    categorical = not recipe.get("random", {}).get("continuous", False)
    found: dict[str, Any] = {}
    for test in ("mi", "x2") if categorical else ("cor",):
        ask = skeleton.categorical_test(columns, test) if categorical else skeleton.continuous_test(columns)
        for alpha in (0.05, 0.001):
            edges = sorted(sorted(names[v] for v in pair) for pair in skeleton.pc_skeleton(len(names), ask, alpha))
            ours = sb.learn(table, "pc-stable", test=test, alpha=alpha).pdag.skeleton()
            if sorted(sorted(map(str, pair)) for pair in ours) != edges:
                raise RuntimeError(f"they differ: {recipe} {test} {alpha}: {edges} {ours}")
            found[f"{test} {alpha}"] = edges
            logger.info("%s %s: %d edges", test, alpha, len(edges))
    return {"recipe": recipe, "hash": table_hash(table), "skeletons": found}


def write(name: str, entries: list[dict[str, Any]]) -> None:
    """Write a list as JSON, a line an entry."""
    path = Path(__file__).parent / "small" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("[\n" + ",\n".join(map(json.dumps, entries)) + "\n]\n")


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    # In the smallest sample of Asia a column has a single value, which is no business of a test.
    tested = {name: recipe for name, (recipe, _) in TABLES.items() if name not in ("asia 100", "sixteen")}
    write("skeletons.json", [{"name": name, **skeletons(recipe)} for name, recipe in tested.items()])
    write("climbing.json", [{"name": name, **answers(*table)} for name, table in TABLES.items()])
