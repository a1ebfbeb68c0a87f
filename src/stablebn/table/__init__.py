"""Encoded tables: integer codes and floats, in memory or in blocks of rows, and the files of the blocks."""
