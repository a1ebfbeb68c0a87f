"""`stablebn.near_optimal`: list every graph that scores nearly as much as the best one, and what they share."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Context
from fractions import Fraction
from typing import Any

import numpy as np

from stablebn.api.arguments import LearnArguments
from stablebn.api.learn import learn_from_request
from stablebn.api.request import LearnRequest
from stablebn.errors import OptionError, listed, shown
from stablebn.exact.near_dags import NearDags, TooLargeError, near_dags
from stablebn.exact.ties import class_of
from stablebn.fixed_point import UNIT, to_float
from stablebn.graph import DAG, PDAG
from stablebn.graph.names import name_key
from stablebn.learners import Problem, SearchConfig
from stablebn.learners.shared.graph_scores import GraphScores
from stablebn.messages import Caution, counted
from stablebn.options import at_least
from stablebn.search import Climb
from stablebn.search.equivalence_classes import known_arcs
from stablebn.search.parent_sets import CandidateSets, candidate_sets
from stablebn.stats.variable_sets import members

Pair = tuple[Hashable, Hashable]

USUAL_FACTOR = 3.0
USUAL_LIMIT = 100_000

_MOST_NATS = 1000.0
_MOST_DAGS = 10**7

# Decimals are the same on every machine; logarithms and powers of the C library are not.
_DECIMALS = Context(prec=50)
_WEIGHT_UNIT = 10**30


@dataclass(frozen=True)
class NearClass:
    """A Markov equivalence class with at least one DAG within the margin.

    Attributes
    ----------
    pdag : PDAG
        The edges that its allowed DAGs share: an edge is directed if none of them has the other direction.
    score : float
        The highest score of its DAGs; all have it, unless the score is `k2`, `bds`, `adaptive` or additive `basis`,
        or values are missing.
    below : float
        The difference to the best score, in nats.
    dags : int
        The number of its DAGs within the margin.
    weight : float
        The share of these DAGs in the weights of all DAGs within the margin.
    """

    pdag: PDAG
    score: float
    below: float
    dags: int
    weight: float


@dataclass(frozen=True, repr=False)
class NearOptimal:
    """The DAGs whose score is within a margin of the best score, and what they have in common.

    The weight of a DAG is exp(its score). Shares of weights are probabilities if all DAGs were equally likely before
    the data were seen (with `prior="size"`: if each arc divided that by the number of variables), and those that are
    not listed are left out: so a class with more DAGs has more weight.

    Attributes
    ----------
    score : float
        The best score.
    within : float
        The requested margin in nats.
    covered : float
        Every DAG that was looked for and scores up to so much less than the best is listed, and no other: `within`, or
        less where there are more than `limit`.
    limit : int
        The largest number of DAGs that are listed.
    most_parents : int or None
        DAGs with more parents of a variable were not searched, because `max_sets` was reached; `None` if all were.
    classes : tuple of NearClass
        By decreasing score.
    dags : int
        Number of DAGs, of all classes together.
    arcs : dict of (from, to) to float
        The share of the DAGs, by weight, that have the arc. Arcs that no DAG has are left out.
    edges : dict of (a, b) to float
        The share that has an arc between a and b, whatever its direction; the names are sorted.
    config : dict
        The score and all options, as they were used.
    rows : int
        The number of rows used (by weight).
    warnings : tuple of Caution
        Warnings about the data.
    """

    score: float
    within: float
    covered: float
    limit: int
    most_parents: int | None
    classes: tuple[NearClass, ...]
    dags: int
    arcs: Mapping[Pair, float]
    edges: Mapping[Pair, float]
    config: Mapping[str, Any]
    rows: int
    warnings: tuple[Caution, ...] = field(compare=False)

    @property
    def complete(self) -> bool:
        """Whether all DAGs within the margin are listed."""
        return self.covered >= self.within and self.most_parents is None

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The variables, in column order."""
        return self.classes[0].pdag.nodes

    def to_dict(self) -> dict[str, Any]:
        """Return everything in types that JSON has: equal runs give equal texts."""
        return {
            "nodes": list(self.nodes),
            "score": self.score,
            "within": self.within,
            "covered": self.covered,
            "complete": self.complete,
            "limit": self.limit,
            "most_parents": self.most_parents,
            "dags": self.dags,
            "classes": [
                {
                    "directed": [list(edge) for edge in own.pdag.directed],
                    "undirected": [list(edge) for edge in own.pdag.undirected],
                    "score": own.score,
                    "below": own.below,
                    "dags": own.dags,
                    "weight": own.weight,
                }
                for own in self.classes
            ],
            "arcs": [[a, b, share] for (a, b), share in self.arcs.items()],
            "edges": [[a, b, share] for (a, b), share in self.edges.items()],
            "rows": self.rows,
            "config": dict(self.config),
            "warnings": [str(caution) for caution in self.warnings],
        }

    def to_json(self) -> str:
        """Return `to_dict` as JSON text, one entry per line; names of other types are written as text."""
        lines = [
            f' "{key}": {json.dumps(value, default=str, ensure_ascii=False)}' for key, value in self.to_dict().items()
        ]
        return "{\n" + ",\n".join(lines) + "\n}"

    def summary(self) -> str:
        """Return a short text: first the answer, then the warnings."""
        best = sum(own.below == 0 for own in self.classes)
        lines = [
            f"{counted(self.dags, 'DAG')} in {counted(len(self.classes), 'class', 'classes')} "
            f"{'scores' if self.dags == 1 else 'score'} within "
            f"{self.covered:.4g} nats of the best, {str(self.config['score']).upper()} {self.score:,.2f}"
            + (f"; {best:,} classes are equally the best." if best > 1 else ".")
        ]
        shared = sum(share == 1 for share in self.edges.values())
        directed = sum(share == 1 for share in self.arcs.values())
        lines.append(f"  All of them have {shared} of {counted(len(self.edges), 'edge')}, {directed} in one direction.")
        if self.covered < self.within:
            lines.append(
                f"  More than limit={self.limit:,} DAGs are within {self.within:.4g} nats: those within "
                f"{self.covered:.4g} are listed."
            )
        if self.most_parents is not None:
            lines.append(
                f"  DAGs with more than {counted(self.most_parents, 'parent')} of a variable were not looked for, as "
                f"max_sets={self.config['max_sets']:,} was met: some may be within the margin, or better."
            )
        lines += [f"  {caution}" for caution in self.warnings]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.summary()


def near_optimal(
    data: object,
    *,
    within: float | None = None,
    factor: float | None = None,
    limit: int = USUAL_LIMIT,
    **options: Any,
) -> NearOptimal:
    """List all graphs that score nearly as much as the best one.

    Parameters
    ----------
    data : table
        As in `learn`.
    within : float, optional
        List DAGs that score at most this many nats less than the best.
    factor : float, optional
        The same as a Bayes factor, within=ln(factor): DAGs under which the data are up to so many times less likely, as
        the score has it. By default 3.
    limit : int
        The largest number of DAGs to list. If there are more, those within a smaller margin are listed: see `covered`.
    **options
        Of the table and the score, `max_parents`, `max_sets` and `threads`: as in `learn` with `algorithm="exact"`.

    Returns
    -------
    NearOptimal

    Raises
    ------
    OptionError
        There are too many such graphs even within the smallest margin, or too many variables are connected.

    References
    ----------
    Liao, Sharma, Cussens and van Beek, "Finding all Bayesian network structures within a factor of optimal", 2019.

    Examples
    --------
    >>> import stablebn as sb
    >>> found = sb.near_optimal(sb.read_network("asia").sample(500, seed=1))
    >>> found.complete, found.dags >= len(found.classes)
    (True, True)
    """
    margin = _margin(within, factor)
    at_least(1, most=_MOST_DAGS)("limit", limit)
    refused = [name for name in ("max_time", "progress", "algorithm") if options.get(name) is not None]
    if refused:
        raise OptionError(f"near_optimal has no option {listed(refused)}. Leave it out; limit= and max_sets= bound it.")
    asked = LearnArguments.of_learn((data, "exact"), options)
    found: list[tuple[Problem, CandidateSets, NearDags]] = []

    def search(problem: Problem, config: SearchConfig) -> Climb:
        candidates, near = _search(problem, config, margin, limit)
        found.append((problem, candidates, near))
        return Climb(
            parents=near.parents[0],
            score=near.best,
            order=problem.decreasing,
            start=problem.scores.dag([0] * problem.scores.n),
            steps=np.zeros((0, 9), dtype=np.int64),
            deltas=np.zeros((0, 2)),
            finished=True,
        )

    result = learn_from_request(LearnRequest.of(asked, search=search))
    [(problem, candidates, near)] = found
    weights = _weights(near.below)
    arcs, edges = _shares(near, weights, problem.names)
    return NearOptimal(
        score=to_float(_score(problem, near.parents[0])),
        within=to_float(margin),
        covered=to_float(margin) if near.covered == margin else _rounded_down(near.covered),
        limit=limit,
        most_parents=None if candidates.complete else candidates.most_parents,
        classes=_classes(near, weights, problem, result.nodes),
        dags=len(near.parents),
        arcs=arcs,
        edges=edges,
        config={name: value for name, value in result.config.items() if name not in ("algorithm", "max_time")},
        rows=result.rows,
        warnings=result.warnings,
    )


def _margin(within: float | None, factor: float | None) -> int:
    """Return the margin in units of 2**-62, rounded up."""
    if within is not None and factor is not None:
        raise OptionError("within= and factor= say the same thing, within=ln(factor). Say one of them.")
    if within is not None:
        if not _is_number(within) or not 0 <= within <= _MOST_NATS:
            raise OptionError(f"within={shown(within)}: must be a number of nats from 0 to {_MOST_NATS:g}.")
        return math.ceil(Fraction(within) * UNIT)
    factor = USUAL_FACTOR if factor is None else factor
    if not _is_number(factor) or not 1 <= factor <= math.exp(_MOST_NATS / 2):
        raise OptionError(f"factor={shown(factor)}: must be a number of at least 1, say 3, 20 or 150.")
    return math.ceil(_DECIMALS.ln(_DECIMALS.create_decimal(factor)) * UNIT)


def _rounded_down(value: int) -> float:
    """Return the largest double that is at most a fixed-point number."""
    nearest = to_float(value)
    return math.nextafter(nearest, -math.inf) if Fraction(nearest) * UNIT > value else nearest


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _search(problem: Problem, config: SearchConfig, margin: int, limit: int) -> tuple[CandidateSets, NearDags]:
    """Return the candidate parent sets for a margin, and the DAGs within it."""
    candidates = candidate_sets(
        problem.scores,
        max_parents=config.most_parents,
        constraints=problem.constraints,
        within=margin,
        most_scored=config.max_sets,
    )
    try:
        near = near_dags(candidates, margin, limit)
    except TooLargeError as error:
        names = sorted((problem.names[v] for v in error.variables), key=name_key)
        raise OptionError(
            f"the DAGs within this margin cannot be listed: {len(names)} variables hang together, {listed(names)}. A "
            "smaller margin, max_parents= or fewer columns may help."
        ) from None
    if not near.parents:
        raise OptionError(f"more than limit={limit} DAGs have the best score. Say a higher limit.")
    return candidates, near


def _decided(parents: Sequence[int], problem: Problem) -> list[Pair]:
    """Return the arcs of a DAG whose direction the constraints decide."""
    if problem.constraints is None:
        return []
    return [(problem.names[u], problem.names[v]) for u, v in known_arcs(parents, problem.constraints)]


def _score(problem: Problem, parents: Sequence[int]) -> int:
    """Return the score of a DAG, all of whose families are candidates."""
    score = GraphScores.of_problem(problem).of_dag(parents)
    assert score is not None
    return score


def _weights(below: Sequence[int]) -> list[int]:
    """Return exp(-below) for each DAG as an integer, in units of 10**-30: integer sums do not depend on the order."""
    known: dict[int, int] = {}
    for own in below:
        if own not in known:
            nats = _DECIMALS.divide(_DECIMALS.create_decimal(-own), _DECIMALS.create_decimal(UNIT))
            known[own] = int(_DECIMALS.multiply(_DECIMALS.exp(nats), _DECIMALS.create_decimal(_WEIGHT_UNIT)))
    return [known[own] for own in below]


def _classes(
    near: NearDags, weights: Sequence[int], problem: Problem, nodes: Sequence[Hashable]
) -> tuple[NearClass, ...]:
    """Group the DAGs by class, sorted by the best score of each class, ties in the order of the DAGs."""
    places: dict[object, list[int]] = {}
    for at, parents in enumerate(near.parents):
        places.setdefault(class_of(parents), []).append(at)
    top = _score(problem, near.parents[0])
    total = sum(weights)
    found = []
    for own in places.values():
        first = own[0]
        arcs = [(problem.names[u], problem.names[v]) for v, of in enumerate(near.parents[first]) for u in members(of)]
        found.append(
            NearClass(
                pdag=DAG(nodes, arcs).cpdag(_decided(near.parents[first], problem)),
                score=to_float(top - near.below[first]),
                below=to_float(near.below[first]),
                dags=len(own),
                weight=sum(weights[at] for at in own) / total,
            )
        )
    return tuple(found)


def _weights_of_arcs(near: NearDags, weights: Sequence[int]) -> dict[tuple[int, int], int]:
    """Sum the weights of the DAGs that have an arc, for each arc."""
    by_family: dict[tuple[int, int], int] = {}
    for parents, weight in zip(near.parents, weights, strict=True):
        for family in enumerate(parents):
            by_family[family] = by_family.get(family, 0) + weight
    found: dict[tuple[int, int], int] = {}
    for (v, own), weight in by_family.items():
        for u in members(own):
            found[u, v] = found.get((u, v), 0) + weight
    return found


def _shares(
    near: NearDags, weights: Sequence[int], names: Sequence[Hashable]
) -> tuple[dict[Pair, float], dict[Pair, float]]:
    """Return the share of the DAGs that have each arc, and each edge (under sorted names), the greatest first."""
    total = sum(weights)
    of_arcs: dict[Pair, int] = {}
    of_edges: dict[Pair, int] = {}
    for (u, v), weight in _weights_of_arcs(near, weights).items():
        a, b = names[u], names[v]
        of_arcs[a, b] = weight
        edge = (a, b) if name_key(a) < name_key(b) else (b, a)
        of_edges[edge] = of_edges.get(edge, 0) + weight

    def ranked(found: Mapping[Pair, int]) -> dict[Pair, float]:
        order = sorted(found, key=lambda pair: (-found[pair], name_key(pair[0]), name_key(pair[1])))
        return {pair: found[pair] / total for pair in order}

    return ranked(of_arcs), ranked(of_edges)
