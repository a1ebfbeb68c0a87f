"""`make demo`: one table, one graph, seen."""

from __future__ import annotations

import random
from collections.abc import Iterator

from stablebn.api import learn_in_a_loop
from stablebn.networks import read_network

ROWS = 1000


def demonstration() -> Iterator[str]:
    """Learn the Asia sample as it is, then shuffled and renamed, and compare with ==; lines to print."""
    table = read_network("asia").sample(ROWS, seed=1).to_pydict()
    first = learn_in_a_loop(table)
    yield f"The Asia sample, {ROWS:,} rows, columns {', '.join(table)}:"
    yield first.summary("Tabu-Stable")
    yield from _drawn(first.arcs)

    shuffle = random.Random(2)
    columns, rows = list(table), list(range(ROWS))
    shuffle.shuffle(columns)
    shuffle.shuffle(rows)
    alias = {column: f"V{place + 1}" for place, column in enumerate(columns)}
    second = learn_in_a_loop({alias[column]: [table[column][row] for row in rows] for column in columns})
    yield ""
    yield f"The same rows shuffled, the columns too, under the names {', '.join(alias.values())}:"
    yield second.summary("Tabu-Stable")
    yield from _drawn(second.arcs)

    renamed = {(alias[u], alias[v]) for u, v in map(_texts, first.arcs)}
    yield ""
    yield f"Same graph, arc for arc:  {renamed == set(second.arcs)}"
    yield f"Same score, to the bit:   {first.score == second.score}  ({first.score!r} and {second.score!r})"


def _texts(arc: tuple[object, object]) -> tuple[str, str]:
    return str(arc[0]), str(arc[1])


def _drawn(arcs: tuple[tuple[object, object], ...]) -> Iterator[str]:
    for u, v in arcs:
        yield f"    {u} -> {v}"
