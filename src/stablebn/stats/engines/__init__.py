"""Engines: rows counted in memory, in blocks on disk, by the workers of a Dask cluster, or on a GPU."""
