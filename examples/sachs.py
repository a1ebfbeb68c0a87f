"""How many cells would it take to find the signalling network of Sachs and others?

Sachs and others (Science 308, 2005) measured eleven proteins in human immune cells, and drew the network by which they
act on each other: 17 arcs. How much of it could a table of that kind have told? We draw cells from the network itself,
as many as we like, and look how much of it comes back.

    pip install 'stablebn[networks]'       # pgmpy brings the network
    python examples/sachs.py

You should see, to the last digit:

    How near does each learner come to the network, with the columns in ten orders?
     cells  learner       graphs   F1 from    to
       500  tabu               7     0.200  0.867
       500  tabu-stable        1     0.621  0.621
       500  best               1     0.276  0.276
      2000  tabu               9     0.250  0.970
      2000  tabu-stable        1     0.970  0.970
      2000  best               1     0.970  0.970
     10000  tabu               9     0.971  1.000
     10000  tabu-stable        1     1.000  1.000
     10000  best               1     1.000  1.000
    What can be told of directions?
      with 0 arcs known: 0 of 17 have a direction that is not arbitrary
      with 2 arcs known: 6 of 17 have a direction that is not arbitrary

What to take from it:

- `tabu` finds the network or misses it, by the order of the columns: the same cells, another graph. Nothing in the
  table says which order is the lucky one.
- `tabu-stable` and `best` give one graph for one table. That is not yet the right one: with 500 cells the graph with
  the highest score, which is what `best` looks for, is far from the network. With 10,000 cells both find it.
- However many cells there are, no direction can be told: all 17 edges of the equivalence class are undirected. That is
  why Sachs and others did experiments. What an experiment shows goes in as `required`, and directs others with it: two
  arcs direct six.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import stablebn as sb

LEARNERS = ("tabu", "tabu-stable", "best")

# Of the kind that an experiment shows: stimulate the first, and the second answers.
SHOWN = [("PKC", "PKA"), ("Plcg", "PIP3")]


def main(sizes: Sequence[int] = (500, 2000, 10_000), repeats: int = 10) -> Iterator[str]:
    """The lines to print; `sizes` in cells, `repeats` in orders of the columns."""
    network = sb.read_network("sachs")

    yield "How near does each learner come to the network, with the columns in ten orders?"
    yield " cells  learner       graphs   F1 from    to"
    for cells in sizes:
        table = network.sample(cells, seed=1)
        for learner in LEARNERS:
            audit = sb.stability(table, learner, repeats=repeats, vary=["columns"], truth=network)
            yield f"{cells:6}  {learner:12}  {audit.graphs:6}     {audit.f1.low:.3f}  {audit.f1.high:.3f}"

    yield "What can be told of directions?"
    table = network.sample(max(sizes), seed=1)
    for known in ([], SHOWN):
        result = sb.learn(table, "best", required=known)
        told = len(result.arcs) - len(result.undirected)
        yield f"  with {len(known)} arcs known: {told} of {len(result.arcs)} have a direction that is not arbitrary"


if __name__ == "__main__":
    for line in main():
        print(line)
