"""The options of the public functions, in one table.

Scores define theirs in `ScoreConfig`, searches in `SearchConfig`, and reading a table in `ReadingOptions`. This module
adds the others and combines them, one dataclass per public function. The signatures and help texts of the functions,
the estimators, the options of the commands, and the keys of study files are generated from these dataclasses.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from stablebn.errors import OptionError
from stablebn.knowledge import NOTHING_KNOWN, Knowledge, combine
from stablebn.knowledge.command_line import arcs_from_words, tiers_from_words
from stablebn.learners.registry import (
    AUTOMATIC,
    LEARNERS,
    find_learner,
    learner_name,
    learner_of,
    learners_with,
    refuse_options_of_others,
)
from stablebn.learners.shared.automatic import CHOSEN_EFFORT, USUAL_EFFORT, USUAL_PRIOR, USUAL_SCORE
from stablebn.learners.shared.config import CLIMBS, EQUIVALENCE_CLASSES, SearchConfig
from stablebn.options import (
    Check,
    Option,
    Options,
    about,
    callback,
    choice,
    file_path,
    option,
    options_of,
    refuse_unknown,
    with_check,
)
from stablebn.prepare.read_options import (
    BinningOptions,
    OutOfCoreOptions,
    ReadingOptions,
    ReadOptions,
    Storage,
    TableOptions,
)
from stablebn.scores.registry import ScoreConfig
from stablebn.stats.engines.registry import CLIENT_ENGINE, engine_check, engine_named

_NOT_OPTIONS = ("graph", "data", "algorithm")
_OF_ONE_SEARCH = ("checkpoint", "resume", "memory", "engine", "client", "cache", "progress")


def _same_option(config: type[Options], name: str, check: Check | None = None) -> Any:
    """Return an option of another configuration, to be a field of this one too, perhaps with another check."""
    entry = next(entry for entry in fields(config) if entry.name == name)
    return field(default=entry.default, metadata=entry.metadata if check is None else with_check(entry.metadata, check))


def _automatic(config: type[Options], name: str, meaning: str) -> Any:
    """Return an option of a configuration that also has the value `AUTOMATIC`, which is its default."""
    entry = next(entry for entry in options_of(config) if entry.name == name)
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


def _check_algorithm(_: str, value: object) -> None:
    if not (isinstance(value, str) and value == AUTOMATIC):
        find_learner(value)


@dataclass(frozen=True)
class _TableAndLearner(TableOptions):
    """The table and the algorithm."""

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
    """The graph that is scored or fitted."""

    graph: object = field(
        metadata=about(
            "A DAG, result, networkx DiGraph, arcs or the file of a graph. A PDAG is scored by a DAG that extends it.",
            command_type=None,
        )
    )


@dataclass(frozen=True)
class _UnitOptions(BinningOptions):
    """How to read the table, and whether units take part."""

    _: KW_ONLY
    unit_free: bool | None = option(
        None,
        "Continuous data: learn only from rounded correlations, so that no change of units or signs can change the "
        "graph; the trace has the scores of standardised columns. By default yes, except for bge, whose prior has "
        "units. If not, variances take part in ordering the variables, as in the paper, and the last digits of scores "
        "differ.",
        check=choice((False, True)),
        group="Columns",
        command_help="Continuous data: let no change of units or signs change the graph. By default yes, except for "
        "bge, whose prior has units.",
    )


@dataclass(frozen=True)
class LearnerParameters(_UnitOptions, SearchConfig, ScoreConfig):
    """The options of an algorithm that do not depend on the table: the parameters of the estimators."""

    score: str = _automatic_score("score", USUAL_SCORE)
    _: KW_ONLY
    prior: str = _automatic_score("prior", USUAL_PRIOR)
    effort: str = _automatic(SearchConfig, "effort", f"without an algorithm {CHOSEN_EFFORT}; else {USUAL_EFFORT}.")
    start: object = option(
        None,
        "The graph from which every search starts: a DAG, arcs or the file of a graph; by default the empty graph.",
        command_type=str,
        in_studies=False,
        recorded=False,
        of=(CLIMBS, EQUIVALENCE_CLASSES),
        command_help="The file of the graph from which the search starts; by default the empty graph.",
    )
    required: object = option(
        None,
        "Arcs that the graph must have: pairs (from, to), a frame with columns from and to, a graph or a CSV file; on "
        "the command line from:to, or from->to if a name has a colon, or the CSV file.",
        command_type=list[str],
        flag="require",
        from_command=partial(arcs_from_words, "required"),
        in_studies=False,
        recorded=False,
        group="What you know",
        command_help="An arc that the graph must have: from:to, or from->to if a name has a colon; or a CSV file of "
        "arcs.",
    )
    forbidden: object = option(
        None,
        "Arcs that the graph must not have, written like required arcs.",
        command_type=list[str],
        flag="forbid",
        from_command=partial(arcs_from_words, "forbidden"),
        in_studies=False,
        recorded=False,
        group="What you know",
        command_help="An arc that the graph must not have, written like a required one.",
    )
    tiers: Sequence[Sequence[Hashable]] | None = option(
        None,
        "Lists of variables, the earliest first: no arc goes from a later list to an earlier one. On the command line, "
        "repeat the option for each list, with commas between the names.",
        command_type=list[str],
        flag="tier",
        from_command=tiers_from_words,
        in_studies=False,
        recorded=False,
        group="What you know",
        command_help="Columns of one tier, with commas between their names: no arc goes from a later tier to an "
        "earlier one. Repeat the option for each tier, the earliest first.",
    )
    knowledge: object = option(
        None,
        "More background knowledge of the graph: a stablebn.Knowledge, a dict of its parts, a TOML or CSV file, a "
        "frame with columns from and to, a networkx graph, or a list of these.",
        command_type=list[str],
        in_studies=False,
        group="What you know",
        command_help="A TOML or CSV file with background knowledge.",
    )
    duplicates: str = _same_option(ReadOptions, "duplicates")


@dataclass(frozen=True)
class LearnArguments(LearnerParameters, OutOfCoreOptions, _TableAndLearner):
    """The options of `stablebn.learn`."""

    _: KW_ONLY
    checkpoint: str | os.PathLike[str] | None = option(
        None,
        "A file to which the search writes its progress, every few seconds and when it ends. If the file exists, the "
        "same search continues from it and gives the same answer.",
        check=file_path,
        command_type=Path,
        in_studies=False,
        recorded=False,
        group="Long runs",
        command_help="Write the progress of the search to this file. If it exists, the same search continues from it "
        "and gives the same answer.",
    )
    resume: bool | None = option(
        None,
        "With checkpoint: continue from the file, which must exist (True), or start from the beginning even if it "
        "exists (False). By default the search continues from the file if it exists.",
        check=choice((False, True)),
        in_studies=False,
        recorded=False,
        group="Long runs",
        command_help="Continue from the checkpoint, which must exist; or start from the beginning even if it exists.",
    )
    engine: str | None = _same_option(Storage, "engine", check=engine_check())
    client: object = _same_option(Storage, "client")
    progress: Callable[[str, int], None] | None = option(
        None,
        "A function that is called with the name of the current stage and a count, for instance the steps of a search; "
        "not always from the same thread.",
        check=callback,
        command_type=None,
        in_studies=False,
        recorded=False,
    )

    @classmethod
    def of_learn(cls, arguments: Sequence[object], options: Mapping[str, object]) -> LearnArguments:
        """Return the options of a call of `stablebn.learn`.

        Raises
        ------
        OptionError
            The algorithm does not have one of the options, or options exclude each other.
        """
        parsed = cls.from_call("learn", arguments, options)
        if parsed.checkpoint is None and parsed.resume is not None:
            raise OptionError("resume= goes with checkpoint=, the file to go on from. Say both, or leave it out.")
        return parsed._with_engine()

    @classmethod
    def check_together(cls, given: Mapping[str, object]) -> None:
        """Raise `OptionError` for options that the algorithm does not have, before an error suggests values of them."""
        entry = next(entry for entry in options_of(cls) if entry.name == "algorithm")
        algorithm = given.get("algorithm", entry.default)
        entry.check_value(algorithm)
        refuse_options_of_others(str(entry.read(algorithm)), given_options(given))

    def _with_engine(self) -> LearnArguments:
        """Return these options with the engine "dask" if a client is given."""
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

    def background_knowledge(self) -> Knowledge:
        """Return the background knowledge of all options; raise `KnowledgeError` if it contradicts itself.

        A `max_parents` that holds for all variables is an option of the search, and not part of the knowledge.
        """
        return known_from({name: getattr(self, name) for name in KNOWLEDGE})

    def recorded(self) -> dict[str, object]:
        """Return the algorithm and its options, for the `config` of a result."""
        return {
            "algorithm": self.algorithm,
            **{entry.name: getattr(self, entry.name) for entry in options_for(self.algorithm) if entry.recorded},
        }


@dataclass(frozen=True)
class ScoreArguments(_UnitOptions, ScoreConfig, TableOptions, _Graph):
    """The options of `stablebn.score`."""

    score: str = _automatic_score("score", USUAL_SCORE)
    _: KW_ONLY
    prior: str = _automatic_score("prior", USUAL_PRIOR)


@dataclass(frozen=True)
class StatisticsArguments(_UnitOptions, OutOfCoreOptions, TableOptions):
    """The options of `stablebn.statistics`."""


@dataclass(frozen=True)
class CheckArguments(_UnitOptions, TableOptions):
    """The options of `stablebn.check`."""


@dataclass(frozen=True)
class FitArguments(BinningOptions, TableOptions, _Graph):
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
class CITestArguments(_UnitOptions, TableOptions):
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
    """Return the option `missing` with the default "as when the graph was learned"."""
    entry = next(entry for entry in options_of(ReadingOptions) if entry.name == "missing")
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
    """The table that a graph was learned from: options that are not given have the values of that time."""

    _: KW_ONLY
    missing: str = _missing_as_learned()


@dataclass(frozen=True)
class _CertificateOption(Options):
    """The certificate to verify."""

    certificate: Any = field(metadata=about("A Certificate, or the path of its file.", command_type=None))


@dataclass(frozen=True)
class VerifyArguments(_TableLearnedFrom, _CertificateOption):
    """The options of `stablebn.verify`."""


@dataclass(frozen=True)
class _LearnedResult(Options):
    """The result to prove."""

    result: Any = field(
        metadata=about(
            "The Result of any algorithm. The best graph is searched among those that respect the background knowledge "
            "with which the result was learned.",
            command_type=None,
        )
    )


@dataclass(frozen=True)
class ProveArguments(_TableLearnedFrom, _LearnedResult):
    """The options of `stablebn.prove`."""

    _: KW_ONLY
    max_parents: int | None = option(
        None,
        "Most parents of a variable; by default the limit with which the graph was learned.",
    )
    max_sets: int | None = option(None, "As in stablebn.learn with the algorithm exact.")
    max_time: float | None = option(None, "As in stablebn.learn with the algorithm exact.")


KNOWLEDGE = ("required", "forbidden", "tiers", "knowledge", "max_parents")
"""The options with background knowledge, which name variables."""


def known_from(options: Mapping[str, Any]) -> Knowledge:
    """Return the background knowledge of these options.

    A `max_parents` that holds for all variables is checked against it, and becomes part of it only if some variables
    have limits of their own.
    """
    given: dict[str, Any] = {
        name: options[name] for name in ("required", "forbidden", "tiers") if options.get(name) is not None
    }
    most, knowledge = options.get("max_parents"), options.get("knowledge")
    if not given and most is None and knowledge is None:
        return NOTHING_KNOWN
    if isinstance(most, Mapping):
        given["max_parents"] = most
    known = combine([given, () if knowledge is None else knowledge])
    if most is None or isinstance(most, Mapping):
        return known
    within = combine([known, {"max_parents": most}])
    return known if known.max_parents is None else within


def about_the_table(asked: Options) -> dict[str, object]:
    """Return the options about the table that differ from their defaults."""
    known = [*check_options(), *(entry for entry in learn_options() if entry.name == "duplicates")]
    given = {entry.name: getattr(asked, entry.name, entry.default) for entry in known if entry.name != "threads"}
    defaults = {entry.name: entry.default for entry in known}
    return {name: value for name, value in given.items() if value is not defaults[name]}


def changed_options(asked: Options, parts: Sequence[type[Options]]) -> dict[str, object]:
    """Return the options of some configurations that differ from their defaults."""
    entries = [entry for part in parts for entry in options_of(part)]
    return {entry.name: getattr(asked, entry.name) for entry in entries if getattr(asked, entry.name) != entry.default}


def checked_values(given: Mapping[str, Any]) -> dict[str, Any]:
    """Check and convert values of options of `learn`; other options stay unchanged."""
    known = {entry.name: entry for entry in learn_options()}
    checked = dict(given)
    for name, value in given.items():
        if name in known and value is not None:
            known[name].check_value(value)
            checked[name] = known[name].read(value)
    return checked


def check_given(algorithm: object, given: Mapping[str, object]) -> None:
    """Check options of an algorithm before there is a table; `None` stands for the default.

    Raises
    ------
    OptionError
        The algorithm is unknown or does not have an option, or an option cannot have its value.
    """
    algorithm = find_learner(algorithm)
    refuse_unknown("learn", given, [entry.name for entry in learn_options()])
    named = given_options(given)
    refuse_options_of_others(algorithm, named)
    for entry in named:
        entry.check_value(given[entry.name])


def given_options(given: Mapping[str, object]) -> list[Option]:
    """Return the options of `stablebn.learn` that have a value."""
    known = {entry.name: entry for entry in learn_options() if entry.name in given}
    return [known[name] for name, value in given.items() if name in known and value is not None]


def describe(entry: Option) -> str:
    """Return the help of an option, its default, and the algorithms that have it if not all do."""
    return (
        f"{entry.help_with_default} Only of {', '.join(learners_with(entry))}." if entry.of else entry.help_with_default
    )


@cache
def learn_options() -> tuple[Option, ...]:
    """Return the options of `stablebn.learn`, without the table and the algorithm."""
    return tuple(entry for entry in options_of(LearnArguments) if entry.name not in _NOT_OPTIONS)


@cache
def repeatable_options() -> tuple[Option, ...]:
    """Return the options of `stablebn.learn` that make sense for many searches, not only for one."""
    return tuple(entry for entry in learn_options() if entry.name not in _OF_ONE_SEARCH)


@cache
def score_options() -> tuple[Option, ...]:
    """Return the options of `stablebn.score`, without the graph and the table."""
    return tuple(entry for entry in options_of(ScoreArguments) if entry.name not in _NOT_OPTIONS)


@cache
def verify_options() -> tuple[Option, ...]:
    """Return the options of `stablebn.verify`, without the certificate and the table."""
    return tuple(entry for entry in options_of(VerifyArguments) if entry.name not in ("certificate", "data"))


@cache
def check_options() -> tuple[Option, ...]:
    """Return the options of `stablebn.check`, without the table."""
    return tuple(entry for entry in options_of(CheckArguments) if entry.name not in _NOT_OPTIONS)


@cache
def options_for(algorithm: str) -> tuple[Option, ...]:
    """Return the options of an algorithm."""
    return tuple(entry for entry in learn_options() if learner_of(algorithm).has(entry))


@cache
def parameters_of(algorithm: str) -> tuple[Option, ...]:
    """Return the parameters of the estimator of an algorithm."""
    return tuple(entry for entry in options_of(LearnerParameters) if LEARNERS[algorithm].has(entry))


def study_options() -> tuple[Option, ...]:
    """Return the options that a study file can set.

    Others are fixed: a job has one thread and the time limit of the study; a sample is complete, without weights, and
    its kinds are known.
    """
    return tuple(entry for entry in learn_options() if entry.in_studies)
