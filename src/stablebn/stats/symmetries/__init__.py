"""Symmetries of the data: exchangeable variables, signs of columns, and distinct rows."""
