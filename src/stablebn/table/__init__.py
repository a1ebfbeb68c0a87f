"""Encoded tables: integer codes and floats, whole or in blocks, and the files of the blocks."""
