"""Tables to try the promise with: ordinary ones, and ones in which everything ties.

Every maker takes a generator and about how many columns and rows there should be, and returns an array
[columns, rows]: codes of a categorical table, or numbers of a continuous one. `DESIGNS` are codes that make tables of
all kinds: their columns have equal counts, and many can be exchanged. A mixed table is one of codes, of which some
columns become numbers in one of the ways of `NUMBERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.tables import categorical_codes, continuous_values, relabelled_codes

import stablebn as sb

Matrix = NDArray[Any]
Maker = Callable[[np.random.Generator, int, int], Matrix]


def dependent_codes(rng: np.random.Generator, n: int, rows: int) -> Matrix:
    """Columns that depend on earlier ones."""
    return np.array(categorical_codes(rng, n, rows, int(rng.integers(2, 6))))


def sampled_codes(rng: np.random.Generator, n: int, rows: int) -> Matrix:
    """A sample of a random network."""
    drawn = sb.random_network(n, seed=int(rng.integers(2**31))).sample(rows, seed=int(rng.integers(2**31)))
    return np.array([np.unique(column.to_pylist(), return_inverse=True)[1] for column in drawn.columns])


def coins(rng: np.random.Generator, n: int, rows: int) -> Matrix:
    """Zeros and ones: of few rows many columns are the same."""
    return rng.integers(0, 2, (n, rows))


def balanced(rng: np.random.Generator, n: int, rows: int) -> Matrix:
    """Columns with equal counts, in random order."""
    levels = int(rng.integers(2, 4))
    return np.array([rng.permutation(np.arange(rows) % levels) for _ in range(n)])


def nearly_constant(rng: np.random.Generator, n: int, rows: int) -> Matrix:
    """Columns in which one or two rows differ from all others."""
    codes = np.zeros((n, rows), dtype=np.int64)
    for own in codes:
        own[rng.integers(0, rows, rng.integers(1, 3))] = 1
    return codes


def hadamard(rng: np.random.Generator, n: int, rows: int) -> Matrix:
    """Columns of a Hadamard matrix: every two of them are independent."""
    size = 1 << int(n).bit_length()
    places = np.arange(size)
    parity = np.array([[bin(u & v).count("1") % 2 for v in places] for u in places])
    return parity[1 + rng.permutation(size - 1)[:n]]


def latin_square(rng: np.random.Generator, n: int, rows: int) -> Matrix:
    """Row, column and the symbols of squares that are orthogonal where the side is prime."""
    side = int(rng.integers(2, 6))
    row, column = np.divmod(np.arange(side * side), side)
    every = [row, column, *((row + step * column) % side for step in range(1, side))]
    return np.array([every[place] for place in rng.permutation(len(every))[: max(n, 2)]])


def factorial(rng: np.random.Generator, n: int, rows: int) -> Matrix:
    """All combinations of some factors, and parities of some of them."""
    factors = min(n, int(rng.integers(2, 6)))
    codes = list(np.array(list(product((0, 1), repeat=factors))).T)
    for _ in range(n - factors):
        codes.append(
            np.bitwise_xor.reduce([codes[v] for v in rng.permutation(factors)[: rng.integers(2, factors + 1)]])
        )
    return np.array(codes)


def one_hot(rng: np.random.Generator, n: int, rows: int) -> Matrix:
    """A column for each level of one variable."""
    level = np.arange(max(rows, n)) % n if rng.random() < 0.5 else rng.integers(0, n, max(rows, n))
    return np.array([level == own for own in range(n)]).astype(np.int64)


def adjacency(rng: np.random.Generator, n: int, rows: int) -> Matrix:
    """Which vertices of a regular graph are joined: colours alone do not tell them apart."""
    return _regular_graph(rng, max(n, 4))


def incidence(rng: np.random.Generator, n: int, rows: int) -> Matrix:
    """Vertices of a regular graph by its edges."""
    joined = _regular_graph(rng, max(n, 4))
    edges = np.argwhere(np.triu(joined))
    return np.array([(edges == vertex).any(axis=1) for vertex in range(len(joined))]).astype(np.int64)


def _regular_graph(rng: np.random.Generator, n: int) -> Matrix:
    kind = rng.random()
    joined = np.zeros((n, n), dtype=np.int64)
    if kind < 0.4:
        # Cycles of several lengths: all vertices have two neighbours.
        start = 0
        while start < n:
            length = n - start if n - start < 6 else int(rng.integers(3, n - start - 2))
            for place in range(length):
                joined[start + place, start + (place + 1) % length] = 1
            start += length
    elif kind < 0.8:
        for step in 1 + rng.permutation(n // 2)[: rng.integers(1, 3)]:
            joined[np.arange(n), (np.arange(n) + step) % n] = 1
    else:
        # Two graphs with 16 vertices, equal in every count of neighbours: the rook's graph and Shrikhande's.
        joined = np.zeros((16, 16), dtype=np.int64)
        rook = [(0, 1), (0, 2), (1, 0), (2, 0)]
        steps = rook if rng.random() < 0.5 else [(0, 1), (1, 0), (1, 1)]
        for (a, b), (c, d) in product(product(range(4), repeat=2), steps):
            joined[4 * a + b, 4 * ((a + c) % 4) + (b + d) % 4] = 1
    return joined | joined.T


DESIGNS: Mapping[str, Maker] = {
    maker.__name__.replace("_", " "): maker
    for maker in (balanced, hadamard, latin_square, factorial, one_hot, adjacency, incidence)
}


def numbers(rng: np.random.Generator, n: int, rows: int) -> Matrix:
    """Columns that depend on earlier ones, on several scales."""
    return np.array(continuous_values(rng, n, rows))


def sampled_numbers(rng: np.random.Generator, n: int, rows: int) -> Matrix:
    """A sample of a random network."""
    network = sb.random_network(n, seed=int(rng.integers(2**31)), continuous=True)
    drawn = network.sample(rows, seed=int(rng.integers(2**31)))
    return np.array([column.to_numpy() for column in drawn.columns])


def integers(rng: np.random.Generator, n: int, rows: int) -> Matrix:
    """Whole numbers with many ties."""
    return rng.integers(0, int(rng.choice([2, 5, 100])), (n, rows)).astype(np.float64)


def rounded(rng: np.random.Generator, n: int, rows: int) -> Matrix:
    """Numbers with one digit after the point."""
    return np.round(np.array(continuous_values(rng, n, rows)), 1)


def collinear(rng: np.random.Generator, n: int, rows: int) -> Matrix:
    """Some columns are sums or differences of two others."""
    values = rng.normal(size=(max(n, 3), rows))
    if rng.random() < 0.5:
        values = np.round(values * 8)
    for _ in range(int(rng.integers(1, 3))):
        a, b, c = rng.permutation(len(values))[:3]
        values[a] = values[b] + values[c] * rng.choice([-1.0, 1.0])
    return values


def mirrored(rng: np.random.Generator, n: int, rows: int) -> Matrix:
    """Few values, in many columns as often as in their mirror image; and mirror images of some columns."""
    rows = min(rows, int(rng.integers(4, 9)))
    low, middle, high = rng.choice([[-1.0, 0.0, 1.0], [-1.0, 0.5, 2.0], [0.3, 0.4, 0.5], [0.0, 1.0, 3.0]])
    columns = []
    for _ in range(max(2, n - int(rng.integers(1, 3)))):
        own = np.where(np.arange(rows) < int(rng.choice([1, rows // 2])), low, high)
        own[rows // 2 : -(-rows // 2) + int(rng.integers(0, 2))] = middle
        columns.append(rng.permutation(own))
    for _ in range(n - len(columns)):
        # By ranks: so that the values are the same, whatever is rounded.
        values, places = np.unique(columns[rng.integers(0, len(columns))], return_inverse=True)
        columns.append(values[::-1][places])
    return np.array(columns)


def _as_numbers(maker: Maker) -> Maker:
    def make(rng: np.random.Generator, n: int, rows: int) -> Matrix:
        return maker(rng, n, rows) * float(rng.choice([0.1, 0.5, 1.0, 3.0])) + float(rng.choice([-1.0, 0.0, 0.3]))

    return make


_CODES: Mapping[str, Maker] = {
    "dependent": dependent_codes,
    "sampled": sampled_codes,
    "coins": coins,
    "nearly constant": nearly_constant,
    **DESIGNS,
}
MAKERS: Mapping[str, Mapping[str, Maker]] = {
    "categorical": _CODES,
    "continuous": {
        "dependent": numbers,
        "sampled": sampled_numbers,
        "integers": integers,
        "rounded": rounded,
        "collinear": collinear,
        "mirrored": mirrored,
        **{name: _as_numbers(maker) for name, maker in DESIGNS.items()},
    },
    "mixed": _CODES,
}


def the_codes(rng: np.random.Generator, codes: Matrix) -> Matrix:
    """The codes themselves: constant in every stratum of a copy, and tied with others."""
    return codes.astype(np.float64)


def scattered(rng: np.random.Generator, codes: Matrix) -> Matrix:
    """Numbers around the codes: a mean for each."""
    return codes * float(rng.choice([0.0, 0.5, 3.0])) + rng.normal(size=codes.shape)


def scattered_and_rounded(rng: np.random.Generator, codes: Matrix) -> Matrix:
    """The same in whole numbers or halves: in small strata some do not vary."""
    return np.round(scattered(rng, codes) * 2) / float(rng.choice([1.0, 2.0]))


def regressed(rng: np.random.Generator, codes: Matrix) -> Matrix:
    """Numbers that depend on earlier ones, some of them exactly."""
    values = scattered(rng, codes)
    for v in range(1, len(values)):
        noise = float(rng.choice([0.0, 1.0, 1.0, 1.0]))
        values[v] = values[v] * noise + values[rng.integers(0, v)] * rng.choice([-1.0, 2.0])
    return values


def unevenly_scattered(rng: np.random.Generator, codes: Matrix) -> Matrix:
    """A variance for each code instead of a mean."""
    spread = 1.0 + 3.0 * codes
    return rng.normal(size=codes.shape) * spread


def nearly_copied(rng: np.random.Generator, codes: Matrix) -> Matrix:
    """Numbers of which every other one is a near copy of the one before."""
    values = scattered(rng, codes)
    for v in range(1, len(values), 2):
        values[v] = near_copy(rng, values[v - 1])
    return values


def near_copy(rng: np.random.Generator, values: Matrix) -> Matrix:
    """A column plus noise of 1e-13 to 1e-10 standard deviations."""
    # From text: a power of NumPy's might have another last bit on another machine.
    size = float(f"1e-{rng.integers(10, 14)}") * float(values.std() or 1.0)
    return values + size * rng.normal(size=values.shape)


NUMBERS: Mapping[str, Callable[[np.random.Generator, Matrix], Matrix]] = {
    way.__name__.replace("_", " "): way
    for way in (the_codes, scattered, scattered_and_rounded, regressed, unevenly_scattered, nearly_copied)
}
"""What numbers of a mixed table are made of codes."""


def copied(rng: np.random.Generator, matrix: Matrix, kind: str) -> Matrix:
    """With copies of some columns: the same, or in other labels, signs and units."""
    copies = []
    for _ in range(int(rng.integers(1, 4))):
        own = matrix[rng.integers(0, len(matrix))]
        if rng.random() < 0.4:
            if kind == "categorical":
                own = rng.permutation(int(own.max()) + 1)[own]
            else:
                own = own * rng.choice([-1.0, 2.0, 3.0, 0.1]) + rng.choice([0.0, 1.0, -0.7])
        copies.append(own)
    return np.vstack([matrix, *copies])


def with_near_copies(rng: np.random.Generator, matrix: Matrix, kind: str) -> Matrix:
    """With near copies of some continuous columns."""
    if kind == "categorical":
        return matrix
    chosen = rng.integers(0, len(matrix), rng.integers(1, 4))
    return np.vstack([matrix, *(near_copy(rng, matrix[own].astype(np.float64)) for own in chosen)])


def with_constants(rng: np.random.Generator, matrix: Matrix, kind: str) -> Matrix:
    """With a constant column or two."""
    constant = np.full((int(rng.integers(1, 3)), matrix.shape[1]), rng.integers(0, 3))
    return np.vstack([matrix, constant.astype(matrix.dtype)])


def with_rows_repeated(rng: np.random.Generator, matrix: Matrix, kind: str) -> Matrix:
    """With some rows several times, or all of them."""
    rows = matrix.shape[1]
    if rng.random() < 0.5:
        return np.tile(matrix, int(rng.integers(2, 4)))
    return matrix[:, np.concatenate([np.arange(rows), rng.integers(0, rows, rng.integers(1, rows + 1))])]


def in_other_units(rng: np.random.Generator, matrix: Matrix, kind: str) -> Matrix:
    """Continuous columns that are tiny or huge."""
    if kind == "categorical":
        return matrix
    # From text: a power of NumPy's might have another last bit on another machine.
    units = [float(f"1e{power}") for power in rng.integers(-120, 121, len(matrix))]
    return np.array([own * unit for own, unit in zip(matrix, units, strict=True)])


def relabelled(rng: np.random.Generator, matrix: Matrix, kind: str) -> Matrix:
    """Categorical columns that are one or two others in other labels, all levels being equally frequent."""
    return relabelled_codes(rng, *matrix.shape) if kind == "categorical" else matrix


CHANGES: Mapping[str, tuple[float, Callable[[np.random.Generator, Matrix, str], Matrix]]] = {
    "copies": (0.15, copied),
    "constants": (0.08, with_constants),
    "repeated rows": (0.1, with_rows_repeated),
    "units": (0.1, in_other_units),
    "relabelled": (0.05, relabelled),
    "near copies": (0.08, with_near_copies),
}
"""What may be done to a table besides, and how often."""
