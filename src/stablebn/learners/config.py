"""The options of a search."""

from __future__ import annotations

from dataclasses import dataclass

from stablebn.errors import OptionError, one_of


@dataclass(frozen=True)
class SearchConfig:
    """Options of the learners that climb.

    Attributes
    ----------
    tabu : int
        Length of the tabu list.
    noinc : int or None
        How many moves without improvement are tolerated; None: as many as `tabu`.
    max_parents, max_iter : int or None
        Most parents of a variable, and most steps of a search.
    order_search : {"hc", "tabu"}
        The search that finds the stable order.
    """

    tabu: int = 10
    noinc: int | None = None
    max_parents: int | None = None
    max_iter: int | None = None
    order_search: str = "hc"

    def __post_init__(self) -> None:
        one_of("order_search", self.order_search, ("hc", "tabu"))
        at_least("tabu", self.tabu, 1)
        for option, value in (
            ("noinc", self.noinc),
            ("max_parents", self.max_parents),
            ("max_iter", self.max_iter),
        ):
            if value is not None:
                at_least(option, value, 0)

    @property
    def patience(self) -> int:
        """`noinc` as it is used."""
        return self.tabu if self.noinc is None else self.noinc


def at_least(option: str, value: object, least: int) -> None:
    """Raise `OptionError` unless a value is an integer of at least `least`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise OptionError(f"{option}={value!r} must be an integer of at least {least}.")
