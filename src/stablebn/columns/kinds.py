"""Infer the kind of one column: categorical, continuous, or excluded from learning.

The user's options come first, then the type of the column, then its values. Read in this order: `UserKinds` and
`parse_kinds` (options), `decide_by_type`, `decide_by_values` (integers and floats), `decide_text` (text that names
rows), and the summaries of values that the rules need. `prepare/kind_inference.py` applies them to all columns.

The rules use only which values occur and how often. The order of rows and columns, and names, play no part.
docs/columns.md describes the rules to users.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, TypeVar, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from stablebn.columns.column import Kind as Kind
from stablebn.columns.column import WholeNumbers
from stablebn.columns.small_integers import close_integers
from stablebn.errors import OptionError, listed, one_of
from stablebn.messages import kinds_option
from stablebn.table.table import Name, Weights, total_weight

TypeFamily: TypeAlias = Literal["text", "boolean", "integer", "float"]
KindsOption: TypeAlias = Mapping[Name, Kind] | Kind | None
AnyNumber = TypeVar("AnyNumber", np.int64, np.float64)

# Whole numbers with more distinct values than this are continuous; text with more may name rows.
MOST_CODES = 25

# Integers with at most this many distinct values are categorical in a table of any size.
FEW_CODES = 5

# A warning says that integers are taken for categories if they have more distinct values than this.
PLAIN_CODES = 10

# If this many pairs of values are expected to be equal by chance, the chance that no pair is equal is e**-10.
EQUAL_PAIRS = 10

FLOATS = "floats"
"""Why a column of floats that are not whole numbers is continuous."""

# Floats hold all integers up to this one exactly.
LARGEST_WHOLE = 2**53


@dataclass(frozen=True)
class Decision:
    """Kind of a column, with the reason.

    Attributes
    ----------
    kind : {"categorical", "continuous"} or None
        None: the column is excluded from learning and has no edges in the graph.
    why : str
        The reason, such as "61 distinct integers".
    plain : bool
        Whether the user or the type of the column determines the kind, so that no warning is needed.
    """

    kind: Kind | None
    why: str
    plain: bool = False

    def __str__(self) -> str:
        return f"{self.kind or 'set aside'}: {self.why}"


class UserKinds(NamedTuple):
    """Kinds that the user has specified, or that a graph or network determines.

    Attributes
    ----------
    kinds : dict of name to kind
    others : kind or None
        Kind of all other columns that can have it.
    kept : collection of names
        Columns that must not be excluded.
    excluded : collection of names
        Columns that must be excluded.
    learned : collection of names
        Columns whose kind comes from a graph or a network, not from the user.
    na_values : collection of str or None
        Texts that stand for a missing value; None: the rules of `stablebn.columns.na_values`.
    """

    kinds: Mapping[Name, Kind]
    others: Kind | None = None
    kept: Collection[Name] = frozenset()
    excluded: Collection[Name] = frozenset()
    learned: Collection[Name] = frozenset()
    na_values: Collection[str] | None = None

    def of(self, name: Name) -> Kind | None:
        """Return the kind that a column gets if it can have it."""
        return self.kinds.get(name, self.others)

    def with_learned(self, learned: Mapping[Name, Decision], columns: Collection[Name]) -> UserKinds:
        """Add the decisions of another table, for columns without an option of the user."""
        before = {name: own for name, own in learned.items() if name in columns and name not in self.kinds}
        kinds = {name: own.kind for name, own in before.items() if own.kind is not None}
        excluded = {name for name, own in before.items() if own.kind is None and name not in self.kept}
        return self._replace(kinds={**kinds, **self.kinds}, excluded=excluded, learned=frozenset(kinds))


def family(type_: pa.DataType) -> TypeFamily | None:
    """Return the family of an Arrow type, for a dictionary that of its values; None if the type is not supported."""
    if pa.types.is_dictionary(type_):
        type_ = type_.value_type
    if pa.types.is_string(type_) or pa.types.is_large_string(type_):
        return "text"
    if pa.types.is_boolean(type_):
        return "boolean"
    if pa.types.is_integer(type_):
        return "integer"
    if pa.types.is_floating(type_):
        return "float"
    # Old versions of PyArrow have no other test for string views. The test is last because `str` of a type is slow.
    return "text" if str(type_) == "string_view" else None


def parse_kinds(kinds: KindsOption, kept: Collection[Name], columns: Collection[Name]) -> UserKinds:
    """Parse the option `kinds`; raise `OptionError` if it is not valid."""
    if kinds is None:
        return UserKinds({}, None, kept)
    if isinstance(kinds, str):
        one_of("kinds", kinds, get_args(Kind))
        return UserKinds({}, kinds, kept)
    if not isinstance(kinds, Mapping):
        raise OptionError(
            f"kinds= must be a dict such as {kinds_option(['age'], 'continuous')}, or one kind, for all columns that "
            'can have it: kinds="continuous".'
        )
    unknown = [name for name in kinds if name not in columns and name is not ...]
    if unknown:
        raise OptionError(f"kinds= names {listed(unknown)}, not a variable. Variables: {listed(tuple(columns))}.")
    for name, kind in kinds.items():
        one_of("kinds[...]" if name is ... else f"kinds[{name!r}]", kind, get_args(Kind))
    return UserKinds({name: kind for name, kind in kinds.items() if name is not ...}, kinds.get(...), kept)


def decide_by_type(
    name: Name, type_: pa.DataType, user_kinds: UserKinds, whole_numbers: Callable[[Name], WholeNumbers | None]
) -> Decision:
    """Decide the kind by the user's options, else by the type; for integers and floats also by the values.

    Parameters
    ----------
    name : name
    type_ : pyarrow.DataType
    user_kinds : UserKinds
    whole_numbers : callable
        Summarises the values of a column, see `Rows.whole_numbers`.
    """
    type_family = family(type_)
    kind = user_kinds.of(name)
    if type_family is None:
        return _unsupported(type_)
    if name in user_kinds.kinds:
        return Decision(user_kinds.kinds[name], "as you say", plain=True)
    has_categories = pa.types.is_dictionary(type_)
    if type_family == "text" or (kind is None and (type_family == "boolean" or has_categories)):
        why = {"text": "text", "boolean": "true or false"}.get(type_family, "categories")
        return Decision("categorical", why, plain=True)
    if type_family == "boolean" or has_categories:
        return Decision(kind, "as you say of all columns", plain=True)
    decision = decide_by_values(whole_numbers(name), type_family)
    if decision.kind is None and name in user_kinds.kept:
        return Decision(kind or "continuous", "kept as you say", plain=True)
    if decision.kind is None or kind is None:
        return decision
    return Decision(kind, "as you say of all columns", plain=True)


def _unsupported(type_: pa.DataType) -> Decision:
    if pa.types.is_null(type_):
        return Decision(None, "no values")
    return Decision(None, f"neither text nor numbers but {type_}")


def decide_by_values(numbers: WholeNumbers | None, type_family: TypeFamily) -> Decision:
    """Decide the kind of integers or floats.

    Floats that are not whole numbers are continuous. Few distinct whole numbers are categories; many that occur
    equally often, too evenly for chance, number the rows or groups of rows and are excluded; others are continuous.

    Parameters
    ----------
    numbers : WholeNumbers or None
        None: some value is not whole, or there is no value.
    type_family : {"integer", "float"}
    """
    if numbers is None:
        return Decision("continuous", FLOATS, plain=True)
    what = "integers" if type_family == "integer" else "whole numbers"
    distinct = numbers.distinct
    few = type_family == "integer" and distinct <= FEW_CODES
    # With fewer rows than distinct**2, two such columns would have more joint cells than there are rows.
    if few or (1 < distinct <= MOST_CODES and distinct**2 <= numbers.total):
        plain = type_family == "integer" and distinct <= PLAIN_CODES
        return Decision("categorical", f"{distinct} distinct {what}", plain=plain)
    # Values drawn from `spread` possible ones would be equal in about distinct**2 / 2 / spread pairs.
    if distinct > MOST_CODES and distinct * (distinct - 1) // 2 > EQUAL_PAIRS * (numbers.spread or distinct**2):
        times = "once: they number the rows" if numbers.total == distinct else "equally often: they number groups"
        return Decision(None, f"{distinct} {what}, each {times}")
    if numbers.largest > LARGEST_WHOLE:
        return Decision(None, f"{distinct} distinct integers, some beyond 2**53, that look like keys")
    return Decision("continuous", f"{distinct} distinct {what}", plain=type_family == "float")


def whole_integers(column: pa.ChunkedArray, weights: Weights | None) -> WholeNumbers:
    """Summarise a column of integers."""
    close = close_integers(column)
    if close is not None:
        total, occurring = total_weight(len(column), weights), close.occurring
        spread = None
        if occurring.size > MOST_CODES and total % occurring.size == 0:
            spread = grid_size(*distinct_counts(np.concatenate(close.chunks), weights))
        return WholeNumbers(total, occurring.size, spread, max(-close.least, close.greatest))
    # Imported here because the import is slow and few columns need it.
    import pyarrow.compute as pc

    if weights is not None and column.null_count:
        weights = weights[pc.is_valid(column).to_numpy()]
    present = column.drop_null() if column.null_count else column
    total = total_weight(len(present), weights)
    distinct: int = pc.count_distinct(present).as_py()
    if not distinct:
        return WholeNumbers(0, 0, None, 0)
    limits = pc.min_max(present).as_py()
    largest = max(-limits["min"], limits["max"])
    spread = None
    if total % distinct == 0 and distinct > MOST_CODES:
        spread = grid_size(
            *distinct_counts(np.concatenate([np.from_dlpack(chunk) for chunk in present.chunks]), weights)
        )
    return WholeNumbers(total, distinct, spread, largest)


def whole_floats(values: NDArray[np.float64], weights: Weights | None) -> WholeNumbers | None:
    """Summarise floats that are all whole numbers; None if some value is not whole, or there is no value.

    Parameters
    ----------
    values : float array [rows]
        NaN where missing.
    weights : int64 array [rows] or None
    """
    # The first value, or the first rows, show for most columns that some value is not whole.
    if values.size and not (math.isnan(values[0]) or float(values[0]).is_integer()):
        return None
    if not all_whole(values[:1000]) or not all_whole(values) or (missing := np.isnan(values)).all():
        return None
    present = values[~missing].astype(np.int64)
    weights = None if weights is None else weights[~missing]
    distinct, counts = distinct_counts(present, weights)
    largest = int(max(-distinct[0], distinct[-1]))
    total = total_weight(len(present), weights)
    return WholeNumbers(total, distinct.size, grid_size(distinct, counts), largest)


def float_values(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """Return the values of a column of floats, NaN for missing values."""
    # `to_numpy` imports pandas, which is not needed for chunks without nulls.
    parts = [
        chunk.to_numpy(zero_copy_only=False) if chunk.null_count else np.from_dlpack(chunk) for chunk in column.chunks
    ]
    values = parts[0] if len(parts) == 1 else np.concatenate([*parts, np.empty(0)])
    return np.asarray(values, dtype=np.float64)


def all_whole(values: NDArray[np.float64]) -> bool:
    """Return whether all values are whole or missing, and none is beyond what floats hold exactly."""
    # NaN is equal to nothing, not even itself, and counts as missing; infinite and larger values do not pass.
    with np.errstate(invalid="ignore"):
        whole = (values == np.floor(values)) & (np.abs(values) <= LARGEST_WHOLE)
    return bool((whole | np.isnan(values)).all())


def distinct_counts(
    values: NDArray[AnyNumber], weights: Weights | None
) -> tuple[NDArray[AnyNumber], NDArray[np.int64]]:
    """Return the distinct values, ascending, and how often each occurs, by weight."""
    if weights is None:
        distinct, counts = np.unique(values, return_counts=True)
        return distinct, counts
    distinct, indices = np.unique(values, return_inverse=True)
    return distinct, np.bincount(indices, weights).astype(np.int64)


def grid_size(distinct: NDArray[np.int64], counts: NDArray[np.int64]) -> int | None:
    """Return the number of possible values; see `WholeNumbers.spread`."""
    if distinct.size < 2 or (counts != counts[0]).any():
        return None
    # Python's integers are used because they do not overflow.
    step = int(np.gcd.reduce(np.diff(distinct).astype(np.uint64)))
    return (int(distinct[-1]) - int(distinct[0])) // step + 1


_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([T ].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}")


class TextForms(NamedTuple):
    """Summary of the distinct texts of a column.

    Attributes
    ----------
    distinct : int
    dates, numbers, others : int
        Number of texts that are dates; numbers; and neither of these nor markers of missing values.
    blanks : int
        Total number of blanks in them.
    """

    distinct: int
    dates: int
    numbers: int
    others: int
    blanks: int


def is_date(text: str) -> bool:
    """Return whether a text is a date."""
    return _DATE.fullmatch(text) is not None


def decide_text(levels: Sequence[Hashable], total: int) -> Decision | None:
    """Exclude a column of text whose values name rows rather than describe them; None: it is categorical.

    Parameters
    ----------
    levels : sequence
        The values that occur.
    total : int
        Number of rows, by weight, that have a value.
    """
    texts = [level for level in levels if isinstance(level, str)]
    if len(levels) <= MOST_CODES or len(texts) < len(levels):
        return None
    dates = len(texts) if all(map(is_date, texts)) else 0
    return decide_by_forms(TextForms(len(texts), dates, 0, 0, sum(text.count(" ") for text in texts)), total)


def decide_by_forms(texts: TextForms, total: int) -> Decision | None:
    """Like `decide_text`, from a summary of the texts; `numbers` and `others` are not used."""
    if texts.dates == texts.distinct:
        return Decision(None, f"{texts.distinct} dates, written as text")
    # Nearly every row has its own value, so that there are no frequencies to learn from.
    if 10 * texts.distinct > 9 * total:
        what = "free text" if texts.blanks >= 3 * texts.distinct else "text"
        return Decision(None, f"{what}, {texts.distinct} values in {total} rows")
    return None
