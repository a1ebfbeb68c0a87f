"""Engines that count and sum elsewhere: workers of a Dask cluster, or a GPU with its NumPy twin."""
