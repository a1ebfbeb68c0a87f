from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from stablebn import _core
from stablebn.fixed_point import limbs


def _least(parents: list[list[int]], losses: list[list[int]]) -> int | None:
    """What the best of all orders loses; None if in each some variable has no choice."""
    found = []
    for order in permutations(range(len(parents))):
        first, total = 0, 0
        for v in order:
            fitting = [loss for own, loss in zip(parents[v], losses[v], strict=True) if not own & ~first]
            if not fitting:
                break
            total += min(fitting)
            first |= 1 << v
        else:
            found.append(total)
    return min(found, default=None)


@pytest.mark.parametrize("choices", [3, 40, 400])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_the_least_loss_is_that_of_brute_force_also_with_more_choices_than_sets(n: int, choices: int) -> None:
    # Choices that differ only outside a part are the same in it, and not every variable can be without parents.
    rng = np.random.default_rng(100 * n + choices)
    for _ in range(30):
        rare = rng.random() < 0.5
        parents, losses = [], []
        for v in range(n):
            own = [int(of) & ~(1 << v) for of in rng.integers(0, 1 << n, choices)]
            # Small sets stand late, so that what fits comes after many that do not.
            own.sort(key=lambda of: -of.bit_count())
            parents.append([of for of in own if of.bit_count() > 0 or not rare] or [0])
            losses.append(sorted(rng.integers(0, 1000, len(parents[-1])).tolist()))
        found, *_ = _core.best_dags(
            parents, [np.array([limbs(loss) for loss in own], dtype=np.int64) for own in losses], [[]] * n, 0, 0
        )
        right = _least(parents, losses)
        assert found == right if right is not None else found >= 1 << 117
