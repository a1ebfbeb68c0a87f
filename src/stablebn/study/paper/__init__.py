"""Define the study of the paper: its networks and learners, tables, figures, claims and published numbers."""
