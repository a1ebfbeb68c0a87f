"""Compiled functions: arrays in, arrays out; no names, no frames, no logging.

Only `+ - * /`, comparisons and integer operations on numbers are used, never a `log` of the
platform's library: IEEE 754 fixes their result to the last bit on every machine.
"""
