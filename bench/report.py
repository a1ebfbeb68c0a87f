"""What was measured as JSON, as tables in Markdown, and as a plot."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cases import TOOLS
from peers import LONG, PATIENCE

MIB = 2**20


def write(report: dict[str, Any], folder: Path) -> None:
    """Write performance.json, performance-table.md and, where matplotlib is installed, performance.png."""
    (folder / "performance.json").write_text(json.dumps(report, indent=1) + "\n")
    sections: dict[str, Callable[[Any, str], list[str]]] = {
        "peers": _peers,
        "scale": _scale,
        "cold": _cold,
        "limits": _limits,
        "hotspots": _hotspots,
    }
    lines = ["# Performance: the tables", "", "Made by `make bench`; [performance.md](performance.md) explains them."]
    for part, section in sections.items():
        if part in report:
            lines += ["", *section(report[part]["figures"], _about(report[part]["about"]))]
    (folder / "performance-table.md").write_text("\n".join(lines) + "\n")
    if "peers" in report and find_spec("matplotlib") is not None:
        from plot import plot_ratios

        plot_ratios(report["peers"]["figures"]["rows"], folder / "performance.png")


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


def _cold(figures: dict[str, Any], about: str) -> list[str]:
    titles = {
        "first compile": "`stablebn learn asia.csv`, nothing compiled yet",
        "learn": "`stablebn learn asia.csv`, all compiled",
        "imports of learn": "of which imports, as `-X importtime` says",
        "import stablebn": '`python -c "import stablebn"`',
        "python": '`python -c "pass"`',
    }
    return [
        "## Cold start",
        "",
        f"Seconds of whole processes; {figures['rows']:,} rows. {about}.",
        "",
        *_table(["process", "seconds"], ([title, f"{figures[key]:.2f}"] for key, title in titles.items())),
    ]


def _limits(figures: dict[str, Any], about: str) -> list[str]:
    kernels = {"bits": "AND and population count, a cell of the table", "histogram": "increments"}
    return [
        "## The machine's limits",
        "",
        f"One core. Memory: {figures['copy']:.0f} GB/s copied (read and written), {figures['sum']:.0f} GB/s read.",
        f"Rows a nanosecond, of our kernel and of a loop that does nothing else, in the fast caches. {about}.",
        "",
        *_table(
            ["counting with", "bound by", "kernel", "loop", "share"],
            (
                [
                    name,
                    bound,
                    _seconds(figures[name]),
                    _seconds(figures[f"{name} bound"]),
                    f"{figures[name] / figures[f'{name} bound']:.0%}",
                ]
                for name, bound in kernels.items()
                if figures[name] is not None
            ),
            texts=2,
        ),
    ]


def _hotspots(figures: Sequence[dict[str, Any]], about: str) -> list[str]:
    lines = [
        "## Where the time goes",
        "",
        "Shares of one run of Tabu-Stable on one thread: each kernel, and the Python around it by folder. The profiler",
        f"slows Python but not kernels, so the shares of Python are upper bounds. {about}.",
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
