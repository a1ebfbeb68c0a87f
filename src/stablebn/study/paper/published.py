"""Read the published numbers of the paper from a file, and give them the names that a study uses.

References
----------
Kitson and Constantinou, "Stable structure learning with HC-Stable and Tabu-Stable algorithms".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from stablebn.errors import FormatError
from stablebn.study.tables.study_table import Grid, Value

NumberTables: TypeAlias = dict[str, Grid]
"""Grids by the name of their table. Published numbers and ours have the same shape."""

# The names of network files, and the names in the paper.
CATEGORICAL = {
    name: name.capitalize()
    for name in (
        *("asia", "sports", "sachs", "covid", "child", "insurance", "property", "diarrhoea", "water", "mildew"),
        *("alarm", "barley", "hailfinder", "hepar2", "win95pts", "formed", "pathfinder"),
    )
}
CONTINUOUS = {
    "sachs_c": "Sachs",
    "covid_c": "Covid",
    "building_c": "Building",
    "magic-niab_c": "Magic-NIAB",
    "ecoli70_c": "Ecoli70",
    "magic-irri_c": "Magic-IRRI",
    "arth150_c": "Arth150",
}
WITHOUT_TWINS = {"hailfinder": "hailfinder2", "win95pts": "win95pts2"}
"""Networks whose samples always have identical columns, and their replacements when algorithms are compared."""

SLIPS = {
    "orderings_continuous": "The published precision and recall of Tabu are copied from the categorical table: "
    "the runs of the paper give 0.5382 and 0.5994.",
    "normalised_bic_categorical": "The published number of HC-Stable for Insurance is an error: "
    "the runs of the paper give -14.6681.",
}
"""Known errors in the tables of the paper."""

# Numbers that only the text of the paper has, not its tables.
TABU_STABLE_TO_TABU_SECONDS = 1.68
TABU_STABLE_LESS_FGES = {"precision": -0.0194, "recall": 0.0182}
"""For categorical networks."""


def read_published(path: Path) -> NumberTables:
    """Read the published numbers.

    Parameters
    ----------
    path : Path
        A JSON object: for every table an object of rows, each an object of columns.

    Raises
    ------
    FormatError
        The file has another structure.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise FormatError(str(path), None, f"cannot be read as JSON: {error}") from error
    try:
        return _renamed(content)
    except (AttributeError, KeyError, TypeError) as error:
        raise FormatError(str(path), None, f"is not a file of tables, each an object of rows: {error!r}") from error


def _renamed(content: Mapping[str, Mapping[str, Mapping[str, Value]]]) -> NumberTables:
    figures: NumberTables = {}
    for table, rows in content.items():
        if table == "failures_3h":
            figures[table] = _failures(rows["rows"])
        elif table.endswith(("_networks", "normalised_bic_categorical", "normalised_bic_continuous")):
            files = _files(CONTINUOUS if "continuous" in table else CATEGORICAL)
            figures[table] = {files[row]: dict(columns) for row, columns in rows.items()}
        elif table == "node_degree":
            figures[table] = {row.lower(): _numbers(columns) for row, columns in rows.items()}
        elif not table.startswith("_"):
            figures[table] = {row: dict(columns) for row, columns in rows.items()}
    _complete(figures.get("algorithms_categorical", {}))
    return figures


def _complete(algorithms: Grid) -> None:
    """Add numbers of Tabu-Stable that the text of the paper gives as differences from FGES."""
    if "tabu-stable" in algorithms and "fges" in algorithms:
        for column, difference in TABU_STABLE_LESS_FGES.items():
            value = algorithms["fges"].get(column)
            if isinstance(value, float):
                algorithms["tabu-stable"].setdefault(column, round(value + difference, 4))


def _files(names: Mapping[str, str]) -> dict[str, str]:
    return {shown: file for file, shown in names.items()}


def _numbers(columns: Mapping[str, Value]) -> dict[str, Value]:
    """Replace words by None."""
    return {column: None if isinstance(value, str) else value for column, value in columns.items()}


def _failures(rows: object) -> Grid:
    """Return one row per experiment; in the file each is an object with network (continuous), rows and learners."""
    files = _files(CONTINUOUS)
    grid: Grid = {}
    for row in rows if isinstance(rows, list) else []:
        learners = {key: value for key, value in row.items() if key not in ("network", "rows")}
        grid[experiment(files[row["network"]], row["rows"])] = learners
    return grid


def experiment(network: str, rows: int) -> str:
    """Return the name of a sample in a table."""
    return f"{network}, {rows:,} rows"
