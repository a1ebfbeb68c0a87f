"""Write an interactive HTML report of a learned graph: one file that needs no other files."""

from stablebn.report.render import report_text

__all__ = ["report_text"]
