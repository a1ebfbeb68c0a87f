"""Generate random networks, for tests of scale."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from stablebn.columns.kinds import Kind
from stablebn.errors import OptionError, one_of, shown
from stablebn.networks.model import CPT, ConditionalGaussian, Distribution, LinearGaussian, Name, Network
from stablebn.networks.random_streams import Stream
from stablebn.options import at_least, checked_arguments, flag

KINDS = ("categorical", "continuous", "mixed")

MOST_NODES = 20_000
"""Most nodes of a random network. The work grows with their square; with this many it takes about a minute."""

# Most numbers in the table of one node.
_MOST_NUMBERS = 10**7

# Share of the variance (1) of a continuous node of a mixed network that comes from parents of each kind.
_FROM_CONTINUOUS = 0.4
_FROM_CATEGORICAL = 0.35


# Tables with this many levels still fit into memory.
_MOST_LEVELS = 2**16
# Refuses integers with thousands of digits, which no float can hold.
_TOO_LARGE = 1e300


def _check_levels(name: str, value: object) -> None:
    own = (value, value) if isinstance(value, int) else value
    if not (isinstance(own, tuple) and len(own) == 2 and all(map(_is_count, own))):
        raise OptionError(f"{name}={shown(value)} must be a number of levels of at least 2, or a pair (least, most).")


def _check_number(name: str, value: object) -> None:
    if not isinstance(value, int | float) or not abs(value) < _TOO_LARGE:
        raise OptionError(f"{name}={shown(value)} must be a number.")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and 2 <= value <= _MOST_LEVELS


@checked_arguments(
    n=at_least(1),
    density=_check_number,
    levels=_check_levels,
    max_parents=at_least(0),
    continuous=flag,
    categorical_share=_check_number,
    seed=at_least(0),
)
def random_network(
    n: int,
    *,
    density: float = 1.5,
    levels: int | tuple[int, int] = (2, 4),
    max_parents: int = 4,
    continuous: bool = False,
    kinds: str | None = None,
    categorical_share: float = 0.5,
    seed: int,
) -> Network:
    """Generate a random network, which is the same on every machine.

    Parameters
    ----------
    n : int
        Number of nodes, at most 20,000. They are called X0, X1, ...; the topological order is random.
    density : float
        Mean number of parents.
    levels : int or (least, most)
        Number of levels of a categorical node.
    max_parents : int
    continuous : bool
        The same as kinds="continuous".
    kinds : {"categorical", "continuous", "mixed"}
        "categorical", the default: tables of uniform random distributions. "continuous": linear Gaussians with
        coefficients of size 0.5 to 1.5. "mixed": both kinds of nodes, and no arc from a continuous to a categorical
        one. In a mixed network the continuous nodes have variances of about 1: 0.35 comes from categorical
        parents (through the intercepts) and 0.4 from continuous ones (through coefficients of random signs). All
        parameters are drawn independently for each configuration of the categorical parents.
    categorical_share : float
        Share of categorical nodes in a mixed network, which has at least one node of each kind.
    seed : int

    Returns
    -------
    Network

    Examples
    --------
    >>> random_network(6, kinds="mixed", seed=1)
    <Network 'random mixed 6, seed 1': 6 mixed nodes, 5 arcs>
    """
    least, most = (levels, levels) if isinstance(levels, int) else levels
    if n < 1 or density < 0 or not 2 <= least <= most or max_parents < 0:
        raise OptionError("a random network needs n >= 1, density >= 0, 2 <= least <= most levels, max_parents >= 0.")
    if n > MOST_NODES:
        raise OptionError(f"a random network has at most {MOST_NODES:,} nodes; n={n:,} are too many.")
    kinds = _requested_kinds(continuous, kinds)
    names = [f"X{v}" for v in range(n)]
    network_stream = Stream(seed, "network")
    order = _shuffled(network_stream, n)
    random_sizes = least + (network_stream.uniform(n) * (most - least + 1)).astype(int)
    sizes = dict(zip(names, random_sizes.tolist(), strict=True))
    kind = dict(zip(names, _kinds_of_nodes(n, kinds, categorical_share, network_stream), strict=True))

    distributions: dict[Name, Distribution] = {}
    for position, v in enumerate(order):
        node, stream = names[v], Stream(seed, names[v])
        before = [names[u] for u in order[:position]]
        if kind[node] == "categorical":
            before = [name for name in before if kind[name] == "categorical"]
        # The mean number of parents is about `density`, although the first nodes have few candidates.
        wanted = min(len(before), max_parents, int(min(density * 2 * stream.uniform(1)[0], MOST_NODES) + 0.5))
        picks = np.argsort(stream.uniform(len(before)), kind="stable")[:wanted]
        parents = tuple(before[p] for p in sorted(picks.tolist()))
        if kind[node] == "categorical":
            distributions[node] = _table(parents, sizes[node], sizes, stream)
        elif kinds == "continuous":
            distributions[node] = _linear_gaussian(parents, stream)
        else:
            categorical = [parent for parent in parents if kind[parent] == "categorical"]
            distributions[node] = _standardised(
                categorical, [parent for parent in parents if parent not in categorical], sizes, stream
            )
    title = f"random {'mixed ' if kinds == 'mixed' else ''}{n}, seed {seed}"
    return Network({name: distributions[name] for name in names}, name=title)


def _requested_kinds(continuous: bool, kinds: str | None) -> str:
    if kinds is None:
        return "continuous" if continuous else "categorical"
    one_of("kinds", kinds, KINDS)
    if continuous and kinds != "continuous":
        raise OptionError(
            f"continuous=True means kinds='continuous', which contradicts kinds={shown(kinds)}. Use one of them."
        )
    return kinds


def _kinds_of_nodes(n: int, kinds: str, share: float, stream: Stream) -> list[Kind]:
    if kinds != "mixed":
        return ["continuous" if kinds == "continuous" else "categorical"] * n
    if n < 2 or not 0 < share < 1:
        raise OptionError("a mixed random network needs n >= 2 and a categorical_share between 0 and 1.")
    wanted = min(max(round(share * n), 1), n - 1)
    categorical = set(_shuffled(stream, n)[:wanted])
    return ["categorical" if v in categorical else "continuous" for v in range(n)]


def _shuffled(stream: Stream, n: int) -> list[int]:
    """Return the numbers below n in random order."""
    shuffled: list[int] = np.argsort(stream.uniform(n), kind="stable").tolist()
    return shuffled


def _table(parents: tuple[Name, ...], levels: int, sizes: Mapping[str, int], stream: Stream) -> CPT:
    shape = (*(sizes[str(parent)] for parent in parents), levels)
    if math.prod(shape) > _MOST_NUMBERS:
        raise OptionError(
            f"a node would have a table of {math.prod(shape):,} probabilities. Ask for fewer levels or max_parents."
        )
    # Exponential deviates divided by their sum are uniform on the simplex.
    drawn = stream.exponential(int(np.prod(shape))).reshape(shape)
    names = tuple(f"s{level}" for level in range(levels))
    return CPT(names, parents, drawn / drawn.sum(axis=-1, keepdims=True))


def _linear_gaussian(parents: tuple[Name, ...], stream: Stream) -> LinearGaussian:
    return LinearGaussian(parents, tuple(_signed(stream, len(parents)).tolist()), 0.0, 1.0)


def _signed(stream: Stream, n: int) -> NDArray[np.float64]:
    """Draw numbers of size 0.5 to 1.5 with random signs."""
    sizes = stream.uniform(n)
    signs = np.where(stream.uniform(n) < 0.5, -1.0, 1.0)
    return np.asarray(signs * (0.5 + sizes))


def _standardised(
    categorical: Sequence[str], continuous: Sequence[str], sizes: Mapping[str, int], stream: Stream
) -> LinearGaussian | ConditionalGaussian:
    """Draw a continuous node with variance 1, given independent, standardised parents with equally frequent levels."""
    shape = tuple(sizes[parent] for parent in categorical)
    configurations, k = int(np.prod(shape)), len(continuous)
    noise = np.full(configurations, 1.0)
    intercepts = np.zeros(configurations)
    coefficients = _signed(stream, configurations * k).reshape(configurations, k)
    if k:
        coefficients *= np.sqrt(_FROM_CONTINUOUS / (coefficients**2).sum(axis=1, keepdims=True))
        noise -= _FROM_CONTINUOUS
    if categorical:
        # Evenly spaced and then shuffled, so that no two configurations have nearly the same intercept.
        intercepts = np.array(_shuffled(stream, configurations)) - (configurations - 1) / 2
        # The mean square of the intercepts of q configurations is (q * q - 1) / 12.
        intercepts *= np.sqrt(_FROM_CATEGORICAL * 12 / (configurations * configurations - 1))
        noise -= _FROM_CATEGORICAL
        noise *= 0.5 + stream.uniform(configurations)
    sds = np.sqrt(noise)
    if not categorical:
        return LinearGaussian(tuple(continuous), tuple(coefficients[0].tolist()), 0.0, float(sds[0]))
    return ConditionalGaussian(
        tuple(categorical),
        tuple(continuous),
        intercepts.reshape(shape),
        coefficients.reshape(*shape, k),
        sds.reshape(shape),
    )
