"""The one table of options: all that `stablebn.learn` and `stablebn.score` can be told.

The options of scores are in `ScoreConfig`, those of searches in `SearchConfig`; here are the others, and all of them
together. What is made from the table: the signatures and the help of `learn` and `score`, the estimators
(`stablebn.api.estimators`), the options and the help of the commands `learn`, `score` and `stability`, the keys of
learners in a study file, and the checks of them all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, cast

from stablebn.columns.cut_points import METHODS, MOST_BINS, USUAL_BINS
from stablebn.columns.duplicates import DUPLICATES
from stablebn.errors import OptionError, shown
from stablebn.knowledge import NOTHING_KNOWN, Knowledge, combine
from stablebn.knowledge.command_line import arcs_from_words, tiers_from_words
from stablebn.learners.automatic import CHOSEN_EFFORT, USUAL_EFFORT, USUAL_PRIOR, USUAL_SCORE
from stablebn.learners.registry import (
    AUTOMATIC,
    LEARNERS,
    find_learner,
    learner_name,
    learner_of,
    learners_with,
    refuse_options_of_others,
)
from stablebn.learners.shared.config import CLIMBS, EQUIVALENCE_CLASSES, SearchConfig
from stablebn.options import (
    Option,
    Options,
    about,
    at_least,
    callback,
    choice,
    file_path,
    is_path,
    option,
    options_of,
    refuse_unknown,
)
from stablebn.prepare.read_options import ReadingOptions, TableOptions
from stablebn.scores.registry import ScoreConfig
from stablebn.stats.engines.registry import CLIENT_ENGINE, engine_check, engine_named
from stablebn.table.memory_limit import check_memory

_NOT_OPTIONS = ("graph", "data", "algorithm")
_OF_ONE_SEARCH = ("checkpoint", "resume", "memory", "engine", "client", "cache", "progress")


def _automatic(config: type[Options], name: str, meaning: str) -> Any:
    """Return an option of a configuration with `AUTOMATIC` as a further value, of this meaning, and as its default."""
    entry = next(own for own in options_of(config) if own.name == name)
    return option(
        AUTOMATIC,
        f"{entry.help} Or auto: {meaning}",
        check=choice((AUTOMATIC, *entry.choices)),
        own_name=entry.own_name,
        of=entry.of,
        group=entry.group,
        command_help=f"{entry.command_help} Or auto: {meaning}",
    )


def _automatic_score(name: str, usual: str) -> Any:
    meaning = f"that of a result that is scored; without an algorithm by the table; else {usual}."
    return _automatic(ScoreConfig, name, meaning)


def _check_folder(name: str, value: object) -> None:
    if not is_path(value):
        raise OptionError(f"{name}={shown(value)} must be the name of a folder.")
    value = cast("str | os.PathLike[str]", value)
    if os.path.exists(value) and not os.path.isdir(value):
        raise OptionError(f"{name}={os.fspath(value)!r} is a file. Name a folder, or one that is yet to be made.")


def _check_algorithm(_: str, value: object) -> None:
    if not (isinstance(value, str) and value == AUTOMATIC):
        find_learner(value)


@dataclass(frozen=True)
class _TableAndLearner(TableOptions):
    """The table and the learner."""

    algorithm: str = option(
        AUTOMATIC,
        f"The algorithm: {', '.join(LEARNERS)}; or auto, the most accurate one, best, with a score and a prior that "
        "are chosen for the table unless they are given (the result says which, and why).",
        check=_check_algorithm,
        own_name=learner_name,
        command_type=None,
        in_studies=False,
        recorded=False,
    )


@dataclass(frozen=True)
class _Graph(Options):
    """A graph."""

    graph: object = field(
        metadata=about(
            "A DAG, result, networkx DiGraph, arcs or the file of a graph. A PDAG is scored by a DAG that extends it.",
            command_type=None,
        )
    )


@dataclass(frozen=True)
class _Binning(ReadingOptions):
    """How to read the table, and how to make its continuous columns categorical."""

    _: KW_ONLY
    discretise: str | None = option(
        None,
        "Make continuous columns categorical: by quantile (equal counts), interval (equal widths) or information (what "
        "columns say of each other is kept).",
        check=choice(METHODS),
        in_studies=False,
        group="Columns",
        command_help="Make categories of numbers: by quantile (equal counts), interval (equal widths) or information "
        "(what columns say of each other is kept).",
    )
    bins: int | None = option(
        None,
        f"How many categories discretise makes of a column, from 2 to {MOST_BINS}; by default {USUAL_BINS}.",
        check=at_least(2, most=MOST_BINS),
        in_studies=False,
        group="Columns",
    )


@dataclass(frozen=True)
class _Reading(_Binning):
    """How to read and count the table."""

    _: KW_ONLY
    unit_free: bool | None = option(
        None,
        "Continuous data: learn from rounded correlations alone, so that no change of units, sign included, can change "
        "the graph; the trace has the scores of standardised columns. By default yes, but for bge, whose prior has "
        "units. If not, variances take part in the order of the variables, as in the paper. Of a score it decides the "
        "last digits.",
        check=choice((False, True)),
        group="Columns",
        command_help="Numbers: let no change of units or sign change the graph. By default yes, but for bge, whose "
        "prior has units.",
    )


@dataclass(frozen=True)
class _InParts(Options):
    """How to read a table that is larger than memory."""

    _: KW_ONLY
    memory: str | int | None = option(
        None,
        "Read the table in parts and learn from it in blocks, with so much memory for its rows: 2GiB, 512MB, or a "
        "number of bytes. For text (CSV), Parquet and Arrow files, also folders and patterns of them, that are larger "
        "than memory. The answer does not depend on it.",
        check=check_memory,
        command_type=str,
        in_studies=False,
        recorded=False,
    )
    cache: str | os.PathLike[str] | None = option(
        None,
        "A folder in which a table that is read in parts is kept in a form that need not be read again. By default it "
        "lies where temporary files do, and is removed.",
        check=_check_folder,
        command_type=Path,
        in_studies=False,
        recorded=False,
    )


@dataclass(frozen=True)
class LearnerParameters(_Reading, SearchConfig, ScoreConfig):
    """What a learner can be told whatever the table: the parameters of the estimators."""

    score: str = _automatic_score("score", USUAL_SCORE)
    _: KW_ONLY
    prior: str = _automatic_score("prior", USUAL_PRIOR)
    effort: str = _automatic(SearchConfig, "effort", f"without an algorithm {CHOSEN_EFFORT}; else {USUAL_EFFORT}.")
    start: object = option(
        None,
        "Where every search starts: a DAG, arcs or the file of a graph; by default the graph without arcs.",
        command_type=str,
        in_studies=False,
        recorded=False,
        of=(CLIMBS, EQUIVALENCE_CLASSES),
        command_help="The file of a graph at which the search starts; by default the graph without arcs.",
    )
    required: object = option(
        None,
        "Arcs that the graph must have: pairs (from, to), a frame with columns from and to, a graph or a CSV file; on "
        "the command line from:to, or from->to where a name has a colon, or the CSV file.",
        command_type=list[str],
        flag="require",
        from_command=partial(arcs_from_words, "required"),
        in_studies=False,
        recorded=False,
        group="What you know",
        command_help="An arc that the graph must have, from:to, or from->to where a name has a colon; or a CSV file of "
        "arcs.",
    )
    forbidden: object = option(
        None,
        "Arcs that the graph cannot have, given as those required.",
        command_type=list[str],
        flag="forbid",
        from_command=partial(arcs_from_words, "forbidden"),
        in_studies=False,
        recorded=False,
        group="What you know",
        command_help="An arc that the graph cannot have, said in the same way.",
    )
    tiers: Sequence[Sequence[Hashable]] | None = option(
        None,
        "Lists of variables, the earliest first: no arc goes from a later one to an earlier one. On the command line "
        "one with commas between its names, repeated in order.",
        command_type=list[str],
        flag="tier",
        from_command=tiers_from_words,
        in_studies=False,
        recorded=False,
        group="What you know",
        command_help="Columns, with commas between their names, into which no arc comes from later tiers; repeat it in "
        "order, the earliest first.",
    )
    knowledge: object = option(
        None,
        "What is known of the graph besides: a stablebn.Knowledge, a dict of its parts, a TOML or CSV file, a frame "
        "with columns from and to, a networkx graph, or a list of these.",
        command_type=list[str],
        in_studies=False,
        group="What you know",
        command_help="A TOML or CSV file of what is known.",
    )
    duplicates: str = option(
        "keep",
        "Identical columns, and copies in another unit: keep, merge or error.",
        check=choice(DUPLICATES),
        group="Columns",
    )


@dataclass(frozen=True)
class LearnArguments(LearnerParameters, _InParts, _TableAndLearner):
    """What `stablebn.learn` can be told: the whole table of options."""

    _: KW_ONLY
    checkpoint: str | os.PathLike[str] | None = option(
        None,
        "A file to which the search writes what it has found so far, every few seconds and when it ends. If it is "
        "there already, the same search goes on from it, to the same answer.",
        check=file_path,
        command_type=Path,
        in_studies=False,
        recorded=False,
        group="Long runs",
        command_help="Keep what was found so far in this file. If it is there, the same search goes on from it, to the "
        "same answer.",
    )
    resume: bool | None = option(
        None,
        "With checkpoint: whether the file must be there (True), or the search is to begin anew all the same (False). "
        "By default it goes on from the file if there is one.",
        check=choice((False, True)),
        in_studies=False,
        recorded=False,
        group="Long runs",
        command_help="Whether the checkpoint must be there, or the search is to begin anew all the same.",
    )
    engine: str | None = option(
        None,
        "Who counts: gpu, the GPU of this machine (extra gpu), or dask, the workers of a Dask cluster, which read the "
        "table and keep its rows (extra dask). By default the processor. The answer does not depend on it.",
        check=engine_check(),
        in_studies=False,
        recorded=False,
    )
    client: object = option(
        None,
        "With engine dask: the distributed.Client of the cluster, or the address of its scheduler. On the command line "
        "the address is enough. The table is a Dask dataframe, or Parquet or Arrow files that the workers can read.",
        command_help="The address of a Dask scheduler, whose workers do the work.",
        command_type=str,
        flag="dask",
        in_studies=False,
        recorded=False,
    )
    progress: Callable[[str, int], None] | None = option(
        None,
        "Called with the name of what is under way and how far it is, steps of a search for instance; not always from "
        "the same thread.",
        check=callback,
        command_type=None,
        in_studies=False,
        recorded=False,
    )

    @classmethod
    def of_learn(cls, arguments: Sequence[object], options: Mapping[str, object]) -> LearnArguments:
        """What `stablebn.learn` was told; `OptionError` if the learner does not have one of the options."""
        asked = cls.from_call("learn", arguments, options)
        if asked.checkpoint is None and asked.resume is not None:
            raise OptionError("resume= goes with checkpoint=, the file to go on from. Say both, or leave it out.")
        return asked._with_engine()

    @classmethod
    def check_together(cls, given: Mapping[str, object]) -> None:
        """Raise `OptionError` for options that the algorithm does not have: no error may offer values of them."""
        entry = next(own for own in options_of(cls) if own.name == "algorithm")
        algorithm = given.get("algorithm", entry.default)
        entry.check_value(algorithm)
        refuse_options_of_others(str(entry.read(algorithm)), told_options(given))

    def _with_engine(self) -> LearnArguments:
        """Return these arguments with the engine that a `client` implies; `OptionError` if they do not fit together."""
        arguments = replace(self, engine=CLIENT_ENGINE) if self.client is not None and self.engine is None else self
        if arguments.engine is None:
            return arguments
        engine = engine_named(arguments.engine)
        if self.client is not None and not engine.has_workers:
            raise OptionError(
                f'client= goes with engine="{CLIENT_ENGINE}", not with engine={self.engine!r}. Leave one out.'
            )
        if engine.has_workers and self.cache is not None:
            raise OptionError(
                f'cache= goes with memory=, not with engine="{arguments.engine}": workers keep the table. Leave it out.'
            )
        return arguments

    def said(self) -> Knowledge:
        """All that the options say is known; `KnowledgeError` if it cannot all be true.

        One `max_parents` of all variables is the search's own affair, and no part of it.
        """
        return known_from({name: getattr(self, name) for name in KNOWLEDGE})

    def recorded(self) -> dict[str, object]:
        """The learner, and the options that it has, for the `config` of a result."""
        return {
            "algorithm": self.algorithm,
            **{entry.name: getattr(self, entry.name) for entry in options_for(self.algorithm) if entry.recorded},
        }


@dataclass(frozen=True)
class ScoreArguments(_Reading, ScoreConfig, TableOptions, _Graph):
    """The options of `stablebn.score`."""

    score: str = _automatic_score("score", USUAL_SCORE)
    _: KW_ONLY
    prior: str = _automatic_score("prior", USUAL_PRIOR)


@dataclass(frozen=True)
class StatisticsArguments(_Reading, _InParts, TableOptions):
    """What `stablebn.statistics` can be told: the table, and how to read it."""


@dataclass(frozen=True)
class CheckArguments(_Reading, TableOptions):
    """What `stablebn.check` can be told: the table, and how to read it."""


@dataclass(frozen=True)
class FitArguments(_Binning, TableOptions, _Graph):
    """The options of `stablebn.fit`."""

    graph: object = field(
        metadata=about(
            "A DAG, Result, networkx DiGraph, or list of arcs. No arc may go from a continuous column to a categorical "
            "one: there is no distribution for it.",
            command_type=None,
        )
    )
    _: KW_ONLY
    method: str = option(
        "ml",
        "ml, maximum likelihood, or bde, for categorical nodes the mean of the posterior with the BDeu prior of iss. "
        "Continuous nodes have least squares in each configuration of their categorical parents. The noise variance is "
        "RSS / (N - 1) if all columns that vary are continuous, and RSS / n of the n rows of the configuration in a "
        "mixed table: in both the log-likelihood of these rows is the loglik score of the graph.",
    )
    iss: float = option(1.0, "Imaginary sample size of bde.")
    unseen: str = option(
        "uniform",
        "With ml, the distribution of a categorical node if no row has the configuration of its parents: uniform, "
        "marginal, or error. A continuous node has the regression of all rows if a configuration of its categorical "
        "parents has too few rows, or with error an error. The warnings of the network name these nodes.",
    )


@dataclass(frozen=True)
class CITestArguments(_Reading, TableOptions):
    """The options of `stablebn.ci_test`."""

    x: Hashable = field(metadata=about("A column.", command_type=None))
    y: Hashable = field(metadata=about("Another column.", command_type=None))
    given: Iterable[Hashable] | Hashable = option((), "The columns to condition on, or the name of one column.")
    test: str | None = option(
        None,
        "Categorical data: mi (G2, the default), mi-adf (G2 with adjusted degrees of freedom) or x2 (Pearson). "
        "Continuous data: cor (exact t test of the partial correlation, the default), zf (Fisher's z) or mi-g "
        "(Gaussian mutual information). Mixed data: mi-cg (conditional Gaussian mutual information).",
    )
    _: KW_ONLY
    unit_free: bool | None = option(
        None,
        "Continuous data: test rounded correlations, so that no change of units can change the answer, and a change of "
        "sign only the sign of the statistic. By default yes; otherwise correlations have all their digits.",
        check=choice((False, True)),
    )


def _missing_as_learned() -> Any:
    """Return the option `missing` of a table that a graph was learned from."""
    entry = next(own for own in options_of(ReadingOptions) if own.name == "missing")
    usual = "by default as when the graph was learned."
    return option(
        None,
        f"{entry.help.removesuffix('.')}; {usual}",
        check=entry.check,
        group=entry.group,
        command_help=f"{str(entry.command_help).removesuffix('.')}; {usual}",
    )


@dataclass(frozen=True)
class _TableLearnedFrom(ReadingOptions, TableOptions):
    """The table that a graph was learned from: options that are left out are as they were then."""

    _: KW_ONLY
    missing: str = _missing_as_learned()


@dataclass(frozen=True)
class _Certificate(Options):
    """A certificate."""

    certificate: Any = field(metadata=about("A Certificate, or the path of its file.", command_type=None))


@dataclass(frozen=True)
class VerifyArguments(_TableLearnedFrom, _Certificate):
    """The options of `stablebn.verify`."""


@dataclass(frozen=True)
class _LearnedResult(Options):
    """The result of learning."""

    result: Any = field(
        metadata=about(
            "The Result of any learner. The best graph is looked for among those that obey what was known when it was "
            "learned.",
            command_type=None,
        )
    )


@dataclass(frozen=True)
class ProveArguments(_TableLearnedFrom, _LearnedResult):
    """The options of `stablebn.prove`."""

    _: KW_ONLY
    max_parents: int | None = option(
        None,
        "Most parents of a variable; by default as many as the learner of the graph was allowed.",
    )
    max_sets: int | None = option(None, "As in stablebn.learn with the algorithm exact.")
    max_time: float | None = option(None, "As in stablebn.learn with the algorithm exact.")


KNOWLEDGE = ("required", "forbidden", "tiers", "knowledge", "max_parents")
"""The options that say what is known, each by names of variables."""


def known_from(options: Mapping[str, Any]) -> Knowledge:
    """What these options say is known; one `max_parents` of all variables is checked, and is no part of it."""
    said: dict[str, Any] = {
        name: options[name] for name in ("required", "forbidden", "tiers") if options.get(name) is not None
    }
    most, besides = options.get("max_parents"), options.get("knowledge")
    if not said and most is None and besides is None:
        return NOTHING_KNOWN
    if isinstance(most, Mapping):
        said["max_parents"] = most
    known = combine([said, () if besides is None else besides])
    if most is None or isinstance(most, Mapping):
        return known
    within = combine([known, {"max_parents": most}])
    # Where some variables have limits of their own, those of the others stand beside them.
    return known if known.max_parents is None else within


def about_the_table(asked: Options) -> dict[str, object]:
    """Those options that are about the table and were given."""
    known = [*check_options(), *(entry for entry in learn_options() if entry.name == "duplicates")]
    given = {entry.name: getattr(asked, entry.name, entry.default) for entry in known if entry.name != "threads"}
    defaults = {entry.name: entry.default for entry in known}
    return {name: value for name, value in given.items() if value is not defaults[name]}


def changed_options(asked: Options, parts: Sequence[type[Options]]) -> dict[str, object]:
    """Those options of some parts of the table that are not the default."""
    entries = [entry for part in parts for entry in options_of(part)]
    return {entry.name: getattr(asked, entry.name) for entry in entries if getattr(asked, entry.name) != entry.default}


def checked_values(given: Mapping[str, Any]) -> dict[str, Any]:
    """Check values of options of `learn`, some of which a function takes, and return them as `learn` uses them."""
    known = {entry.name: entry for entry in learn_options()}
    checked = dict(given)
    for name, value in given.items():
        if name in known and value is not None:
            known[name].check_value(value)
            checked[name] = known[name].read(value)
    return checked


def check_given(algorithm: object, given: Mapping[str, object]) -> None:
    """Check options of a learner before there is a table; None stands for a default.

    Raises
    ------
    OptionError
        The learner is not known, it does not have an option, or that cannot have this value.
    """
    algorithm = find_learner(algorithm)
    refuse_unknown("learn", given, [entry.name for entry in learn_options()])
    told = told_options(given)
    refuse_options_of_others(algorithm, told)
    for entry in told:
        entry.check_value(given[entry.name])


def told_options(given: Mapping[str, object]) -> list[Option]:
    """The options of `stablebn.learn` that were given."""
    known = {entry.name: entry for entry in learn_options() if entry.name in given}
    return [known[name] for name, value in given.items() if name in known and value is not None]


def describe(entry: Option) -> str:
    """What an option does, its default, and which learners have it if not all do."""
    return (
        f"{entry.help_with_default} Only of {', '.join(learners_with(entry))}." if entry.of else entry.help_with_default
    )


@cache
def learn_options() -> tuple[Option, ...]:
    """The options of `stablebn.learn`, without the table and the learner."""
    return tuple(entry for entry in options_of(LearnArguments) if entry.name not in _NOT_OPTIONS)


@cache
def repeatable_options() -> tuple[Option, ...]:
    """Those of them that a search can have that is made again and again: not what is of one search alone."""
    return tuple(entry for entry in learn_options() if entry.name not in _OF_ONE_SEARCH)


@cache
def score_options() -> tuple[Option, ...]:
    """The options of `stablebn.score`, without the graph and the table."""
    return tuple(entry for entry in options_of(ScoreArguments) if entry.name not in _NOT_OPTIONS)


@cache
def verify_options() -> tuple[Option, ...]:
    """The options of `stablebn.verify`, without the certificate and the table."""
    return tuple(entry for entry in options_of(VerifyArguments) if entry.name not in ("certificate", "data"))


@cache
def check_options() -> tuple[Option, ...]:
    """The options of `stablebn.check`, without the table."""
    return tuple(entry for entry in options_of(CheckArguments) if entry.name not in _NOT_OPTIONS)


@cache
def options_for(algorithm: str) -> tuple[Option, ...]:
    """The options that a learner has."""
    return tuple(entry for entry in learn_options() if learner_of(algorithm).has(entry))


@cache
def parameters_of(algorithm: str) -> tuple[Option, ...]:
    """The parameters of the estimator of a learner."""
    return tuple(entry for entry in options_of(LearnerParameters) if LEARNERS[algorithm].has(entry))


def study_options() -> tuple[Option, ...]:
    """The options that a study file can set.

    A job has one thread and the study's time limit; a sample has no missing values, no weights, and kinds of its own.
    """
    return tuple(entry for entry in learn_options() if entry.in_studies)
