"""One small tree of exceptions: what is wrong, and what to do about it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# How much of a value stands in a message.
_MOST_LETTERS = 200
_MOST_BITS = 256


class StableBNError(Exception):
    """Root of every error that stablebn raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Exception would call the constructor with the message alone, in the process that a worker reports to.
        return _without_constructor, (type(self), self.args), vars(self)


def _without_constructor(kind: type[StableBNError], arguments: tuple[object, ...]) -> StableBNError:
    """Make an error from its `args`, for pickle and copy."""
    return kind.__new__(kind, *arguments)


@dataclass(frozen=True)
class DataProblem:
    """Something for which a table cannot be learned from as it is.

    Attributes
    ----------
    message : str
        What is wrong with which columns, and what to do.
    columns : tuple of hashable
        The columns concerned.
    remedy : mapping of option to value
        What mends it; empty: no option does.
    """

    message: str
    columns: tuple[Hashable, ...] = ()
    remedy: Mapping[str, object] = field(default_factory=dict)


class DataError(StableBNError, ValueError):
    """The table cannot be learned from as it is; the message names the columns and the remedy.

    Parameters
    ----------
    message : str
    columns, remedy
        As in `DataProblem`: of one that is the only one so far.
    problems : sequence of DataProblem
        All there are.

    Attributes
    ----------
    problems : tuple of DataProblem
    remedy : dict of option to value
        Options of `stablebn.learn` with which all problems are mended: `stablebn.learn(data, **error.remedy)` runs.
        Those that the call had about the table are among them. Empty where no option helps.
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
    """Rows have levels that a network does not know, and so are impossible under it."""


class GraphError(StableBNError, ValueError):
    """A graph is not what the operation needs: a cycle, an unknown node, a doubled edge."""


class OptionError(StableBNError, ValueError):
    """An option has a value it cannot take."""


@dataclass(frozen=True)
class Conflict:
    """Statements that cannot all be true of one graph, none of which could be left out of the contradiction.

    Attributes
    ----------
    kind : str
        What the arcs contradict: "cycle", "forbidden", "tiers", "roots", "leaves", "allowed", "max_parents", "merged",
        "kinds" or "no part"; or "two tiers" of a variable, or "unknown" of names that are no columns.
    message : str
        The contradiction in words.
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
    """What is said to be known cannot be read, or not all of it can be true.

    Attributes
    ----------
    conflicts : tuple of Conflict
        All contradictions; empty: it cannot be read.
    """

    conflicts: tuple[Conflict, ...]

    def __init__(self, message: str, conflicts: Sequence[Conflict] = ()) -> None:
        super().__init__(message)
        self.conflicts = tuple(conflicts)

    @classmethod
    def of(cls, conflicts: Sequence[Conflict]) -> KnowledgeError:
        """One error for all of them."""
        if len(conflicts) == 1:
            return cls(conflicts[0].message, conflicts)
        lines = [f"  {number}. {conflict.message}" for number, conflict in enumerate(conflicts, start=1)]
        return cls("\n".join([f"{len(conflicts)} things to mend in what is known:", *lines]), conflicts)


class CertificateError(StableBNError, ValueError):
    """A certificate does not hold: it is damaged, or belongs to another table."""


class FormatError(StableBNError, ValueError):
    """A file is not what its format asks for; the message names the file, the line and what was expected."""

    def __init__(self, file: str, line: int | None, problem: str) -> None:
        super().__init__(f"{file}{'' if line is None else f', line {line}'}: {problem}")


class MissingExtraError(StableBNError, ImportError):
    """An optional package is needed; the message names the extra that brings it."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"this needs {package}. Install it with: pip install 'stablebn[{extra}]'")


def listed(names: Sequence[Hashable], most: int = 8) -> str:
    """Names as they stand in a message: quoted, comma separated, a long list cut short.

    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    told = ", ".join(shown(name) for name in names[:most])
    rest = len(names) - most
    return f"{told} and {rest} more" if rest > 0 else told


def shown(value: object) -> str:
    """Return a value as it stands in a message: its `repr`, cut where it is long.

    >>> shown("age"), shown(2**100_000), shown("x" * 1_000)[-6:]
    ("'age'", '2**100000...', 'xxx...')
    """
    # Python does not write integers of thousands of digits.
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return f"{'-' if value < 0 else ''}2**{value.bit_length() - 1}..."
    try:
        text = repr(value)
    except Exception:
        # Nested too deeply, or of a class whose `__repr__` fails.
        return f"<{type(value).__name__}>"
    return text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}..."


def spelled(name: object, *, keep: str = "") -> str:
    r"""A name as it is shown: characters that do not print, such as those that steer a terminal, as escapes.

    >>> spelled("age"), spelled("\x1b[31mred\n")
    ('age', '\\x1b[31mred\\n')

    Parameters
    ----------
    name : object
        A name, or a whole text.
    keep : str
        Characters that stay as they are.
    """
    text = str(name)
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter in keep else letter.encode("unicode_escape").decode()
        for letter in text
    )


def is_among(value: object, allowed: Sequence[Hashable]) -> bool:
    """Whether a value is one of the `allowed` ones; what cannot be compared with them, such as pandas.NA, is not."""
    try:
        # An array of one element would be found.
        return isinstance(value, Hashable) and value in allowed
    except Exception:
        # Of whatever kind: the value has a comparison of its own, as a signalling NaN of Decimal.
        return False


def one_of(option: str, value: object, allowed: Sequence[Hashable]) -> None:
    """Raise `OptionError` unless `value` is one of the `allowed` ones."""
    if not is_among(value, allowed):
        raise OptionError(f"{option}={shown(value)} is not known. Choose one of: {listed(allowed, most=99)}.")
