"""Random networks, for tests of scale."""

from __future__ import annotations

import numpy as np

from stablebn.errors import OptionError
from stablebn.networks.model import CPT, Distribution, LinearGaussian, Name, Network
from stablebn.networks.streams import Stream


def random_network(
    n: int,
    *,
    density: float = 1.5,
    levels: int | tuple[int, int] = (2, 4),
    max_parents: int = 4,
    continuous: bool = False,
    seed: int,
) -> Network:
    """A random network, the same on every machine.

    Parameters
    ----------
    n : int
        Number of nodes; they are called X0, X1, ..., and any of them may come first in topological order.
    density : float
        Mean number of parents.
    levels : int or (least, most)
        Number of levels of a categorical node.
    max_parents : int
    continuous : bool
        Linear Gaussians with coefficients of size 0.5 to 1.5, instead of tables of uniform random distributions.
    seed : int

    Returns
    -------
    Network
    """
    least, most = (levels, levels) if isinstance(levels, int) else levels
    if n < 1 or density < 0 or not 2 <= least <= most or max_parents < 0:
        raise OptionError("a random network needs n >= 1, density >= 0, 2 <= least <= most levels, max_parents >= 0.")
    names = [f"X{v}" for v in range(n)]
    whole = Stream(seed, "network")
    rank = np.argsort(np.argsort(whole.uniform(n), kind="stable"), kind="stable")
    order = sorted(range(n), key=lambda v: int(rank[v]))
    sizes = dict(zip(names, (least + (whole.uniform(n) * (most - least + 1)).astype(int)).tolist(), strict=True))

    distributions: dict[Name, Distribution] = {}
    for place, v in enumerate(order):
        stream = Stream(seed, names[v])
        # Mean `density` over all nodes, though the first ones have few candidates.
        wanted = min(place, max_parents, int(density * 2 * stream.uniform(1)[0] + 0.5))
        picks = np.argsort(stream.uniform(place), kind="stable")[:wanted]
        parents = tuple(names[order[p]] for p in sorted(picks.tolist()))
        if continuous:
            sizes_of = stream.uniform(len(parents))
            signs = np.where(stream.uniform(len(parents)) < 0.5, -1.0, 1.0)
            distributions[names[v]] = LinearGaussian(parents, tuple((signs * (0.5 + sizes_of)).tolist()), 0.0, 1.0)
        else:
            shape = (*(sizes[parent] for parent in parents), sizes[names[v]])
            # Exponentials over their sum are uniform on the simplex.
            drawn = stream.exponential(int(np.prod(shape))).reshape(shape)
            own = tuple(f"s{level}" for level in range(shape[-1]))
            distributions[names[v]] = CPT(own, parents, drawn / drawn.sum(axis=-1, keepdims=True))
    return Network({name: distributions[name] for name in names}, name=f"random {n}, seed {seed}")
