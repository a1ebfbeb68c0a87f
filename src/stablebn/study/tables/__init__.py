"""Make the tables and figures of a study from its samples and records."""

from stablebn.study.tables.writing import write_figures, write_tables

__all__ = ["write_figures", "write_tables"]
