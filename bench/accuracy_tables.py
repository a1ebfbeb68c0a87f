"""Tables with a known true graph, on which the accuracy of algorithms is measured.

A table belongs to a group (`GROUPS`) and has a seed. Even seeds are for development: defaults and settings may be
chosen by them. Odd seeds are for confirmation: nothing may be chosen by them. The same group, label and seed give the
same table on every machine with the same version of NumPy. Columns are shuffled and named at random, and so are the
levels of categorical variables, so that no program gains from the order of the columns.

>>> from bench.accuracy_tables import GROUPS, draw
>>> table = draw("gaussian-2", seed=0)
>>> table.data.num_columns, len(table.truth.arcs)
(40, 40)
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

import stablebn as sb

Numbers = NDArray[np.float64]
Codes = NDArray[np.int64]
Arcs = list[tuple[int, int]]
"""Pairs (parent, child) of variable numbers."""

SHARED = Path(__file__).resolve().parents[1].parent / "shared"
TOPOLOGIES = ("random", "scale-free", "small-world")
NOISES = ("laplace", "exponential", "uniform")
CATEGORICAL = (
    "alarm",
    "asia",
    "barley",
    "child",
    "covid",
    "diarrhoea",
    "formed",
    "hailfinder2",
    "hepar2",
    "insurance",
    "mildew",
    "pathfinder",
    "property",
    "sachs",
    "sports",
    "water",
    "win95pts2",
)
CONTINUOUS = ("arth150_c", "building_c", "covid_c", "ecoli70_c", "magic-irri_c", "magic-niab_c", "sachs_c")
SIZES = (100, 1_000, 10_000, 100_000)
"""Rows of the tables of the paper."""


@dataclass(frozen=True)
class Drawn:
    """The columns of a table and its true arcs: a column is float64 if it is continuous, int64 if it is categorical."""

    columns: list[Numbers | Codes]
    arcs: Arcs


@dataclass(frozen=True)
class Group:
    """Tables of the same kind.

    Attributes
    ----------
    kind : str
        "continuous", "categorical" or "mixed".
    about : str
        What the tables are, for the report.
    draw : callable
        (label, random generator, seed) to a table.
    labels : tuple of str
        The tables of one seed; a group of random networks has one table a seed, with the empty label.
    seeds : tuple of int
        Those that are measured unless other ones are requested.
    large : bool
        Whether the group is measured only if it is requested by name.
    """

    kind: str
    about: str
    draw: Callable[[str, np.random.Generator, int], Drawn]
    labels: tuple[str, ...] = ("",)
    seeds: tuple[int, ...] = tuple(range(8))
    large: bool = False


@dataclass(frozen=True)
class Table:
    """A table, and the graph that its rows come from."""

    group: str
    label: str
    seed: int
    data: pa.Table
    truth: sb.DAG

    @property
    def id(self) -> str:
        """The key of the table in the results."""
        return table_id(self.group, self.label, self.seed)


def table_id(group: str, label: str, seed: int) -> str:
    """The key of a table in the results."""
    return "/".join(part for part in (group, label, str(seed)) if part)


def half(seed: int) -> str:
    """Return what tables of a seed may be used for: "development" or "confirmation"."""
    return "confirmation" if seed % 2 else "development"


def draw(group: str, label: str = "", *, seed: int) -> Table:
    """Draw a table; columns are shuffled and named at random."""
    rng = np.random.default_rng([zlib.crc32(f"{group}/{label}".encode()), seed])
    drawn = GROUPS[group].draw(label, rng, seed)
    n = len(drawn.columns)
    names = [f"v{number:04d}" for number in rng.permutation(n)]
    place = rng.permutation(n)
    columns = {names[v]: _encoded(drawn.columns[v], rng) for v in place.tolist()}
    arcs = [(names[u], names[v]) for u, v in drawn.arcs]
    return Table(group, label, seed, pa.table(columns), sb.DAG(list(columns), arcs))


def tables(group: str, seeds: tuple[int, ...] | None = None) -> Iterator[Table]:
    """Draw the tables of a group one after the other."""
    for seed, label in product(GROUPS[group].seeds if seeds is None else seeds, GROUPS[group].labels):
        yield draw(group, label, seed=seed)


def _encoded(column: Numbers | Codes, rng: np.random.Generator) -> pa.Array:
    if column.dtype == np.float64:
        return pa.array(column)
    levels = int(column.max()) + 1
    return pa.DictionaryArray.from_arrays(
        pa.array(column.astype(np.int32)), pa.array([f"s{name:02d}" for name in rng.permutation(levels)])
    )


# Graphs


def topology(name: str, n: int, degree: int, rng: np.random.Generator) -> Arcs:
    """Draw a DAG of n nodes with `degree` neighbours per node on average; 0, 1, ... is a topological order.

    The graph is drawn undirected ("random": Erdős and Rényi with a fixed number of edges; "scale-free": Barabási and
    Albert; "small-world": Watts and Strogatz, one edge in five rewired) and then directed along a random order.
    """
    edges = {"random": _random_edges, "scale-free": _scale_free_edges, "small-world": _small_world_edges}[name](
        n, degree, rng
    )
    rank = rng.permutation(n)
    return sorted((min(rank[u], rank[v]).item(), max(rank[u], rank[v]).item()) for u, v in sorted(edges))


def _random_edges(n: int, degree: int, rng: np.random.Generator) -> set[tuple[int, int]]:
    pairs = [(u, v) for v in range(n) for u in range(v)]
    picked = rng.choice(len(pairs), size=min(n * degree // 2, len(pairs)), replace=False)
    return {pairs[p] for p in picked.tolist()}


def _scale_free_edges(n: int, degree: int, rng: np.random.Generator) -> set[tuple[int, int]]:
    each = max(degree // 2, 1)
    edges: set[tuple[int, int]] = set()
    # Every node as often as it has edges, and once more.
    ends = list(range(each))
    for v in range(each, n):
        chosen: list[int] = []
        while len(chosen) < each:
            u = ends[int(rng.integers(len(ends)))]
            if u not in chosen:
                chosen.append(u)
        edges.update((u, v) for u in chosen)
        ends += [*chosen, *([v] * (each + 1))]
    return edges


def _small_world_edges(n: int, degree: int, rng: np.random.Generator) -> set[tuple[int, int]]:
    ring = {tuple(sorted((u, (u + step) % n))) for step in range(1, max(degree // 2, 1) + 1) for u in range(n)}
    edges = {(u, v) for u, v in ring}
    for u, v in sorted(edges):
        if rng.random() < 0.2:
            free = [w for w in range(n) if w != u and (min(u, w), max(u, w)) not in edges]
            if free:
                w = free[int(rng.integers(len(free)))]
                edges.remove((u, v))
                edges.add((min(u, w), max(u, w)))
    return edges


def _parents(arcs: Arcs, n: int) -> list[list[int]]:
    return [[u for u, w in arcs if w == v] for v in range(n)]


def _topology_of(seed: int) -> str:
    """Every topology in both halves."""
    return TOPOLOGIES[seed // 2 % len(TOPOLOGIES)]


def _signed(rng: np.random.Generator, least: float, most: float, size: int) -> Numbers:
    drawn: Numbers = rng.uniform(least, most, size) * rng.choice([-1.0, 1.0], size)
    return drawn


# Continuous tables


def _noise(kind: str, rows: int, rng: np.random.Generator) -> Numbers:
    """Noise of mean 0 and variance 1."""
    if kind == "gaussian":
        return rng.standard_normal(rows)
    if kind == "laplace":
        return rng.laplace(scale=np.sqrt(0.5), size=rows)
    if kind == "exponential":
        return rng.exponential(size=rows) - 1.0
    return rng.uniform(-np.sqrt(3.0), np.sqrt(3.0), rows)


def _linear(n: int, degree: int, rows: int, noises: tuple[str, ...]) -> Callable[..., Drawn]:
    """Linear models: coefficients of size 0.15 to 1.2, noise of a standard deviation of 0.5 to 1.5."""

    def drawn(_: str, rng: np.random.Generator, seed: int) -> Drawn:
        arcs = topology(_topology_of(seed), n, degree, rng)
        columns: list[Numbers] = []
        for parents in _parents(arcs, n):
            kind = noises[int(rng.integers(len(noises)))]
            value = rng.uniform(0.5, 1.5) * _noise(kind, rows, rng)
            for parent, coefficient in zip(parents, _signed(rng, 0.15, 1.2, len(parents)), strict=True):
                value = value + coefficient * columns[parent]
            columns.append(value)
        # In units of its own: no program may gain from variances that grow along the order.
        return Drawn([_standardised(column) for column in columns], arcs)

    return drawn


FUNCTIONS: tuple[Callable[[Numbers], Numbers], ...] = (
    lambda z: np.tanh(2.0 * z),
    lambda z: np.sin(2.0 * z),
    lambda z: z * z,
    np.abs,
    lambda z: np.maximum(z, 0.0),
    lambda z: np.exp(-z * z),
    lambda z: z,
)


def _additive(n: int, degree: int, rows: int) -> Callable[..., Drawn]:
    """Sums of functions of the parents; a fifth to a half of the variance is Gaussian noise."""

    def drawn(_: str, rng: np.random.Generator, seed: int) -> Drawn:
        arcs = topology(_topology_of(seed), n, degree, rng)
        columns: list[Numbers] = []
        for parents in _parents(arcs, n):
            signal = np.zeros(rows)
            for parent, weight in zip(parents, _signed(rng, 0.5, 1.0, len(parents)), strict=True):
                function = FUNCTIONS[int(rng.integers(len(FUNCTIONS)))]
                signal = signal + weight * _standardised(function(columns[parent]))
            share = rng.uniform(0.2, 0.5)
            noise = rng.standard_normal(rows)
            if parents:
                columns.append(_standardised(np.sqrt(1.0 - share) * _standardised(signal) + np.sqrt(share) * noise))
            else:
                columns.append(_standardised(noise))
        return Drawn(list(columns), arcs)

    return drawn


def _standardised(column: Numbers) -> Numbers:
    result: Numbers = (column - column.mean()) / column.std()
    return result


# Categorical and mixed tables

MOST_CONFIGURATIONS = 600


def _categorical(n: int, degree: int, rows: int) -> Callable[..., Drawn]:
    """Tables of skewed Dirichlet distributions; most variables have 2 to 4 levels, some up to 10."""

    def drawn(_: str, rng: np.random.Generator, seed: int) -> Drawn:
        chances = 1.0 / np.arange(1, 10)
        levels = 2 + rng.choice(9, size=n, p=chances / chances.sum())
        kept: Arcs = []
        columns: list[Codes] = []
        for v, parents in enumerate(_parents(topology(_topology_of(seed), n, degree, rng), n)):
            configuration, count = np.zeros(rows, dtype=np.int64), 1
            for u in rng.permutation(parents).astype(int).tolist():
                # A table that is too large could not be seen in the data.
                if count * levels[u] <= MOST_CONFIGURATIONS:
                    configuration, count = configuration * levels[u] + columns[u], count * int(levels[u])
                    kept.append((u, v))
            table = rng.dirichlet(np.full(levels[v], rng.uniform(0.3, 1.0)), count)
            columns.append(_drawn_levels(table[configuration], rng))
        return Drawn([_dense(column) for column in columns], sorted(kept))

    return drawn


def _drawn_levels(probabilities: Numbers, rng: np.random.Generator) -> Codes:
    """Draw a level for each row of probabilities."""
    below = rng.random(len(probabilities))[:, None] > probabilities.cumsum(axis=1)
    codes: Codes = np.minimum(below.sum(axis=1), probabilities.shape[1] - 1)
    return codes


def _dense(codes: Codes) -> Codes:
    """Number the levels that occur 0, 1, ..."""
    dense: Codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
    return dense


def _any_direction(n: int, degree: int, rows: int) -> Callable[..., Drawn]:
    """Half of the variables categorical, arcs in all directions: additive effects, softmax for categorical children."""

    def drawn(_: str, rng: np.random.Generator, seed: int) -> Drawn:
        arcs = topology(_topology_of(seed), n, degree, rng)
        levels = np.where(rng.permutation(n) < n // 2, rng.integers(2, 5, n), 0)
        columns: list[Numbers | Codes] = []
        for v, parents in enumerate(_parents(arcs, n)):
            outputs = int(levels[v]) if levels[v] else 1
            signal = np.zeros((rows, outputs))
            for u in parents:
                if levels[u]:
                    effects = rng.standard_normal((int(levels[u]), outputs))
                    signal += (effects - effects.mean(axis=0))[columns[u]] * 1.2
                elif levels[v]:
                    signal += np.outer(columns[u], rng.permutation(np.linspace(-1.5, 1.5, outputs)))
                else:
                    signal += np.outer(columns[u], _signed(rng, 0.4, 1.0, 1))
            if levels[v]:
                # Gumbel noise: the largest is drawn with softmax probabilities.
                columns.append((signal + rng.gumbel(size=signal.shape)).argmax(axis=1).astype(np.int64))
            else:
                columns.append(_standardised(signal[:, 0] + rng.standard_normal(rows)))
        return Drawn([c if c.dtype == np.float64 else _dense(c.astype(np.int64)) for c in columns], arcs)

    return drawn


def _conditional(n: int, degree: int, rows: int) -> Callable[..., Drawn]:
    """Conditional linear Gaussian networks of the library: no arc from a continuous to a categorical variable."""

    def drawn(_: str, __: np.random.Generator, seed: int) -> Drawn:
        network = sb.random_network(n, kinds="mixed", density=degree / 2, seed=seed)
        return _from_table(network.sample(rows, seed=seed), network.dag)

    return drawn


def _from_table(table: pa.Table, truth: sb.DAG) -> Drawn:
    place = {name: v for v, name in enumerate(table.column_names)}
    columns: list[Numbers | Codes] = []
    for column in table.columns:
        if pa.types.is_floating(column.type):
            columns.append(column.to_numpy())
        else:
            text = column.combine_chunks().cast(pa.string())
            columns.append(_dense(text.dictionary_encode().indices.to_numpy().astype(np.int64)))
    return Drawn(columns, sorted((place[str(u)], place[str(v)]) for u, v in truth.arcs))


# Networks of the paper


def _published(label: str, _: np.random.Generator, seed: int) -> Drawn:
    """Seed 0: the first rows of the paper's data, if there are enough of them; else a sample of the network."""
    name, rows = label.rsplit("-", 1)
    files = sorted((SHARED / "networks").glob(f"{name}.*"))
    if not files:
        raise FileNotFoundError(f"the networks of the paper are not in {SHARED / 'networks'}")
    network = sb.read_network(files[0])
    path = SHARED / "data" / f"{name}.parquet"
    if seed == 0 and path.exists():
        table = pq.read_table(path)
        if table.num_rows >= int(rows):
            return _from_table(table.slice(0, int(rows)), network.dag)
    return _from_table(network.sample(int(rows), seed=seed), network.dag)


def _labels(names: tuple[str, ...], rows: int) -> tuple[str, ...]:
    return tuple(f"{name}-{rows}" for name in names)


GROUPS: dict[str, Group] = {
    "gaussian-2": Group("continuous", "linear Gaussian, 40 variables, degree 2", _linear(40, 2, 1_000, ("gaussian",))),
    "gaussian-6": Group("continuous", "linear Gaussian, 40 variables, degree 6", _linear(40, 6, 1_000, ("gaussian",))),
    "gaussian-dense": Group(
        "continuous", "linear Gaussian, 25 variables, degree 10", _linear(25, 10, 1_000, ("gaussian",))
    ),
    "gaussian-100": Group(
        "continuous", "linear Gaussian, 100 variables, degree 4", _linear(100, 4, 1_000, ("gaussian",))
    ),
    "gaussian-300": Group(
        "continuous",
        "linear Gaussian, 300 variables, degree 2",
        _linear(300, 2, 1_000, ("gaussian",)),
        seeds=(0, 1, 2, 3, 4, 5),
    ),
    "gaussian-1000": Group(
        "continuous",
        "linear Gaussian, 1,000 variables, degree 2",
        _linear(1_000, 2, 1_000, ("gaussian",)),
        seeds=(0, 1),
        large=True,
    ),
    "non-gaussian": Group(
        "continuous",
        "linear, Laplace, exponential and uniform noise, 40 variables, degree 4",
        _linear(40, 4, 1_000, NOISES),
    ),
    "nonlinear-2": Group("continuous", "nonlinear additive, 25 variables, degree 2", _additive(25, 2, 1_000)),
    "nonlinear-6": Group("continuous", "nonlinear additive, 25 variables, degree 6", _additive(25, 6, 1_000)),
    "categorical-2-500": Group(
        "categorical", "categorical, 30 variables, degree 2, 500 rows", _categorical(30, 2, 500)
    ),
    "categorical-2-5000": Group(
        "categorical", "categorical, 30 variables, degree 2, 5,000 rows", _categorical(30, 2, 5_000)
    ),
    "categorical-6-500": Group(
        "categorical", "categorical, 30 variables, degree 6, 500 rows", _categorical(30, 6, 500)
    ),
    "categorical-6-5000": Group(
        "categorical", "categorical, 30 variables, degree 6, 5,000 rows", _categorical(30, 6, 5_000)
    ),
    "clg-2": Group("mixed", "conditional linear Gaussian, 30 variables, degree 2", _conditional(30, 2, 1_500)),
    "clg-4": Group("mixed", "conditional linear Gaussian, 20 variables, degree 4", _conditional(20, 4, 1_500)),
    "mixed-2": Group("mixed", "mixed, arcs in all directions, 40 variables, degree 2", _any_direction(40, 2, 1_500)),
    "mixed-6": Group("mixed", "mixed, arcs in all directions, 18 variables, degree 6", _any_direction(18, 6, 1_500)),
    **{
        f"paper-{kind}-{rows}": Group(
            kind,
            f"the paper's {kind} networks, {rows:,} rows",
            _published,
            labels=_labels(names, rows),
            seeds=(0, 1),
        )
        for kind, names in (("continuous", CONTINUOUS), ("categorical", CATEGORICAL))
        for rows in SIZES
    },
}
"""The groups by name."""
