"""Show that one table gives one graph, whatever its row order, column order and names."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stablebn.api.learn import learn_without_signals
from stablebn.networks import read_network
from stablebn.result.result import Result

ROWS = 1000


@dataclass(frozen=True)
class Demonstration:
    """The results for the Asia sample as it is, and for its rows and columns shuffled and renamed.

    Attributes
    ----------
    first, second : Result
    alias : mapping of str to str
        The names in the second table by those in the first, in the order of the shuffled columns.
    """

    first: Result
    second: Result
    alias: Mapping[str, str]

    @property
    def same_graph(self) -> bool:
        """Return whether both graphs have the same arcs."""
        renamed = {(self.alias[str(u)], self.alias[str(v)]) for u, v in self.first.arcs}
        return renamed == set(self.second.arcs)

    @property
    def same_score(self) -> bool:
        """Return whether both graphs have the same score, to the bit."""
        return self.first.score == self.second.score

    def lines(self) -> Iterator[str]:
        """Yield the lines to print."""
        yield f"The Asia sample, {ROWS:,} rows, columns {', '.join(map(str, self.first.decisions))}:"
        yield self.first.summary("Tabu-Stable")
        yield from _drawn(self.first)
        yield ""
        yield f"The same rows shuffled, the columns too, under the names {', '.join(self.alias.values())}:"
        yield self.second.summary("Tabu-Stable")
        yield from _drawn(self.second)
        yield ""
        yield f"Same graph, arc for arc:  {self.same_graph}"
        yield f"Same score, to the bit:   {self.same_score}  ({self.first.score!r} and {self.second.score!r})"


def demonstrate() -> Demonstration:
    """Learn from the Asia sample as it is, then shuffled and renamed."""
    table = read_network("asia").sample(ROWS, seed=1).to_pydict()
    first = learn_without_signals(table)
    shuffle = random.Random(2)
    columns, rows = list(table), list(range(ROWS))
    shuffle.shuffle(columns)
    shuffle.shuffle(rows)
    alias = {column: f"V{place + 1}" for place, column in enumerate(columns)}
    second = learn_without_signals({alias[column]: [table[column][row] for row in rows] for column in columns})
    return Demonstration(first, second, alias)


def _drawn(result: Result) -> Iterator[str]:
    for u, v in result.arcs:
        yield f"    {u} -> {v}"
