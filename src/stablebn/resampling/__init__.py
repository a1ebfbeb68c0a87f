"""Rows drawn from a table with replacement, whatever its layout."""
