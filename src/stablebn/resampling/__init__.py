"""Learn from other layouts, samples or folds of a table: stability, bootstrap and cross-validation."""
