"""From a source to an encoded table (open, infer kinds, encode, check): in memory, on disk or on a cluster."""
