"""Does pgmpy give you the graph of your data, or of your file?

You learned a graph with pgmpy. A colleague has the same table with the columns in another order, and learned another
one. `sb.stability` tells how much of a graph is the layout of the table, for any learner that is a function from a
frame to edges: here the hill climbing of pgmpy, beside the same algorithm in the stable order.

    pip install 'stablebn[networks]'
    python examples/audit_pgmpy.py

You should see something like this; what pgmpy finds may differ from one run to the next:

    pgmpy: The layout decides: 10 layouts gave 4 graphs; up to 5 edges differ; BIC differs by up to 7.32.
      F1 against the true network: from 0.00 to 0.50
      bronc - dysp: in 10 of 10 layouts, 5 times bronc -> dysp, 5 times bronc <- dysp
      bronc - smoke: in 10 of 10 layouts, 5 times bronc -> smoke, 5 times bronc <- smoke
      dysp - either: in 10 of 10 layouts, 5 times dysp -> either, 5 times dysp <- either
      lung - tub: in 10 of 10 layouts, 5 times lung -> tub, 5 times lung <- tub
      bronc - either: in 5 of 10 layouts, 5 times bronc -> either, 0 times bronc <- either
    hc-stable: One table, one graph: 10 layouts gave the same graph.
      F1 against the true network: from 0.50 to 0.50

What to take from it: an edge that is found five times one way round and five times the other is not a finding, and the
list names these. A stable learner is not nearer to the truth for that; it gives you one answer to judge.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from typing import Any

import stablebn as sb


def pgmpy_hill_climbing(frame: Any) -> Any:
    """The edges that pgmpy finds by hill climbing with BIC."""
    with warnings.catch_warnings():
        # From 1.1 on it says that it will move elsewhere.
        warnings.simplefilter("ignore", FutureWarning)
        from pgmpy.estimators import HillClimbSearch

        return HillClimbSearch(frame).estimate(scoring_method="bic-d", show_progress=False).edges()


def main(rows: int = 1000, repeats: int = 10) -> Iterator[str]:
    """The lines to print."""
    # It logs what it takes the columns for.
    logging.getLogger("pgmpy").setLevel(logging.ERROR)
    network = sb.read_network("asia")
    table = network.sample(rows, seed=1)

    learners: dict[str, Any] = {"pgmpy": pgmpy_hill_climbing, "hc-stable": "hc-stable"}
    for title, learner in learners.items():
        audit = sb.stability(table, learner, repeats=repeats, truth=network)
        yield f"{title}: {audit.verdict}"
        yield f"  F1 against the true network: from {audit.f1.low:.2f} to {audit.f1.high:.2f}"
        for edge in audit.edges:
            if not audit.layouts == edge.adjacent == max(edge.forward, edge.backward, edge.undirected):
                yield (
                    f"  {edge.a} - {edge.b}: in {edge.adjacent} of {audit.layouts} layouts, "
                    f"{edge.forward} times {edge.a} -> {edge.b}, {edge.backward} times {edge.a} <- {edge.b}"
                )


if __name__ == "__main__":
    for line in main():
        print(line)
