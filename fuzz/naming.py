"""Names of columns of every kind: text, numbers, tuples, all at once, and some that have no order."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Mapping, Sequence

_LETTERS = ("abcXYZ_", "äßéñЖя中日😀\u0301", "0123456789 ", "'\",;#-")


class Unspeaking:
    """A name whose text is that of every other one of its kind."""

    def __repr__(self) -> str:
        return "Unspeaking()"


def _numbered(rng: random.Random, n: int) -> list[Hashable]:
    return [f"v{place:02d}" for place in rng.sample(range(100), n)]


def _words(rng: random.Random, n: int) -> list[Hashable]:
    return _different(n, lambda: "w" + "".join(rng.choices(rng.choice(_LETTERS), k=rng.randint(1, 5))))


def _integers(rng: random.Random, n: int) -> list[Hashable]:
    return _different(n, lambda: rng.choice((rng.randint(-20, 20), rng.randint(0, 10**20))))


def _numbers(rng: random.Random, n: int) -> list[Hashable]:
    return _different(n, lambda: rng.choice((rng.randint(-99, 99) / 4, rng.randint(-9, 9), float("inf"), 1e-300)))


def _tuples(rng: random.Random, n: int) -> list[Hashable]:
    return _different(n, lambda: (rng.choice("ab"), rng.choice((rng.randint(0, 9), ("x", rng.randint(0, 9))))))


def _mixed(rng: random.Random, n: int) -> list[Hashable]:
    def one() -> Hashable:
        few: tuple[Hashable, ...] = (b"bytes", 1.5, frozenset({"a", rng.randint(0, 3)}), complex(0, rng.randint(1, 9)))
        return rng.choice((rng.choice(few), *(kind(rng, 1)[0] for kind in (_words, _integers, _tuples))))

    return _different(n, one)


def _not_numbers(rng: random.Random, n: int) -> list[Hashable]:
    return [float("nan") if rng.random() < 0.5 else float(place) for place in range(n)]


def _unspeaking(rng: random.Random, n: int) -> list[Hashable]:
    return [Unspeaking() for _ in range(n)]


def _different(n: int, draw: Callable[[], Hashable]) -> list[Hashable]:
    """Draw until there are n names, none equal to another."""
    found: dict[Hashable, None] = {}
    while len(found) < n:
        found[draw()] = None
    return list(found)


STYLES: Mapping[str, Callable[[random.Random, int], list[Hashable]]] = {
    "numbered": _numbered,
    "words": _words,
    "integers": _integers,
    "numbers": _numbers,
    "tuples": _tuples,
    "mixed": _mixed,
}
ODD: Mapping[str, Callable[[random.Random, int], list[Hashable]]] = {
    "not numbers": _not_numbers,
    "unspeaking": _unspeaking,
}
"""Names that have no order. They may be refused; where they are not, the order of the columns must not stand in."""


def names_for(rng: random.Random, n: int, *, usual: float, odd: bool) -> tuple[Hashable, ...]:
    """Draw n names: numbered ones with a usual share, else of any kind, odd ones among them or not."""
    styles = {**STYLES, **ODD} if odd else STYLES
    style = "numbered" if rng.random() < usual else rng.choice(list(styles))
    return tuple(styles[style](rng, n))


def are_odd(names: Sequence[Hashable]) -> bool:
    """Whether some names have no order: NaN, or those whose text is that of others."""
    return any(isinstance(name, Unspeaking) or name != name for name in names)
