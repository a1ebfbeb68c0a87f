"""Is a column categorical, continuous, or nothing to learn from? As the user says, else by its type and its values.

The rules look at how often which values occur and at nothing else: the order of rows and columns and the names have
no say. docs/columns.md tells them to the user.
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

Family: TypeAlias = Literal["text", "boolean", "integer", "float"]
Asked: TypeAlias = Mapping[Name, Kind] | Kind | None
AnyNumber = TypeVar("AnyNumber", np.int64, np.float64)

# Whole numbers with more distinct values than this are numbers; text with more may be names of rows.
MOST_CODES = 25

# So few distinct integers are codes in a table of any size.
FEW_CODES = 5

# Of integers with more distinct values it is said that they are taken for codes.
PLAIN_CODES = 10

# Values drawn from a range so small that so many pairs of them should be equal are not all different by chance: e**-10.
EQUAL_PAIRS = 10

FLOATS = "floats"
"""Why a column of floats that are not whole numbers is continuous."""

# What floats hold exactly.
LARGEST_WHOLE = 2**53


@dataclass(frozen=True)
class Decision:
    """What a column is taken for.

    Attributes
    ----------
    kind : {"categorical", "continuous"} or None
        None: it is set aside, and stays alone in the graph.
    why : str
        A phrase, such as "61 distinct integers".
    plain : bool
        Whether its type, or the user, says so: nothing to be told.
    """

    kind: Kind | None
    why: str
    plain: bool = False

    def __str__(self) -> str:
        return f"{self.kind or 'set aside'}: {self.why}"


class UserKinds(NamedTuple):
    """What the user says of kinds.

    Attributes
    ----------
    kinds : dict of name to kind
    others : kind or None
        Of all other columns that can have it.
    kept : collection of names
        Columns that are not to be set aside.
    excluded : collection of names
        Columns that are.
    learned : collection of names
        Columns whose kind is not specified by the user, but taken from a graph or a network.
    na_values : collection of str or None
        The texts that stand for a missing value; None: `stablebn.columns.na_values` decides.
    """

    kinds: Mapping[Name, Kind]
    others: Kind | None = None
    kept: Collection[Name] = frozenset()
    excluded: Collection[Name] = frozenset()
    learned: Collection[Name] = frozenset()
    na_values: Collection[str] | None = None

    def of(self, name: Name) -> Kind | None:
        """The kind that a column should have if it can."""
        return self.kinds.get(name, self.others)

    def with_learned(self, learned: Mapping[Name, Decision], columns: Collection[Name]) -> UserKinds:
        """The same where the user says something, else as it was decided for another table."""
        before = {name: own for name, own in learned.items() if name in columns and name not in self.kinds}
        kinds = {name: own.kind for name, own in before.items() if own.kind is not None}
        excluded = {name for name, own in before.items() if own.kind is None and name not in self.kept}
        return self._replace(kinds={**kinds, **self.kinds}, excluded=excluded, learned=frozenset(kinds))


def family(type_: pa.DataType) -> Family | None:
    """Return the family of an Arrow type (of a dictionary's values); None if it cannot be used."""
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
    # Not all versions of PyArrow can be asked for these otherwise; and the name of a type takes long to write.
    return "text" if str(type_) == "string_view" else None


def parse_kinds(kinds: Asked, kept: Collection[Name], columns: Collection[Name]) -> UserKinds:
    """What the user says of kinds; `OptionError` where it makes no sense."""
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
    name: Name, type_: pa.DataType, said: UserKinds, whole_numbers: Callable[[Name], WholeNumbers | None]
) -> Decision:
    """What the user says, or the type; of integers and floats, the values too.

    Parameters
    ----------
    name : name
    type_ : pyarrow.DataType
    said : UserKinds
    whole_numbers : callable
        Gives what the values of the column are, see `Rows`.
    """
    own = family(type_)
    kind = said.of(name)
    if own is None:
        return _unusable(type_)
    if name in said.kinds:
        return Decision(said.kinds[name], "as you say", plain=True)
    if own == "text" or (own == "boolean" and kind is None) or (pa.types.is_dictionary(type_) and kind is None):
        return Decision("categorical", {"text": "text", "boolean": "true or false"}.get(own, "categories"), plain=True)
    if own == "boolean" or pa.types.is_dictionary(type_):
        return Decision(kind, "as you say of all columns", plain=True)
    decision = decide_by_values(whole_numbers(name), own)
    if decision.kind is None and name in said.kept:
        return Decision(kind or "continuous", "kept as you say", plain=True)
    if decision.kind is None or kind is None:
        return decision
    return Decision(kind, "as you say of all columns", plain=True)


def _unusable(type_: pa.DataType) -> Decision:
    if pa.types.is_null(type_):
        return Decision(None, "no values")
    return Decision(None, f"neither text nor numbers but {type_}")


def decide_by_values(numbers: WholeNumbers | None, own: Family) -> Decision:
    """Floats are continuous, unless they are whole numbers: few are codes, and some number the rows.

    Parameters
    ----------
    numbers : WholeNumbers or None
        None: some are not whole, or there are none.
    own : {"integer", "float"}
    """
    if numbers is None:
        return Decision("continuous", FLOATS, plain=True)
    what = "integers" if own == "integer" else "whole numbers"
    distinct = numbers.distinct
    few = own == "integer" and distinct <= FEW_CODES
    # Below, two such columns have more joint cells than there are rows.
    if few or (1 < distinct <= MOST_CODES and distinct**2 <= numbers.total):
        return Decision(
            "categorical", f"{distinct} distinct {what}", plain=own == "integer" and distinct <= PLAIN_CODES
        )
    # Drawn values would be equal in about distinct**2 / 2 / spread pairs.
    if distinct > MOST_CODES and distinct * (distinct - 1) // 2 > EQUAL_PAIRS * (numbers.spread or distinct**2):
        times = "once: they number the rows" if numbers.total == distinct else "equally often: they number groups"
        return Decision(None, f"{distinct} {what}, each {times}")
    if numbers.largest > LARGEST_WHOLE:
        return Decision(None, f"{distinct} distinct integers, some beyond 2**53, that look like keys")
    return Decision("continuous", f"{distinct} distinct {what}", plain=own == "float")


def whole_integers(column: pa.ChunkedArray, weights: Weights | None) -> WholeNumbers:
    """What the values of a column of integers are."""
    close = close_integers(column)
    if close is not None:
        total, occurring = total_weight(len(column), weights), close.occurring
        spread = None
        if occurring.size > MOST_CODES and total % occurring.size == 0:
            spread = grid_size(*distinct_counts(np.concatenate(close.chunks), weights))
        return WholeNumbers(total, occurring.size, spread, max(-close.least, close.greatest))
    # Here and not above: it takes long to import, and few columns need it.
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
    """What floats are that are whole numbers; None where some are not, or there are none.

    Parameters
    ----------
    values : float array [rows]
        NaN where missing.
    weights : int64 array [rows] or None
    """
    # Most columns are told apart by their first value, and most others by their first rows.
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
    """The values of a column of floats, NaN where missing."""
    # Without nulls, `to_numpy` would import pandas for nothing.
    parts = [
        chunk.to_numpy(zero_copy_only=False) if chunk.null_count else np.from_dlpack(chunk) for chunk in column.chunks
    ]
    values = parts[0] if len(parts) == 1 else np.concatenate([*parts, np.empty(0)])
    return np.asarray(values, dtype=np.float64)


def all_whole(values: NDArray[np.float64]) -> bool:
    """Whether all values that there are are whole, and none larger than floats hold exactly."""
    # What is not a number is equal to nothing, and is no reason; infinite values and larger ones are.
    with np.errstate(invalid="ignore"):
        whole = (values == np.floor(values)) & (np.abs(values) <= LARGEST_WHOLE)
    return bool((whole | np.isnan(values)).all())


def distinct_counts(
    values: NDArray[AnyNumber], weights: Weights | None
) -> tuple[NDArray[AnyNumber], NDArray[np.int64]]:
    """The distinct values, ascending, and how often each occurs."""
    if weights is None:
        distinct, counts = np.unique(values, return_counts=True)
        return distinct, counts
    distinct, places = np.unique(values, return_inverse=True)
    return distinct, np.bincount(places, weights).astype(np.int64)


def grid_size(distinct: NDArray[np.int64], counts: NDArray[np.int64]) -> int | None:
    """See `WholeNumbers`."""
    if distinct.size < 2 or (counts != counts[0]).any():
        return None
    # Python's integers do not overflow.
    step = int(np.gcd.reduce(np.diff(distinct).astype(np.uint64)))
    return (int(distinct[-1]) - int(distinct[0])) // step + 1


_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([T ].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}")


class TextForms(NamedTuple):
    """What the different texts of a column are.

    Attributes
    ----------
    distinct : int
    dates, numbers, others : int
        How many are dates, numbers, and neither these nor markers of missing values.
    blanks : int
        How many blanks all have together.
    """

    distinct: int
    dates: int
    numbers: int
    others: int
    blanks: int


def is_date(text: str) -> bool:
    """Whether a text is a date."""
    return _DATE.fullmatch(text) is not None


def decide_text(levels: Sequence[Hashable], total: int) -> Decision | None:
    """Set a column of text aside whose values name rows rather than describe them; None: it is categorical.

    Parameters
    ----------
    levels : sequence
        The values that occur.
    total : int
        In how many rows there is one.
    """
    texts = [level for level in levels if isinstance(level, str)]
    if len(levels) <= MOST_CODES or len(texts) < len(levels):
        return None
    dates = len(texts) if all(map(is_date, texts)) else 0
    return decide_by_forms(TextForms(len(texts), dates, 0, 0, sum(text.count(" ") for text in texts)), total)


def decide_by_forms(texts: TextForms, total: int) -> Decision | None:
    """The same by what the texts are; numbers and others have no say."""
    if texts.dates == texts.distinct:
        return Decision(None, f"{texts.distinct} dates, written as text")
    # Nearly every row has a value of its own: there are no frequencies to be learned.
    if 10 * texts.distinct > 9 * total:
        what = "free text" if texts.blanks >= 3 * texts.distinct else "text"
        return Decision(None, f"{what}, {texts.distinct} values in {total} rows")
    return None
