"""Parts of the constraint-based algorithms: running tests, Markov blankets, separating sets and edge directions."""
