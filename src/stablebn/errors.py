"""The exceptions of stablebn, and helpers that write values into error messages."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# The longest text, and the largest integer in bits, that a message shows in full.
_MOST_LETTERS = 200
_MOST_BITS = 256


class StableBNError(Exception):
    """Base class of all errors that stablebn raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        # When a worker process reports an error, Exception would call the constructor with the message alone.
        return _without_constructor, (type(self), self.args), vars(self)


def _without_constructor(kind: type[StableBNError], arguments: tuple[object, ...]) -> StableBNError:
    """Create an error from its `args`, for pickle and copy."""
    return kind.__new__(kind, *arguments)


@dataclass(frozen=True)
class DataProblem:
    """A reason why a table cannot be used as it is.

    Attributes
    ----------
    message : str
        What is wrong with which columns, and what to do.
    columns : tuple of hashable
        The columns concerned.
    remedy : mapping of option to value
        The options that solve the problem; empty if none does.
    """

    message: str
    columns: tuple[Hashable, ...] = ()
    remedy: Mapping[str, object] = field(default_factory=dict)


class DataError(StableBNError, ValueError):
    """The table cannot be used as it is; the message names the columns and the remedy.

    Parameters
    ----------
    message : str
    columns, remedy
        As in `DataProblem`, if there is only one problem.
    problems : sequence of DataProblem
        All problems.

    Attributes
    ----------
    problems : tuple of DataProblem
    remedy : dict of option to value
        Options of `stablebn.learn` that solve all problems: `stablebn.learn(data, **error.remedy)` runs. They include
        the reading options of the call. Empty if no option helps.
    """

    problems: tuple[DataProblem, ...]
    remedy: dict[str, object]

    def __init__(
        self,
        message: str,
        columns: Sequence[Hashable] = (),
        remedy: Mapping[str, object] | None = None,
        problems: Sequence[DataProblem] = (),
    ) -> None:
        super().__init__(message)
        self.remedy = dict(remedy or {})
        self.problems = tuple(problems) or (DataProblem(message, tuple(columns), self.remedy),)


class UnseenLevelWarning(UserWarning):
    """Rows have levels that a network does not have; the network gives these rows probability 0."""


class GraphError(StableBNError, ValueError):
    """A graph is invalid for an operation: it has a cycle, an unknown node, or two edges between two nodes."""


class OptionError(StableBNError, ValueError):
    """An option is unknown, or has a value that it cannot have."""


@dataclass(frozen=True)
class Conflict:
    """A minimal set of statements that cannot all be true of one graph.

    Attributes
    ----------
    kind : str
        What the arcs contradict: "cycle", "forbidden", "tiers", "roots", "leaves", "allowed", "max_parents", "merged",
        "kinds" or "no part" (columns that take no part). Or "two tiers" for a variable in both, or "unknown" for names
        that are not columns.
    message : str
        A description of the contradiction.
    arcs : tuple of (from, to)
        The required arcs concerned.
    columns : tuple of names
        The variables concerned.
    """

    kind: str
    message: str
    arcs: tuple[tuple[Hashable, Hashable], ...] = ()
    columns: tuple[Hashable, ...] = ()


class KnowledgeError(OptionError):
    """Background knowledge cannot be read, or contradicts itself.

    Attributes
    ----------
    conflicts : tuple of Conflict
        All contradictions; empty if the knowledge cannot be read.
    """

    conflicts: tuple[Conflict, ...]

    def __init__(self, message: str, conflicts: Sequence[Conflict] = ()) -> None:
        super().__init__(message)
        self.conflicts = tuple(conflicts)

    @classmethod
    def of(cls, conflicts: Sequence[Conflict]) -> KnowledgeError:
        """Return one error that lists all conflicts."""
        if len(conflicts) == 1:
            return cls(conflicts[0].message, conflicts)
        lines = [f"  {number}. {conflict.message}" for number, conflict in enumerate(conflicts, start=1)]
        return cls("\n".join([f"{len(conflicts)} things to mend in what is known:", *lines]), conflicts)


class CertificateError(StableBNError, ValueError):
    """A certificate does not hold: it is damaged, or belongs to another table."""


class FormatError(StableBNError, ValueError):
    """A file does not follow its format; the message names the file, the line and what was expected."""

    def __init__(self, file: str, line: int | None, problem: str) -> None:
        super().__init__(f"{file}{'' if line is None else f', line {line}'}: {problem}")


class MissingExtraError(StableBNError, ImportError):
    """An optional package is missing; the message names the extra that installs it."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"this needs {package}. Install it with: pip install 'stablebn[{extra}]'")


def listed(names: Sequence[Hashable], most: int = 8) -> str:
    """Write names for a message: quoted, separated by commas, at most `most` of them.

    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    text = ", ".join(shown(name) for name in names[:most])
    rest = len(names) - most
    return f"{text} and {rest} more" if rest > 0 else text


def shown(value: object) -> str:
    """Write a value for a message: its `repr`, cut if it is long.

    >>> shown("age"), shown(2**100_000), shown("x" * 1_000)[-6:]
    ("'age'", '2**100000...', 'xxx...')
    """
    # Python refuses to write integers with thousands of digits.
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return f"{'-' if value < 0 else ''}2**{value.bit_length() - 1}..."
    try:
        text = repr(value)
    except Exception:
        # The value is nested too deeply, or its `__repr__` fails.
        return f"<{type(value).__name__}>"
    return text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}..."


def spelled(name: object, *, keep: str = "") -> str:
    r"""Replace characters that do not print, such as terminal control codes, by escapes.

    >>> spelled("age"), spelled("\x1b[31mred\n")
    ('age', '\\x1b[31mred\\n')

    Parameters
    ----------
    name : object
        A name or any text.
    keep : str
        Characters that are not replaced.
    """
    text = str(name)
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter in keep else letter.encode("unicode_escape").decode()
        for letter in text
    )


def is_among(value: object, allowed: Sequence[Hashable]) -> bool:
    """Return whether a value is among the allowed ones. A value that cannot be compared, such as pandas.NA, is not."""
    try:
        # Without the first condition, an array of one element would be found.
        return isinstance(value, Hashable) and value in allowed
    except Exception:
        # Any exception: the value defines its own comparison, as a signalling NaN of Decimal does.
        return False


def one_of(option: str, value: object, allowed: Sequence[Hashable]) -> None:
    """Raise `OptionError` unless `value` is one of the `allowed` ones."""
    if not is_among(value, allowed):
        raise OptionError(f"{option}={shown(value)} is not known. Choose one of: {listed(allowed, most=99)}.")
