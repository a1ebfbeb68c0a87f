"""The public functions that need a table, and the table of their options."""
