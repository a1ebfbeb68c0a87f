"""Parts of the constraint-based algorithms: tests, skeleton, Markov blankets, orientation."""
