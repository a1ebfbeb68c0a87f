"""`verify`: whether a certificate holds for a table; `prove`: how far any graph is from the best one."""

from __future__ import annotations

import os
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stablebn.api import learn_among
from stablebn.arguments import LearnArguments
from stablebn.certificate import Certificate
from stablebn.data import CategoricalTable
from stablebn.errors import CertificateError, GraphError, OptionError
from stablebn.knowledge import KnownArcs
from stablebn.learners import Problem, SearchConfig
from stablebn.learners.exact import BestDag
from stablebn.options import options_of
from stablebn.result import Result
from stablebn.scores.registry import ScoreConfig
from stablebn.search.candidates import candidate_sets
from stablebn.search.optimum.search import proof_of


@dataclass(frozen=True)
class Verified:
    """What a certificate proves of a graph.

    Attributes
    ----------
    optimal : bool
        Whether no graph that is allowed has a higher score.
    score : float
    bound, gap : float or None
        What no graph exceeds, and how much more that is; None where no bound is known.
    result : Result
        The graph that the certificate is about.
    """

    optimal: bool
    score: float
    bound: float | None
    gap: float | None
    result: Result

    def __str__(self) -> str:
        proof = self.result.proof
        if proof is None:
            return ""
        certificate = proof.certificate
        assumed = [f"{name}={value!r}" for name, value in certificate.options.items()]
        if certificate.forbidden:
            assumed.append(f"{len(certificate.forbidden)} arcs forbidden")
        return proof.sentence() + (f" Given {', '.join(assumed)}." if assumed else "")


def verify(
    certificate: Certificate | str | os.PathLike[str],
    data: object,
    *,
    weights: object = None,
    names: Sequence[Hashable] | None = None,
    threads: int | None = None,
) -> Verified:
    """Check a certificate against a table: in integers, without the solver that has made it.

    Candidate parent sets and their scores are worked out anew from the table; then every bound of the certificate.

    Parameters
    ----------
    certificate : Certificate, or the path of its file
    data, weights, names, threads
        As in `learn`: the table that the graph was learned from, in any layout.

    Returns
    -------
    Verified

    Raises
    ------
    CertificateError
        It does not hold: it is damaged, or belongs to another table.

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(500, seed=1)
    >>> certificate = sb.learn(table, "exact").certificate
    >>> sb.verify(certificate, table).optimal
    True
    """
    own = certificate if isinstance(certificate, Certificate) else Certificate.read(certificate)
    given: dict[str, Any] = {"weights": weights, "names": names, "threads": threads}
    options = {**own.options, **{name: value for name, value in given.items() if value is not None}}
    if isinstance(options.get("kinds"), list):
        options["kinds"] = dict(options["kinds"])
    try:
        asked = LearnArguments.of_learn((data, "exact"), options)
    except OptionError as error:
        raise CertificateError(f"the certificate has options that cannot be: {error}") from None
    known = KnownArcs(forbidden=own.forbidden)
    result = learn_among(asked, known, lambda problem, config: _checked(own, problem, config))
    assert result.score is not None
    proof = result.proof
    assert proof is not None
    return Verified(proof.optimal, result.score, proof.bound, proof.gap, result)


@dataclass(frozen=True)
class Distance:
    """How far a graph is from the best one.

    Attributes
    ----------
    optimal : bool
        Whether it is proven that no graph has a higher score.
    at_least, at_most : float, float or None
        So many nats it is below the best graph; None where no bound is known. They are equal if that is proven.
    best : Result
        The best graph that was found.
    """

    optimal: bool
    at_least: float
    at_most: float | None
    best: Result

    def __str__(self) -> str:
        if self.optimal:
            return "This is the best graph: it is proven."
        if self.at_most is None:
            return f"At least {self.at_least:,.3g} nats below the best graph; at most how many is not known."
        if self.at_most == self.at_least:
            return f"{self.at_least:,.4g} nats below the best graph."
        return f"At most {self.at_most:,.4g} nats below the best graph, and at least {self.at_least:,.4g}."


def prove(
    result: Result,
    data: object,
    *,
    max_parents: int | None = None,
    max_sets: int | None = None,
    max_time: float | None = None,
    weights: object = None,
    names: Sequence[Hashable] | None = None,
    threads: int | None = None,
) -> Distance:
    """Say how far a learned graph is from the best graph that the same score has for the same table.

    Parameters
    ----------
    result : Result
        Of any learner. The best graph is looked for without the knowledge that it was learned with.
    data, weights, names, threads
        As in `learn`: the table that it was learned from.
    max_parents, max_sets, max_time
        As in `learn` with `algorithm="exact"`.

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(500, seed=1)
    >>> print(sb.prove(sb.learn(table, "hc"), table))
    This is the best graph: it is proven.
    """
    if result.score is None:
        raise GraphError("the graph has no score, so there is nothing to prove. See its `warnings`.")
    kept = {*(own.name for own in options_of(ScoreConfig)), "missing", "discretise", "bins", "duplicates", "unit_free"}
    options: dict[str, Any] = {name: value for name, value in result.config.items() if name in kept}
    if isinstance(result.prepared.table, CategoricalTable):
        options.pop("unit_free", None)
    options |= {"kinds": dict(result.kinds), "max_parents": max_parents, "max_sets": max_sets, "max_time": max_time}
    options |= {"weights": weights, "names": names, "threads": threads}
    if options.get("discretise") is not None:
        del options["kinds"]
    given = {name: value for name, value in options.items() if value is not None}
    best = learn_among(LearnArguments.of_learn((data, "exact"), given))
    assert best.score is not None
    at_least = max(0.0, best.score - result.score)
    at_most = None if best.bound is None else max(0.0, best.bound - result.score)
    return Distance(at_most == 0.0, at_least, at_most, best)


def _checked(own: Certificate, problem: Problem, config: SearchConfig) -> BestDag:
    """The graph of a certificate, once all that it says is seen to hold."""
    if problem.names != own.variables:
        raise CertificateError("the certificate is not of this table: other columns, or columns in another order.")
    candidates = candidate_sets(
        problem.scores, max_parents=config.max_parents, allowed=problem.allowed, most_scored=config.max_sets
    )
    try:
        proof = proof_of(candidates, own.parents, own.trees)
    except (ValueError, IndexError) as error:
        raise CertificateError(f"the certificate does not hold for this table: {error}.") from None
    if (proof.score, proof.bound) != (own.score, own.bound):
        raise CertificateError("the certificate does not hold for this table: its score or its bound is another one.")
    return BestDag(
        parents=own.parents,
        score=proof.score,
        order=problem.decreasing,
        start=problem.scores.dag([0] * problem.scores.n),
        steps=np.zeros((0, 9), dtype=np.int64),
        deltas=np.zeros((0, 2)),
        finished=proof.optimal,
        proof=proof,
        limits={},
    )
