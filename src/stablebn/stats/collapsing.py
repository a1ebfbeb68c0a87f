"""Equal rows made one, with a weight."""

from __future__ import annotations

import math

import numpy as np

from stablebn.data.encoding import narrow
from stablebn.data.table import CategoricalTable
from stablebn.kernels import counting, joint

# Numbers of configurations are 16 bits wide.
_MOST_CONFIGURATIONS = 1 << 16
# Rows a configuration, on average, from which collapsing costs less than it saves.
ROWS_TO_COLLAPSE = 100


def collapsed(table: CategoricalTable) -> CategoricalTable:
    """The distinct rows of a table, each weighted by how often it occurs, where there must be few of them.

    The statistics are the same integers; only tables with few configurations for their rows are worth the pass.
    """
    levels = np.array([len(own) for own in table.levels], dtype=np.int64)
    configurations = math.prod(levels.tolist())
    rows = table.codes.shape[1]
    if not len(levels) or configurations > min(_MOST_CONFIGURATIONS, rows / ROWS_TO_COLLAPSE):
        return table
    groups = joint.group_rows(table.codes, np.arange(len(levels)), levels)
    weights = np.empty(0, dtype=np.int64) if table.weights is None else table.weights
    counts = counting.group_counts(groups, configurations, weights)
    occurring = np.flatnonzero(counts)
    codes = narrow(np.array(np.unravel_index(occurring, levels)), int(levels.max()) - 1)
    return CategoricalTable(table.names, codes, table.levels, counts[occurring])
