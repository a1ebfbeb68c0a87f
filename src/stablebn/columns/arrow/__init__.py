"""Arrow columns: convert any list, array or series, validate, and reduce types to those that are learned from."""
