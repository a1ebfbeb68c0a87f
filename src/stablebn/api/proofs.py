"""`stablebn.verify` checks a certificate against a table; `stablebn.prove` bounds how far a graph is from the best."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stablebn.api.arguments import LearnArguments, ProveArguments, VerifyArguments, describe
from stablebn.api.learn import learn_from_request
from stablebn.api.read_table import kinds_before_binning, read_table_again
from stablebn.api.request import LearnRequest
from stablebn.errors import CertificateError, GraphError, OptionError
from stablebn.exact.certificate import Certificate
from stablebn.exact.solver import MOST_LISTED, best_of_many, proof_of
from stablebn.exact.subset_search import MOST_AT_ONCE
from stablebn.graph.json_names import name_from
from stablebn.knowledge.constraints import Constraints
from stablebn.learners import Problem, SearchConfig
from stablebn.learners.shared.best_dag import BestDag
from stablebn.learners.shared.interruption import Interruption
from stablebn.options import instance_of, is_path, options_of, takes
from stablebn.prepare.read_options import READING, SpooledTable
from stablebn.result.result import Result
from stablebn.scores.registry import ScoreConfig
from stablebn.search.parent_sets import found_by, listed

# Arguments that are not options of `learn`.
_NOT_GIVEN_ON = frozenset({"certificate", "result", "data"})

# Relative tolerance of scores: in another unit they may differ in their last bits.
_SLACK = 1e-9

# The options with which a graph was learned that decide which graphs are allowed and how they are scored.
_KEPT = frozenset(
    {
        *(own.name for own in options_of(ScoreConfig)),
        *("missing", "discretise", "bins", "duplicates", "unit_free", "knowledge", "max_parents"),
    }
)


@dataclass(frozen=True)
class Verified:
    """The statement that a certificate proves about a graph.

    Attributes
    ----------
    optimal : bool
        Whether no allowed graph has a higher score.
    score : float
    bound, gap : float or None
        A score that no allowed graph exceeds, and its difference to `score`; `None` if no bound is known.
    result : Result
        The graph of the certificate.
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


def _check_certificate(name: str, value: object) -> None:
    if not isinstance(value, Certificate) and not is_path(value):
        raise OptionError(f"{name}= must be a certificate or the name of its file; got {type(value).__name__}.")


@takes(VerifyArguments, describe)
def verify(*arguments: Any, **options: Any) -> Verified:
    """Check a certificate against a table, in integers and without the solver that created it.

    Candidate parent sets and their scores are computed again from the table; then every bound of the certificate. The
    table is the one that the graph was learned from, in any layout. It is read as when the graph was learned, except
    for the options that are specified here.

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
    parsed = VerifyArguments.from_call("verify", arguments, options)
    _check_certificate("certificate", parsed.certificate)
    own = parsed.certificate
    certificate = own if isinstance(own, Certificate) else Certificate.read(own)
    told = {name: _read(name, value) for name, value in certificate.options.items()}
    try:
        learned = LearnArguments.of_learn((parsed.data, "exact"), _with_given(told, parsed, options))
        request = LearnRequest.of(
            learned,
            known=certificate.known,
            search=lambda problem, config: _checked(certificate, problem, config),
        )
        result = learn_from_request(request)
    except (OptionError, GraphError) as error:
        raise CertificateError(f"the certificate asks for what cannot be: {error}") from None
    assert result.score is not None
    proof = result.proof
    assert proof is not None
    return Verified(proof.optimal, result.score, proof.bound, proof.gap, result)


def _with_given(
    told: Mapping[str, Any], parsed: VerifyArguments | ProveArguments, given: Mapping[str, object]
) -> dict[str, Any]:
    """Return the options with which a graph was learned, replaced by the options of this call.

    Statistics bring the reading options that they were made with.
    """
    kept = {
        name: value for name, value in told.items() if not (isinstance(parsed.data, SpooledTable) and name in READING)
    }
    named = {name for name, value in given.items() if value is not None and name not in _NOT_GIVEN_ON}
    return {**kept, **{name: getattr(parsed, name) for name in named}}


@dataclass(frozen=True)
class Distance:
    """The distance of a graph from the best graph.

    Attributes
    ----------
    optimal : bool
        Whether it is proven that no graph has a higher score.
    at_least, at_most : float, float or None
        Bounds on the score difference to the best graph, in nats; `None` if no bound is known. They are equal if the
        difference is proven.
    best : Result
        The best graph found.
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


@takes(ProveArguments, describe)
def prove(*arguments: Any, **options: Any) -> Distance:
    """Bound the distance of a learned graph from the best graph for the same score and table.

    The table is the one that the graph was learned from. It is read as when the graph was learned, except for the
    options that are specified here.

    Returns
    -------
    Distance

    Raises
    ------
    GraphError
        The graph has no score, or cannot have been learned from this table.

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(500, seed=1)
    >>> print(sb.prove(sb.learn(table, "hc"), table))
    This is the best graph: it is proven.
    """
    parsed = ProveArguments.from_call("prove", arguments, options)
    instance_of(Result, "a result of stablebn.learn")("result", parsed.result)
    result = parsed.result
    if result.score is None:
        raise GraphError("the graph has no score, so there is nothing to prove. See its `warnings`.")
    told = {name: value for name, value in result.config.items() if name in _KEPT and value is not None}
    if options.get("drop") is None:
        told["columns"] = list(result.kinds)
    if "continuous" not in result.kinds.values() or "discretise" in told:
        told.pop("unit_free", None)
    learned = LearnArguments.of_learn((parsed.data, "exact"), _with_given(told, parsed, options))
    prepared = read_table_again(learned, result)
    if prepared.kinds != result.kinds:
        raise GraphError(
            "the graph was learned from other columns, or from columns of other kinds. Leave out columns=, drop= and "
            "kinds=, or give those that it was learned with."
        )
    if not isinstance(parsed.data, SpooledTable):
        # Given as options, so that the certificate of the best graph includes them.
        learned = learned.as_used(kinds=kinds_before_binning(prepared) or None, levels=dict(prepared.levels) or None)
    interruption = Interruption([signal.Signals.SIGINT])
    best = learn_from_request(LearnRequest.of(learned, interruption=interruption, table=prepared))
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
    """Return the graph of a certificate after checking all its claims."""
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
            found = best_of_many(search, problem.scores, MOST_AT_ONCE)
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
    """Return parent sets; raise `ValueError` if the problem does not allow one of them."""
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
    """Convert the value of an option from its form in a file."""
    if not isinstance(value, list):
        return value
    if name == "kinds":
        return {name_from(column): kind for column, kind in value}
    if name == "levels":
        return {name_from(column): tuple(map(name_from, levels)) for column, levels in value}
    return tuple(map(name_from, value))
