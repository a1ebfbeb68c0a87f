"""A study as its file defines it: networks, sample sizes, learners and layouts."""

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
"""What can be told of a learned graph: fields of `Record`."""

REPORTS = ("general", "paper")
"""The tables and figures that a study can have."""

_OVERRIDES = ("randomisations", "vary", "networks", "sizes", "time_limit")


@dataclass(frozen=True)
class ConfiguredLearner:
    """A learner of a study, and what it is to learn.

    Attributes
    ----------
    label : str
        What tables call it.
    algorithm : str
    options : mapping of str to value
        Those of `stablebn.learn`.
    randomisations : int
        How many layouts of every sample.
    vary : tuple of str
        What differs between them.
    networks : tuple of str
    sizes : tuple of int
    time_limit : float
        Seconds that it may take for one layout.
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
        """Algorithm and options as one text, the same however the file orders them."""
        return json.dumps([self.algorithm, self.options], sort_keys=True)


@dataclass(frozen=True)
class Study:
    """Learners by networks by sample sizes by layouts.

    Attributes
    ----------
    title, name : str
        The name is that of its file.
    networks : tuple of str
    sizes : tuple of int
        Rows of the samples.
    learners : tuple of ConfiguredLearner
    metrics : tuple of str
        What its tables tell.
    seed : int
        Of samples and layouts.
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
        Only the part that its [quick] table names.
    directories : sequence of paths
        Folders to look for networks in before all others.

    Returns
    -------
    Study

    Raises
    ------
    OptionError
        A key or a value that is not known, or a network that is not there.
    FormatError
        The file is not TOML.
    """
    name, folder, text = _text_of(definition)
    try:
        whole = _TomlTable(f"study {name!r}", tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise FormatError(str(definition), None, str(error)) from None
    except RecursionError:
        raise FormatError(str(definition), None, "its arrays or tables are nested too deeply.") from None
    whole.check_keys(
        (
            *("title", "networks", "sizes", "seed", "time_limit", "vary", "randomisations", "metrics", "report"),
            *("learners", "quick", *_known_options()),
        )
    )
    paths = _paths(whole, folder)
    networks, sizes = tuple(paths), whole.sizes()
    learners = _learners(whole, networks, sizes)
    part = _quick_part(whole, networks, sizes)
    if quick:
        if part is None:
            raise OptionError(f"{whole.where} has no table [quick]. Add one, or leave out --quick.")
        networks, sizes = part.networks, part.sizes
        learners = tuple(narrowed for narrowed in map(part.of, learners) if narrowed.networks and narrowed.sizes)
    return Study(
        title=whole.text("title", name),
        name=name,
        networks=networks,
        sizes=sizes,
        learners=learners,
        metrics=whole.texts("metrics", METRICS, METRICS),
        seed=whole.integer("seed", 0, 1),
        report=whole.one_of("report", REPORTS),
        named_networks=read_networks({network: paths[network] for network in networks}, directories),
    )


@dataclass(frozen=True)
class _TomlTable:
    """A table of the file; what is wrong in it is said with the name of its key, and `where` that is."""

    where: str
    entries: Mapping[str, Any]

    def wrong(self, key: str, expected: str) -> OptionError:
        return OptionError(f"{self.where}: {key} = {shown(self.entries.get(key))} must be {expected}.")

    def check_keys(self, known: Sequence[str]) -> None:
        unknown = [key for key in self.entries if key not in known]
        if unknown:
            raise OptionError(f"{self.where}: what is {listed(unknown)}? Keys are {listed(known, most=99)}.")

    def text(self, key: str, default: str) -> str:
        value = self.entries.get(key, default)
        if not isinstance(value, str) or not value:
            raise self.wrong(key, "text in quotes")
        return value

    def one_of(self, key: str, allowed: Sequence[str]) -> str:
        """One of some words, by default the first."""
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
        """A list without doubles, in its order; without a default it must be there, and not be empty."""
        found = self.entries.get(key, default)
        right = isinstance(found, Sequence) and not isinstance(found, str) and all(type(v) is type_ for v in found)
        if not right or (default is None and not found):
            raise self.wrong(key, f"a list of {'numbers' if type_ is int else 'texts'}, such as {_EXAMPLES[key]}")
        twice = [value for value, times in Counter(found).items() if times > 1]
        if twice:
            raise OptionError(f"{self.where}: {key} has {listed(twice)} more than once. Leave out the second one.")
        return tuple(found)

    def texts(self, key: str, allowed: Sequence[str], default: Sequence[str]) -> tuple[str, ...]:
        """A list of some of the allowed words, in their order there."""
        found = self.values(key, str, default)
        for value in found:
            self.checked(one_of, key, value, allowed)
        return tuple(value for value in allowed if value in found)

    def among(self, key: str, type_: type, all_of_them: Sequence[Any]) -> tuple[Any, ...]:
        """A list of some of the study's networks or sizes, in the order of the study; by default all."""
        found = self.values(key, type_, all_of_them)
        if not found:
            raise self.wrong(key, "a list of at least one; leave it out for all")
        others = [value for value in found if value not in all_of_them]
        if others:
            raise OptionError(f"{self.where}: {key} has {listed(others)}, not among those of the study. Add it there.")
        return tuple(value for value in all_of_them if value in found)

    def sizes(self) -> tuple[int, ...]:
        sizes = self.values("sizes", int)
        if min(sizes) < 2:
            raise self.wrong("sizes", "numbers of rows of at least 2")
        return sizes

    def table(self, key: str) -> _TomlTable | None:
        found = self.entries.get(key)
        if found is not None and not isinstance(found, Mapping):
            raise self.wrong(key, f"a table: write [{key}] above its keys")
        return None if found is None else _TomlTable(f"{self.where}, [{key}]", found)

    def tables(self, key: str) -> list[_TomlTable]:
        found = self.entries.get(key)
        if not isinstance(found, list) or not found or not all(isinstance(entry, Mapping) for entry in found):
            raise self.wrong(key, f"tables: write [[{key}]] above the keys of each")
        return [_TomlTable(f"{self.where}, [[{key}]] number {place}", entry) for place, entry in enumerate(found, 1)]

    def checked(self, check: Any, *arguments: Any) -> Any:
        """What a check of the library gives back; where it was, stands before what it says."""
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
    """A part of a study."""

    networks: tuple[str, ...]
    sizes: tuple[int, ...]
    randomisations: int | None

    def of(self, learner: ConfiguredLearner) -> ConfiguredLearner:
        """What a learner has to do in this part."""
        most = learner.randomisations if self.randomisations is None else self.randomisations
        return replace(
            learner,
            networks=tuple(network for network in learner.networks if network in self.networks),
            sizes=tuple(rows for rows in learner.sizes if rows in self.sizes),
            randomisations=min(learner.randomisations, most),
        )


def _quick_part(whole: _TomlTable, networks: tuple[str, ...], sizes: tuple[int, ...]) -> _QuickPart | None:
    quick = whole.table("quick")
    if quick is None:
        return None
    quick.check_keys(("networks", "sizes", "randomisations"))
    return _QuickPart(
        networks=quick.among("networks", str, networks),
        sizes=quick.among("sizes", int, sizes),
        randomisations=quick.integer("randomisations", 1, 1) if "randomisations" in quick.entries else None,
    )


def _learners(whole: _TomlTable, networks: tuple[str, ...], sizes: tuple[int, ...]) -> tuple[ConfiguredLearner, ...]:
    vary = whole.texts("vary", VARIATIONS, ("columns", "rows", "names"))
    randomisations = whole.integer("randomisations", 1, 25)
    time_limit = whole.seconds("time_limit", 10_800)
    known = _known_options()
    for_all = {key: known[key].read(value) for key, value in whole.entries.items() if key in known}
    learners = []
    for table in whole.tables("learners"):
        table.check_keys(("algorithm", "label", *_OVERRIDES, *known))
        if "algorithm" not in table.entries:
            raise OptionError(
                f"{table.where}: algorithm is missing. Choose one of: {listed(tuple(LEARNERS), most=99)}."
            )
        algorithm = table.checked(find_learner, table.entries["algorithm"])
        options = {key: known[key].read(value) for key, value in table.entries.items() if key in known}
        table.checked(check_given, algorithm, options)
        by_name = [key for key, value in [*for_all.items(), *options.items()] if isinstance(value, Mapping)]
        if by_name:
            raise OptionError(
                f"{table.where}: {by_name[0]} by variable is not for studies, which rename the variables."
            )
        options = {**{key: value for key, value in for_all.items() if LEARNERS[algorithm].has(known[key])}, **options}
        whole.checked(check_given, algorithm, options)
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
    twice = [label for label, times in Counter(learner.label for learner in learners).items() if times > 1]
    if twice:
        raise OptionError(
            f"{whole.where}: more than one learner is called {listed(twice)}. Give each a label of its own."
        )
    return tuple(learners)


def _known_options() -> dict[str, Option]:
    """The options of learners that the file may set: for one of them, or above, for all that have them."""
    return {option.name: option for option in study_options()}


def _paths(whole: _TomlTable, folder: Path) -> dict[str, Path | None]:
    """The networks by name, with the paths of those that are given as files, seen from the folder of the study."""
    given = whole.values("networks", str)
    paths: dict[str, Path | None] = {}
    for text in given:
        name = network_name(text)
        if name in paths:
            raise OptionError(f"{whole.where}: two networks are called {name!r}. Leave one out, or rename its file.")
        paths[name] = None if name == text else folder / text
    return paths


def _text_of(definition: str | os.PathLike[str]) -> tuple[str, Path, str]:
    """Name, folder and text of a study."""
    if definition == "paper":
        return "paper", Path(), (resources.files("stablebn.study.paper") / "paper.toml").read_text(encoding="utf-8")
    path = Path(definition)
    if path.exists() and not path.is_file():
        raise OptionError(f"cannot read the study {str(path)!r}: it is no file. Name a TOML file, or say paper.")
    try:
        return path.stem, path.parent, path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise OptionError(f"cannot read the study {str(path)!r}: {reason}. Name a TOML file, or say paper.") from None
