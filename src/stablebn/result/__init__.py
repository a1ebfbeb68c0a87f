"""What learning returns: the result, its files, explanations of edges, and display in notebooks."""
