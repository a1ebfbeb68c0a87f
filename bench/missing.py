"""Learn from samples with holes, and write docs/missing-table.md: what drop, level and available give.

Usage: python bench/missing.py [SHARED] [--rows 1000] [--samples 2] [--processes 1]

SHARED is the folder with `networks/NAME.dsc` and `NAME_c.xdsl`; without it only networks that stablebn can make are
sampled. Graphs are compared with the true one as CPDAGs; their BIC is that of the sample before anything was missing.
Values are made missing in three ways, each as often on the whole:

- completely at random: every value with the same chance;
- at random: half of the columns are always known, and a value of the others is missing three times as often where the
  value of one of those columns is in the upper half;
- not at random: a value is missing three times as often where it is itself in the upper half of its column.
"""

from __future__ import annotations

import argparse
import statistics
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from machine import about
from numpy.typing import NDArray

import stablebn as sb

TABLE = Path(__file__).resolve().parents[1] / "docs" / "missing-table.md"
SHARES = (0.05, 0.1, 0.2)
FROM_SHARED = ("sachs.dsc", "insurance.dsc", "alarm.dsc", "sachs_c.xdsl", "ecoli70_c.xdsl")
# Times as likely to be missing in the upper half as in the lower.
UNFAIR = 3.0

Holes = Callable[[np.random.Generator, NDArray[np.bool_], float], NDArray[np.bool_]]


def completely_at_random(rng: np.random.Generator, upper: NDArray[np.bool_], share: float) -> NDArray[np.bool_]:
    """Every value with the same chance."""
    return np.asarray(rng.random(upper.shape) < share)


def at_random(rng: np.random.Generator, upper: NDArray[np.bool_], share: float) -> NDArray[np.bool_]:
    """Half of the columns, by what columns of the other half are: those are always known."""
    n = len(upper)
    order = rng.permutation(n)
    known, others = order[: n // 2], order[n // 2 :]
    causes = np.zeros_like(upper)
    causes[others] = upper[rng.choice(known, len(others))]
    holes = rng.random(upper.shape) < _chance(causes, share * n / len(others))
    holes[known] = False
    return np.asarray(holes)


def not_at_random(rng: np.random.Generator, upper: NDArray[np.bool_], share: float) -> NDArray[np.bool_]:
    """By what the value itself is."""
    return np.asarray(rng.random(upper.shape) < _chance(upper, share))


def _chance(upper: NDArray[np.bool_], share: float) -> NDArray[np.float64]:
    """How likely a value is missing, so that the share of a column is missing on the whole."""
    part = upper.mean(axis=1, keepdims=True)
    lower = share / (1 + (UNFAIR - 1) * part)
    return np.asarray(np.where(upper, UNFAIR * lower, lower))


MECHANISMS: dict[str, Holes] = {
    "completely at random": completely_at_random,
    "at random": at_random,
    "not at random": not_at_random,
}


@dataclass(frozen=True)
class Way:
    """What is done about missing values, and by which learner; `missing` is None of the sample as it was."""

    missing: str | None
    algorithm: str = "tabu-stable"

    @property
    def title(self) -> str:
        """As it stands above a column."""
        return f"{self.algorithm} {self.missing or 'whole'}"


WAYS = (
    Way(None),
    Way("drop"),
    Way("level"),
    Way("available"),
    Way(None, "h2pc"),
    Way("drop", "h2pc"),
    Way("available", "h2pc"),
)


@dataclass(frozen=True)
class Case:
    """A sample, what is made missing in it, and what is done about that."""

    network: str
    rows: int
    sample: int
    mechanism: str
    share: float
    way: Way


@dataclass(frozen=True)
class Outcome:
    """What was learned; None where there was nothing to learn from."""

    f1: float | None
    bic: float | None
    arcs: int
    seconds: float


def networks(shared: Path | None) -> list[str]:
    """The networks: asia, random ones, and those of a folder."""
    found = ["asia", "random categorical", "random continuous"]
    return found + ([str(shared / "networks" / name) for name in FROM_SHARED] if shared is not None else [])


def network(name: str) -> sb.Network:
    """A network by name, or made at random."""
    if name.startswith("random "):
        return sb.random_network(20, continuous=name == "random continuous", seed=7)
    return sb.read_network(name)


def with_holes(table: pa.Table, case: Case) -> pa.Table:
    """The sample with values missing."""
    seed = zlib.crc32(f"{case.network} {case.rows} {case.sample} {case.mechanism} {case.share}".encode())
    upper = np.array([_upper_half(column) for column in table.columns])
    holes = MECHANISMS[case.mechanism](np.random.default_rng(seed), upper, case.share)
    columns = {}
    for name, column, own in zip(table.column_names, table.columns, holes, strict=True):
        plain = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        columns[name] = pa.array(plain.to_pylist(), type=plain.type, mask=own)
    return pa.table(columns)


def _upper_half(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    """The rows with the values above the median; of categories, the last by name that make up half or less."""
    values = np.array(column.to_pylist())
    return np.asarray(values > np.sort(values)[len(values) // 2]) if values.dtype.kind == "f" else _last(values)


def _last(values: NDArray[np.str_]) -> NDArray[np.bool_]:
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    # The first level never, so that no column is in the upper half throughout.
    chosen = np.cumsum(counts[::-1])[::-1] <= max(len(values) / 2, counts[-1])
    chosen[0] = False
    return np.asarray(chosen[codes.reshape(-1)])


def outcome(case: Case) -> Outcome:
    """Learn, and compare with the true graph and, for the score, with the sample as it was."""
    truth, way = network(case.network), case.way
    whole = truth.sample(case.rows, seed=case.sample)
    table = whole if way.missing is None else with_holes(whole, case)
    began = time.perf_counter()
    try:
        learned = sb.learn(table, way.algorithm, missing=way.missing or "error", threads=1)
    except sb.DataError:
        return Outcome(None, None, 0, time.perf_counter() - began)
    seconds = time.perf_counter() - began
    assert learned.dag is not None
    f1, bic = sb.compare(learned, truth).f1, sb.score(learned.dag, whole).total / case.rows
    return Outcome(f1, bic, len(learned.arcs), seconds)


def is_continuous(name: str) -> bool:
    """Whether a network is continuous, by its name."""
    return "continuous" in name or name.endswith("_c.xdsl")


def cases(names: Sequence[str], rows: int, samples: int) -> Iterator[Case]:
    """All that is tried."""
    for name in names:
        for sample in range(samples):
            for way in WAYS:
                if way.missing == "level" and is_continuous(name):
                    continue
                if way.missing is None:
                    yield Case(name, rows, sample, "", 0.0, way)
                    continue
                for mechanism in MECHANISMS:
                    for share in SHARES:
                        yield Case(name, rows, sample, mechanism, share, way)


def written(found: dict[Case, Outcome], rows: int, samples: int) -> str:
    """The tables."""
    names = dict.fromkeys(case.network for case in found)
    said = about()
    preface = (
        f"{rows:,} rows, {samples} samples of each network; {said['machine']}, {said['date']}. Means over networks and "
        "samples. A dash: some tables had no rows left. BIC is that of the whole sample, a row."
    )
    lines = [preface]
    for kind, continuous in (("Categorical", False), ("Continuous", True)):
        own = {case: outcome for case, outcome in found.items() if is_continuous(case.network) == continuous}
        shown = ", ".join(Path(name).stem for name in names if is_continuous(name) == continuous)
        ways = [way for way in WAYS if any(case.way == way for case in own)]
        for title, value, digits in (
            ("F1", lambda outcome: outcome.f1, 2),
            ("arcs", lambda outcome: None if outcome.f1 is None else outcome.arcs, 0),
            ("BIC a row", lambda outcome: outcome.bic, 3),
        ):
            lines += ["", f"**{kind} ({shown}): {title}**", ""]
            lines += [
                "| missing | share | " + " | ".join(way.title for way in ways) + " |",
                "|---|---:|" + "---:|" * len(ways),
            ]
            for mechanism in MECHANISMS:
                for share in SHARES:
                    cells = [
                        _mean([value(own[case]) for case in own if _is(case, way, mechanism, share)], digits)
                        for way in ways
                    ]
                    lines.append(f"| {mechanism} | {share:.0%} | " + " | ".join(cells) + " |")
        lines += [
            "",
            f"Time of `available` against that of the whole sample, {kind.lower()}, median (greatest): "
            + _ratios(own)
            + ".",
        ]
    return "\n".join(lines) + "\n"


def _is(case: Case, way: Way, mechanism: str, share: float) -> bool:
    return case.way == way and (way.missing is None or (case.mechanism, case.share) == (mechanism, share))


def _mean(values: list[float | None], digits: int) -> str:
    known = [value for value in values if value is not None]
    return f"{statistics.mean(known):.{digits}f}" if values and len(known) == len(values) else "-"


def _ratios(found: dict[Case, Outcome]) -> str:
    words = []
    for algorithm in dict.fromkeys(way.algorithm for way in WAYS):
        whole = {
            (case.network, case.sample): outcome.seconds
            for case, outcome in found.items()
            if case.way == Way(None, algorithm)
        }
        ratios = [
            outcome.seconds / whole[case.network, case.sample]
            for case, outcome in found.items()
            if case.way == Way("available", algorithm)
        ]
        words.append(f"{algorithm} {statistics.median(ratios):.1f} ({max(ratios):.0f})")
    return ", ".join(words)


def main() -> None:
    """Learn all, and write the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("shared", type=Path, nargs="?")
    parser.add_argument("--rows", type=int, default=1_000)
    parser.add_argument("--samples", type=int, default=2)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    todo = list(cases(networks(options.shared), options.rows, options.samples))
    with ProcessPoolExecutor(options.processes) as pool:
        found = dict(zip(todo, pool.map(outcome, todo), strict=True))
    TABLE.write_text(written(found, options.rows, options.samples))


if __name__ == "__main__":
    main()
