"""Shared parts of the readers and writers: scanner, XML tree, drafts of graphs and networks, probability tables."""
