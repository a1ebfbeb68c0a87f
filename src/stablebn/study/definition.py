"""Read a study from its TOML file: networks, sample sizes, learners and layouts."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

from stablebn.api.arguments import check_given, study_options
from stablebn.errors import FormatError, OptionError, listed, one_of, shown
from stablebn.learners import LEARNERS
from stablebn.learners.registry import find_learner
from stablebn.networks.catalogue import network_name
from stablebn.options import Option, at_least, checked_arguments, file_path, flag
from stablebn.prepare.relayout import VARIATIONS
from stablebn.study.study_networks import NamedNetwork, read_networks

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

METRICS = ("f1", "precision", "recall", "bsf", "shd", "degree", "score", "seconds")
"""The metrics that tables can show: fields of `Record`."""

REPORTS = ("general", "paper")
"""The names of the reports: which tables and figures a study has."""

_OVERRIDES = ("randomisations", "vary", "networks", "sizes", "time_limit")


@dataclass(frozen=True)
class ConfiguredLearner:
    """An algorithm of a study with its options, networks and sizes.

    Attributes
    ----------
    label : str
        Its name in tables.
    algorithm : str
    options : mapping of str to value
        Options of `stablebn.learn`.
    randomisations : int
        The number of layouts of every sample.
    vary : tuple of str
        What differs between the layouts.
    networks : tuple of str
    sizes : tuple of int
    time_limit : float
        The most seconds that it may take for one layout.
    """

    label: str
    algorithm: str
    options: Mapping[str, Any]
    randomisations: int
    vary: tuple[str, ...]
    networks: tuple[str, ...]
    sizes: tuple[int, ...]
    time_limit: float

    @property
    def recipe(self) -> str:
        """Algorithm and options as one text that does not depend on the order of the options in the file."""
        return json.dumps([self.algorithm, self.options], sort_keys=True)


@dataclass(frozen=True)
class Study:
    """Learners by networks by sample sizes by layouts.

    Attributes
    ----------
    title, name : str
        The name is that of the file.
    networks : tuple of str
    sizes : tuple of int
        Numbers of rows of the samples.
    learners : tuple of ConfiguredLearner
    metrics : tuple of str
        The metrics that its tables show.
    seed : int
        The seed of samples and layouts.
    report : {"general", "paper"}
        Which tables and figures it has: those of any study, or those of the paper.
    named_networks : dict of name to NamedNetwork
        The networks, with their parameters.
    """

    title: str
    name: str
    networks: tuple[str, ...]
    sizes: tuple[int, ...]
    learners: tuple[ConfiguredLearner, ...]
    metrics: tuple[str, ...]
    seed: int
    report: str
    named_networks: Mapping[str, NamedNetwork] = field(repr=False)


@checked_arguments(definition=file_path, quick=flag)
def read_study(
    definition: str | os.PathLike[str], *, quick: bool = False, directories: Sequence[str | os.PathLike[str]] = ()
) -> Study:
    """Read a study and its networks.

    Parameters
    ----------
    definition : str or path
        "paper", or the path of a TOML file.
    quick : bool
        Only the part in its table [quick].
    directories : sequence of paths
        Folders that are searched for networks before all others.

    Returns
    -------
    Study

    Raises
    ------
    OptionError
        A key, a value or a network is unknown.
    FormatError
        The file is not TOML.
    """
    name, folder, text = _text_of(definition)
    try:
        document = _TomlTable(f"study {name!r}", tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise FormatError(str(definition), None, str(error)) from None
    except RecursionError:
        raise FormatError(str(definition), None, "its arrays or tables are nested too deeply.") from None
    document.check_keys(
        (
            *("title", "networks", "sizes", "seed", "time_limit", "vary", "randomisations", "metrics", "report"),
            *("learners", "quick", *_known_options()),
        )
    )
    paths = _paths(document, folder)
    networks, sizes = tuple(paths), document.sizes()
    learners = _learners(document, networks, sizes)
    part = _quick_part(document, networks, sizes)
    if quick:
        if part is None:
            raise OptionError(f"{document.where} has no table [quick]. Add one, or leave out --quick.")
        networks, sizes = part.networks, part.sizes
        learners = tuple(narrowed for narrowed in map(part.of, learners) if narrowed.networks and narrowed.sizes)
    return Study(
        title=document.text("title", name),
        name=name,
        networks=networks,
        sizes=sizes,
        learners=learners,
        metrics=document.texts("metrics", METRICS, METRICS),
        seed=document.integer("seed", 0, 1),
        report=document.one_of("report", REPORTS),
        named_networks=read_networks({network: paths[network] for network in networks}, directories),
    )


@dataclass(frozen=True)
class _TomlTable:
    """A table of the file. Its errors name the key, and start with `where`."""

    where: str
    entries: Mapping[str, Any]

    def wrong(self, key: str, expected: str) -> OptionError:
        return OptionError(f"{self.where}: {key} = {shown(self.entries.get(key))} must be {expected}.")

    def check_keys(self, known: Sequence[str]) -> None:
        unknown = [key for key in self.entries if key not in known]
        if unknown:
            raise OptionError(f"{self.where}: unknown keys {listed(unknown)}. Keys are {listed(known, most=99)}.")

    def text(self, key: str, default: str) -> str:
        value = self.entries.get(key, default)
        if not isinstance(value, str) or not value:
            raise self.wrong(key, "text in quotes")
        return value

    def one_of(self, key: str, allowed: Sequence[str]) -> str:
        """Return one of the allowed words, by default the first."""
        value = self.entries.get(key, allowed[0])
        self.checked(one_of, key, value, allowed)
        return str(value)

    def integer(self, key: str, least: int, default: int) -> int:
        value = self.entries.get(key, default)
        self.checked(at_least(least), key, value)
        return int(value)

    def seconds(self, key: str, default: float) -> float:
        value = self.entries.get(key, default)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < float("inf"):
            raise self.wrong(key, "a number of seconds above 0")
        return float(value)

    def values(self, key: str, type_: type, default: Sequence[Any] | None = None) -> tuple[Any, ...]:
        """Return a list without duplicates; without a default the key is required, and the list must not be empty."""
        items = self.entries.get(key, default)
        is_list = isinstance(items, Sequence) and not isinstance(items, str) and all(type(v) is type_ for v in items)
        if not is_list or (default is None and not items):
            raise self.wrong(key, f"a list of {'numbers' if type_ is int else 'texts'}, such as {_EXAMPLES[key]}")
        repeated = [value for value, times in Counter(items).items() if times > 1]
        if repeated:
            raise OptionError(f"{self.where}: {key} has {listed(repeated)} more than once. Leave out the second one.")
        return tuple(items)

    def texts(self, key: str, allowed: Sequence[str], default: Sequence[str]) -> tuple[str, ...]:
        """Return a list of some of the allowed words, in the order of `allowed`."""
        chosen = self.values(key, str, default)
        for value in chosen:
            self.checked(one_of, key, value, allowed)
        return tuple(value for value in allowed if value in chosen)

    def among(self, key: str, type_: type, all_of_them: Sequence[Any]) -> tuple[Any, ...]:
        """Return a list of some of the networks or sizes of the study, in the order of the study; by default all."""
        chosen = self.values(key, type_, all_of_them)
        if not chosen:
            raise self.wrong(key, "a list of at least one; leave it out for all")
        others = [value for value in chosen if value not in all_of_them]
        if others:
            raise OptionError(f"{self.where}: {key} has {listed(others)}, not among those of the study. Add it there.")
        return tuple(value for value in all_of_them if value in chosen)

    def sizes(self) -> tuple[int, ...]:
        sizes = self.values("sizes", int)
        if min(sizes) < 2:
            raise self.wrong("sizes", "numbers of rows of at least 2")
        return sizes

    def table(self, key: str) -> _TomlTable | None:
        value = self.entries.get(key)
        if value is not None and not isinstance(value, Mapping):
            raise self.wrong(key, f"a table: write [{key}] above its keys")
        return None if value is None else _TomlTable(f"{self.where}, [{key}]", value)

    def tables(self, key: str) -> list[_TomlTable]:
        tables = self.entries.get(key)
        if not isinstance(tables, list) or not tables or not all(isinstance(entry, Mapping) for entry in tables):
            raise self.wrong(key, f"tables: write [[{key}]] above the keys of each")
        return [_TomlTable(f"{self.where}, [[{key}]] number {number}", entry) for number, entry in enumerate(tables, 1)]

    def checked(self, check: Any, *arguments: Any) -> Any:
        """Call a check of the library; put `where` before the message of its error."""
        try:
            return check(*arguments)
        except OptionError as error:
            raise OptionError(f"{self.where}: {error}") from None


_EXAMPLES = {
    "networks": '["asia", "alarm"]',
    "sizes": "[100, 1000]",
    "vary": '["columns", "rows"]',
    "metrics": '["f1", "score"]',
}


@dataclass(frozen=True)
class _QuickPart:
    """The part of a study that is run with --quick."""

    networks: tuple[str, ...]
    sizes: tuple[int, ...]
    randomisations: int | None

    def of(self, learner: ConfiguredLearner) -> ConfiguredLearner:
        """Return the learner with the networks, sizes and layouts of this part."""
        most = learner.randomisations if self.randomisations is None else self.randomisations
        return replace(
            learner,
            networks=tuple(network for network in learner.networks if network in self.networks),
            sizes=tuple(rows for rows in learner.sizes if rows in self.sizes),
            randomisations=min(learner.randomisations, most),
        )


def _quick_part(document: _TomlTable, networks: tuple[str, ...], sizes: tuple[int, ...]) -> _QuickPart | None:
    quick = document.table("quick")
    if quick is None:
        return None
    quick.check_keys(("networks", "sizes", "randomisations"))
    return _QuickPart(
        networks=quick.among("networks", str, networks),
        sizes=quick.among("sizes", int, sizes),
        randomisations=quick.integer("randomisations", 1, 1) if "randomisations" in quick.entries else None,
    )


def _learners(document: _TomlTable, networks: tuple[str, ...], sizes: tuple[int, ...]) -> tuple[ConfiguredLearner, ...]:
    vary = document.texts("vary", VARIATIONS, ("columns", "rows", "names"))
    randomisations = document.integer("randomisations", 1, 25)
    time_limit = document.seconds("time_limit", 10_800)
    known = _known_options()
    for_all = {key: known[key].read(value) for key, value in document.entries.items() if key in known}
    learners = []
    for table in document.tables("learners"):
        table.check_keys(("algorithm", "label", *_OVERRIDES, *known))
        if "algorithm" not in table.entries:
            raise OptionError(
                f"{table.where}: algorithm is missing. Choose one of: {listed(tuple(LEARNERS), most=99)}."
            )
        algorithm = table.checked(find_learner, table.entries["algorithm"])
        options = {key: known[key].read(value) for key, value in table.entries.items() if key in known}
        table.checked(check_given, algorithm, options)
        by_variable = [key for key, value in [*for_all.items(), *options.items()] if isinstance(value, Mapping)]
        if by_variable:
            raise OptionError(
                f"{table.where}: {by_variable[0]} by variable is not for studies, which rename the variables."
            )
        options = {**{key: value for key, value in for_all.items() if LEARNERS[algorithm].has(known[key])}, **options}
        document.checked(check_given, algorithm, options)
        learners.append(
            ConfiguredLearner(
                label=table.text("label", algorithm),
                algorithm=algorithm,
                options=options,
                randomisations=table.integer("randomisations", 1, randomisations),
                vary=table.texts("vary", VARIATIONS, vary),
                networks=table.among("networks", str, networks),
                sizes=table.among("sizes", int, sizes),
                time_limit=table.seconds("time_limit", time_limit),
            )
        )
    repeated = [label for label, times in Counter(learner.label for learner in learners).items() if times > 1]
    if repeated:
        raise OptionError(
            f"{document.where}: more than one learner is called {listed(repeated)}. Give each a different label."
        )
    return tuple(learners)


def _known_options() -> dict[str, Option]:
    """Return the options that the file may set, for one learner or for all learners that have them."""
    return {option.name: option for option in study_options()}


def _paths(document: _TomlTable, folder: Path) -> dict[str, Path | None]:
    """Return the networks by name; with a path, relative to the folder of the study, for those given as files."""
    given = document.values("networks", str)
    paths: dict[str, Path | None] = {}
    for text in given:
        name = network_name(text)
        if name in paths:
            raise OptionError(f"{document.where}: two networks are called {name!r}. Leave one out, or rename its file.")
        paths[name] = None if name == text else folder / text
    return paths


def _text_of(definition: str | os.PathLike[str]) -> tuple[str, Path, str]:
    """Return the name, the folder and the text of a study."""
    if definition == "paper":
        return "paper", Path(), (resources.files("stablebn.study.paper") / "paper.toml").read_text(encoding="utf-8")
    path = Path(definition)
    if path.exists() and not path.is_file():
        raise OptionError(f"cannot read the study {str(path)!r}: it is not a file. Name a TOML file, or use paper.")
    try:
        return path.stem, path.parent, path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise OptionError(f"cannot read the study {str(path)!r}: {reason}. Name a TOML file, or use paper.") from None
