"""What `best` brings beside the other learners, what each of its parts does, and how far all are from known optima.

Usage: python bench/best.py SHARED [--processes 2]

SHARED is the folder with `networks` and `optimum`. Every learner has one thread. Writes docs/best-table.md.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import pyarrow as pa
import pyarrow.csv as pc
from machine import about

import stablebn as sb
from stablebn.fixed_point import to_float
from stablebn.learners import Problem, SearchConfig, define_problem
from stablebn.learners.best import EFFORTS, best, learned_by_others
from stablebn.learners.stable_order import layered_order
from stablebn.learners.tabu import tabu_search
from stablebn.prepare.prepare import prepare
from stablebn.scores.registry import ScoreConfig
from stablebn.search.order_search import Effort, OrderSearch

PAGE = Path(__file__).resolve().parents[1] / "docs" / "best-table.md"
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
    "sports",
    "water",
    "win95pts2",
)
CONTINUOUS = ("arth150_c", "building_c", "covid_c", "ecoli70_c", "magic-irri_c", "magic-niab_c", "sachs_c")
TABLES = [(name, rows) for name in CATEGORICAL for rows in (100, 1_000, 10_000)]
TABLES_OF_NUMBERS = [(name, rows) for name in CONTINUOUS for rows in (1_000, 10_000)]
SEED = 7
LEARNERS: Mapping[str, Mapping[str, Any]] = {
    "hc": {"algorithm": "hc"},
    "tabu": {"algorithm": "tabu"},
    "tabu-stable": {"algorithm": "tabu-stable"},
    "fges": {"algorithm": "fges"},
    **{f"best, {effort}": {"algorithm": "best", "effort": effort} for effort in EFFORTS},
}
OPTIMA = {"wine": -1258.445909, "insurance1000": -14350.4714, "alarm1000": -11783.0524}
"""Of the tables in `optimum`; see its README."""

Row = dict[str, Any]


def network(shared: Path, name: str) -> sb.Network:
    """One of the networks of the paper."""
    [path] = (shared / "networks").glob(f"{name}.*")
    return sb.read_network(path)


def measure(shared: Path, case: tuple[str, int]) -> list[Row]:
    """What each learner makes of a table."""
    name, rows = case
    truth = network(shared, name)
    table = truth.sample(rows, seed=SEED)
    # What is done once in a process is not counted.
    sb.learn(table, "hc", threads=1)
    found = []
    for learner, options in LEARNERS.items():
        clock, cpu = time.perf_counter(), time.process_time()
        result = sb.learn(table, threads=1, **options)
        clock, cpu = time.perf_counter() - clock, time.process_time() - cpu
        assert result.score is not None
        comparison = sb.compare(result, truth)
        found.append(
            {
                "table": case,
                "learner": learner,
                "bic": result.score / rows,
                "clock": clock,
                "cpu": cpu,
                "f1": comparison.f1,
                "bsf": comparison.bsf,
                "shd": comparison.shd,
            }
        )
    return found


def reverse(shared: Path, case: tuple[str, int]) -> list[Row]:
    """The F1 of learners that go by the order of the columns, when these stand the other way round."""
    name, rows = case
    truth = network(shared, name)
    table = truth.sample(rows, seed=SEED)
    table = table.select(table.column_names[::-1])
    return [
        {"learner": learner, "f1": sb.compare(sb.learn(table, threads=1, **LEARNERS[learner]), truth).f1}
        for learner in ("hc", "tabu")
    ]


@dataclass(frozen=True)
class Parts:
    """The search of `best`, of which parts can be left out."""

    effort: Effort
    from_others: bool = True
    looks_for_families: bool = True
    ends_with_tabu: bool = True

    def __call__(self, problem: Problem) -> tuple[int, ...]:
        """The DAG that is found."""
        order = problem.decreasing
        search = OrderSearch(problem.scores, self.effort)
        found = list(dict.fromkeys(learned_by_others(problem, SearchConfig()))) if self.from_others else []
        for dag in found:
            search.look_around(dag, problem.time_is_up)
        if self.looks_for_families:
            search.look_for_families(problem.time_is_up)
        orders = [*(layered_order(dag, order) for dag in found), list(problem.decreasing), list(problem.increasing)]
        while True:
            dag = max((tuple(search.search(orders, problem.time_is_up)), *found), key=problem.scores.dag)
            if not self.ends_with_tabu:
                return dag
            [last] = tabu_search(replace(problem, start=dag), {"": layered_order(dag, order)}, SearchConfig())
            if last.score <= last.start:
                return last.parents
            found.append(last.parents)
            search.look_around(last.parents, problem.time_is_up)
            orders = [layered_order(last.parents, order)]


NORMAL = EFFORTS["normal"]
PARTS: Mapping[str, Callable[[Problem], tuple[int, ...]]] = {
    "all of it": lambda problem: best(problem, SearchConfig()).parents,
    "the best of the other learners alone": lambda problem: max(
        learned_by_others(problem, SearchConfig()), key=problem.scores.dag
    ),
    "no second search; nor in all that follow": Parts(NORMAL),
    "no other learners: from the decreasing and the increasing order": Parts(NORMAL, from_others=False),
    "no families but those around the graphs of others": Parts(replace(NORMAL, closer=0), looks_for_families=False),
    "no families looked for beforehand": Parts(NORMAL, looks_for_families=False),
    "no closer look at families that fit the best order": Parts(replace(NORMAL, closer=0)),
    "no kicks: the orders are climbed once": Parts(replace(NORMAL, attempts=0, rounds_in_vain=0)),
    "two orders that are never mixed, and twice the attempts": Parts(
        replace(NORMAL, orders=2, attempts=NORMAL.attempts * NORMAL.orders // 2)
    ),
    "one order, and as many attempts in all": Parts(
        replace(NORMAL, orders=1, attempts=NORMAL.attempts * NORMAL.orders)
    ),
    "no tabu search at the end": Parts(NORMAL, ends_with_tabu=False),
}


def take_apart(shared: Path, case: tuple[str, int]) -> list[Row]:
    """What is found where parts are left out."""
    name, rows = case
    table = network(shared, name).sample(rows, seed=SEED)
    found = []
    for part, search in PARTS.items():
        cpu = time.process_time()
        problem = define_problem(prepare(table).table, ScoreConfig())
        dag = search(problem)
        cpu = time.process_time() - cpu
        found.append({"table": case, "part": part, "bic": to_float(problem.scores.dag(dag)) / rows, "cpu": cpu})
    return found


def published(shared: Path, name: str) -> pa.Table:
    """A table of exact learning, of which every value is a level, numbers too."""
    raw = pc.read_csv(shared / "optimum" / f"{name}.csv", read_options=pc.ReadOptions(autogenerate_column_names=True))
    return pa.table({f"X{place}": column.cast(pa.string()) for place, column in enumerate(raw.columns)})


def gaps(shared: Path, name: str) -> list[Row]:
    """The score of each learner on a table of exact learning."""
    table = published(shared, name)
    found = []
    for learner, options in LEARNERS.items():
        cpu = time.process_time()
        score = sb.learn(table, kinds="categorical", threads=1, **options).score
        found.append({"table": name, "learner": learner, "score": score, "cpu": time.process_time() - cpu})
    return found


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> list[str]:
    """A table: the first column to the left, the others to the right."""
    ruler = ["---", *["---:"] * (len(head) - 1)]
    return [f"| {' | '.join(cells)} |" for cells in (head, ruler, *lines)]


def by(rows: Iterable[Row], *keys: str) -> dict[Any, list[Row]]:
    """Rows that agree in some columns, together."""
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups


def means(rows: list[Row]) -> list[str]:
    """One line for each learner: means over tables."""
    of = {learner: own for (learner,), own in by(rows, "learner").items()}
    highest = {table: max(row["bic"] for row in own) for (table,), own in by(rows, "table").items()}
    lines = []
    for learner, own in of.items():
        reached = sum(row["bic"] == highest[row["table"]] for row in own)
        cells = [f"{mean(row['bic'] for row in own):.4f}", f"{reached} of {len(own)}"]
        cells += [f"{mean(row[key] for row in own):.3f}" for key in ("f1", "bsf")]
        cells += [f"{mean(row['shd'] for row in own):.1f}"]
        cells += [f"{max(row['cpu'] for row in own):.2f}"]
        cells += [f"{mean(row[key] for row in own):.2f}" for key in ("cpu", "clock")]
        lines.append([learner, *cells])
    head = ["learner", "BIC a row", "highest of these", "F1", "BSF", "SHD", "most CPU seconds", "mean", "by the clock"]
    return markdown(head, lines)


def table_by_table(rows: list[Row], key: str, form: str) -> list[str]:
    """One line for each table: a figure of every learner."""
    lines = [
        [f"{name}, {size:,} rows", *(format(row[key], form) for row in own)]
        for ((name, size),), own in by(rows, "table").items()
    ]
    return markdown(["table", *LEARNERS], lines)


def in_words(reversed_columns: list[Row]) -> str:
    """What becomes of F1 with the columns the other way round."""
    of = {learner: mean(row["f1"] for row in own) for (learner,), own in by(reversed_columns, "learner").items()}
    told = " and ".join(f"{f1:.3f} of `{learner}`" for learner, f1 in of.items())
    return f"With the columns the other way round, F1 is {told}; that of the others, as it was."


def page(
    categorical: list[Row], continuous: list[Row], reversed_columns: list[Row], parts: list[Row], optimum: list[Row]
) -> list[str]:
    """The whole page."""
    whole = {row["table"]: row["bic"] for row in parts if row["part"] == "all of it"}
    part_lines = [
        [
            part,
            f"{mean(row['bic'] for row in own):.4f}",
            str(sum(row["bic"] < whole[row["table"]] for row in own)),
            str(sum(row["bic"] > whole[row["table"]] for row in own)),
            f"{mean(row['cpu'] for row in own):.2f}",
        ]
        for (part,), own in by(parts, "part").items()
    ]
    of_tables = {name: own for (name,), own in by(optimum, "table").items()}
    highest = {name: OPTIMA.get(name, max(row["score"] for row in own)) for name, own in of_tables.items()}
    gap_lines = [
        [name if name in OPTIMA else f"{name} (highest seen)", f"{highest[name]:.4f}"]
        # A known optimum has so many digits.
        + [f"{max(0.0, round(highest[name] - row['score'], 3)):.3f}" for row in own]
        for name, own in of_tables.items()
    ]
    sizes = sorted({row["table"][1] for row in categorical})
    return [
        "# What `best` brings",
        "",
        f"Made by `bench/best.py`; {', '.join(f'{key} {value}' for key, value in about().items())}.",
        "Every learner with one thread, reading the table included. Seconds are those of",
        "the processor, and vary by some tenths. F1, BSF and SHD compare the CPDAG with that of the network",
        f"that the sample was drawn from (`sample(rows, seed={SEED})`). What it means: [best.md](best.md).",
        "",
        f"## {len(by(categorical, 'table'))} categorical tables",
        "",
        *means(categorical),
        *(
            line
            for size in sizes
            for line in (
                "",
                f"Of {size:,} rows:",
                "",
                *means([row for row in categorical if row["table"][1] == size]),
            )
        ),
        "",
        f"## {len(by(continuous, 'table'))} continuous tables",
        "",
        *means(continuous),
        "",
        in_words(reversed_columns),
        "",
        "## Tables whose optimum is known",
        "",
        "Nats below the optimum, or below the highest score seen where none is known.",
        "",
        *markdown(["table", "score", *LEARNERS], gap_lines),
        "",
        "## What each part does",
        "",
        'The 48 categorical tables, `effort="normal"`: mean BIC a row, on how many tables that is lower or higher than',
        "all of it, and mean seconds of the processor.",
        "",
        *markdown(["without", "BIC a row", "lower", "higher", "CPU seconds"], part_lines),
        "",
        "## Table by table: BIC a row",
        "",
        *table_by_table([*categorical, *continuous], "bic", ".4f"),
        "",
        "## Table by table: CPU seconds",
        "",
        *table_by_table([*categorical, *continuous], "cpu", ".3f"),
    ]


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    names = sorted(path.stem for path in (options.shared / "optimum").glob("*.csv"))
    with ProcessPoolExecutor(options.processes) as pool:

        def rows(work: Callable[[Path, Any], list[Row]], cases: Iterable[Any]) -> list[Row]:
            return [row for own in pool.map(partial(work, options.shared), cases) for row in own]

        lines = page(
            rows(measure, TABLES),
            rows(measure, TABLES_OF_NUMBERS),
            rows(reverse, TABLES_OF_NUMBERS),
            rows(take_apart, TABLES),
            rows(gaps, names),
        )
    PAGE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
