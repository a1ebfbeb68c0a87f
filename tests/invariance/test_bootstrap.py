"""One table, one bootstrap: the same replicates, and the same graphs of them, whatever the layout."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest
from tests.drawn import KINDS, LEARNERS, UNSTABLE, Combination, Streams, holes_of, options_of, scores_for
from tests.tables import Columns, categorical_columns, continuous_columns, mixed_columns, renamed, shuffled

import stablebn as sb

MAKERS = {"categorical": categorical_columns, "continuous": continuous_columns, "mixed": mixed_columns}
REPLICATES = 5
# Where only names tell columns of the whole table apart, other names are another table.
UP_TO_NAMES = {"identical", "copies", "interchangeable", "names-decide"}


def _drawn(algorithm: str, kind: str, seed: str) -> tuple[Columns, dict[str, Any], bool]:
    """A table, options of the bootstrap, and whether the learned graphs do not depend on units."""
    streams = Streams(seed)
    combination = Combination(algorithm, kind, streams["score"].choice(scores_for(algorithm, kind)))
    rng = np.random.default_rng(streams["values"].randrange(10**6))
    # Few rows, so that columns tie in a replicate that do not tie in the table.
    columns = MAKERS[kind](rng, streams["columns"].randint(3, 6), streams["rows"].randint(12, 60))
    for column, row in holes_of(streams, combination, len(columns), len(next(iter(columns.values())))):
        own = list(columns.values())[column]
        own[row] = None if isinstance(own[row], str) else math.nan
    options = options_of(streams, combination, len(columns))
    free = combination.score != "bge" and options.get("unit_free") is not False
    weights = {"weights": "times"} if streams.often("weights", 0.3) else {}
    if weights:
        columns["times"] = [streams["weights, each"].randint(0, 3) for _ in next(iter(columns.values()))]
        columns["times"][0] = 1
    more = {"algorithm": algorithm, "score": combination.score, "missing": "available", "replicates": REPLICATES}
    kinds = {name: "continuous" if isinstance(own[0], float) else "categorical" for name, own in columns.items()}
    kinds.pop("times", None)
    return columns, {**options, **more, **weights, "kinds": kinds, "seed": streams["seed"].randrange(100)}, free


def _seen(found: sb.Bootstrap, old: dict[Hashable, Hashable]) -> tuple[Any, ...]:
    """Return everything but the texts, under the old names."""

    def graph(own: sb.PDAG | None) -> sb.PDAG | None:
        if own is None:
            return None
        directed, undirected = ([(old[u], old[v]) for u, v in edges] for edges in (own.directed, own.undirected))
        return sb.PDAG([old[node] for node in own.nodes], directed, undirected)

    edges = {
        (old[a], old[b]): (edge.frequency, edge.direction)
        for own in found.edges
        for a, b in ((own.a, own.b), (own.b, own.a))
        for edge in [found.edge(a, b)]
    }
    return (
        [graph(own) for own in (*found.graphs, *found.relaid, found.averaged)],
        [old[name] for name in found.canonical],
        (found.threshold, found.disagreement, found.failed),
        edges,
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("algorithm", LEARNERS)
def test_any_layout_gives_the_same_bootstrap(algorithm: str, kind: str) -> None:
    for example in range(2):
        columns, options, free = _drawn(algorithm, kind, f"bootstrap {algorithm} {kind} {example}")
        same: dict[Hashable, Hashable] = {name: name for name in columns}
        rng = np.random.default_rng(example)
        found = sb.bootstrap(columns, **options)

        other = shuffled(columns, example + 1)
        again = sb.bootstrap(other, **{**options, "threads": 3 - options["threads"]})
        assert _seen(again, same) == _seen(found, same)
        assert found.result is not None
        assert again.result is not None
        codes = {caution.code for caution in found.result.warnings}
        if algorithm not in UNSTABLE and options.get("order") != "given":
            assert again.result.fingerprint == found.result.fingerprint
            # The warning about missing values lists columns in their order.
            assert again == found or "holes" in codes

        if not UP_TO_NAMES & codes:
            other, old = renamed(other, example)
            new = {name: alias for alias, name in old.items()}
            told = {
                **options,
                "kinds": {new[name]: own for name, own in options["kinds"].items()},
                **({"weights": new["times"]} if "weights" in options else {}),
            }
            if free:
                for own in other.values():
                    if isinstance(own[0], float):
                        scale = float(rng.choice([-1.0, 2.0, -0.25, 8.0]))
                        own[:] = [scale * value for value in own]
            again = sb.bootstrap(other, **told)
            assert _seen(again, old) == _seen(found, same)


def test_names_do_not_decide_between_columns_that_are_equal_in_a_replicate_only() -> None:
    # Without the one row in which they differ, b and c are identical, and names would decide.
    a = ["x", "y"] * 10
    b = [*a[:18], "y", "y"]
    c = [*a[:19], "x"]
    d = ["x", *a[1:16], *["y"] * 4]
    names = {"a": "a", "b": "b", "c": "c", "d": "d"}
    found = sb.bootstrap({"a": a, "b": b, "c": c, "d": d}, replicates=30, k=0.2)
    others = {"a": "z", "b": "m", "c": "f", "d": "b"}
    again = sb.bootstrap(
        {others[name]: own for name, own in zip("dcba", (d, c, b, a), strict=True)}, replicates=30, k=0.2
    )
    old: dict[Hashable, Hashable] = {new: name for name, new in others.items()}
    assert _seen(again, old) == _seen(found, dict(names.items()))


@pytest.mark.parametrize("kinds", ["categorical", "mixed"])
def test_labels_of_levels_have_no_part_in_it(kinds: str) -> None:
    table = sb.random_network(6, kinds=kinds, seed=4).sample(200, seed=1)
    found = sb.bootstrap(table, replicates=10)
    other = {}
    for place, (name, own) in enumerate(table.to_pydict().items()):
        if isinstance(own[0], str):
            # Other labels, which sort in another order.
            levels = sorted(set(own))
            labels = dict(zip(levels, levels[place % len(levels) :] + levels[: place % len(levels)], strict=True))
            other[name] = [f"no. {labels[value]}" for value in own]
        else:
            other[name] = own
    again = sb.bootstrap(other, replicates=10)
    assert (again.graphs, again.canonical) == (found.graphs, found.canonical)
    assert sb.bootstrap(other, replicates=10, seed=1).graphs != found.graphs
