"""Prepare tables whose rows are in the memory of the workers of a Dask cluster."""
