"""Is the algorithm that I have thought of any good?

You have an idea for a learner. Write it as a function from a frame to edges, and hold it against ours on the same
tables: does it come nearer to the truth, is its score higher, does it give one graph for one table? The idea here is
an old one, the tree of Chow and Liu (1968): of all trees, the one whose edges have the most mutual information.

    pip install 'stablebn[networks]'
    python examples/own_algorithm.py

You should see, to the last digit:

    network  learner       graphs     F1  skeleton        BIC
    asia     Chow-Liu           1  0.267     0.800    -2288.8
    asia     hc                 3  0.933     0.933    -2258.8
    asia     tabu-stable        1  0.933     0.933    -2258.8
    asia     best               1  0.933     0.933    -2258.8
    sachs    Chow-Liu           1  0.593     0.593    -7829.0
    sachs    hc                 5  0.649     0.800    -7672.6
    sachs    tabu-stable        1  0.938     0.938    -7649.0
    sachs    best               1  0.938     0.938    -7649.0
    child    Chow-Liu           1  0.455     0.864   -13193.4
    child    hc                 4  0.510     0.920   -13297.2
    child    tabu-stable        1  0.708     0.958   -13047.8
    child    best               1  0.708     0.958   -13047.8

What to take from it: the tree is stable, as it counts and sorts and leaves nothing to chance, and among the variables
of Child it joins nearly the right ones. But it has no directions to tell, so that F1, which counts them, is low. Its
BIC is the lowest, but for that of `hc` on Child; and what `hc` finds depends on the layout ("graphs": so many in five).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

import stablebn as sb

LEARNERS: dict[str, Any] = {"hc": "hc", "tabu-stable": "tabu-stable", "best": "best"}


def mutual_information(x: Any, y: Any) -> float:
    """Of two columns of codes, in nats."""
    joint = np.zeros((x.max() + 1, y.max() + 1))
    np.add.at(joint, (x, y), 1.0 / len(x))
    expected = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
    met = joint > 0
    return float((joint[met] * np.log(joint[met] / expected[met])).sum())


def chow_liu_tree(frame: Any) -> list[tuple[str, str]]:
    """The tree with the most mutual information, each edge once: a pair both ways round has no direction."""
    codes = {name: frame[name].astype("category").cat.codes.to_numpy() for name in frame.columns}
    weights = {(a, b): mutual_information(codes[a], codes[b]) for a, b in combinations(frame.columns, 2)}
    trees = {name: {name} for name in frame.columns}
    edges = []
    for a, b in sorted(weights, key=lambda pair: -weights[pair]):
        if trees[a] is not trees[b]:
            edges += [(a, b), (b, a)]
            joined = trees[a] | trees[b]
            trees.update(dict.fromkeys(joined, joined))
    return edges


def main(networks: Sequence[str] = ("asia", "sachs", "child"), rows: int = 1000, repeats: int = 5) -> Iterator[str]:
    """The lines to print; `repeats` in layouts of each table."""
    yield "network  learner       graphs     F1  skeleton        BIC"
    for name in networks:
        network = sb.read_network(name)
        table = network.sample(rows, seed=1)
        for title, learner in {"Chow-Liu": chow_liu_tree, **LEARNERS}.items():
            audit = sb.stability(table, learner, repeats=repeats, truth=network)
            found = sb.compare(audit.learned[0], network)
            yield (
                f"{name:7}  {title:12}  {audit.graphs:6}  {audit.f1.mean:5.3f}  {found.skeleton.f1:8.3f}  "
                f"{audit.score.mean:9.1f}"
            )


if __name__ == "__main__":
    for line in main():
        print(line)
