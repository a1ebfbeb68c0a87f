"""What an option is: a field of a configuration that knows its default, its check, its help and its learners.

An option is written once, as a field of a dataclass:

    tabu: int = option(10, "Length of the tabu list.", check=at_least(1), of=("tabu",))

The dataclass is the configuration that code reads. The arguments of `stablebn.learn`, the estimators, the command line,
the study file and the texts of their help are made from `options_of` it.
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
"""Raises `OptionError` if the option of that name cannot have that value."""

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
"""Under which of these headings the command line's help has an option, in their order; those that most people need are
under the first one."""

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
# What other tools call knowledge, and how it is said here. A white list is the one in some, the other in others.
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
# Bytes of a path, and of the name of a file or a folder.
_MOST_OF_PATH, _MOST_OF_NAME = 4096, 255


@dataclass(frozen=True)
class Option:
    """An entry in the table of options.

    Attributes
    ----------
    name : str
    type : str
        Of its values in Python, as it is written.
    default : object
        None given stands for it.
    help : str
        What it does, in sentences.
    check : callable or None
        See `Check`.
    of : tuple of str
        Only learners with one of these traits have it; empty: all of them.
    command_type : type or None
        Of its values on the command line; None: the command line does not have it.
    in_studies : bool
        Whether a study file may set it.
    recorded : bool
        Whether the `config` of a result tells its value.
    positional : bool
        Whether it can be given without its name.
    flag : str or None
        Its name on the command line, where that is another.
    from_command : callable or None
        Makes its value of what the command line gives, where that is another.
    own_name : callable or None
        Gives a value that has other names elsewhere the name that it has here.
    group : str
        See `Group`.
    command_help : str or None
        The help on the command line, where that is another.
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
        """Whether it must be given."""
        return self.default is dataclasses.MISSING

    @property
    def help_with_default(self) -> str:
        """The help, and the default where that says something."""
        return self._with_default(self.help)

    @property
    def command_help_with_default(self) -> str:
        """The same on the command line."""
        return self._with_default(self.command_help or self.help)

    @property
    def choices(self) -> tuple[str, ...]:
        """Values of which it must be one, if they are words."""
        allowed = self.check.allowed if isinstance(self.check, Choice) else ()
        return tuple(value for value in allowed if isinstance(value, str))

    def _with_default(self, text: str) -> str:
        if self.default in (None, False, dataclasses.MISSING):
            return text
        return f"{text.removesuffix('.')}; by default {self.default}."

    def read(self, value: object) -> object:
        """A value as it is used: a number of NumPy is one of Python, and what has other names elsewhere has ours."""
        plain = _plain(value)
        return _as_used(self.check, plain if self.own_name is None else self.own_name(plain))

    def check_value(self, value: object) -> None:
        """Raise `OptionError` for a value that the option cannot have."""
        if self.check is not None and not (value is None and self.default is None):
            self.check(self.name, self.read(value))


def option(default: object, help: str, **rest: Any) -> Any:  # noqa: A002
    """A field of a dataclass that is an option: its default, and what `about` takes."""
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
    """What an option is besides its name, type and default, as metadata of a field; see `Option`."""
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
    """The names of all options, of those that can be given without their names, and of those that must be given."""

    known: tuple[str, ...]
    places: tuple[str, ...]
    required: tuple[str, ...]


@dataclass(frozen=True)
class Options:
    """Base of configurations: what their options are is checked when one is made."""

    _known: ClassVar[tuple[Option, ...]]
    _names: ClassVar[_Names]

    def __post_init__(self) -> None:
        own = vars(self)
        for known in options_of(type(self)):
            value = own[known.name]
            if value is not known.default:
                known.check_value(value)
                own[known.name] = known.read(value)

    @classmethod
    def from_call(cls, function: str, positional: Sequence[object], named: Mapping[str, object]) -> Self:
        """The options that a function was called with; None stands for a default.

        Raises
        ------
        OptionError
            An option is not known, or cannot have its value.
        TypeError
            Too many arguments, too few, or one twice.
        """
        known, places, required = _names_of(cls)
        refuse_unknown(function, named, known)
        given = {**dict(zip(places, positional, strict=False)), **named}
        if len(given) < len(positional) + len(named) or any(name not in given for name in required):
            _refuse_call(function, cls, positional, named)
        given = {name: value for name, value in given.items() if value is not None or name in required}
        cls.check_together(given)
        return cls(**given)

    @classmethod
    def check_together(cls, given: Mapping[str, object]) -> None:
        """Raise `OptionError` for options that do not go together, before values are checked: by default none."""

    def part(self, kind: type[SomeOptions]) -> SomeOptions:
        """Return these options as another configuration; options that this one does not have get their defaults.

        Values are not checked again.
        """
        own, part = vars(self), object.__new__(kind)
        vars(part).update({known.name: own.get(known.name, known.default) for known in options_of(kind)})
        return part

    def as_used(self, **used: object) -> Self:
        """The same, where some options have values that were not given but found: they are not checked."""
        copy = object.__new__(type(self))
        vars(copy).update(vars(self), **used)
        return copy


def options_of(kind: type[Options]) -> tuple[Option, ...]:
    """The options of a configuration, those that can be given without their names first."""
    if "_known" not in vars(kind):
        kind._known = _read_options(kind)
    return kind._known


def _names_of(kind: type[Options]) -> _Names:
    """The names of the options of a configuration."""
    if "_names" not in vars(kind):
        known = options_of(kind)
        kind._names = _Names(
            tuple(option.name for option in known),
            tuple(option.name for option in known if option.positional),
            tuple(option.name for option in known if option.required),
        )
    return kind._names


def _read_options(kind: type[Options]) -> tuple[Option, ...]:
    # KW_ONLY marks a place and is no type: Python 3.10 would refuse it as one.
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
    """Raise what Python raises for too many arguments, too few, or one twice."""
    try:
        signature_of(options_of(kind)).bind(*positional, **named)
    except TypeError as error:
        raise TypeError(f"{function}(): {error}") from None
    raise AssertionError("the call was one")


def refuse_unknown(where: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Raise `OptionError` for names that are not options, and say which were perhaps meant.

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
    """The signature of a function that takes these options."""
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
    """Describe an option by its help and its default."""
    return option.help_with_default


def takes(
    kind: Callable[Parameters, Options], describe: Callable[[Option], str] = with_default
) -> Callable[[Callable[..., Returned]], Callable[Parameters, Returned]]:
    """Give a function that passes its arguments to `Options.from_call` the signature and the help of these options.

    Type checkers see the signature of the dataclass; `inspect` and `help` see the signature made from the table, and
    the section Parameters stands before the section Returns of the docstring.

    Parameters
    ----------
    kind : dataclass of options
    describe : callable
        What is said of an option.
    """

    def give(function: Callable[..., Returned]) -> Callable[Parameters, Returned]:
        _describe_call(function, kind, describe, ())
        return cast("Callable[Parameters, Returned]", function)

    return give


def method_takes(
    kind: Callable[Parameters, Options],
) -> Callable[[Callable[..., Returned]], Callable[Concatenate[Any, Parameters], Returned]]:
    """Give a method the signature and the help of these options, as `takes` does for a function."""

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
    """Set the signature and the docstring of a function; `first` are the parameters before the options."""
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
    """Tell type checkers that a constructor takes these options."""

    def give(constructor: Callable[..., None]) -> Callable[Concatenate[Any, Parameters], None]:
        return constructor

    return give


def parameters_section(options: Iterable[Option], describe: Callable[[Option], str]) -> str:
    """The section of a docstring (numpydoc) in which options are described."""
    lines = ["Parameters", "----------"]
    for known in options:
        text = fill(describe(known), 116, initial_indent="    ", subsequent_indent="    ")
        lines += [f"{known.name} : {known.type}", text]
    return "\n".join(lines)


def names_of(own: Iterable[str], elsewhere: Mapping[str, str]) -> Callable[[object], object]:
    """A function that gives a name its form here: case and marks do not matter, and some have other names elsewhere.

    What it does not know it gives back.

    >>> own_name = names_of(["pc-stable", "hc"], {"pc": "pc-stable"})
    >>> own_name("PC"), own_name("pc_stable"), own_name("iamb")
    ('pc-stable', 'pc-stable', 'iamb')
    """
    known = {_bare(name): name for name in own}
    known |= {_bare(other): name for other, name in elsewhere.items()}

    def own_name(value: object) -> object:
        return known.get(_bare(value), value) if isinstance(value, str) else value

    return own_name


def _bare(name: str) -> str:
    """A name without case and marks."""
    return "".join(filter(str.isalnum, name.lower()))


@dataclass(frozen=True)
class Choice:
    """A check: one of some values."""

    allowed: Sequence[Hashable]

    def __call__(self, name: str, value: object) -> None:
        """Raise `OptionError` for another one."""
        one_of(name, value, self.allowed)

    def own_value(self, value: object) -> object:
        """Return the allowed value that equals this one (True for 1), so that code may compare with `is`."""
        return next((own for own in self.allowed if own == value), value) if is_among(value, self.allowed) else value


def choice(allowed: Sequence[Hashable]) -> Check:
    """A check: one of some values."""
    return Choice(allowed)


def at_least(least: int, most: int | None = None) -> Check:
    """A check: an integer that is not below `least`, nor above `most`."""

    def check(name: str, value: object) -> None:
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise OptionError(f"{name}={shown(value)} must be an integer of at least {least}.")
        if most is not None and value > most:
            raise OptionError(f"{name}={shown(value)} must be an integer of at most {most:,}.")

    return check


def positive(what: str = "a number above 0", *, least: float = 0.0, most: float = math.inf) -> Check:
    """A check: a finite number above 0, not below `least` nor above `most`; `what` says what it must be."""

    def check(name: str, value: object) -> None:
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < math.inf:
            raise OptionError(f"{name}={shown(value)} must be {what}.")
        if not least <= value <= most:
            raise OptionError(f"{name}={shown(value)} must be a number from {least:g} to {most:g}.")

    return check


def between_0_and_1(name: str, value: object) -> None:
    """A check: a number above 0 and below 1."""
    if not (isinstance(value, float) and 0 < value < 1):
        raise OptionError(f"{name}={shown(value)} must be a number between 0 and 1.")


def from_0_to_1(name: str, value: object) -> None:
    """A check: a number from 0 to 1."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise OptionError(f"{name}={shown(value)} must be a number from 0 to 1.")


def instance_of(kind: type, what: str) -> Check:
    """Return a check: the value is an instance of a class; `what` says what that is."""

    def check(name: str, value: object) -> None:
        if not isinstance(value, kind):
            raise OptionError(f"{name}={shown(value)} must be {what}.")

    return check


flag = choice((False, True))
"""A check: True or False."""

text = instance_of(str, "text")
"""A check: a str."""

mapping = instance_of(Mapping, "a dict")
"""A check: a mapping."""

callback = instance_of(Callable, "a function")  # type: ignore[arg-type]
"""A check: a callable."""


def file_path(name: str, value: object) -> None:
    """A check: what the system takes for the name of a file."""
    if not is_path(value):
        raise OptionError(f"{name}={shown(value)} must be the name of a file.")


def list_of_names(name: str, value: object) -> None:
    """A check: a collection of values that can be names."""
    if not (isinstance(value, Collection) and is_iterable(value) and all(map(is_hashable, value))):
        raise OptionError(f"{name}={shown(value)} must be a list of names.")


def is_path(value: object) -> bool:
    """Whether a value is a path that the system can have: text without NUL that it can encode, and not too long."""
    path = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(path, str) or not path or "\0" in path:
        return False
    try:
        encoded = os.fsencode(path)
    except UnicodeEncodeError:
        return False
    # Of more than these Linux says an OSError, of whatever is asked of it.
    return len(encoded) < _MOST_OF_PATH and all(
        len(part) <= _MOST_OF_NAME for part in encoded.split(os.fsencode(os.sep))
    )


def is_hashable(value: object) -> bool:
    """Whether a value can be in a set. A tuple of lists has `__hash__` and cannot."""
    try:
        hash(value)
    except Exception:
        # Of whatever kind: what cannot be hashed decides that by itself.
        return False
    return True


def is_iterable(value: object) -> TypeIs[Iterable[Any]]:
    """Whether a value can be iterated over, and is no open file. A 0-d array has `__iter__` and cannot."""
    # A lazy frame of polars has neither method: `iter` takes it, but its first value is a TypeError.
    if isinstance(value, io.IOBase) or not (isinstance(value, Iterable) or hasattr(type(value), "__len__")):
        return False
    try:
        iter(value)  # type: ignore[call-overload]
    except Exception:
        # Of whatever kind: a file that is closed raises ValueError.
        return False
    return True


def checked_arguments(
    **checks: Check,
) -> Callable[[Callable[Parameters, Returned]], Callable[Parameters, Returned]]:
    """Check arguments of a function whenever it is called, and pass them on as `Option.read` does.

    A parameter that has a default may be given that default without a check.
    """

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
    """Return a value in the form that code uses, which for a choice is the allowed value itself."""
    return check.own_value(value) if isinstance(check, Choice) else value


def _plain(value: object) -> object:
    """A NumPy number as the number of Python that it stands for; anything else as it is."""
    if isinstance(value, numbers.Real) and callable(item := getattr(value, "item", None)):
        return cast("object", item())
    return value
