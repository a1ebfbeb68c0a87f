"""Refine multipliers until their bound equals the loss of the best DAG exactly.

Multipliers of a solver are exact to about 1e-9 nats. If many DAGs are equally good, this leaves all of them open, and
there may be too many to list. But losses are integers, so a bound that misses one by less than a unit proves it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from stablebn.exact.components import Component, RemainingChoices
from stablebn.exact.proof import apply
from stablebn.exact.proof_tree import LocalCut, Multipliers

# A choice counts as tight if its reduced loss differs by less than 2**-20 units of the linear program from that of the
# DAG's choice.
_NEAR_BITS = 20
_DENOMINATOR = 1 << 24
_ROUNDS = 6

_Row = list[tuple[int, int]]
"""The columns of an equation and their coefficients."""


def refined(
    component: Component, remaining: RemainingChoices, choices: Sequence[int], given: Multipliers, most: int
) -> Multipliers | None:
    """Return multipliers near given ones whose bound is `most`, the loss of the DAG with these choices, or None.

    A bound equals the loss of a DAG if each of its choices has the least reduced loss of its variable, and each cluster
    and local cut with a positive multiplier holds with equality. So the reduced losses of the tight choices are made
    equal: a system of linear equations, solved in floating point and corrected by integer residuals.
    """
    inside = [component.inside[position][at] for position, at in enumerate(choices)]
    clusters = [(cluster, value) for cluster, value in given.clusters if _without_parent(cluster, inside) == 1]
    local_cuts = [(cut, value) for cut, value in given.local_cuts if _sum_of(cut, inside) == cut.least]
    rows, wanted = _equations(component, remaining, choices, Multipliers(tuple(clusters), tuple(local_cuts)))
    if not rows or not (clusters or local_cuts):
        return None
    values = _solved(rows, wanted, [value * _DENOMINATOR for _, value in (*clusters, *local_cuts)])
    if min(values) < 0:
        return None
    multipliers = Multipliers(
        tuple((cluster, value) for (cluster, _), value in zip(clusters, values[: len(clusters)], strict=True)),
        tuple((cut, value) for (cut, _), value in zip(local_cuts, values[len(clusters) :], strict=True)),
        _DENOMINATOR,
    )
    return multipliers if apply(component, remaining, multipliers, most)[0] == most else None


def _equations(
    component: Component, remaining: RemainingChoices, choices: Sequence[int], start: Multipliers
) -> tuple[list[_Row], list[int]]:
    """Return an equation per tight choice: its reduced loss equals that of the DAG's choice of the variable."""
    near = component.unit >> _NEAR_BITS
    rows: list[_Row] = []
    wanted: list[int] = []
    for position, left in enumerate(remaining):
        chosen = choices[position]
        parents_in_dag = component.inside[position][chosen]
        credit = start.credit(position)
        base = component.losses[position][chosen] - credit(parents_in_dag)
        terms = _terms(start, position)
        terms_in_dag = terms(parents_in_dag)
        for at in left:
            parents = component.inside[position][at]
            if at == chosen or abs(component.losses[position][at] - credit(parents) - base) > near:
                continue
            difference = terms(parents)
            for column, sign in terms_in_dag.items():
                difference[column] = difference.get(column, 0) - sign
            row = [(column, sign) for column, sign in difference.items() if sign]
            if row:
                rows.append(row)
                wanted.append(component.losses[position][at] - component.losses[position][chosen])
    return rows, wanted


def _solved(rows: Sequence[_Row], wanted: Sequence[int], start: Sequence[int]) -> list[int]:
    """Return integers near `start` that solve the equations, times the denominator, as well as a few rounds allow."""
    matrix = np.zeros((len(rows), len(start)))
    for number, row in enumerate(rows):
        for column, sign in row:
            matrix[number, column] = sign
    solver = np.linalg.pinv(matrix)
    values = list(start)
    for _ in range(_ROUNDS):
        residuals = [
            _DENOMINATOR * want - sum(sign * values[column] for column, sign in row)
            for row, want in zip(rows, wanted, strict=True)
        ]
        if not any(residuals):
            break
        change = solver @ np.array([float(residual) for residual in residuals])
        values = [value + round(float(step)) for value, step in zip(values, change, strict=True)]
    return values


def _terms(multipliers: Multipliers, position: int) -> Callable[[int], dict[int, int]]:
    """Return how often each multiplier is subtracted from the loss of a choice, as a function of its parents."""
    clusters = [(at, terms_of) for at, (terms_of, _) in enumerate(multipliers.clusters) if terms_of >> position & 1]
    first = len(multipliers.clusters)
    local_cuts = [
        (first + at, *terms_of.by_parents(position))
        for at, (terms_of, _) in enumerate(multipliers.local_cuts)
        if position in terms_of.positions
    ]

    def terms_of(parents: int) -> dict[int, int]:
        terms = {at: 1 for at, cluster in clusters if not cluster & parents}
        return terms | {at: weights[parents & others] for at, others, weights in local_cuts}

    return terms_of


def _without_parent(cluster: int, inside: Sequence[int]) -> int:
    return sum(1 for position, parents in enumerate(inside) if cluster >> position & 1 and not parents & cluster)


def _sum_of(cut: LocalCut, inside: Sequence[int]) -> int:
    total = 0
    for position in cut.positions:
        others, weights = cut.by_parents(position)
        total += weights[inside[position] & others]
    return total
