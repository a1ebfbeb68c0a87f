"""What was measured as JSON, as tables in Markdown, and as a plot."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from before import AGAIN, WORSE
from before import LONG as LONG_BEFORE
from cases import OURS, RANDOM, RANDOM_CONTINUOUS, TOOLS
from peers import LONG, PATIENCE
from whole import FORMATS

MIB = 2**20
SHOWN = {("asia", 1_000), ("alarm", 100_000), (RANDOM, 1_000), (RANDOM_CONTINUOUS, 500)}
"""Networks with their rows, and random ones with their variables, of which the seconds are told first."""


def write(report: dict[str, Any], folder: Path) -> None:
    """Write performance.json, performance-table.md and, where matplotlib is installed, performance.png."""
    (folder / "performance.json").write_text(json.dumps(report, indent=1) + "\n")
    sections: dict[str, Callable[[Any, str], list[str]]] = {
        "peers": _peers,
        "processes": _processes,
        "before": _before,
        "scale": _scale,
        "limits": _limits,
        "hotspots": _hotspots,
    }
    lines = ["# Performance: the tables", "", "Made by `make bench`; [performance.md](performance.md) explains them."]
    lines += ["", *_in_short({part: report[part]["figures"] for part in report})]
    for part, section in sections.items():
        if part in report:
            lines += ["", *section(report[part]["figures"], _about(report[part]["about"]))]
    (folder / "performance-table.md").write_text("\n".join(lines) + "\n")
    if "peers" in report and find_spec("matplotlib") is not None:
        from plot import plot_ratios

        plot_ratios(report["peers"]["figures"]["rows"], folder / "performance.png")


def _in_short(parts: dict[str, Any]) -> list[str]:
    """What a reader wants to know first, in sentences that are made from the figures."""
    lines = ["## In short", ""]
    if "peers" in parts:
        lines += _peers_in_short(parts["peers"]["rows"])
    if "processes" in parts:
        for row in parts["processes"]["processes"]:
            now, peer = row["seconds"]["now"], row["seconds"].get("PyBNesian")
            beside = f"; with PyBNesian {peer['median']:.2f} s" if peer else ""
            if row["task"] == "import":
                lines.append(f"- `import stablebn`: {now['median']:.3f} s, the start and end of Python included.")
            elif row["task"] != "python":
                lines.append(f"- Whole process, {_task(row)}: {now['median']:.2f} s{beside}.")
    if "before" in parts:
        found = _ratios_before(parts["before"])
        slower = sum(ratio > WORSE for ratio in found)
        lines.append(
            f"- Seconds now over seconds before, warm: {_mean(found):.2f} in the mean of {len(found)} cases; slower by"
            f" more than {WORSE - 1:.0%} in {slower} of them."
        )
    return lines


def _peers_in_short(rows: Sequence[dict[str, Any]]) -> list[str]:
    lines = []
    for row in rows:
        if (row["network"], row["rows"]) in SHOWN or (row["network"], row["variables"]) in SHOWN:
            seconds = _seconds(row["tools"][OURS]["seconds"])
            lines.append(
                f"- {row['network']}, {row['variables']:,} variables, {row['rows']:,} rows: {seconds} s, warm."
            )
    for size in sorted({row["rows"] for row in rows}):
        found = {
            kind: [row["ratio"] for row in rows if row["rows"] == size and row["continuous"] == kind and row["ratio"]]
            for kind in (False, True)
        }
        ranges = [
            f"{min(ratios):.1f} to {max(ratios):.1f} on {'continuous' if kind else 'categorical'} networks"
            for kind, ratios in found.items()
            if ratios
        ]
        if ranges:
            lines.append(f"- Seconds of the fastest peer over ours, warm, {size:,} rows: {', '.join(ranges)}.")
    extra = [row["stable : tabu"] for row in rows]
    dear = [
        f"{row['network']} {row['variables']:,} x {row['rows']:,} ({row['stable : tabu']:.2f})"
        for row in rows
        if row["stable : tabu"] > 1.5
    ]
    lines.append(
        f"- The stable order costs {_mean(extra) - 1:.0%} more than plain Tabu in the mean of {len(rows)} tables (the"
        f" paper: 68%); more than half in {len(dear)}{': ' + ', '.join(dear) if dear else ''}."
    )
    return lines


def _ratios_before(figures: dict[str, Any]) -> list[float]:
    return [one["ratio"] for row in figures["rows"] for one in row["learners"].values()]


def _mean(ratios: Sequence[float]) -> float:
    """The geometric one: half and double make one."""
    return math.exp(statistics.fmean(map(math.log, ratios)))


def _about(about: dict[str, str]) -> str:
    programs = ", ".join(f"{name} {about[name]}" for name in about if name not in ("date", "machine"))
    return f"{about['date']}, {about['machine']}, {programs}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], *, texts: int = 1) -> list[str]:
    """Markdown; all columns but the first `texts` are numbers."""
    rule = ["---"] * texts + ["---:"] * (len(head) - texts)
    return ["| " + " | ".join(cells) + " |" for cells in (head, rule, *rows)]


def _peers(figures: dict[str, Any], about: str) -> list[str]:
    rows = figures["rows"]
    tools = [tool.name for tool in TOOLS if any(tool.name in row["tools"] for row in rows)]
    versions = {tool.split()[0]: row["tools"][tool]["version"] for row in rows for tool in row["tools"]}
    peers = ", ".join(f"{package} {number}" for package, number in versions.items() if package != "stablebn")

    def cells(row: dict[str, Any], show: Callable[[dict[str, Any]], str]) -> list[str]:
        shown = [show(row["tools"][tool]) if tool in row["tools"] else "" for tool in tools]
        return [row["network"], f"{row['variables']:,}", f"{row['rows']:,}", *shown]

    head = ["network", "variables", "rows", *tools]
    ratios = [
        ["" if row["ratio"] is None else f"**{row['ratio']:.1f}**", f"{row['stable : tabu']:.2f}"] for row in rows
    ]
    learning = (
        [*cells(row, lambda found: _seconds(found["seconds"])), *ratio] for row, ratio in zip(rows, ratios, strict=True)
    )
    return [
        "## Beside the peers",
        "",
        f"{about}; {peers}.",
        "",
        "### Seconds to learn, warm",
        "",
        f"All tools learn from the same rows, in turn, {figures['processes']} times in a process of their own (once",
        f"where that takes more than {LONG} s). The median of all runs but the first of each process, or of the first",
        f"ones where these take long. No figure: the tool does not take such data, or needs more than {PATIENCE} s.",
        "Ratio: the time of the fastest peer over that of Tabu-Stable, all three searches. The peers climb hills with",
        "BIC; causal-learn has no hill climbing, its nearest is GES, with BDeu where data are categorical.",
        "",
        *_table([*head, "ratio", "stable : tabu"], learning),
        "",
        "### BIC reached, per row",
        "",
        "Computed by stablebn for every graph; larger is better. No DAG: none extends what the tests say.",
        "",
        *_table(head, (cells(row, _bic) for row in rows)),
        "",
        "### Seconds of the whole process",
        "",
        "From the start of Python (or R), through imports and reading the table (R: from CSV, others: from Parquet),",
        "to the end of the process, with one run of learning.",
        "",
        *_table(head, (cells(row, lambda found: f"{found['whole']:.2f}") for row in rows)),
    ]


def _bic(found: dict[str, Any]) -> str:
    return "no DAG" if found["bic"] is None else f"{found['bic']:.4f}"


def _seconds(seconds: float) -> str:
    """Three significant digits."""
    return f"{seconds:.3g}" if seconds < 100 else f"{seconds:.0f}"


def _scale(figures: dict[str, Any], about: str) -> list[str]:
    lines = ["## Scale", "", f"Tabu-Stable on `random_network(n, seed=1)`. {about}."]
    for what in ("rows", "variables"):
        points = figures[what]["points"]
        lines += [
            "",
            f"### Growth in {what}: exponent {figures[what]['exponent']:.2f}",
            "",
            *_table(
                ["variables", "rows", "seconds", "arcs"],
                ([f"{p['variables']:,}", f"{p['rows']:,}", _seconds(p["seconds"]), f"{p['arcs']:,}"] for p in points),
                texts=0,
            ),
        ]
    return [
        *lines,
        "",
        "### Peak memory",
        "",
        "MiB of the whole process, Python and its libraries included, beside the Arrow table that it was given and the",
        "encoded table that it works on.",
        "",
        *_table(
            ["network", "variables", "rows", "seconds", "given", "encoded", "peak", "peak : encoded"],
            (
                [
                    point["network"],
                    f"{point['variables']:,}",
                    f"{point['rows']:,}",
                    _seconds(point["seconds"]),
                    *(f"{point[what] / MIB:,.1f}" for what in ("given", "encoded", "peak")),
                    f"{point['peak'] / point['encoded']:.1f}",
                ]
                for point in figures["memory"]
            ),
        ),
    ]


def _processes(figures: dict[str, Any], about: str) -> list[str]:
    rows = figures["processes"]
    names = {"now": "stablebn", "before": "stablebn before", "PyBNesian": "PyBNesian"}
    shown = [name for name in names if any(name in row["seconds"] for row in rows)]

    def cells(row: dict[str, Any], what: str) -> list[str]:
        seconds = row["seconds"]
        found = [f"{seconds[name][f'least{what}']:.3f} ({seconds[name][f'median{what}']:.3f})" for name in seconds]
        own = dict(zip(seconds, found, strict=True))
        ratios = [
            f"{seconds[name][f'median{what}'] / seconds['now'][f'median{what}']:.1f}" if name in seconds else ""
            for name in shown[1:]
        ]
        return [_task(row), *(own.get(name, "") for name in shown), *ratios]

    head = ["process", *(names[name] for name in shown), *(f"{names[name]} : stablebn" for name in shown[1:])]
    lines = ["## Whole processes", "", f"{about}."]
    lines += [f"{names[when]}: {what}." for when, what in figures["installations"].items()]
    lines += [
        "",
        "Seconds from the start of a process to its end, with imports, reading and learning: the least, and in",
        f"brackets the median, of {figures['rounds']} processes. Those of a line take turns, one of each at a time,",
        "after a first round that does not count. Ours runs all three searches of Tabu-Stable, PyBNesian one hill",
        "climb with BIC from a pandas frame of categories; both on as many threads as they like.",
        "PYTHONDONTWRITEBYTECODE is unset: where it is set, Python translates modules anew in every process.",
        "Ratios are those of the medians.",
        "",
        "### By the clock",
        "",
        *_table(head, (cells(row, "") for row in rows)),
        "",
        "### Of the processors",
        "",
        "User and system time of all threads.",
        "",
        *_table(head, (cells(row, " cpu") for row in rows)),
        "",
        "### The first command",
        "",
        "`stablebn learn asia.csv`, 1,000 rows, when nothing that it might have compiled for itself is there; and how",
        "much of a later run is imports, as Python's `-X importtime` says, which itself takes time.",
        "",
        *_table(
            ["installation", "first run, by the clock", "imports of a later one"],
            (
                [names[when], f"{first:.2f}", f"{figures['imports'][when]:.2f}"]
                for when, first in figures["first"].items()
            ),
        ),
    ]
    return lines


def _task(row: dict[str, Any]) -> str:
    if row["task"] == "python":
        return '`python -c "pass"`'
    if row["task"] == "import":
        return "the import alone"
    ending = next(ending for ending in sorted(FORMATS, key=len, reverse=True) if row["file"].endswith(ending))
    network = row["file"].removesuffix(ending)
    if row["task"] == "command":
        return f"`stablebn learn {row['file']}`, {row['rows']:,} rows"
    return f"`sb.learn`, {network} x {row['rows']:,} ({FORMATS[ending]})"


def _before(figures: dict[str, Any], about: str) -> list[str]:
    rows = figures["rows"]
    learners = list(dict.fromkeys(learner for row in rows for learner in row["learners"]))
    found = [(row, learner, row["learners"][learner]) for row in rows for learner in row["learners"]]
    slower = [(row, learner, one) for row, learner, one in found if one["ratio"] > WORSE]
    others = [f"{row['network']} x {row['rows']:,} ({learner})" for row, learner, one in found if not one["same"]]
    names = ", ".join(
        f"{row['network']} {row['variables']:,} x {row['rows']:,} {learner} {one['ratio']:.2f}"
        for row, learner, one in slower
    )

    def ratio(one: dict[str, Any]) -> str:
        return f"**{one['ratio']:.2f}**" if one["ratio"] > WORSE else f"{one['ratio']:.2f}"

    def cells(row: dict[str, Any]) -> list[str]:
        first = next(iter(row["learners"].values()))
        times = [_seconds(first["before"]), _seconds(first["now"])]
        ratios = [ratio(row["learners"][learner]) if learner in row["learners"] else "" for learner in learners]
        return [row["network"], f"{row['variables']:,}", f"{row['rows']:,}", *times, *ratios]

    return [
        "## Before and after",
        "",
        f"{about}.",
        *(f"{when}: {what}." for when, what in figures["installations"].items()),
        "",
        "The same table learned by an earlier installation and by this one, in turn, at least",
        f"{figures['processes']} processes of each, which read the table once; the least of all warm runs counts.",
        f"Seconds are those of {learners[0]}; a column named by a learner has the time now over the time before, below",
        f"1 where it is faster now. What seems slower by more than {WORSE - 1:.0%} is measured again, in up to {AGAIN}",
        "times as many processes of both, as a busy neighbour only ever slows; what stays slower is bold. A learner",
        f"that took more than {LONG_BEFORE} s was asked once. Both learn continuous data in their units",
        "(`unit_free=False`).",
        "",
        f"The geometric mean of {len(found)} ratios is {_mean(_ratios_before(figures)):.2f}.",
        f"Slower by more than {WORSE - 1:.0%}: {len(slower)}{f' ({names})' if names else ''}.",
        "All fingerprints are the same before and after."
        if not others
        else f"**The fingerprints differ**: {', '.join(others)}.",
        "",
        *_table(["network", "variables", "rows", "before, s", "now, s", *learners], map(cells, rows)),
    ]


def _limits(figures: dict[str, Any], about: str) -> list[str]:
    kernels = [
        (f"bits, {engine}", "AND and population count, a cell of the table", rate, figures["bits bound"])
        for engine, rate in figures["bits"].items()
    ]
    kernels.append(("histogram", "increments", figures["histogram"], figures["histogram bound"]))
    return [
        "## The machine's limits",
        "",
        f"One core. Memory: {figures['copy']:.0f} GB/s copied (read and written), {figures['sum']:.0f} GB/s read.",
        "Rows a nanosecond: of the core, which counts a whole joint table of two variables with all others (32 in all,",
        "of four levels, 96,000 rows), and of a loop in the fast caches that does nothing but what bounds it, compiled",
        "for this very machine (bench/loops.cpp).",
        f"{about}.",
        "",
        *_table(
            ["counting with", "bound by", "the core", "loop", "share"],
            (
                [
                    name,
                    bound,
                    _seconds(rate),
                    *(["", ""] if most is None else [_seconds(most), f"{rate / most:.0%}"]),
                ]
                for name, bound, rate, most in kernels
            ),
            texts=2,
        ),
    ]


def _hotspots(figures: Sequence[dict[str, Any]], about: str) -> list[str]:
    lines = [
        "## Where the time goes",
        "",
        "Shares of one run of Tabu-Stable on one thread: each function of the core that Python calls, and the Python",
        "around them by folder. The profiler slows Python but not the core, so the shares of Python are upper bounds.",
        f"{about}.",
    ]
    for run in figures:
        lines += [
            "",
            *_table(
                [f"{run['network']}, {run['rows']:,} rows, {run['seconds'] * 1000:.0f} ms", "share"],
                ([place, f"{share:.0%}"] for place, share in run["shares"].items()),
            ),
        ]
    return lines
