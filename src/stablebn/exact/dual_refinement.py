"""Multipliers made so exact that their bound is the loss of the best DAG, to the last unit.

Those of a solver are right to some 1e-9 nats. Where many DAGs are equally good that leaves all of them open, and they
may be too many to list. But losses are integers: a bound that misses one by less than a unit is that loss.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from stablebn.exact.components import Alive, Component
from stablebn.exact.proof import apply
from stablebn.exact.proof_tree import Multipliers, Table

# In units of the programmes: a choice whose reduced loss is so near to that of the DAG's own is taken to have the same.
_NEAR_BITS = 20
_DENOMINATOR = 1 << 24
_ROUNDS = 6


def polished(
    component: Component, alive: Alive, choices: Sequence[int], own: Multipliers, most: int
) -> Multipliers | None:
    """Multipliers near given ones whose bound is `most`, the loss of the DAG with these choices; None: not found.

    A bound is the loss of a DAG if each of its choices has the least reduced loss of its variable, and each cluster and
    table of a number above 0 holds with equality in it. So the reduced losses of choices that are nearly the least
    are made equal: a system of linear equations, solved by floats and refined by residuals in integers.
    """
    near = component.unit >> _NEAR_BITS
    inside = [component.inside[place][at] for place, at in enumerate(choices)]
    clusters = [(of, value) for of, value in own.clusters if _without_parent(of, inside) == 1]
    tables = [(of, value) for of, value in own.tables if _sum_of(of, inside) == of.least]
    start = Multipliers(tuple(clusters), tuple(tables))
    columns = len(clusters) + len(tables)
    rows: list[list[tuple[int, int]]] = []
    wanted: list[int] = []
    for place, left in enumerate(alive):
        credit = start.credit(place)
        base = component.losses[place][choices[place]] - credit(inside[place])
        terms = _terms(start, place)
        mine = terms(inside[place])
        for at in left:
            parents = component.inside[place][at]
            if at == choices[place] or abs(component.losses[place][at] - credit(parents) - base) > near:
                continue
            difference = terms(parents)
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
    values = [value * _DENOMINATOR for _, value in (*clusters, *tables)]
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
        tuple((of, value) for (of, _), value in zip(tables, values[len(clusters) :], strict=True)),
        _DENOMINATOR,
    )
    return found if apply(component, alive, found, most)[0] == most else None


def _terms(own: Multipliers, place: int) -> Callable[[int], dict[int, int]]:
    """How often each number is taken away from the loss of a choice, by its place, as a function of the parents."""
    clusters = [(at, of) for at, (of, _) in enumerate(own.clusters) if of >> place & 1]
    first = len(own.clusters)
    tables = [(first + at, *of.by_parents(place)) for at, (of, _) in enumerate(own.tables) if place in of.places]

    def of(parents: int) -> dict[int, int]:
        found = {at: 1 for at, cluster in clusters if not cluster & parents}
        return found | {at: numbers[parents & others] for at, others, numbers in tables}

    return of


def _without_parent(cluster: int, inside: Sequence[int]) -> int:
    return sum(1 for place, parents in enumerate(inside) if cluster >> place & 1 and not parents & cluster)


def _sum_of(table: Table, inside: Sequence[int]) -> int:
    found = 0
    for place in table.places:
        others, numbers = table.by_parents(place)
        found += numbers[inside[place] & others]
    return found
