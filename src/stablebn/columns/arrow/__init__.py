"""Arrow columns: convert lists, arrays and series, validate the data, and reduce types to the supported ones."""
