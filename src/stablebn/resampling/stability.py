"""The loop of the audit: lay the table out anew, learn, and remember the graph."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from stablebn.api import functions as api
from stablebn.api.arguments import checked_values, known_from, repeatable_options, score_options, told_options
from stablebn.columns.arrow.conversion import Columns
from stablebn.columns.column import CategoricalColumn
from stablebn.columns.error_collector import ErrorCollector
from stablebn.columns.kinds import Kind, parse_kinds
from stablebn.columns.levels import categories_of, parse_levels
from stablebn.columns.requirements import check_size
from stablebn.columns.selection import ColumnSelection
from stablebn.columns.weights import rows_with_weight, split_weights
from stablebn.errors import OptionError, listed, one_of, shown
from stablebn.graph import DAG, PDAG, compare
from stablebn.io.csv.dialect import OF_TEXT, Dialect
from stablebn.io.sources import read
from stablebn.learners import AUTOMATIC, LEARNERS, learner_of
from stablebn.learners.registry import learner_name, refuse_options_of_others
from stablebn.networks import graph_of
from stablebn.options import Option, at_least, callback, checked_arguments, is_iterable, refuse_unknown
from stablebn.prepare.kind_inference import decide
from stablebn.prepare.relayout import VARIATIONS, Layout, lay_out
from stablebn.resampling.learner_in_layout import Attempt, LearnerLike, attempt
from stablebn.resampling.learner_process import attempt_in_new_process
from stablebn.resampling.stability_result import Stability
from stablebn.scores.registry import score_name

MOST_THREADS = 8


@checked_arguments(repeats=at_least(2, most=1_000_000), seed=at_least(0), progress=callback)
def stability(
    data: object,
    learner: LearnerLike = AUTOMATIC,
    *,
    repeats: int = 25,
    vary: Sequence[str] | None = None,
    seed: int = 0,
    truth: object = None,
    names: Sequence[Hashable] | None = None,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> Stability:
    """Find out how much of a learner's answer the layout of the table decides.

    Parameters
    ----------
    data, names
        As in `learn`.
    learner : str or callable
        One of ours by its name, by default what `learn` chooses, or any callable that takes a pandas DataFrame (a
        PyArrow Table if pandas is not installed) with columns of the types of the table, and returns edges as
        (from, to) pairs or a graph: DAG, PDAG, result, networkx. A pair in both directions is an undirected edge.
    repeats : int
        How many layouts. The first is the table as given.
    vary : sequence of str, optional
        What differs between layouts: "columns" and "rows" (their order), "names" (of the columns), "levels" (labels
        of categorical levels), "units" (scale, sign and zero of continuous columns), "threads" (ours only), "hash"
        (every layout in a new Python process with another hash seed). By default columns, rows and names, and units if
        there are columns to be learned from as continuous. Without any, the learner is just repeated.
    seed : int
        The same seed gives the same layouts, on every machine.
    truth : network, DAG, PDAG, path or name of a network, optional
        The true graph, for F1.
    progress : callable
        Called with the number of layouts that are done.
    **options
        Those of `learn`. For a callable those of `score`, by which its graphs are judged; score=None: they are not.

    Returns
    -------
    Stability

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(200, seed=1)
    >>> sb.stability(table, "tabu-stable", repeats=5).verdict
    'One table, one graph: 5 layouts gave the same graph.'

    A learner that looks at nothing but the order of the columns is found out:

    >>> sb.stability(table, lambda frame: [tuple(frame.columns[:2])], repeats=5).graphs
    5
    """
    asked = None if vary is None else _checked(vary, learner)
    if isinstance(learner, str):
        learner = str(learner_name(learner))
    if "score" in options:
        options["score"] = score_name(options["score"])
    _check_options(learner, options)
    options = checked_values(options)
    source = read(
        data,
        names=names,
        dialect=Dialect.of({option: options.pop(option, None) for option in OF_TEXT}),
        choice=ColumnSelection(options.pop("columns", None), options.pop("drop", None), besides=options.get("weights")),
    )
    columns, options["weights"] = split_weights(source.columns, options.get("weights"))
    check_size(columns, len(next(iter(columns.values()), ())))
    if isinstance(learner, str):
        _settle_knowledge(options, tuple(columns), [name for name in source.names if name not in columns])
    if options.get("levels") is not None:
        if "levels" in (asked or ()):
            raise OptionError("vary='levels' gives other labels, and levels= declares these. Leave one of them out.")
        options["levels"] = parse_levels(options["levels"], columns, categories_of(columns, source.with_categories))
    # Other layouts must not be taken for something else than the table as given.
    kinds = options["kinds"] = _kinds(columns, options)
    vary = _usual(kinds, options) if asked is None else asked
    _check_kinds(vary, kinds)
    true = None if truth is None else _true_graph(truth, tuple(columns))

    has_own_score = isinstance(learner, str) and "units" not in vary
    judge: Callable[[PDAG], float | None] | None = None

    attempts: list[Attempt] = []
    scores: list[float | None] = []
    for number in range(repeats):
        layout = lay_out(columns, kinds, vary, seed=seed, number=number)
        found = _attempt(learner, layout, options, vary, random.Random(f"{seed} {number} process"), first=not number)
        attempts.append(found)
        judge = judge or _judge(columns, {**options, **found.scored_by})
        scores.append(found.score if has_own_score else judge(found.graph))
        if progress is not None:
            progress(number + 1)

    return Stability(
        learner=learner_of(learner).title if isinstance(learner, str) else _name_of(learner),
        rows=len(next(iter(columns.values()))),
        vary=vary,
        seed=seed,
        score_name=attempts[0].scored_by.get("score", options.get("score", "bic")),
        learned=tuple(found.graph for found in attempts),
        scores=tuple(scores),
        truth=true,
        warnings=(*source.cautions, *attempts[0].warnings),
        times=tuple(found.seconds for found in attempts),
    )


def _settle_knowledge(options: dict[str, Any], columns: Sequence[Hashable], left_out: Sequence[Hashable]) -> None:
    """Make one `Knowledge`, of the columns alone, of all options that say something of variables by their names."""
    known = known_from(options)
    known.known_arcs(columns, idle=dict.fromkeys(left_out, "it is left out"))
    if isinstance(options.get("max_parents"), Mapping):
        options.pop("max_parents", None)
    for option in ("required", "forbidden", "tiers"):
        options.pop(option, None)
    options["knowledge"] = known.among(columns)


def _kinds(columns: Columns, options: Mapping[str, Any]) -> dict[Hashable, Kind]:
    """The kinds of the columns that are not set aside."""
    problems = ErrorCollector()
    choice = ColumnSelection(keep=options.get("keep"))
    said = parse_kinds(options.get("kinds"), choice.kept(tuple(columns)), columns)
    named: dict[Hashable, Kind] = dict.fromkeys(options.get("levels") or (), "categorical")
    said = said._replace(kinds={**named, **said.kinds})
    used, counts = rows_with_weight(columns, options["weights"])
    decided = decide(used, counts, said, options.get("missing", "error"), problems)
    problems.raise_all(tuple(columns), choice, said.kinds)
    return {
        name: "categorical" if isinstance(column, CategoricalColumn) else "continuous"
        for name, column in decided.columns.items()
    }


def _attempt(
    learner: LearnerLike,
    layout: Layout,
    options: Mapping[str, Any],
    vary: Sequence[str],
    chance: random.Random,
    *,
    first: bool,
) -> Attempt:
    """Learn from a layout: the first one here and as asked, so that whatever is wrong is said at once."""
    if first:
        return attempt(learner, layout, options)
    if "threads" in vary:
        options = {**options, "threads": chance.randint(1, MOST_THREADS)}
    if "hash" in vary:
        return attempt_in_new_process(learner, layout, options, hash_seed=chance.randrange(2**32))
    return attempt(learner, layout, options)


def _judge(columns: Columns, options: Mapping[str, Any]) -> Callable[[PDAG], float | None]:
    """The score of a graph on the table as given: in other units it would be another score."""
    asked = {option: value for option, value in options.items() if option in _names(score_options())}

    @cache
    def judge(graph: PDAG) -> float | None:
        if asked.get("score", "bic") is None or graph.extension() is None:
            return None
        return api.score(graph, columns, **asked).total

    return judge


def _checked(vary: Sequence[str], learner: LearnerLike) -> tuple[str, ...]:
    known = (*VARIATIONS, "threads", "hash")
    if not is_iterable(vary):
        raise OptionError(f"vary={shown(vary)} must be a list of what differs: {listed(known)}.")
    asked = (vary,) if isinstance(vary, str) else tuple(vary)
    for variation in asked:
        one_of("vary", variation, known)
    if "threads" in asked and not isinstance(learner, str):
        raise OptionError("vary='threads' is for our learners, by name: a callable has no option threads.")
    return tuple(variation for variation in known if variation in asked)


def _usual(kinds: Mapping[Hashable, Kind], options: Mapping[str, Any]) -> tuple[str, ...]:
    """What is varied unless something else is asked for."""
    has_units = "continuous" in kinds.values() and options.get("discretise") is None
    return ("columns", "rows", "names", *(["units"] if has_units else []))


def _check_kinds(vary: Sequence[str], kinds: Mapping[Hashable, Kind]) -> None:
    """Nothing is said to have been varied where there was nothing to vary."""
    for variation, kind in (("levels", "categorical"), ("units", "continuous")):
        if variation in vary and kind not in kinds.values():
            raise OptionError(f"vary={shown(variation)} is for {kind} columns, and there are none. Leave it out.")


def _check_options(learner: LearnerLike, options: Mapping[str, Any]) -> None:
    if isinstance(learner, str):
        one_of("learner", learner, (AUTOMATIC, *LEARNERS))
        taken, where = _names(repeatable_options()), "learn"
    elif callable(learner):
        taken, where = _names(score_options()), "score"
    else:
        raise OptionError(f"learner={shown(learner)} is neither the name of a learner nor a callable.")
    refuse_unknown(f"`{where}`", options, taken)
    if isinstance(learner, str):
        refuse_options_of_others(learner, told_options(options))


def _names(options: Iterable[Option]) -> tuple[str, ...]:
    return tuple(option.name for option in options)


def _true_graph(truth: object, names: Sequence[Hashable]) -> DAG | PDAG:
    graph = graph_of(truth)
    # Whatever keeps it from being compared is said before anything is learned.
    compare(DAG(names, ()), graph)
    return graph


def _name_of(learner: Callable[..., object]) -> str:
    return str(getattr(learner, "__name__", type(learner).__name__))
