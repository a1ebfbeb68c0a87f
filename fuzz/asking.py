"""Asking: what stablebn answers to a case in a layout, in terms that no layout touches.

In an answer a column is its place in the table as it was drawn, so that answers to two layouts can be compared with ==,
also between processes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from tempfile import TemporaryDirectory
from typing import Any

import stablebn as sb
from fuzz.cases import Case
from fuzz.layouts import Layout
from stablebn.errors import StableBNError

Answer = dict[str, Any]
"""What was answered, field by field; where an error was, only `error`."""

Place = Callable[[Hashable], int]
"""The place of a column by its name in a layout."""


class Asked:
    """A question that was answered.

    Parameters
    ----------
    answer_after : callable
        The answer after columns were exchanged: takes another place for every column, or None.
    """

    def __init__(self, answer_after: Callable[[Sequence[int] | None], Answer]) -> None:
        self.answer_after = answer_after

    @cached_property
    def answer(self) -> Answer:
        """The answer."""
        return self.answer_after(None)


def ask(case: Case, layout: Layout) -> Asked:
    """Ask the question of a case."""
    try:
        with layout.forced():
            return Asked(_QUESTIONS[case.question](case, layout))
    except StableBNError as error:
        # Whatever is wrong with a table is wrong with it in every layout.
        kind = type(error).__name__
        return Asked(lambda places: {"error": kind})


def _places(layout: Layout, places: Sequence[int] | None) -> dict[Hashable, int]:
    return {name: c if places is None else places[c] for c, name in enumerate(layout.names)}


def _learn(case: Case, layout: Layout) -> Callable[[Sequence[int] | None], Answer]:
    options = {**case.options, **layout.reading, "threads": layout.threads}
    if case.graph_is == "result":
        few = {name: value for name, value in options.items() if name in _OF_EARLIER}
        earlier = sb.learn(layout.data, "hc-dec", case.score, max_iter=5, **few)
        options["start"] = earlier.dag if layout.graph == "dag" else earlier
    elif case.graph_is:
        options["start"] = _graph(case, layout)
    options |= _knowledge(case, layout)
    if layout.cached:
        return _learn_from_a_cache(case, layout, options)
    result = sb.learn(layout.data, case.algorithm, case.score, **options)
    return lambda places: _learned(result, _places(layout, None), places)


def _learn_from_a_cache(
    case: Case, layout: Layout, options: dict[str, Any]
) -> Callable[[Sequence[int] | None], Answer]:
    """Learn twice with one cache: the second call reads the table from it, and must give the same answer."""
    with TemporaryDirectory(prefix="stablebn-fuzz-") as folder:
        first, second = (sb.learn(layout.data, case.algorithm, case.score, **options, cache=folder) for _ in range(2))
    places = _places(layout, None)
    before, after = (_learned(result, places, None) for result in (first, second))
    differ = [name for name in before if before[name] != after[name]]
    assert not differ, f"from the cache: {', '.join(differ)}"
    return lambda exchange: _learned(second, places, exchange)


_OF_EARLIER = (
    "missing",
    "names",
    "weights",
    "kinds",
    "unit_free",
    "arcs",
    "threads",
    "max_parents",
    "k",
    "iss",
    "iss_mu",
    "iss_w",
    "prior",
)


def _learned(result: sb.Result, places: Mapping[Hashable, int], exchange: Sequence[int] | None) -> Answer:
    # Which of merged columns stands for them is up to their names: all of them are the first one.
    groups = {name: (name, *others) for name, others in result.merged.items()}
    first = {**places, **{name: min(places[member] for member in group) for name, group in groups.items()}}
    if exchange is not None:
        first = {name: exchange[place] for name, place in first.items()}
    at = first.__getitem__
    cpdag = result.cpdag
    assert result.prepared is not None
    return {
        "graph": (_arcs(result.pdag.directed, at), _pairs(result.pdag.undirected, at)),
        "dag": None if result.dag is None else _arcs(result.dag.arcs, at),
        "cpdag": None if cpdag is None else (_arcs(cpdag.directed, at), _pairs(cpdag.undirected, at)),
        "score": result.score,
        "fingerprint": result.fingerprint,
        "order": tuple(map(at, result.order)),
        "trace": _trace(result.trace, at),
        "conflicts": tuple((*sorted((at(a), at(b))), at(c)) for a, c, b in result.conflicts),
        # What is found in the data names the columns too.
        "warnings": (
            tuple(caution.code for caution in result.warnings),
            {caution.code: frozenset(places[name] for name in caution.columns) for caution in result.prepared.warnings},
        ),
        "constants": frozenset(places[name] for name in result.constants),
        "merged": frozenset(frozenset(places[name] for name in group) for group in groups.values()),
        "kinds": {places[name]: kind for name, kind in result.kinds.items()},
        "rows": result.rows,
        "fewest rows": result.fewest_rows,
        "known": _arcs(result.known, at),
    }


def _trace(trace: Any, at: Place) -> dict[str, Any]:
    if not hasattr(trace, "variable_columns"):
        return {
            "tests": trace.tests,
            "blankets": {at(v): frozenset(map(at, blanket)) for v, blanket in trace.blankets.items()},
            "separating": {
                frozenset(map(at, pair)): frozenset(map(at, given)) for pair, given in trace.separating.items()
            },
        }
    columns: dict[str, Any] = trace.to_dict()
    for name in trace.variable_columns:
        columns[name] = [None if v is None else tuple(map(at, v)) if name == "others" else at(v) for v in columns[name]]
    return columns


def _arcs(arcs: Sequence[tuple[Hashable, Hashable]], at: Place) -> frozenset[tuple[int, int]]:
    return frozenset((at(u), at(v)) for u, v in arcs)


def _pairs(edges: Sequence[tuple[Hashable, Hashable]], at: Place) -> frozenset[frozenset[int]]:
    return frozenset(frozenset((at(u), at(v))) for u, v in edges)


def _graph(case: Case, layout: Layout) -> object:
    """The graph of a case under the names of a layout; its nodes and arcs have no order."""
    nodes = layout.shuffled(layout.names)
    arcs = layout.shuffled([(layout.names[u], layout.names[v]) for u, v in case.graph])
    dag = sb.DAG(nodes, arcs)
    if case.graph_is == "pdag":
        return dag.cpdag()
    if layout.graph == "networkx":
        import networkx as nx

        graph = nx.DiGraph()
        graph.add_nodes_from(nodes)
        graph.add_edges_from(arcs)
        return graph
    return arcs if layout.graph == "arcs" else dag


def _knowledge(case: Case, layout: Layout) -> dict[str, object]:
    """What is known under the names of a layout, said in one way or another, in any order."""
    if not case.known:
        return {}
    known = case.known.renamed(dict(enumerate(layout.names)))
    if layout.graph != "arcs":
        return {"knowledge": known}
    said = known.to_dict()
    options: dict[str, object] = {
        part: layout.shuffled(said.pop(part)) for part in ("required", "forbidden") if part in said
    }
    return {**options, "knowledge": said}


def _score(case: Case, layout: Layout) -> Callable[[Sequence[int] | None], Answer]:
    options = {**case.options, **layout.reading, "threads": layout.threads}
    found = sb.score(_graph(case, layout), layout.data, score=case.score, **options)
    if case.graph_is == "pdag":
        # Which DAG of the class is scored is up to names; all have the same score.
        return lambda places: {"total": found.total}
    return lambda places: {
        "total": found.total,
        "by_node": {place: found.by_node[name] for name, place in _places(layout, places).items()},
    }


def _ci_test(case: Case, layout: Layout) -> Callable[[Sequence[int] | None], Answer]:
    asked = [layout.names[c] for c in case.triple]
    x, y = layout.shuffled(asked[:2])
    given = layout.shuffled(asked[2:])
    found = sb.ci_test(layout.data, x, y, given, **case.options, **layout.reading)
    return lambda places: {
        "test": found.test,
        "statistic": found.statistic,
        "size of the statistic": abs(found.statistic),
        "df": found.df,
        "p_value": found.p_value,
    }


def _compare(case: Case, layout: Layout) -> Callable[[Sequence[int] | None], Answer]:
    """Compare the graph with what is left of it without every third arc, the others turned round."""
    other = sb.DAG(layout.names, [(layout.names[v], layout.names[u]) for u, v in case.graph[::3]])
    graph = _graph(case, layout)
    true = sb.DAG(layout.names, graph) if isinstance(graph, list) else graph
    found = sb.compare(other, true)
    numbers = ("tp", "fp", "fn", "precision", "recall", "f1", "shd", "bsf", "degree")
    marks = {"->": "<-", "<-": "->"}

    def answer(places: Sequence[int] | None) -> Answer:
        at = _places(layout, places)
        edges = {
            (at[e.a], at[e.b], e.learned, e.true)
            if at[e.a] < at[e.b]
            else (at[e.b], at[e.a], marks.get(e.learned, e.learned), marks.get(e.true, e.true))
            for e in found.edges
        }
        return {**{number: getattr(found, number) for number in numbers}, "edges": edges}

    return answer


def _stability(case: Case, layout: Layout) -> Callable[[Sequence[int] | None], Answer]:
    options = {**case.options, **layout.reading, "score": case.score, **_knowledge(case, layout)}
    (seed, *_) = layout.shuffled(range(9))
    vary = ("columns", "rows", "threads")
    audit = sb.stability(layout.data, case.algorithm, repeats=3, vary=vary, seed=seed, **options)
    return lambda places: {
        "graphs": {_arcs(graph.directed, _places(layout, places).__getitem__) for graph in audit.learned},
        "stable": audit.stable,
        "verdict": audit.verdict,
        "scores": audit.scores,
    }


_QUESTIONS: Mapping[str, Callable[[Case, Layout], Callable[[Sequence[int] | None], Answer]]] = {
    "learn": _learn,
    "score": _score,
    "ci_test": _ci_test,
    "compare": _compare,
    "stability": _stability,
}
