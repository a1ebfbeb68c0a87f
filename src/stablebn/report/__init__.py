"""The report of a learned graph: one HTML file that can be sent to somebody."""

from stablebn.report.render import report_text

__all__ = ["report_text"]
