"""Stability analysis: learn from other layouts of the same table, and compare the graphs."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from stablebn.api.arguments import checked_values, given_options, known_from, repeatable_options, score_options
from stablebn.api.score import score as score_graph
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
from stablebn.prepare.relayout import VARIATIONS, TableLayout, lay_out
from stablebn.resampling.external_learner import callable_name
from stablebn.resampling.learner_in_layout import LayoutOutcome, learn_from_layout
from stablebn.resampling.runner import LearnerLike, run_in_new_process, run_jobs
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
    """Measure how much of a learned graph depends on the layout of the table.

    Parameters
    ----------
    data, names
        As in `learn`.
    learner : str or callable
        The name of an algorithm, by default the one that `learn` chooses, or any callable that takes a pandas DataFrame
        (a PyArrow Table if pandas is not installed) with columns of the types of the table, and returns edges as
        (from, to) pairs or a graph: DAG, PDAG, result, networkx. A pair in both directions is an undirected edge.
    repeats : int
        How many layouts. The first is the table as given.
    vary : sequence of str, optional
        What differs between layouts: "columns" and "rows" (their order), "names" (of the columns), "levels" (labels
        of categorical levels), "units" (scale, sign and zero of continuous columns), "threads" (algorithms by name
        only), "hash" (every layout in a new Python process with another hash seed). By default columns, rows and names,
        and units if some columns are learned from as continuous. Empty: the learner runs repeatedly on the same table.
    seed : int
        The same seed gives the same layouts, on every machine.
    truth : network, DAG, PDAG, path or name of a network, optional
        The true graph, for F1.
    progress : callable
        Called with the number of finished layouts.
    **options
        Those of `learn`. For a callable those of `score`, which scores its graphs; with score=None they get no score.

    Returns
    -------
    Stability

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(200, seed=1)
    >>> sb.stability(table, "tabu-stable", repeats=5).verdict
    'One table, one graph: 5 layouts gave the same graph.'

    A learner that depends on the order of the columns alone:

    >>> sb.stability(table, lambda frame: [tuple(frame.columns[:2])], repeats=5).graphs
    5
    """
    requested = None if vary is None else _checked(vary, learner)
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
        if "levels" in (requested or ()):
            raise OptionError("vary='levels' replaces labels, and levels= declares them. Leave one of the two out.")
        options["levels"] = parse_levels(options["levels"], columns, categories_of(columns, source.with_categories))
    # The kinds are fixed here, so that all layouts have those of the table as given.
    kinds = options["kinds"] = _kinds(columns, options)
    vary = _default_variations(kinds, options) if requested is None else requested
    _check_kinds(vary, kinds)
    true = None if truth is None else _true_graph(truth, tuple(columns))

    report = None if progress is None else lambda done, _: progress(done)
    learn_layout = _layout_learner(learner, columns, kinds, options, vary, seed)
    outcomes, scores = zip(*run_jobs(range(repeats), learn_layout, progress=report), strict=True)
    first: LayoutOutcome = outcomes[0]

    return Stability(
        learner=learner_of(learner).title if isinstance(learner, str) else callable_name(learner),
        rows=len(next(iter(columns.values()))),
        vary=vary,
        seed=seed,
        score_name=first.scored_by.get("score", options.get("score", "bic")),
        learned=tuple(outcome.graph for outcome in outcomes),
        scores=scores,
        truth=true,
        warnings=(*source.cautions, *first.warnings),
        times=tuple(outcome.seconds for outcome in outcomes),
    )


def _layout_learner(
    learner: LearnerLike,
    columns: Columns,
    kinds: Mapping[Hashable, Kind],
    options: Mapping[str, Any],
    vary: Sequence[str],
    seed: int,
) -> Callable[[int], tuple[LayoutOutcome, float | None]]:
    """Return the function that learns from layout number i and scores its graph; it must be called for 0 first."""
    # In other units the score would be another one.
    has_native_score = isinstance(learner, str) and "units" not in vary
    score_of: Callable[[PDAG], float | None] | None = None

    def learn_layout(number: int) -> tuple[LayoutOutcome, float | None]:
        nonlocal score_of
        layout = lay_out(columns, kinds, vary, seed=seed, number=number)
        chance = random.Random(f"{seed} {number} process")
        outcome = _learn_layout(learner, layout, options, vary, chance, first=not number)
        # The score that the first layout uses is used for all of them.
        score_of = score_of or _scorer(columns, {**options, **outcome.scored_by})
        return outcome, outcome.score if has_native_score else score_of(outcome.graph)

    return learn_layout


def _settle_knowledge(options: dict[str, Any], columns: Sequence[Hashable], left_out: Sequence[Hashable]) -> None:
    """Replace the options that name variables by one `Knowledge` of the columns that are used."""
    known = known_from(options)
    known.known_arcs(columns, idle=dict.fromkeys(left_out, "it is left out"))
    if isinstance(options.get("max_parents"), Mapping):
        options.pop("max_parents", None)
    for option in ("required", "forbidden", "tiers"):
        options.pop(option, None)
    options["knowledge"] = known.among(columns)


def _kinds(columns: Columns, options: Mapping[str, Any]) -> dict[Hashable, Kind]:
    """Return the kinds of the columns that are not excluded."""
    problems = ErrorCollector()
    choice = ColumnSelection(keep=options.get("keep"))
    user_kinds = parse_kinds(options.get("kinds"), choice.kept(tuple(columns)), columns)
    named: dict[Hashable, Kind] = dict.fromkeys(options.get("levels") or (), "categorical")
    user_kinds = user_kinds._replace(kinds={**named, **user_kinds.kinds})
    used, counts = rows_with_weight(columns, options["weights"])
    decided = decide(used, counts, user_kinds, options.get("missing", "error"), problems)
    problems.raise_all(tuple(columns), choice, user_kinds.kinds)
    return {
        name: "categorical" if isinstance(column, CategoricalColumn) else "continuous"
        for name, column in decided.columns.items()
    }


def _learn_layout(
    learner: LearnerLike,
    layout: TableLayout,
    options: Mapping[str, Any],
    vary: Sequence[str],
    chance: random.Random,
    *,
    first: bool,
) -> LayoutOutcome:
    """Learn from one layout. The first layout uses the options unchanged, so that invalid options fail at once."""
    if first:
        return learn_from_layout(learner, layout, options)
    if "threads" in vary:
        options = {**options, "threads": chance.randint(1, MOST_THREADS)}
    if "hash" not in vary:
        return learn_from_layout(learner, layout, options)
    outcome: LayoutOutcome = run_in_new_process(_pickled(learner, layout, options), hash_seed=chance.randrange(2**32))
    return outcome


def _pickled(learner: LearnerLike, layout: TableLayout, options: Mapping[str, Any]) -> bytes:
    """Pickle the call of `learn_from_layout`, or raise if another process cannot find the learner."""
    if getattr(learner, "__module__", None) != "__main__":
        try:
            return pickle.dumps((learn_from_layout, (learner, layout, dict(options))))
        except (pickle.PicklingError, AttributeError, TypeError):
            pass
    raise OptionError(
        f"vary='hash' starts new processes, which cannot find the learner {learner!r}: "
        "define it with def in a module that can be imported."
    )


def _scorer(columns: Columns, options: Mapping[str, Any]) -> Callable[[PDAG], float | None]:
    """Return a function that scores a graph on the table as given."""
    given = {option: value for option, value in options.items() if option in _names(score_options())}

    @cache
    def score_of(graph: PDAG) -> float | None:
        if given.get("score", "bic") is None or graph.extension() is None:
            return None
        return score_graph(graph, columns, **given).total

    return score_of


def _checked(vary: Sequence[str], learner: LearnerLike) -> tuple[str, ...]:
    known = (*VARIATIONS, "threads", "hash")
    if not is_iterable(vary):
        raise OptionError(f"vary={shown(vary)} must be a list of what differs: {listed(known)}.")
    requested = (vary,) if isinstance(vary, str) else tuple(vary)
    for variation in requested:
        one_of("vary", variation, known)
    if "threads" in requested and not isinstance(learner, str):
        raise OptionError("vary='threads' is for algorithms by name: a callable has no option threads.")
    return tuple(variation for variation in known if variation in requested)


def _default_variations(kinds: Mapping[Hashable, Kind], options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what varies between layouts unless `vary` says otherwise."""
    has_units = "continuous" in kinds.values() and options.get("discretise") is None
    return ("columns", "rows", "names", *(["units"] if has_units else []))


def _check_kinds(vary: Sequence[str], kinds: Mapping[Hashable, Kind]) -> None:
    """Reject variations that do not apply to any column."""
    for variation, kind in (("levels", "categorical"), ("units", "continuous")):
        if variation in vary and kind not in kinds.values():
            raise OptionError(f"vary={shown(variation)} is for {kind} columns, and there are none. Leave it out.")


def _check_options(learner: LearnerLike, options: Mapping[str, Any]) -> None:
    if isinstance(learner, str):
        one_of("learner", learner, (AUTOMATIC, *LEARNERS))
        known, function = _names(repeatable_options()), "learn"
    elif callable(learner):
        known, function = _names(score_options()), "score"
    else:
        raise OptionError(f"learner={shown(learner)} is neither the name of a learner nor a callable.")
    refuse_unknown(f"`{function}`", options, known)
    if isinstance(learner, str):
        refuse_options_of_others(learner, given_options(options))


def _names(options: Iterable[Option]) -> tuple[str, ...]:
    return tuple(option.name for option in options)


def _true_graph(truth: object, names: Sequence[Hashable]) -> DAG | PDAG:
    graph = graph_of(truth)
    # Raises the errors of the comparison before anything is learned.
    compare(DAG(names, ()), graph)
    return graph
