"""Knowledge in the words of the command line: a:b for an arc, a,b for a tier, a=2 for a limit."""

from __future__ import annotations

import csv
from collections.abc import Hashable, Sequence

from stablebn.errors import KnowledgeError, shown
from stablebn.graph.names import Edge
from stablebn.knowledge.pairs import pairs_of


def arcs_from_words(where: str, words: Sequence[str]) -> list[Edge]:
    """Arcs from words such as a:b or a->b, the arrow being for names with colons, and from CSV files.

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
            f"{shown(word)} is no arc: say from:to, or 'from->to' where a name has a colon, or name a .csv file. For "
            "names with an arrow in them write a file."
        )
    return [(ends[0].strip(), ends[1].strip())]


def tiers_from_words(words: Sequence[str]) -> list[list[Hashable]]:
    """Tiers from words such as a,b; a name with a comma stands in double quotes.

    >>> tiers_from_words(["sex,age", '"weight, kg",height'])
    [['sex', 'age'], ['weight, kg', 'height']]
    """
    tiers: list[list[Hashable]] = []
    for word in words:
        (names,) = csv.reader([word], skipinitialspace=True)
        if not all(name.strip() for name in names):
            raise KnowledgeError(f"{shown(word)} is no tier: say its variables with commas between them.")
        tiers.append([name.strip() for name in names])
    return tiers


def limits_from_words(words: Sequence[str]) -> int | dict[Hashable, int]:
    """The most parents from words such as 3, for all variables, or a=2, for one.

    >>> limits_from_words(["3"]), limits_from_words(["3", "age=0"])
    (3, {Ellipsis: 3, 'age': 0})
    """
    limits: dict[Hashable, int] = {}
    for word in words:
        name, equals, number = word.rpartition("=")
        if not number.strip().isdecimal() or (equals and not name.strip()):
            raise KnowledgeError(f"--max-parents {word}: say a number, or name=number for one variable.")
        limits[name.strip() if equals else ...] = int(number)
    return limits[...] if set(limits) == {...} else limits
