"""Collect the content of a report from a result."""

from __future__ import annotations

import platform
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from stablebn.api.check import checked
from stablebn.errors import OptionError, spelled
from stablebn.graph import DAG, PDAG, Comparison, compare
from stablebn.graph.names import Edge, name_key
from stablebn.learners import LEARNERS, TestTrace
from stablebn.learners.shared.hybrid_trace import HybridTrace
from stablebn.networks import graph_of
from stablebn.plotting.layout import layered_layout
from stablebn.prepare.prepared import Prepared
from stablebn.report.content import (
    EXTRA,
    MATCHED,
    MISSING,
    REVERSED,
    UNDECIDED,
    Arc,
    Content,
    Frequencies,
    Message,
    SearchStep,
    Variable,
)
from stablebn.report.labels import NODE_HEIGHT, Label, label_of
from stablebn.result.explain import explanations, family_scores_of
from stablebn.result.explanation import Explanation
from stablebn.search.operator_trace import OperatorTrace
from stablebn.search.trace import Trace
from stablebn.table.data_kinds import categorical_part

if TYPE_CHECKING:
    from stablebn.resampling.bootstrap_result import Bootstrap
    from stablebn.resampling.stability_result import Stability
    from stablebn.result.result import Result


def content_of(
    result: Result,
    *,
    true: object = None,
    audit: Stability | None = None,
    bootstrap: Bootstrap | None = None,
    command: str | None = None,
) -> Content:
    """Return the content of the report of a result; it does not depend on the order of rows and columns.

    Raises
    ------
    GraphError
        If the true graph has other variables.
    OptionError
        If the stability analysis or the bootstrap is of another type or has other variables.
    """
    for option, value, function in (("audit", audit, "stability"), ("bootstrap", bootstrap, "bootstrap")):
        _check_same_variables(result, option, value, function)
    truth = None if true is None else graph_of(true)
    comparison, as_classes = _compared(result, truth)
    edges = _edges(result)
    explained: dict[Edge, Explanation | None] = dict.fromkeys(edges)
    if result.prepared is not None:
        explained = dict(zip(edges, explanations(result, edges), strict=True))
    arcs = list(_arcs(result, explained, _status(result, comparison)))
    if comparison is not None:
        arcs += _missing(result, comparison)
    names = sorted(result.nodes, key=name_key)
    labels = {name: label_of(name) for name in names}
    besides = [arc.ends for arc in arcs if not arc.in_graph]
    shown = result.pdag if result.dag is None else result.dag
    return Content(
        learner=LEARNERS[str(result.config["algorithm"])].title,
        score_name=str(result.config["score"]).upper(),
        score=result.score,
        rows=result.rows,
        finished=result.finished,
        fingerprint=result.fingerprint,
        promise=_promise(result),
        proof=None if result.proof is None else result.proof.sentence(),
        has_dag=result.dag is not None,
        variables=tuple(_variables(result, names, labels)),
        arcs=tuple(_with_frequencies(arc, audit, bootstrap) for arc in arcs),
        layout=layered_layout(
            shown,
            {name: label.width for name, label in labels.items()},
            height=NODE_HEIGHT,
            order=_order(result, names),
            besides=besides,
        ),
        steps=tuple(_steps(result.trace)),
        best=result.trace.best if isinstance(result.trace, Trace) else len(result.trace),
        tests=_tests(result.trace),
        run_messages=tuple(_run_messages(result)),
        data_messages=tuple(_data_messages(result)),
        comparison=comparison,
        as_classes=as_classes,
        audit=None if audit is None else _audit_frequencies(audit),
        bootstrap=None if bootstrap is None else _bootstrap_frequencies(bootstrap),
        command=command,
        call=_call(result.config),
        options=tuple((name, _option_text(value)) for name, value in result.config.items()),
        versions=tuple(_versions()),
    )


def _check_same_variables(result: Result, option: str, value: object, function: str) -> None:
    if value is None:
        return
    learned: Any = getattr(value, "learned", None)
    graph = learned[0] if isinstance(learned, tuple) and learned else learned
    if not isinstance(graph, PDAG | DAG):
        raise OptionError(f"{option}= needs the result of stablebn.{function}(data, ...), not {type(value).__name__}.")
    if not set(result.nodes) <= set(graph.nodes):
        raise OptionError(f"{option}= has other variables than the result: make it from the same table.")


def _edges(result: Result) -> list[Edge]:
    """Return all edges: the arcs, then the undirected edges that are not among them."""
    arcs = {frozenset(arc) for arc in result.arcs}
    return [*result.arcs, *(edge for edge in result.undirected if frozenset(edge) not in arcs)]


def _order(result: Result, names: Sequence[Hashable]) -> list[Hashable]:
    """Return the variables in canonical order, then those that were not learned from by name."""
    nodes = set(result.nodes)
    first = [name for name in result.order if name in nodes]
    return [*first, *(name for name in names if name not in set(first))]


def _arcs(
    result: Result, explained: Mapping[Edge, Explanation | None], status: Mapping[frozenset[Hashable], str]
) -> Iterable[Arc]:
    """Yield the edges of the learned graph."""
    arcs = set(result.arcs)
    certain = set((result.pdag if result.cpdag is None else result.cpdag).directed)
    for ends, why in explained.items():
        step = None if why is None else why.step
        yield Arc(
            ends=ends,
            in_dag=ends in arcs,
            in_class=ends in certain,
            direction=result.direction_reasons[ends],
            strength=result.strengths.get(ends),
            gain=None if step is None else step.gain,
            step=None if step is None else step.number,
            sentences=() if why is None else why.sentences,
            truth=status.get(frozenset(ends)),
        )


def _compared(result: Result, truth: DAG | PDAG | None) -> tuple[Comparison | None, bool]:
    """Compare the learned graph with the true one, and say whether their Markov equivalence classes were compared."""
    if truth is None:
        return None, True
    learned = result.pdag if result.dag is None else result.dag
    has_class = result.dag is not None and (isinstance(truth, DAG) or truth.is_extendable)
    return compare(learned, truth, as_cpdag=has_class), has_class


def _status(result: Result, comparison: Comparison | None) -> dict[frozenset[Hashable], str]:
    """Return the comparison of each learned edge with the true graph."""
    if comparison is None:
        return {}
    status = {frozenset(edge): MATCHED for edge in _edges(result)}
    for edge in comparison.edges:
        pair = frozenset((edge.a, edge.b))
        if not edge.true:
            status[pair] = EXTRA
        elif edge.learned:
            status[pair] = UNDECIDED if "--" in (edge.learned, edge.true) else REVERSED
    return status


def _missing(result: Result, comparison: Comparison) -> list[Arc]:
    """Return the edges that only the true graph has."""
    lacking = [edge for edge in comparison.edges if not edge.learned]
    pairs = [(edge.b, edge.a) if edge.true == "<-" else (edge.a, edge.b) for edge in lacking]
    sentences: list[tuple[str, ...]] = [()] * len(pairs)
    if result.prepared is not None:
        sentences = [why.sentences for why in explanations(result, pairs)]
    return [
        Arc(
            ends=pair,
            in_dag=edge.true != "--",
            in_class=edge.true != "--",
            direction=None,
            strength=None,
            gain=None,
            step=None,
            sentences=why,
            truth=MISSING,
        )
        for edge, pair, why in zip(lacking, pairs, sentences, strict=True)
    ]


def _with_frequencies(arc: Arc, audit: Stability | None, bootstrap: Bootstrap | None) -> Arc:
    layouts = replicates = None
    if audit is not None:
        layouts = _frequency(arc, audit.edges)
    if bootstrap is not None:
        replicates = _frequency(arc, bootstrap.edges)
    return replace(arc, layouts=layouts, replicates=replicates)


def _frequency(arc: Arc, edges: Iterable[Any]) -> tuple[int, float]:
    """Return in how many graphs the ends are adjacent, and the share of these with the same direction."""
    a, b = arc.ends
    for edge in edges:
        if {edge.a, edge.b} == {a, b}:
            forward = edge.forward if edge.a == a else edge.backward
            return edge.adjacent, (2 * forward + edge.undirected) / (2 * edge.adjacent)
    return 0, 0.0


def _variables(result: Result, names: Sequence[Hashable], labels: Mapping[Hashable, Label]) -> Iterable[Variable]:
    families = {} if result.prepared is None else family_scores_of(result)
    levels = _levels(result.prepared)
    shown: DAG | PDAG = result.pdag if result.dag is None else result.dag
    for name in names:
        decision = result.decisions[name]
        kind = "constant" if name in result.constants else decision.kind or "set aside"
        yield Variable(
            name=name,
            label=labels[name],
            kind=kind,
            why=decision.why,
            levels=levels.get(name),
            parents=shown.parents(name),
            children=shown.children(name),
            neighbours=() if isinstance(shown, DAG) else shown.neighbours(name),
            family=families.get(name),
            stands_for=tuple(sorted((other for other in result.merged.get(name, ()) if other != name), key=name_key)),
        )


def _levels(prepared: Prepared | None) -> dict[Hashable, int]:
    """Return the number of levels of each categorical variable."""
    table = None if prepared is None else categorical_part(prepared.table)
    if table is None:
        return {}
    return {name: len(levels) for name, levels in zip(table.names, table.levels, strict=True)}


def _steps(trace: Any) -> Iterable[SearchStep]:
    """Yield the steps of a search as text and numbers."""
    if isinstance(trace, OperatorTrace):
        for at in range(len(trace)):
            with_others = f" with {', '.join(map(spelled, trace.others[at]))}" if trace.others[at] else ""
            yield SearchStep(
                number=at + 1,
                move={"forward": "add", "backward": "delete", "turning": "reverse"}[trace.phase[at]],
                edge=f"{spelled(trace.x[at])} – {spelled(trace.y[at])}{with_others}",
                gain=trace.delta[at],
                score=trace.score[at],
                runner_up="",
                arbitrary=False,
            )
    elif isinstance(trace, Trace):
        for at in range(len(trace)):
            move, gain = trace.next_move[at], trace.next_delta[at]
            other = f"{spelled(trace.next_source[at])} → {spelled(trace.next_target[at])}"
            yield SearchStep(
                number=at + 1,
                move=trace.move[at],
                edge=f"{spelled(trace.source[at])} → {spelled(trace.target[at])}",
                gain=trace.delta[at],
                score=trace.score[at],
                runner_up="" if move is None or gain is None else f"{move} {other} ({gain:+,.2f})",
                arbitrary=trace.arbitrary[at],
            )


def _tests(trace: Any) -> int | None:
    """Return the number of conditional independence tests; None if the algorithm makes none."""
    tested = trace.restriction if isinstance(trace, HybridTrace) else trace
    return tested.tests if isinstance(tested, TestTrace) else None


def _run_messages(result: Result) -> Iterable[Message]:
    """Yield the warnings of the run that are not about the table."""
    of_table = () if result.prepared is None else result.prepared.warnings
    for warning in result.warnings:
        if warning not in of_table:
            yield Message("note" if warning.code == "fewest-rows" else "warning", warning.message)


def _data_messages(result: Result) -> Iterable[Message]:
    """Yield the findings of `stablebn.check` for the table."""
    if result.prepared is not None:
        for finding in checked(result.prepared, None).findings:
            yield Message(finding.severity, finding.message)
        left_out = sorted(result.prepared.left_out, key=name_key)
        if left_out:
            yield Message("note", f"columns that were not used: {', '.join(map(spelled, left_out))}.")


def _audit_frequencies(audit: Stability) -> Frequencies:
    # The first line of the summary is the verdict.
    return Frequencies(
        verdict=audit.verdict,
        lines=tuple(line.strip() for line in audit.summary().splitlines()[1:]),
        of=audit.layouts,
        edges=tuple((edge.a, edge.b, edge.forward, edge.backward, edge.undirected) for edge in audit.edges),
    )


def _bootstrap_frequencies(bootstrap: Bootstrap) -> Frequencies:
    verdict, *lines = bootstrap.summary().splitlines()
    return Frequencies(
        verdict=verdict,
        lines=tuple(line.strip() for line in lines),
        of=bootstrap.replicates - bootstrap.failed,
        edges=tuple((edge.a, edge.b, edge.forward, edge.backward, edge.undirected) for edge in bootstrap.edges),
    )


def _promise(result: Result) -> str:
    """Say whether another run gives the same fingerprint."""
    if any(warning.code in ("max-time", "interrupted") for warning in result.warnings):
        return "The search was stopped early, so another run may give another graph and fingerprint."
    learner = LEARNERS[str(result.config["algorithm"])]
    if not learner.stable or result.config.get("order") == "given":
        return "With another column order, this algorithm may give another graph and fingerprint."
    return "The same table gives the same graph and fingerprint in any order of its rows and columns, on any machine."


def _call(config: Mapping[str, Any]) -> str:
    """Return the call that learns the same graph; it states every option, so that changed defaults do not matter."""
    options = "".join(
        f", {name}={value!r}" for name, value in config.items() if name != "algorithm" and value is not None
    )
    return f"stablebn.learn(data, {config['algorithm']!r}{options})"


def _option_text(value: object) -> str:
    return "—" if value is None else value if isinstance(value, str) else repr(value)


def _versions() -> Iterable[tuple[str, str]]:
    for package in ("stablebn", "numpy", "pyarrow"):
        yield package, version(package)
    yield "Python", platform.python_version()
