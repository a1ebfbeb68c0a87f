"""What a study found: tables and figures, from its samples and records."""

from stablebn.study.tables.writing import write_figures, write_tables

__all__ = ["write_figures", "write_tables"]
