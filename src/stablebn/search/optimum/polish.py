"""Multipliers made so exact that their bound is the loss of the best DAG, to the last unit.

Those of a solver are right to some 1e-9 nats. Where many DAGs are equally good that leaves all of them open, and they
may be too many to list. But losses are integers: a bound that misses one by less than a unit is that loss.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stablebn.search.optimum.components import Alive, Component
from stablebn.search.optimum.proof import Multipliers, apply
from stablebn.stats.variable_sets import bit

# Units of 2**-62: a choice whose reduced loss is so near to that of the DAG's own is taken to have the same.
_NEAR = 1 << 42
_DENOMINATOR = 1 << 24
_ROUNDS = 6


def polished(
    component: Component, alive: Alive, choices: Sequence[int], own: Multipliers, most: int
) -> Multipliers | None:
    """Multipliers near given ones whose bound is `most`, the loss of the DAG with these choices; None: not found.

    A bound is the loss of a DAG if each of its choices has the least reduced loss of its variable, and each cluster and
    packing of a number above 0 holds with equality in it. So the reduced losses of choices that are nearly the least
    are made equal: a system of linear equations, solved by floats and refined by residuals in integers.
    """
    inside = [component.inside[place][at] for place, at in enumerate(choices)]
    clusters = [(of, value) for of, value in own.clusters if _without_parent(of, inside) == 1]
    packings = [(of, value) for of, value in own.packings if _with_all_others(of, inside) == 1]
    start = Multipliers(tuple(clusters), tuple(packings))
    columns = len(clusters) + len(packings)
    rows: list[list[tuple[int, int]]] = []
    wanted: list[int] = []
    for place, left in enumerate(alive):
        credit = start.credit(place)
        base = component.losses[place][choices[place]] - credit(inside[place])
        mine = dict(_terms(start, place, inside[place]))
        for at in left:
            parents = component.inside[place][at]
            if at == choices[place] or abs(component.losses[place][at] - credit(parents) - base) > _NEAR:
                continue
            difference = dict(_terms(start, place, parents))
            for column, sign in mine.items():
                difference[column] = difference.get(column, 0) - sign
            row = [(column, sign) for column, sign in difference.items() if sign]
            if row:
                rows.append(row)
                wanted.append(component.losses[place][at] - component.losses[place][choices[place]])
    if not rows or not columns:
        return None
    matrix = np.zeros((len(rows), columns))
    for number, row in enumerate(rows):
        for column, sign in row:
            matrix[number, column] = sign
    solver = np.linalg.pinv(matrix)
    values = [value * _DENOMINATOR for _, value in (*clusters, *packings)]
    for _ in range(_ROUNDS):
        residuals = [
            _DENOMINATOR * want - sum(sign * values[column] for column, sign in row)
            for row, want in zip(rows, wanted, strict=True)
        ]
        if not any(residuals):
            break
        change = solver @ np.array([float(of) for of in residuals])
        values = [value + round(float(of)) for value, of in zip(values, change, strict=True)]
    if min(values) < 0:
        return None
    found = Multipliers(
        tuple((of, value) for (of, _), value in zip(clusters, values[: len(clusters)], strict=True)),
        tuple((of, value) for (of, _), value in zip(packings, values[len(clusters) :], strict=True)),
        _DENOMINATOR,
    )
    return found if apply(component, alive, found, most)[0] == most else None


def _terms(own: Multipliers, place: int, parents: int) -> list[tuple[int, int]]:
    """Which numbers are taken away from the loss of a choice (1) or added to it (-1), by their places."""
    found = [(at, 1) for at, (of, _) in enumerate(own.clusters) if of >> place & 1 and not of & parents]
    first = len(own.clusters)
    found += [
        (first + at, -1)
        for at, (of, _) in enumerate(own.packings)
        if of >> place & 1 and not of & ~bit(place) & ~parents
    ]
    return found


def _without_parent(cluster: int, inside: Sequence[int]) -> int:
    return sum(1 for place, parents in enumerate(inside) if cluster >> place & 1 and not parents & cluster)


def _with_all_others(packing: int, inside: Sequence[int]) -> int:
    return sum(1 for place, own in enumerate(inside) if packing >> place & 1 and not packing & ~bit(place) & ~own)
