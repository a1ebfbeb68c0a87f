"""Statistics bound to one table: integer counts and exact moments, and where they are computed."""
