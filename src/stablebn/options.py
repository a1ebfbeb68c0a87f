"""How options work: a field of a configuration with its default, check and help. The table is in `api/arguments.py`.

An option is defined once, as a field of a dataclass:

    tabu: int = option(10, "Length of the tabu list.", check=at_least(1), of=("tabu",))

Code reads the dataclass. The arguments of `stablebn.learn`, the estimators, the command line, study files and all help
texts are generated from `options_of(dataclass)`.
"""

from __future__ import annotations

import dataclasses
import inspect
import io
import math
import numbers
import os
import typing
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from textwrap import fill
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Concatenate,
    Literal,
    NamedTuple,
    NoReturn,
    ParamSpec,
    TypeVar,
    cast,
)

from stablebn.errors import OptionError, is_among, listed, one_of, shown

if TYPE_CHECKING:
    from typing_extensions import Self, TypeIs

Check = Callable[[str, object], None]
"""Raise `OptionError` if an option, given by its name, cannot have a value."""

Group = Literal[
    "Options",
    "What you know",
    "Columns",
    "Text files",
    "Score",
    "Search",
    "Tabu search",
    "Tests of independence",
    "Long runs",
    "Output",
    "Help",
]
"""The heading of an option in the help of the command line, in this order; the first one has the most used options."""

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")
SomeOptions = TypeVar("SomeOptions", bound="Options")

_KEY = "stablebn"
_AS_IN_PYTHON = object()
_REQUIRED = 'required=[("a", "b")] (command line: --require a:b) for arcs that the graph must have'
_FORBIDDEN = 'forbidden=[("a", "b")] (command line: --forbid a:b) for arcs that it cannot have'
_ALLOWED = 'knowledge={"allowed": [("a", "b")]} for the only pairs that may be joined'
_TIERS = 'tiers=[["a", "b"], ["c"]]: no arc goes from a later tier to an earlier one'
_MAX_PARENTS = 'max_parents=3, or max_parents={"a": 1} by variable'
# Names of options in other tools, and what to write here. "White list" has two meanings in other tools.
_OTHER_WORDS = {
    **dict.fromkeys(("whitelist", "white_list"), f"{_REQUIRED}, or {_ALLOWED}"),
    **dict.fromkeys(
        (
            "arc_whitelist",
            "fixed_edges",
            "force_arcs",
            "forced_arcs",
            "required_edges",
            "required_arcs",
            "mandatory_arcs",
        ),
        _REQUIRED,
    ),
    **dict.fromkeys(
        ("blacklist", "black_list", "arc_blacklist", "tabu_edges", "forbidden_edges", "forbidden_arcs"), _FORBIDDEN
    ),
    **dict.fromkeys(("edge_whitelist", "allowed", "allowed_edges", "possible_edges"), _ALLOWED),
    "edge_blacklist": 'forbidden=[("a", "b"), ("b", "a")] for pairs that cannot be joined',
    **dict.fromkeys(("tabu_child_nodes", "roots"), 'knowledge={"roots": ["a"]} for variables without parents'),
    **dict.fromkeys(("tabu_parent_nodes", "leaves"), 'knowledge={"leaves": ["a"]} for variables without children'),
    **dict.fromkeys(("temporal_order", "temporal_ordering", "layers", "layering", "tier"), _TIERS),
    "within_tiers": 'knowledge={"tiers": [["a", "b"], ["c"]], "within_tiers": False}',
    **dict.fromkeys(("maxp", "max_indegree", "max_fanin", "maxparents"), _MAX_PARENTS),
    **dict.fromkeys(("background_knowledge", "expert_knowledge", "prior_knowledge", "constraints"), "knowledge=..."),
}
# The limits of Linux in bytes, for a path and for the name of a file or folder.
_MOST_OF_PATH, _MOST_OF_NAME = 4096, 255


@dataclass(frozen=True)
class Option:
    """An entry in the table of options.

    Attributes
    ----------
    name : str
    type : str
        The annotation of its values in Python.
    default : object
        The value if none, or `None`, is given.
    help : str
        A description in sentences.
    check : callable or None
        See `Check`.
    of : tuple of str
        Only algorithms with one of these traits have the option; if empty, all have it.
    command_type : type or None
        The type of its values on the command line; `None` if the command line does not have it.
    in_studies : bool
        Whether a study file may set it.
    recorded : bool
        Whether the `config` of a result includes its value.
    positional : bool
        Whether it can be given without its name.
    flag : str or None
        Its name on the command line, if that is different.
    from_command : callable or None
        Converts a value of the command line, if that is different.
    own_name : callable or None
        Replaces a name that a value has in other tools by its name here.
    group : str
        See `Group`.
    command_help : str or None
        The help on the command line, if that is different.
    """

    name: str
    type: str
    default: object
    help: str
    check: Check | None
    of: tuple[str, ...]
    command_type: Any
    in_studies: bool
    recorded: bool
    positional: bool
    flag: str | None
    from_command: Callable[[Any], object] | None
    own_name: Callable[[object], object] | None
    group: Group
    command_help: str | None

    @property
    def required(self) -> bool:
        """Whether the option must be given."""
        return self.default is dataclasses.MISSING

    @property
    def help_with_default(self) -> str:
        """The help, followed by the default unless that is `None` or `False`."""
        return self._with_default(self.help)

    @property
    def command_help_with_default(self) -> str:
        """The help on the command line, followed by the default unless that is `None` or `False`."""
        return self._with_default(self.command_help or self.help)

    @property
    def choices(self) -> tuple[str, ...]:
        """The allowed values, if they are text."""
        allowed = self.check.allowed if isinstance(self.check, Choice) else ()
        return tuple(value for value in allowed if isinstance(value, str))

    def _with_default(self, text: str) -> str:
        if self.default in (None, False, dataclasses.MISSING):
            return text
        return f"{text.removesuffix('.')}; by default {self.default}."

    def read(self, value: object) -> object:
        """Convert a value: NumPy numbers to Python numbers, and names of other tools to the names used here."""
        plain = _plain(value)
        return _as_used(self.check, plain if self.own_name is None else self.own_name(plain))

    def check_value(self, value: object) -> None:
        """Raise `OptionError` if the option cannot have a value."""
        if self.check is not None and not (value is None and self.default is None):
            self.check(self.name, self.read(value))


def option(default: object, help: str, **rest: Any) -> Any:  # noqa: A002
    """Return a dataclass field that is an option, given its default and the arguments of `about`."""
    return dataclasses.field(default=default, metadata=about(help, **rest))


def about(
    help: str,  # noqa: A002
    *,
    check: Check | None = None,
    of: Sequence[str] = (),
    command_type: Any = _AS_IN_PYTHON,
    in_studies: bool = True,
    recorded: bool = True,
    flag: str | None = None,
    from_command: Callable[[Any], object] | None = None,
    own_name: Callable[[object], object] | None = None,
    group: Group = "Search",
    command_help: str | None = None,
) -> Mapping[str, Any]:
    """Return the properties of an option other than name, type and default, as metadata of a field; see `Option`."""
    return {
        _KEY: {
            "help": help,
            "check": check,
            "of": tuple(of),
            "command_type": command_type,
            "in_studies": in_studies,
            "recorded": recorded,
            "flag": flag,
            "from_command": from_command,
            "own_name": own_name,
            "group": group,
            "command_help": command_help,
        }
    }


def with_check(metadata: Mapping[str, Any], check: Check) -> Mapping[str, Any]:
    """Return the metadata of an option with another check."""
    return {_KEY: {**metadata[_KEY], "check": check}}


class _Names(NamedTuple):
    """The names of all options, of the positional ones, and of the required ones."""

    known: tuple[str, ...]
    positional: tuple[str, ...]
    required: tuple[str, ...]


@dataclass(frozen=True)
class Options:
    """Base class of configurations, which check their values when they are created."""

    _known: ClassVar[tuple[Option, ...]]
    _names: ClassVar[_Names]

    def __post_init__(self) -> None:
        values = vars(self)
        for known in options_of(type(self)):
            value = values[known.name]
            if value is not known.default:
                known.check_value(value)
                values[known.name] = known.read(value)

    @classmethod
    def from_call(cls, function: str, positional: Sequence[object], named: Mapping[str, object]) -> Self:
        """Return the options with which a function was called; `None` stands for the default.

        Raises
        ------
        OptionError
            An option is unknown, or cannot have its value.
        TypeError
            There are too many arguments or too few, or one is given twice.
        """
        known, positional_names, required = _names_of(cls)
        refuse_unknown(function, named, known)
        given = {**dict(zip(positional_names, positional, strict=False)), **named}
        if len(given) < len(positional) + len(named) or any(name not in given for name in required):
            _refuse_call(function, cls, positional, named)
        given = {name: value for name, value in given.items() if value is not None or name in required}
        cls.check_together(given)
        return cls(**given)

    @classmethod
    def check_together(cls, given: Mapping[str, object]) -> None:
        """Raise `OptionError` if options exclude each other; called before their values are checked."""

    def part(self, kind: type[SomeOptions]) -> SomeOptions:
        """Return these options as another configuration; options that this one does not have get their defaults.

        Values are not checked again.
        """
        values, part = vars(self), object.__new__(kind)
        vars(part).update({known.name: values.get(known.name, known.default) for known in options_of(kind)})
        return part

    def as_used(self, **used: object) -> Self:
        """Return a copy in which some options have values that the library chose, and that are not checked."""
        copy = object.__new__(type(self))
        vars(copy).update(vars(self), **used)
        return copy


def options_of(kind: type[Options]) -> tuple[Option, ...]:
    """Return the options of a configuration, positional ones first."""
    if "_known" not in vars(kind):
        kind._known = _read_options(kind)
    return kind._known


def _names_of(kind: type[Options]) -> _Names:
    """Return the names of the options of a configuration."""
    if "_names" not in vars(kind):
        known = options_of(kind)
        kind._names = _Names(
            tuple(option.name for option in known),
            tuple(option.name for option in known if option.positional),
            tuple(option.name for option in known if option.required),
        )
    return kind._names


def _read_options(kind: type[Options]) -> tuple[Option, ...]:
    # KW_ONLY is a marker, not a type: Python 3.10 would raise an error.
    types = typing.get_type_hints(kind, localns={"KW_ONLY": object})
    fields = sorted(dataclasses.fields(kind), key=lambda field: bool(field.kw_only))
    return tuple(_read_option(field, types[field.name]) for field in fields)


def _read_option(field: dataclasses.Field[Any], type_: Any) -> Option:
    metadata = dict(field.metadata[_KEY])
    if metadata["command_type"] is _AS_IN_PYTHON:
        metadata["command_type"] = type_
    return Option(
        name=field.name,
        type=str(field.type),
        default=field.default,
        positional=not field.kw_only,
        **metadata,
    )


def _refuse_call(
    function: str, kind: type[Options], positional: Sequence[object], named: Mapping[str, object]
) -> NoReturn:
    """Raise the `TypeError` of Python for too many arguments, too few, or one given twice."""
    try:
        signature_of(options_of(kind)).bind(*positional, **named)
    except TypeError as error:
        raise TypeError(f"{function}(): {error}") from None
    raise AssertionError("the call was valid")


def refuse_unknown(where: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Raise `OptionError` for names that are not options, and suggest similar names.

    >>> refuse_unknown("learn", ["max_parent"], ["max_iter", "max_parents"])
    Traceback (most recent call last):
    ...
    stablebn.errors.OptionError: learn has no option 'max_parent'. Did you mean 'max_parents'?
    """
    unknown = [name for name in given if name not in known]
    if not unknown:
        return
    answers = [f"Say {_OTHER_WORDS[name]}." for name in unknown if name in _OTHER_WORDS and "forbidden" in known]
    if answers:
        raise OptionError(f"{where} has no option {listed(unknown)}. {' '.join(dict.fromkeys(answers))}")
    import difflib

    close = dict.fromkeys(match for name in unknown for match in difflib.get_close_matches(name, known, n=1))
    advice = f"Did you mean {listed(tuple(close))}?" if close else f"There are: {listed(known, most=99)}."
    raise OptionError(f"{where} has no option {listed(unknown)}. {advice}")


def signature_of(options: Iterable[Option]) -> inspect.Signature:
    """Return the signature of a function that takes these options."""
    return inspect.Signature(
        [
            inspect.Parameter(
                known.name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD if known.positional else inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if known.required else known.default,
                annotation=known.type,
            )
            for known in options
        ]
    )


def with_default(option: Option) -> str:
    """Return the help of an option with its default."""
    return option.help_with_default


def takes(
    kind: Callable[Parameters, Options], describe: Callable[[Option], str] = with_default
) -> Callable[[Callable[..., Returned]], Callable[Parameters, Returned]]:
    """Give a function the signature and the help of options, which it reads with `Options.from_call`.

    Type checkers see the signature of the dataclass. `inspect` and `help` see the signature made from the options, and
    a section Parameters before the section Returns of the docstring.

    Parameters
    ----------
    kind : dataclass of options
    describe : callable
        Returns the description of an option.
    """

    def give(function: Callable[..., Returned]) -> Callable[Parameters, Returned]:
        _describe_call(function, kind, describe, ())
        return cast("Callable[Parameters, Returned]", function)

    return give


def method_takes(
    kind: Callable[Parameters, Options],
) -> Callable[[Callable[..., Returned]], Callable[Concatenate[Any, Parameters], Returned]]:
    """Give a method the signature and the help of options, as `takes` does for a function."""

    def give(method: Callable[..., Returned]) -> Callable[Concatenate[Any, Parameters], Returned]:
        _describe_call(method, kind, with_default, [next(iter(inspect.signature(method).parameters.values()))])
        return cast("Callable[Concatenate[Any, Parameters], Returned]", method)

    return give


def _describe_call(
    function: Callable[..., object],
    kind: Callable[..., Options],
    describe: Callable[[Option], str],
    first: Sequence[inspect.Parameter],
) -> None:
    """Set the signature and the docstring of a function; the parameters `first` come before the options."""
    described: Any = function
    options = options_of(cast("type[Options]", kind))
    made = signature_of(options)
    described.__signature__ = made.replace(
        parameters=[*first, *made.parameters.values()],
        return_annotation=inspect.signature(function).return_annotation,
    )
    before, section, after = inspect.cleandoc(function.__doc__ or "").partition("Returns\n-------\n")
    described.__doc__ = f"{before}{parameters_section(options, describe)}\n\n{section}{after}"


def stores(
    kind: Callable[Parameters, Options],
) -> Callable[[Callable[..., None]], Callable[Concatenate[Any, Parameters], None]]:
    """Let type checkers know that a constructor takes these options."""

    def give(constructor: Callable[..., None]) -> Callable[Concatenate[Any, Parameters], None]:
        return constructor

    return give


def parameters_section(options: Iterable[Option], describe: Callable[[Option], str]) -> str:
    """Return the section Parameters of a numpydoc docstring."""
    lines = ["Parameters", "----------"]
    for known in options:
        text = fill(describe(known), 116, initial_indent="    ", subsequent_indent="    ")
        lines += [f"{known.name} : {known.type}", text]
    return "\n".join(lines)


def names_of(names: Iterable[str], synonyms: Mapping[str, str]) -> Callable[[object], object]:
    """Return a function that replaces a name, or a synonym of it, by its form here, whatever its case and punctuation.

    The function returns unknown values unchanged.

    >>> own_name = names_of(["pc-stable", "hc"], {"pc": "pc-stable"})
    >>> own_name("PC"), own_name("pc_stable"), own_name("iamb")
    ('pc-stable', 'pc-stable', 'iamb')
    """
    known = {_bare(name): name for name in names}
    known |= {_bare(synonym): name for synonym, name in synonyms.items()}

    def own_name(value: object) -> object:
        return known.get(_bare(value), value) if isinstance(value, str) else value

    return own_name


def _bare(name: str) -> str:
    """Return the letters and digits of a name in lower case."""
    return "".join(filter(str.isalnum, name.lower()))


@dataclass(frozen=True)
class Choice:
    """Check that a value is one of the allowed ones."""

    allowed: Sequence[Hashable]

    def __call__(self, name: str, value: object) -> None:
        """Raise `OptionError` for another value."""
        one_of(name, value, self.allowed)

    def own_value(self, value: object) -> object:
        """Return the allowed value that equals this one (True for 1), so that code can compare with `is`."""
        return next((one for one in self.allowed if one == value), value) if is_among(value, self.allowed) else value


def choice(allowed: Sequence[Hashable]) -> Check:
    """Return a check: the value is one of the allowed ones."""
    return Choice(allowed)


def at_least(least: int, most: int | None = None) -> Check:
    """Return a check: the value is an integer from `least` to `most`."""

    def check(name: str, value: object) -> None:
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise OptionError(f"{name}={shown(value)} must be an integer of at least {least}.")
        if most is not None and value > most:
            raise OptionError(f"{name}={shown(value)} must be an integer of at most {most:,}.")

    return check


def positive(what: str = "a number above 0", *, least: float = 0.0, most: float = math.inf) -> Check:
    """Return a check: the value is finite, above 0, and from `least` to `most`; the message says `what` it must be."""

    def check(name: str, value: object) -> None:
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < math.inf:
            raise OptionError(f"{name}={shown(value)} must be {what}.")
        if not least <= value <= most:
            raise OptionError(f"{name}={shown(value)} must be a number from {least:g} to {most:g}.")

    return check


def between_0_and_1(name: str, value: object) -> None:
    """Raise `OptionError` unless a value is a number above 0 and below 1."""
    if not (isinstance(value, float) and 0 < value < 1):
        raise OptionError(f"{name}={shown(value)} must be a number between 0 and 1.")


def from_0_to_1(name: str, value: object) -> None:
    """Raise `OptionError` unless a value is a number from 0 to 1."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise OptionError(f"{name}={shown(value)} must be a number from 0 to 1.")


def instance_of(kind: type, what: str) -> Check:
    """Return a check: the value is an instance of a class, which the message describes as `what`."""

    def check(name: str, value: object) -> None:
        if not isinstance(value, kind):
            raise OptionError(f"{name}={shown(value)} must be {what}.")

    return check


flag = choice((False, True))
"""Check that a value is True or False."""

text = instance_of(str, "text")
"""Check that a value is text."""

mapping = instance_of(Mapping, "a dict")
"""Check that a value is a mapping."""

callback = instance_of(Callable, "a function")  # type: ignore[arg-type]
"""Check that a value is callable."""


def file_path(name: str, value: object) -> None:
    """Raise `OptionError` unless a value can be the path of a file."""
    if not is_path(value):
        raise OptionError(f"{name}={shown(value)} must be the name of a file.")


def list_of_names(name: str, value: object) -> None:
    """Raise `OptionError` unless a value is a collection of hashable values."""
    if not (isinstance(value, Collection) and is_iterable(value) and all(map(is_hashable, value))):
        raise OptionError(f"{name}={shown(value)} must be a list of names.")


def is_path(value: object) -> bool:
    """Return whether a value is a path that the system accepts: text that it can encode, without NUL, not too long."""
    path = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(path, str) or not path or "\0" in path:
        return False
    try:
        encoded = os.fsencode(path)
    except UnicodeEncodeError:
        return False
    # For longer paths, every system call of Linux raises OSError.
    return len(encoded) < _MOST_OF_PATH and all(
        len(part) <= _MOST_OF_NAME for part in encoded.split(os.fsencode(os.sep))
    )


def is_hashable(value: object) -> bool:
    """Return whether a value can be in a set; a tuple of lists has `__hash__` but cannot."""
    try:
        hash(value)
    except Exception:
        # Any exception: the class of the value decides which.
        return False
    return True


def is_iterable(value: object) -> TypeIs[Iterable[Any]]:
    """Return whether a value can be iterated over; a 0-d array has `__iter__` but cannot."""
    # A lazy frame of polars has neither method: `iter` takes it, but its first value is a TypeError.
    if isinstance(value, io.IOBase) or not (isinstance(value, Iterable) or hasattr(type(value), "__len__")):
        return False
    try:
        iter(value)  # type: ignore[call-overload]
    except Exception:
        # Any exception: a closed file raises ValueError.
        return False
    return True


def checked_arguments(
    **checks: Check,
) -> Callable[[Callable[Parameters, Returned]], Callable[Parameters, Returned]]:
    """Check and convert arguments of a function in every call; a default is not checked."""

    def give(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
        signature = inspect.signature(function)
        defaults = {name: signature.parameters[name].default for name in checks}

        @wraps(function)
        def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
            given = signature.bind(*args, **kwargs)
            for name, check in checks.items():
                if name in given.arguments and given.arguments[name] is not defaults[name]:
                    value = _plain(given.arguments[name])
                    check(name, value)
                    given.arguments[name] = _as_used(check, value)
            return function(*given.args, **given.kwargs)

        return call

    return give


def _as_used(check: Check | None, value: object) -> object:
    """Return the allowed value that equals a value, if the check is a choice; else the value."""
    return check.own_value(value) if isinstance(check, Choice) else value


def _plain(value: object) -> object:
    """Return a NumPy number as a Python number, and any other value unchanged."""
    if isinstance(value, numbers.Real) and callable(item := getattr(value, "item", None)):
        return cast("object", item())
    return value
