"""Node orders, and the order of rows: pure functions of the data."""

from stablebn.order.canonical import canonical_order, unit_free_numbers
from stablebn.order.rows import CanonicalRows, canonical_rows

__all__ = ["CanonicalRows", "canonical_order", "canonical_rows", "unit_free_numbers"]
