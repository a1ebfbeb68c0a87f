"""Read text files: separator, decimal mark, index column, and types that are inferred from every value."""
