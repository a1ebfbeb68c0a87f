"""Single columns: kinds, levels, missing values, weights, encoding, and the checks that name columns."""
