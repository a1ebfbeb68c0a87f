"""Node orders: pure functions of the data."""

from stablebn.order.canonical import canonical_order, telling_key, unit_free_numbers

__all__ = ["canonical_order", "telling_key", "unit_free_numbers"]
