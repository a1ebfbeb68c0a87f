"""Node orders: pure functions of the data."""

from stablebn.order.canonical import canonical_order

__all__ = ["canonical_order"]
