"""The page docs/accuracy-table.md, made from the results of bench/accuracy.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev
from typing import Any

from bench.accuracy_tables import GROUPS
from bench.machine import about

OURS = "stablebn"
"""The label of `sb.learn(table)` as shipped."""
PACKAGES = ("flopsearch", "xges", "pybnesian", "pyagrum", "causal-learn", "pgmpy", "tetrad")
HALVES = ("development", "confirmation")

Result = dict[str, Any]


@dataclass(frozen=True)
class Estimate:
    """A mean over tables and its standard error, which is None for a single table."""

    mean: float
    error: float | None

    def __str__(self) -> str:
        return f"{self.mean:.3f}" if self.error is None else f"{self.mean:.3f} ± {self.error:.3f}"


def estimate(values: Sequence[float]) -> Estimate | None:
    """Return the mean and its standard error."""
    if not values:
        return None
    return Estimate(mean(values), stdev(values) / sqrt(len(values)) if len(values) > 1 else None)


class Results:
    """The last result of every table and program."""

    def __init__(self, results: Iterable[Result]) -> None:
        self._last = {(result["table"], result["system"]): result for result in results}
        self.groups = [group for group in GROUPS if any(r["group"] == group for r in self._last.values())]

    def shown(self) -> Iterable[Result]:
        """Return all of them."""
        return self._last.values()

    def systems(self, group: str | None = None) -> list[str]:
        """Return our configurations, then other packages, each in the order of the results."""
        labels = dict.fromkeys(r["system"] for r in self._last.values() if group in (None, r["group"]))
        return sorted(labels, key=is_package)

    def of(self, group: str, system: str, half: str | None = None) -> list[Result]:
        """Return the results of a program on the tables of a group."""
        return [
            r
            for r in self._last.values()
            if r["group"] == group and r["system"] == system and half in (None, r["half"])
        ]

    def finished(self, group: str, system: str, half: str | None = None) -> list[Result]:
        """Return those that have a graph."""
        return [r for r in self.of(group, system, half) if r["outcome"] == "ok"]

    def f1(self, group: str, system: str, half: str) -> Estimate | None:
        """Return the mean F1."""
        return estimate([r["f1"] for r in self.finished(group, system, half)])

    def best(self, group: str, half: str, which: Callable[[str], bool]) -> str | None:
        """Return the program with the highest mean F1 among those that finished more than half of the tables."""
        means: dict[str, float] = {}
        for system in filter(which, self.systems(group)):
            finished = self.finished(group, system, half)
            if finished and 2 * len(finished) > len(self.of(group, system, half)):
                means[system] = mean(r["f1"] for r in finished)
        return max(means, key=means.__getitem__) if means else None

    def difference(self, group: str, half: str, ours: str, other: str) -> Estimate | None:
        """Return by how much the F1 of `ours` is higher, table by table, on tables that both finished."""
        theirs = {r["table"]: r["f1"] for r in self.finished(group, other, half)}
        pairs = [r["f1"] - theirs[r["table"]] for r in self.finished(group, ours, half) if r["table"] in theirs]
        return estimate(pairs)


def is_package(system: str) -> bool:
    """Whether it is another package."""
    return system.split()[0] in PACKAGES


def verdict(difference: Estimate | None) -> str:
    """Say whether the difference is above, within or below one standard error."""
    if difference is None:
        return ""
    error = difference.error or 0.0
    if difference.mean >= error and difference.mean > 0:
        return "better"
    return "equal" if difference.mean >= -error else "**worse**"


def page(results: Sequence[Result]) -> str:
    """Return the text of the page."""
    known = Results(results)
    parts = [
        "# Accuracy, measured",
        "",
        f"Made by `python -m bench.accuracy`; {', '.join(f'{name} {value}' for name, value in about().items())}.",
        f"Versions: {', '.join(_versions(known.shown()))}.",
        "What is measured, and how: [accuracy.md](accuracy.md).",
        "",
    ]
    for half in HALVES:
        parts += [f"## Summary: {half} tables", "", *_summary(known, half), ""]
    parts += ["## F1 of every configuration of ours", ""]
    for half in HALVES:
        parts += [f"{half.capitalize()} tables:", "", *_matrix(known, half), ""]
    parts += ["## Group by group", "", DETAILS]
    for group in known.groups:
        parts += [f"### {group}: {GROUPS[group].about}", "", *_details(known, group), ""]
    return "\n".join(parts).rstrip() + "\n"


DETAILS = """Mean and standard error over the tables that the program finished. CPU is the median of all tables. BIC is
our score of the graph per row (`dg` for mixed tables). "Failures" counts tables without a graph: time limit, error,
or not tried.
"""


def _versions(results: Iterable[Result]) -> list[str]:
    """Every version that a result of the page comes from; programs before versions, each sorted."""
    pairs = {(r["system"].split()[0] if is_package(r["system"]) else OURS, r["version"]) for r in results}
    return [version if version.startswith(program) else f"{program} {version}" for program, version in sorted(pairs)]


def _summary(known: Results, half: str) -> list[str]:
    lines: list[list[str]] = []
    gaps: list[Estimate] = []
    for group in known.groups:
        package = known.best(group, half, is_package)
        ours = known.f1(group, OURS, half)
        best = known.best(group, half, lambda system: not is_package(system))
        if best is None:
            continue
        gap = known.difference(group, half, OURS, package) if package else None
        theirs = f"{package}: {known.f1(group, package, half)}" if package else ""
        lines.append(
            [
                group,
                theirs,
                str(ours or ""),
                f"{gap.mean:+.3f} ± {gap.error or 0.0:.3f}" if gap else "",
                verdict(gap),
                f"{best}: {known.f1(group, best, half)}",
            ]
        )
        if gap:
            gaps.append(gap)
    heads = ["group", "best package: F1", "`stablebn`: F1", "difference", "verdict", "our best configuration: F1"]
    text = ["Differences are means over the tables that both finished, with their standard error."]
    if gaps:
        verdicts = Counter(map(verdict, gaps))
        counts = ", ".join(f"{verdicts[word]} {word.strip('*')}" for word in ("better", "equal", "**worse**"))
        text.append(f"{len(gaps)} groups: {counts}; mean difference {mean(gap.mean for gap in gaps):+.3f}.")
    return [*text, "", *markdown(heads, lines)]


def _matrix(known: Results, half: str) -> list[str]:
    systems = [system for system in known.systems() if not is_package(system)]
    lines: list[list[str]] = []
    columns: dict[str, list[list[float]]] = {}
    for group in known.groups:
        estimates = [known.f1(group, system, half) for system in systems]
        package = known.best(group, half, is_package)
        best = known.f1(group, package, half) if package else None
        means = columns.setdefault(family(group), [[] for _ in (*systems, "package")])
        for place, found in enumerate((*estimates, best)):
            means[place] += [found.mean] if found else []
        lines.append([group, *_marked([found.mean if found else None for found in estimates]), _figure(best)])
    for name, figures in columns.items():
        most = max(map(len, figures))
        # A mean over fewer groups could not be compared.
        whole = [mean(values) if values and len(values) == most else None for values in figures]
        lines.append([f"mean: {name}", *_marked(whole[:-1]), "" if whole[-1] is None else f"{whole[-1]:.3f}"])
    return markdown(["group", *systems, "best package of the group"], lines)


def family(group: str) -> str:
    """Return the groups over which a mean is shown."""
    return f"{'the paper' if group.startswith('paper') else 'random'}, {GROUPS[group].kind}"


def _figure(found: Estimate | None) -> str:
    return f"{found.mean:.3f}" if found else ""


def _marked(means: Sequence[float | None]) -> list[str]:
    """Figures, the highest one bold."""
    highest = max((value for value in means if value is not None), default=0.0)
    texts = ["" if value is None else f"{value:.3f}" for value in means]
    return [f"**{text}**" if value == highest else text for text, value in zip(texts, means, strict=True)]


def _details(known: Results, group: str) -> list[str]:
    lines = []
    for system in known.systems(group):
        everything, finished = known.of(group, system), known.finished(group, system)
        shd = [estimate([float(r["shd"]) for r in known.finished(group, system, half)]) for half in HALVES]
        cpu = sorted(r["cpu"] for r in finished)
        lines.append(
            [
                system,
                *(str(known.f1(group, system, half) or "") for half in HALVES),
                *(f"{found.mean:.1f}" if found else "" for found in shd),
                _mean(finished, "skeleton_f1", 3),
                _mean(finished, "sid", 0),
                _mean(finished, "bic", 3),
                f"{cpu[len(cpu) // 2]:.2f}" if cpu else "",
                f"{len(everything) - len(finished)} of {len(everything)}",
            ]
        )
    heads = ["program", "F1, development", "F1, confirmation", "SHD, dev.", "SHD, conf.", "skeleton F1", "SID", "BIC"]
    return markdown([*heads, "CPU s", "failures"], lines)


def _mean(results: Sequence[Result], name: str, digits: int) -> str:
    values = [r[name] for r in results if r[name] is not None]
    return f"{mean(values):.{digits}f}" if values else ""


def markdown(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table, the first column to the left, the others to the right."""
    rules = ["---", *["---:"] * (len(heads) - 1)]
    return [f"| {' | '.join(line)} |" for line in (heads, rules, *lines)]
