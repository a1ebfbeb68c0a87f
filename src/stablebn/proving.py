"""`verify`: whether a certificate holds for a table; `prove`: how far any graph is from the best one."""

from __future__ import annotations

import os
import signal
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from stablebn.api import learn_among
from stablebn.arguments import LearnArguments
from stablebn.certificate import Certificate
from stablebn.errors import CertificateError, GraphError, OptionError
from stablebn.graph.json_names import name_from
from stablebn.learners import Problem, SearchConfig
from stablebn.learners.interruption import Interruption
from stablebn.learners.proven import BestDag
from stablebn.options import options_of
from stablebn.result import Result
from stablebn.scores.registry import ScoreConfig
from stablebn.search.candidates import found_by, listed
from stablebn.search.constraints import Constraints
from stablebn.search.optimum.search import MOST_LISTED, best_of_many, proof_of
from stablebn.search.optimum.subsets import MOST_PLACES_AT_ONCE

# Of a score: it may be worked out in another unit, and differ in its last bits.
_SLACK = 1e-9

# Of the options that a graph was learned with, those that say which graphs there are and how they are scored.
_KEPT = frozenset(
    {
        *(own.name for own in options_of(ScoreConfig)),
        *("missing", "discretise", "bins", "duplicates", "unit_free", "knowledge", "max_parents"),
    }
)


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
        known = certificate.known
        for what, count in (
            ("arcs required", len(known.required)),
            ("arcs forbidden", len(known.forbidden)),
            ("variables with a limit of their own on parents", len(known.most_parents)),
        ):
            if count:
                assumed.append(f"{count:,} {what}")
        return proof.sentence() + (f" Given {', '.join(assumed)}." if assumed else "")


def verify(
    certificate: Certificate | str | os.PathLike[str],
    data: object,
    *,
    weights: object = None,
    names: Sequence[Hashable] | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    na_values: Sequence[str] | str | None = None,
    threads: int | None = None,
) -> Verified:
    """Check a certificate against a table: in integers, without the solver that has made it.

    Candidate parent sets and their scores are worked out anew from the table; then every bound of the certificate.

    Parameters
    ----------
    certificate : Certificate, or the path of its file
    data, weights, names, sep, decimal, encoding, na_values, threads
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
    given |= {"sep": sep, "decimal": decimal, "encoding": encoding, "na_values": na_values}
    told = {name: _read(name, value) for name, value in own.options.items()}
    options = {**told, **{name: value for name, value in given.items() if value is not None}}
    try:
        asked = LearnArguments.of_learn((data, "exact"), options)
        result = learn_among(asked, own.known, search_by=lambda problem, config: _checked(own, problem, config))
    except (OptionError, GraphError) as error:
        raise CertificateError(f"the certificate asks for what cannot be: {error}") from None
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
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    na_values: Sequence[str] | str | None = None,
    threads: int | None = None,
) -> Distance:
    """Say how far a learned graph is from the best graph that the same score has for the same table.

    Parameters
    ----------
    result : Result
        Of any learner. The best graph is looked for among those that obey what was known when it was learned.
    data, weights, names, sep, decimal, encoding, na_values, threads
        As in `learn`: the table that it was learned from.
    max_parents : int, optional
        Most parents of a variable; by default as many as the learner of the graph was allowed.
    max_sets, max_time
        As in `learn` with `algorithm="exact"`.

    Raises
    ------
    GraphError
        It has no score, or it cannot be of this table.

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(500, seed=1)
    >>> print(sb.prove(sb.learn(table, "hc"), table))
    This is the best graph: it is proven.
    """
    if result.score is None:
        raise GraphError("the graph has no score, so there is nothing to prove. See its `warnings`.")
    options: dict[str, Any] = {name: value for name, value in result.config.items() if name in _KEPT}
    if "continuous" not in result.kinds.values() or options.get("discretise") is not None:
        options.pop("unit_free", None)
    if options.get("discretise") is None:
        options["kinds"] = dict(result.kinds)
    told: dict[str, Any] = {
        "columns": list(result.kinds),
        "max_parents": max_parents,
        "max_sets": max_sets,
        "max_time": max_time,
    }
    told |= {"weights": weights, "names": names, "threads": threads, "levels": dict(result.levels) or None}
    told |= {"sep": sep, "decimal": decimal, "encoding": encoding, "na_values": na_values}
    options |= {name: value for name, value in told.items() if value is not None}
    asked = LearnArguments.of_learn((data, "exact"), {name: own for name, own in options.items() if own is not None})
    best = learn_among(asked, interruption=Interruption([signal.Signals.SIGINT]))
    assert best.score is not None
    if best.bound is not None and best.bound < result.score - _SLACK * max(1.0, abs(result.score)):
        raise GraphError(
            "the graph has a higher score than any graph of this table can have: it was learned from another table, or "
            "with other weights. Give the table, and weights, that it was learned from."
        )
    at_least = max(0.0, best.score - result.score)
    at_most = None if best.bound is None else max(0.0, best.bound - result.score)
    return Distance(at_most == 0.0, at_least, at_most, best)


def _checked(own: Certificate, problem: Problem, config: SearchConfig) -> BestDag:
    """The graph of a certificate, once all that it says is seen to hold."""
    if problem.names != own.variables:
        raise CertificateError("the certificate is not of this table: other columns, or columns in another order.")
    search = listed(
        problem.scores,
        max_parents=config.most_parents,
        constraints=problem.constraints,
        most_scored=config.max_sets,
    )
    try:
        if search.complete and search.found > MOST_LISTED:
            found = best_of_many(search, problem.scores, MOST_PLACES_AT_ONCE)
            if found is not None:
                if found[0] != own.parents or found[1].score != own.score or own.bound != own.score:
                    raise ValueError("the graph is not the best one")
                return BestDag.of(problem, *found, {}, ())
        candidates = found_by(search, problem.scores)
        if own.besides:
            candidates = candidates.with_families(_obeying(own.besides, problem, config), problem.scores)
        proof = proof_of(candidates, own.parents, own.trees)
    except (ValueError, IndexError) as error:
        raise CertificateError(f"the certificate does not hold for this table: {error}.") from None
    if (proof.score, proof.bound) != (own.score, own.bound):
        raise CertificateError("the certificate does not hold for this table: its score or its bound is another one.")
    return BestDag.of(problem, own.parents, proof, {}, own.besides)


def _obeying(families: Sequence[int], problem: Problem, config: SearchConfig) -> Sequence[int]:
    """Parent sets; ValueError if one of them cannot be."""
    n = problem.scores.n
    limits = problem.constraints or Constraints.of(n)
    most = limits.limits(config.most_parents)
    if len(families) != n or any(
        family & ~limits.allowed[v]
        or family >> v & 1
        or limits.required[v] & ~family
        or family.bit_count() > most[v]
        or not problem.scores.is_candidate(v, family)
        for v, family in enumerate(families)
    ):
        raise ValueError("parent sets that were looked at besides cannot be")
    return families


def _read(name: str, value: Any) -> Any:
    """The value of an option, from the form that a file has it in."""
    if not isinstance(value, list):
        return value
    if name == "kinds":
        return {name_from(column): kind for column, kind in value}
    if name == "levels":
        return {name_from(column): tuple(map(name_from, levels)) for column, levels in value}
    return tuple(map(name_from, value))
