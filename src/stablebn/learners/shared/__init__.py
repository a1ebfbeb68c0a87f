"""What every algorithm gets: the problem, the configuration, time limits, checkpoints, graph scores."""
