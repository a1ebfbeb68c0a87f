"""Convert networks to text for the writers of all formats: names as text, probabilities to the last digit."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stablebn.errors import GraphError, listed
from stablebn.networks.model import CPT, Network

ANY_KIND = "'.json' or '.xdsl'"
"""Endings of the formats that can store continuous and mixed networks."""

# Control characters, lone surrogates, and characters that XML refuses: some format would lose or refuse each of them.
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
NO_QUOTE = '[^"]*'
"""Pattern of names that fit between quotes."""


class TextCPT(NamedTuple):
    """Table of a categorical node whose names and levels are text."""

    node: str
    levels: tuple[str, ...]
    parents: tuple[str, ...]
    parent_levels: tuple[tuple[str, ...], ...]
    probabilities: NDArray[np.float64]

    def rows(self) -> list[list[float]]:
        """Return the probabilities for each configuration of the parents, the last one changing fastest."""
        rows: list[list[float]] = self.probabilities.reshape(-1, len(self.levels)).tolist()
        return rows


def categorical(network: Network, form: str, *, names: str = NO_QUOTE, levels: str = NO_QUOTE) -> list[TextCPT]:
    """Return the tables of a network for a format that stores only categorical nodes; parameters as in `tables_of`."""
    if network.kind != "categorical":
        raise GraphError(f"{form} holds categorical networks; this one is {network.kind}: write it as {ANY_KIND}.")
    return tables_of(network, form, names=names, levels=levels)


def tables_of(network: Network, form: str, *, names: str = NO_QUOTE, levels: str = NO_QUOTE) -> list[TextCPT]:
    """Return the tables of the categorical nodes of a network.

    Parameters
    ----------
    network : Network
    form : str
        Name of the format, for messages.
    names, levels : str
        Patterns of the names and the levels that the format can store.
    """
    cpts = [(node, own) for node, own in network.items() if isinstance(own, CPT)]
    name = dict(zip(network, texts(network, "a name", form, names), strict=True))
    own_levels = {node: texts(own.levels, "a level", form, levels) for node, own in cpts}
    return [
        TextCPT(
            name[node],
            own_levels[node],
            tuple(name[parent] for parent in own.parents),
            tuple(own_levels[parent] for parent in own.parents),
            own.probabilities,
        )
        for node, own in cpts
    ]


def texts(names: Iterable[Hashable], what: str, form: str, allowed: str = NO_QUOTE) -> tuple[str, ...]:
    """Return the names; raise `GraphError` unless each is text that matches the pattern `allowed`."""
    fit, unfit = [], []
    for name in names:
        if isinstance(name, str) and re.fullmatch(allowed, name) and not _UNFIT.search(name):
            fit.append(name)
        else:
            unfit.append(name)
    if unfit:
        alternative = ", or write it as '.json', which takes any text" if form != "JSON" else ""
        raise GraphError(f"{form} cannot hold {what} like {listed(unfit)}: rename it{alternative}.")
    return tuple(fit)


def written(numbers: Iterable[float], between: str = ", ") -> str:
    """Write numbers in the fewest digits that are read as the same bits."""
    return between.join(map(repr, numbers))
