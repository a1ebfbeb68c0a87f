"""The plot of ratios: the time of each peer over that of Tabu-Stable, one panel a number of rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from cases import OURS

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

# Colours of Okabe and Ito, which colour-blind readers can tell apart too.
STYLES = {
    "pybnesian hc": ("#0072B2", "o"),
    "pyagrum hc": ("#D55E00", "s"),
    "bnlearn hc": ("#009E73", "^"),
    "pgmpy hc": ("#CC79A7", "D"),
    "causal-learn ges": ("#E69F00", "v"),
}


def plot_ratios(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw the rows of the table that some peer finished."""
    rows = [row for row in rows if row["ratio"] is not None]
    sizes = sorted({row["rows"] for row in rows})
    # In the order of the table, categorical networks first.
    networks = list(dict.fromkeys(_label(row) for row in sorted(rows, key=lambda row: bool(row["continuous"]))))
    categorical = len({_label(row) for row in rows if not row["continuous"]})
    shape = (2.6 + 2.3 * len(sizes), 1.6 + 0.28 * len(networks))
    figure, panels = plt.subplots(1, len(sizes), sharex=True, sharey=True, squeeze=False, figsize=shape)
    for axes, size in zip(panels[0], sizes, strict=True):
        for tool, (colour, marker) in STYLES.items():
            points = [row for row in rows if row["rows"] == size and tool in row["tools"]]
            times = [row["tools"][tool]["seconds"] / row["tools"][OURS]["seconds"] for row in points]
            places = [networks.index(_label(row)) for row in points]
            axes.scatter(times, places, color=colour, marker=marker, s=34, zorder=3)
        axes.axvline(10, color="0.4", linewidth=0.9, linestyle=":")
        axes.axhline(categorical - 0.5, color="0.4", linewidth=0.9)
        axes.set(xscale="log", title=f"{size:,} rows")
        axes.grid(color="0.9", linewidth=0.6, zorder=1)
        axes.tick_params(axis="y", length=0)
        axes.spines[["top", "right", "left"]].set_visible(False)
    panels[0][0].set(yticks=range(len(networks)), yticklabels=networks, ylim=(len(networks) - 0.5, -0.5))
    least, most = panels[0][0].get_xlim()
    least = min(least, 0.5)
    for axes in panels[0]:
        axes.axvspan(least, 1, color="0.94", zorder=0)
        axes.set_xlim(least, most)
    figure.supxlabel("time of the peer : time of Tabu-Stable, all three searches (grey: the peer is faster)", size=10)
    shown = [tool for tool in STYLES if any(tool in row["tools"] for row in rows)]
    keys = [Line2D([], [], color=STYLES[tool][0], marker=STYLES[tool][1], linestyle="") for tool in shown]
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.35 / shape[1]))
    figure.legend(keys, shown, loc="upper center", ncols=len(shown), frameon=False)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def _label(row: dict[str, Any]) -> str:
    """A network and its number of variables."""
    return f"{row['network']} ({row['variables']})"
