"""Merge equal rows into one row with a weight."""

from __future__ import annotations

import math

import numpy as np

from stablebn import _core
from stablebn.columns.encode import narrow
from stablebn.table.table import CategoricalTable

# The index of a configuration has 16 bits.
MOST_CONFIGURATIONS = 1 << 16
# Rows per configuration, on average, from which merging costs less than it saves.
ROWS_TO_COLLAPSE = 100


def collapsed(table: CategoricalTable) -> CategoricalTable:
    """Return the distinct rows of a table with their weights, if only few are possible; otherwise the table.

    The statistics are the same integers.
    """
    # A missing value differs from all levels.
    levels = [len(labels) + (v in table.holes) for v, labels in enumerate(table.levels)]
    configurations = math.prod(levels)
    rows = table.codes.shape[1]
    if not levels or configurations > min(MOST_CONFIGURATIONS, rows / ROWS_TO_COLLAPSE):
        return table
    counts = _core.configuration_sizes(table.codes, levels, table.weights)
    occurring = np.flatnonzero(counts)
    codes = narrow(np.array(np.unravel_index(occurring, levels)), max(levels) - 1)
    return CategoricalTable(table.names, codes, table.levels, counts[occurring], table.holes)
