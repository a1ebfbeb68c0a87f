"""The options of a search."""

from __future__ import annotations

from dataclasses import dataclass

from stablebn.errors import OptionError, one_of


@dataclass(frozen=True)
class SearchConfig:
    """Options of the learners; which of them a learner has, the registry says.

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
    test : str or None
        The test of independence; None: the usual one for the kind of data.
    alpha : float
        Variables count as independent if the p-value of the test is above it.
    max_condition : int or None
        Most variables to condition on in a test.
    order : {"stable", "given"}
        Whether choices that the data leave open follow the canonical order, or that of the columns.
    faithfulness : bool
        FGES: at first join only variables that depend on each other by themselves.
    max_time : float or None
        Seconds after which a learner returns what it has.
    """

    tabu: int = 10
    noinc: int | None = None
    max_parents: int | None = None
    max_iter: int | None = None
    order_search: str = "hc"
    test: str | None = None
    alpha: float = 0.05
    max_condition: int | None = None
    order: str = "stable"
    faithfulness: bool = False
    max_time: float | None = None

    def __post_init__(self) -> None:
        one_of("order_search", self.order_search, ("hc", "tabu"))
        one_of("order", self.order, ("stable", "given"))
        at_least("tabu", self.tabu, 1)
        for option, value in (
            ("noinc", self.noinc),
            ("max_parents", self.max_parents),
            ("max_iter", self.max_iter),
            ("max_condition", self.max_condition),
        ):
            if value is not None:
                at_least(option, value, 0)
        if not (isinstance(self.alpha, float) and 0 < self.alpha < 1):
            raise OptionError(f"alpha={self.alpha!r} must be a number between 0 and 1.")
        if self.max_time is not None and not (isinstance(self.max_time, int | float) and self.max_time > 0):
            raise OptionError(f"max_time={self.max_time!r} must be a number of seconds above 0.")

    @property
    def patience(self) -> int:
        """`noinc` as it is used."""
        return self.tabu if self.noinc is None else self.noinc


def at_least(option: str, value: object, least: int) -> None:
    """Raise `OptionError` unless a value is an integer of at least `least`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise OptionError(f"{option}={value!r} must be an integer of at least {least}.")
