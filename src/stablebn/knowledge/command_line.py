"""Parse knowledge given on the command line: a:b for an arc, a,b for a tier, a=2 for a limit."""

from __future__ import annotations

import csv
from collections.abc import Hashable, Sequence

from stablebn.errors import KnowledgeError, shown
from stablebn.graph.names import Edge
from stablebn.knowledge.pairs import pairs_of


def arcs_from_words(where: str, words: Sequence[str]) -> list[Edge]:
    """Parse arcs such as a:b, or a->b if a name has a colon, and read CSV files of arcs.

    >>> arcs_from_words("required", ["age:bp", "time: start -> time: end"])
    [('age', 'bp'), ('time: start', 'time: end')]
    """
    return [arc for word in words for arc in _arcs(where, word)]


def _arcs(where: str, word: str) -> Sequence[Edge]:
    ends = word.split("->") if "->" in word else word.split(":")
    if len(ends) == 1 and word.lower().endswith(".csv"):
        return pairs_of(where, word)
    if len(ends) != 2 or not all(end.strip() for end in ends):
        raise KnowledgeError(
            f"{shown(word)} is not an arc: write from:to, or 'from->to' if a name has a colon, or the name of a .csv "
            "file. For names that contain an arrow write a file."
        )
    return [(ends[0].strip(), ends[1].strip())]


def tiers_from_words(words: Sequence[str]) -> list[list[Hashable]]:
    """Parse tiers such as a,b; a name with a comma is in double quotes.

    >>> tiers_from_words(["sex,age", '"weight, kg",height'])
    [['sex', 'age'], ['weight, kg', 'height']]
    """
    tiers: list[list[Hashable]] = []
    for word in words:
        (names,) = csv.reader([word], skipinitialspace=True)
        if not all(name.strip() for name in names):
            raise KnowledgeError(f"{shown(word)} is not a tier: write its variables with commas between them.")
        tiers.append([name.strip() for name in names])
    return tiers


def limits_from_words(words: Sequence[str]) -> int | dict[Hashable, int]:
    """Parse limits of the number of parents: 3 for all variables, or a=2 for one variable.

    >>> limits_from_words(["3"]), limits_from_words(["3", "age=0"])
    (3, {Ellipsis: 3, 'age': 0})
    """
    limits: dict[Hashable, int] = {}
    for word in words:
        name, equals, number = word.rpartition("=")
        if not number.strip().isdecimal() or (equals and not name.strip()):
            raise KnowledgeError(f"--max-parents {word}: write a number, or name=number for one variable.")
        limits[name.strip() if equals else ...] = int(number)
    return limits[...] if set(limits) == {...} else limits
