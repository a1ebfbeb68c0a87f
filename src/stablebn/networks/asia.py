"""The Asia network, written from its published numbers.

References
----------
Lauritzen and Spiegelhalter, "Local computations with probabilities on graphical structures and their
application to expert systems", Journal of the Royal Statistical Society B 50 (1988), table 1.
"""

from __future__ import annotations

import numpy as np

from stablebn.networks.model import CPT, Distribution, Name, Network

# Parents, and the probability of "yes" by their values, the last parent changing fastest (yes before no).
_NUMBERS: dict[str, tuple[tuple[str, ...], tuple[float, ...]]] = {
    "asia": ((), (0.01,)),
    "tub": (("asia",), (0.05, 0.01)),
    "smoke": ((), (0.5,)),
    "lung": (("smoke",), (0.1, 0.01)),
    "bronc": (("smoke",), (0.6, 0.3)),
    "either": (("lung", "tub"), (1.0, 1.0, 1.0, 0.0)),
    "xray": (("either",), (0.98, 0.05)),
    "dysp": (("bronc", "either"), (0.9, 0.8, 0.7, 0.1)),
}


def asia() -> Network:
    """Return the Asia network: eight variables with levels "yes" and "no", eight arcs, 18 free parameters."""
    distributions: dict[Name, Distribution] = {}
    for node, (parents, yes) in _NUMBERS.items():
        # Rounded to decimals, because 1 - 0.98 in binary is not the double nearest to 0.02.
        table = np.array([[p, round(1 - p, 10)] for p in yes]).reshape((2,) * (len(parents) + 1))
        distributions[node] = CPT(("yes", "no"), parents, table)
    return Network(distributions, name="asia")
