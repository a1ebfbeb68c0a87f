"""Equal rows made one, with a weight."""

from __future__ import annotations

import math

import numpy as np

from stablebn import _core
from stablebn.columns.encode import narrow
from stablebn.table.table import CategoricalTable

# Numbers of configurations are 16 bits wide.
MOST_CONFIGURATIONS = 1 << 16
# Rows a configuration, on average, from which collapsing costs less than it saves.
ROWS_TO_COLLAPSE = 100


def collapsed(table: CategoricalTable) -> CategoricalTable:
    """The distinct rows of a table, each weighted by how often it occurs, where there must be few of them.

    The statistics are the same integers; only tables with few configurations for their rows are worth the pass.
    """
    # A hole is told from all values.
    levels = [len(own) + (v in table.holes) for v, own in enumerate(table.levels)]
    configurations = math.prod(levels)
    rows = table.codes.shape[1]
    if not levels or configurations > min(MOST_CONFIGURATIONS, rows / ROWS_TO_COLLAPSE):
        return table
    counts = _core.configuration_sizes(table.codes, levels, table.weights)
    occurring = np.flatnonzero(counts)
    codes = narrow(np.array(np.unravel_index(occurring, levels)), max(levels) - 1)
    return CategoricalTable(table.names, codes, table.levels, counts[occurring], table.holes)
