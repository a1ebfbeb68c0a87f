"""What cannot all be true is refused, and nothing else is."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations, pairwise, product
from typing import Any

import pytest

import stablebn as sb

Arc = tuple[str, str]


def _conflicts(**parts: Any) -> list[tuple[str, str]]:
    with pytest.raises(sb.KnowledgeError) as caught:
        sb.Knowledge(**parts)
    assert isinstance(caught.value, sb.OptionError)
    return [(conflict.kind, conflict.message) for conflict in caught.value.conflicts]


@pytest.mark.parametrize(
    ("parts", "kind", "message"),
    [
        (
            {"required": [("a", "b"), ("b", "c"), ("c", "a")]},
            "cycle",
            "the required arcs a -> b -> c -> a form a cycle. Leave one of them out.",
        ),
        (
            {"required": [("b", "a"), ("a", "b")]},
            "cycle",
            "the required arcs a -> b -> a form a cycle. Leave one of them out.",
        ),
        ({"required": [("a", "b")], "forbidden": [("a", "b")]}, "forbidden", "a -> b is required, but also forbidden."),
        (
            {"required": [("a", "b")], "tiers": [["b"], ["a"]]},
            "tiers",
            "a -> b is required, but b is in tier 1 and a in tier 2.",
        ),
        (
            {"required": [("a", "b")], "tiers": [["c"], ["a", "b"]], "within_tiers": False},
            "tiers",
            "a -> b is required, but both are in tier 2, within which no arcs are allowed.",
        ),
        (
            {"required": [("a", "b")], "roots": ["b"]},
            "roots",
            "a -> b is required, but b is a root: it has no parents.",
        ),
        (
            {"required": [("a", "b")], "leaves": ["a"]},
            "leaves",
            "a -> b is required, but a is a leaf: it has no children.",
        ),
        (
            {"required": [("a", "b")], "allowed": [("b", "c")]},
            "allowed",
            "a -> b is required, but the pair is not among those allowed.",
        ),
        (
            {"required": [("a", "d"), ("b", "d"), ("c", "d")], "max_parents": {"d": 1}},
            "max_parents",
            "a, b are required as parents of d, but it may have 1 at most (max_parents).",
        ),
        (
            {"required": [("a", "b")], "max_parents": 0},
            "max_parents",
            "a -> b is required, but b may have no parents (max_parents).",
        ),
        ({"tiers": [["a"], ["b"], ["a"]]}, "two tiers", "a is in tier 1 and in tier 3. It can be in one."),
        (
            {"required": [("my age", "1"), ("1", "x->y"), ("x->y", "my age")]},
            "cycle",
            "the required arcs '1' -> 'x->y' -> 'my age' -> '1' form a cycle. Leave one of them out.",
        ),
    ],
)
def test_a_contradiction_is_told_in_plain_words(parts: dict[str, Any], kind: str, message: str) -> None:
    assert _conflicts(**parts) == [(kind, message)]


def test_all_contradictions_are_told_at_once() -> None:
    with pytest.raises(sb.KnowledgeError) as caught:
        sb.Knowledge(
            required=[("a", "b"), ("b", "a"), ("c", "d"), ("d", "e"), ("e", "c"), ("x", "y")],
            forbidden=[("x", "y")],
            roots=["y"],
            tiers=[["z"], ["z"]],
        )
    assert str(caught.value).splitlines() == [
        "5 things to mend in what is known:",
        "  1. z is in tier 1 and in tier 2. It can be in one.",
        "  2. the required arcs a -> b -> a form a cycle. Leave one of them out.",
        "  3. the required arcs c -> d -> e -> c form a cycle. Leave one of them out.",
        "  4. x -> y is required, but also forbidden.",
        "  5. x -> y is required, but y is a root: it has no parents.",
    ]
    assert caught.value.conflicts[1].arcs == (("a", "b"), ("b", "a"))
    assert caught.value.conflicts[1].columns == ("a", "b")


def test_the_shortest_of_several_cycles_is_shown() -> None:
    long = list(pairwise("abcdefga"))
    assert _conflicts(required=[*long, ("f", "d")])[0][1].startswith("the required arcs d -> e -> f -> d form")


def test_contradictions_of_options_and_of_files_are_told_together() -> None:
    with pytest.raises(sb.KnowledgeError) as caught:
        sb.learn(
            {"a": ["x", "y"] * 5},
            required=[("a", "b")],
            forbidden=[("a", "b")],
            knowledge=[{"required": [("c", "d"), ("d", "c")]}, {"tiers": [["a"], ["a"]]}],
        )
    assert [conflict.kind for conflict in caught.value.conflicts] == ["forbidden", "cycle", "two tiers"]


def _dags(names: str) -> Iterator[set[Arc]]:
    """All DAGs, slowly: each pair is not joined, joined this way, or that way."""
    pairs = list(combinations(names, 2))
    for ways in product(range(3), repeat=len(pairs)):
        arcs = {(a, b) if way == 1 else (b, a) for (a, b), way in zip(pairs, ways, strict=True) if way}
        left = set(names)
        while sources := [v for v in left if not any(b == v and a in left for a, b in arcs)]:
            left -= set(sources)
        if not left:
            yield arcs


DAGS = {names: list(_dags(names)) for names in ("abc", "abcd")}


def _obeys(arcs: set[Arc], parts: dict[str, Any], names: str) -> bool:
    """Whether a graph does all that is said, word by word."""
    tier = {name: number for number, own in enumerate(parts["tiers"]) for name in own}
    within = parts["within_tiers"]
    return (
        arcs >= set(parts["required"])
        and not arcs & set(parts["forbidden"])
        and all(tier[a] <= tier[b] for a, b in arcs if a in tier and b in tier)
        and (within or not any(tier[a] == tier[b] for a, b in arcs if a in tier and b in tier))
        and (parts["allowed"] is None or all({a, b} in [set(pair) for pair in parts["allowed"]] for a, b in arcs))
        and not any(b in parts["roots"] for _, b in arcs)
        and not any(a in parts["leaves"] for a, _ in arcs)
        and all(sum(b == name for _, b in arcs) <= parts["max_parents"].get(name, 9) for name in names)
    )


def _drawn(rng: random.Random, names: str) -> dict[str, Any]:
    """Anything that can be said, now much and now little of it."""
    pairs = [(a, b) for a in names for b in names if a != b]

    def some(values: Any, shares: tuple[float, ...]) -> list[Any]:
        share = rng.choice(shares)
        return [value for value in values if rng.random() < share]

    tiers: list[list[str]] = [[] for _ in range(rng.choice((0, 0, 2, 3)))]
    for name in names if tiers else "":
        if rng.random() < 0.8:
            rng.choice(tiers).append(name)
    return {
        "required": some(pairs, (0.0, 0.1, 0.2, 0.4)),
        "forbidden": some(pairs, (0.0, 0.1, 0.4)),
        "tiers": tiers,
        "within_tiers": rng.random() < 0.8,
        "allowed": None if rng.random() < 0.7 else some(combinations(names, 2), (0.4, 0.9)),
        "roots": some(names, (0.0, 0.0, 0.2)),
        "leaves": some(names, (0.0, 0.0, 0.2)),
        "max_parents": {name: rng.randrange(3) for name in some(names, (0.0, 0.0, 0.5))},
    }


@pytest.mark.parametrize("names", ["abc", "abcd"])
def test_knowledge_is_refused_if_and_only_if_no_dag_obeys(names: str) -> None:
    rng = random.Random(f"conflicts {names}")
    seen = {True: 0, False: 0}
    for _ in range(1500 if names == "abc" else 400):
        parts = _drawn(rng, names)
        possible = [dag for dag in DAGS[names] if _obeys(dag, parts, names)]
        seen[bool(possible)] += 1
        if not possible:
            with pytest.raises(sb.KnowledgeError) as caught:
                sb.Knowledge(**parts)
            assert caught.value.conflicts
            continue
        # And what it is made into says the same, arc by arc.
        known = sb.Knowledge(**parts).known_arcs(names)
        again = [
            dag
            for dag in DAGS[names]
            if dag >= set(known.required)
            and not dag & set(known.forbidden)
            and all(sum(b == v for _, b in dag) <= most for v, most in known.most_parents.items())
        ]
        assert again == possible
    assert min(seen.values()) > 100


@pytest.mark.parametrize("seed", range(200))
def test_what_is_shown_is_a_smallest_contradiction(seed: int) -> None:
    rng = random.Random(f"smallest {seed}")
    parts = _drawn(rng, "abcd")
    try:
        sb.Knowledge(**parts)
    except sb.KnowledgeError as error:
        for conflict in error.conflicts:
            # The arcs shown contradict the rest by themselves, and none of them can be spared.
            others = {name: value for name, value in parts.items() if name != "required"}
            alone: dict[str, Any] = {
                "forbidden": [],
                "roots": [],
                "leaves": [],
                "max_parents": None,
                "allowed": None,
                "tiers": [],
            }
            kept = {conflict.kind: others[conflict.kind]} if conflict.kind in others else {}
            if conflict.kind == "tiers":
                kept["within_tiers"] = others["within_tiers"]
            with pytest.raises(sb.KnowledgeError):
                sb.Knowledge(required=conflict.arcs, **{**alone, **kept})
            for arc in conflict.arcs:
                rest = [own for own in conflict.arcs if own != arc]
                sb.Knowledge(required=rest, **{**alone, **kept})
