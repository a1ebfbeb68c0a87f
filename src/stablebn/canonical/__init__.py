"""Canonical orders of variables and rows, which depend on the data alone and not on the layout of the table."""

from stablebn.canonical.order import canonical_order, order_by_names, telling_key, unit_free_numbers
from stablebn.canonical.refinement import RefinedOrder
from stablebn.canonical.rows import CanonicalRows, canonical_rows

__all__ = [
    "CanonicalRows",
    "RefinedOrder",
    "canonical_order",
    "canonical_rows",
    "order_by_names",
    "telling_key",
    "unit_free_numbers",
]
