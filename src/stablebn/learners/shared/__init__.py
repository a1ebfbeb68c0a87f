"""Parts that all algorithms share: the problem, the configuration, time limits, checkpoints, records of results."""
